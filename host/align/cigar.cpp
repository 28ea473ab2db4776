// SPDX-License-Identifier: Apache-2.0
#include "host/align/cigar.h"

#include <algorithm>

#include "host/error.h"

namespace rhomb {

void Cigar::reverse() { std::reverse(runs_.begin(), runs_.end()); }

std::string Cigar::text() const {
  std::string text;
  for (const Run& run : runs_) {
    text += std::to_string(run.length);
    text += static_cast<char>(run.edit);
  }
  return text;
}

std::int64_t Cigar::cost() const {
  std::int64_t cost = 0;
  for (const Run& run : runs_)
    if (run.edit != Edit::kMatch) cost += run.length;
  return cost;
}

Cigar::Counts Cigar::counts() const {
  Counts counts;
  for (const Run& run : runs_) {
    const auto add = [&](std::int64_t& symbols, std::int64_t& longest) {
      symbols += run.length;
      longest = std::max<std::int64_t>(longest, run.length);
    };
    switch (run.edit) {
      case Edit::kMatch:
        add(counts.matches, counts.longest_match);
        break;
      case Edit::kMismatch:
        add(counts.mismatches, counts.longest_mismatch);
        ++counts.mismatch_events;
        break;
      case Edit::kInsert:
        add(counts.inserted, counts.longest_insertion);
        ++counts.insertions;
        break;
      case Edit::kDelete:
        add(counts.deleted, counts.longest_deletion);
        ++counts.deletions;
        break;
    }
  }
  return counts;
}

double Cigar::Counts::identity() const {
  const std::int64_t all = matches + mismatches + inserted + deleted;
  return all == 0 ? 1 : static_cast<double>(matches) / static_cast<double>(all);
}

double Cigar::Counts::gap_compressed_identity() const {
  const std::int64_t all = matches + mismatches + insertions + deletions;
  return all == 0 ? 1 : static_cast<double>(matches) / static_cast<double>(all);
}

void Cigar::verify(std::string_view query, std::string_view target, const seq::Code& code,
                   std::int64_t cost) const {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw CheckError(std::string("an alignment ") + what + "; please report this");
  };
  std::size_t i = 0, j = 0;
  for (const Run& run : runs_) {
    const bool both = run.edit == Edit::kMatch || run.edit == Edit::kMismatch;
    if (both || run.edit == Edit::kInsert)
      require(run.length <= query.size() - i, "is longer than its query");
    if (both || run.edit == Edit::kDelete)
      require(run.length <= target.size() - j, "is longer than its target");
    if (both) {
      const bool matches = run.edit == Edit::kMatch;
      bool holds = true;
      for (std::size_t k = 0; k < run.length; ++k)
        holds &= code.match(query[i + k], target[j + k]) == matches;
      require(holds, matches ? "has a match that is none" : "has a mismatch that is none");
    }
    i += both || run.edit == Edit::kInsert ? run.length : 0;
    j += both || run.edit == Edit::kDelete ? run.length : 0;
  }
  require(i == query.size(), "does not have all of its query");
  require(j == target.size(), "does not have all of its target");
  require(this->cost() == cost, "does not cost what the distance is");
}

}  // namespace rhomb
