// SPDX-License-Identifier: Apache-2.0
// Sums: whether rows of two wavefronts were kept from the launch that writes them to the one that
// reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cl/wfa/launch.h"
#include "host/wfa/course.h"

namespace rhomb::wfa {

/// What a device says of a pair before its first launch of a stretch (cl/wfa/launch.h).
std::vector<std::int32_t> open_status(std::int64_t bound);

/// Of what it says later. Throws FaultError, with the device's name, where both copies differ.
Course::Status status_of(std::span<const std::int32_t> status, const std::string& device);

/// What rows add up to, of a pair alone. Numbers are of the launches that read them.
class Sums {
 public:
  explicit Sums(std::string device) : device_(std::move(device)) {}

  /// A launch that only reads a row once more, the one that the row of launch 0 faces.
  static constexpr int kFacing = 2;

  /// What the device says before the launches of a stretch, of whose first row the sum is known; or
  /// before launch 0 and kFacing alone.
  std::vector<std::int32_t> open(std::int64_t bound, std::uint32_t first,
                                 std::optional<std::uint32_t> facing);
  /// Rows up to number `last` were read, unless others have met before. Throws FaultError where one
  /// of them was not what was written.
  Course::Status check(std::span<const std::int32_t> status, int last);
  /// Of a row that was checked, not long ago.
  std::uint32_t of(std::size_t number) const { return sums_[number % WFA_SUMS]; }

 private:
  std::string device_;
  bool facing_ = false;
  int checked_ = 0;                    // rows below
  std::vector<std::uint32_t> sums_;    // of the newest row with such a number
  std::vector<std::uint32_t> before_;  // and of all before it
};

}  // namespace rhomb::wfa
