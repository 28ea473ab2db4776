// SPDX-License-Identifier: Apache-2.0
// Cuts of a pair, found on a device.
#include <algorithm>
#include <future>
#include <optional>
#include <span>
#include <utility>

#include "host/corridor/runs.h"
#include "host/engine/cost.h"
#include "host/engine/solve.h"

namespace rhomb::corridor {
namespace {

/// Rows of a block where cuts are looked for, and blocks of a piece between two of them, at least.
constexpr int kCutRows = 2048, kPieceBlocks = 16;
/// Chunks beside the reference path there. It is near words that both texts have; what a block
/// costs besides are its gaps, and the band has their width anyway.
constexpr int kCutMargin = 8;

}  // namespace

tune::Config cut_config(tune::Config config) {
  config.set("ROWS", config.get("ROWS", kCutRows));
  config.set("MARGIN", config.get("MARGIN", kCutMargin));
  return config;
}

Cutting find_cuts(ocl::Device& device, const Problem& problem, tune::Config config,
                  const Rates& rates, const CutsWanted& wanted) {
  const Plan plan =
      engine::plan(variants().front(), problem, device.limits(), cut_config(std::move(config)));
  OnDevice on_device(device, plan, problem);
  on_device.forget_packed();
  const auto far = far_program(plan);
  std::future<void> ready;  // which uses it, and is done before it ends
  if (far && device.limits().gpu && wanted.windows != Windows::kNever)
    ready = engine::make_meanwhile(device, problem.threads, [&](ocl::Device& beside) {
      ensure_far_tested(beside, plan);
      (void)beside.kernel(far->file, far->kernel, far->defines);
    });
  Cutting made;
  made.transfer = on_device.since_built();
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  CutOptions options;
  options.radius = std::max(1, plan.grid.rows / (11 * static_cast<int>(kChunk)) + 1);
  options.apart = std::int64_t{kPieceBlocks} * plan.grid.rows;
  options.margin = plan.options.margin;
  options.expected = problem.guess.value_or(0);
  options.code = problem.code;
  options.most_cells = plan.options.most_cells;
  if (wanted.windows == Windows::kAlways)
    options.worth_windows = [](double, const auto&, const auto&) { return true; };
  if (wanted.windows == Windows::kWorth)
    options.worth_windows = [&, gpu = device.limits().gpu](double cells,
                                                           std::span<const PieceCosts> without,
                                                           std::span<const PieceCosts> with) {
      return windows_gain(rates, gpu, cells, without, with);
    };
  options.piece = plan.options.piece;
  options.all = wanted.all;
  options.threads = problem.threads;
  options.trace = problem.trace;
  if (!plan.without_words) options.seeds = on_device.seeds();
  if (far)
    options.least_far = [&](std::span<const FarWindow> some, std::int64_t near) {
      return on_device.least_far(some, near);
    };
  options.give_up = [&] { return report(problem, {0, 0, 0, 0.1, now() - start}); };
  made.cuts = find_cuts(
      plan.grid, problem.a, problem.b, problem.chain,
      [&](std::span<Band> some) { on_device.compute(some); }, options);
  // What the grid appends to both texts is in the last piece of either.
  if (!made.cuts.cells.empty()) {
    made.cuts.cells.back().i = std::ssize(problem.a);
    made.cuts.cells.back().j = std::ssize(problem.b);
  }
  made.texts = on_device.texts();
  made.config = plan.config;
  made.build = on_device.build();
  made.compute = now() - start;
  return made;
}

}  // namespace rhomb::corridor
