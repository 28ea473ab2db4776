// SPDX-License-Identifier: Apache-2.0
#include "host/lcs/pipeline.h"

#include <algorithm>
#include <utility>

namespace rhomb::lcs {

Pipeline::Pipeline(ocl::Device& device, const Plan& plan, const Problem& problem, Launch launch)
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
    Slot& slot = slots_[queue];
    slot.tiles = device.buffer<LcsTile>(tiles);
    slot.text = device.buffer<std::uint32_t>(text);
    slot.stream = device.buffer<std::uint32_t>(stream);
    slot.lengths = device.buffer<std::uint32_t>(slots);
    slot.found = device.buffer<std::uint32_t>(slots);
    slot.packed_lengths = device.pinned<std::uint32_t>(slots);
    slot.read = device.pinned<std::uint32_t>(slots);
  }
}

Pipeline::~Pipeline() { device_.use(0); }

Answer Pipeline::run() {
  Answer answer;
  answer.lengths.assign(problem_.subjects.size(), 0);
  const double begin = now();
  Stages stages(device_, plan_, problem_);
  for (std::size_t i = 0; i < plan_.chunks.size(); ++i) {
    const std::size_t queue = i % slots_.size();
    Slot& slot = slots_[queue];
    collect(slot, answer);
    fill(queue, plan_.chunks[i], stages);
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
void Pipeline::fill(std::size_t queue, const Chunk& chunk, Stages& stages) {
  Slot& slot = slots_[queue];
  slot.chunk = &chunk;
  const auto lengths = slot.packed_lengths.all().first(chunk.subjects.size());
  pack_lengths(problem_, chunk, lengths);
  device_.use(queue);
  device_.write_later(slot.tiles, 0, std::span<const LcsTile>(chunk.tiles));
  device_.write_later(slot.lengths, 0, std::span<const std::uint32_t>(lengths));
  while (stages.next_chunk() == &chunk) stages.copy_next(slot.text);
}

void Pipeline::compute(std::size_t queue) {
  const Slot& slot = slots_[queue];
  device_.use(queue);
  const std::int64_t blocks = plan_.launch_blocks(*slot.chunk);
  for (std::int64_t first = 0; first < plan_.blocks; first += blocks) {
    launch_(slot, first, std::min(first + blocks, plan_.blocks));
    device_.flush();
  }
}

/// Takes in the lengths of the slot's chunk, if it has one.
void Pipeline::collect(Slot& slot, Answer& answer) {
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
double Pipeline::resident() {
  double seconds = 0;
  Stages stages(device_, plan_, problem_);
  for (std::size_t first = 0; first < plan_.chunks.size(); first += slots_.size()) {
    const std::size_t queues = std::min(slots_.size(), plan_.chunks.size() - first);
    const auto finish = [&] {
      for (std::size_t queue = 0; queue < queues; ++queue) {
        device_.use(queue);
        device_.finish();
      }
    };
    for (std::size_t queue = 0; queue < queues; ++queue)
      fill(queue, plan_.chunks[first + queue], stages);
    finish();
    const double begin = now();
    for (std::size_t queue = 0; queue < queues; ++queue) compute(queue);
    finish();
    seconds += now() - begin;
  }
  return seconds;
}

}  // namespace rhomb::lcs
