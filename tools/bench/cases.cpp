// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cases.h"

#include "tools/bench/axes.h"

namespace rhomb::cli {

Group case_group() {
  return {"Run",
          {{"case", "CASE",
            "a variant with a configuration, as 'coop W=1/2/4,R=8'; repeatable (default: every "
            "variant as it is planned)"},
           {"runs", "N", "measured runs, of which the median counts (default: 3)"},
           {"budget", "TIME", "the time for all cases, as 90, 90s, 4m or 1h (default: 4m)"}}};
}

std::vector<Case> parse_cases(const CommandLine& line, const std::vector<std::string>& variants) {
  std::vector<Case> cases;
  for (const auto& text : line.texts("case")) {
    const auto words = split(text, ' ');
    const std::string name = words.empty() ? "" : words.front();
    if (std::ranges::find(variants, name) == variants.end() || words.size() > 2)
      throw UsageError(text_of("--case: '", text, "' is no variant with a configuration",
                               did_you_mean(name, variants), "; choose from ", joined(variants),
                               line.pointer()));
    for (const auto& config : configs_of(words.size() > 1 ? words.back() : ""))
      cases.push_back({name, config});
  }
  if (!line.has("case"))
    for (const auto& name : variants) cases.push_back({name, {}});
  return cases;
}

TimeShare parse_budget(const CommandLine& line) {
  const std::string given = line.text("budget", "4m");
  const double seconds = parse_duration(given, "--budget");
  if (seconds < 1)
    throw UsageError(text_of("--budget: '", given, "' is less than a second", line.pointer()));
  return TimeShare(seconds);
}

std::string CaseResult::name() const {
  const std::string values = asked.config.text();
  return text_of(asked.variant.empty() ? program : asked.variant, values.empty() ? "" : " ",
                 values);
}

std::vector<Json> records_of(const std::vector<CaseResult>& results,
                             const ocl::DeviceInfo& device) {
  std::vector<Json> records;
  for (const CaseResult& result : results) {
    const auto peer = std::ranges::find_if(results, [&](const CaseResult& other) {
      return other.program != "rhomb" && other.peer_group == result.peer_group;
    });
    const bool own = result.program == "rhomb";
    const double cores = !own ? 1 : device.limits.gpu ? 0 : device.limits.compute_units;
    const auto number = [&](bool known, double value) {
      return result.measured() && known && value > 0 ? Json(value) : Json();
    };
    const bool compares = result.measured() && peer != results.end() && peer->measured();
    const double times = compares ? result.gcups() / peer->gcups() : 0;
    const double whole = result.whole.value_or(0);
    Json record;
    record["program"] = result.program;
    record["variant"] = result.asked.variant;
    record["config"] = json_of(result.measured() ? result.config : result.asked.config);
    record["device"] = own ? device.name : "host";
    for (const auto& [name, value] : result.work.items()) record[name] = value;
    record["runs"] = result.runs;
    record["seconds"] = number(true, result.kernel);
    record["gcups"] = number(true, result.gcups());
    record["seconds_whole"] = number(whole > 0, whole);
    record["gcups_whole"] = number(whole > 0, whole > 0 ? result.cells / whole / 1e9 : 0);
    record["cores"] = cores > 0 ? Json(static_cast<unsigned>(cores)) : Json();
    record["times_peer"] = number(compares, times);
    record["times_peer_core"] = number(compares && cores > 0, cores > 0 ? times / cores : 0);
    record["note"] = result.why;
    record["asked"] = json_of(result.asked.config);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace rhomb::cli
