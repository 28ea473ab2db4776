// SPDX-License-Identifier: Apache-2.0
#include "host/gaps/alignment.h"

#include "host/error.h"

namespace rhomb::gaps {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw CheckError(std::string("an alignment ") + what + "; please report this");
}

}  // namespace

Replayed replay(const Alignment& alignment, std::string_view query, std::string_view target,
                const Scoring& scoring, const Rules& rules, bool cigar) {
  Replayed made;
  std::size_t i = alignment.start, j = 0;  // symbols of the target and of the query
  require(i <= target.size(), "begins behind its target");
  const auto in_band = [&] { return !rules.band || (i > j ? i - j : j - i) <= *rules.band; };
  require(in_band(), "begins outside the band");
  Op before = Op::kPair;
  for (const OpRun& run : alignment.runs) {
    require(run.length > 0, "has an empty run");
    const bool gap = run.op != Op::kPair;
    if (gap) {
      require(!rules.strict || before == Op::kPair, "has gaps next to each other");
      require(run.op != before, "has a gap in two pieces");
      ++made.gaps;
      made.gap_symbols += run.length;
      made.score += scoring.gap(run.length);
    }
    require(run.op == Op::kDelete || run.length <= query.size() - j, "is longer than its query");
    require(run.op == Op::kInsert || run.length <= target.size() - i, "is longer than its target");
    for (std::uint32_t step = 0; step < run.length; ++step) {
      if (!gap) {
        const bool same = query[j] == target[i];
        made.score += scoring.pair(query[j], target[i]);
        ++(same ? made.matches : made.mismatches);
        if (cigar) made.cigar.add(same ? Edit::kMatch : Edit::kMismatch, 1);
      }
      i += run.op != Op::kInsert;
      j += run.op != Op::kDelete;
      require(in_band(), "leaves the band");
    }
    if (cigar && gap)
      made.cigar.add(run.op == Op::kInsert ? Edit::kInsert : Edit::kDelete, run.length);
    before = run.op;
  }
  require(j == query.size(), "has not all of its query");
  require(rules.ends == Ends::kInfix || alignment.start == 0, "does not begin with its target");
  require(rules.ends != Ends::kGlobal || i == target.size(), "does not end with its target");
  require(!rules.strict || before == Op::kPair, "ends with a gap");
  require(made.gaps <= static_cast<std::uint32_t>(rules.gaps), "has too many gaps");
  made.end = static_cast<std::uint32_t>(i);
  return made;
}

Replayed prove(const Alignment& alignment, const Best& best, std::string_view query,
               std::string_view target, const Scoring& scoring, const Rules& rules, bool cigar) {
  Replayed made = replay(alignment, query, target, scoring, rules, cigar);
  require(made.score == best.score, "has not the score that was found");
  require(made.end == best.end, "does not end where its score was found");
  require(made.gaps == best.gaps, "has not as many gaps as were found");
  return made;
}

}  // namespace rhomb::gaps
