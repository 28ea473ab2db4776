// SPDX-License-Identifier: Apache-2.0
#include "tools/align/rows.h"

#include <cctype>
#include <map>
#include <utility>

#include "host/seq/sequence.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// BAM counts the operations of a CIGAR with 16 bits, and an operation's symbols with 28.
constexpr std::size_t kBamOperations = 65535;
constexpr std::size_t kBamLength = std::size_t{1} << 28;

bool is_pair(Edit edit) { return edit == Edit::kMatch || edit == Edit::kMismatch; }

std::string cigar_text(const AlignOutput& output, const Cigar& cigar) {
  if (output.mismatches) return cigar.text();
  std::string text;
  std::uint64_t pairs = 0;
  const auto end_pairs = [&] {
    if (pairs > 0) text += std::to_string(std::exchange(pairs, 0)) + 'M';
  };
  for (const Cigar::Run& run : cigar) {
    if (is_pair(run.edit)) {
      pairs += run.length;
      continue;
    }
    end_pairs();
    text += std::to_string(run.length) + static_cast<char>(run.edit);
  }
  end_pairs();
  return text;
}

void append_lower(std::string& text, std::string_view symbols) {
  for (const char c : symbols)
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// minimap2's difference string.
std::string cs_text(const AlignRow& row, bool with_matches) {
  std::string text;
  each_run(row.answer.cigar, row.query, row.target,
           [&](const Cigar::Run& run, std::string_view query, std::string_view target) {
             switch (run.edit) {
               case Edit::kMatch:
                 text += with_matches ? text_of("=", target) : ":" + std::to_string(run.length);
                 break;
               case Edit::kMismatch:
                 for (std::size_t k = 0; k < run.length; ++k) {
                   text += '*';
                   append_lower(text, target.substr(k, 1));
                   append_lower(text, query.substr(k, 1));
                 }
                 break;
               case Edit::kInsert:
                 text += '+';
                 append_lower(text, query);
                 break;
               case Edit::kDelete:
                 text += '-';
                 append_lower(text, target);
                 break;
             }
           });
  return text;
}

/// SAM's string of mismatching and deleted symbols of the target.
std::string md_text(const AlignRow& row) {
  std::string text;
  std::uint64_t matches = 0;
  const auto end_matches = [&] { text += std::to_string(std::exchange(matches, 0)); };
  each_run(row.answer.cigar, row.query, row.target,
           [&](const Cigar::Run& run, std::string_view, std::string_view target) {
             if (run.edit == Edit::kMatch) matches += run.length;
             if (run.edit == Edit::kMismatch)
               for (const char c : target) {
                 end_matches();
                 text += c;
               }
             if (run.edit == Edit::kDelete) {
               end_matches();
               text += text_of("^", target);
             }
           });
  end_matches();
  return text;
}

std::string paf(const AlignOutput& output, const AlignRow& row) {
  const Cigar::Counts counts = row.answer.cigar.counts();
  const auto length = [](std::string_view text) { return std::to_string(text.size()); };
  std::vector<std::string> fields = {
      field(row.pair.query.name),
      length(row.query),
      "0",
      length(row.query),
      std::string(1, row.answer.strand),
      field(row.pair.target.name),
      length(row.target),
      "0",
      length(row.target),
      std::to_string(counts.matches),
      std::to_string(counts.matches + counts.mismatches + counts.inserted + counts.deleted),
      "255",
      "NM:i:" + std::to_string(*row.answer.distance),
      "de:f:" + fixed(1 - counts.gap_compressed_identity(), 6)};
  if (!row.answer.cigar.empty()) fields.push_back("cg:Z:" + cigar_text(output, row.answer.cigar));
  if (output.cs != AlignOutput::Cs::kNone)
    fields.push_back("cs:Z:" + cs_text(row, output.cs == AlignOutput::Cs::kLong));
  return tabbed(fields);
}

/// Throws Error where BAM, which others make of SAM, has no room for an alignment.
void check_sam(const AlignRow& row, const std::string& cigar) {
  const auto refuse_long = [&](const std::string& why) {
    refuse(row, Kind::kOutput, "SAM", why + "; --format paf has no such limit");
  };
  std::size_t operations = 0;
  for (const char c : cigar) operations += c < '0' || c > '9' ? 1 : 0;
  for (const Cigar::Run& run : row.answer.cigar)
    if (run.length >= kBamLength)
      refuse_long(text_of("a run of ", with_commas(run.length),
                          " is longer than other programs can read (2^28 - 1)"));
  if (operations > kBamOperations &&
      (row.query.size() >= kBamLength || row.target.size() >= kBamLength))
    refuse_long(
        text_of("more than ", count_of(kBamOperations),
                " operations, and a sequence longer than 2^28 - 1: other programs cannot read "
                "that"));
}

/// Throws Error for a name of a query and symbols that SAM does not have.
void check_symbols(const AlignRow& row) {
  const auto refuse_input = [&](const std::string& why) { refuse(row, Kind::kInput, "SAM", why); };
  const std::string name = field(row.pair.query.name);
  if (name.size() > 254 || name.find('@') != name.npos)
    refuse_input("a query's name has at most 254 characters, and no @");
  for (const std::string_view text : {row.query, row.target}) {
    const auto other = std::ranges::find_if(text, [](char c) { return c < 'A' || c > 'Z'; });
    if (other != text.end())
      refuse_input(text_of("symbol '", std::string(1, *other), "' is no letter"));
  }
}

std::string sam(const AlignOutput& output, const AlignRow& row) {
  const std::string cigar = cigar_text(output, row.answer.cigar);
  check_sam(row, cigar);
  check_symbols(row);
  std::vector<std::string> fields = {field(row.pair.query.name),
                                     row.answer.strand == '-' ? "16" : "0",
                                     field(row.pair.target.name),
                                     row.target.empty() ? "0" : "1",
                                     "255",
                                     cigar.empty() ? "*" : cigar,
                                     "*",
                                     "0",
                                     "0",
                                     row.query.empty() ? "*" : std::string(row.query),
                                     "*",
                                     "NM:i:" + std::to_string(*row.answer.distance),
                                     "MD:Z:" + md_text(row)};
  if (output.cs != AlignOutput::Cs::kNone)
    fields.push_back("cs:Z:" + cs_text(row, output.cs == AlignOutput::Cs::kLong));
  return tabbed(fields);
}

/// Keys and values of TSV and JSON, in order. Values that are not known are null.
std::vector<std::pair<const char*, Json>> values(const AlignOutput& output, const AlignRow& row) {
  const AlignAnswer& answer = row.answer;
  const bool known = answer.distance.has_value();
  const auto longer =
      static_cast<double>(std::max({row.query.size(), row.target.size(), std::size_t{1}}));
  const double seconds = std::max(answer.timing.total, 1e-9);
  const Cigar::Counts counts = answer.cigar.counts();
  const auto if_known = [&](auto value) { return known ? Json(value) : Json(); };
  std::vector<std::pair<const char*, Json>> all = {
      {"query", row.pair.query.name},
      {"query_length", row.query.size()},
      {"target", row.pair.target.name},
      {"target_length", row.target.size()},
      {"distance", known ? Json(*answer.distance) : Json()},
      {"similarity",
       known ? Json(rounded(fixed(1 - static_cast<double>(*answer.distance) / longer, 6)))
             : Json()},
      {"engine", answer.engine},
      {"variant", answer.variant},
      {"device", answer.device},
      {"seconds", rounded(significant(answer.timing.total))},
      {"gcups", rounded(significant(static_cast<double>(row.query.size()) *
                                    static_cast<double>(row.target.size()) / seconds / 1e9))},
      {"strand", std::string(1, answer.strand)}};
  if (!output.summary) all.emplace_back("cigar", if_known(cigar_text(output, answer.cigar)));
  const auto add = [&](const char* key, auto value) { all.emplace_back(key, if_known(value)); };
  add("matches", counts.matches);
  add("mismatches", counts.mismatches);
  add("insertions", counts.insertions);
  add("inserted", counts.inserted);
  add("deletions", counts.deletions);
  add("deleted", counts.deleted);
  add("identity", rounded(fixed(counts.identity(), 6)));
  add("gap_compressed_identity", rounded(fixed(counts.gap_compressed_identity(), 6)));
  if (output.summary) {
    add("mismatch_events", counts.mismatch_events);
    add("longest_match", counts.longest_match);
    add("longest_mismatch", counts.longest_mismatch);
    add("longest_insertion", counts.longest_insertion);
    add("longest_deletion", counts.longest_deletion);
  }
  return all;
}

std::string inversion_text(const std::vector<Inversion>& inversions) {
  std::vector<std::string> parts;
  for (const Inversion& one : inversions)
    parts.push_back(text_of(std::to_string(one.query_start), "-", std::to_string(one.query_end),
                            ":", std::to_string(one.target_start), "-",
                            std::to_string(one.target_end)));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text.empty() ? "-" : text;
}

std::string tsv_row(const AlignOutput& output, const AlignRow& row) {
  std::vector<std::string> fields;
  for (const auto& [key, value] : values(output, row)) {
    std::string text = value.is_null()     ? "NA"
                       : value.is_string() ? field(value.template get<std::string>())
                                           : value.dump();
    const std::string_view name = key;
    if (name == "distance" && value.is_null())
      text = ">" + std::to_string(*row.method.max_distance);
    if (name == "seconds" || name == "gcups") text = significant(value.template get<double>());
    if ((name == "similarity" || name.ends_with("identity")) && !value.is_null())
      text = fixed(value.template get<double>(), 6);
    fields.push_back(std::move(text));
  }
  if (output.summary) fields.push_back(inversion_text(row.inversions));
  return tabbed(fields);
}

std::string json_row(const AlignOutput& output, const AlignRow& row) {
  Json object;
  for (const auto& [key, value] : values(output, row)) object[key] = value;
  if (output.cs != AlignOutput::Cs::kNone && row.answer.distance)
    object["cs"] = cs_text(row, output.cs == AlignOutput::Cs::kLong);
  if (output.summary) {
    object["inversions"] = Json::array();
    for (const Inversion& one : row.inversions)
      object["inversions"].push_back({{"query_start", one.query_start},
                                      {"query_end", one.query_end},
                                      {"target_start", one.target_start},
                                      {"target_end", one.target_end},
                                      {"distance", one.distance},
                                      {"turned_distance", one.turned_distance}});
  }
  if (row.method.max_distance) object["max_distance"] = *row.method.max_distance;
  object["cells"] = json_count(row.answer.cells);
  object["parts"] = row.answer.parts;
  object["distance_seconds"] = rounded(significant(row.answer.distance_seconds));
  object["timing"] = json_of(row.answer.timing);
  return json_line(object);
}

/// Each target once, in order. Throws InputError for two targets of the same name.
std::vector<seq::SequenceView> targets_of(const std::vector<Pair>& pairs) {
  std::map<std::string, const char*> named;  // where its symbols are
  std::vector<seq::SequenceView> targets;
  for (const Pair& pair : pairs) {
    const char* const symbols = pair.target.symbols.data();
    const auto [place, added] = named.emplace(field(pair.target.name), symbols);
    if (added) targets.push_back(pair.target);
    if (place->second != symbols)
      throw InputError("", std::string(pair.target.name), 0,
                       "two targets have this name, which SAM and VCF do not allow");
  }
  return targets;
}

/// Throws Error for a name that SAM and VCF do not allow a reference sequence.
void check_reference(const std::string& name) {
  if (name.empty() || name[0] == '*' || name[0] == '=' ||
      name.find_first_of("\\,\"'`()[]{}<> ") != name.npos)
    throw Error(Kind::kInput, text_of("target '", name,
                                      "': SAM and VCF do not allow this name: it begins with * "
                                      "or =, or has one of \\ , \" ' ` ( ) [ ] { } < >"));
}

}  // namespace

void refuse(const AlignRow& row, Kind kind, std::string_view format, const std::string& why) {
  throw Error(kind, text_of(format, ": ", seq::names_of(row.pair), ": ", why));
}

std::string align_header(const AlignOutput& output, const std::vector<Pair>& pairs) {
  std::string text;
  std::vector<seq::SequenceView> targets;
  if (output.format == Format::kSam || output.format == Format::kVcf) targets = targets_of(pairs);
  for (const seq::SequenceView& target : targets) check_reference(field(target.name));
  switch (output.format) {
    case Format::kSam:
      text = "@HD\tVN:1.6\tSO:unknown\n";
      for (const seq::SequenceView& target : targets)
        text += text_of("@SQ\tSN:", field(target.name),
                        "\tLN:", std::to_string(target.symbols.size()), "\n");
      return text + "@PG\tID:rhomb\tPN:rhomb\tVN:" RHOMB_VERSION "\n";
    case Format::kVcf:
      text = "##fileformat=VCFv4.3\n##source=rhomb-" RHOMB_VERSION "\n";
      for (const seq::SequenceView& target : targets)
        text += text_of("##contig=<ID=", field(target.name),
                        ",length=", std::to_string(target.symbols.size()), ">\n");
      return text +
             "##INFO=<ID=TYPE,Number=1,Type=String,Description=\"SNV, MNV, INS, DEL, or COMPLEX: a "
             "gap and mismatches\">\n"
             "##INFO=<ID=LEN,Number=1,Type=Integer,Description=\"Symbols that are replaced, "
             "inserted or deleted\">\n"
             "##INFO=<ID=QUERY,Number=1,Type=String,Description=\"The sequence that differs from "
             "the reference\">\n"
             "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";
    case Format::kTsv: {
      const Pair pair;
      const AlignAnswer answer;
      const AlignOptions method;
      for (const auto& [key, value] : values(output, {pair, "", "", answer, method, {}}))
        text += text_of(text.empty() ? "#" : "\t", key);
      return text + (output.summary ? "\tinversions\n" : "\n");
    }
    default:
      return "";
  }
}

std::string align_row(const AlignOutput& output, const AlignRow& row) {
  if (output.format == Format::kTsv) return tsv_row(output, row);
  if (output.format == Format::kJson) return json_row(output, row);
  if (!row.answer.distance) return "";
  if (output.format == Format::kVcf) return vcf_records(row);
  return output.format == Format::kSam ? sam(output, row) : paf(output, row);
}

}  // namespace rhomb::cli
