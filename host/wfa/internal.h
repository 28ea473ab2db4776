// SPDX-License-Identifier: Apache-2.0
// What the variants of the wavefronts share among themselves; not for users of the library.
#pragma once

#include <cstdint>
#include <map>

#include "host/wfa/wfa.h"

namespace rhomb::wfa {

/// The kernel that `stage` uses. Makes sure that its program's known-answer test has passed on
/// `device`, now or in an earlier process; throws CheckError when it gives a wrong distance.
ocl::Kernel tested_kernel(ocl::Device& device, const Plan& plan, const Stage& stage);

/// Kernels of a plan's stages, each built and tested when it is first asked for.
class StageKernels {
 public:
  StageKernels(ocl::Device& device, const Plan& plan) : device_(device), plan_(plan) {}

  const ocl::Kernel& operator[](const Stage& stage) {
    auto found = kernels_.find(&stage);
    if (found == kernels_.end()) {
      const double start = now();
      found = kernels_.emplace(&stage, tested_kernel(device_, plan_, stage)).first;
      building_ += now() - start;
    }
    return found->second;
  }
  double building() const { return building_; }  ///< seconds so far

 private:
  ocl::Device& device_;
  const Plan& plan_;
  std::map<const Stage*, ocl::Kernel> kernels_;
  double building_ = 0;
};

/// Sets Plan::batch from the tunable BATCH, `usual` if it is not given. Throws Unfit below 1.
void plan_batch(Plan& plan, const tune::Config& config, int usual);

/// Says that all costs below `cost` are done, after so many seconds of computing, and takes in
/// whether the run is to be given up: then true.
bool report_cost(const Plan& plan, const Problem& problem, std::int64_t cost, double seconds,
                 Answer& answer);

const Variant& fused_variant();
const Variant& fused_batch_variant();
const Variant& wavefront_batch_variant();
const Variant& baseline_variant();
const Variant& dynamic_variant();
const Variant& batched_variant();
const Variant& prefetch_variant();
const Variant& tiled_global_variant();
const Variant& tiled_register_variant();
const Variant& tiled_local_variant();
const Variant& group_variant();
const Variant& diamond_variant();
const Variant& host_variant();
const Variant& reference_variant();

}  // namespace rhomb::wfa
