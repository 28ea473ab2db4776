// SPDX-License-Identifier: Apache-2.0
// Pipeline: chunk after chunk is packed, copied, computed and read back. Chunks take turns on
// several queues, so that the packing of one and the copies of another hide behind the launches of
// a third.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "host/lcs/lcs.h"
#include "host/lcs/stages.h"

namespace rhomb::lcs {

/// What a chunk has on the device; one for each queue.
struct Slot {
  const Chunk* chunk = nullptr;  ///< null: none
  ocl::Buffer<LcsTile> tiles;
  ocl::Buffer<std::uint32_t> text, stream, lengths, found;
  ocl::Pinned<std::uint32_t> packed_lengths, read;
  ocl::Fence done;  ///< behind the read
};

/// Enqueues the blocks [first, end) of the query over a chunk.
using Launch = std::function<void(const Slot&, std::int64_t first, std::int64_t end)>;

class Pipeline {
 public:
  Pipeline(ocl::Device& device, const Plan& plan, const Problem& problem, Launch launch);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Computes all chunks: lengths, cells, compute, transfer and, if it is wanted, kernel.
  Answer run();

 private:
  void fill(std::size_t queue, const Chunk& chunk, Stages& stages);
  void compute(std::size_t queue);
  void collect(Slot& slot, Answer& answer);
  double resident();

  ocl::Device& device_;
  const Plan& plan_;
  const Problem& problem_;
  Launch launch_;
  std::vector<Slot> slots_;
};

}  // namespace rhomb::lcs
