// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/variants.h"

#include <algorithm>

#include "host/distance/distance.h"
#include "host/gaps/gaps.h"
#include "host/lcs/lcs.h"
#include "host/search/search.h"
#include "host/strip/strip.h"
#include "host/wfa/wfa.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr std::string_view kCopying[] = {"CHUNK", "QUEUES"};
constexpr std::string_view kOfScores[] = {"BITS", "SCORES"};

template <class Table>
void add_rows(std::vector<TunedVariant>& rows, std::string_view engine, const Table& table) {
  const auto& found = *std::ranges::find(tuned_engines(), engine, &TunedEngine::name);
  for (const auto& row : table) {
    if (row.space.empty() || row.uses_cuda()) continue;
    tune::Space space = row.space;
    const tune::Task task{std::string(engine), std::string(row.name), 0, 0};
    std::erase_if(space, [&](const tune::Param& param) { return left_alone(task, param.name); });
    rows.push_back({&found, task.variant, std::move(space)});
  }
}

std::vector<TunedVariant> make_rows() {
  std::vector<TunedVariant> rows;
  add_rows(rows, "strips", strip::variants());
  add_rows(rows, "wavefront", wfa::variants());
  add_rows(rows, "search", search::variants());
  add_rows(rows, "lcs", lcs::variants());
  add_rows(rows, "gaps", gaps::variants());
  return rows;
}

}  // namespace

const std::vector<TunedEngine>& tuned_engines() {
  constexpr std::int64_t kAny = INT64_MAX;
  static const std::vector<TunedEngine> engines = {
      {"strips", "distance", "1M", "100k", "unrelated", 100, kAny},
      {"wavefront", "distance", "1M", "100k", "0.05", 100, kAny},
      {"search", "search", "200", "200", "0.05", 10, 10'000},
      {"lcs", "lcs", "4k", "4k", "unrelated", 10, 100'000},
      {"gaps", "gaps", "200", "200", "0.05", 10, 10'000}};
  return engines;
}

const TunedEngine& engine_of(const tune::Task& task) {
  const auto found = std::ranges::find(tuned_engines(), task.engine, &TunedEngine::name);
  return found != tuned_engines().end() ? *found : tuned_engines().front();
}

std::vector<std::string> tuned_verbs() {
  std::vector<std::string> verbs;
  for (const TunedEngine& engine : tuned_engines())
    if (verbs.empty() || verbs.back() != engine.verb) verbs.emplace_back(engine.verb);
  return verbs;
}

const std::vector<TunedVariant>& tuned_variants() {
  static const std::vector<TunedVariant> rows = make_rows();
  return rows;
}

std::size_t place_of(const tune::Task& task) {
  const auto& rows = tuned_variants();
  const auto found = std::ranges::find_if(rows, [&](const TunedVariant& row) {
    return row.engine->name == task.engine && row.variant == task.variant;
  });
  return static_cast<std::size_t>(found - rows.begin());
}

tune::Space space_of(const tune::Task& task) {
  const std::size_t place = place_of(task);
  return place < tuned_variants().size() ? tuned_variants()[place].space : tune::Space();
}

bool left_alone(const tune::Task& task, std::string_view tunable) {
  return (task.engine == "lcs" && std::ranges::find(kCopying, tunable) != std::end(kCopying)) ||
         (task.engine == "gaps" && std::ranges::find(kOfScores, tunable) != std::end(kOfScores));
}

tune::Config walked(const tune::Task& task, const tune::Config& config) {
  auto values = config.values();
  std::erase_if(values, [&](const auto& value) { return left_alone(task, value.first); });
  return tune::Config(std::move(values));
}

bool is_pair(const tune::Task& task) { return engine_of(task).verb == "distance"; }

}  // namespace rhomb::cli
