// SPDX-License-Identifier: Apache-2.0
// The row of bit-sliced strips.
#include <algorithm>
#include <cmath>

#include "host/lcs/internal.h"
#include "host/lcs/pack.h"
#include "host/lcs/pipeline.h"

namespace rhomb::lcs {
namespace {

const tune::Param kLanes{
    "LANES", {1, 4, 8, 16}, "lanes a work-item: 1 on GPUs, a register on CPUs"};
const tune::Param kStrips{"S", {32, 16, 8, 4}, "strips a subject; 32/S subjects share a word"};
const tune::Param kRows{"K", {16, 8, 4, 2, 32, 1, 24, 12, 6, 3}, "rows a strip"};

/// Logic operations of a step: two for each cell and one for each plane, and what moves the texts,
/// the idle columns, h and the stream on: one each where a slot is a word, else three.
double step_operations(int strips, int k, int planes) {
  const int moved = planes + 3;
  return k * (2 + planes) + (strips == 32 ? moved : 3 * moved) + 1;
}

/// Plan::operations with so many strips of so many rows, for subjects of `length` symbols.
double column_operations(const Plan& plan, int strips, int k, double length) {
  const auto rows = static_cast<double>(strips * k);
  const double blocks = std::ceil(static_cast<double>(plan.m) / rows);
  const double waiting = (length + strips) / length;  // for the first strips, by the others
  return blocks * waiting * step_operations(strips, k, plan.planes) * strips / (32 * plan.lanes);
}

double mean_length(const Problem& problem) {
  double symbols = 1;
  for (const std::string_view subject : problem.subjects)
    symbols += static_cast<double>(subject.size());
  return symbols / static_cast<double>(std::max<std::size_t>(problem.subjects.size(), 1));
}

/// Chooses strips and rows for which the subjects take the fewest operations. More than about 100
/// registers of state and symbols are more than compilers keep well; a CPU's have fewer.
void plan_shape(Plan& plan, const Problem& problem, const ocl::Limits& limits,
                const tune::Config& config) {
  const double length = mean_length(problem);
  double least = 0;
  for (const int strips : kStrips.values) {
    if (config.get("S", strips) != strips) continue;
    // Subjects that share words need fewer of them; it does not pay to leave processors idle.
    const double lanes = static_cast<double>(problem.subjects.size()) * strips / 32;
    const double wanted = (limits.gpu ? 256.0 : plan.lanes) * limits.compute_units;
    const double idle = std::max(1.0, wanted / std::max(lanes, 1.0));
    for (const int k : kRows.values) {
      if (config.get("K", k) != k) continue;
      if (!config.has("K") && (limits.gpu ? k * (1 + plan.planes) > 100 : k > 16)) continue;
      const double time = column_operations(plan, strips, k, length) * idle;
      if (least == 0 || time < least) {
        least = time;
        plan.strips = strips;
        plan.k = k;
      }
    }
  }
  plan.strips = config.get("S", plan.strips);
  plan.k = config.get("K", plan.k);
}

Plan plan_strips(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  Plan plan;
  plan.variant = "strips-lcs";
  plan.file = "lcs/strips.cl";
  plan.lanes = config.get("LANES", limits.gpu || config.get("WG", 1) > 1 ? 1
                                   : limits.vector_ints >= 16            ? 16
                                   : limits.vector_ints >= 8             ? 8
                                                                         : 4);
  const auto name = [](const char* what, int value) {
    return std::string(what) + "=" + std::to_string(value);
  };
  if (plan.lanes != 1 && plan.lanes != 4 && plan.lanes != 8 && plan.lanes != 16)
    throw tune::Unfit(name("LANES", plan.lanes) + " is not 1, 4, 8 or 16");
  plan_group(plan, problem, limits, config);
  plan_shape(plan, problem, limits, config);
  if (plan.strips != 4 && plan.strips != 8 && plan.strips != 16 && plan.strips != 32)
    throw tune::Unfit(name("S", plan.strips) + " is not 4, 8, 16 or 32");
  if (plan.k < 1 || plan.k > 64) throw tune::Unfit(name("K", plan.k) + " is not between 1 and 64");
  plan.config.set("LANES", plan.lanes);
  plan.config.set("S", plan.strips);
  plan.config.set("K", plan.k);
  plan.operations = column_operations(plan, plan.strips, plan.k, mean_length(problem));
  plan_chunks(plan, problem, limits, config);
  return plan;
}

Answer run_strips(ocl::Device* device, const Plan& plan, const Problem& problem) {
  const double begin = now();
  ensure_tested(*device, strips_row(), plan);
  const auto kernel = device->kernel(plan.file, "lcs_strips_groups", plan.defines());
  const double built = now();
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const auto pattern = device->upload(std::span<const std::uint32_t>(pack_rows(plan, problem)));
  Pipeline<ocl::Device> pipeline(
      *device, plan, problem,
      [&](const Slot<ocl::Device>& slot, std::int64_t first, std::int64_t end) {
        const auto group = static_cast<std::size_t>(plan.group);
        kernel({slot.chunk->tiles.size() * group, 1, group, 1}, slot.tiles, pattern, slot.text,
               slot.stream, slot.lengths, slot.found, static_cast<std::uint32_t>(first),
               static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(plan.blocks));
      });
  const double ready = now();
  Answer answer = pipeline.run();
  answer.build = built - begin;
  answer.transfer += ready - built;
  return answer;
}

}  // namespace

const Row& strips_row() {
  static const Row row{"strips-lcs",
                       "bit-sliced strips: two operations after the match for 32 cells",
                       {kGroup, kLanes, kRows, kStrips, kChunk, kQueues},
                       plan_strips,
                       run_strips};
  return row;
}

}  // namespace rhomb::lcs
