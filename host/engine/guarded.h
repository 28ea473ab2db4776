// SPDX-License-Identifier: Apache-2.0
// Guarded: words that a device is given once, and that it can be asked for again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/dist/checkpoint.h"
#include "host/ocl/device.h"

namespace rhomb {

/// Hashes of words, piece by piece.
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(std::span<const std::uint32_t> words) {
    for (std::size_t at = 0; at < words.size(); at += kPiece)
      hashes_.push_back(hash(words.subspan(at, std::min(kPiece, words.size() - at))));
  }

  /// Whether a device still has those from `from` to `to`, and what else is in the same pieces.
  bool are_in(ocl::Device& device, const ocl::Buffer<std::uint32_t>& buffer, std::size_t from,
              std::size_t to) const {
    for (std::size_t i = from / kPiece; i * kPiece < to; ++i)
      if (hash(device.read(buffer, i * kPiece, std::min(kPiece, buffer.size() - i * kPiece))) !=
          hashes_[i])
        return false;
    return true;
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  static std::string hash(std::span<const std::uint32_t> words) {
    return dist::text_hash({reinterpret_cast<const char*>(words.data()), words.size_bytes()});
  }

  std::vector<std::string> hashes_;
};

}  // namespace rhomb
