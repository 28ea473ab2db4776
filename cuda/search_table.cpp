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

#include "cuda/memory.h"
#include "cuda/ranges.h"
#include "cuda/search_kernels.h"
#include "host/search/internal.h"
#include "host/seq/alphabet.h"
#include "host/seq/packed.h"

namespace rhomb::cuda {
namespace {

using search::Answer;
using search::Plan;
using search::Problem;
using search::Shape;

struct Kernel {
  int planes;
  bool sets;
  std::uint32_t shortest, longest;  ///< queries that it takes
  int tasks;                        ///< a block
  int words;                        ///< of a query's column; 0: it has strips
  bool chain;                       ///< strips may be gone through in passes
  std::array<std::pair<const char*, int>, 7> macros;
  const void* (*kernel)();

  ocl::Defines defines() const {
    ocl::Defines all;
    for (const auto& [name, value] : macros) all.emplace_back(name, std::to_string(value));
    return all;
  }
};

/// Where all queries have as many strips as a slot has bits, they have at most `kHead` rows less.
template <int kSlot, int kRows, int kHead, int kMixed, int kChain, int kPlanes, int kSets>
constexpr Kernel strips() {
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
constexpr Kernel columns() {
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

constexpr Kernel kStrips[] = {
#define SEARCH_BATCH(...) strips<__VA_ARGS__>(),
#include "cuda/shapes.def"
};
constexpr Kernel kColumns[] = {
#define SEARCH_COOP(...) columns<__VA_ARGS__>(),
#include "cuda/shapes.def"
};

/// The first kernel for queries of `rows` symbols; the number of kernels where there is none.
std::size_t find_kernel(std::span<const Kernel> kernels, const Plan& plan, std::uint32_t rows) {
  const auto found = std::ranges::find_if(kernels, [&](const Kernel& kernel) {
    return kernel.planes == plan.planes && kernel.sets == plan.sets && kernel.shortest <= rows &&
           rows <= kernel.longest;
  });
  return static_cast<std::size_t>(found - kernels.begin());
}

Plan plan_cuda(const char* name, const char* file, std::span<const Kernel> kernels,
               const Problem& problem, const ocl::Limits& limits) {
  if (!limits.nvidia) throw tune::Unfit(std::string(name) + " runs on NVIDIA's GPUs alone");
  if (problem.resident != nullptr)
    throw UsageError(std::string(name) + " cannot reach texts that OpenCL's device keeps");
  Plan plan;
  plan.variant = name;
  plan.file = file;
  plan.sets = problem.code->matching == seq::Matching::kSets;
  plan.planes = plan.sets ? 4 : problem.code->planes <= 2 ? 2 : 8;
  search::plan_shapes(
      plan, problem, search::stats_of(problem),
      [&](std::uint32_t rows) {
        const std::size_t found = find_kernel(kernels, plan, rows);
        if (found < kernels.size()) return static_cast<int>(found);
        std::uint32_t most = 0;
        for (const Kernel& kernel : kernels)
          if (kernel.planes == plan.planes && kernel.sets == plan.sets)
            most = std::max(most, kernel.longest);
        throw tune::Unfit("queries of " + std::to_string(rows) + " symbols: " + name +
                          " was compiled for up to " + std::to_string(most) + " with " +
                          std::to_string(plan.planes) + " bits a symbol");
      },
      [&](int number, std::uint32_t shortest, std::uint32_t longest) {
        const Kernel& kernel = kernels[static_cast<std::size_t>(number)];
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

/// What goes to the device.
struct Packed {
  std::vector<std::uint32_t> queries, texts;
  std::vector<SearchTask> tasks;
};

Packed pack(const Plan& plan, const Problem& problem) {
  const trace::Scope scope(problem.trace, trace::Work::kPack);
  const auto pack_texts = [&](std::vector<std::uint32_t>& words,
                              std::span<const std::string_view> all,
                              const std::array<std::uint8_t, 256>& code, std::size_t back) {
    std::vector<std::uint32_t> starts(all.size());
    words.resize(seq::batch_words(all, plan.planes, back));
    seq::pack_batch(all, code, plan.planes, words, starts);
    return starts;
  };
  Packed packed;
  const auto queries =
      pack_texts(packed.queries, problem.queries, problem.code->a, seq::Planes::kBackWords);
  const auto texts =
      pack_texts(packed.texts, problem.texts, problem.code->b, search::text_back_words(plan));
  packed.tasks.resize(problem.tasks.size());
  search::fill_tasks(plan, problem, queries, texts, {}, packed.tasks);
  return packed;
}

/// A problem on the device, ready for its launches.
class Search {
 public:
  Search(const Plan& plan, std::span<const Kernel> kernels, const ocl::Limits& limits,
         const Packed& packed)
      : plan_(plan),
        limits_(limits),
        queries_(packed.queries, stream_),
        texts_(packed.texts, stream_),
        tasks_(packed.tasks, stream_),
        answers_(packed.tasks.size()),
        streams_(search::scratch_words(plan, limits)) {
    for (const Shape& shape : plan.shapes) {
      const auto found = std::ranges::find(kernels, shape.defines, &Kernel::defines);
      kernels_.push_back(found->kernel());
      // Loads it, which its first launch would do otherwise.
      cudaFuncAttributes attributes;
      check(cudaFuncGetAttributes(&attributes, kernels_.back()), "loading a kernel of search");
    }
    stream_.wait();  // what was packed goes
  }

  void launch(const std::function<void(const Progress&)>& progress) const {
    const Range range("launch");
    double told = 0;
    for (std::size_t s = 0; s < plan_.shapes.size(); ++s) {
      const Shape& shape = plan_.shapes[s];
      search::for_launches(shape, limits_, [&](std::size_t first, std::size_t count) {
        const std::size_t blocks = search::whole_groups(shape, count);
        SearchArguments arguments{queries_.data(),
                                  texts_.data(),
                                  tasks_.data() + first,
                                  static_cast<u32>(count),
                                  answers_.data(),
                                  streams_.data(),
                                  static_cast<u32>(blocks * static_cast<std::size_t>(shape.tasks))};
        void* all[] = {&arguments};
        check(cudaLaunchKernel(kernels_[s], dim3(static_cast<unsigned>(blocks)), dim3(kSearchBlock),
                               all, 0, stream_.get()),
              "launching a kernel of search");
        told += static_cast<double>(count);
        if (progress) progress({0, 0, 0, told / static_cast<double>(tasks_.size())});
      });
    }
  }

  void wait() const { stream_.wait(); }

  std::vector<SearchAnswer> read() const {
    const Range range("read");
    return answers_.read(0, answers_.size(), stream_);
  }

 private:
  const Plan& plan_;
  const ocl::Limits& limits_;
  Stream stream_;
  Buffer<u32> queries_, texts_;
  Buffer<SearchTask> tasks_;
  Buffer<SearchAnswer> answers_;
  Buffer<u32> streams_;
  std::vector<const void*> kernels_;  // of the shapes
};

/// The middle one of the times of problem.repeats runs; 0 where there are none.
double time_launches(const Search& search, const Problem& problem) {
  std::vector<double> times;
  for (int i = 0; i < problem.repeats; ++i) {
    const double before = now();
    search.launch({});
    search.wait();
    times.push_back(now() - before);
  }
  std::ranges::sort(times);
  return times.empty() ? 0 : times[times.size() / 2];
}

Answer run_cuda(const Plan& plan, std::span<const Kernel> kernels, const Problem& problem) {
  Answer answer;
  if (problem.tasks.empty()) return answer;
  const double begin = now();
  open();
  const ocl::Limits limits = device().limits;
  const double opened = now();
  const Packed packed = [&] {
    const Range range("pack");
    return pack(plan, problem);
  }();
  const double start = now();
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const Search search = [&] {
    const Range range("upload");
    return Search(plan, kernels, limits, packed);
  }();
  search.launch(problem.progress);
  answer.best.reserve(problem.tasks.size());
  for (const SearchAnswer& found : search.read())
    answer.best.push_back({found.distance, found.end});
  answer.build = opened - begin;
  answer.transfer = start - opened;
  answer.compute = now() - start;
  answer.kernel = time_launches(search, problem);
  return answer;
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
