// SPDX-License-Identifier: Apache-2.0
#include "host/distance/together.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "host/batch/threads.h"
#include "host/distance/methods.h"
#include "host/engine/speed.h"

namespace rhomb {
namespace {

/// To compute pairs together needs a program of its own; for so many seconds it is worth it.
constexpr double kWorth = 0.1;

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

/// Each symbol of the texts once.
std::string symbols_in(const std::vector<std::string_view>& texts, std::size_t threads) {
  std::size_t symbols = 0;
  for (const std::string_view text : texts) symbols += text.size();
  const std::size_t parts = batch::parts_of(symbols, threads);
  std::vector<std::array<bool, 256>> found(parts);
  batch::in_parts(texts.size(), parts, [&](std::size_t part, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) seq::mark_symbols(found[part], texts[i]);
  });
  for (std::size_t part = 1; part < parts; ++part)
    for (std::size_t c = 0; c < 256; ++c) found[0][c] = found[0][c] || found[part][c];
  return seq::symbols_of(found[0]);
}

/// How many pairs a device has on its way at the same time while none waits for another.
double abreast(const ocl::Limits& limits) {
  return static_cast<double>(limits.compute_units) * (limits.gpu ? 128 : limits.vector_ints);
}

}  // namespace

PairList PairList::by_order(const seq::Batch& queries, const seq::Batch& targets) {
  PairList list{views_of(queries), views_of(targets), {}, false};
  for (std::uint32_t i = 0; i < queries.size(); ++i) list.pairs.push_back({i, i});
  return list;
}

PairList PairList::all(const seq::Batch& queries, const seq::Batch& targets) {
  PairList list{views_of(queries), views_of(targets), {}, &queries == &targets};
  list.pairs.reserve(queries.size() * targets.size());
  for (std::uint32_t i = 0; i < queries.size(); ++i)
    for (std::uint32_t j = 0; j < targets.size(); ++j) list.pairs.push_back({i, j});
  return list;
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

Together::Together(const ocl::DeviceInfo* device, PairList list, const DistanceOptions& options,
                   const BlockLimits& most)
    : list_(std::move(list)), options_(options), most_(most) {
  const auto asked = method_of(options);
  forced_ = asked && asked->variant == kStripsBatch;
  if (device == nullptr || (asked && !forced_)) return;
  cells_a_second_ = engine::guessed_cells_a_second(device->limits);
  const double one = cells_a_second_ / abreast(device->limits);
  std::vector<bool> taken(list_.pairs.size());
  // Of each pair that gains: its cells, and what it takes alone. The largest come first.
  std::vector<std::pair<double, std::size_t>> gain;
  double alone = 0;
  const auto alone_of = [&](std::size_t i) {
    return seconds_alone(list_.queries[list_.pairs[i].query].size(),
                         list_.targets[list_.pairs[i].target].size(), options);
  };
  for (std::size_t i = 0; i < list_.pairs.size(); ++i) {
    if (again(i) || cells(i) == 0) continue;
    if (!forced_ && cells(i) / cells_a_second_ >= alone_of(i)) continue;
    gain.emplace_back(cells(i), i);
    alone += alone_of(i);
  }
  std::ranges::sort(gain, std::greater());
  // All wait for the largest one.
  auto first = gain.begin();
  if (forced_) alone = std::numeric_limits<double>::infinity();
  for (; first != gain.end() && first->first / one > alone; ++first)
    alone -= alone_of(first->second);
  if (alone < kWorth) return;
  for (; first != gain.end(); ++first) taken[first->second] = true;
  if (list_.square) {
    const std::size_t n = list_.queries.size();
    for (std::size_t i = 0; i < taken.size(); ++i)
      if (again(i)) taken[i] = taken[i % n * n + i / n];
  }
  taken_ = std::move(taken);
  count_ = static_cast<std::size_t>(std::ranges::count(taken_, true));
}

double Together::cells(std::size_t pair) const {
  const auto [query, target] = list_.pairs[pair];
  return static_cast<double>(list_.queries[query].size()) *
         static_cast<double>(list_.targets[target].size());
}

bool Together::again(std::size_t pair) const {
  return list_.square && list_.pairs[pair].query > list_.pairs[pair].target;
}

void Together::cut(Block& block) {
  constexpr std::uint32_t kNone = ~0u;
  std::vector<std::uint32_t> queries(list_.queries.size(), kNone);
  std::vector<std::uint32_t> targets(list_.targets.size(), kNone);
  std::size_t symbols = 0;
  double all = 0;
  const auto number = [&](std::uint32_t& known, std::vector<std::string_view>& texts,
                          std::string_view text) {
    if (known == kNone) {
      known = static_cast<std::uint32_t>(texts.size());
      texts.push_back(text);
      symbols += text.size();
    }
    return known;
  };
  block = {};
  for (; cut_ < list_.pairs.size() && block.tasks.size() < most_.pairs && symbols < most_.symbols &&
         all < most_.seconds * cells_a_second_;
       ++cut_) {
    if (!takes(cut_) || again(cut_)) continue;
    const auto [query, target] = list_.pairs[cut_];
    const std::string_view text = list_.targets[target];
    block.pairs.push_back(cut_);
    block.tasks.push_back({number(queries[query], block.queries, list_.queries[query]),
                           number(targets[target], block.targets, text), 0,
                           static_cast<std::uint32_t>(text.size()), 0});
    all += cells(cut_);
  }
  block.end = cut_;
}

void Together::start(ocl::Device& device) {
  const std::size_t turn = started_ % batches_.size();
  auto& batch = batches_[turn];
  if (!batch) batch.emplace(&device, turn);
  Block& block = blocks_[turn];
  cut(block);
  search::Problem problem;
  problem.queries = block.queries;
  problem.texts = block.targets;
  problem.tasks = block.tasks;
  problem.code = &code_;
  problem.whole = true;
  problem.threads = options_.threads;
  problem.trace = options_.trace != nullptr ? options_.trace : device.trace();
  batch->start(find_variant(search::variants(), kStripsBatch), problem, options_.config);
  ++started_;
}

void Together::finish(ocl::Device& device) {
  if (options_.stop.stop_requested()) throw Error(Kind::kStopped, "the run was stopped");
  if (started_ == finished_) start(device);
  if (cut_ < list_.pairs.size() && started_ == finished_ + 1) start(device);
  const std::size_t turn = finished_ % batches_.size();
  const search::Answer answer = batches_[turn]->finish();
  const Block& block = blocks_[turn];
  for (std::size_t i = 0; i < block.pairs.size(); ++i)
    distances_[block.pairs[i]] = answer.best[i].distance;
  ++finished_;
  computed_ = block.end;
  if (started_ == finished_) device.record();

  const double seconds = now() - std::exchange(since_, now());
  const double cells = std::max(answer.cells, 1.0);
  Share& share = shares_.emplace_back();
  share.end = block.end;
  share.each.build = answer.build / cells;
  share.each.transfer = answer.transfer / cells;
  share.each.compute = answer.compute / cells;
  share.each.total = seconds / cells;
  share.config = answer.config;
  if (options_.progress) {
    Progress progress;
    progress.part = static_cast<double>(computed_) / static_cast<double>(list_.pairs.size());
    options_.progress(progress);
  }
}

void Together::compute(ocl::Device& device, std::size_t pair) {
  if (distances_.empty()) {
    distances_.resize(list_.pairs.size());
    device_ = device.info().name;
    const auto queries = symbols_in(list_.queries, options_.threads);
    const auto targets = list_.square ? queries : symbols_in(list_.targets, options_.threads);
    code_ = seq::make_code(queries, targets, options_.ambiguous);
  }
  if (computed_ > pair || crowded_) return;
  since_ = now();
  try {
    while (computed_ <= pair) finish(device);
  } catch (const MemoryError&) {
    if (forced_) throw;
    crowded_ = true;
    for (auto& batch : batches_) batch.reset();
  }
}

DistanceAnswer Together::found(std::size_t pair) const {
  const std::size_t n = list_.queries.size();
  const std::int64_t found = distances_[again(pair) ? pair % n * n + pair / n : pair];
  const Share& share = *std::ranges::upper_bound(shares_, pair, {}, &Share::end);
  DistanceAnswer answer;
  if (!options_.max_distance || found <= *options_.max_distance) answer.distance = found;
  answer.engine = kStrips;
  answer.variant = kStripsBatch;
  answer.device = device_;
  answer.config = share.config;
  if (again(pair)) return answer;
  answer.cells = cells(pair);
  answer.timing.build = share.each.build * answer.cells;
  answer.timing.transfer = share.each.transfer * answer.cells;
  answer.timing.compute = share.each.compute * answer.cells;
  answer.timing.total = share.each.total * answer.cells;
  return answer;
}

DistanceAnswer Together::answer(ocl::Device& device, std::size_t pair) {
  compute(device, pair);
  const auto [query, target] = list_.pairs[pair];
  // One after the other they need less.
  if (!ready(pair)) return distance(&device, list_.queries[query], list_.targets[target], options_);
  DistanceAnswer answer = found(pair);
  if (options_.check) {
    Problem problem = problem_of(list_.queries[query], list_.targets[target], options_);
    problem.code = &code_;
    const tune::Store nothing;
    answer.checked =
        check_distance(&device, method_named(kStrips, std::string(kStripsBatch)), problem,
                       answer.distance, options_.store != nullptr ? *options_.store : nothing);
  }
  return answer;
}

Facts Together::explain(std::size_t pair) const {
  const auto [query, target] = list_.pairs[pair];
  Facts facts;
  facts.add("lengths", std::to_string(list_.queries[query].size()) + " x " +
                           std::to_string(list_.targets[target].size()));
  facts.add("choice", std::to_string(count_) + " of " + std::to_string(list_.pairs.size()) +
                          " pairs are computed together" +
                          (again(pair) ? ", this one with query and target exchanged" : ""));
  facts.add("engine", std::string(kStrips));
  facts.add("variant", std::string(kStripsBatch));
  facts.add("summary", std::string(method_named(kStrips, std::string(kStripsBatch)).summary));
  return facts;
}

}  // namespace rhomb
