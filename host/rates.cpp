// SPDX-License-Identifier: Apache-2.0
// Rates: measured, kept in the user's store, shipped.
#include "host/cost.h"

namespace rhomb {

Rates known_rates(const ocl::DeviceInfo& device) { return usual_rates(device.limits); }

}  // namespace rhomb
