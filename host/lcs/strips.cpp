// SPDX-License-Identifier: Apache-2.0
// The row of bit-sliced strips.
#include <algorithm>
#include <limits>

#include "host/engine/program.h"
#include "host/lcs/internal.h"

namespace rhomb::lcs {
namespace {

const tune::Param kLanes{
    "LANES", {1, 4, 8, 16}, "lanes a work-item: 1 on GPUs, a register on CPUs"};
const tune::Param kStrips{"S", {32, 16, 8, 4}, "strips a target; 32/S targets share a word"};
const tune::Param kRows{"K", {16, 8, 4, 2, 32, 1, 24, 12, 6, 3}, "rows a strip"};

/// Logic operations of a step: two for each cell and one for each plane, and what moves the texts,
/// the idle columns, h and the stream on: one each where a slot is a word, else three.
double step_operations(int strips, int k, int planes) {
  const int moved = planes + 3;
  return k * (2 + planes) + (strips == 32 ? moved : 3 * moved) + 1;
}

/// What a CPU takes for a word of the texts or streams, which it has for as many steps as there are
/// strips: the targets of a register are more than its nearest cache holds. GPUs do other work.
constexpr double kLoad = 16;

/// A block of so many strips of so many rows, for targets of `length` symbols.
BlockSize block_size(const Plan& plan, int strips, int k, double length, bool gpu) {
  const double waiting = (length + strips) / length;  // for the first strips, by the others
  const double loads = gpu ? 0 : kLoad * (plan.planes + 2) / strips;
  const double step = step_operations(strips, k, plan.planes) + loads;
  return {k, strips * k, waiting * step * strips / (32 * plan.lanes)};
}

double mean_length(const Problem& problem) {
  double symbols = 1;
  for (const std::string_view target : problem.targets)
    symbols += static_cast<double>(target.size());
  return symbols / static_cast<double>(std::max<std::size_t>(problem.targets.size(), 1));
}

/// Chooses strips for all queries, and the rows of each, for which the targets take the fewest
/// operations.
void plan_shape(Plan& plan, const Problem& problem, const ocl::Limits& limits,
                const tune::Config& config, std::span<const int> rows, std::size_t most) {
  const double length = mean_length(problem);
  double least = std::numeric_limits<double>::infinity();
  for (const int strips : kStrips.values) {
    if (config.get("S", strips) != strips) continue;
    // Targets that share words need fewer of them; it does not pay to leave processors idle.
    const double lanes = static_cast<double>(problem.targets.size()) * strips / 32;
    const double wanted = (limits.gpu ? 256.0 : plan.lanes) * limits.compute_units;
    const double idle = std::max(1.0, wanted / std::max(lanes, 1.0));
    std::vector<BlockSize> sizes;
    for (const int k : rows) sizes.push_back(block_size(plan, strips, k, length, limits.gpu));
    std::vector<QueryPlan> queries = cut_queries(problem.all_queries(), sizes, most);
    double time = 0;
    for (const QueryPlan& query : queries) time += query.operations * idle;
    if (time >= least) continue;
    least = time;
    plan.strips = strips;
    plan.queries = std::move(queries);
  }
}

/// More than about 100 registers of state and symbols are more than compilers keep well; a CPU's
/// have fewer.
std::vector<int> usual_rows(const Problem& problem, const ocl::Limits& limits) {
  std::vector<int> usual;
  for (const int k : kRows.values)
    if (limits.gpu ? k * (1 + problem.code->planes) <= 100 : k <= 16) usual.push_back(k);
  return usual;
}

Plan plan_row(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_strips(problem, limits, config, usual_rows(problem, limits), kMostSizes);
}

}  // namespace

Plan plan_strips(const Problem& problem, const ocl::Limits& limits, const tune::Config& config,
                 std::span<const int> rows, std::size_t most) {
  Plan plan;
  plan.file = "lcs/strips.cl";
  plan.kernel = "lcs_strips_groups";
  plan.lanes = engine::usual_lanes(limits, config);
  plan_group(plan, problem, limits, config);
  const int strips = config.get("S", 32), forced = config.get("K", 1);
  if (strips != 4 && strips != 8 && strips != 16 && strips != 32)
    throw tune::Unfit(engine::setting("S", strips) + " is not 4, 8, 16 or 32");
  engine::check_between("K", forced, 1, 64);
  plan_shape(plan, problem, limits, config, config.has("K") ? std::span(&forced, 1) : rows, most);
  plan.config.set("LANES", plan.lanes);
  plan.config.set("S", plan.strips);
  plan.config.set("K", plan.usual_size());
  plan_chunks(plan, problem, limits, config);
  return plan;
}

const Variant& strips_variant() {
  static const Variant row{"strips-lcs",
                           "bit-sliced strips: two operations after the match for 32 cells",
                           {kGroup, kLanes, kRows, kStrips, kChunk, kQueues},
                           plan_row,
                           run_on_device};
  return row;
}

}  // namespace rhomb::lcs
