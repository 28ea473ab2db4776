// SPDX-License-Identifier: Apache-2.0
// pieces: a pair that is cut where a cheapest path is proven to go through (corridor/cuts.h). Each
// piece is solved by what is fastest for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "host/corridor/corridor.h"
#include "host/corridor/cuts.h"
#include "host/engine/choose.h"
#include "host/engine/cost.h"
#include "host/engine/pair.h"
#include "host/ocl/device.h"
#include "host/wfa/meetings.h"

namespace rhomb {

/// The corridor's tunables, and how many pieces are computed at a time.
const tune::Space& pieces_space();

/// How many pieces a device computes at a time: as `config` says, whose tunable for that is taken
/// out of it, or by the device. One leaves most of a GPU idle, and fills all cores of a CPU.
std::size_t pieces_at_once(tune::Config& config, const ocl::Limits& limits);

/// A part of a pair, and the engine that will be fastest for it.
struct Piece {
  std::int64_t i = 0, j = 0;           ///< where it begins in both texts
  std::int64_t rows = 0, columns = 0;  ///< symbols of both, with common ends
  Problem problem;                     ///< without these
  Choice choice;
  Answer answer;  ///< known at once where nothing is left of one text

  wfa::MeetingTask task() const { return {problem.a, problem.b, distance_limit(problem)}; }
  double seconds() const;
  std::string_view engine() const;  ///< that finds the distance, if that is not the corridor
  Problem guessed() const;          ///< with a guess for that
};
/// Those between cuts of a problem, which has a chain.
std::vector<Piece> pieces_of(const Problem& problem, std::span<const corridor::Cut> cuts,
                             const ocl::Limits& limits, const Rates& rates);

/// What is computed in one go: a piece, or many that share the launches of wavefronts.
struct Part {
  std::vector<std::size_t> pieces;
  double seconds = 0;
};
/// Of all pieces without an answer; those that take longest first. Pieces that share launches take
/// as long as the longest of them, while the device is not busy with them. So all do that take no
/// longer than the one which takes longest anyway, and keep the device busy for no longer than
/// another engine would. `together`: some may share launches, which keep rows if `keeps`.
std::vector<Part> parts_of(const std::vector<Piece>& pieces, const ocl::Limits& limits,
                           const Rates& rates, bool together, bool keeps);

/// What the cuts have left of both texts on the device.
wfa::TextsThere texts_there(const Problem& problem, const corridor::Cutting& cutting);

/// Throws CheckError if a piece costs more than the path that is known to go through it.
void check_piece(std::int64_t rows, std::int64_t columns, std::optional<std::int64_t> distance,
                 std::int64_t at_most);

/// What --explain prints of it; `to_align`: for an alignment. Memory is about what it takes, since
/// the cuts are not known before. `problem` is trimmed, and has a guess; `sketch` is of it.
Facts explain_pieces(const Problem& problem, const Sketch& sketch, const ocl::Limits& limits,
                     tune::Config config, const Rates& rates, bool to_align);

/// Answer::passed_on where the pair cannot be cut.
Answer solve_pieces(ocl::Device& device, const Problem& problem, const Rates& rates,
                    tune::Config config);

}  // namespace rhomb
