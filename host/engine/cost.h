// SPDX-License-Identifier: Apache-2.0
// cost: how long each engine will take on a device, from a few numbers measured there once.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "host/strip/strip.h"
#include "host/tune/store.h"
#include "host/wfa/wfa.h"

namespace rhomb {

/// What a device was measured to do. Seconds.
struct Rates {
  double strip_launch = 5e-6;   ///< a launch of the strips, beyond its steps
  double strip_column = 15e-9;  ///< a step of a strip while lanes are few, whatever K
  double strip_row = 8e-9;      ///< more for each row of a strip
  double strip_cell = 2e-14;    ///< a cell of the matrix while all lanes are busy, for large K
  double wave_launch = 5e-6;    ///< a launch of the wavefronts, beyond its steps
  double wave_step = 1e-7;      ///< a step of the wavefronts while they are narrow
  double wave_cell = 2.7e-12;   ///< a cell of wide wavefronts of unlike texts
  double wave_close = 5e-12;    ///< a cell of wavefronts of texts with long matches
  std::string source;           ///< where the numbers come from
  bool guessed = false;         ///< nobody has measured this device
};

/// A number of Rates, its name in stores, and what it is.
struct RateField {
  const char* name;
  double Rates::*value;
  const char* meaning;
};
std::span<const RateField> rate_fields();

/// Numbers of a device like this one that nobody has measured.
Rates usual_rates(const ocl::Limits& limits);

/// Seconds on the device for a pass of `plan` over a band.
double strip_seconds(const Rates& rates, const strip::Plan& plan, const strip::Band& band);

/// The part of them in which the device is busy; in the rest lanes wait for each other, which many
/// pairs can share.
double strip_busy_seconds(const Rates& rates, const strip::Plan& plan, const strip::Band& band);

/// Seconds on the device for wavefronts between texts of lengths m and n and of that distance,
/// `gaps` of which are long insertions and deletions.
double wave_seconds(const Rates& rates, std::int64_t m, std::int64_t n, std::int64_t distance,
                    std::int64_t gaps = 0);

/// The part of them in which the device is busy; the rest is waiting from step to step, which many
/// pairs can share.
double wave_busy_seconds(const Rates& rates, std::int64_t m, std::int64_t n, std::int64_t distance,
                         std::int64_t gaps = 0);

/// A piece of a pair: rows, the distance, how much of it is long gaps, and what another engine than
/// wavefronts takes, seconds.
struct PieceCosts {
  std::int64_t rows = 0, distance = 0, gaps = 0;
  double others = std::numeric_limits<double>::infinity();
};
/// What pieces take: as long as the longest, or as the device is busy, on a GPU, where wavefronts
/// share launches; one after the other on a CPU, whose hands are full with each.
double pieces_seconds(const Rates& rates, bool gpu, std::span<const PieceCosts> pieces);
/// What so many cells of wide windows take (corridor/cuts.h).
double windows_seconds(const Rates& rates, double cells);
/// Whether they gain, by much, if pieces would be these without them and those with them.
bool windows_gain(const Rates& rates, bool gpu, double cells, std::span<const PieceCosts> without,
                  std::span<const PieceCosts> with);

/// Seconds for the corridor, of which the host has its part: so many threads look for words. It is
/// so many diagonals wider as its bounds have `lost` of the distance, to long gaps mostly.
double corridor_seconds(const Rates& rates, bool gpu, std::int64_t m, std::int64_t n,
                        std::int64_t distance, std::size_t threads, double lost = 0);

/// Seconds for the corridor on so many threads of the host, without any device.
double host_corridor_seconds(std::int64_t m, std::int64_t n, std::int64_t distance,
                             std::size_t threads);

/// Seconds in which so many threads of the host get both texts ready for wavefronts or strips,
/// forwards and backwards. Where texts are long and close a GPU computes for less than that.
double packing_seconds(bool gpu, std::int64_t m, std::int64_t n, std::size_t threads);

/// Measures a device: a second or two.
Rates measure_rates(ocl::Device& device);

/// The rates of a device: from the user's store, from those shipped with rhomb, or usual ones;
/// Rates::source says which. Without a store the files are read anew.
Rates known_rates(const ocl::DeviceInfo& device, const tune::Store& store);
Rates known_rates(const ocl::DeviceInfo& device);

/// Keeps what was measured in the user's store. False when there is no place for it.
bool remember_rates(const ocl::DeviceInfo& device, const Rates& rates);

}  // namespace rhomb
