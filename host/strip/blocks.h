// SPDX-License-Identifier: Apache-2.0
// Blocks: the two halves of a matrix, each cut into blocks of rows that one device computes after
// the other, or several at the same time, each some columns behind the one above it.
//
//   forward   block 0  device 0   |  the border below block 0 goes to device 1 while it is made
//             block 1  device 1   v
//   -------- the row where the halves meet --------
//   backward  block 1  device 3   ^
//             block 0  device 2   |
//
// What a block has to know of all rows above is their border: 2 bits a column. Blocks begin and end
// at multiples of kBlockRows, which is a whole number of lanes with each K that goes with it, so
// that devices may have different plans, and a run may go on with another one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "host/engine/others.h"
#include "host/strip/strip.h"
#include "host/strip/texts.h"

namespace rhomb::strip {

class Team;

inline constexpr std::int64_t kBlockRows = 32 * 96;

/// The matrix, its rows filled up to whole units of kBlockRows as Size has them to lanes.
struct Frame {
  std::int64_t m = 0, n = 0, padding = 0;
  std::array<std::int64_t, 2> rows{};  ///< of both directions

  /// `forward`: the part of the rows that the forward half has, about; not all of them.
  static Frame of(std::int64_t m, std::int64_t n, double forward);
};

/// Rows of a direction that are done, and their border.
struct Reached {
  std::int64_t row = 0;
  Edge edge;
};

/// What all who take part in a pass know of one of its devices.
struct BlockShare {
  std::int64_t lane_rows = 0;   ///< of its plan
  std::int64_t block_rows = 0;  ///< of a block, a multiple of kBlockRows
  std::int32_t process = 0;     ///< whose device it is
};

struct BlocksOptions {
  std::vector<BlockShare> shares;  ///< of all devices, also of other processes
  Team* team = nullptr;            ///< these processes; null if there is but one
  std::int64_t pass = 0;           ///< its number, for them
  /// Told each time that a direction has come further; by any thread, but by one at a time, and not
  /// while the pass's `report` is.
  std::function<void(int direction, Reached)> reached = {};
};

/// A device with its plan, of the shape without flowing words.
struct BlockDevice {
  ocl::Device* device = nullptr;
  Plan plan;
};

/// The cost of the cheapest path within `band`, as BandedRun::pass(). Devices share the halves,
/// each has blocks of one direction, or of both if there is but one. `from`: where each direction
/// goes on; processes but the first need no words of it. Nothing where `report` gave the pass up,
/// and in these.
std::optional<std::int64_t> pass_in_blocks(std::span<const BlockDevice> devices,
                                           const Problem& problem, bool swapped, const Frame& frame,
                                           const Band& band, const std::array<Reached, 2>& from,
                                           const BlocksOptions& options, const Report& report);

/// Where a pass begins.
std::array<Reached, 2> at_the_top(const Frame& frame);

/// The devices that share one pair, the first of them the one that plans.
struct Sharing {
  std::vector<ocl::Device*> devices;
  std::int64_t block_rows = 0;  ///< of a block, at least; 0: as they share it best
  Team* team = nullptr;         ///< other processes, whose devices take part as well; null: none
};

/// solve() within a band, the rows shared in blocks by one or more devices, also unlike ones.
/// Throws tune::Unfit for FLOW=1, and for a K that does not divide 96.
Answer solve_shared(const Sharing& sharing, const Problem& problem, const tune::Config& config);

/// What a process but the first one of a team does: takes part in solve_shared() of the first one,
/// with its own devices, which are opened meanwhile, until it is dismissed.
/// Throws what goes wrong, and the team cannot go on then.
void help(Team& team, const std::function<std::vector<ocl::Device*>()>& open);

/// How many times as fast as the first one alone devices with these limits will share a pair,
/// about: one gains nothing from others unless the band has more lanes than fill it, and CPU
/// devices of a host (Limits::host) all have the same cores.
double gain_of_sharing(std::span<const ocl::Limits> limits, const Plan& plan);
/// A gain that is worth it.
inline constexpr double kWorthSharing = 1.15;

/// solve() on a device, or with the others where `variant` may be shared and that gains; one that
/// is always in blocks is always shared. Alone also where another one cannot be opened, or memory
/// does not suffice for sharing.
Answer solve(ocl::Device& device, const OtherDevices& others, const Variant& variant,
             const Problem& problem, const tune::Config& config);

/// What --explain says of several devices; empty for a variant that is not shared.
Facts explain_sharing(const Variant& variant, const Problem& problem,
                      std::span<const ocl::Limits> limits, const tune::Config& config);

}  // namespace rhomb::strip
