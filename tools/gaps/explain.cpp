// SPDX-License-Identifier: Apache-2.0
#include "tools/gaps/explain.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

std::string words_of(const gaps::Shape& shape) {
  std::string text = text_of(std::to_string(shape.pairs), shape.pairs == 1 ? " pair" : " pairs",
                             " a word of ", shape.wide ? "32" : "16", "-bit scores");
  return text_of(text, shape.wide ? "" : " (which are proven to suffice)", ", ",
                 std::to_string(shape.span), shape.span == 1 ? " work-item" : " work-items",
                 " with ", std::to_string(shape.cols), " columns each");
}

std::string rules_of(const gaps::Rules& rules) {
  constexpr const char* kEnds[] = {"of a prefix of the target", "of the whole target",
                                   "of any part of the target"};
  return text_of("at most ", std::to_string(rules.gaps), rules.gaps == 1 ? " gap, " : " gaps, ",
                 kEnds[static_cast<int>(rules.ends)], rules.strict ? ", strict" : "",
                 rules.band ? text_of(", within ", std::to_string(*rules.band), " of the diagonal")
                            : std::string());
}

}  // namespace

std::string explain_gaps(const GapsOptions& asked, const gaps::Run& run, const gaps::Unit& unit,
                         const ocl::DeviceInfo* device, const tune::Store* store) {
  const gaps::Variant& variant = run.variant();
  if (variant.on_host) device = nullptr;
  std::vector<std::pair<std::string, std::string>> lines;
  const auto add = [&](std::string name, std::string value) {
    lines.emplace_back(std::move(name), std::move(value));
  };
  const bool at_once = asked.run.align && !asked.run.top && !asked.run.least;
  const gaps::Problem problem = unit.problem(at_once);
  const auto [plan, match] = gaps::plan_tuned(store, device, variant, problem, asked.run.config);
  add("device", device == nullptr ? "host" : text_of(device->name, ", driver ", device->driver));
  add("variant", std::string(variant.name));
  add("summary", std::string(variant.summary));
  add("alignments", rules_of(asked.run.rules));
  const gaps::Scoring& scoring = asked.scoring;
  add("scores", scoring.name);
  add("gap_open", scoring.text(-scoring.open));
  add("gap_extend", scoring.text(-scoring.extend));
  if (scoring.scale > 1) add("scores_times", std::to_string(scoring.scale));
  add("largest_block", text_of(count_of(unit.block->records),
                               asked.all_pairs ? " queries" : " pairs", unit.block->others()));
  if (!unit.last) add("part", "its first, for the memory that its pairs may take");
  add("pairs", text_of(count_of(unit.tasks.size()), "; ", human(plan.cells), " cells in each of ",
                       std::to_string(asked.run.rules.gaps + 1), " layers"));
  add("walked_back", !asked.run.align ? "not: scores only"
                     : at_once        ? "all"
                                      : "those that are printed, in a second run");
  if (!plan.file.empty()) {
    add("tuned_setting", match);
    add("config", plan.config.text());
    add("programs", std::to_string(std::max<std::size_t>(1, plan.shapes.size())));
    constexpr std::size_t kMost = 8;
    for (std::size_t i = 0; i < std::min(kMost, plan.shapes.size()); ++i) {
      const gaps::Shape& shape = plan.shapes[i];
      std::string program = plan.file;
      for (const auto& [name, value] : shape.defines) program += text_of(" -D", name, "=", value);
      add(text_of("program_", std::to_string(i + 1)),
          text_of(count_of(shape.groups.size()), " groups, ", words_of(shape), ": ", program));
    }
    if (plan.shapes.size() > kMost)
      add("programs_left_out", std::to_string(plan.shapes.size() - kMost));
    if (plan.shapes.empty()) add("pairs_at_a_time", count_of(plan.batch));
  }
  const batch::Memory memory = run.memory(unit, plan);
  add("device_bytes", std::to_string(memory.device));
  add("host_bytes", std::to_string(memory.host));
  return explained(lines, asked.format == Format::kJson);
}

}  // namespace rhomb::cli
