// SPDX-License-Identifier: Apache-2.0
#include "tools/search/explain.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "host/search/setting.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
std::string explain_search(const SearchOptions& asked, const search::Run& run,
                           const search::Unit& unit, const ocl::DeviceInfo* device,
                           const tune::Store* store) {
  const search::Variant& variant = run.variant();
  const search::Block& block = *unit.block;
  const bool pairs = !asked.pairs.empty();
  if (variant.on_host) device = nullptr;
  std::vector<std::pair<std::string, std::string>> lines;
  const auto add = [&](std::string name, std::string value) {
    lines.emplace_back(std::move(name), std::move(value));
  };
  const search::Problem problem = unit.problem();
  add("device", device == nullptr ? "host" : text_of(device->name, ", driver ", device->driver));
  add("variant", std::string(variant.name));
  add("summary", std::string(variant.summary));
  add("bits_per_symbol", std::to_string(block.code.planes));
  add("symbols_match_by",
      block.code.matching == seq::Matching::kSets ? "sets of bases" : "equality");
  double cells = 0;
  std::uint32_t longest = 0;
  for (const search::Task& task : problem.tasks) {
    cells += static_cast<double>(problem.queries[task.query].size()) * task.length;
    longest = std::max(longest, task.length);
  }
  add("largest_block",
      text_of(count_of(block.records), pairs ? " pairs, queries of " : " queries of ",
              human(block.symbols), " symbols", asked.run.both_strands ? ", both strands" : "",
              block.others()));
  if (!unit.last) add("part", "its first, for the memory that its tasks may take");
  add("tasks", text_of(count_of(problem.tasks.size()), ", pieces of up to ", count_of(longest),
                       " symbols; ", human(cells), " cells"));
  const auto [plan, match] = search::plan_tuned(store, device, variant, problem, asked.run.config);
  if (!variant.on_host) {
    add("tuned_setting", match);
    add("config", plan.config.text());
    add("programs", std::to_string(plan.shapes.size()));
    constexpr std::size_t kMost = 8;
    for (std::size_t i = 0; i < std::min(kMost, plan.shapes.size()); ++i) {
      const search::Shape& shape = plan.shapes[i];
      std::string program = plan.file;
      for (const auto& [name, value] : shape.defines) program += text_of(" -D", name, "=", value);
      add(text_of("program_", std::to_string(i + 1)),
          text_of(count_of(shape.count), " tasks, queries of up to ", count_of(shape.longest),
                  ", pieces of up to ", count_of(shape.columns), ": ", program));
    }
    if (plan.shapes.size() > kMost)
      add("programs_left_out", std::to_string(plan.shapes.size() - kMost));
  }
  const batch::Memory memory =
      run.memory(unit, plan, device != nullptr ? device->limits : ocl::Limits{});
  add("device_bytes", std::to_string(memory.device));
  add("host_bytes", std::to_string(memory.host));
  return explained(lines, asked.format == Format::kJson);
}

}  // namespace rhomb::cli
