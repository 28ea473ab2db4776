// SPDX-License-Identifier: Apache-2.0
// Handover: blocks that one thread makes and others take, no more of them at a time than a number
// of bytes. A Block says how many it stands for: `bytes`.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace rhomb::batch {

template <class Block>
class Handover {
 public:
  explicit Handover(std::size_t bytes) : most_(bytes) {}

  /// Waits until there is room, which there always is for one. False once nobody wants any more.
  bool give(Block&& block) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || used_ == 0 || used_ + block.bytes <= most_; });
    if (stopped_) return false;
    used_ += block.bytes;
    ready_.push_back(std::move(block));
    changed_.notify_all();
    return true;
  }
  /// Nothing more will be given: the end, or an error that check() throws.
  void end(std::exception_ptr failure = nullptr) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (failure) failure_ = failure;
    changed_.notify_all();
  }
  /// What went wrong is known before the last blocks are taken.
  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
  }

  /// The next block; nothing at the end, after stop(), and if none is ready, unless it is to wait.
  /// The block's bytes count until release(): who waits while holding others may wait forever.
  std::optional<Block> take(bool wait) {
    std::unique_lock lock(mutex_);
    if (wait) changed_.wait(lock, [this] { return stopped_ || ended_ || !ready_.empty(); });
    if (stopped_ || ready_.empty()) return std::nullopt;
    std::optional<Block> block(std::move(ready_.front()));
    ready_.pop_front();
    return block;
  }
  void release(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    used_ -= bytes;
    changed_.notify_all();
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  bool failed() const {
    const std::lock_guard lock(mutex_);
    return failure_ != nullptr;
  }
  void check() const {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> ready_;
  std::size_t used_ = 0;
  bool ended_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace rhomb::batch
