// SPDX-License-Identifier: Apache-2.0
// Stages: a ring of pinned memory in which threads pack the pieces of all chunks, one after
// another, ahead of the copies to the device.
//
// A thread that has packed a piece takes the next one as soon as there is a stage for it. The
// caller copies the pieces in order, and frees the stage of a copy that is done when a few more
// copies are in the queues.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "host/lcs/pack.h"

namespace rhomb::lcs {

class Stages {
 public:
  Stages(const Plan& plan, const Problem& problem);
  ~Stages();
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  std::size_t count() const { return stages_.size(); }
  std::size_t words() const { return words_; }  ///< of a stage
  /// Packing begins, into `memory`: words() for each of count() stages.
  void start(const std::vector<std::uint32_t*>& memory);

  struct Packed {
    const Piece* piece;
    std::size_t stage;
  };
  /// Waits until the next piece is packed. Its copy is enqueued by the caller.
  Packed next();
  /// The chunk of that piece; null when there are no more.
  const Chunk* next_chunk() const {
    return taken_ < pieces_.size() ? pieces_[taken_].chunk : nullptr;
  }

  /// Whether so many copies are in the queues that the oldest one has to be waited for: the one
  /// from the stage oldest(), which is then freed.
  bool full() const;
  std::size_t oldest() const { return freed_pieces_ % stages_.size(); }
  void free_oldest();

 private:
  struct Stage {
    std::uint32_t* words = nullptr;
    bool packed = false;
  };

  void pack_pieces();

  trace::Trace* trace_;
  Packer packer_;
  std::vector<Piece> pieces_;
  std::vector<Stage> stages_;
  std::size_t words_ = 0;
  std::size_t count_of_threads_ = 1;
  std::size_t taken_ = 0;  // pieces that next() has given

  std::mutex mutex_;
  std::condition_variable packed_, freed_;
  std::size_t begun_ = 0;         // pieces that threads have begun
  std::size_t freed_pieces_ = 0;  // whose copies are done
  bool stopped_ = false;
  std::vector<std::jthread> threads_;  // last: they go first
};

}  // namespace rhomb::lcs
