// SPDX-License-Identifier: Apache-2.0
// What the rows of the wavefront table share among themselves; not for users of the library.
#pragma once

#include <cstdint>

#include "host/wfa/wfa.h"

namespace rhomb::wfa {

/// Makes sure that the known-answer test of the program that `stage` uses has passed on `device`,
/// now or in an earlier process. Throws CheckError when it gives a wrong distance.
void ensure_tested(ocl::Device& device, const Variant& row, const Plan& plan, const Stage& stage);

/// Throws Unfit unless a group of the device can have so many work-items.
void check_group(int group, const ocl::Limits& limits);

/// Sets Plan::batch from the tunable BATCH, `usual` if it is not given. Throws Unfit below 1.
void plan_batch(Plan& plan, const tune::Config& config, int usual);

/// Says that rows below `cost` are done, and takes in whether the run is to give up: then true.
bool report_cost(const Plan& plan, const Problem& problem, std::int64_t cost, Answer& answer);

const Variant& fused_variant();
const Variant& baseline_variant();
const Variant& dynamic_variant();
const Variant& batched_variant();
const Variant& prefetch_variant();
const Variant& tiled_global_variant();
const Variant& tiled_register_variant();
const Variant& tiled_local_variant();
const Variant& group_variant();
const Variant& diamond_variant();
const Variant& reference_variant();

}  // namespace rhomb::wfa
