// SPDX-License-Identifier: Apache-2.0
#include "host/strip/geometry.h"

#include <algorithm>

#include "cl/strip/band.h"

namespace rhomb::strip {

Size size_of(std::int64_t m, std::int64_t n, const Shape& shape) {
  Size size;
  const std::int64_t lanes = (m + shape.rows() - 1) / shape.rows();
  size.m = lanes * shape.rows();
  size.padding = size.m - m;
  size.n = n + size.padding;
  size.upper = (lanes + 1) / 2;
  size.lower = lanes / 2;
  return size;
}

Band band_of(const Size& size, std::int64_t threshold) {
  const std::int64_t delta = size.n - size.m;
  // One diagonal further on either side a path costs at least 2 * (aside + 1) + delta > threshold.
  const std::int64_t aside = (threshold - delta) / 2;
  return {aside, delta + aside};
}

Schedule::Schedule(const Size& size, const Shape& shape, const Band& band)
    : size_(size), shape_(shape), band_(band) {
  groups_ = (size.upper + shape.group_lanes() - 1) / shape.group_lanes();
  launches_ = (ends(groups_ - 1) + shape.slab - 1) / shape.slab;
}

std::int64_t Schedule::starts(std::int64_t group) const {
  return band_first(group * shape_.group_lanes(), shape_.rows(), band_.below) +
         group * shape_.delay();
}

std::int64_t Schedule::ends(std::int64_t group) const {
  const std::int64_t last = std::min((group + 1) * shape_.group_lanes(), size_.upper) - 1;
  return band_end(last, shape_.rows(), band_.above, size_.n) + 2 * (shape_.group_lanes() - 1) + 1 +
         group * shape_.delay();
}

Schedule::Active Schedule::active(std::int64_t launch) {
  const std::int64_t time = launch * shape_.slab;
  while (first_ < groups_ && ends(first_) <= time) ++first_;
  while (stop_ < groups_ && starts(stop_) < time + shape_.slab) ++stop_;
  return {first_, std::max<std::int64_t>(0, stop_ - first_)};
}

double Schedule::cells() const {
  double words = 0;
  for (const std::int64_t lanes : {size_.upper, size_.lower})
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      words += band_end(lane, shape_.rows(), band_.above, size_.n) -
               band_first(lane, shape_.rows(), band_.below);
  return words * 32 * static_cast<double>(shape_.rows());
}

double Schedule::work() const {
  double words = 0;
  for (std::int64_t group = 0; group < groups_; ++group)
    words += static_cast<double>(ends(group) - starts(group));
  return words * 32 * static_cast<double>(shape_.rows() * shape_.group_lanes()) *
         static_cast<double>(size_.upper + size_.lower) / static_cast<double>(size_.upper);
}

}  // namespace rhomb::strip
