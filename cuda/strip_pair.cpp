// SPDX-License-Identifier: Apache-2.0
// strip_pair: the row `cuda-strips`. Plans, texts, launches and the join are those of the strips'
// other rows; this is what host/strip/banded_run.cpp is for OpenCL.
//
// Its kernels were compiled with the program, so there is no known-answer test before the first
// use: tests/device/test_cuda.cpp compares them with the reference.
#include "cuda/strip_pair.h"

#include <algorithm>
#include <array>
#include <optional>

#include "cuda/memory.h"
#include "cuda/ranges.h"
#include "host/seq/alphabet.h"
#include "host/strip/internal.h"
#include "host/strip/texts.h"

namespace rhomb::cuda {
namespace {

using strip::Band;
using strip::Plan;

struct Kernel {
  int k;
  int planes;
  bool sets;
  decltype(&load_strip<1, 2, 0>) load;
  decltype(&launch_strip<1, 2, 0>) launch;
};

constexpr Kernel kKernels[] = {
#define STRIP_PAIR(k, planes, sets) \
  {k, planes, sets == 1, load_strip<k, planes, sets>, launch_strip<k, planes, sets>},
#include "cuda/shapes.def"
};

const Kernel* find_kernel(int k, int planes, bool sets) {
  for (const Kernel& kernel : kKernels)
    if (kernel.k == k && kernel.planes == planes && kernel.sets == sets) return &kernel;
  return nullptr;
}

/// A pair on the device, ready for passes over bands of its matrix.
class BandedRun {
 public:
  BandedRun(const Plan& plan, strip::Texts texts)
      : plan_(plan),
        kernel_(*find_kernel(plan.shape.k, plan.planes, plan.sets)),
        layout_(layout_of(plan.size, plan.shape, plan.planes)),
        pattern_reverse_(texts.pattern_reverse),
        text_plane_(texts.text_plane),
        pattern_(texts.pattern, stream_),
        text_(texts.text, stream_),
        state_(layout_.state),
        ring_(layout_.ring),
        last_(layout_.last),
        tickets_(1) {
    stream_.wait();  // the texts go
  }

  /// As strip::BandedRun has it.
  std::optional<std::int64_t> pass(const Band& band, const strip::Report& report) {
    {
      const Range range("pass");
      const bool whole = enqueue(band, report);
      stream_.wait();
      if (!whole) return std::nullopt;
    }
    const Range range("join");
    const strip::Edge upper = edge(0, plan_.size.upper, band);
    const strip::Edge lower =
        plan_.size.lower > 0 ? edge(1, plan_.size.lower, band) : strip::empty_edge(plan_.size);
    return strip::least_sum(upper, lower, plan_.size.n);
  }

 private:
  /// False where the pass was given up.
  bool enqueue(const Band& band, const strip::Report& report) {
    strip::Schedule schedule(plan_.size, plan_.shape, band);
    const strip::Shape& shape = plan_.shape;
    ring_.fill(0xff, stream_);
    tickets_.fill(0, stream_);

    Launch launch{};
    launch.pattern = pattern_.data();
    launch.pattern_reverse = pattern_reverse_;
    launch.text = text_.data();
    launch.text_plane = text_plane_;
    launch.state = state_.data();
    launch.stride = layout_.stride;
    // A word of the ring is two of the layout's.
    launch.ring = reinterpret_cast<volatile u64*>(ring_.data());
    launch.groups = layout_.groups;
    launch.last = last_.data();
    launch.lanes_0 = static_cast<u32>(plan_.size.upper);
    launch.lanes_1 = static_cast<u32>(plan_.size.lower);
    launch.below = band.below;
    launch.above = band.above;
    launch.columns = plan_.size.n;
    launch.slab = shape.slab;
    launch.delay = static_cast<i32>(shape.delay());

    const std::int64_t directions = plan_.size.lower > 0 ? 2 : 1;
    u32 first_ticket = 0;
    std::array<Mark, 2> marks;
    std::size_t batches = 0;
    for (std::int64_t number = 0; number < schedule.launches(); ++number) {
      const auto active = schedule.active(number);
      if (active.count == 0) continue;
      const std::int64_t blocks = (active.count * shape.group + shape.block - 1) / shape.block;
      const auto drawn = static_cast<u32>(blocks * directions);
      launch.time = static_cast<i32>(number * shape.slab);
      enqueue_slab(launch, static_cast<u32>(active.first), first_ticket, drawn);
      first_ticket += drawn;
      if ((number + 1) % plan_.batch == 0) {
        // Wait for the batch before this one, so that the device always has one to do.
        marks[batches % 2].set(stream_);
        if (batches > 0) {
          wait(marks[(batches - 1) % 2]);
          if (report(static_cast<double>(number + 1 - plan_.batch) /
                     static_cast<double>(schedule.launches())))
            return false;
        }
        ++batches;
      }
    }
    return true;
  }

  void enqueue_slab(const Launch& launch, u32 first_group, u32 first_ticket, u32 blocks) {
    const Range range("slab");
    check(kernel_.launch(launch, first_group, tickets_.data(), first_ticket, blocks, stream_.get()),
          "launching strip_flow");
  }

  static void wait(const Mark& mark) {
    const Range range("wait");
    mark.wait();
  }

  strip::Edge edge(std::size_t direction, std::int64_t lanes, const Band& band) const {
    const Range range("read");
    const std::size_t scores = (direction * layout_.values + layout_.score) * layout_.stride;
    return edge_of(plan_, band, lanes,
                   last_.read(direction * 2 * text_plane_, 2 * std::size_t{text_plane_}, stream_),
                   state_.read(scores, static_cast<std::size_t>(lanes - 1), stream_));
  }

  const Plan& plan_;
  const Kernel& kernel_;
  strip::Layout layout_;
  u32 pattern_reverse_;
  u32 text_plane_;
  Stream stream_;
  Buffer<u32> pattern_, text_, state_, ring_, last_, tickets_;
};

/// `problem` with a code of as many planes as a kernel has.
Plan plan_in(int planes, const Problem& problem, const ocl::Limits& limits,
             const tune::Config& config) {
  seq::Code code = *problem.code;
  code.planes = planes;
  Problem wide = problem;
  wide.code = &code;
  return strip::strips_variant().plan(wide, limits, config);
}

Plan plan_cuda(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  if (!limits.nvidia) throw tune::Unfit("cuda-strips runs on NVIDIA's GPUs alone");
  const bool sets = problem.code->matching == seq::Matching::kSets;
  const int planes = sets ? 4 : problem.code->planes <= 2 ? 2 : 8;
  tune::Config whole = config;
  whole.set("WG", kStripBlock);
  whole.set("LANES", 1);
  whole.set("FLOW", 1);
  Plan plan = plan_in(planes, problem, limits, whole);
  if (find_kernel(plan.shape.k, planes, sets) == nullptr) {
    std::string all;
    int below = 1;
    for (const Kernel& kernel : kKernels) {
      if (kernel.planes != planes || kernel.sets != sets) continue;
      all += (all.empty() ? "" : ", ") + std::to_string(kernel.k);
      if (kernel.k < plan.shape.k) below = kernel.k;
    }
    if (config.get("K", 0) != 0)
      throw tune::Unfit("K=" + std::to_string(plan.shape.k) +
                        ": cuda-strips was compiled for K of " + all);
    whole.set("K", below);
    plan = plan_in(planes, problem, limits, whole);
  }
  // What can be forced, without what cannot.
  tune::Config own;
  for (const tune::Param& param : strip::cuda_variant().space)
    own.set(param.name, plan.config.get(param.name, param.values.front()));
  plan.config = own;
  plan.program = {"cuda/strip_pair.cu", "strip_flow", {}};
  return plan;
}

Answer run_cuda(ocl::Device*, const Plan& plan, const Problem& problem) {
  const double begin = now();
  open();
  check(find_kernel(plan.shape.k, plan.planes, plan.sets)->load(), "loading strip_flow");
  const double opened = now();
  strip::Texts texts = [&] {
    const Range range("pack");
    return pack(plan, problem);
  }();
  BandedRun run = [&] {
    const Range range("upload");
    return BandedRun(plan, std::move(texts));
  }();
  const double start = now();
  Answer answer = passes(plan, problem, [&](const Band& band, const strip::Report& report) {
    return run.pass(band, report);
  });
  answer.build = opened - begin;
  answer.transfer = start - opened;
  answer.compute = now() - start;
  return answer;
}

}  // namespace
}  // namespace rhomb::cuda

namespace rhomb::strip {

const Variant& cuda_variant() {
  static const Variant row{
      "cuda-strips",
      "the same in CUDA, compiled ahead of time; needs no OpenCL (CUDA_VISIBLE_DEVICES chooses)",
      {{"K", {4, 1, 2, 8, 16}, "rows a strip, 32 strips a lane"},
       {"SLAB", {512, 64, 128, 256, 1024}, "words of 32 columns a launch"},
       {"SLACK", {4, 1, 2, 8}, "words of columns between groups"},
       {"BATCH", {32, 8, 128, 1}, "launches between two looks at the progress"}},
      cuda::plan_cuda,
      cuda::run_cuda,
      cuda::device};
  return row;
}

}  // namespace rhomb::strip
