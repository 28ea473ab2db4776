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

/// The corridor's tunables, and those of PiecesSetting.
const tune::Space& pieces_space();

struct PiecesSetting {
  /// Pieces that a device computes at a time. One leaves most of a GPU idle, and fills all cores of
  /// a CPU.
  std::size_t at_once = 1;
  corridor::Windows windows = corridor::Windows::kNever;
};
/// As `config` says, out of which their tunables are taken, or as the device wants.
PiecesSetting pieces_setting(tune::Config& config, const ocl::Limits& limits);

/// A part of a pair, and the engine that will be fastest for it.
struct Piece {
  std::int64_t i = 0, j = 0;           ///< where it begins in both texts
  std::int64_t rows = 0, columns = 0;  ///< symbols of both, with common ends
  Problem problem;                     ///< without these
  Choice choice;
  Answer answer;  ///< known at once where nothing is left of one text

  wfa::MeetingTask task() const {
    const std::int64_t most = distance_limit(problem);  // what a path costs, mostly a cheapest one
    return {.a = problem.a, .b = problem.b, .most = most, .about = most};
  }
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
/// as long as the longest of them, while the device is not busy with them; launches of others come
/// in between. So those are left to others that take longest by wavefronts, as many as gains.
/// `together`: some may share launches, which keep rows if `keeps`.
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
