// SPDX-License-Identifier: Apache-2.0
#include "host/distance/together.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "host/batch/pairs.h"
#include "host/batch/threads.h"
#include "host/distance/methods.h"
#include "host/engine/speed.h"
#include "host/search/occurrence.h"

namespace rhomb {
namespace {

/// To compute pairs together needs a program of its own; for so many seconds it is worth it.
constexpr double kWorth = 0.1;

/// Of what strips take for a pair, wavefronts may take this part before it is left to the strips.
constexpr double kTry = 0.5;

/// Values of Together's distances that are none, and the bits of those that wavefronts and bands
/// found.
constexpr std::uint32_t kByWavefronts = 0x80000000, kByBands = 0x40000000, kLarger = 0x3fffffff,
                        kAlone = 0x3ffffffe;

/// Longer texts seldom are as close as wavefronts of a group can tell, and to pack them takes as
/// long as to find out how far apart they are; unless they are asked for.
constexpr std::size_t kLongest = std::size_t{1} << 20;

/// As many pairs are worth bands, which have a program of their own.
constexpr std::size_t kForBands = 1024;
/// Longer texts have engines that take less than all diagonals of their columns.
constexpr std::size_t kLongestForBands = 1 << 16;
/// And of the longer text, bands are no wider than this part.
constexpr double kWidestBand = 0.4;

}  // namespace

/// The texts of some pairs, each once, and their numbers there.
struct BlockTexts {
  std::vector<std::string_view> queries, targets;
  std::vector<PairNumbers> numbers;  // of each pair
};

namespace {

/// `known`: the texts and their numbers are those of the list.
BlockTexts texts_of(const PairList& list, const std::vector<std::size_t>& pairs, bool known,
                    std::size_t threads) {
  BlockTexts block;
  block.numbers.resize(pairs.size());
  const bool once = !known && list.pairs.is_one_to_one();
  if (once) {
    block.queries.resize(pairs.size());
    block.targets.resize(pairs.size());
  }
  if (known || once) {
    batch::in_parts(pairs.size(), batch::parts_of_pairs(pairs.size(), threads),
                    [&](std::size_t, std::size_t first, std::size_t last) {
                      for (std::size_t i = first; i < last; ++i) {
                        const PairNumbers at = list.pairs[pairs[i]];
                        const auto number = static_cast<std::uint32_t>(i);
                        block.numbers[i] = known ? at : PairNumbers{number, number};
                        if (known) continue;
                        block.queries[i] = list.queries[at.query];
                        block.targets[i] = list.targets[at.target];
                      }
                    });
    return block;
  }
  const auto number_in = [](std::vector<std::uint32_t>& numbers,
                            std::vector<std::string_view>& texts,
                            const std::vector<std::string_view>& all, std::uint32_t text) {
    if (numbers[text] == 0) {  // or the number, and one more
      texts.push_back(all[text]);
      numbers[text] = static_cast<std::uint32_t>(texts.size());
    }
    return numbers[text] - 1;
  };
  std::vector<std::uint32_t> queries(list.queries.size()), targets(list.targets.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [query, target] = list.pairs[pairs[i]];
    block.numbers[i] = {number_in(queries, block.queries, list.queries, query),
                        number_in(targets, block.targets, list.targets, target)};
  }
  return block;
}

/// The sum of what add(pair) gives for all pairs, by several threads.
template <class Add>
double summed(const PairOrder& pairs, std::size_t threads, const Add& add) {
  std::vector<double> sums(batch::parts_of_pairs(pairs.size(), threads));
  batch::in_parts(pairs.size(), sums.size(),
                  [&](std::size_t part, std::size_t first, std::size_t last) {
                    double sum = 0;
                    auto at = pairs.at(first);
                    for (std::size_t i = first; i < last; ++i, ++at) sum += add(*at);
                    sums[part] = sum;
                  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// Seconds that a pair takes alone, at least: launches and looks at their results by an engine, as
/// measured on an H200 and under PoCL, or the host's plain algorithm.
double seconds_alone(std::size_t m, std::size_t n, const DistanceOptions& options) {
  if (answered_at_once(m, n, options))
    return 1e-9 * static_cast<double>(m) * static_cast<double>(n);
  return 4e-4 + 2e-8 * static_cast<double>(m + n);
}

std::vector<std::string_view> views_of(const seq::Batch& sequences) {
  std::vector<std::string_view> views;
  views.reserve(sequences.size());
  for (const seq::Sequence& sequence : sequences) views.push_back(sequence.symbols);
  return views;
}

Timing part_of(const Timing& all, double part) {
  return {0, all.build * part, all.transfer * part, all.compute * part, all.total * part};
}

/// How many pairs a device has on its way at the same time while none waits for another.
double abreast(const ocl::Limits& limits) {
  return static_cast<double>(limits.compute_units) * (limits.gpu ? 128 : limits.vector_ints);
}

}  // namespace

PairList PairList::by_order(const seq::Batch& queries, const seq::Batch& targets) {
  return {views_of(queries), views_of(targets), PairOrder::one_to_one(queries.size()), false};
}

PairList PairList::all(const seq::Batch& queries, const seq::Batch& targets) {
  return {views_of(queries), views_of(targets),
          PairOrder::each_with_each(queries.size(), targets.size()), &queries == &targets};
}

bool answered_at_once(const PairList& list, const DistanceOptions& options) {
  constexpr double kMostCells = 1e8;
  double cells = 0;
  for (const auto [query, target] : list.pairs) {
    const std::size_t m = list.queries[query].size(), n = list.targets[target].size();
    cells += static_cast<double>(m) * static_cast<double>(n);
    if (!answered_at_once(m, n, options)) return false;
  }
  return cells <= kMostCells || ocl::list_devices().empty();
}

Together::Together(std::vector<batch::DeviceChoice> devices, PairList list,
                   const DistanceOptions& options, const BlockLimits& most)
    : list_(std::move(list)), options_(options), most_(most), devices_(std::move(devices)) {
  if (const auto asked = method_of(options)) {
    wavefronts_ = asked->variant == wfa::kWavefrontBatch;
    strips_ = asked->variant == kStripsBatch;
    bands_ = asked->variant == kBandBatch;
  }
  if (!devices_.empty() && devices_.front().info != nullptr && (strips_ || wavefronts_ || bands_))
    divide(devices_.front().info->limits);
}

Together::Together(const ocl::DeviceInfo* device, PairList list, const DistanceOptions& options)
    : Together(device == nullptr ? std::vector<batch::DeviceChoice>{}
                                 : std::vector<batch::DeviceChoice>{{device, {}}},
               std::move(list), options) {}

void Together::divide(const ocl::Limits& limits) {
  limits_ = limits;
  cells_a_second_ = engine::guessed_cells_a_second(limits);
  const bool forced = !strips_ || !wavefronts_;
  if (!forced && limits.gpu) bands_ = false;
  const auto sum_of = [&](const auto& add) { return summed(list_.pairs, options_.threads, add); };
  const double taken = sum_of([&](PairNumbers pair) { return fits(pair) ? 1 : 0; });
  const double computed =
      sum_of([&](PairNumbers pair) { return fits(pair) && !again(pair) ? 1 : 0; });
  const double all =
      sum_of([&](PairNumbers pair) { return fits(pair) && !again(pair) ? alone(pair) : 0; });
  if (computed == 0 || (!forced && all < kWorth)) return;
  count_ = static_cast<std::size_t>(taken);
  // All wait for the longest one, so strips take none that lasts longer than all others alone.
  longest_ = std::numeric_limits<double>::infinity();
  for (double gains = all; !forced && gains < longest_;) {
    longest_ = gains;
    gains = sum_of([&](PairNumbers pair) {
      return !again(pair) && fits(pair) && gains_by_strips(pair) ? alone(pair) : 0;
    });
  }
  const double strips = std::min(cells_a_second_, cells_a_second_ / abreast(limits) * computed);
  worth_ = 2 * kTry * wfa::pairs_cells_a_second(limits) / strips;
}

double Together::cells(PairNumbers pair) const {
  return static_cast<double>(list_.queries[pair.query].size()) *
         static_cast<double>(list_.targets[pair.target].size());
}

bool Together::fits(PairNumbers pair) const {
  const std::size_t longest =
      std::max(list_.queries[pair.query].size(), list_.targets[pair.target].size());
  return cells(pair) > 0 && (longest <= kLongest || !strips_ || !wavefronts_);
}

double Together::alone(PairNumbers pair) const {
  return seconds_alone(list_.queries[pair.query].size(), list_.targets[pair.target].size(),
                       options_);
}

std::size_t Together::place(std::size_t pair) const {
  if (!list_.square) return pair;
  const auto [query, target] = list_.pairs[pair];
  const std::size_t i = std::min(query, target), j = std::max(query, target);
  return i * (2 * list_.queries.size() - i - 1) / 2 + j;
}

std::int64_t Together::worth(PairNumbers pair) const {
  if (!wavefronts_) return 0;
  const std::int64_t most = wfa::most_in_local_memory(limits_);
  if (!strips_) return most;
  return std::min(most, static_cast<std::int64_t>(std::sqrt(worth_ * cells(pair))));
}

bool Together::gains_by_strips(PairNumbers pair) const {
  if (!strips_ || !wavefronts_) return strips_;
  if (std::max(list_.queries[pair.query].size(), list_.targets[pair.target].size()) >= kAlone)
    return false;
  const double here = cells(pair) / cells_a_second_;
  return here * abreast(limits_) <= longest_ && here < alone(pair);
}

trace::Trace* Together::trace_of(const Lane& lane) {
  return options_.trace != nullptr ? options_.trace : device_of(lane).trace();
}

template <class Each>
void Together::for_pairs(std::size_t count, const Each& each) const {
  batch::in_parts(count, batch::parts_of_pairs(count, options_.threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) each(i);
                  });
}

void Together::cut(Lane& lane) {
  lane.cells = 0;
  lane.pairs.clear();
  lane.rest.clear();
  std::vector<bool> queries(list_.queries.size()), targets(list_.targets.size());
  std::size_t symbols = 0, count = 0;
  for (; cut_ < list_.pairs.size() && count < most_.pairs && symbols < most_.symbols &&
         lane.cells < block_cells_;
       ++cut_) {
    const PairNumbers pair = list_.pairs[cut_];
    if (!fits(pair) || again(pair)) continue;
    const auto [query, target] = pair;
    if (!queries[query]) symbols += list_.queries[query].size();
    if (!targets[target]) symbols += list_.targets[target].size();
    queries[query] = targets[target] = true;
    lane.cells += cells(pair);
    (worth(pair) > 0 ? lane.pairs : lane.rest).push_back(cut_);
    ++count;
  }
  lane.end = cut_;
}

void Together::start(Lane& lane) {
  if (!strips_ || !wavefronts_) device_of(lane).doubt_failures();
  cut(lane);
  lane.timing = {};
  lane.tried = wfa::most_when_full(limits_);
  lane.rounds = 0;
  lane.bands_config = {};
  lane.banded = gains_by_bands(lane);
  next(lane);
}

void Together::next(Lane& lane) {
  const bool strips = lane.pairs.empty();
  try {
    if (strips)
      start_strips(lane);
    else if (lane.banded)
      try_bands(lane);
    else
      try_wavefronts(lane);
  } catch (const SelfTestError& error) {
    if (!strips_ || !wavefronts_) throw;  // it was asked for
    pass_on(lane, error, strips ? "pairs are computed alone" : "other variants compute instead");
    if (!strips) next(lane);
  }
}

/// What is next for a lane fails its self-test: then what comes after that. The programs of later
/// lanes are the same.
void Together::pass_on(Lane& lane, const SelfTestError& error, const char* instead) {
  device_of(lane).warn(error, instead);
  if (lane.pairs.empty()) {
    for (const std::size_t pair : lane.rest) distances_[place(pair)] = kAlone;
    lane.rest.clear();
    return;
  }
  if (std::exchange(lane.banded, false)) {
    share_ = 0;
    const auto others = std::ranges::stable_partition(
        lane.pairs, [&](std::size_t pair) { return worth(list_.pairs[pair]) > 0; });
    lane.rest.insert(lane.rest.end(), others.begin(), others.end());
    lane.pairs.erase(others.begin(), others.end());
  } else {
    lane.rest.insert(lane.rest.end(), lane.pairs.begin(), lane.pairs.end());
    lane.pairs.clear();
  }
  std::ranges::sort(lane.rest);
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
  problem.trace = trace_of(lane);
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
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto [query, target] = list_.pairs[some[i]];
      distances[i] = search::Finder(list_.queries[query], code_).distance(list_.targets[target]);
    }
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
  ocl::Device& device = device_of(lane);
  // One program, although pairs may be fewer now.
  const tune::Config config = strips_ ? lane.bands_config : options_.config;
  const BandsPlan plan = plan_bands(code_, lane.pairs.size(), device.limits(), config);
  wfa::PairsProblem problem;
  const BlockTexts texts = load_texts(lane, lane.pairs, problem);
  std::vector<wfa::PairTask> tasks(lane.pairs.size());
  for_pairs(tasks.size(), [&](std::size_t i) {
    const auto [query, target] = texts.numbers[i];
    tasks[i] = {query, target, static_cast<std::uint32_t>(band(lane.pairs[i], lane.share)), 0};
  });
  problem.tasks = tasks;
  if (!lane.bands) lane.bands.emplace(device, lane.queue);
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
  ocl::Device& device = device_of(lane);
  const tune::Config config = strips_ ? tune::Config{} : options_.config;
  const wfa::Plan plan = wfa::plan_pairs(code_, lane.tried, device.limits(), config);
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
  if (!lane.wavefronts) lane.wavefronts.emplace(device, lane.queue);
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

/// What strips are told of pairs.
struct Together::StripsOf {
  BlockTexts texts;
  std::vector<search::Task> tasks;
  search::Problem problem;  // of these
};

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
  for (const std::size_t pair : others) distances_[place(pair)] = kAlone;
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

void Together::finish() {
  if (options_.stop.stop_requested()) throw Error(Kind::kStopped, "the run was stopped");
  while (started_ == finished_ ||
         (cut_ < list_.pairs.size() && started_ < finished_ + lanes_.size()))
    start(lanes_[started_++ % lanes_.size()]);
  Lane& lane = lanes_[finished_++ % lanes_.size()];
  while (lane.trying) {
    lane.banded ? take_bands(lane) : take_wavefronts(lane);
    next(lane);
  }
  if (lane.strips && lane.strips->busy()) take_strips(lane);
  computed_ = lane.end;
  if (started_ == finished_)
    for (const Lane& each : lanes_)
      if (each.queue == 0) device_of(each).record();

  Share& share = shares_.emplace_back();
  share.end = lane.end;
  share.device = device_of(lane).info().name;
  share.wavefronts = lane.tried_config;
  share.strips = lane.strips_config;
  share.bands = lane.bands_config;
  share.band = lane.share;
  share.each = lane.timing;
  share.each.total = now() - std::exchange(since_, now());
  const double computing = share.each.total - share.each.build;
  if (4 * computing < most_.seconds) block_cells_ *= 4;
  if (computing > most_.seconds)
    block_cells_ = std::max(block_cells_ / 2, most_.seconds * cells_a_second_);
  share.each = part_of(share.each, 1 / std::max(lane.cells, 1.0));
  if (options_.progress) {
    Progress progress;
    progress.part = static_cast<double>(computed_) / static_cast<double>(list_.pairs.size());
    options_.progress(progress);
  }
}

void Together::begin() {
  const auto queries = seq::symbols_in(list_.queries, options_.threads);
  const auto targets = list_.square ? queries : seq::symbols_in(list_.targets, options_.threads);
  code_ = seq::make_code(queries, targets, options_.ambiguous);
  const std::size_t n = list_.queries.size();
  distances_.resize(list_.square ? n * (n + 1) / 2 : list_.pairs.size());
  // On two queues of each device, so that packing and copies hide behind launches.
  for (const std::size_t queue : {0u, 1u})
    for (std::size_t device = 0; device < devices_.size() && lanes_.size() < 2 * devices_.size();
         ++device) {
      Lane& lane = lanes_.emplace_back();
      lane.device = device;
      lane.queue = queue;
    }
  packed_.resize(devices_.size());
  block_cells_ = most_.seconds * cells_a_second_;
}

bool Together::ready(std::size_t pair) const {
  return computed_ > pair && distances_[place(pair)] != kAlone;
}

bool Together::left(std::size_t pair) const {
  return computed_ > pair && distances_[place(pair)] == kAlone;
}

void Together::compute(std::size_t pair) {
  if (distances_.empty()) begin();
  if (computed_ > pair || crowded_) return;
  since_ = now();
  try {
    while (computed_ <= pair) finish();
  } catch (const MemoryError&) {
    if (!strips_ || !wavefronts_) throw;
    leave();
  } catch (const SelfTestError&) {  // of what was asked for; distance() names what would pass
    leave();
  }
}

/// What is left is computed alone.
void Together::leave() {
  crowded_ = true;
  lanes_.clear();
  packed_.clear();
}

std::optional<std::int64_t> Together::distance_of(std::size_t pair) const {
  const std::uint32_t distance = distances_[place(pair)] & ~(kByWavefronts | kByBands);
  if (distance == kLarger || (options_.max_distance && distance > *options_.max_distance))
    return std::nullopt;
  return distance;
}

DistanceAnswer Together::found(std::size_t pair) const {
  const bool by_wavefronts = (distances_[place(pair)] & kByWavefronts) != 0;
  const bool by_bands = (distances_[place(pair)] & kByBands) != 0;
  const Share& share = *std::ranges::upper_bound(shares_, pair, {}, &Share::end);
  DistanceAnswer answer;
  answer.distance = distance_of(pair);
  answer.engine = by_wavefronts ? kWavefront : kStrips;
  answer.variant = by_wavefronts ? wfa::kWavefrontBatch : by_bands ? kBandBatch : kStripsBatch;
  answer.device = share.device;
  answer.config = by_wavefronts ? share.wavefronts : by_bands ? share.bands : share.strips;
  const PairNumbers numbers = list_.pairs[pair];
  if (again(numbers)) return answer;
  answer.cells =
      by_bands ? std::min(cells(numbers),
                          std::sqrt(cells(numbers)) * static_cast<double>(band(pair, share.band)))
      : !by_wavefronts
          ? cells(numbers)
          : wfa::pairs_cells(answer.distance ? *answer.distance : *options_.max_distance);
  answer.timing = part_of(share.each, cells(numbers));
  return answer;
}

DistanceAnswer Together::answer(std::size_t pair, const OtherDevices& others) {
  compute(pair);
  ocl::Device& device = devices_.front().open();
  const auto [query, target] = list_.pairs[pair];
  if (!ready(pair))
    return distance(&device, list_.queries[query], list_.targets[target], options_, others);
  DistanceAnswer answer = found(pair);
  if (options_.check) {
    Problem problem = problem_of(list_.queries[query], list_.targets[target], options_);
    problem.code = &code_;
    if (options_.progress)
      problem.progress = [&](Progress checking) {
        checking.part = static_cast<double>(computed_) / static_cast<double>(list_.pairs.size());
        options_.progress(checking);
      };
    const tune::Store nothing;
    answer.checked =
        check_distance(&device, method_named(answer.engine, answer.variant), problem,
                       answer.distance, options_.store != nullptr ? *options_.store : nothing);
  }
  return answer;
}

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
      bytes += static_cast<double>(text.size()) + sizeof(seq::Sequence);
  double times = static_cast<double>(cut_) < pairs ? 9.0 / 8 * 2 : 1;
  double held = bytes;
  if (list_.pairs.is_one_to_one()) {  // no more come at a time than a reader has
    const double come = std::min(pairs, batch::PairFlow::kMostBytes / bytes * pairs);
    times = std::min(times, come / static_cast<double>(cut_));
    held = batch::PairFlow::most_held(bytes, pairs) + 2 * sizeof(std::string_view) * come;
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
      const double count = summed(list_.pairs, options_.threads,
                                  [&](PairNumbers at) { return fits(at) && counts(at) ? 1 : 0; });
      return std::to_string(static_cast<std::size_t>(count));
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
