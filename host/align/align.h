// SPDX-License-Identifier: Apache-2.0
// align: the alignment of one pair, on a device that is open. Devices::align() is for users.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "host/align/trace.h"
#include "host/engine/cost.h"
#include "host/engine/others.h"
#include "host/ocl/device.h"
#include "host/rhomb.h"

namespace rhomb {

/// How paths are found. Tests set it so that borders are met; the alignment is always the same.
struct AlignTuning {
  /// From one row that is kept to the next, at least; 0: what suits the device.
  std::int64_t slab_rows = 0;
  /// The host finds paths by wavefronts alone that have fewer numbers than this.
  double most_numbers = 5e5;
  std::size_t memory = std::size_t{1} << 28;  ///< bytes of rows and wavefronts of the host, about
  std::size_t piece = 0;                      ///< align::TraceOptions::piece
  tune::Config strips;                        ///< tunables of the strips that keep rows
  tune::Config waves;                         ///< and of the wavefronts
  std::optional<bool> follow;  ///< align::TraceOptions::follow; nothing: where the device is a GPU
  double pair_cells = 2e9;     ///< align::TraceOptions::pair_cells
  std::optional<bool> pieces;  ///< cut the pair first (corridor/cuts.h); nothing: if that is faster
  tune::Config cuts;           ///< tunables of the corridor that proves cuts
  std::optional<std::int64_t> at_most;  ///< cost of a path that is known
  std::optional<Rates> rates;           ///< for the choice of engines; nothing: those of the device
  /// No answer, not even an engine, where the one that is asked for passes on what is too unlike.
  bool or_nothing = false;
  std::optional<seq::Code> code;  ///< of both texts; nothing: of the symbols they have
};

/// Whether align() needs no device for a pair of these lengths.
bool aligned_at_once(std::size_t query, std::size_t target, const AlignOptions& options);

/// The alignment of texts that are so close that the host has it before a device would be open;
/// nothing for others.
std::optional<AlignAnswer> align_if_close(std::string_view query, std::string_view target,
                                          const AlignOptions& options);

/// The canonical optimal alignment (host/align/README.md), proven by going through it. `device` may
/// be null for engine "reference", and where aligned_at_once() says so. One of `others` has half of
/// what strips compute where that gains. Throws as Devices::align().
AlignAnswer align_pair(ocl::Device* device, std::string_view query, std::string_view target,
                       const AlignOptions& options, const AlignTuning& tuning = {},
                       const OtherDevices& others = {});

/// What align_pair() would do, and how much memory it takes, without running anything.
Facts explain_alignment(const ocl::DeviceInfo* device, std::string_view query,
                        std::string_view target, const AlignOptions& options,
                        std::span<const ocl::DeviceInfo> others = {});

}  // namespace rhomb
