// SPDX-License-Identifier: Apache-2.0
// What the rows of the table share among themselves; not for users of the library.
#pragma once

#include <cstdint>

#include "host/lcs/lcs.h"

namespace rhomb::lcs {

/// Makes sure that the known-answer test of the plan's program has passed on `device`, now or in an
/// earlier process. Throws CheckError when it gives a wrong length.
void ensure_tested(ocl::Device& device, const Row& row, const Plan& plan);

/// Fills in what all rows on a device have: work-group and queues from the tunables, and, once
/// shape and operations are known, the chunks and the memory they take. Throw Unfit or MemoryError.
void plan_group(Plan& plan, const Problem& problem, const ocl::Limits& limits,
                const tune::Config& config);
void plan_chunks(Plan& plan, const Problem& problem, const ocl::Limits& limits,
                 const tune::Config& config);

extern const tune::Param kGroup, kChunk, kQueues;

const Row& strips_row();
const Row& crochemore_row();
const Row& allison_row();
#ifdef RHOMB_HAVE_CUDA
const Row& cuda_strips_row();      ///< cuda/lcs.cpp
const Row& cuda_crochemore_row();  ///< likewise
#endif
const Row& reference_row();

}  // namespace rhomb::lcs
