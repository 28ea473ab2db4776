// SPDX-License-Identifier: Apache-2.0
// What the rows of the wavefront table share among themselves; not for users of the library.
#pragma once

#include <cstdint>

#include "host/wfa/wfa.h"

namespace rhomb::wfa {

/// Makes sure that the known-answer test of the program that `stage` uses has passed on `device`,
/// now or in an earlier process. Throws CheckError when it gives a wrong distance.
void ensure_tested(ocl::Device& device, const Row& row, const Plan& plan, const Stage& stage);

/// Throws Unfit unless a group of the device can have so many work-items.
void check_group(int group, const ocl::Limits& limits);

/// Sets Plan::batch from the tunable BATCH, `usual` if it is not given. Throws Unfit below 1.
void plan_batch(Plan& plan, const tune::Config& config, int usual);

/// Says that rows below `cost` are done, and takes in whether the run is to give up: then true.
bool report_cost(const Plan& plan, const Problem& problem, std::int64_t cost, Answer& answer);

const Row& fused_row();
const Row& baseline_row();
const Row& dynamic_row();
const Row& batched_row();
const Row& prefetch_row();
const Row& tiled_global_row();
const Row& tiled_register_row();
const Row& tiled_local_row();
const Row& group_row();
const Row& diamond_row();
const Row& reference_row();

}  // namespace rhomb::wfa
