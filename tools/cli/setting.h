// SPDX-License-Identifier: Apache-2.0
// setting: what rhomb tune has found for search and lcs, where no configuration is asked for.
#pragma once

#include <string>

#include "host/lcs/lcs.h"
#include "host/search/search.h"
#include "host/tune/store.h"

namespace rhomb::cli {

/// A plan by a setting that was found, and what --explain says of that.
struct SearchSetting {
  search::Plan plan;
  std::string match;  ///< "measured on this device, at 200 symbols and divergence 0.05"
};

/// By the setting for queries as long as the problem's middle one, if `asked` is empty and a
/// setting fits; for queries of other lengths without what follows the length. Else by what is
/// asked for, and what the plan takes by itself. `device` and `store` may be null. Throws what
/// search::plan() throws.
SearchSetting plan_search(const tune::Store* store, const ocl::DeviceInfo* device,
                          const search::Variant& row, const search::Problem& problem,
                          const tune::Config& asked);

struct LcsSetting {
  tune::Config config;
  std::string match;
};

/// The setting for the query's length, if `asked` is empty and one fits. One whose blocks have a
/// tenth more rows than the plan's own choice does not.
LcsSetting setting_of(const tune::Store* store, const ocl::DeviceInfo* device,
                      const lcs::Variant& row, const lcs::Problem& problem,
                      const tune::Config& asked);

}  // namespace rhomb::cli
