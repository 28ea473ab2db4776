// SPDX-License-Identifier: Apache-2.0
#include "host/align/batch.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "host/batch/pairs.h"
#include "host/batch/staging.h"
#include "host/batch/threads.h"
#include "host/distance/methods.h"
#include "host/engine/pair.h"
#include "host/engine/reference.h"
#include "host/engine/sketch.h"
#include "host/error.h"
#include "host/ocl/error.h"

namespace rhomb::align {
namespace {

/// Longer texts are aligned alone, by engines that divide a pair among groups.
constexpr std::size_t kLongest = std::size_t{1} << 20;

/// Symbols of all texts, or edits of all paths, at most.
constexpr std::size_t kMostSymbols = std::size_t{1} << 28;

/// So many pairs of all are looked at to foresee how far apart they are; of longer texts a sketch
/// is enough, and a distance takes seconds.
constexpr std::size_t kForeseen = 8;
constexpr double kLongForHost = 1 << 14;

/// Seconds that a thread of the host takes for a pair, about: strips of 64 rows within a band that
/// is at least so wide, and becomes twice the distance, as measured.
struct OnHost {
  static constexpr double kPair = 2e-6, kWord = 6e-9;
  double strips, columns, least;
  OnHost(double m, double n)
      : strips(std::min(m, n) / 64 + 1),
        columns(std::max(m, n)),
        least(std::max(columns / 16, 64.0)) {}
  double words(double distance) const {
    return strips * (64 + std::min(columns, 2 * std::max(distance, least)));
  }
  double seconds(double distance) const { return kPair + kWord * words(distance); }
};

/// Cells that a device computes a second where all of it is busy. (On CPUs it is half of what
/// launches are cut by.)
double cells_a_second(const ocl::Limits& limits) {
  return wfa::pairs_cells_a_second(limits) / (limits.gpu ? 1 : 2);
}

/// The largest distance for which a device that computes so many cells a second is faster than the
/// host with its threads: the device takes the square of it.
double worth_on_device(const OnHost& host, double cells_a_second, double threads) {
  const double rate = cells_a_second / threads;
  const double narrow = std::sqrt(rate * host.seconds(0));
  if (narrow <= host.least) return narrow;
  const double half = rate * OnHost::kWord * host.strips;  // of what each edit adds
  const double wide = half + std::sqrt(half * half + 64 * half + rate * OnHost::kPair);
  return std::min(wide, std::sqrt(rate * host.seconds(host.columns)));
}

/// Texts of a batch, each once where pairs share them.
class Texts {
 public:
  explicit Texts(bool shared) : shared_(shared) {}
  std::uint32_t number(std::string_view text) {
    if (!shared_) {
      texts_.push_back(text);
      return static_cast<std::uint32_t>(texts_.size() - 1);
    }
    if (text.data() == last_) return last_number_;
    last_ = text.data();
    const auto [place, added] = numbers_.emplace(last_, static_cast<std::uint32_t>(texts_.size()));
    if (added) texts_.push_back(text);
    return last_number_ = place->second;
  }
  std::vector<std::string_view>& views() { return texts_; }

 private:
  bool shared_;
  const char* last_ = nullptr;
  std::uint32_t last_number_ = 0;
  std::unordered_map<const char*, std::uint32_t> numbers_;
  std::vector<std::string_view> texts_;
};

/// The reversed texts, which the views then are of.
std::vector<char> reverse_all(std::vector<std::string_view>& texts) {
  std::size_t symbols = 0;
  for (const std::string_view text : texts) symbols += text.size();
  std::vector<char> reversed(symbols);
  char* next = reversed.data();
  for (std::string_view& text : texts) {
    std::ranges::reverse_copy(text, next);
    text = {next, text.size()};
    next += text.size();
  }
  return reversed;
}

}  // namespace

/// What stays between batches on a queue.
struct BatchAligner::Lane {
  Lane(ocl::Device& device, std::size_t its_queue)
      : queue(its_queue), distances(device, its_queue), paths(device, its_queue) {}

  wfa::PairsAnswer distances_of(const wfa::Plan& plan, std::span<const wfa::PairTask> tasks,
                                const seq::Code& code, std::size_t threads, trace::Trace* trace);
  /// Whether half of a few of the tasks are as close as they ask for; or there are but few.
  bool mostly_close(const wfa::Plan& plan, std::span<const wfa::PairTask> tasks,
                    const seq::Code& code);

  std::size_t queue;
  wfa::PackedTexts a, b;
  wfa::PairsBatch distances;
  PathsBatch paths;
};

wfa::PairsAnswer BatchAligner::Lane::distances_of(const wfa::Plan& plan,
                                                  std::span<const wfa::PairTask> tasks,
                                                  const seq::Code& code, std::size_t threads,
                                                  trace::Trace* trace) {
  wfa::PairsProblem problem;
  problem.packed_a = &a;
  problem.packed_b = &b;
  problem.tasks = tasks;
  problem.code = &code;
  problem.threads = threads;
  problem.trace = trace;
  distances.start(plan, problem);
  return distances.finish();
}

bool BatchAligner::Lane::mostly_close(const wfa::Plan& plan, std::span<const wfa::PairTask> tasks,
                                      const seq::Code& code) {
  constexpr std::size_t kSample = 64;
  if (tasks.size() < 8 * kSample) return true;
  std::vector<wfa::PairTask> sample;
  for (std::size_t i = 0; i < kSample; ++i) sample.push_back(tasks[i * tasks.size() / kSample]);
  const auto found = distances_of(plan, sample, code, 1, nullptr).distances;
  const auto close =
      std::ranges::count_if(found, [](std::uint32_t distance) { return distance < wfa::kGivenUp; });
  return 2 * close >= static_cast<std::ptrdiff_t>(kSample);
}

BatchAligner::BatchAligner(const AlignOptions& options, std::size_t threads)
    : options_(options), threads_(threads) {
  const auto method = method_of(options);
  asked_for_ = method && method->variant == wfa::kWavefrontBatch;
}
BatchAligner::~BatchAligner() = default;

bool BatchAligner::possible() const {
  return !crowded_ && !options_.both_strands &&
         (asked_for_ || (options_.engine == "auto" && options_.variant.empty()));
}

bool BatchAligner::worthwhile(std::size_t count, const PairOf& pair_of, double seconds) const {
  if (!possible() || asked_for_) return count > 0 && possible();
  if (count < 2) return false;
  double saved = 0;
  for (std::size_t i = 0; i < count && saved < seconds; ++i) {
    const seq::Pair pair = pair_of(i);
    const std::size_t m = pair.query.symbols.size(), n = pair.target.symbols.size();
    if (m > 0 && n > 0 && m + n <= kLongest)
      saved += OnHost(static_cast<double>(m), static_cast<double>(n)).seconds(0) /
               static_cast<double>(threads_);
  }
  return saved >= seconds;
}

std::vector<std::uint32_t> BatchAligner::choose(std::size_t count, const PairOf& pair_of,
                                                const ocl::Limits& limits) const {
  const auto most_at_all = static_cast<double>(wfa::most_in_local_memory(limits));
  // Where pairs are few, not all of a device is busy.
  const double groups = limits.compute_units * (limits.gpu ? 16.0 : 1.0);
  const double rate = cells_a_second(limits) * std::min(1.0, static_cast<double>(count) / groups);
  const auto threads = static_cast<double>(threads_);
  const std::size_t room =
      options_.memory > 0 ? std::min(options_.memory / 8, kMostSymbols) : kMostSymbols;
  std::vector<std::uint32_t> upto(count);
  std::size_t symbols = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const seq::Pair pair = pair_of(i);
    const std::size_t m = pair.query.symbols.size(), n = pair.target.symbols.size();
    if (m == 0 || n == 0 || m + n > kLongest || symbols + m + n > room) continue;
    const auto rows = static_cast<double>(m), columns = static_cast<double>(n);
    const double most =
        asked_for_ ? most_at_all
                   : std::min(most_at_all, worth_on_device(OnHost(rows, columns), rate, threads));
    if (most < std::max(1.0, std::abs(rows - columns))) continue;
    upto[i] = static_cast<std::uint32_t>(most);
    symbols += m + n;
  }
  return upto;
}

std::vector<std::uint32_t> BatchAligner::foresee(std::span<const seq::Pair> pairs,
                                                 std::span<const std::uint32_t> upto) const {
  const auto longer = [&](std::size_t i) {
    return static_cast<double>(
        std::max(pairs[i].query.symbols.size(), pairs[i].target.symbols.size()));
  };
  const std::size_t step = pairs.size() / kForeseen + 1;
  double part = 0;  // of the longer text
  for (std::size_t i = 0; i < pairs.size(); i += step) {
    if (upto[i] == 0) continue;
    const std::string_view a = pairs[i].query.symbols, b = pairs[i].target.symbols;
    const seq::Code code = seq::make_code(a, b, options_.ambiguous);
    std::optional<std::int64_t> distance;
    if (longer(i) > kLongForHost) distance = sketch_distance(a, b, options_.threads).distance;
    for (std::int64_t most = 64; !distance && most < 2 * std::int64_t{upto[i]}; most *= 2)
      distance = reference::edit_distance_within(a, b, code, std::min<std::int64_t>(most, upto[i]));
    part = std::max(part, static_cast<double>(distance.value_or(upto[i])) / longer(i));
  }
  std::vector<std::uint32_t> distances(upto.begin(), upto.end());
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (upto[i] > 0)
      distances[i] = std::min(upto[i], static_cast<std::uint32_t>(std::ceil(part * longer(i))) + 1);
  return distances;
}

batch::Memory BatchAligner::memory(std::span<const seq::Pair> pairs,
                                   std::span<const std::uint32_t> distances, bool shared,
                                   const ocl::Limits& limits) const {
  Texts a(shared), b(shared);
  double bytes = 0;
  std::uint64_t of_tasks = 0;
  std::size_t tasks = 0, longest = 0;
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const seq::Pair& pair = pairs[i];
    bytes += static_cast<double>(batch::bytes_of(pair.query) + batch::bytes_of(pair.target));
    if (distances[i] == 0) continue;
    a.number(pair.query.symbols);
    b.number(pair.target.symbols);
    ++tasks;
    const std::size_t longer = std::max(pair.query.symbols.size(), pair.target.symbols.size());
    const auto distance = static_cast<std::uint32_t>(std::min<std::size_t>(distances[i], longer));
    of_tasks += wfa::pair_task_bytes() + path_task_bytes(distance);
    most = std::max(most, distance);
    longest = std::max(longest, longer);
  }
  const seq::Code code =
      seq::make_code(seq::symbols_in(a.views(), options_.threads),
                     seq::symbols_in(b.views(), options_.threads), options_.ambiguous);
  const PathsPlan plan = plan_paths(code, static_cast<std::int64_t>(longest), limits, config());
  const std::uint64_t both = wfa::packed_bytes(a.views(), code.planes) +
                             wfa::packed_bytes(b.views(), code.planes) + of_tasks;
  // Two lanes have what of it comes at a time.
  const double part = shared ? 1 : std::min(1.0, 2.0 * batch::PairFlow::kAtATime / bytes);
  batch::Memory memory;
  memory.add({both, both}, part, 1);
  memory.add({most_cell_bytes(plan, tasks, most), 0}, part < 1 ? 2 : 1, 1);
  memory.host += static_cast<std::uint64_t>(shared ? bytes : batch::PairFlow::most_held(bytes));
  return memory;
}

Facts BatchAligner::explain(const seq::Pair& pair, std::uint32_t upto, std::size_t count,
                            const batch::Memory& probable, const batch::Memory& most_memory,
                            const ocl::Limits& limits) const {
  const std::string_view query = pair.query.symbols, target = pair.target.symbols;
  const seq::Code code = seq::make_code(query, target, options_.ambiguous);
  const PathsPlan plan = plan_paths(
      code, static_cast<std::int64_t>(std::max(query.size(), target.size())), limits, config());
  Facts facts;
  facts.add("lengths", std::to_string(query.size()) + " x " + std::to_string(target.size()));
  facts.add("choice", std::to_string(count) + " pairs are aligned together");
  facts.add("engine", std::string(kWavefront));
  facts.add("variant", std::string(wfa::kWavefrontBatch));
  const std::int64_t most = std::min<std::int64_t>(upto, plan.most());
  facts.add("up_to_distance", std::min(most, options_.max_distance.value_or(most)));
  facts.add("otherwise", "by the host, or alone");
  facts.add("alignment",
            "the device keeps wavefronts, and a group of work-items for each pair walks back");
  facts.add("groups", static_cast<std::int64_t>(plan.groups));
  facts.add("device_bytes", static_cast<std::int64_t>(probable.device));
  facts.add("device_bytes_at_most", static_cast<std::int64_t>(most_memory.device));
  facts.add("host_bytes", static_cast<std::int64_t>(probable.host));
  facts.add("host_bytes_at_most", static_cast<std::int64_t>(most_memory.host));
  return facts;
}

AlignedBatch BatchAligner::align(std::span<ocl::Device* const> devices,
                                 std::span<const seq::Pair> pairs,
                                 std::span<const std::uint32_t> upto, bool shared) {
  while (lanes_.size() < 2 * devices.size())
    lanes_.emplace_back(*devices[lanes_.size() / 2], lanes_.size() % 2);
  const std::size_t turn = turn_++ % 2;
  AlignedBatch made;
  made.parts_.resize(devices.size());
  // As many symbols to each.
  const auto symbols = [&](std::size_t i) {
    return upto[i] > 0 ? pairs[i].query.symbols.size() + pairs[i].target.symbols.size() : 0;
  };
  std::size_t all = 0, given = 0, next = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) all += symbols(i);
  for (std::size_t part = 0; part < devices.size(); ++part) {
    made.firsts_.push_back(next);
    while (next < pairs.size() && given < all / devices.size() * (part + 1))
      given += symbols(next++);
  }
  batch::in_parts(devices.size(), devices.size(), [&](std::size_t part, std::size_t, std::size_t) {
    const std::size_t first = made.firsts_[part];
    const std::size_t end = part + 1 < devices.size() ? made.firsts_[part + 1] : pairs.size();
    made.parts_[part] =
        align_or_not(*devices[part], lanes_[2 * part + turn], pairs.subspan(first, end - first),
                     upto.subspan(first, end - first), shared);
  });
  return made;
}

AlignedPart BatchAligner::align_or_not(ocl::Device& device, Lane& lane,
                                       std::span<const seq::Pair> pairs,
                                       std::span<const std::uint32_t> upto, bool shared) {
  if (asked_for_) device.doubt_failures();
  try {
    AlignedPart made = align_part(device, lane, pairs, upto, shared);
    device.record();
    return made;
  } catch (const SelfTestError& error) {  // align_pair() names what passes, if it was asked for
    batch::settle(device, lane.queue);
    if (!asked_for_) device.warn(error, "pairs are aligned alone");
  } catch (const Error& error) {
    batch::settle(device, lane.queue);  // copies from memory that goes
    if (asked_for_ || !out_of_memory(error)) throw;
  } catch (...) {
    batch::settle(device, lane.queue);
    throw;
  }
  // Its memory goes; what the other lane found may still be looked at.
  crowded_ = true;
  lane = Lane(device, lane.queue);
  return {};
}

AlignedPart BatchAligner::align_part(ocl::Device& device, Lane& lane,
                                     std::span<const seq::Pair> pairs,
                                     std::span<const std::uint32_t> upto, bool shared) {
  const double begin = now();
  AlignedPart made;
  made.distances.assign(pairs.size(), AlignedPart::kOpen);
  made.first.resize(pairs.size());
  made.device = device.info().name;

  trace::Trace* const trace = options_.trace != nullptr ? options_.trace : device.trace();
  trace::Scope packing(trace, trace::Work::kPack);
  Texts a(shared), b(shared);
  std::vector<std::size_t> open;  // pairs
  std::vector<wfa::PairTask> open_tasks;
  std::int64_t most = 0;
  double symbols = 0;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (upto[i] == 0) continue;
    const seq::Pair& pair = pairs[i];
    open.push_back(i);
    open_tasks.push_back({a.number(pair.query.symbols), b.number(pair.target.symbols), 0, 0});
    most = std::max<std::int64_t>(most, upto[i]);
    longest = std::max({longest, pair.query.symbols.size(), pair.target.symbols.size()});
    symbols += static_cast<double>(pair.query.symbols.size() + pair.target.symbols.size());
  }
  if (open.empty()) return made;
  try {
    made.code = seq::make_code(seq::symbols_in(a.views(), options_.threads),
                               seq::symbols_in(b.views(), options_.threads), options_.ambiguous);
  } catch (const UsageError&) {  // of a pair, which is told when it is its turn
    return made;
  }
  std::vector<char> reversed_a, reversed_b;
  if (options_.gaps_right) {
    reversed_a = reverse_all(a.views());
    reversed_b = reverse_all(b.views());
  }
  const PathsPlan paths_plan =
      plan_paths(made.code, static_cast<std::int64_t>(longest), device.limits(), config());
  {
    const batch::OnQueue use(device, lane.queue);
    lane.a.pack(device, a.views(), made.code.a, made.code.planes, options_.threads);
    lane.b.pack(device, b.views(), made.code.b, made.code.planes, options_.threads);
  }
  packing.end();
  made.each.transfer = now() - begin;

  // Distances: with rows for which the device is full of groups, then with longer ones.
  most = std::min(most, paths_plan.most());
  std::vector<PathTask> tasks;
  std::vector<std::size_t> walked;  // pairs
  std::int64_t tried = wfa::most_when_full(device.limits());
  // A CPU is not that much faster that it may compute for nothing.
  bool sample_first = !asked_for_ && !device.limits().gpu;
  for (int round = 0; round < 2 && !open.empty(); ++round) {
    const wfa::Plan plan =
        wfa::plan_pairs(made.code, std::min(tried, most), device.limits(), config());
    tried = std::min(wfa::most_of(plan), most);
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::uint32_t worth = upto[open[i]];
      wfa::PairTask& task = open_tasks[i];
      task.most = std::min(worth, static_cast<std::uint32_t>(tried));
      task.worth = asked_for_ ? 0 : worth;
      if (options_.max_distance && *options_.max_distance <= task.most) {
        task.most = static_cast<std::uint32_t>(*options_.max_distance);
        task.worth = 0;
      }
    }
    if (sample_first && !lane.mostly_close(plan, open_tasks, made.code)) return made;
    sample_first = false;
    const wfa::PairsAnswer answer =
        lane.distances_of(plan, open_tasks, made.code, options_.threads, trace);
    made.each.build += answer.build;
    made.each.compute += answer.compute;
    std::size_t left = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::size_t pair = open[i];
      const std::uint32_t found = answer.distances[i];
      if (found < wfa::kGivenUp) {
        made.distances[pair] = found;
        if (found == 0) continue;
        tasks.push_back({open_tasks[i].a, open_tasks[i].b, found});
        walked.push_back(pair);
      } else if (options_.max_distance && *options_.max_distance <= open_tasks[i].most) {
        made.distances[pair] = AlignedPart::kLarger;
      } else if (found == wfa::kBeyond && open_tasks[i].most < upto[pair]) {
        open[left] = pair;
        open_tasks[left++] = open_tasks[i];
      }
    }
    open.resize(left);
    open_tasks.resize(left);
    const std::int64_t next = wfa::most_in_local_memory(device.limits());
    if (tried >= std::min(next, most)) break;
    tried = next;
  }

  PathsProblem problem;
  problem.a = &lane.a;
  problem.b = &lane.b;
  problem.tasks = tasks;
  problem.code = &made.code;
  problem.trace = trace;
  lane.paths.start(paths_plan, problem);
  const PathsAnswer answer = lane.paths.finish();
  made.edits = answer.edits;
  for (std::size_t i = 0; i < walked.size(); ++i) made.first[walked[i]] = answer.first[i];
  made.each.build += answer.build;
  made.each.compute += answer.compute;
  made.each.total = now() - begin;
  for (double* const part :
       {&made.each.transfer, &made.each.build, &made.each.compute, &made.each.total})
    *part /= symbols;
  return made;
}

AlignAnswer AlignedPart::answer(std::size_t i, const seq::Pair& pair, bool gaps_right) const {
  const double start = now();
  const std::string_view query = pair.query.symbols, target = pair.target.symbols;
  AlignAnswer answer;
  answer.engine = kWavefront;
  answer.variant = wfa::kWavefrontBatch;
  answer.device = device;
  answer.parts = 1;
  const auto symbols = static_cast<double>(query.size() + target.size());
  answer.timing = {0, each.build * symbols, each.transfer * symbols, each.compute * symbols, 0};
  answer.distance_seconds = answer.timing.compute;
  if (distances[i] != kLarger) {
    const std::uint32_t distance = distances[i];
    answer.distance = distance;
    answer.cells = wfa::pairs_cells(distance) + static_cast<double>(distance) * distance / 2;
    answer.cigar = path_of(edits.subspan(distance > 0 ? first[i] : 0, distance), query.size());
    if (gaps_right) answer.cigar.reverse();
    answer.cigar.verify(query, target, code, distance);
  }
  answer.timing.total = each.total * symbols + now() - start;
  return answer;
}

}  // namespace rhomb::align
