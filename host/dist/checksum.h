// SPDX-License-Identifier: Apache-2.0
// Checksum: tells whether bytes that were written, kept or sent are still what they were.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/ocl/hash.h"

namespace rhomb::dist {

/// Of bytes that come piece by piece; how they are cut does not matter. Not for secrets.
class Checksum {
 public:
  void add(std::string_view bytes) {
    size_ += bytes.size();
    while (block_.size() + bytes.size() >= kBlock) {
      const std::size_t some = kBlock - block_.size();
      block_ += bytes.substr(0, some);
      bytes.remove_prefix(some);
      block_ = ocl::hex(ocl::hash_of(block_));
    }
    block_ += bytes;
  }

  std::size_t size() const { return size_; }
  /// Of all bytes so far: 32 hexadecimal digits.
  std::string text() const { return ocl::hex(ocl::hash_of(block_ + std::to_string(size_))); }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;
  std::string block_;  // the hash of the blocks before, then what has no hash yet
  std::size_t size_ = 0;
};

}  // namespace rhomb::dist
