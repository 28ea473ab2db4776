// SPDX-License-Identifier: Apache-2.0
// Rows of `rhomb align`: an alignment in each of the formats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/rhomb.h"
#include "tools/cli/input.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// What is printed of an alignment.
struct AlignOutput {
  Format format = Format::kPaf;
  bool mismatches = true;  ///< = and X in CIGARs, otherwise M
  enum class Cs { kNone, kShort, kLong } cs = Cs::kNone;
  bool summary = false;  ///< counts instead of the CIGAR
};

/// An alignment that is printed. `query` and `target` are the symbols as they were aligned: the
/// query's reverse complement on strand -.
struct AlignRow {
  const Pair& pair;
  std::string_view query, target;
  const AlignAnswer& answer;
  const AlignOptions& method;
  const std::vector<Inversion>& inversions;
};

/// Calls take(run, its query symbols, its target symbols) for each run of an alignment; where a run
/// has none of either they are empty.
template <class Take>
void each_run(const Cigar& cigar, std::string_view query, std::string_view target,
              const Take& take) {
  for (const Cigar::Run& run : cigar) {
    const std::string_view in_query = query.substr(0, run.edit == Edit::kDelete ? 0 : run.length);
    const std::string_view in_target = target.substr(0, run.edit == Edit::kInsert ? 0 : run.length);
    take(run, in_query, in_target);
    query.remove_prefix(in_query.size());
    target.remove_prefix(in_target.size());
  }
}

/// Throws Error: `format` cannot hold this alignment.
[[noreturn]] void refuse(const AlignRow& row, Kind kind, std::string_view format,
                         const std::string& why);

/// What stands before the first row. Throws InputError where SAM or VCF cannot hold the targets.
std::string align_header(const AlignOutput& output, const std::vector<Pair>& pairs);

/// One record, or as many as VCF needs; nothing where there is no alignment and the format has no
/// way to say so. Throws Error where the format cannot hold it in a way that others can read.
std::string align_row(const AlignOutput& output, const AlignRow& row);

/// The differences as VCF records: tools/align/vcf.cpp.
std::string vcf_records(const AlignRow& row);

}  // namespace rhomb::cli
