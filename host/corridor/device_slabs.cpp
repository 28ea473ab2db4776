// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/device_slabs.h"

#include <algorithm>
#include <string>

#include "host/batch/threads.h"

namespace rhomb::corridor {
namespace {

/// Pieces that a compute unit has room for at a time, and the slabs of one at least: each walks
/// through some below it, too.
constexpr std::size_t kPiecesOfUnit = 16, kSlabsOfPiece = 4;
constexpr std::uint32_t kSlabsBelow = 1;
/// A thread is worth its while for so many rows.
constexpr std::size_t kRowsOfThread = 1 << 10;

}  // namespace

engine::Program slabs_program(const Plan& plan) {
  return {"corridor/slabs.cl",
          "corridor_slabs",
          {{"WG", std::to_string(plan.group)},
           {"PLANES", std::to_string(plan.planes)},
           {"SETS", plan.sets ? "1" : "0"}}};
}

DeviceSlabs::DeviceSlabs(ocl::Device& device, const Plan& plan, const DeviceTexts& texts,
                         const Slabs& slabs, std::size_t threads)
    : runs_(slabs.rows.size() * SLAB_RUNS) {
  const std::size_t count = slabs.rows.size();
  std::vector<SlabRow> rows(count + 1);
  batch::each(count, kRowsOfThread, threads, [&](std::size_t s) {
    const KeptRow& row = slabs.rows[s];
    rows[s] = {static_cast<i32>(row.row), static_cast<i32>(row.first), static_cast<i32>(row.cost),
               0, static_cast<u32>(row.words.size() / 2)};
  });
  std::size_t size = 0;
  for (SlabRow& row : rows) {
    row.words = static_cast<u32>(size);
    size += 2 * row.chunks;
  }
  rows[count] = {static_cast<i32>(slabs.end), static_cast<i32>(slabs.exit),
                 static_cast<i32>(slabs.cost), static_cast<u32>(size), 0};
  UnsetVector<std::uint32_t> words(size);
  batch::each(count, kRowsOfThread, threads, [&](std::size_t s) {
    std::ranges::copy(slabs.rows[s].words, words.begin() + rows[s].words);
  });

  const engine::Program program = slabs_program(plan);
  const ocl::Kernel kernel = device.kernel(program.file, program.kernel, program.defines);
  const auto kept = device.upload(std::span<const SlabRow>(rows));
  const auto words_there = device.upload(std::span<const std::uint32_t>(words));
  const auto paths = device.buffer<SlabPath>(count);
  const auto runs = device.buffer<std::uint16_t>(runs_.size());
  const std::size_t pieces = std::clamp<std::size_t>(count / kSlabsOfPiece, 1,
                                                     kPiecesOfUnit * device.limits().compute_units);
  const auto group = static_cast<std::size_t>(plan.group);
  kernel(ocl::Range{pieces * group, 1, group, 1}, texts.rows, texts.columns,
         static_cast<std::int32_t>(texts.rows.size() / static_cast<std::size_t>(plan.planes)), kept,
         words_there, paths, runs, static_cast<std::uint32_t>(count), kSlabsBelow,
         std::uint32_t{slabs.turned});
  batch::touch(std::span(runs_), threads);       // while the kernel runs
  device.read_later(runs, 0, std::span(runs_));  // there when the paths are
  const ocl::Fence done = device.fence();        // or when this ends
  paths_ = device.read(paths, 0, count);
}

}  // namespace rhomb::corridor
