// SPDX-License-Identifier: Apache-2.0
#include "host/engine/cost.h"

#include <algorithm>
#include <cmath>

namespace rhomb {

Rates usual_rates(const ocl::Limits& limits) {
  Rates rates;
  rates.guessed = true;
  rates.source = limits.gpu ? "usual for a GPU" : "usual for a CPU";
  const double units = std::max<std::uint32_t>(limits.compute_units, 1);
  if (limits.gpu) {
    // Scaled from 132 multiprocessors.
    rates.strip_cell *= 132 / units;
    rates.wave_cell *= 132 / units;
    rates.wave_close *= 132 / units;
    return rates;
  }
  // A core fills 512 cells a few times a nanosecond with AVX-512, half of that with AVX2.
  const double lanes = static_cast<double>(std::max<std::uint32_t>(limits.vector_ints, 4)) / 16;
  rates.strip_launch = 4e-5;
  rates.strip_column = rates.strip_row = 0;
  rates.strip_cell = 4e-12 / units / lanes;
  rates.wave_launch = 4e-5;
  rates.wave_step = 1e-6;
  rates.wave_cell = 1.5e-9 / units;
  rates.wave_close = 1.5e-9 / units;
  return rates;
}

double strip_seconds(const Rates& rates, const strip::Plan& plan, const strip::Band& band) {
  const strip::Schedule schedule(plan.size, plan.shape, band);
  const double k = plan.shape.k;
  const auto launches = static_cast<double>(schedule.launches());
  const double steps = launches * 32 * plan.shape.slab;
  const double few = steps * (rates.strip_column + rates.strip_row * k);
  return launches * rates.strip_launch + std::max(few, strip_busy_seconds(rates, plan, band));
}

double strip_busy_seconds(const Rates& rates, const strip::Plan& plan, const strip::Band& band) {
  // Seven operations a cell of two planes and six a column, whatever K; one more a cell and column
  // for each further plane.
  const double k = plan.shape.k, planes = plan.planes;
  const double operations = ((5 + planes) * k + 4 + planes) / (7 * k);
  return strip::Schedule(plan.size, plan.shape, band).work() * rates.strip_cell * operations;
}

double wave_busy_seconds(const Rates& rates, std::int64_t m, std::int64_t n, std::int64_t distance,
                         std::int64_t gaps) {
  const auto d = static_cast<double>(distance);
  const double cells = d * d / 2;  // both directions, until they meet
  const double along = static_cast<double>(std::max(m, n)) / std::max(d, 1.0);
  // While a gap is paid for, no diagonal matches any further; what a cell takes then was measured
  // with S. aureus, E. coli and yeast.
  const double part = static_cast<double>(gaps) / std::max(d, 1.0);
  const double gapped = std::clamp((part - 0.3) / 0.7, 0.0, 1.0);
  const double close = std::clamp((along - 10) / 40, 0.0, 1.0) * (1 - gapped);
  const double unlike = rates.wave_cell * (1 - 0.35 * gapped);
  return cells * (unlike + close * (rates.wave_close - rates.wave_cell));
}

double wave_seconds(const Rates& rates, std::int64_t m, std::int64_t n, std::int64_t distance,
                    std::int64_t gaps) {
  const auto d = static_cast<double>(distance);
  return d / 2 / 32 * rates.wave_launch + d / 2 * rates.wave_step +
         wave_busy_seconds(rates, m, n, distance, gaps);
}

double pieces_seconds(const Rates& rates, bool gpu, std::span<const PieceCosts> pieces) {
  double longest = 0, busy = 0, sum = 0;
  for (const auto& [rows, distance, gaps, others] : pieces) {
    const double one = std::min(wave_seconds(rates, rows, rows, distance, gaps), others);
    longest = std::max(longest, one);
    sum += one;
    busy += std::min(wave_busy_seconds(rates, rows, rows, distance, gaps), one);
  }
  return gpu ? std::max(longest, busy) : sum;
}

double windows_seconds(const Rates& rates, double cells) {
  // Measured on H100s; they are strips (cl/corridor/far.cl), and there is some to do before.
  return 0.002 + cells * rates.strip_cell;
}

bool windows_gain(const Rates& rates, bool gpu, double cells, std::span<const PieceCosts> without,
                  std::span<const PieceCosts> with) {
  constexpr double kWorthIt = 0.85;
  return windows_seconds(rates, cells) + pieces_seconds(rates, gpu, with) <
         kWorthIt * pieces_seconds(rates, gpu, without);
}

double corridor_seconds(const Rates& rates, bool gpu, std::int64_t m, std::int64_t n,
                        std::int64_t distance, std::size_t threads, double lost) {
  // Windows and the corridor are some hundred diagonals wide, more for more edits. A GPU's rows go
  // through the members of a team one after the other; a CPU reads each lane's symbols by itself.
  const auto rows = static_cast<double>(m);
  const double width = 1500 + 20000 * static_cast<double>(distance) / rows;
  const double cell = rates.strip_cell * (gpu ? 10 : 3);
  // Measured with 16 threads on a GPU, which looks for words by itself, and with 16 and 2 on CPUs.
  const double symbol = gpu ? 0.05e-9 + 5e-9 / static_cast<double>(threads)
                            : 0.3e-9 + 9e-9 / static_cast<double>(threads);
  // Bands that are wide are computed by all members of a team.
  const double wide = rates.strip_cell * 3;
  return (gpu ? 0.004 : 0.008) + rows * (width * cell + lost * wide) +
         static_cast<double>(m + n) * symbol;
}

double host_corridor_seconds(std::int64_t m, std::int64_t n, std::int64_t distance,
                             std::size_t threads) {
  // Measured with AVX2, 16 threads of a server, which share cores, and two.
  constexpr double kCellsOfThread = 5e10;
  Rates rates;
  rates.strip_cell = 1 / (3 * kCellsOfThread * static_cast<double>(threads));
  return corridor_seconds(rates, false, m, n, distance, threads);
}

double packing_seconds(bool gpu, std::int64_t m, std::int64_t n, std::size_t threads) {
  // Measured with 16 threads. On CPUs it is little beside what they compute.
  return gpu ? static_cast<double>(m + n) * 10e-9 / static_cast<double>(threads) : 0;
}

}  // namespace rhomb
