// SPDX-License-Identifier: Apache-2.0
// A whole pair by one engine that leaves rows. Only for host/align.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/align/room.h"
#include "host/align/strand.h"
#include "host/engine/choose.h"
#include "host/ocl/device.h"
#include "host/tune/config.h"
#include "host/tune/store.h"

namespace rhomb::align {

/// Distance and path by the host alone, in a band that grows until all cheapest paths are inside.
struct ByHost {
  std::int64_t distance = 0;
  std::vector<Cigar> backwards;
  double cells = 0;
};

ByHost by_host(const Turned& turned, std::optional<std::int64_t> max_distance, std::size_t memory);

/// The strips, which keep rows on the device. `problem` has a guess. Nothing where there is no room
/// for rows, or where the matrix is too small for two halves.
std::optional<Found> find_by_strips(ocl::Device& device, const Turned& turned,
                                    const Problem& problem, const Room& room,
                                    const tune::Config& config);

/// What wavefronts have left of a pair whose launches were shared.
Found find_by_rows(ocl::Device& device, const Turned& turned, const Room& room, Left left);

/// The engine that is asked for, or that distance() would choose, so that it leaves rows; nothing
/// where that is one that does not.
std::optional<Found> find_whole(ocl::Device& device, const Turned& turned, const Rates& rates,
                                const AlignOptions& options, const Room& room,
                                const tune::Store& store);

/// By the host, where a method of its own is asked for that leaves rows.
std::optional<Found> find_by_host(const Turned& turned, const AlignOptions& options,
                                  const Room& room);

}  // namespace rhomb::align
