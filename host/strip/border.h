// SPDX-License-Identifier: Apache-2.0
// Border: the dh along a row of the matrix, on their way from who computes the rows above it to who
// computes those below, which may be another device. A border that is complete is all that one has
// to know of the rows above, whatever computed them and however.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/error.h"
#include "host/ocl/hash.h"
#include "host/strip/closure.h"
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

/// Thrown to who waits for a border of a pass that was given up.
struct GivenUp {};

class Border {
 public:
  /// Who is told as well of what comes, in another process.
  struct Forward {
    std::function<void(const BorderChunk&)> put;
    std::function<void(std::int64_t start)> complete;
  };

  /// Of the words [first, end) of columns. Takes memory for them when the first ones come.
  Border(std::int64_t first, std::int64_t end, Forward forward = {})
      : forward_(std::move(forward)), first_(first), end_(end), known_(first) {}
  /// One that is complete.
  explicit Border(const Edge& edge)
      : first_(edge.first),
        end_(edge.end),
        words_(edge.words.begin() + 2 * edge.first, edge.words.begin() + 2 * edge.end),
        known_(edge.end),
        start_(edge.start),
        complete_(true) {
    chunks_.emplace_back(words_.size(), BorderChunk::sum(0, words_));
  }

  std::int64_t first() const { return first_; }
  std::int64_t end() const { return end_; }

  /// Adds the next words. Throws CheckError for a chunk that is not the next one, or damaged.
  void put(const BorderChunk& chunk) {
    const std::lock_guard lock(mutex_);
    const auto count = static_cast<std::int64_t>(chunk.words.size() / 2);
    if (chunk.sequence != sequence_ || known_ + count > end_ ||
        chunk.checksum != BorderChunk::sum(chunk.sequence, chunk.words))
      throw CheckError("part " + std::to_string(sequence_) +
                       " of a border between two parts of the matrix came damaged; please report "
                       "this");
    words_.reserve(size());
    words_.insert(words_.end(), chunk.words.begin(), chunk.words.end());
    known_ += count;
    chunks_.emplace_back(chunk.words.size(), chunk.checksum);
    ++sequence_;
    changed_.notify_all();
    if (forward_.put) forward_.put(chunk);
  }
  /// All words are there; the row's place at their left end costs so much.
  void complete(std::int64_t start) {
    const std::lock_guard lock(mutex_);
    start_ = start;
    complete_ = true;
    changed_.notify_all();
    if (forward_.complete) forward_.complete(start);
  }
  /// There will be no more.
  void fail(std::exception_ptr why) {
    const std::lock_guard lock(mutex_);
    if (!failed_) failed_ = std::move(why);
    changed_.notify_all();
  }

  /// Waits for a moment; whether it is complete, or has failed.
  bool ready() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(100),
                             [&] { return failed_ || complete_; });
  }

  /// Copies the words [from, to) of columns as the rows below take them in, once they are there:
  /// where there are none dh is +1. Throws what it failed with.
  void take(std::int64_t from, std::int64_t to, std::span<std::uint32_t> into) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || known_ >= std::min(to, end_); });
    if (failed_) std::rethrow_exception(failed_);
    for (std::int64_t w = from; w < to; ++w) {
      const bool there = w >= first_ && w < end_;
      const std::size_t word = there ? 2 * static_cast<std::size_t>(w - first_) : 0;
      const std::size_t at = 2 * static_cast<std::size_t>(w - from);
      into[at] = there ? words_[word] : ~0u;
      into[at + 1] = there ? words_[word + 1] : 0;
    }
  }
  /// What the row's place at the left end of word `to` costs, once it is complete. Throws what it
  /// failed with.
  std::int64_t start_at(std::int64_t to) {
    wait();
    std::int64_t cost = start_;
    for (std::int64_t w = first_; w < std::min(to, end_); ++w) {
      const std::size_t at = 2 * static_cast<std::size_t>(w - first_);
      cost += std::popcount(words_[at]) - std::popcount(words_[at + 1]);
    }
    return cost;
  }
  /// The sum of the dh of the words [from, to), which are there; +1 each where there are none.
  /// Throws FaultError if they are no longer those that were put.
  std::int64_t sum(std::int64_t from, std::int64_t to) {
    const std::lock_guard lock(mutex_);
    std::size_t at = 0;
    std::uint64_t number = 0;
    for (const auto& [size, checksum] : chunks_) {
      if (BorderChunk::sum(number++, std::span(words_).subspan(at, size)) != checksum)
        throw FaultError("a border between two parts of the matrix has changed in memory");
      at += size;
    }
    std::int64_t all = 0;
    for (std::int64_t w = from; w < to; ++w) {
      if (w < first_ || w >= end_) {
        all += 32;
        continue;
      }
      const std::size_t word = 2 * static_cast<std::size_t>(w - first_);
      all += std::popcount(words_[word]) - std::popcount(words_[word + 1]);
    }
    return all;
  }
  /// All of it in a whole row of so many words, once it is complete. Throws what it failed with.
  Edge edge(std::int64_t columns_words) {
    wait();
    Edge edge;
    edge.first = first_;
    edge.end = end_;
    edge.start = start_;
    edge.words.resize(2 * static_cast<std::size_t>(columns_words));
    std::copy(words_.begin(), words_.end(),
              edge.words.begin() + 2 * static_cast<std::ptrdiff_t>(first_));
    return edge;
  }

 private:
  std::size_t size() const { return 2 * static_cast<std::size_t>(end_ - first_); }
  /// Until it is complete; then nothing of it changes.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || complete_; });
    if (failed_) std::rethrow_exception(failed_);
  }

  Forward forward_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t first_ = 0, end_ = 0;
  Words words_;                                                // those that are there
  std::vector<std::pair<std::size_t, std::uint64_t>> chunks_;  // their sizes and checksums
  std::int64_t known_ = 0;                                     // words before are there
  std::int64_t start_ = 0;  // cost at the left end of word `first_`
  std::uint64_t sequence_ = 0;
  bool complete_ = false;
  std::exception_ptr failed_;
};

}  // namespace rhomb::strip
