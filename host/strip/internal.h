// SPDX-License-Identifier: Apache-2.0
// What the rows of the strips' table share among themselves; not for users of the library.
#pragma once

#include "host/strip/strip.h"

namespace rhomb::strip {

/// Makes sure that the known-answer test of the plan's program has passed on `device`, now or in an
/// earlier process. Throws CheckError when it gives a wrong distance.
void ensure_tested(ocl::Device& device, const Plan& plan);

const Row& strips_row();
const Row& full_row();
#ifdef RHOMB_HAVE_CUDA
const Row& cuda_row();  ///< cuda/strip_pair.cpp
#endif

}  // namespace rhomb::strip
