// SPDX-License-Identifier: Apache-2.0
// primers() of rhomb.h.
#include <utility>
#include <vector>

#include "host/face/state.h"
#include "host/primer/run.h"

namespace rhomb {

Totals Devices::primers(const Records& queries, const Records& targets,
                        const PrimerOptions& options,
                        const std::function<void(const PrimerFound&)>& take) {
  return state_->run(options.stop, [&](Callbacks& callbacks) {
    auto run =
        state_->many<primer::Options>(options, options.memory, primer::variants(), callbacks);
    run.k = options.k;
    run.window = options.window;
    run.shortest = options.min_length;
    run.longest = options.max_length;
    run.both_strands = options.both_strands;
    run.exclude_self = options.exclude_self;
    run.shard = options.shard;
    primer::check_options(run, options.nearest);

    const seq::Batch kept = all(queries, callbacks);
    const auto check = [&](const Records& records, const seq::Sequence& sequence) {
      if (options.both_strands) check_nucleotides(records, sequence);
    };
    for (const seq::Sequence& query : kept) check(queries, query);
    Records::Stream stream;
    std::function<bool(seq::Sequence&)> next;
    const auto open = [&]() -> primer::Source {
      stream = targets.open();
      next = callbacks.of(stream.next);
      return {targets.name(),
              [&](seq::Sequence& into) {
                if (!next(into)) return false;
                check(targets, into);
                return true;
              },
              stream.part};
    };
    primer::Run work(kept, open, run);
    work.compute();

    const auto taken = callbacks.of(take);
    std::vector<primer::Chosen> chosen;
    const auto tell = [&](const primer::Chosen& one, std::optional<PrimerFound::Nearest> nearest) {
      const seq::Sequence& query = kept[one.record];
      const auto [begin, end] = one.window;
      taken({query.name, begin, end, std::string_view(query.symbols).substr(begin, end - begin),
             std::nullopt, std::move(nearest)});
    };
    for (std::size_t record = 0; record < kept.size(); ++record) {
      const auto ends = work.ends(record);
      for (std::uint32_t i = 0; i < ends.size(); ++i) {
        const std::uint32_t begin = work.first(record) + i;
        if (options.window)
          taken({kept[record].name, begin, begin + *options.window,
                 std::string_view(kept[record].symbols).substr(begin, *options.window), ends[i],
                 std::nullopt});
        else if (ends[i] != primer::kNone && options.nearest)
          chosen.push_back({record, {begin, ends[i]}});
        else if (ends[i] != primer::kNone)
          tell({record, {begin, ends[i]}}, std::nullopt);
      }
    }
    if (!chosen.empty()) {
      std::vector<primer::Nearest> sites = work.nearest(chosen);
      for (std::size_t i = 0; i < chosen.size(); ++i)
        tell(chosen[i], PrimerFound::Nearest{std::move(sites[i].target), sites[i].begin,
                                             sites[i].end, sites[i].reversed ? '-' : '+',
                                             sites[i].distance, sites[i].cigar.text()});
    }
    return totals_of(work.totals(), static_cast<double>(kept.size()),
                     static_cast<double>(work.totals().targets));
  });
}

}  // namespace rhomb
