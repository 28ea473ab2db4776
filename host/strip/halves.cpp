// SPDX-License-Identifier: Apache-2.0
#include "host/strip/halves.h"

#include <algorithm>

#include "cl/strip/band.h"
#include "cl/strip/launch.h"
#include "host/batch/threads.h"
#include "host/error.h"
#include "host/seq/packed.h"
#include "host/strip/banded_run.h"
#include "host/strip/internal.h"

template <>
inline constexpr bool rhomb::ocl::kPadded<StripGuide> = sizeof(StripGuide) != 72;

namespace rhomb::strip {
namespace {

/// A thread is worth its while for so many kept rows.
constexpr std::size_t kRowsOfThread = 512;

}  // namespace

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
  if (crossed.answer.distance) {
    const Size& size = run_->plan.size;
    const Edges& edges = run_->run.edges();
    const auto [first, last] =
        least_places(edges.upper, edges.lower, size.n, *crossed.answer.distance,
                     static_cast<std::int64_t>(run_->problem.b.size()));
    crossed.crossing = {size.upper * run_->plan.shape.rows(), first, last};
  }
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

std::array<Halves::Guide, 2> Halves::guide(const std::array<std::int64_t, 2>& exits,
                                           std::int64_t distance) {
  const Plan& plan = run_->plan;
  ocl::Device& device = run_->device;
  if (run_->apart == 0) return {};
  const std::size_t kept = static_cast<std::size_t>(plan.size.upper) / run_->apart;
  StripGuide told{};
  told.below = run_->band.below;
  told.above = run_->band.above;
  told.columns = plan.size.n;
  told.kept = static_cast<std::int64_t>(layout_of(plan.size, plan.shape, plan.planes).last);
  told.exit_0 = exits[0];
  told.exit_1 = exits[1];
  told.tilt = static_cast<float>(distance) / static_cast<float>(plan.size.m + plan.size.n);
  told.lanes_0 = static_cast<std::uint32_t>(plan.size.upper);
  told.lanes_1 = static_cast<std::uint32_t>(plan.size.lower);
  told.rows = static_cast<std::uint32_t>(plan.shape.rows());
  told.apart = run_->apart;
  told.pitch = static_cast<std::uint32_t>(run_->run.pitch());
  const std::size_t group = STRIP_GUIDE_GROUP(plan.shape.block);
  const auto kernel = device.kernel(plan.program.file, "strip_guide", plan.program.defines);
  constexpr std::size_t words = 2 * STRIP_GUIDE_WORDS;
  auto copied = device.buffer<std::uint32_t>(2 * kept * words);
  auto found = device.buffer<std::int32_t>(4 * kept);
  kernel({2 * group, 1, group, 1}, run_->run.kept(), copied, found, told);
  // Their memory is made while the kernel runs, and new memory takes about as long.
  auto places_read = device.read_later(found, 0, 4 * kept);
  auto words_read = device.read_later(copied, 0, 2 * kept * words);
  const std::vector<std::int32_t>& places = places_read.wait();
  const std::vector<std::uint32_t>& all = words_read.wait();

  std::array<Guide, 2> guides;
  for (const std::size_t direction : {0u, 1u}) {
    const std::vector<std::int64_t> rows = half(direction).rows;
    Guide& guide = guides[direction];
    guide.rows.resize(rows.size());
    guide.places.resize(rows.size());
    const std::size_t parts =
        std::min(batch::threads_of(run_->problem.threads), rows.size() / kRowsOfThread + 1);
    batch::in_parts(rows.size(), parts, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t number = direction * kept + k;
        const std::int64_t first = places[2 * number + 1];
        guide.places[k] = places[2 * number];
        guide.rows[k] = row_of(rows[k], first, first + STRIP_GUIDE_WORDS);
        std::vector<std::uint32_t>& to = guide.rows[k].words;
        std::transform(all.data() + number * words, all.data() + number * words + to.size(),
                       to.begin(), seq::turned);
      }
    });
  }
  // What was copied is not proved by what comes of it, so some of it is compared.
  for (const std::size_t direction : {0u, 1u}) {
    const std::vector<KeptRow>& rows = guides[direction].rows;
    if (rows.empty()) continue;
    const std::size_t middle = rows.size() / 2;
    const Wanted same{middle, rows[middle].first, rows[middle].last() - 1};
    if (read(direction, {&same, 1}).front().words != rows[middle].words)
      throw CheckError(
          "rows that the device copied are not those that it kept: this device or "
          "its driver computes wrongly");
  }
  return guides;
}

KeptRow Halves::row_of(std::int64_t above, std::int64_t first, std::int64_t end) const {
  const Plan& plan = run_->plan;
  const std::int64_t lane = above / plan.shape.rows() - 1;
  const std::int64_t band_begin = band_first(lane, plan.shape.rows(), run_->band.below);
  const std::int64_t band_behind = band_end(lane, plan.shape.rows(), run_->band.above, plan.size.n);
  first = std::clamp<std::int64_t>(first, band_begin, band_behind - 1);
  end = std::clamp<std::int64_t>(end, first + 1, band_behind);
  KeptRow row;
  row.row = above;
  row.first = 32 * first;
  row.more_before = first > band_begin;
  row.more_behind = end < band_behind;
  row.words.resize(static_cast<std::size_t>(2 * (end - first)));
  return row;
}

std::vector<KeptRow> Halves::read(std::size_t direction, std::span<const Wanted> wanted) {
  const std::int64_t rows = run_->plan.shape.rows();
  std::vector<KeptRow> made;
  std::size_t words = 0;
  for (const Wanted& one : wanted) {
    const std::int64_t lanes = (static_cast<std::int64_t>(one.number) + 1) * run_->apart;
    made.push_back(row_of(lanes * rows, one.first / 32, one.last / 32 + 1));
    words += made.back().words.size();
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

// Few rows take long to walk through, many long to write, where the device is a CPU.
std::int64_t usual_rows_apart(const ocl::Limits& limits) { return limits.gpu ? 256 : 1024; }

std::uint64_t bytes_keeping(const Plan& plan, const ocl::Limits& limits) {
  const std::uint32_t apart = lanes_apart(plan, limits, usual_rows_apart(limits));
  if (apart == 0) return plan.bytes;
  // Once more what they are kept behind: it grows when the band is known.
  const std::uint64_t last = layout_of(plan.size, plan.shape, plan.planes).last;
  return plan.bytes + 4 * (last + kept_words(plan, plan.band(plan.threshold), apart));
}

}  // namespace rhomb::strip
