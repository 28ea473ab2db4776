// SPDX-License-Identifier: Apache-2.0
// pieces: a pair that is cut where a cheapest path is proven to go through (corridor/cuts.h). Each
// piece is solved by what is fastest for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "host/engine/cost.h"
#include "host/engine/pair.h"
#include "host/ocl/device.h"

namespace rhomb {

/// The corridor's tunables, and how many pieces are computed at a time.
const tune::Space& pieces_space();

/// How many pieces a device computes at a time: as `config` says, whose tunable for that is taken
/// out of it, or by the device. One leaves most of a GPU idle, and fills all cores of a CPU.
std::size_t pieces_at_once(tune::Config& config, const ocl::Limits& limits);

/// Throws CheckError if a piece costs more than the path that is known to go through it.
void check_piece(std::int64_t rows, std::int64_t columns, std::optional<std::int64_t> distance,
                 std::int64_t at_most);

/// What --explain prints of it.
Facts explain_pieces(const Problem& problem, const ocl::Limits& limits, tune::Config config);

/// Answer::passed_on where the pair cannot be cut.
Answer solve_pieces(ocl::Device& device, const Problem& problem, const Rates& rates,
                    tune::Config config);

}  // namespace rhomb
