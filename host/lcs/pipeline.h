// SPDX-License-Identifier: Apache-2.0
// Pipeline: chunk after chunk is packed, copied, computed with all queries and read back. Chunks
// take turns on several queues, so that the packing of one and the copies of another hide behind
// the launches of a third.
//
// Of many queries a few hundred are enqueued at a time, and while they are computed the next ones;
// so neither queues nor the lengths on their way back grow with the number of queries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "host/batch/staging.h"
#include "host/batch/under_way.h"
#include "host/lcs/lcs.h"
#include "host/lcs/stages.h"

namespace rhomb::lcs {

template <batch::Backend Device>
class Pipeline {
 public:
  /// Tiles, words of queries, text, stream, lengths, found.
  using Kernel = batch::KernelOf<Device, const LcsTile*, const std::uint32_t*, const std::uint32_t*,
                                 std::uint32_t*, const std::uint32_t*, std::uint32_t*, LcsRows>;

  /// `kernels`: of each size that the plan has.
  Pipeline(Device& device, const Plan& plan, const Problem& problem, std::map<int, Kernel> kernels);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Computes all chunks: lengths, cells, compute, transfer and, if it is wanted, kernel.
  Answer run();

 private:
  using Words = batch::BufferOf<Device, std::uint32_t>;
  using PinnedWords = batch::PinnedOf<Device, std::uint32_t>;

  /// Lengths of some queries and a chunk, on their way back.
  struct Return {
    const Chunk* chunk = nullptr;    ///< null: none
    std::size_t first = 0, end = 0;  ///< queries
    PinnedWords lengths;             ///< of each query, of each slot
    batch::FenceOf<Device> done;
  };

  /// What a chunk has on the device; one for each queue.
  struct Slot {
    const Chunk* chunk = nullptr;  ///< null: none
    batch::BufferOf<Device, LcsTile> tiles;
    batch::Staged<Device, std::uint32_t> lengths;
    Words text, stream, found;
    std::vector<Return> returns;  ///< take turns
    batch::Pace<Device> pace;
    std::size_t turn = 0;
  };

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
    std::vector<PinnedWords> words;
    std::vector<batch::FenceOf<Device>> copied;
    Stages stages;  // last: its threads go first
  };

  void fill(std::size_t queue, const Chunk& chunk, Ring& ring);
  void compute(Slot& slot, std::size_t query, bool tells);
  void tell();
  void enqueue(std::size_t queue, std::size_t first, std::size_t end, Return& back);
  void collect(Return& back, Answer& answer);
  double resident();

  static constexpr std::size_t kReturned = std::size_t{1} << 20;  ///< lengths, about
  static constexpr std::size_t kEnqueued = 256;                   ///< queries

  Device& device_;
  const Plan& plan_;
  const Problem& problem_;
  std::map<int, Kernel> kernels_;
  std::vector<Words> queries_;       // their words, in one buffer or in one each
  std::vector<std::size_t> begins_;  // of each query among all words, and the end
  std::vector<Slot> slots_;
  std::size_t together_ = 1;  // queries that are enqueued at a time
  double cells_ = 0;          // of all queries and targets
  double done_ = 0;           // of these
  double packing_ = 0;        // seconds, of the queries
};

template <batch::Backend Device>
Pipeline<Device>::Pipeline(Device& device, const Plan& plan, const Problem& problem,
                           std::map<int, Kernel> kernels)
    : device_(device),
      plan_(plan),
      problem_(problem),
      kernels_(std::move(kernels)),
      begins_(query_begins(plan)) {
  const double begin = now();
  const auto words = plan.strips > 0 ? pack_rows(plan, problem) : alphabet_strings(plan, problem);
  if (plan.in_one_buffer())
    queries_.push_back(device.template upload<std::uint32_t>(words));
  else
    for (std::size_t query = 0; query < plan.queries.size(); ++query)
      queries_.push_back(device.template upload<std::uint32_t>(
          std::span(words).subspan(begins_[query], begins_[query + 1] - begins_[query])));
  std::size_t units = 0, slots = 0, tiles = 0;
  for (const Chunk& chunk : plan.chunks) {
    units = std::max<std::size_t>(units, chunk.units);
    slots = std::max(slots, chunk.targets.size());
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
    const batch::OnQueue use(device, queue);
    Slot& slot = slots_[queue];
    slot.tiles = device.template buffer<LcsTile>(tiles);
    slot.text = device.template buffer<std::uint32_t>(text);
    slot.stream = device.template buffer<std::uint32_t>(stream);
    slot.lengths.load(device, slots);
    slot.found = device.template buffer<std::uint32_t>(slots);
    slot.returns.resize(queries > together_ ? 2 : 1);
    for (Return& back : slot.returns)
      back.lengths = device.template pinned<std::uint32_t>(together_ * slots);
  }
  packing_ = now() - begin;
}

/// Where an error or a progress report has ended the run, reads may still be in the queues.
template <batch::Backend Device>
Pipeline<Device>::~Pipeline() {
  for (std::size_t queue = 0; queue < slots_.size(); ++queue) batch::settle(device_, queue);
}

template <batch::Backend Device>
Answer Pipeline<Device>::run() {
  Answer answer;
  answer.lengths.assign(plan_.queries.size() * problem_.targets.size(), 0);
  const double begin = now();
  Ring ring(device_, plan_, problem_);
  for (std::size_t chunk = 0; chunk < plan_.chunks.size(); chunk += slots_.size()) {
    const std::size_t queues = std::min(slots_.size(), plan_.chunks.size() - chunk);
    for (std::size_t query = 0; query < plan_.queries.size(); query += together_)
      for (std::size_t queue = 0; queue < queues; ++queue) {
        Slot& slot = slots_[queue];
        Return& back = slot.returns[slot.turn++ % slot.returns.size()];
        collect(back, answer);
        if (query == 0) fill(queue, plan_.chunks[chunk + queue], ring);
        if (query == 0 && chunk + queue == 0) answer.transfer = now() - begin;
        enqueue(queue, query, std::min(query + together_, plan_.queries.size()), back);
      }
  }
  for (Slot& slot : slots_)
    for (std::size_t i = 0; i < slot.returns.size(); ++i)
      collect(slot.returns[slot.turn++ % slot.returns.size()], answer);
  answer.cells = done_;
  answer.compute = now() - begin - answer.transfer;
  answer.transfer += packing_;
  if (problem_.time_kernel) answer.kernel = resident();
  return answer;
}

/// Enqueues the copies of a chunk.
template <batch::Backend Device>
void Pipeline<Device>::fill(std::size_t queue, const Chunk& chunk, Ring& ring) {
  Slot& slot = slots_[queue];
  slot.chunk = &chunk;
  pack_lengths(problem_, chunk, slot.lengths.load(device_, chunk.targets.size()));
  const batch::OnQueue use(device_, queue);
  device_.template write_later<LcsTile>(slot.tiles, 0, chunk.tiles);
  slot.lengths.send(device_);
  while (ring.stages.next_chunk() == &chunk) {
    while (ring.stages.full()) {
      ring.copied[ring.stages.oldest()].wait();
      ring.stages.free_oldest();
    }
    const auto [piece, stage] = ring.stages.next();
    device_.template write_later<std::uint32_t>(slot.text, piece->word,
                                                ring.words[stage].all().first(piece->words));
    ring.copied[stage] = device_.fence();
  }
}

/// Enqueues the launches of a query over the queue's chunk; the queue is in use.
template <batch::Backend Device>
void Pipeline<Device>::compute(Slot& slot, std::size_t query, bool tells) {
  const QueryPlan& plan = plan_.queries[query];
  const bool alone = queries_.size() > 1;
  const auto group = static_cast<std::size_t>(plan_.group);
  const std::int64_t blocks = plan_.launch_blocks(plan, *slot.chunk);
  const double block = plan_.block_seconds(plan, *slot.chunk);
  for (std::int64_t first = 0; first < plan.blocks; first += blocks) {
    kernels_.at(plan.size)(
        ocl::Range{slot.chunk->tiles.size() * group, 1, group, 1}, slot.tiles,
        queries_[alone ? query : 0], slot.text, slot.stream, slot.lengths.there, slot.found,
        LcsRows{alone ? 0 : begins_[query], plan.m, static_cast<std::uint32_t>(first),
                static_cast<std::uint32_t>(std::min(first + blocks, plan.blocks)),
                static_cast<std::uint32_t>(plan.blocks), 0});
    device_.flush();
    if (tells && slot.pace.launched(device_, static_cast<double>(blocks) * block)) tell();
  }
}

/// The queries [first, end) over the queue's chunk, and the reading of their lengths.
template <batch::Backend Device>
void Pipeline<Device>::enqueue(std::size_t queue, std::size_t first, std::size_t end,
                               Return& back) {
  Slot& slot = slots_[queue];
  const std::size_t slots = slot.chunk->targets.size();
  const batch::OnQueue use(device_, queue);
  for (std::size_t query = first; query < end; ++query) {
    if (plan_.queries[query].blocks == 0) continue;
    compute(slot, query, true);
    device_.template read_later<std::uint32_t>(
        slot.found, 0, back.lengths.all().subspan((query - first) * slots, slots));
  }
  back.chunk = slot.chunk;
  back.first = first;
  back.end = end;
  back.done = device_.fence();
}

/// Takes in the lengths that are on their way, if there are any.
template <batch::Backend Device>
void Pipeline<Device>::collect(Return& back, Answer& answer) {
  if (back.chunk == nullptr) return;
  back.done.wait();
  const Chunk& chunk = *std::exchange(back.chunk, nullptr);
  const std::size_t slots = chunk.targets.size();
  for (std::size_t query = back.first; query < back.end; ++query) {
    if (plan_.queries[query].blocks == 0) continue;
    const std::uint32_t* found = back.lengths.data() + (query - back.first) * slots;
    std::uint32_t* lengths = answer.lengths.data() + query * problem_.targets.size();
    for (std::size_t i = 0; i < slots; ++i)
      if (chunk.targets[i] != Chunk::kNobody) lengths[chunk.targets[i]] = found[i];
    done_ += static_cast<double>(plan_.queries[query].m) * static_cast<double>(chunk.symbols);
  }
  tell();
}

template <batch::Backend Device>
void Pipeline<Device>::tell() {
  if (problem_.progress) problem_.progress({0, 0, done_, done_ / cells_});
}

/// Seconds of all launches, each round of queues being filled before they begin.
template <batch::Backend Device>
double Pipeline<Device>::resident() {
  double seconds = 0;
  Ring ring(device_, plan_, problem_);
  for (std::size_t first = 0; first < plan_.chunks.size(); first += slots_.size()) {
    const std::size_t queues = std::min(slots_.size(), plan_.chunks.size() - first);
    const auto finish = [&] {
      for (std::size_t queue = 0; queue < queues; ++queue) {
        const batch::OnQueue use(device_, queue);
        device_.finish();
      }
    };
    for (std::size_t queue = 0; queue < queues; ++queue)
      fill(queue, plan_.chunks[first + queue], ring);
    finish();
    const double begin = now();
    for (std::size_t queue = 0; queue < queues; ++queue) {
      const batch::OnQueue use(device_, queue);
      for (std::size_t query = 0; query < plan_.queries.size(); ++query)
        compute(slots_[queue], query, false);
    }
    finish();
    seconds += now() - begin;
  }
  return seconds;
}

}  // namespace rhomb::lcs
