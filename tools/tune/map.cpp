// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/map.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "tools/cli/text.h"
#include "tools/dots.h"
#include "tools/scale.h"
#include "tools/tune/rows.h"

namespace rhomb::cli {
namespace {

using tune::Outcome;
using tune::Trial;

/// "K=4, WG=128: 512 GCUPS, 0.0031 s"
std::string trial_words(const Trial& trial) {
  const tune::Config& config = trial.config.values().empty() ? trial.used : trial.config;
  return text_of(config_words(config), ": ", rate_text(gcups_of(trial)), " GCUPS, ",
                 significant(trial.seconds), " s");
}

/// The trials of one cell, put into words and colour.
HeatCell cell_of(const std::string& where, const std::vector<const Trial*>& trials,
                 const Tried& tried) {
  HeatCell cell;
  if (trials.empty()) {
    cell.tip = where + ": not tried";
    return cell;
  }
  const Trial* best = nullptr;
  std::map<Outcome, std::vector<const Trial*>> others;
  for (const Trial* const trial : trials) {
    if (trial->outcome != Outcome::kMeasured)
      others[trial->outcome].push_back(trial);
    else if (best == nullptr || trial->seconds < best->seconds)
      best = trial;
    cell.own = cell.own || trial == tried.planned();
  }
  if (best != nullptr) {
    cell.value = gcups_of(*best);
    cell.best = best == tried.fastest();
    cell.tip = trial_words(*best);
    if (trials.size() > 1) cell.tip += text_of("; best of ", std::to_string(trials.size()));
    if (cell.own)
      cell.tip +=
          text_of("; the plan's own choice: ", rate_text(gcups_of(*tried.planned())), " GCUPS");
  } else {
    cell.tip = where;
    std::size_t most = 0;
    for (const auto& [outcome, some] : others)
      if (some.size() > most) {
        most = some.size();
        cell.word = tune::name_of(outcome);
      }
  }
  for (const auto& [outcome, some] : others)
    cell.tip += text_of("; ", std::to_string(some.size()), " ", tune::name_of(outcome), ": ",
                        some.front()->why.substr(0, 200));
  return cell;
}

std::vector<std::string> words_of(const std::vector<int>& values) {
  std::vector<std::string> words;
  for (const int value : values) words.push_back(std::to_string(value));
  return words;
}

}  // namespace

std::vector<Spread> spreads_of(const Tried& tried) {
  const tune::Space space = space_of(tried.task());
  std::map<std::string, std::set<int>> values;
  std::map<std::string, std::map<int, double>> best;
  for (const Trial& trial : tried.trials())
    for (const tune::Config* const config : {&trial.config, &trial.used})
      for (const auto& [name, value] : config->values()) {
        values[name].insert(value);
        if (trial.outcome != Outcome::kMeasured) continue;
        double& rate = best[name][value];
        rate = std::max(rate, gcups_of(trial));
      }
  for (const tune::Param& param : space)
    values[param.name].insert(param.values.begin(), param.values.end());
  std::vector<Spread> spreads;
  for (const auto& [name, all] : values) {
    Spread spread{name, "", {all.begin(), all.end()}, 1};
    for (const tune::Param& param : space)
      if (param.name == name) spread.meaning = param.meaning;
    double least = 0, most = 0;
    for (const auto& [value, rate] : best[name]) {
      least = least == 0 ? rate : std::min(least, rate);
      most = std::max(most, rate);
    }
    if (least > 0) spread.factor = most / least;
    spreads.push_back(spread);
  }
  std::ranges::stable_sort(spreads, [](const Spread& a, const Spread& b) {
    return a.factor != b.factor ? a.factor > b.factor : a.values.size() > b.values.size();
  });
  return spreads;
}

HeatMap heat_map(const Tried& tried, const std::vector<Spread>& spreads) {
  const tune::Task& task = tried.task();
  HeatMap map;
  map.title = text_of(task.variant, ", ", task_words(task));
  map.unit = "GCUPS";
  if (spreads.empty()) return map;
  // Pages have room below, not beside: what has more values goes down.
  const bool two = spreads.size() > 1;
  const std::size_t down = two && spreads[1].values.size() > spreads[0].values.size() ? 1 : 0;
  const Spread& rows = spreads[down];
  const Spread& columns = two ? spreads[1 - down] : spreads[0];
  map.across = columns.name;
  map.down = two ? rows.name : "";
  map.columns = words_of(columns.values);
  map.rows = two ? words_of(rows.values) : std::vector<std::string>{""};
  const std::string_view what =
      is_pair(task) ? "length\u00b2 / seconds on the device" : "cells / seconds of the launches";
  map.subtitle = two ? text_of(what, ", the best over all other tunables, for each ", rows.name,
                               " and ", columns.name)
                     : text_of(what, " for each ", columns.name);
  std::map<std::pair<int, int>, std::vector<const Trial*>> at;
  for (const Trial& trial : tried.trials()) {
    const auto column = value_of(trial, columns.name);
    const auto row = two ? value_of(trial, rows.name) : std::optional(0);
    if (row && column) at[{*row, *column}].push_back(&trial);
  }
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    map.cells.emplace_back();
    for (const int column : columns.values) {
      const int row = two ? rows.values[i] : 0;
      const std::string where = text_of(two ? text_of(rows.name, "=", map.rows[i], ", ") : "",
                                        columns.name, "=", std::to_string(column));
      map.cells.back().push_back(cell_of(where, at[{row, column}], tried));
    }
  }
  return map;
}

}  // namespace rhomb::cli
