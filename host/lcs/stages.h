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
  Stages(ocl::Device& device, const Plan& plan, const Problem& problem);
  ~Stages();
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  /// Waits until the next piece is packed, and enqueues its copy to `text`.
  void copy_next(ocl::Buffer<std::uint32_t>& text);
  /// The chunk of that piece; null when all are copied.
  const Chunk* next_chunk() const {
    return taken_ < pieces_.size() ? pieces_[taken_].chunk : nullptr;
  }

 private:
  struct Stage {
    ocl::Pinned<std::uint32_t> words;
    ocl::Fence copied;
    bool packed = false;
  };

  void pack_pieces();

  ocl::Device& device_;
  trace::Trace* trace_;
  Packer packer_;
  std::vector<Piece> pieces_;
  std::vector<Stage> stages_;
  std::size_t taken_ = 0;  // pieces whose copies are enqueued

  std::mutex mutex_;
  std::condition_variable packed_, freed_;
  std::size_t begun_ = 0;         // pieces that threads have begun
  std::size_t freed_pieces_ = 0;  // whose copies are done
  bool stopped_ = false;
  std::vector<std::jthread> threads_;  // last: they go first
};

}  // namespace rhomb::lcs
