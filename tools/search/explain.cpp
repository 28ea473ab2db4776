// SPDX-License-Identifier: Apache-2.0
#include "tools/search/explain.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "host/engine/reference.h"
#include "host/error.h"
#include "host/search/setting.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr double kSample = 2e8;  ///< cells of the check of a block

std::string count_of(std::size_t count) { return with_commas(static_cast<std::int64_t>(count)); }

}  // namespace

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
  add("first_block",
      text_of(count_of(block.records), pairs ? " pairs, queries of " : " queries of ",
              human(block.symbols), " symbols", asked.run.both_strands ? ", both strands" : "",
              block.more ? "; more follow" : "; there are no more"));
  if (!unit.last) add("first_part", "for the memory that its tasks may take");
  add("tasks", text_of(count_of(problem.tasks.size()), ", pieces of up to ", count_of(longest),
                       " symbols; ", human(cells), " cells"));
  const auto [plan, match] = search::plan_tuned(store, device, variant, problem, asked.run.config);
  if (!plan.file.empty()) {
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
  return explained(lines, asked.format == SearchFormat::kJson);
}

std::uint64_t check_search(const search::Unit& unit) {
  const search::Problem problem = unit.problem();
  std::mt19937_64 random(unit.number);
  const std::size_t all = problem.tasks.size();
  const bool few = unit.answer.cells <= kSample;
  double cells = 0;
  std::uint64_t checked = 0;
  for (std::size_t i = 0; i < all && (few || cells < kSample); ++i) {
    const std::size_t number = few ? i : random() % all;
    const search::Task& task = problem.tasks[number];
    const std::string_view query = problem.queries[task.query];
    const auto [distance, end] = reference::best_occurrence(
        query, problem.texts[task.text].substr(task.begin, task.length), *problem.code, task.skip);
    cells += static_cast<double>(query.size()) * task.length;
    ++checked;
    const search::Best& found = unit.answer.best[number];
    if (distance == found.distance && end == found.end) continue;
    throw CheckError(text_of("check failed: query ", unit.name_of(task), " has distance ",
                             std::to_string(found.distance), " at ", std::to_string(found.end),
                             " of its piece ", std::to_string(number), ", but it is ",
                             std::to_string(distance), " at ", std::to_string(end)));
  }
  return checked;
}

}  // namespace rhomb::cli
