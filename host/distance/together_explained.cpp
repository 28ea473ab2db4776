// SPDX-License-Identifier: Apache-2.0
// What Together would do, and how much memory it would take.
#include <algorithm>
#include <utility>

#include "host/batch/pairs.h"
#include "host/distance/methods.h"
#include "host/distance/together.h"

namespace rhomb {

/// At most, all of it goes to the strips after what is tried first.
void Together::foresee() {
  begin();
  Lane lane;
  cut(lane);
  std::vector<std::size_t> all(lane.pairs.size() + lane.rest.size());
  std::ranges::merge(lane.pairs, lane.rest, all.begin());
  batch::Memory block;
  const bool banded = bands_ && (all.size() >= kForBands || (!strips_ && !wavefronts_));
  if (banded) {
    std::int64_t wide = 0;
    for (const std::size_t pair : all) wide = std::max(wide, band(pair, kWidestBand));
    block = bands_memory(plan_bands(code_, all.size(), limits_, {}), all.size(), wide, limits_);
  } else {
    block.device = block.host = lane.pairs.size() * wfa::pair_task_bytes();
  }
  if (banded || !lane.pairs.empty()) {
    const BlockTexts texts = texts_of(list_, banded ? all : lane.pairs, false, options_.threads);
    const std::uint64_t packed = wfa::packed_bytes(texts.queries, code_.planes) +
                                 wfa::packed_bytes(texts.targets, code_.planes);
    block.add({packed, packed}, 1, 1);
  }
  batch::Memory most = block;
  const auto add_strips = [&](std::vector<std::size_t> pairs, batch::Memory& to) {
    std::erase_if(pairs, [&](std::size_t pair) { return !gains_by_strips(list_.pairs[pair]); });
    if (pairs.empty()) return;
    const StripsOf strips = strips_of(pairs);
    const search::Plan plan =
        search::plan(find_variant(search::variants(), kStripsBatch), strips.problem, limits_);
    to.add(search::batch_memory(plan, strips.problem, limits_, false), 1, 1);
  };
  add_strips(all, most);
  if (!banded) add_strips(lane.rest, block);

  const auto pairs = static_cast<double>(list_.pairs.size());
  double bytes = 0;
  for (const auto* texts : {&list_.queries, &list_.targets})
    for (const std::string_view text : *texts)
      bytes += static_cast<double>(batch::bytes_of({"", text}));
  double times = static_cast<double>(cut_) < pairs ? 9.0 / 8 * 2 : 1;
  double held = bytes;
  if (list_.pairs.is_one_to_one()) {  // no more come at a time than a reader has
    const double come = std::min(pairs, batch::PairFlow::kAtATime / bytes * pairs);
    times = std::min(times, come / static_cast<double>(cut_));
    held = batch::PairFlow::most_held(bytes) + 2 * sizeof(std::string_view) * come;
  }
  memory_ = most_memory_ = {
      0, static_cast<std::uint64_t>(held) + distances_.size() * sizeof(std::uint32_t)};
  memory_.add(block, times, static_cast<double>(devices_.size()));
  most_memory_.add(most, times, static_cast<double>(devices_.size()));
}

Facts Together::explain(std::size_t pair) {
  // Wavefronts say all that is asked for.
  const auto limited = [&](PairNumbers at) {
    return worth(at) > 0 && options_.max_distance && *options_.max_distance <= worth(at);
  };
  if (division_.empty()) {
    const auto count_of = [&](const auto& counts) {
      return std::to_string(list_.pairs.sum(
          options_.threads, [&](PairNumbers at) { return std::uint64_t{fits(at) && counts(at)}; }));
    };
    const auto tried = [&](PairNumbers at) { return !again(at) && worth(at) > 0; };
    division_ = std::to_string(count_) + " of " + std::to_string(list_.pairs.size()) +
                " pairs are computed together";
    const auto by_strips = [&](PairNumbers at) {
      return !again(at) && !limited(at) && gains_by_strips(at);
    };
    if (strips_ || wavefronts_)
      division_ += "; " + count_of(tried) + " by " + std::string(wfa::kWavefrontBatch) + ", " +
                   count_of(by_strips) + " by " + std::string(kStripsBatch) +
                   " at once or next, others alone";
    if (bands_ && strips_ && count_ >= kForBands)
      division_ +=
          "; first by " + std::string(kBandBatch) + " where a few say that this is quicker";
    if (list_.square)
      division_ += "; " + count_of([&](PairNumbers at) { return again(at); }) +
                   " are others with query and target exchanged";
  }
  if (distances_.empty()) foresee();
  const PairNumbers numbers = list_.pairs[pair];
  const std::int64_t upto = worth(numbers);
  const std::string engine(upto > 0 ? kWavefront : kStrips);
  const bool banded = !strips_ && !wavefronts_;
  const std::string variant(upto > 0 ? wfa::kWavefrontBatch : banded ? kBandBatch : kStripsBatch);
  Facts facts;
  facts.add("lengths", std::to_string(list_.queries[numbers.query].size()) + " x " +
                           std::to_string(list_.targets[numbers.target].size()));
  facts.add("choice",
            division_ + (again(numbers) ? "; this one with query and target exchanged" : ""));
  facts.add("engine", engine);
  facts.add("variant", variant);
  facts.add("summary", std::string(method_named(engine, variant).summary));
  facts.add("device_bytes", static_cast<std::int64_t>(memory_.device));
  facts.add("device_bytes_at_most", static_cast<std::int64_t>(most_memory_.device));
  facts.add("host_bytes", static_cast<std::int64_t>(memory_.host));
  facts.add("host_bytes_at_most", static_cast<std::int64_t>(most_memory_.host));
  if (upto > 0) {
    facts.add("up_to_distance", limited(numbers) ? *options_.max_distance : upto);
    facts.add("otherwise", limited(numbers)           ? "not asked for"
                           : gains_by_strips(numbers) ? std::string(kStripsBatch)
                                                      : "alone");
  }
  return facts;
}

}  // namespace rhomb
