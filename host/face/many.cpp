// SPDX-License-Identifier: Apache-2.0
// search() and lcs() of rhomb.h.
#include <utility>

#include "host/face/state.h"
#include "host/lcs/run.h"
#include "host/search/run.h"
#include "host/seq/symbols.h"

namespace rhomb {

void check_nucleotides(const Records& records, const seq::Sequence& sequence) {
  const std::size_t strange = seq::first_outside(sequence.symbols, seq::SymbolSet::kDna);
  if (strange < sequence.symbols.size())
    throw InputError(records.name(), sequence.name, 0,
                     std::string("'") + sequence.symbols[strange] + "' at position " +
                         std::to_string(strange + 1) +
                         " is no nucleotide, so there is no other strand");
}

ShardCut cut_of(Shard shard, const Records& records, Callbacks& callbacks) {
  if (!records.lasting())
    throw UsageError(records.name() + " can be read only once, and a shard reads it twice");
  const Records::Stream stream = records.open();
  const auto next = callbacks.of(stream.next);
  double total = 0;
  for (seq::Sequence one; next(one);) total += ShardCut::weight(one.symbols.size());
  return {shard, total};
}

void Pairs::refuse(bool queries_left) {
  const Records& longer = queries_left ? queries_ : *targets_;
  std::size_t count = count_ + 1;
  while (take(longer, queries_left ? next_query_ : next_target_, query_)) ++count;
  throw InputError((queries_left ? *targets_ : queries_).name(), "", 0,
                   "has " + std::to_string(count_) + " records, and " + longer.name() + " has " +
                       std::to_string(count) + "; by order there is one for each");
}

Totals Devices::search(const Records& queries, const Records& targets, const SearchOptions& options,
                       const std::function<void(const Occurrence&)>& take) {
  return state_->run(options.stop, [&](Callbacks& callbacks) {
    auto run =
        state_->many<search::Options>(options, options.memory, search::variants(), callbacks);
    if (options.all_ends && !options.most)
      throw UsageError("all_ends needs `most`: the ends with so many differences or fewer");
    run.wanted = options.best || !options.most ? search::Wanted::kBest
                 : options.all_ends            ? search::Wanted::kEnds
                                               : search::Wanted::kRuns;
    run.most = options.most;
    run.both_strands = options.both_strands;
    run.cigar = options.cigar;

    const auto check = [&](const Records& records, const seq::Sequence& sequence) {
      if (options.both_strands) check_nucleotides(records, sequence);
    };
    const seq::Batch kept = options.pairs ? seq::Batch{} : targets_of(targets, callbacks);
    for (const seq::Sequence& target : kept) check(targets, target);
    Pairs entries(queries, options.pairs ? &targets : nullptr, callbacks, options.shard, check);
    const auto taken = callbacks.of(take);
    const search::Totals found =
        search::search(entries.source(), kept, run, [&](const search::Occurrence& one) {
          const search::Hit& hit = one.hit;
          taken({one.query, one.target, one.query_length, one.target_length, hit.begin, hit.end,
                 hit.reversed ? '-' : '+', hit.distance, hit.cigar.text()});
        });
    return totals_of(found, found.queries,
                     options.pairs ? found.queries : static_cast<double>(kept.size()));
  });
}

Totals Devices::lcs(const Records& queries, const Records& targets, const LcsOptions& options,
                    const std::function<void(const CommonSubsequence&)>& take) {
  return state_->run(options.stop, [&](Callbacks& callbacks) {
    auto run = state_->many<lcs::Options>(options, options.memory, lcs::variants(), callbacks);
    run.top = options.top;
    run.least = options.least;
    run.subsequence = options.subsequence;

    seq::Batch kept = all(queries, callbacks);
    if (run.top) keep(kept, range_of(options.shard, kept));
    Shard shard;  // of the targets
    if (!run.top) shard = options.shard;
    std::optional<ShardCut> cut;
    if (!shard.whole()) cut.emplace(cut_of(shard, targets, callbacks));
    const Records::Stream stream = targets.open();
    const auto next = callbacks.of(stream.next);
    const auto taken = callbacks.of(take);
    const lcs::Totals found = lcs::lcs(kept,
                                       {targets.name(),
                                        [&](seq::Sequence& into) {
                                          do {
                                            if ((cut && cut->past()) || kept.empty() || !next(into))
                                              return false;
                                          } while (cut && !cut->takes(into.symbols.size()));
                                          return true;
                                        },
                                        stream.part},
                                       run, [&](const lcs::Found& one) {
                                         const seq::Sequence& query = kept[one.query];
                                         taken({query.name, one.target, query.symbols.size(),
                                                static_cast<std::size_t>(one.target_length),
                                                one.length, one.rank, one.subsequence});
                                       });
    return totals_of(found, static_cast<double>(kept.size()), static_cast<double>(found.targets));
  });
}

}  // namespace rhomb
