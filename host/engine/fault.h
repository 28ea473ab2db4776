// SPDX-License-Identifier: Apache-2.0
// Faults: a device whose memory, or a transfer, has not kept what was written there. Who finds that
// computes again; after a few times the device is not to be trusted.
#pragma once

#include <cstdint>
#include <string>

#include "host/engine/pair.h"
#include "host/error.h"

namespace rhomb {

/// What was kept or sent is not what was written.
struct FaultError : CheckError {
  using CheckError::CheckError;
};

/// Says that `what`, "a row of wavefronts", is not what was written on that device.
[[noreturn]] inline void throw_fault(const std::string& what, const std::string& device) {
  throw FaultError(what + " on " + device +
                   " is not what was written there: memory, or a transfer, has failed");
}

/// Those of a run.
class Faults {
 public:
  static constexpr std::int64_t kMost = 3;

  /// Throws it once there are more than kMost.
  void add(const FaultError& fault) {
    if (++count_ > kMost) throw fault;
    last_ = fault.what();
  }
  void tell(Facts& certificate) const {
    if (count_ == 0) return;
    certificate.add("faults", count_);
    certificate.add("last_fault", last_);
  }

 private:
  std::int64_t count_ = 0;
  std::string last_;
};

}  // namespace rhomb
