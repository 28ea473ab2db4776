// SPDX-License-Identifier: Apache-2.0
// Pipeline: chunk after chunk is packed, copied, computed with all queries and read back. Chunks
// take turns on several queues, so that the packing of one and the copies of another hide behind
// the launches of a third.
//
// Of many queries a few hundred are enqueued at a time, and while they are computed the next ones;
// so neither queues nor the lengths on their way back grow with the number of queries.
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

/// Lengths of some queries and a chunk, on their way back.
template <class Device>
struct Return {
  const Chunk* chunk = nullptr;    ///< null: none
  std::size_t first = 0, end = 0;  ///< queries
  PinnedOf<Device> lengths;        ///< of each query, of each slot
  FenceOf<Device> done;
};

/// What a chunk has on the device; one for each queue.
template <class Device>
struct Slot {
  const Chunk* chunk = nullptr;  ///< null: none
  BufferOf<Device, LcsTile> tiles;
  BufferOf<Device, std::uint32_t> text, stream, lengths, found;
  PinnedOf<Device> packed_lengths;
  std::vector<Return<Device>> returns;  ///< take turns
  std::size_t turn = 0;
};

template <class Device>
class Pipeline {
 public:
  /// Enqueues the blocks [first, end) of a query over a chunk.
  using Launch = std::function<void(const Slot<Device>&, std::size_t query, std::int64_t first,
                                    std::int64_t end)>;

  Pipeline(Device& device, const Plan& plan, const Problem& problem, Launch launch);
  ~Pipeline();
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
  void compute(std::size_t queue, std::size_t query);
  void enqueue(std::size_t queue, std::size_t first, std::size_t end, Return<Device>& back);
  void collect(Return<Device>& back, Answer& answer);
  double resident();

  static constexpr std::size_t kReturned = std::size_t{1} << 20;  ///< lengths, about
  static constexpr std::size_t kEnqueued = 256;                   ///< queries

  Device& device_;
  const Plan& plan_;
  const Problem& problem_;
  Launch launch_;
  std::vector<Slot<Device>> slots_;
  std::size_t together_ = 1;  // queries that are enqueued at a time
  double cells_ = 0;          // of all queries and subjects
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
  const bool blocks = std::any_of(plan.queries.begin(), plan.queries.end(),
                                  [](const QueryPlan& query) { return query.blocks > 1; });
  const std::size_t stream = blocks ? units * static_cast<std::size_t>(plan.stream_words()) : 1;
  const std::size_t queries = plan.queries.size();
  together_ = std::min(queries, std::clamp<std::size_t>(kReturned / slots, 1, kEnqueued));
  for (const QueryPlan& query : plan.queries)
    for (const Chunk& chunk : plan.chunks)
      cells_ += static_cast<double>(query.m) * static_cast<double>(chunk.symbols);
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
    slot.returns.resize(queries > together_ ? 2 : 1);
    for (Return<Device>& back : slot.returns)
      back.lengths = device.template pinned<std::uint32_t>(together_ * slots);
  }
}

/// Where an error or a progress report has ended the run, reads may still be in the queues.
template <class Device>
Pipeline<Device>::~Pipeline() {
  for (std::size_t queue = 0; queue < slots_.size(); ++queue) try {
      device_.use(queue);
      device_.finish();
    } catch (...) {
    }
  device_.use(0);
}

template <class Device>
Answer Pipeline<Device>::run() {
  Answer answer;
  answer.lengths.assign(plan_.queries.size() * problem_.subjects.size(), 0);
  const double begin = now();
  Ring ring(device_, plan_, problem_);
  for (std::size_t chunk = 0; chunk < plan_.chunks.size(); chunk += slots_.size()) {
    const std::size_t queues = std::min(slots_.size(), plan_.chunks.size() - chunk);
    for (std::size_t query = 0; query < plan_.queries.size(); query += together_)
      for (std::size_t queue = 0; queue < queues; ++queue) {
        Slot<Device>& slot = slots_[queue];
        Return<Device>& back = slot.returns[slot.turn++ % slot.returns.size()];
        collect(back, answer);
        if (query == 0) fill(queue, plan_.chunks[chunk + queue], ring);
        if (query == 0 && chunk + queue == 0) answer.transfer = now() - begin;
        enqueue(queue, query, std::min(query + together_, plan_.queries.size()), back);
      }
  }
  for (Slot<Device>& slot : slots_)
    for (std::size_t i = 0; i < slot.returns.size(); ++i)
      collect(slot.returns[slot.turn++ % slot.returns.size()], answer);
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
void Pipeline<Device>::compute(std::size_t queue, std::size_t query) {
  const Slot<Device>& slot = slots_[queue];
  const QueryPlan& plan = plan_.queries[query];
  device_.use(queue);
  const std::int64_t blocks = plan_.launch_blocks(plan, *slot.chunk);
  for (std::int64_t first = 0; first < plan.blocks; first += blocks) {
    launch_(slot, query, first, std::min(first + blocks, plan.blocks));
    device_.flush();
  }
}

/// The queries [first, end) over the queue's chunk, and the reading of their lengths.
template <class Device>
void Pipeline<Device>::enqueue(std::size_t queue, std::size_t first, std::size_t end,
                               Return<Device>& back) {
  const Slot<Device>& slot = slots_[queue];
  const std::size_t slots = slot.chunk->subjects.size();
  for (std::size_t query = first; query < end; ++query) {
    if (plan_.queries[query].blocks == 0) continue;
    compute(queue, query);
    device_.read_later(slot.found, 0, back.lengths.all().subspan((query - first) * slots, slots));
  }
  back.chunk = slot.chunk;
  back.first = first;
  back.end = end;
  device_.use(queue);
  back.done = device_.fence();
}

/// Takes in the lengths that are on their way, if there are any.
template <class Device>
void Pipeline<Device>::collect(Return<Device>& back, Answer& answer) {
  if (back.chunk == nullptr) return;
  back.done.wait();
  const Chunk& chunk = *std::exchange(back.chunk, nullptr);
  const std::size_t slots = chunk.subjects.size();
  for (std::size_t query = back.first; query < back.end; ++query) {
    if (plan_.queries[query].blocks == 0) continue;
    const std::uint32_t* found = back.lengths.data() + (query - back.first) * slots;
    std::uint32_t* lengths = answer.lengths.data() + query * problem_.subjects.size();
    for (std::size_t i = 0; i < slots; ++i)
      if (chunk.subjects[i] != Chunk::kNobody) lengths[chunk.subjects[i]] = found[i];
    answer.cells +=
        static_cast<double>(plan_.queries[query].m) * static_cast<double>(chunk.symbols);
  }
  if (problem_.progress) problem_.progress({0, 0, answer.cells, answer.cells / cells_});
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
    for (std::size_t queue = 0; queue < queues; ++queue)
      for (std::size_t query = 0; query < plan_.queries.size(); ++query) compute(queue, query);
    finish();
    seconds += now() - begin;
  }
  return seconds;
}

}  // namespace rhomb::lcs
