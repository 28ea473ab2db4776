// SPDX-License-Identifier: Apache-2.0
// Reader: the records of a file, read in blocks by a thread of its own while others are computed.
// However large the file is, no more is in memory than was allowed, and a block at least.
//
// The first block is small, so that a device has something to do soon; every next one is twice as
// large, up to a limit, because large ones keep a device busy for longer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "host/batch/handover.h"
#include "host/engine/pair.h"

namespace rhomb::batch {

/// What all kinds of blocks have.
struct Block {
  std::size_t number = 0;   ///< from 0, in the order of the file
  std::uint64_t first = 0;  ///< position of its first record in the file, from 0
  std::size_t records = 0;
  std::size_t bytes = 0;        ///< of memory that it stands for
  double begins = 0, ends = 0;  ///< parts of the file, 0 to 1, as far as that is known
  bool more = true;             ///< other blocks follow
  bool full = false;            ///< it has as many bytes as any may have, about

  /// Whether it is all that there is; and how --explain says that.
  bool alone() const { return number == 0 && !more; }
  const char* others() const { return alone() ? "; there are no others" : "; there are others"; }
};

struct BlockSizes {
  std::size_t memory = 0;  ///< bytes for blocks, until they are released
  std::size_t blocks = 1;  ///< that share them
  std::size_t first = 0;   ///< bytes of the first block
  std::size_t most = 0;    ///< and of any other
};

/// Records derives from Block. It may have reserve(block, times): room for so many times as much.
template <class Records>
class Reader {
 public:
  /// `read` runs in the thread: it adds each record to the block that room_for() gives for it,
  /// until that gives none. `close` is called there before a block goes out.
  Reader(const BlockSizes& sizes, std::function<void(Reader&)> read,
         std::function<void(Records&)> close)
      : most_(std::clamp<std::size_t>(sizes.memory / std::max<std::size_t>(1, sizes.blocks), 1,
                                      sizes.most)),
        room_(std::min(sizes.first, most_)),
        spare_(sizes.memory - std::min(sizes.memory, most_)),
        handover_(spare_),
        close_(std::move(close)),
        thread_([this, read = std::move(read)] { run(read); }) {}
  ~Reader() {
    stop();
    thread_.join();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// For the next record, which stands for so many bytes; so much of the file had been read before
  /// it. Null: nobody wants it.
  Records* room_for(std::size_t bytes, double part) {
    if (block_.records > 0 && block_.bytes + bytes > room_ && !send(part, true)) return nullptr;
    ++block_.records;
    block_.bytes += bytes;
    return &block_;
  }

  /// The next block, or nothing at the end: of the file, in front of an error, or after stop().
  /// Nothing too if none has been read yet, unless it is to wait, which must not be done before
  /// others are released. May be called by several threads.
  std::optional<Records> next(bool wait) { return handover_.take(wait); }
  void release(std::size_t bytes) { handover_.release(bytes); }
  /// Instead of next(): the block that stands for the most bytes, of all or up to the first that
  /// has as many as any may have. It is released.
  std::optional<Records> largest() {
    std::optional<Records> largest;
    double bytes = 0, ends = 1;
    for (bool full = false; !full;) {
      std::optional<Records> block = next(true);
      if (!block) break;
      release(block->bytes);
      bytes += static_cast<double>(block->bytes);
      full = block->full;
      if (full) ends = std::max(block->ends, 1e-9);
      if (!largest || largest->bytes < block->bytes) largest = std::move(block);
    }
    if (largest && largest->bytes > 0) all_ = bytes / ends / static_cast<double>(largest->bytes);
    return largest;
  }
  /// After that, in blocks as large: all, and what is in memory at a time, where reading is faster
  /// than computing; about.
  double all() const { return all_; }
  double at_a_time() const { return std::min(all_, static_cast<double>(1 + spare_ / most_)); }
  /// Reads no further.
  void stop() { handover_.stop(); }

  /// Throws what went wrong with the file, if anything has.
  void check() const { handover_.check(); }
  bool failed() const { return handover_.failed(); }
  /// Seconds that reading took, waiting for memory left out; at the end.
  double seconds() const { return seconds_; }

 private:
  void run(const std::function<void(Reader&)>& read) {
    began_ = now();
    try {
      read(*this);
    } catch (...) {
      handover_.fail(std::current_exception());
    }
    // What stands before an error is as good as ever.
    try {
      if (block_.records > 0) send(1, false);
    } catch (...) {
      handover_.fail(std::current_exception());
    }
    handover_.end();
  }

  bool send(double part, bool more) {
    block_.ends = part;
    block_.more = more;
    block_.full = more && room_ == most_;
    close_(block_);
    Records following;
    following.number = block_.number + 1;
    following.first = block_.first + block_.records;
    following.begins = part;
    room_ = std::min(2 * room_, most_);
    if constexpr (requires { following.reserve(block_, 1.0); })
      if (more)
        following.reserve(block_, static_cast<double>(room_) /
                                      static_cast<double>(std::max<std::size_t>(1, block_.bytes)));
    seconds_ += now() - began_;
    const bool wanted = handover_.give(std::exchange(block_, std::move(following)));
    began_ = now();
    return wanted;
  }

  std::size_t most_, room_;
  const std::size_t spare_;  // bytes for blocks besides the one that is read
  double all_ = 1;
  Handover<Records> handover_;
  std::function<void(Records&)> close_;
  Records block_;
  double began_ = 0, seconds_ = 0;
  std::thread thread_;  // last: it uses the others
};

}  // namespace rhomb::batch
