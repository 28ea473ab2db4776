// SPDX-License-Identifier: Apache-2.0
// setting: the configuration that rhomb tune has found, where none is asked for.
#pragma once

#include <string>

#include "host/lcs/lcs.h"
#include "host/tune/store.h"

namespace rhomb::lcs {

struct TunedConfig {
  tune::Config config;
  std::string match;  ///< what --explain says of it
};

/// The setting for the query's length, if `asked` is empty and one fits; one whose blocks have a
/// tenth more rows than the plan's own choice does not. Else `asked`. `device` and `store` may be
/// null.
TunedConfig tuned_config(const tune::Store* store, const ocl::DeviceInfo* device,
                         const Variant& variant, const Problem& problem, const tune::Config& asked);

}  // namespace rhomb::lcs
