// SPDX-License-Identifier: Apache-2.0
// Pipeline: chunk after chunk is packed, copied, computed and read back. Chunks take turns on
// several queues, so that the packing of one and the copies of another hide behind the launches of
// a third.
//
// Device is ocl::Device, or what has the same queues, buffers, pinned memory and fences in CUDA.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "host/lcs/lcs.h"
#include "host/lcs/stages.h"

namespace rhomb::lcs {

template <class Device, class T>
using BufferOf = decltype(std::declval<Device&>().template buffer<T>(1));
template <class Device>
using PinnedOf = decltype(std::declval<Device&>().template pinned<std::uint32_t>(1));
template <class Device>
using FenceOf = decltype(std::declval<Device&>().fence());

/// What a chunk has on the device; one for each queue.
template <class Device>
struct Slot {
  const Chunk* chunk = nullptr;  ///< null: none
  BufferOf<Device, LcsTile> tiles;
  BufferOf<Device, std::uint32_t> text, stream, lengths, found;
  PinnedOf<Device> packed_lengths, read;
  FenceOf<Device> done;  ///< behind the read
};

template <class Device>
class Pipeline {
 public:
  /// Enqueues the blocks [first, end) of the query over a chunk.
  using Launch = std::function<void(const Slot<Device>&, std::int64_t first, std::int64_t end)>;

  Pipeline(Device& device, const Plan& plan, const Problem& problem, Launch launch);
  ~Pipeline() { device_.use(0); }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Computes all chunks: lengths, cells, compute, transfer and, if it is wanted, kernel.
  Answer run();

 private:
  /// Pinned memory that pieces are packed into and copied from.
  struct Ring {
    Ring(Device& device, const Plan& plan, const Problem& problem) : stages(plan, problem) {
      std::vector<std::uint32_t*> memory;
      for (std::size_t i = 0; i < stages.count(); ++i) {
        words.push_back(device.template pinned<std::uint32_t>(stages.words()));
        memory.push_back(words.back().data());
      }
      copied.resize(stages.count());
      stages.start(memory);
    }
    std::vector<PinnedOf<Device>> words;
    std::vector<FenceOf<Device>> copied;
    Stages stages;  // last: its threads go first
  };

  void fill(std::size_t queue, const Chunk& chunk, Ring& ring);
  void compute(std::size_t queue);
  void collect(Slot<Device>& slot, Answer& answer);
  double resident();

  Device& device_;
  const Plan& plan_;
  const Problem& problem_;
  Launch launch_;
  std::vector<Slot<Device>> slots_;
};

template <class Device>
Pipeline<Device>::Pipeline(Device& device, const Plan& plan, const Problem& problem, Launch launch)
    : device_(device), plan_(plan), problem_(problem), launch_(std::move(launch)) {
  std::size_t units = 0, slots = 0, tiles = 0;
  for (const Chunk& chunk : plan.chunks) {
    units = std::max<std::size_t>(units, chunk.units);
    slots = std::max(slots, chunk.subjects.size());
    tiles = std::max(tiles, chunk.tiles.size());
  }
  const std::size_t text = units * static_cast<std::size_t>(plan.text_words());
  const std::size_t stream =
      plan.blocks > 1 ? units * static_cast<std::size_t>(plan.stream_words()) : std::size_t{1};
  slots_.resize(std::min(static_cast<std::size_t>(plan.queues), plan.chunks.size()));
  for (std::size_t queue = 0; queue < slots_.size(); ++queue) {
    device.use(queue);
    Slot<Device>& slot = slots_[queue];
    slot.tiles = device.template buffer<LcsTile>(tiles);
    slot.text = device.template buffer<std::uint32_t>(text);
    slot.stream = device.template buffer<std::uint32_t>(stream);
    slot.lengths = device.template buffer<std::uint32_t>(slots);
    slot.found = device.template buffer<std::uint32_t>(slots);
    slot.packed_lengths = device.template pinned<std::uint32_t>(slots);
    slot.read = device.template pinned<std::uint32_t>(slots);
  }
}

template <class Device>
Answer Pipeline<Device>::run() {
  Answer answer;
  answer.lengths.assign(problem_.subjects.size(), 0);
  const double begin = now();
  Ring ring(device_, plan_, problem_);
  for (std::size_t i = 0; i < plan_.chunks.size(); ++i) {
    const std::size_t queue = i % slots_.size();
    Slot<Device>& slot = slots_[queue];
    collect(slot, answer);
    fill(queue, plan_.chunks[i], ring);
    if (i == 0) answer.transfer = now() - begin;
    compute(queue);
    const std::size_t slots = slot.chunk->subjects.size();
    device_.read_later(slot.found, 0, slot.read.all().first(slots));
    slot.done = device_.fence();
  }
  for (std::size_t i = 0; i < slots_.size(); ++i)
    collect(slots_[(plan_.chunks.size() + i) % slots_.size()], answer);
  answer.compute = now() - begin - answer.transfer;
  if (problem_.time_kernel) answer.kernel = resident();
  return answer;
}

/// Enqueues the copies of a chunk.
template <class Device>
void Pipeline<Device>::fill(std::size_t queue, const Chunk& chunk, Ring& ring) {
  Slot<Device>& slot = slots_[queue];
  slot.chunk = &chunk;
  const auto lengths = slot.packed_lengths.all().first(chunk.subjects.size());
  pack_lengths(problem_, chunk, lengths);
  device_.use(queue);
  device_.write_later(slot.tiles, 0, std::span<const LcsTile>(chunk.tiles));
  device_.write_later(slot.lengths, 0, std::span<const std::uint32_t>(lengths));
  while (ring.stages.next_chunk() == &chunk) {
    while (ring.stages.full()) {
      ring.copied[ring.stages.oldest()].wait();
      ring.stages.free_oldest();
    }
    const auto [piece, stage] = ring.stages.next();
    device_.write_later(
        slot.text, piece->word,
        std::span<const std::uint32_t>(ring.words[stage].all().first(piece->words)));
    ring.copied[stage] = device_.fence();
  }
}

template <class Device>
void Pipeline<Device>::compute(std::size_t queue) {
  const Slot<Device>& slot = slots_[queue];
  device_.use(queue);
  const std::int64_t blocks = plan_.launch_blocks(*slot.chunk);
  for (std::int64_t first = 0; first < plan_.blocks; first += blocks) {
    launch_(slot, first, std::min(first + blocks, plan_.blocks));
    device_.flush();
  }
}

/// Takes in the lengths of the slot's chunk, if it has one.
template <class Device>
void Pipeline<Device>::collect(Slot<Device>& slot, Answer& answer) {
  if (slot.chunk == nullptr) return;
  slot.done.wait();
  const Chunk& chunk = *std::exchange(slot.chunk, nullptr);
  for (std::size_t i = 0; i < chunk.subjects.size(); ++i)
    if (chunk.subjects[i] != Chunk::kNobody) answer.lengths[chunk.subjects[i]] = slot.read[i];
  answer.cells += static_cast<double>(plan_.m) * static_cast<double>(chunk.symbols);
  if (problem_.progress) {
    double all = 0;
    for (const Chunk& other : plan_.chunks) all += static_cast<double>(other.symbols);
    problem_.progress({0, 0, answer.cells, answer.cells / (static_cast<double>(plan_.m) * all)});
  }
}

/// Seconds of all launches, each round of queues being filled before they begin.
template <class Device>
double Pipeline<Device>::resident() {
  double seconds = 0;
  Ring ring(device_, plan_, problem_);
  for (std::size_t first = 0; first < plan_.chunks.size(); first += slots_.size()) {
    const std::size_t queues = std::min(slots_.size(), plan_.chunks.size() - first);
    const auto finish = [&] {
      for (std::size_t queue = 0; queue < queues; ++queue) {
        device_.use(queue);
        device_.finish();
      }
    };
    for (std::size_t queue = 0; queue < queues; ++queue)
      fill(queue, plan_.chunks[first + queue], ring);
    finish();
    const double begin = now();
    for (std::size_t queue = 0; queue < queues; ++queue) compute(queue);
    finish();
    seconds += now() - begin;
  }
  return seconds;
}

}  // namespace rhomb::lcs
