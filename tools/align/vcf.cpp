// SPDX-License-Identifier: Apache-2.0
// The differences of an alignment as VCF 4.3, the target being the reference. The canonical
// alignment has its gaps as far to the left as they can be, so the records are normalised as they
// are: an insertion and a deletion never stand side by side in an optimal alignment, and a gap that
// could go further left would have gone there. So mismatches follow a gap only at the very
// beginning, and are one record with it.
#include <algorithm>

#include "tools/align/rows.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// INFO fields may not have these as they are.
std::string info_text(std::string_view name) {
  std::string text;
  for (const char c : field(name)) {
    switch (c) {
      case ';':
        text += "%3B";
        break;
      case '=':
        text += "%3D";
        break;
      case ',':
        text += "%2C";
        break;
      case '%':
        text += "%25";
        break;
      case ' ':
        text += "%20";
        break;
      default:
        text += c;
    }
  }
  return text;
}

}  // namespace

std::string vcf_records(const AlignRow& row) {
  const std::string target_name = field(row.pair.target.name);
  const std::string query_name = info_text(row.pair.query.name);
  std::string records;
  const auto add = [&](std::size_t at, std::string_view ref, const std::string& alt,
                       const char* type, std::size_t length) {
    for (const std::string_view symbols : {ref, std::string_view(alt)})
      if (const auto other = symbols.find_first_not_of("ACGTNacgtn"); other != symbols.npos)
        refuse(row, Kind::kInput, "VCF",
               text_of("symbol '", symbols.substr(other, 1), "' is none of ACGTN"));
    records +=
        tabbed({target_name, std::to_string(at + 1), ".", std::string(ref), alt, ".", ".",
                text_of("TYPE=", type, ";LEN=", std::to_string(length), ";QUERY=", query_name)});
  };
  /// A run of mismatches, without symbols that only --ambiguous mismatch tells apart.
  const auto replace = [&](std::size_t at, std::string_view ref, std::string_view alt) {
    for (std::size_t first = 0; first < ref.size();) {
      std::size_t last = first;
      while (last < ref.size() && ref[last] != alt[last]) ++last;
      const std::size_t length = last - first;
      if (length > 0)
        add(at + first, ref.substr(first, length), std::string(alt.substr(first, length)),
            length == 1 ? "SNV" : "MNV", length);
      first = last + 1;
    }
  };
  std::size_t j = 0;
  std::string_view before;  // what the query has more at the very beginning,
  std::size_t without = 0;  // or less
  each_run(
      row.answer.cigar, row.query, row.target,
      [&](const Cigar::Run& run, std::string_view in_query, std::string_view in_target) {
        const std::size_t length = run.length;
        const bool gap = run.edit == Edit::kInsert || run.edit == Edit::kDelete;
        if (gap && row.target.size() == in_target.size())
          refuse(row, Kind::kInput, "VCF", "a gap needs a symbol of the target beside it");
        const char* const type = without > 0 || run.edit == Edit::kDelete ? "DEL" : "INS";
        if (gap && j == 0) {
          before = in_query;
          without = in_target.size();
        } else if (gap) {
          add(j - 1, row.target.substr(j - 1, in_target.size() + 1),
              text_of(row.target.substr(j - 1, 1), in_query), type, length);
        } else if (!before.empty() || without > 0) {
          // A gap at the very beginning stands with the symbol behind it, and with mismatches
          // there.
          const bool more = run.edit == Edit::kMismatch;
          const std::size_t beside = more ? length : 1;
          add(0, row.target.substr(0, without + beside),
              text_of(before, in_query.substr(0, beside)), more ? "COMPLEX" : type,
              more ? std::max(before.size(), without) + length : std::max(before.size(), without));
          before = {};
          without = 0;
        } else if (run.edit == Edit::kMismatch) {
          replace(j, in_target, in_query);
        }
        j += in_target.size();
      });
  return records;
}

}  // namespace rhomb::cli
