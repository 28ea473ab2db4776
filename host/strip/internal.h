// SPDX-License-Identifier: Apache-2.0
// What the rows of the strips' table share among themselves; not for users of the library.
#pragma once

#include <optional>

#include "host/strip/strip.h"
#include "host/strip/texts.h"

namespace rhomb::strip {

/// Makes sure that the known-answer test of the plan's program has passed on `device`, now or in an
/// earlier process. Throws CheckError when it gives a wrong distance.
void ensure_tested(ocl::Device& device, const Plan& plan);

/// A plan with `b` in the rows if `swapped`. `threshold`: of the first band; nothing for the whole
/// matrix.
Plan plan_any(const Problem& problem, const ocl::Limits& limits, const tune::Config& config,
              std::optional<std::int64_t> threshold, bool swapped);

const Variant& strips_variant();
const Variant& full_variant();
const Variant& blocks_variant();
#ifdef RHOMB_HAVE_CUDA
const Variant& cuda_variant();  ///< cuda/strip_pair.cpp
#endif

}  // namespace rhomb::strip
