// SPDX-License-Identifier: Apache-2.0
#include "host/distance/together.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "host/distance/methods.h"
#include "host/engine/speed.h"
#include "host/strip/several.h"

namespace rhomb {
namespace {

/// To compute pairs together needs a program of its own; for so many seconds it is worth it.
constexpr double kWorth = 0.1;

/// Of what strips take for a pair, wavefronts may take this part before it is left to the strips.
constexpr double kTry = 0.5;

/// Longer texts seldom are as close as wavefronts of a group can tell, and to pack them takes as
/// long as to find out how far apart they are; unless they are asked for.
constexpr std::size_t kLongest = std::size_t{1} << 20;

/// Seconds that a pair takes alone, at least: launches and looks at their results by an engine, as
/// measured on an H200 and under PoCL, or the host's plain algorithm.
double seconds_alone(std::size_t m, std::size_t n, const DistanceOptions& options) {
  if (answered_at_once(m, n, options))
    return 1e-9 * static_cast<double>(m) * static_cast<double>(n);
  return 4e-4 + 2e-8 * static_cast<double>(m + n);
}

Timing part_of(const Timing& all, double part) {
  return {0, all.build * part, all.transfer * part, all.compute * part, all.total * part};
}

/// How many pairs a device has on its way at the same time while none waits for another.
double abreast(const ocl::Limits& limits) {
  return static_cast<double>(limits.compute_units) * (limits.gpu ? 128 : limits.vector_ints);
}

}  // namespace

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
  struct Sums {
    double taken = 0, computed = 0, alone = 0;
    void operator+=(const Sums& other) {
      taken += other.taken;
      computed += other.computed;
      alone += other.alone;
    }
  };
  const auto [taken, computed, all] = list_.pairs.sum(options_.threads, [&](PairNumbers pair) {
    if (!fits(pair)) return Sums{};
    return again(pair) ? Sums{1, 0, 0} : Sums{1, 1, alone(pair)};
  });
  if (computed == 0 || (!forced && all < kWorth)) return;
  count_ = static_cast<std::size_t>(taken);
  // All wait for the longest one, so strips take none that lasts longer than all others alone.
  longest_ = std::numeric_limits<double>::infinity();
  for (double gains = all; !forced && gains < longest_;) {
    longest_ = gains;
    gains = list_.pairs.sum(options_.threads, [&](PairNumbers pair) {
      return !again(pair) && fits(pair) && gains_by_strips(pair) ? beside(pair) : 0;
    });
  }
  const double busy = strip::shares_launches(limits) ? 1 : computed / abreast(limits);
  const double strips = cells_a_second_ * std::min(1.0, busy);
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

double Together::beside(PairNumbers pair) const {
  if (!strip::shares_launches(limits_)) return alone(pair);
  return std::min(alone(pair), 5e-5 + 5e-14 * cells(pair));
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
  return here * abreast(limits_) <= longest_ && here < beside(pair);
}

trace::Trace* Together::trace_of(const Lane& lane) {
  return options_.trace != nullptr ? options_.trace : device_of(lane).trace();
}

void Together::cut(Lane& lane) {
  lane.cells = 0;
  lane.pairs.clear();
  lane.rest.clear();
  // Texts of these pairs, where others may have the same.
  const bool once = list_.pairs.is_one_to_one();
  std::vector<bool> queries(once ? 0 : list_.queries.size()),
      targets(once ? 0 : list_.targets.size());
  std::size_t symbols = 0, count = 0;
  for (; cut_ < list_.pairs.size() && count < most_.pairs && symbols < most_.symbols &&
         lane.cells < block_cells_;
       ++cut_) {
    const PairNumbers pair = list_.pairs[cut_];
    if (!fits(pair) || again(pair)) continue;
    const auto [query, target] = pair;
    if (once || !queries[query]) symbols += list_.queries[query].size();
    if (once || !targets[target]) symbols += list_.targets[target].size();
    if (!once) queries[query] = targets[target] = true;
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
    leave_alone(lane.rest);
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

void Together::leave_alone(std::span<const std::size_t> pairs) {
  for (const std::size_t pair : pairs) distances_[place(pair)] = kAlone;
  some_alone_ |= !pairs.empty();
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
  const trace::Scope looking(options_.trace, trace::Work::kSymbols);
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

}  // namespace rhomb
