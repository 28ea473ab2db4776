// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/search_runs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "host/error.h"
#include "tools/bench/peer.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr std::string_view kFirst = "strips-batch";  ///< others are compared with it
constexpr std::size_t kPairs = 20'000'000;           ///< the paper's
constexpr std::string_view kNoTime = "no time was left in --budget";

std::string name_of(std::string_view variant, const tune::Config& config, std::uint32_t m) {
  const std::string values = config.text();
  return text_of("m = ", std::to_string(m), ", ", variant, values.empty() ? "" : " ", values);
}

}  // namespace

std::vector<Json> rows_of(const std::vector<SearchRow>& rows, const std::string& device,
                          unsigned cores) {
  std::vector<Json> all;
  for (const SearchRow& row : rows) {
    const auto peer = std::ranges::find_if(
        rows, [&](const SearchRow& other) { return other.program != "rhomb" && other.m == row.m; });
    const bool own = row.program == "rhomb";
    std::optional<double> times;
    if (row.measured() && peer != rows.end()) times = row.gcups() / peer->gcups();
    const auto number = [&](std::optional<double> value) {
      return row.measured() && value && *value > 0 ? Json(*value) : Json();
    };
    Json line;
    line["figure"] = row.figure;
    line["program"] = row.program;
    line["variant"] = row.variant;
    line["config"] = row.config.text();
    line["device"] = own ? device : "host";
    line["m"] = row.m;
    line["n"] = row.n;
    line["pairs"] = row.pairs;
    line["runs"] = row.runs;
    line["seconds"] = number(row.kernel);
    line["gcups"] = number(row.gcups());
    line["seconds_copies"] = number(row.copies);
    line["gcups_copies"] = number(row.gcups_copies());
    line["cores"] = !own ? Json(1) : cores > 0 ? Json(cores) : Json();
    line["times_peer"] = number(times);
    line["times_peer_core"] = own && cores == 0 ? Json()
                              : times           ? number(*times / (own ? cores : 1))
                                                : Json();
    line["note"] = row.why;
    all.push_back(std::move(line));
  }
  return all;
}

SearchRuns::SearchRuns(Session& session, Progress& progress, const SearchMaterial& material,
                       int runs, std::optional<std::size_t> pairs)
    : session_(session),
      progress_(progress),
      material_(material),
      runs_(runs),
      pairs_(pairs),
      flight_(session.open()) {}

/// The flight's answers and, of `runs` flights or of one with so many launches, the medians.
void SearchRuns::time(SearchRow& row, SearchPool& pool, const search::Variant& variant,
                      bool copies) {
  search::Problem problem = pool.problem(row.pairs);
  if (!variant.uses_cuda()) problem.kept = &*kept_;
  problem.repeats = copies ? 1 : runs_;
  std::vector<double> kernel, whole;
  for (int run = 0; run < (copies ? runs_ : 1); ++run) {
    flight_.start(variant, problem, row.config);
    const search::Answer answer = flight_.finish();
    kernel.push_back(answer.kernel);
    whole.push_back(answer.compute);
    if (run == 0) check(row, answer.best);
    if (row.figure != "pilot") row.config = answer.config;
    if (expected_.size() < row.pairs && variant.name == kFirst) expected_ = answer.best;
  }
  row.runs = runs_;
  row.kernel = median(kernel);
  if (copies) row.copies = median(whole);
}

/// `seconds` is how long the launches may take; 0: all tasks, however long.
SearchRow SearchRuns::run(SearchPool& pool, const Wish& wish, double seconds, bool copies) {
  SearchRow row{wish.figure, "rhomb", wish.variant, wish.config, pool.m(), pool.n(), 0,
                0,           0,       {},           {}};
  progress_.start(name_of(wish.variant, wish.config, pool.m()));
  const search::Variant& variant = find_variant(search::variants(), wish.variant);
  try {
    SearchRow pilot = row;
    pilot.figure = "pilot";
    row.pairs = std::min(pool.size(), gpu() ? std::size_t{1} << 18 : std::size_t{1} << 12);
    for (int attempt = 0; seconds > 0 && attempt < 3 && row.pairs < pool.size(); ++attempt) {
      pilot.pairs = row.pairs;
      const int runs = std::exchange(runs_, 1);
      time(pilot, pool, variant, false);
      runs_ = runs;
      // Few tasks do not fill a device: they tell too low a rate.
      if (pilot.kernel > seconds / 3) break;
      const double more = std::min(seconds / std::max(pilot.kernel, 1e-7), 64.0);
      row.pairs =
          std::min(pool.size(), static_cast<std::size_t>(static_cast<double>(row.pairs) * more));
    }
    if (seconds == 0) row.pairs = pool.size();
    time(row, pool, variant, copies);
  } catch (const tune::Unfit& why) {
    row.why = why.what();
    row.pairs = 0;
  } catch (const MemoryError& why) {
    row.why = why.what();
    row.pairs = 0;
  } catch (const ocl::DeviceError& why) {
    if (!variant.uses_cuda()) throw;  // else there is no such device
    row.why = why.what();
    row.pairs = 0;
  }
  progress_.finish();
  return row;
}

void SearchRuns::check(const SearchRow& row, const std::vector<search::Best>& best) const {
  const std::size_t known = std::min(best.size(), expected_.size());
  for (std::size_t i = 0; i < known; ++i)
    if (!(best[i] == expected_[i]))
      throw CheckError(text_of(name_of(row.variant, row.config, row.m), ", task ",
                               std::to_string(i), ": distance ", std::to_string(best[i].distance),
                               ", end ", std::to_string(best[i].end), "; ", kFirst, " says ",
                               std::to_string(expected_[i].distance), ", ",
                               std::to_string(expected_[i].end), "; please report this"));
}

/// Some tasks from everywhere in the pool.
void SearchRuns::check_reference(const SearchPool& pool) const {
  constexpr double kCells = 5e7;
  const double cells = static_cast<double>(pool.m()) * pool.n();
  const std::size_t count =
      std::clamp<std::size_t>(static_cast<std::size_t>(kCells / cells), 8, 500);
  search::Problem problem = pool.problem(pool.size());
  std::vector<search::Task> tasks;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back(i * (pool.size() - 1) / (count - 1));
    tasks.push_back(pool.task(numbers.back()));
  }
  problem.tasks = tasks;
  const auto best = search::solve(nullptr, search::variants().back(), problem).best;
  for (std::size_t i = 0; i < count; ++i)
    if (!(best[i] == expected_[numbers[i]]))
      throw CheckError(
          text_of("m = ", std::to_string(pool.m()), ", task ", std::to_string(numbers[i]),
                  ": the reference says ", std::to_string(best[i].distance), ", ", kFirst, " ",
                  std::to_string(expected_[numbers[i]].distance), "; please report this"));
}

/// Makes the tasks, and has the first row answer all of them.
void SearchRuns::start(SearchPool& pool) {
  expected_.clear();
  const std::size_t few = std::min<std::size_t>(pairs_.value_or(kPairs), 4096);
  pool.grow(few);
  if (!kept_)
    kept_.emplace(*session_.open(), std::array{material_.text()}, material_.code(),
                  static_cast<std::uint32_t>(material_.text().size()));
  std::size_t pairs = pairs_.value_or(kPairs);
  if (!pairs_ && !gpu()) {
    SearchRow pilot{"pilot", "rhomb", std::string(kFirst), {}, pool.m(), pool.n(), few, 0, 0,
                    {},      {}};
    time(pilot, pool, find_variant(search::variants(), kFirst), false);
    constexpr double kSeconds = 0.7;
    pairs = std::clamp(static_cast<std::size_t>(kSeconds * static_cast<double>(few) / pilot.kernel),
                       few, kPairs / 10);
    expected_.clear();
  }
  pool.grow(pairs);
}

void SearchRuns::run_peers(const SearchPool& pool) {
  constexpr double kSeconds = 0.3;
  for (const SearchPeer& peer : built_in_search_peers()) {
    progress_.start(text_of("m = ", std::to_string(pool.m()), ", ", peer.name));
    SearchRow row{"4", peer.name, "", {}, pool.m(), pool.n(), 0, runs_, 0, {}, {}};
    std::vector<double> seconds;
    // About as many as take so long, from everywhere in the pool.
    std::size_t step = 1;
    const double begin = now();
    constexpr std::size_t kFew = 20;
    for (std::size_t i = 0; i < kFew; ++i)
      peer.distance(pool.query_of(i % pool.size()), pool.piece_of(i % pool.size()));
    const double each = (now() - begin) / kFew;
    row.pairs = std::clamp<std::size_t>(static_cast<std::size_t>(kSeconds / each), 1, pool.size());
    step = pool.size() / row.pairs;
    for (int run = 0; run < runs_; ++run) {
      const double start = now();
      for (std::size_t k = 0; k < row.pairs; ++k) {
        const std::size_t i = k * step;
        const auto distance = peer.distance(pool.query_of(i), pool.piece_of(i));
        if (distance != expected_[i].distance)
          throw CheckError(text_of("m = ", std::to_string(pool.m()), ", task ", std::to_string(i),
                                   ": ", peer.name, " says ", std::to_string(distance), ", ",
                                   kFirst, " ", std::to_string(expected_[i].distance),
                                   "; please report this"));
      }
      seconds.push_back(now() - start);
    }
    row.kernel = median(seconds);
    rows_.push_back(row);
    progress_.finish();
  }
}

std::vector<SearchRuns::Wish> SearchRuns::wishes(const std::vector<std::string>& figures) const {
  std::vector<std::vector<Wish>> sweeps;
  const auto sweep = [&](const char* figure, const char* variant, const char* name,
                         std::vector<int> values) {
    if (std::ranges::find(figures, figure) == figures.end()) return;
    auto& all = sweeps.emplace_back();
    for (const int value : values) all.push_back({figure, variant, tune::Config({{name, value}})});
  };
  const auto pick = [this](std::vector<int> many, std::vector<int> few) {
    return gpu() ? many : few;
  };
  const std::vector<int> groups = pick({32, 64, 128, 256}, {64, 256});
  sweep("8", "coop", "W", pick({1, 2, 4, 8, 16}, {1, 4, 16}));
  // Its rows are among those of figure 8.
  if (std::ranges::find(figures, "8") == figures.end()) sweep("7", "coop", "W", {1});
  sweep("R", "coop", "R", pick({1, 2, 4, 8, 16, 32}, {1, 8, 32}));
  sweep("5", "task-private", "WG", groups);
  sweep("6", "task-local", "WG", groups);
  if (std::ranges::find(figures, "strips") != figures.end()) {
    auto& all = sweeps.emplace_back();
    for (const int rows : pick({16, 24, 8, 28, 20, 12, 32, 4}, {16, 28, 8, 4}))
      for (const int slot : {8, 16, 32})
        all.push_back({"strips", "strips-batch", tune::Config({{"SLOT", slot}, {"K", rows}})});
  }
  // In turn, so that no figure is without rows if there is little time.
  std::vector<Wish> all;
  for (std::size_t i = 0, before = 1; before != all.size(); ++i) {
    before = all.size();
    for (const auto& one : sweeps)
      if (i < one.size()) all.push_back(one[i]);
  }
  return all;
}

/// What was faster than the defaults runs again, like these.
void SearchRuns::run_best(SearchPool& pool, double seconds) {
  for (const search::Variant& variant : search::variants()) {
    const SearchRow* best = nullptr;
    for (const SearchRow& row : rows_)
      if (row.m == pool.m() && row.variant == variant.name && row.measured() &&
          (best == nullptr || row.gcups() > 1.02 * best->gcups()))
        best = &row;
    if (best != nullptr && best->figure != "4")
      rows_.push_back(run(pool, {"4", best->variant, best->config}, seconds, true));
  }
}

void SearchRuns::measure(std::uint32_t m, const std::vector<std::string>& figures, double seconds) {
  const TimeShare share(seconds);
  const double each = gpu() ? 0.5 : 0.25, swept = gpu() ? 0.08 : 0.1;  // seconds of the launches
  SearchPool pool(material_, m);
  start(pool);
  for (const search::Variant& variant : search::variants()) {
    if (variant.name == "reference") continue;
    const bool first = variant.name == kFirst;
    rows_.push_back(run(pool, {"4", std::string(variant.name), {}}, first ? 0 : each, true));
    if (!first) continue;
    if (!rows_.back().measured()) throw tune::Unfit(rows_.back().why);
    check_reference(pool);
    run_peers(pool);
  }
  for (const Wish& wish : wishes(figures)) {
    if (share.left() > 0.15 * seconds) {
      rows_.push_back(run(pool, wish, swept, false));
    } else {
      rows_.push_back({wish.figure,
                       "rhomb",
                       wish.variant,
                       wish.config,
                       m,
                       pool.n(),
                       0,
                       0,
                       0,
                       {},
                       std::string(kNoTime)});
    }
  }
  run_best(pool, each);
}

}  // namespace rhomb::cli
