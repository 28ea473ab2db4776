// SPDX-License-Identifier: Apache-2.0
// Classes: tasks by powers of two of what they take, the largest first.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhomb::batch {

class Classes {
 public:
  Classes() = default;
  /// Of tasks 0 .. count - 1, of which each takes size_of(i), a 32-bit number. Within a class they
  /// stay in order.
  template <class SizeOf>
  Classes(std::size_t count, const SizeOf& size_of) {
    const auto class_of = [&](std::size_t i) {
      return static_cast<std::size_t>(32 - std::bit_width(std::uint32_t{size_of(i)}));
    };
    std::array<std::size_t, 33> next{};
    for (std::size_t i = 0; i < count; ++i) ++next[class_of(i)];
    std::size_t end = 0;
    for (std::size_t& one : next) {
      const std::size_t begin = end;
      end += one;
      if (one > 0) ends_.push_back(end);
      one = begin;
    }
    if (ends_.size() < 2) return;
    order_.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      order_[next[class_of(i)]++] = static_cast<std::uint32_t>(i);
  }

  /// The task that comes `place`-th.
  std::size_t task(std::size_t place) const { return order_.empty() ? place : order_[place]; }
  /// Where each class ends, of those that have tasks.
  const std::vector<std::size_t>& ends() const { return ends_; }

 private:
  std::vector<std::uint32_t> order_;  // empty: as they were given
  std::vector<std::size_t> ends_;
};

}  // namespace rhomb::batch
