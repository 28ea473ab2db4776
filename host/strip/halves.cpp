// SPDX-License-Identifier: Apache-2.0
#include "host/strip/halves.h"

#include <algorithm>

#include "cl/strip/band.h"
#include "host/seq/packed.h"
#include "host/strip/banded_run.h"
#include "host/strip/internal.h"

namespace rhomb::strip {

struct Halves::Run {
  Run(ocl::Device& of, const Plan& the_plan, const Problem& the_problem, std::uint32_t the_apart)
      : device(of),
        plan(the_plan),
        problem(the_problem),
        apart(the_apart),
        kernel(of.kernel(plan.program.file, plan.program.kernel, plan.program.defines)),
        built(now()),
        run(of, plan, problem, kernel, apart),
        packed(now()) {}

  ocl::Device& device;
  const Plan& plan;
  const Problem& problem;
  std::uint32_t apart;
  BandedRun<ocl::Device>::Kernel kernel;
  double built;
  BandedRun<ocl::Device> run;
  double packed;
  Band band;  // of the last pass
  ocl::Pinned<std::uint32_t> there;
};

Halves::Halves(ocl::Device& device, const Plan& plan, const Problem& problem, std::uint32_t apart) {
  ensure_tested(device, plan);
  run_ = std::make_unique<Run>(device, plan, problem, apart);
}
Halves::Halves(Halves&&) noexcept = default;
Halves::~Halves() = default;

Crossed Halves::solve() {
  const trace::Scope scope(run_->problem.trace, trace::Work::kCompute);
  Crossed crossed;
  crossed.answer = passes(run_->plan, run_->problem, [&](const Band& band, const Report& report) {
    run_->band = band;
    return run_->run.pass(band, report);
  });
  crossed.answer.transfer = run_->packed - run_->built;
  crossed.answer.compute = now() - run_->packed;
  if (crossed.answer.distance)
    crossed.crossing =
        crossing_of(run_->plan, run_->problem, run_->run.edges(), *crossed.answer.distance);
  return crossed;
}

Halves::Half Halves::half(std::size_t direction) const {
  const Size& size = run_->plan.size;
  const std::int64_t lanes = direction == 0 ? size.upper : size.lower;
  const std::int64_t rows = run_->plan.shape.rows();
  Half half;
  half.end = lanes * rows;
  if (run_->apart > 0)
    for (std::int64_t lane = run_->apart; lane < lanes; lane += run_->apart)
      half.rows.push_back(lane * rows);
  return half;
}

std::vector<KeptRow> Halves::read(std::size_t direction, std::span<const Wanted> wanted) {
  const Plan& plan = run_->plan;
  std::vector<KeptRow> made;
  std::size_t words = 0;
  for (const Wanted& one : wanted) {
    const std::int64_t lane = (static_cast<std::int64_t>(one.number) + 1) * run_->apart - 1;
    const std::int64_t begin = band_first(lane, plan.shape.rows(), run_->band.below);
    const std::int64_t end = band_end(lane, plan.shape.rows(), run_->band.above, plan.size.n);
    const std::int64_t first = std::clamp<std::int64_t>(one.first / 32, begin, end - 1);
    const std::int64_t last = std::clamp<std::int64_t>(one.last / 32, first, end - 1) + 1;
    KeptRow row;
    row.row = (lane + 1) * plan.shape.rows();
    row.first = 32 * first;
    row.more_before = first > begin;
    row.more_behind = last < end;
    row.words.resize(static_cast<std::size_t>(2 * (last - first)));
    words += row.words.size();
    made.push_back(std::move(row));
  }
  // All at once: a read that waits takes longer than what it reads.
  if (run_->there.size() < words) run_->there = run_->device.pinned<std::uint32_t>(words);
  const std::span<std::uint32_t> all(run_->there.data(), words);
  std::size_t at = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    run_->run.read_kept(direction, static_cast<std::int64_t>(wanted[i].number), made[i].first / 32,
                        all.subspan(at, made[i].words.size()));
    at += made[i].words.size();
  }
  run_->device.fence().wait();
  at = 0;
  for (KeptRow& row : made)
    for (std::uint32_t& word : row.words) word = seq::turned(all[at++]);
  return made;
}

std::uint32_t lanes_apart(const Plan& plan, const ocl::Limits& limits, std::int64_t rows) {
  const Band widest = plan.band(plan.threshold);
  const std::uint64_t room =
      std::min(limits.global_bytes / 2 > plan.bytes ? limits.global_bytes / 2 - plan.bytes
                                                    : std::uint64_t{0},
               limits.alloc_bytes - limits.alloc_bytes / 8);
  std::uint32_t apart = 1;
  while (apart * plan.shape.rows() < rows) apart *= 2;
  for (; apart < plan.size.upper; apart *= 2)
    if (4 * (layout_of(plan.size, plan.shape, plan.planes).last + kept_words(plan, widest, apart)) <
        room)
      return apart;
  return 0;
}

}  // namespace rhomb::strip
