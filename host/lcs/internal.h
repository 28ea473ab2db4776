// SPDX-License-Identifier: Apache-2.0
// What the rows of the table share among themselves; not for users of the library.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "host/lcs/lcs.h"

namespace rhomb::lcs {

/// The kernel for each size of the plan. Makes sure that the known-answer tests of their programs
/// have passed on `device`, now or in an earlier process. Throws CheckError when one gives a wrong
/// length.
std::map<int, ocl::Kernel> tested_kernels(ocl::Device& device, const Plan& plan);

/// run() of all variants that compute on an OpenCL device.
Answer run_on_device(ocl::Device* device, const Plan& plan, const Problem& problem);

/// What a block of rows is with one K or W.
struct BlockSize {
  int size = 1;
  int rows = 0;
  double operations = 0;  ///< for a column
};

/// Programs for one problem, at most: each takes about a second to build.
inline constexpr std::size_t kMostSizes = 4;

/// Cuts each query into blocks of the one of `sizes` with which it takes the fewest operations. Not
/// more than `most` sizes are used, those that are best for all queries together, and none that is
/// hardly better than the others.
std::vector<QueryPlan> cut_queries(std::span<const std::string_view> queries,
                                   std::span<const BlockSize> sizes, std::size_t most);

/// Fills in what all rows on a device have: work-group and queues from the tunables, and, once the
/// queries are cut, the chunks and the memory they take. Throw Unfit or MemoryError.
void plan_group(Plan& plan, const Problem& problem, const ocl::Limits& limits,
                const tune::Config& config);
void plan_chunks(Plan& plan, const Problem& problem, const ocl::Limits& limits,
                 const tune::Config& config);

/// Plans of the rows in OpenCL with one or some of these K or W, at most `most`.
Plan plan_strips(const Problem& problem, const ocl::Limits& limits, const tune::Config& config,
                 std::span<const int> rows, std::size_t most);
Plan plan_vectors(const Problem& problem, const ocl::Limits& limits, const tune::Config& config,
                  std::span<const int> words, std::size_t most, bool allison);

extern const tune::Param kGroup, kChunk, kQueues;

const Variant& strips_variant();
const Variant& crochemore_variant();
const Variant& allison_variant();
#ifdef RHOMB_HAVE_CUDA
const Variant& cuda_strips_variant();      ///< cuda/lcs.cpp
const Variant& cuda_crochemore_variant();  ///< likewise
#endif
const Variant& reference_variant();

}  // namespace rhomb::lcs
