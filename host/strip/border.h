// SPDX-License-Identifier: Apache-2.0
// Border: the dh along a row of the matrix, on their way from who computes the rows above it to who
// computes those below, which may be another device. A border that is complete is all that one has
// to know of the rows above, whatever computed them and however.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "host/error.h"
#include "host/ocl/hash.h"
#include "host/strip/texts.h"

namespace rhomb::strip {

/// Some words of a border, as they are sent: of columns in order, the ph and mh of each.
struct BorderChunk {
  std::uint64_t sequence = 0;  ///< from 0
  std::uint64_t checksum = 0;
  Words words;

  BorderChunk() = default;
  BorderChunk(std::uint64_t number, Words some)
      : sequence(number), checksum(sum(number, some)), words(std::move(some)) {}

  static std::uint64_t sum(std::uint64_t number, std::span<const std::uint32_t> words) {
    return ocl::hash_of({reinterpret_cast<const char*>(words.data()), words.size_bytes()})[0] +
           number;
  }
};

class Border {
 public:
  /// Of the words [first, end) of columns, of so many in a row.
  Border(std::int64_t first, std::int64_t end, std::int64_t columns_words) {
    edge_.first = first;
    edge_.end = end;
    edge_.words.resize(2 * static_cast<std::size_t>(columns_words));
    known_ = first;
  }
  /// One that is complete.
  explicit Border(Edge edge) : edge_(std::move(edge)), known_(edge_.end), complete_(true) {}

  std::int64_t first() const { return edge_.first; }
  std::int64_t end() const { return edge_.end; }

  /// Adds the next words. Throws CheckError for a chunk that is not the next one, or damaged.
  void put(const BorderChunk& chunk) {
    const std::lock_guard lock(mutex_);
    const auto count = static_cast<std::int64_t>(chunk.words.size() / 2);
    if (chunk.sequence != sequence_ || known_ + count > edge_.end ||
        chunk.checksum != BorderChunk::sum(chunk.sequence, chunk.words))
      throw CheckError("part " + std::to_string(sequence_) +
                       " of a border between two parts of the matrix came damaged; please report "
                       "this");
    std::copy(chunk.words.begin(), chunk.words.end(),
              edge_.words.begin() + 2 * static_cast<std::ptrdiff_t>(known_));
    known_ += count;
    ++sequence_;
    changed_.notify_all();
  }
  /// All words are there; the row's place at their left end costs so much.
  void complete(std::int64_t start) {
    const std::lock_guard lock(mutex_);
    edge_.start = start;
    complete_ = true;
    changed_.notify_all();
  }
  /// There will be no more.
  void fail(std::exception_ptr why) {
    const std::lock_guard lock(mutex_);
    if (!failed_) failed_ = std::move(why);
    changed_.notify_all();
  }

  /// Copies the words [from, to) of columns as the rows below take them in, once they are there:
  /// where there are none dh is +1. Throws what it failed with.
  void take(std::int64_t from, std::int64_t to, std::span<std::uint32_t> into) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || known_ >= std::min(to, edge_.end); });
    if (failed_) std::rethrow_exception(failed_);
    for (std::int64_t w = from; w < to; ++w) {
      const bool there = w >= edge_.first && w < edge_.end;
      const std::size_t at = 2 * static_cast<std::size_t>(w - from);
      into[at] = there ? edge_.words[2 * static_cast<std::size_t>(w)] : ~0u;
      into[at + 1] = there ? edge_.words[2 * static_cast<std::size_t>(w) + 1] : 0;
    }
  }
  /// All of it, once it is complete. Throws what it failed with.
  const Edge& wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || complete_; });
    if (failed_) std::rethrow_exception(failed_);
    return edge_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Edge edge_;
  std::int64_t known_ = 0;  // words before are there
  std::uint64_t sequence_ = 0;
  bool complete_ = false;
  std::exception_ptr failed_;
};

}  // namespace rhomb::strip
