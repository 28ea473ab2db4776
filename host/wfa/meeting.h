// SPDX-License-Identifier: Apache-2.0
// The driver of wfa/fused.cl: a forward and a backward wavefront until they meet.
#pragma once

#include "host/wfa/fronts.h"
#include "host/wfa/wfa.h"

namespace rhomb::wfa {

/// Runs a plan of the fused row. The problem has no common prefix or suffix and no empty side.
Answer run_meeting(ocl::Device* device, const Plan& plan, const Problem& problem);

}  // namespace rhomb::wfa
