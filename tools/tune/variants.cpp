// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/variants.h"

#include <algorithm>

#include "host/gaps/gaps.h"
#include "host/lcs/lcs.h"
#include "host/primer/primer.h"
#include "host/search/search.h"
#include "host/strip/strip.h"
#include "host/wfa/wfa.h"

namespace rhomb::cli {

const std::vector<TunedEngine>& tuned_engines() {
  static const std::vector<TunedEngine> engines = {
      {"strips", "distance", "1M", "100k", "unrelated", 100, INT64_MAX},
      {"wavefront", "distance", "1M", "100k", "0.05", 100, INT64_MAX},
      {"search", "search", "200", "200", "0.05", 10, 10'000},
      {"lcs", "lcs", "4k", "4k", "unrelated", 10, 100'000, {"CHUNK", "QUEUES"}},
      {"gaps", "gaps", "200", "200", "0.05", 10, 10'000, {"BITS", "SCORES", "DIAGONAL"}},
      {"primer", "primer", "20", "20", "unrelated", 1, 1000, {"COUNT"}}};
  return engines;
}

const TunedEngine& engine_of(const tune::Task& task) {
  const auto found = std::ranges::find(tuned_engines(), task.engine, &TunedEngine::name);
  return found != tuned_engines().end() ? *found : tuned_engines().front();
}

const std::vector<TunedVariant>& tuned_variants() {
  static const std::vector<TunedVariant> all = [] {
    std::vector<TunedVariant> made;
    const auto add = [&made](const std::string& engine, const auto& table) {
      for (const auto& variant : table) {
        if (variant.space.empty() || variant.uses_cuda()) continue;
        const tune::Task task{engine, std::string(variant.name), 0, 0};
        tune::Space space = variant.space;
        std::erase_if(space,
                      [&](const tune::Param& param) { return left_alone(task, param.name); });
        made.push_back({&engine_of(task), task.variant, std::move(space)});
      }
    };
    add("strips", strip::variants());
    add("wavefront", wfa::variants());
    add("search", search::variants());
    add("lcs", lcs::variants());
    add("gaps", gaps::variants());
    add("primer", primer::variants());
    return made;
  }();
  return all;
}

std::size_t place_of(const tune::Task& task) {
  const auto& all = tuned_variants();
  const auto found = std::ranges::find_if(all, [&](const TunedVariant& one) {
    return one.engine->name == task.engine && one.variant == task.variant;
  });
  return static_cast<std::size_t>(found - all.begin());
}

tune::Space space_of(const tune::Task& task) {
  const std::size_t place = place_of(task);
  return place < tuned_variants().size() ? tuned_variants()[place].space : tune::Space();
}

bool left_alone(const tune::Task& task, std::string_view tunable) {
  const auto& names = engine_of(task).left_alone;
  return std::ranges::find(names, tunable) != names.end();
}

tune::Config walked(const tune::Task& task, const tune::Config& config) {
  auto values = config.values();
  std::erase_if(values, [&](const auto& value) { return left_alone(task, value.first); });
  return tune::Config(std::move(values));
}

bool is_pair(const tune::Task& task) { return engine_of(task).verb == "distance"; }

}  // namespace rhomb::cli
