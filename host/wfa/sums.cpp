// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/sums.h"

#include <algorithm>

#include "cl/wfa/front.h"
#include "host/engine/fault.h"

namespace rhomb::wfa {

std::vector<std::int32_t> open_status(std::int64_t bound) {
  const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(bound, WFA_OPEN));
  return {WFA_OPEN, most, ~WFA_OPEN, ~most};
}

Course::Status status_of(std::span<const std::int32_t> status, const std::string& device) {
  for (const std::size_t word : {std::size_t{WFA_MET}, std::size_t{WFA_BOUND}})
    if (status[word] != ~status[word + WFA_TWICE]) throw_fault("the state of wavefronts", device);
  return {status[WFA_MET], status[WFA_BOUND]};
}

std::vector<std::int32_t> Sums::open(std::int64_t bound, std::uint32_t first,
                                     std::optional<std::uint32_t> facing) {
  facing_ = facing.has_value();
  checked_ = 0;
  sums_.assign(WFA_SUMS, 0);
  before_.assign(WFA_SUMS, 0);
  std::vector<std::int32_t> status = open_status(bound);
  status.resize(WFA_STATUS_ALONE);
  status[WFA_WRITTEN] = static_cast<std::int32_t>(first);
  if (facing) status[WFA_WRITTEN + kFacing] = static_cast<std::int32_t>(*facing);
  return status;
}

Course::Status Sums::check(std::span<const std::int32_t> status, int last) {
  const Course::Status told = status_of(status, device_);
  const auto check_row = [&](int number) {
    const std::size_t word = static_cast<std::size_t>(number) % WFA_SUMS;
    const auto written = static_cast<std::uint32_t>(status[WFA_WRITTEN + word]);
    if (written != static_cast<std::uint32_t>(status[WFA_READ + word]))
      throw_fault("a row of wavefronts", device_);
    sums_[word] = written - before_[word];
    before_[word] = written;
  };
  for (last = std::min(last, told[0]); checked_ <= last; ++checked_) check_row(checked_);
  if (facing_) check_row(kFacing);
  return told;
}

}  // namespace rhomb::wfa
