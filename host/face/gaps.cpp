// SPDX-License-Identifier: Apache-2.0
// gaps() of rhomb.h.
#include <utility>

#include "host/face/state.h"
#include "host/gaps/run.h"

namespace rhomb {
namespace {

gaps::Scoring scoring_of(const GapsOptions& options) {
  const auto word = [](const std::string& given) {
    return given.empty() ? std::nullopt : std::optional(given);
  };
  return gaps::scoring_of({word(options.matrix), word(options.match), word(options.mismatch),
                           word(options.open), word(options.extend)});
}

gaps::Ends ends_of(GapsOptions::Ends ends) {
  switch (ends) {
    case GapsOptions::Ends::kGlobal:
      return gaps::Ends::kGlobal;
    case GapsOptions::Ends::kInfix:
      return gaps::Ends::kInfix;
    default:
      return gaps::Ends::kPrefix;
  }
}

}  // namespace

Totals Devices::gaps(const Records& queries, const Records& targets, const GapsOptions& options,
                     const std::function<void(const GapsFound&)>& take) {
  return state_->run(options.stop, [&](Callbacks& callbacks) {
    auto run = state_->many<gaps::Options>(options, options.memory, gaps::variants(), callbacks);
    if (options.max_gaps < 0 || options.max_gaps > gaps::kMostGaps)
      throw UsageError("max_gaps is from 0 to " + std::to_string(gaps::kMostGaps));
    const gaps::Scoring scoring = scoring_of(options);
    run.scoring = &scoring;
    run.rules = {options.max_gaps, ends_of(options.ends), options.strict, options.band};
    run.align = options.alignment;
    run.top = options.top;

    const seq::Batch kept = options.pairs ? seq::Batch{} : targets_of(targets, callbacks);
    Pairs entries(queries, options.pairs ? &targets : nullptr, callbacks, options.shard);
    const auto taken = callbacks.of(take);
    const gaps::Totals all = gaps::gaps(entries.source(), kept, run, [&](const gaps::Aligned& one) {
      const gaps::Best& best = one.found.best;
      GapsFound found;
      found.query = one.query;
      found.target = one.target;
      found.query_length = one.query_length;
      found.target_length = one.target_length;
      if (best.found()) {
        found.score = scoring.value(best.score);
        found.end = best.end;
        found.gaps = best.gaps;
      }
      if (const gaps::Replayed* replayed = one.replayed)
        found.alignment = {one.found.alignment.start, replayed->gap_symbols, replayed->matches,
                           replayed->mismatches, replayed->cigar.text()};
      taken(found);
    });
    return totals_of(all, all.queries,
                     options.pairs ? all.queries : static_cast<double>(kept.size()));
  });
}

}  // namespace rhomb
