// SPDX-License-Identifier: Apache-2.0
// setting: the plan by what rhomb tune has found, where no configuration is asked for.
#pragma once

#include <string>

#include "host/search/search.h"
#include "host/tune/store.h"

namespace rhomb::search {

/// A plan by a setting that was found, and what --explain says of that.
struct TunedPlan {
  Plan plan;
  std::string match;  ///< "measured on this device, at 200 symbols and divergence 0.05"
};

/// By the setting for queries as long as the problem's middle one, if `asked` is empty and a
/// setting fits; for queries of other lengths without what follows the length. Else by what is
/// asked for, and what the plan takes by itself. `device` and `store` may be null. Throws what
/// plan() throws.
TunedPlan plan_tuned(const tune::Store* store, const ocl::DeviceInfo* device,
                     const Variant& variant, const Problem& problem, const tune::Config& asked);

}  // namespace rhomb::search
