// SPDX-License-Identifier: Apache-2.0
// The paper's six variants (Carroll, Ojiaku and Wong 2019, section 4): one target at a time on the
// device (single) or as many pairs as its memory has room for (multi); scores alone (a), walked
// back on the device (b), or on the host (h). cl/gaps/paper.cl has the kernel.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "host/batch/threads.h"
#include "host/engine/speed.h"
#include "host/gaps/internal.h"

namespace rhomb::gaps {
namespace {

const tune::Param kPaperGroup{"WG", {256, 128, 64, 32}, "threads a block (block of work-items)"};
const tune::Param kBatch{
    "BATCH", {0, 256, 1024, 4096, 16384}, "pairs at a time; 0: as many as memory has room for"};

/// Seconds that a launch may take, and operations a cell and layer, both as guessed.
constexpr double kPaperLaunch = 0.2, kOperations = 120;

using Back = Plan::Back;

std::uint64_t cells_of_pair(std::size_t m, std::size_t n) {
  return (std::uint64_t{m} + 1) * (std::uint64_t{n} + 1);
}

template <bool single, Back back>
Plan plan_paper(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  constexpr const char* kNames[2][3] = {{"multi-a", "multi-b", "multi-h"},
                                        {"single-a", "single-b", "single-h"}};
  Plan plan;
  plan.variant = kNames[single][static_cast<int>(back)];
  plan.file = "gaps/paper.cl";
  plan.single = single;
  plan.back = back;
  plan.cells = cells_of(problem);
  const Rules& rules = problem.rules;
  if (rules.strict || rules.band || rules.ends == Ends::kInfix)
    throw tune::Unfit(plan.variant +
                      " follows the paper, which has no strict form, no band and no "
                      "free start");
  if (problem.align && back == Back::kNone)
    throw tune::Unfit(plan.variant + " computes scores alone; " +
                      kNames[single][static_cast<int>(Back::kDevice)] + " walks back as well");
  plan.symbols = symbols_of(problem);
  std::size_t m = 0, n = 0;
  for (const Task& task : problem.tasks) {
    m = std::max(m, problem.queries[task.query].size());
    n = std::max(n, problem.targets[task.target].size());
  }
  Range range;
  if (!fits(problem, plan.symbols, static_cast<std::int64_t>(m) + 1, static_cast<std::int64_t>(m),
            static_cast<std::int64_t>(n), 30, range))
    throw tune::Unfit("the scores of these texts might not fit the 30 bits that " + plan.variant +
                      " has");
  // The paper's block: max(32, m - m mod 32), at most 256.
  const auto usual = std::clamp<std::size_t>(m - m % 32, 32, 256);
  const int group = config.get("WG", static_cast<int>(std::min(usual, limits.max_work_group)));
  engine::check_group(group, limits);
  plan.config.set("WG", group);
  const std::uint64_t local = 16 * (std::uint64_t{m} + 1) + 16 * static_cast<unsigned>(group) + 8;
  if (local > limits.local_bytes)
    throw tune::Unfit("rows of " + std::to_string(m) + " symbols need " + std::to_string(local) +
                      " bytes of local memory, the device has " +
                      std::to_string(limits.local_bytes));
  const std::uint64_t cells = cells_of_pair(m, n);
  const std::uint64_t own = 8 * cells, walked = 4 * cells * static_cast<unsigned>(rules.gaps);
  const std::uint64_t most = std::min(limits.alloc_bytes, limits.global_bytes / 4);
  const std::uint64_t largest = back == Back::kNone ? own : std::max(own, walked);
  if (cells > 0x7fffffffu || largest > most)
    throw tune::Unfit("the matrices of " + std::to_string(m) + " and " + std::to_string(n) +
                      " symbols need " + std::to_string(largest) +
                      " bytes, more than a buffer of the device may have");
  const int asked = config.get("BATCH", 0);
  engine::check_between("BATCH", asked, 0, 1 << 24);
  const double seconds = static_cast<double>(cells) * kOperations * std::max(rules.gaps, 1) /
                         engine::guessed_operations_a_second(limits);
  const auto bearable = static_cast<std::uint64_t>(std::clamp(kPaperLaunch / seconds, 1.0, 1e6));
  plan.batch = std::max<std::size_t>(1, std::min<std::uint64_t>(most / largest, bearable));
  if (asked > 0) plan.batch = std::min<std::size_t>(plan.batch, static_cast<std::size_t>(asked));
  plan.batch = std::min(plan.batch, std::max<std::size_t>(1, problem.tasks.size()));
  plan.config.set("BATCH", asked);
  plan.records = plan.batch * own;
  plan.values = back == Back::kNone ? 4 : plan.batch * std::max<std::uint64_t>(walked, 4);
  plan.bytes = plan.records + plan.values;
  return plan;
}

/// Walks back through the H of all layers on the host.
Alignment walk(const std::int32_t* h, std::uint64_t cells, std::size_t m, const Best& best) {
  Alignment made;
  std::uint32_t q = best.gaps;
  std::size_t i = best.end, j = m;
  const auto add = [&](Op op, std::uint32_t length) {
    if (made.runs.empty() || made.runs.back().op != op) made.runs.push_back({op, 0});
    made.runs.back().length += length;
  };
  while (i > 0 || j > 0) {
    const std::int32_t gap = q > 0 ? h[(q - 1) * cells + i * (m + 1) + j] : 0;
    if (gap == 0) {
      if (i == 0 || j == 0) throw CheckError("a walk has left its matrix; please report this");
      add(Op::kPair, 1);
      --i, --j;
      continue;
    }
    const auto length = static_cast<std::uint32_t>(std::abs(gap));
    add(gap < 0 ? Op::kInsert : Op::kDelete, length);
    (gap < 0 ? j : i) -= length;
    --q;
  }
  std::ranges::reverse(made.runs);
  return made;
}

/// A problem on its way through the device.
class PaperRun {
 public:
  PaperRun(ocl::Device& device, const Plan& plan, const Problem& problem)
      : device_(device),
        plan_(plan),
        problem_(problem),
        gaps_(static_cast<std::uint32_t>(problem.rules.gaps)),
        kernel_(device.kernel(plan.file, "gaps_paper", defines())),
        layers_(device.buffer<std::int32_t>(plan.records / 4)),
        h_(device.buffer<std::int32_t>(plan.values / 4)),
        answers_(device.buffer<GapsAnswer>(problem.tasks.size() * (gaps_ + 1))),
        runs_(device.buffer<std::uint32_t>(
            plan.back == Back::kDevice ? problem.tasks.size() * GAPS_RUNS(gaps_) : 1)) {
    for (const Task& task : problem.tasks) {
      columns_ = std::max(columns_, problem.queries[task.query].size() + 1);
      rows_ = std::max(rows_, problem.targets[task.target].size() + 1);
    }
    const std::size_t size = plan.symbols.all.size();
    std::vector<std::int32_t> table;
    for (const std::uint8_t t : plan.symbols.all)
      for (const std::uint8_t x : plan.symbols.all)
        table.push_back(problem.scoring->pair(static_cast<char>(x), static_cast<char>(t)));
    symbols_ = static_cast<std::uint32_t>(size);
    table_ = device.upload<std::int32_t>(table);
    walked_.resize(plan.back == Back::kHost ? problem.tasks.size() : 0);
  }

  static ocl::Defines defines(const Plan& plan) {
    return {{"WG", std::to_string(plan.config.get("WG", 0))},
            {"BACK", std::to_string(static_cast<int>(plan.back))}};
  }

  /// All of it, and seconds of the launches, waited for one after the other. `walk`: on the host
  /// too.
  double run(bool walk) {
    walk_ = walk && problem_.align && plan_.back == Back::kHost;
    double seconds = 0;
    std::vector<std::uint32_t> order(problem_.tasks.size());
    std::iota(order.begin(), order.end(), 0u);
    if (!plan_.single) return run_round(order);
    const auto target = [&](std::uint32_t task) { return problem_.tasks[task].target; };
    std::ranges::stable_sort(order, {}, target);
    for (auto first = order.begin(); first != order.end();) {
      const auto end = std::find_if(
          first, order.end(), [&](std::uint32_t task) { return target(task) != target(*first); });
      seconds += run_round({first, end});
      first = end;
    }
    return seconds;
  }

  void take(Answer& answer) {
    const auto found = device_.read(answers_, 0, problem_.tasks.size() * (gaps_ + 1));
    for (std::size_t i = 0; i < problem_.tasks.size(); ++i)
      answer.best.push_back(best_of(std::span(found).subspan(i * (gaps_ + 1), gaps_ + 1)));
    if (!problem_.align) return;
    if (plan_.back == Back::kHost) {
      answer.alignments = std::move(walked_);
      return;
    }
    const std::size_t words = GAPS_RUNS(gaps_);
    const auto runs = device_.read(runs_, 0, problem_.tasks.size() * words);
    for (std::size_t i = 0; i < problem_.tasks.size(); ++i)
      answer.alignments.push_back(answer.best[i].found()
                                      ? alignment_of(std::span(runs).subspan(i * words, words))
                                      : Alignment{});
  }

 private:
  ocl::Defines defines() const { return defines(plan_); }

  /// The texts of these tasks go to the device, then its batches are computed.
  double run_round(std::span<const std::uint32_t> round) {
    if (round.empty()) return 0;
    std::vector<std::string_view> targets;
    if (plan_.single) targets = {problem_.targets[problem_.tasks[round.front()].target]};
    const auto upload = [&](std::span<const std::string_view> texts) {
      auto starts = starts_of(texts);
      std::vector<std::uint8_t> codes(starts.back());
      encode(texts, starts, plan_.symbols, codes, problem_.threads);
      return std::pair(device_.upload<std::uint8_t>(codes), std::move(starts));
    };
    const auto [queries, query_starts] = upload(problem_.queries);
    const auto [texts, target_starts] =
        upload(plan_.single ? std::span<const std::string_view>(targets) : problem_.targets);
    std::vector<GapsTask> tasks;
    tasks.reserve(round.size());
    for (const std::uint32_t number : round) {
      const Task& task = problem_.tasks[number];
      const std::uint32_t target = plan_.single ? 0 : task.target;
      tasks.push_back(
          {query_starts[task.query], query_starts[task.query + 1] - query_starts[task.query],
           target_starts[target], target_starts[target + 1] - target_starts[target], number});
    }
    const auto there = device_.upload<GapsTask>(tasks);
    const auto cells = static_cast<std::uint32_t>(columns_ * rows_);
    const auto group = static_cast<std::size_t>(plan_.config.get("WG", 0));
    double seconds = 0;
    for (std::size_t first = 0; first < tasks.size(); first += plan_.batch) {
      const std::size_t count = std::min(plan_.batch, tasks.size() - first);
      const double begin = now();
      kernel_(ocl::Range{count * group, 1, group, 1}, queries, texts, there, table_, layers_, h_,
              answers_, runs_, static_cast<std::uint32_t>(first), gaps_, cells, symbols_,
              problem_.scoring->open, problem_.scoring->extend,
              std::uint32_t{problem_.rules.ends == Ends::kGlobal}, ocl::Local{16 * columns_},
              static_cast<std::uint32_t>(columns_));
      device_.finish();
      seconds += now() - begin;
      done_ += static_cast<double>(count);
      if (problem_.progress)
        problem_.progress(
            {0, 0, 0, std::min(1.0, done_ / static_cast<double>(problem_.tasks.size()))});
      if (walk_) walk_back(std::span(tasks).subspan(first, count), cells);
    }
    return seconds;
  }

  /// H comes to the host, which walks through it.
  void walk_back(std::span<const GapsTask> tasks, std::uint64_t cells) {
    const auto found = device_.read(answers_, 0, problem_.tasks.size() * (gaps_ + 1));
    const auto h = device_.read(h_, 0, tasks.size() * gaps_ * cells);
    const auto make = [&](std::size_t i) {
      const Best best =
          best_of(std::span(found).subspan(std::size_t{tasks[i].number} * (gaps_ + 1), gaps_ + 1));
      return best.found() ? walk(h.data() + i * gaps_ * cells, cells, tasks[i].m, best)
                          : Alignment{};
    };
    std::size_t next = 0;
    batch::in_order(tasks.size(), batch::threads_of(problem_.threads), make,
                    [&](Alignment made) { walked_[tasks[next++].number] = std::move(made); });
  }

  ocl::Device& device_;
  const Plan& plan_;
  const Problem& problem_;
  std::uint32_t gaps_, symbols_ = 0;
  ocl::Kernel kernel_;
  ocl::Buffer<std::int32_t> layers_, h_, table_;
  ocl::Buffer<GapsAnswer> answers_;
  ocl::Buffer<std::uint32_t> runs_;
  std::size_t columns_ = 1, rows_ = 1;  // of the matrices
  double done_ = 0;
  bool walk_ = false;
  std::vector<Alignment> walked_;
};

Answer run_paper(ocl::Device* device, const Plan& plan, const Problem& problem) {
  Answer answer;
  answer.cells = plan.cells;
  if (problem.tasks.empty()) return answer;
  const double begin = now();
  ensure_tested(*device, find_variant(variants(), plan.variant), plan, PaperRun::defines(plan),
                problem);
  PaperRun run(*device, plan, problem);
  const double built = now();
  answer.build = built - begin;
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  run.run(true);
  run.take(answer);
  answer.compute = now() - built;
  std::vector<double> times;
  for (int i = 0; i < problem.repeats; ++i) times.push_back(run.run(false));
  if (!times.empty()) {
    std::ranges::sort(times);
    answer.kernel = times[times.size() / 2];
  }
  return answer;
}

template <bool single, Back back>
Variant paper_variant(std::string_view name, std::string_view summary) {
  return {name, summary, {kPaperGroup, kBatch}, plan_paper<single, back>, run_paper};
}

}  // namespace

std::span<const Variant> paper_variants() {
  static const std::array variants{
      paper_variant<true, Back::kNone>("single-a",
                                       "a group a pair, scans along the query; one "
                                       "target at a time, scores alone"),
      paper_variant<true, Back::kDevice>("single-b", "the same, walked back on the device"),
      paper_variant<true, Back::kHost>("single-h", "the same, walked back on the host"),
      paper_variant<false, Back::kNone>("multi-a",
                                        "single-a, but as many pairs at a time as memory "
                                        "has room for"),
      paper_variant<false, Back::kDevice>("multi-b", "the same, walked back on the device"),
      paper_variant<false, Back::kHost>("multi-h", "the same, walked back on the host")};
  return variants;
}

}  // namespace rhomb::gaps
