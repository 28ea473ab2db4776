// SPDX-License-Identifier: Apache-2.0
#include "host/rhomb.h"

#include <algorithm>
#include <cstdio>

#include "host/reference.h"
#include "host/wfa/internal.h"

namespace rhomb {
namespace {

/// A matrix of so many cells takes the reference well under a second.
constexpr double kShort = 2e8;

const wfa::Row& chosen_row(const DistanceOptions& options) {
  const auto rows = wfa::variants();
  if (options.engine == "reference") {
    if (!options.variant.empty() && options.variant != "reference")
      throw UsageError("engine 'reference' has no variant '" + options.variant + "'");
    return find_variant(rows, "reference");
  }
  if (options.engine != "auto" && options.engine != "wavefront")
    throw UsageError("unknown engine '" + options.engine +
                     "'; there are: auto, wavefront, reference");
  return options.variant.empty() ? rows.front() : find_variant(rows, options.variant);
}

wfa::Problem problem_of(std::string_view a, std::string_view b, const seq::Code& code,
                        const DistanceOptions& options) {
  wfa::Problem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &code;
  problem.max_distance = options.max_distance;
  problem.progress = options.progress;
  return problem;
}

std::string words(const std::optional<std::int64_t>& distance) {
  return distance ? std::to_string(*distance) : std::string("larger than the limit");
}

/// Solves `problem` again in another way and compares. Returns what it was compared with.
std::string check(ocl::Device* device, const wfa::Row& row, const wfa::Problem& problem,
                  const std::optional<std::int64_t>& found) {
  const auto rows = wfa::variants();
  const double cells =
      static_cast<double>(problem.a.size()) * static_cast<double>(problem.b.size());
  wfa::Problem again = problem;
  again.progress = {};
  const wfa::Row* other = &find_variant(rows, "reference");
  if (cells > kShort && device != nullptr && row.name != "reference")
    other = &find_variant(rows, row.name == "batched" ? "fused" : "batched");
  const auto expected = wfa::solve(device, *other, again).distance;
  if (expected != found)
    throw CheckError("check failed: variant " + std::string(row.name) + " says " + words(found) +
                     ", variant " + std::string(other->name) + " says " + words(expected) +
                     (device != nullptr ? " on '" + device->info().name + "'" : std::string()) +
                     "; please report this with the input");
  return std::string(other->name);
}

}  // namespace

DistanceAnswer distance(ocl::Device* device, std::string_view a, std::string_view b,
                        const DistanceOptions& options) {
  const double start = wfa::now();
  const wfa::Row& row = chosen_row(options);
  const bool host = row.name == "reference";
  if (device == nullptr && !host)
    throw UsageError("variant '" + std::string(row.name) + "' needs an OpenCL device");
  const seq::Code code = seq::make_code(a, b, options.ambiguous);
  const wfa::Problem problem = problem_of(a, b, code, options);

  DistanceAnswer answer;
  answer.engine = host ? "reference" : "wavefront";
  answer.variant = row.name;
  answer.device = host ? "host" : device->info().name;
  const double built = device != nullptr ? device->clock().build : 0;
  const wfa::Answer found = wfa::solve(device, row, problem, options.config);
  answer.distance = found.distance;
  answer.config = found.config;
  answer.cells = found.cells;
  answer.timing.compute = found.compute;
  answer.timing.build =
      std::max(found.build, device != nullptr ? device->clock().build - built : 0);
  answer.timing.total = wfa::now() - start;
  answer.timing.transfer = std::max(0.0, found.transfer);
  if (options.check) answer.checked = check(device, row, problem, found.distance);
  return answer;
}

std::vector<std::pair<std::string, std::string>> explain_distance(const ocl::DeviceInfo* device,
                                                                  std::string_view a,
                                                                  std::string_view b,
                                                                  const DistanceOptions& options) {
  const wfa::Row& row = chosen_row(options);
  const bool host = row.name == "reference";
  const seq::Code code = seq::make_code(a, b, options.ambiguous);
  const wfa::Problem problem = problem_of(a, b, code, options);
  const wfa::Problem rest = wfa::trimmed(problem);
  std::vector<std::pair<std::string, std::string>> lines;
  const auto say = [&](const char* name, const std::string& value) {
    lines.emplace_back(name, value);
  };
  const auto mib = [](std::uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
    return std::string(text);
  };

  say("lengths", std::to_string(a.size()) + " x " + std::to_string(b.size()));
  say("left without common prefix and suffix",
      std::to_string(rest.a.size()) + " x " + std::to_string(rest.b.size()));
  say("bits a symbol", std::to_string(code.planes) +
                           (code.matching == seq::Matching::kSets ? " (sets of bases)" : ""));
  if (host) {
    say("engine", "reference: " + std::string(row.idea));
    return lines;
  }
  say("engine", "wavefront: the only device engine there is, work grows with the distance squared");
  say("variant", std::string(row.name) + ": " + std::string(row.idea));
  say("device", device != nullptr ? device->name + ", driver " + device->driver : "none");
  const wfa::Plan plan =
      wfa::plan(row, problem, device != nullptr ? device->limits : ocl::Limits{}, options.config);
  say("config", plan.config.text());
  std::int64_t from = 0;
  for (const wfa::Stage& stage : plan.stages) {
    std::string text;
    for (const auto& [name, value] : plan.defines(stage)) text += name + "=" + value + " ";
    text += std::to_string(stage.tile()) + " diagonals a group, " + std::to_string(stage.steps) +
            (stage.steps == 1 ? " cost a launch" : " costs a launch");
    say(("program from " + std::to_string(from) + " diagonals on").c_str(), plan.file + " " + text);
    from = stage.widest + 1;
  }
  say("launches between two reads", std::to_string(plan.batch));
  say("largest distance looked for", std::to_string(plan.max_distance));
  say("device memory at the start", mib(plan.bytes));
  say("device memory at that distance", mib(plan.most_bytes));
  return lines;
}

}  // namespace rhomb
