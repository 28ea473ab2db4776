// SPDX-License-Identifier: Apache-2.0
// search_table: the rows `cuda-strips-batch` and `cuda-coop`. The shapes are those that were
// compiled; each query takes the smallest one that has room for it, so there is nothing to tune.
//
// There is no known-answer test before the first use: tests/device/test_cuda_search.cpp compares
// the kernels with the reference.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device.h"
#include "cuda/search_kernels.h"
#include "host/search/device_batch.h"
#include "host/seq/alphabet.h"

namespace rhomb::cuda {
namespace {

using search::Answer;
using search::Plan;
using search::Problem;
using search::Shape;

struct Compiled {
  int planes;
  bool sets;
  std::uint32_t shortest, longest;  ///< queries that it takes
  int tasks;                        ///< a block
  int words;                        ///< of a query's column; 0: it has strips
  bool chain;                       ///< strips may be gone through in passes
  std::array<std::pair<const char*, int>, 7> macros;
  SearchKernel* (*kernel)();

  ocl::Defines defines() const {
    ocl::Defines all;
    for (const auto& [name, value] : macros) all.emplace_back(name, std::to_string(value));
    return all;
  }
};

/// Where all queries have as many strips as a slot has bits, they have at most `kHead` rows less.
template <int kSlot, int kRows, int kHead, int kMixed, int kChain, int kPlanes, int kSets>
constexpr Compiled strips() {
  constexpr std::uint32_t kMost = kSlot * kRows;
  return {kPlanes,
          kSets == 1,
          kMixed == 1 ? 1 : kMost - kHead,
          kChain == 1 ? search::Best::kNone : kMost,
          kSearchBlock * 32 / kSlot,
          0,
          kChain == 1,
          {{{"SLOT", kSlot},
            {"K", kRows},
            {"HEAD", kHead},
            {"MIXED", kMixed},
            {"CHAIN", kChain},
            {"PLANES", kPlanes},
            {"SETS", kSets}}},
          search_batch_kernel<kSlot, kRows, kHead, kMixed, kChain, kPlanes, kSets>};
}

template <int kTasks, int kWords, int kHead, int kPlanes, int kSets>
constexpr Compiled columns() {
  constexpr int kAll = 32 / kTasks * kWords;
  return {kPlanes,
          kSets == 1,
          kHead == kWords ? 1 : 32 * (kAll - kHead),
          32 * kAll,
          kSearchBlock / 32 * kTasks,
          kAll,
          false,
          {{{"WG", kSearchBlock},
            {"R", kTasks},
            {"W", kWords},
            {"HEAD", kHead},
            {"VIA", kTasks < 32 ? 3 : 0},
            {"PLANES", kPlanes},
            {"SETS", kSets}}},
          search_coop_kernel<kTasks, kWords, kHead, kPlanes, kSets>};
}

constexpr Compiled kStrips[] = {
#define SEARCH_BATCH(...) strips<__VA_ARGS__>(),
#include "cuda/shapes.def"
};
constexpr Compiled kColumns[] = {
#define SEARCH_COOP(...) columns<__VA_ARGS__>(),
#include "cuda/shapes.def"
};

/// The first kernel for queries of `rows` symbols; the number of kernels where there is none.
std::size_t find_kernel(std::span<const Compiled> kernels, const Plan& plan, std::uint32_t rows) {
  const auto found = std::ranges::find_if(kernels, [&](const Compiled& kernel) {
    return kernel.planes == plan.planes && kernel.sets == plan.sets && kernel.shortest <= rows &&
           rows <= kernel.longest;
  });
  return static_cast<std::size_t>(found - kernels.begin());
}

Plan plan_cuda(const char* name, const char* file, std::span<const Compiled> kernels,
               const Problem& problem, const ocl::Limits& limits) {
  if (!limits.nvidia) throw tune::Unfit(std::string(name) + " runs on NVIDIA's GPUs alone");
  if (problem.resident != nullptr)
    throw UsageError(std::string(name) + " cannot reach texts that OpenCL's device keeps");
  check_parts(name, problem);
  Plan plan;
  plan.file = file;
  plan.sets = problem.code->matching == seq::Matching::kSets;
  plan.planes = plan.sets ? 4 : problem.code->planes <= 2 ? 2 : 8;
  search::plan_shapes(
      plan, problem, search::stats_of(problem),
      [&](std::uint32_t rows) {
        const std::size_t found = find_kernel(kernels, plan, rows);
        if (found < kernels.size()) return static_cast<int>(found);
        std::uint32_t most = 0;
        for (const Compiled& kernel : kernels)
          if (kernel.planes == plan.planes && kernel.sets == plan.sets)
            most = std::max(most, kernel.longest);
        throw tune::Unfit("queries of " + std::to_string(rows) + " symbols: " + name +
                          " was compiled for up to " + std::to_string(most) + " with " +
                          std::to_string(plan.planes) + " bits a symbol");
      },
      [&](int number, std::uint32_t shortest, std::uint32_t longest) {
        const Compiled& kernel = kernels[static_cast<std::size_t>(number)];
        Shape shape;
        shape.defines = kernel.defines();
        shape.group = kSearchBlock;
        shape.tasks = kernel.tasks;
        shape.strips = kernel.words;
        shape.shortest = shortest;
        shape.longest = longest;
        shape.scratch = kernel.chain ? 2 : 0;
        return shape;
      });
  return plan;
}

Answer run_cuda(const Plan& plan, std::span<const Compiled> kernels, const Problem& problem) {
  const double begin = now();
  Device device;
  search::DeviceBatch<Device> batch(device, 0);
  search::DeviceBatch<Device>::Kernels loaded;
  for (const Shape& shape : plan.shapes)
    loaded.tasks.push_back(
        device.kernel(std::ranges::find(kernels, shape.defines, &Compiled::defines)->kernel()));
  loaded.build = now() - begin;
  batch.start(plan, problem, std::move(loaded));
  return batch.finish();
}

Plan plan_strips(const Problem& problem, const ocl::Limits& limits, const tune::Config&) {
  return plan_cuda("cuda-strips-batch", "cuda/search_batch.cu", kStrips, problem, limits);
}
Plan plan_columns(const Problem& problem, const ocl::Limits& limits, const tune::Config&) {
  return plan_cuda("cuda-coop", "cuda/search_coop.cu", kColumns, problem, limits);
}
Answer run_strips(ocl::Device*, const Plan& plan, const Problem& problem) {
  return run_cuda(plan, kStrips, problem);
}
Answer run_columns(ocl::Device*, const Plan& plan, const Problem& problem) {
  return run_cuda(plan, kColumns, problem);
}

}  // namespace
}  // namespace rhomb::cuda

namespace rhomb::search {

const Variant& cuda_strips_batch_variant() {
  static const Variant row{"cuda-strips-batch",
                           "strips-batch in CUDA, compiled ahead of time; needs no OpenCL "
                           "(CUDA_VISIBLE_DEVICES chooses)",
                           {},
                           cuda::plan_strips,
                           cuda::run_strips,
                           cuda::device};
  return row;
}

const Variant& cuda_coop_variant() {
  static const Variant row{
      "cuda-coop",
      "coop in CUDA, compiled ahead of time; needs no OpenCL (CUDA_VISIBLE_DEVICES chooses)",
      {},
      cuda::plan_columns,
      cuda::run_columns,
      cuda::device};
  return row;
}

}  // namespace rhomb::search
