// SPDX-License-Identifier: Apache-2.0
// ceilings: what a device can do at most, measured by kernels that do nothing else.
#pragma once

#include <string>

#include "host/ocl/device.h"
#include "host/tune/store.h"

namespace rhomb {

struct Ceilings {
  double logic = 0;   ///< three-input operations on 32-bit words, a second
  double bytes = 0;   ///< bytes read and written in device memory, a second
  double launch = 0;  ///< seconds from one launch to the next
};

/// Measures a device: less than a second.
Ceilings measure_ceilings(ocl::Device& device);

/// As a line of a store, kind "ceilings", and back; `logic` is 0 where nobody has measured.
tune::Record record_of(const ocl::DeviceInfo& device, const Ceilings& ceilings);
Ceilings known_ceilings(const ocl::DeviceInfo& device, const tune::Store& store);

}  // namespace rhomb
