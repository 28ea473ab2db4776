// SPDX-License-Identifier: Apache-2.0
#include "tools/figures.h"

#include <algorithm>

#include "tools/bench/paper_numbers.h"
#include "tools/cli/text.h"
#include "tools/dots.h"

namespace rhomb::cli {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = {
      {"4", "rate against work-items a group: baseline, dynamic, batched", 0.14, figure_4},
      {"5", "time of a launch against its column, of the same", 0.08, figure_5},
      {"7", "rate against launches a read, at several lengths", 0.10, figure_7},
      {"10", "rate of prefetching, tiles, groups and diamonds against their sizes", 0.30,
       figure_10},
      {"12", "the highest rate of each variant, and of rhomb's own", 0.24, figure_12},
      {"13", "rate against similarity", 0.14, figure_13},
  };
  return all;
}

void Study::remember(const std::vector<Measurement>& rows) {
  for (const auto& row : rows) {
    Best& known = best[row.variant];
    if (gcups_of(row) > known.gcups) known = {row.config, gcups_of(row)};
  }
}

DistanceOptions Study::fastest(const std::string& variant) const {
  const auto found = best.find(variant);
  return wavefront(variant, found == best.end() ? tune::Config{} : found->second.config);
}

DistanceOptions wavefront(const std::string& variant, const tune::Config& config) {
  DistanceOptions method;
  method.engine = "wavefront";
  method.variant = variant;
  method.config = config;
  return method;
}

std::vector<DistanceOptions> stepped(Study& study, double enough) {
  std::vector<DistanceOptions> methods;
  for (const auto& name : {"baseline", "dynamic", "batched"})
    if (study.trials.learn(study.fastest(name), enough)) methods.push_back(study.fastest(name));
  return methods;
}

double gcups_of(const Measurement& row) {
  return static_cast<double>(row.query_length) * static_cast<double>(row.target_length) /
         std::max(row.seconds, 1e-9) / 1e9;
}

std::string config_text(const tune::Config& config) {
  std::string text;
  for (const auto& [name, value] : config.values())
    if (name != "BATCH" || config.values().size() == 1)
      text += text_of(text.empty() ? "" : ", ", name, "=", std::to_string(value));
  return text;
}

std::vector<int> fitting(const Study& study, std::vector<int> groups) {
  std::erase_if(groups, [&](int size) {
    return static_cast<std::size_t>(size) > study.trials.device().limits.max_work_group;
  });
  return groups;
}

std::vector<int> group_sizes(const Study& study) {
  if (!study.gpu()) return fitting(study, {32, 128, 512});
  return fitting(study, {32, 64, 96, 128, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024});
}

std::vector<int> thinned(const std::vector<int>& values) {
  std::vector<int> kept;
  for (std::size_t i = 0; i < values.size(); i += 2) kept.push_back(values[i]);
  if (!values.empty() && kept.back() != values.back()) kept.back() = values.back();
  return kept;
}

std::string where(const Study& study, const TrialText& text) {
  return text_of(text.name, text.name.starts_with("first") ? " of each, " : ", ",
                 study.trials.device().name);
}

void set_ratios(std::vector<Measurement>& rows) {
  double best = 0;
  for (const auto& row : rows) best = std::max(best, gcups_of(row));
  for (auto& row : rows) row.ratio = best / std::max(gcups_of(row), 1e-9);
}

const Measurement* fastest_row(const std::vector<Measurement>& rows, std::string_view variant) {
  const Measurement* best = nullptr;
  for (const auto& row : rows)
    if (row.variant == variant && (best == nullptr || gcups_of(row) > gcups_of(*best))) best = &row;
  return best;
}

std::vector<Fact> best_facts(const std::vector<Measurement>& rows,
                             const std::vector<std::string>& variants) {
  const auto at = [](const std::string& config) {
    return config.empty() ? "" : text_of(" (", config, ")");
  };
  std::vector<Fact> facts;
  for (const auto& variant : variants) {
    const auto paper = paper_best(variant);
    const Measurement* const ours = fastest_row(rows, variant);
    facts.push_back(
        {text_of(variant, ", highest GCUPS"),
         paper ? text_of(rate_text(paper->gcups), at(std::string(paper->config))) : "not printed",
         ours != nullptr ? text_of(rate_text(gcups_of(*ours)), at(config_text(ours->config)))
                         : "not measured"});
  }
  return facts;
}

}  // namespace rhomb::cli
