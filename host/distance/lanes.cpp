// SPDX-License-Identifier: Apache-2.0
// What a lane of Together does with its pairs: wavefronts or bands try some, strips do the rest.
#include <algorithm>
#include <utility>

#include "host/distance/methods.h"
#include "host/distance/together.h"
#include "host/search/occurrence.h"

namespace rhomb {
namespace {

/// Longer texts have engines that take less than all diagonals of their columns.
constexpr std::size_t kLongestForBands = 1 << 16;

}  // namespace

template <class Each>
void Together::for_pairs(std::size_t count, const Each& each) const {
  batch::in_parts(count, batch::parts_of_pairs(count, options_.threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) each(i);
                  });
}

void Together::pack(Lane& lane) {
  auto& [queries, targets] = packed_[lane.device];
  const std::size_t texts = list_.queries.size() + list_.targets.size();
  if (queries || list_.pairs.size() < 2 * texts) return;
  double symbols = 0;
  for (const auto* all : {&list_.queries, &list_.targets})
    for (const std::string_view text : *all) symbols += static_cast<double>(text.size()) + 32;
  if (symbols > 4e9 || symbols * code_.planes > 2.0 * static_cast<double>(limits_.global_bytes))
    return;
  ocl::Device& device = device_of(lane);
  const double begin = now();
  queries.emplace(device, list_.queries, code_.a, code_.planes, options_.threads);
  if (!list_.square || !code_.same_tables())
    targets.emplace(device, list_.targets, code_.b, code_.planes, options_.threads);
  lane.timing.transfer += now() - begin;
}

/// What wavefronts and bands are told of texts, which must stay as long as the problem.
BlockTexts Together::load_texts(Lane& lane, const std::vector<std::size_t>& pairs,
                                wfa::PairsProblem& problem) {
  pack(lane);
  const auto& [packed_queries, packed_targets] = packed_[lane.device];
  BlockTexts texts = texts_of(list_, pairs, packed_queries.has_value(), options_.threads);
  problem.a = texts.queries;
  problem.b = texts.targets;
  if (packed_queries) {
    problem.packed_a = &*packed_queries;
    problem.packed_b = packed_targets ? &*packed_targets : &*packed_queries;
  }
  problem.code = &code_;
  problem.threads = options_.threads;
  return texts;
}

bool Together::gains_by_bands(Lane& lane) {
  const bool asked = !strips_ && !wavefronts_;
  if (!bands_ || share_ == 0.0) return false;
  if (!asked && lane.pairs.size() + lane.rest.size() < kForBands) return false;
  std::vector<std::size_t> all(lane.pairs.size() + lane.rest.size()), longer;
  std::ranges::merge(lane.pairs, lane.rest, all.begin());
  // All pairs of a work-item take as long as the longest, so a few long ones are left out.
  std::size_t most = std::string_view::npos;
  if (!asked) {
    for (const std::size_t pair : all) longer.push_back(longer_text(pair));
    const auto ninth = longer.begin() + static_cast<std::ptrdiff_t>(longer.size() / 10 * 9);
    std::ranges::nth_element(longer, ninth);
    most = std::min(kLongestForBands, 2 * *ninth + 64);
  }
  const auto divide_by = [&](const auto& first) {
    const auto others = std::ranges::stable_partition(all, first);
    lane.rest.assign(others.begin(), others.end());
    lane.pairs.assign(all.begin(), others.begin());
  };
  divide_by([&](std::size_t pair) { return longer_text(pair) <= most; });
  if (asked || lane.pairs.size() >= kForBands) {
    if (!share_ && asked) share_ = 1.0 / 16;
    if (!share_) {
      try {
        share_ = share_for_bands(lane);
      } catch (const SelfTestError&) {  // that of the wavefronts, which are not forgone unseen
        share_ = 0;
      }
    }
    lane.share = *share_;
    if (lane.share > 0) return true;
  }
  divide_by([&](std::size_t pair) { return worth(list_.pairs[pair]) > 0; });
  return false;
}

std::size_t Together::longer_text(std::size_t pair) const {
  const auto [query, target] = list_.pairs[pair];
  return std::max(list_.queries[query].size(), list_.targets[target].size());
}

std::int64_t Together::band(std::size_t pair, double share) const {
  return 2 + static_cast<std::int64_t>(share * static_cast<double>(longer_text(pair)));
}

/// The distances of some pairs, kBeyond where they are more than this part of the longer text, or
/// than wavefronts have room for. The host computes short ones, which needs no program.
std::vector<std::uint32_t> Together::sampled(Lane& lane, const std::vector<std::size_t>& some,
                                             double share) {
  constexpr double kOnHost = 1e8;  // cells
  double all = 0;
  for (const std::size_t pair : some) all += cells(list_.pairs[pair]);
  std::vector<std::uint32_t> distances(some.size());
  if (all <= kOnHost) {
    batch::in_parts(
        some.size(), std::min(batch::threads_of(options_.threads), some.size()),
        [&](std::size_t, std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) {
            const auto [query, target] = list_.pairs[some[i]];
            distances[i] =
                search::Finder(list_.queries[query], code_).distance(list_.targets[target]);
          }
        });
    return distances;
  }
  wfa::PairsProblem problem;
  const BlockTexts texts = load_texts(lane, some, problem);
  std::int64_t most = 0;
  for (const std::size_t pair : some) most = std::max(most, band(pair, share));
  most = std::min(most, wfa::most_in_local_memory(limits_));
  const wfa::Plan plan = wfa::plan_pairs(code_, most, limits_, {});
  most = std::min(most, wfa::most_of(plan));
  std::vector<wfa::PairTask> tasks;
  for (std::size_t i = 0; i < some.size(); ++i)
    tasks.push_back({texts.numbers[i].query, texts.numbers[i].target,
                     static_cast<std::uint32_t>(std::min(most, band(some[i], share))), 0});
  problem.tasks = tasks;
  problem.trace = trace_of(lane);
  if (!lane.wavefronts) lane.wavefronts.emplace(device_of(lane), lane.queue);
  lane.wavefronts->start(plan, problem);
  wfa::PairsAnswer answer = lane.wavefronts->finish();
  lane.add(answer);
  return std::move(answer.distances);
}

/// The distances of a few of the pairs tell: if all get the band that so many of these need, and
/// strips do the others, how long does it take?
double Together::share_for_bands(Lane& lane) {
  constexpr std::size_t kSample = 32;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < kSample; ++i)
    some.push_back(lane.pairs[i * lane.pairs.size() / kSample]);
  const std::vector<std::uint32_t> distances = sampled(lane, some, kWidestBand);
  std::vector<double> shares;
  for (std::size_t i = 0; i < some.size(); ++i)
    if (distances[i] < wfa::kGivenUp)
      shares.push_back(1.1 * distances[i] /
                       static_cast<double>(std::max<std::int64_t>(1, band(some[i], 1) - 2)));
  std::ranges::sort(shares);
  const auto seconds = [&](double share, std::size_t missed) {
    double all = 0;
    for (const std::size_t pair : some) {
      const auto [query, target] = list_.pairs[pair];
      const auto width = static_cast<double>(band(pair, share));
      if (share > 0)
        all += bands_seconds(list_.queries[query].size(), list_.targets[target].size(), width,
                             limits_);
      const double otherwise =
          std::min(cells(list_.pairs[pair]) / cells_a_second_, alone(list_.pairs[pair]));
      all += otherwise * static_cast<double>(missed) / kSample;
    }
    return all;
  };
  double best = 0, least = seconds(0, kSample);
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (const double time = seconds(shares[i] + 1e-9, kSample - i - 1); time < least) {
      best = shares[i] + 1e-9;
      least = time;
    }
  return best;
}

void Together::try_bands(Lane& lane) {
  // One program, although pairs may be fewer now.
  const tune::Config config = strips_ ? lane.bands_config : options_.config;
  const BandsPlan plan = plan_bands(code_, lane.pairs.size(), limits_of(lane), config);
  wfa::PairsProblem problem;
  const BlockTexts texts = load_texts(lane, lane.pairs, problem);
  std::vector<wfa::PairTask> tasks(lane.pairs.size());
  for_pairs(tasks.size(), [&](std::size_t i) {
    const auto [query, target] = texts.numbers[i];
    tasks[i] = {query, target, static_cast<std::uint32_t>(band(lane.pairs[i], lane.share)), 0};
  });
  problem.tasks = tasks;
  problem.trace = trace_of(lane);
  if (!lane.bands) lane.bands.emplace(device_of(lane), lane.queue);
  lane.bands->start(plan, problem);
  lane.trying = true;
}

void Together::take_bands(Lane& lane) {
  const BandsAnswer answer = lane.bands->finish();
  lane.trying = false;
  lane.add(answer);
  lane.bands_config = answer.config;
  std::vector<std::size_t> further;
  for (std::size_t i = 0; i < lane.pairs.size(); ++i) {
    const std::size_t pair = lane.pairs[i];
    if (answer.distances[i] != wfa::kBeyond)
      distances_[place(pair)] = answer.distances[i] | kByBands;
    else if (options_.max_distance && *options_.max_distance <= band(pair, lane.share))
      distances_[place(pair)] = kLarger | kByBands;
    else
      further.push_back(pair);
  }
  lane.pairs.clear();
  // Once more, twice as wide; as often as it takes where nothing else is asked for.
  const bool more = !strips_ || (lane.rounds++ == 0 && lane.share < 0.2);
  std::vector<std::size_t>& where = more ? lane.pairs : lane.rest;
  where.insert(where.end(), further.begin(), further.end());
  std::ranges::sort(where);
  lane.share *= 2;
}

void Together::try_wavefronts(Lane& lane) {
  const tune::Config config = strips_ ? tune::Config{} : options_.config;
  const wfa::Plan plan = wfa::plan_pairs(code_, lane.tried, limits_of(lane), config);
  lane.tried = std::min(lane.tried, wfa::most_of(plan));
  wfa::PairsProblem problem;
  const BlockTexts texts = load_texts(lane, lane.pairs, problem);
  std::vector<wfa::PairTask> tasks(lane.pairs.size());
  for_pairs(tasks.size(), [&](std::size_t i) {
    const std::int64_t worth_it = worth(list_.pairs[lane.pairs[i]]);
    std::int64_t upto = std::min(worth_it, lane.tried);
    bool patient = !strips_;
    if (options_.max_distance && *options_.max_distance <= upto) {
      upto = *options_.max_distance;
      patient = true;
    }
    const auto [query, target] = texts.numbers[i];
    tasks[i] = {query, target, static_cast<std::uint32_t>(upto),
                patient ? 0 : static_cast<std::uint32_t>(worth_it)};
  });
  problem.tasks = tasks;
  problem.trace = trace_of(lane);
  if (!lane.wavefronts) lane.wavefronts.emplace(device_of(lane), lane.queue);
  lane.wavefronts->start(plan, problem);
  lane.trying = true;
}

void Together::take_wavefronts(Lane& lane) {
  const wfa::PairsAnswer answer = lane.wavefronts->finish();
  lane.trying = false;
  lane.add(answer);
  lane.tried_config = answer.config;
  enum : std::uint8_t { kFound, kFurther, kRest };
  std::vector<std::uint8_t> left(lane.pairs.size());
  for_pairs(left.size(), [&](std::size_t i) {
    const std::size_t pair = lane.pairs[i];
    const std::uint32_t found = answer.distances[i];
    const std::int64_t worth_it = worth(list_.pairs[pair]);
    const std::int64_t upto = std::min(worth_it, lane.tried);
    if (found < wfa::kGivenUp)
      distances_[place(pair)] = found | kByWavefronts;
    else if (options_.max_distance && *options_.max_distance <= upto)
      distances_[place(pair)] = kLarger | kByWavefronts;
    else
      left[i] = found == wfa::kBeyond && worth_it > upto ? kFurther : kRest;
  });
  std::vector<std::size_t> further;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i] != kFound) (left[i] == kFurther ? further : lane.rest).push_back(lane.pairs[i]);
  const std::int64_t next = wfa::most_in_local_memory(limits_);
  const bool more = lane.tried < next && lane.rounds++ == 0;
  if (!more) lane.rest.insert(lane.rest.end(), further.begin(), further.end());
  lane.pairs = more ? std::move(further) : std::vector<std::size_t>{};
  lane.tried = next;
}

Together::StripsOf Together::strips_of(const std::vector<std::size_t>& pairs) const {
  StripsOf strips{texts_of(list_, pairs, false, options_.threads), {}, {}};
  strips.tasks.resize(pairs.size());
  for_pairs(pairs.size(), [&](std::size_t i) {
    const auto [query, target] = strips.texts.numbers[i];
    const std::size_t length = strips.texts.targets[target].size();
    strips.tasks[i] = {query, target, 0, static_cast<std::uint32_t>(length), 0};
  });
  search::Problem& problem = strips.problem;
  problem.queries = strips.texts.queries;
  problem.texts = strips.texts.targets;
  problem.tasks = strips.tasks;
  problem.code = &code_;
  problem.whole = true;
  problem.threads = options_.threads;
  return strips;
}

void Together::start_strips(Lane& lane) {
  // What wavefronts could not answer, and strips would take too long for, is computed alone.
  const auto others = std::ranges::stable_partition(
      lane.rest, [&](std::size_t pair) { return gains_by_strips(list_.pairs[pair]); });
  leave_alone(others);
  lane.rest.erase(others.begin(), others.end());
  if (lane.rest.empty()) return;
  StripsOf strips = strips_of(lane.rest);
  strips.problem.trace = trace_of(lane);
  if (!lane.strips) lane.strips.emplace(&device_of(lane), lane.queue);
  lane.strips->start(find_variant(search::variants(), kStripsBatch), strips.problem,
                     wavefronts_ ? tune::Config{} : options_.config);
}

void Together::take_strips(Lane& lane) {
  const search::Answer answer = lane.strips->finish();
  lane.add(answer);
  lane.strips_config = answer.config;
  for_pairs(lane.rest.size(),
            [&](std::size_t i) { distances_[place(lane.rest[i])] = answer.best[i].distance; });
}

}  // namespace rhomb
