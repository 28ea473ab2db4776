// SPDX-License-Identifier: Apache-2.0
#include "host/distance/close.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "host/batch/threads.h"
#include "host/corridor/corridor.h"
#include "host/distance/methods.h"
#include "host/engine/choose.h"
#include "host/engine/sketch.h"
#include "host/wfa/wfa.h"

namespace rhomb {
namespace {

/// Of both texts: to read and to code more takes as long as the wavefronts may.
constexpr std::size_t kMostClose = std::size_t{1} << 24;

/// In shorter texts few words are left that they could have in common; they are simply tried.
constexpr std::size_t kSketched = 10'000;

/// Cells that a core computes while a device is opened; and how many a symbol takes as long as, for
/// its text to be looked at and copied.
constexpr double kMeanwhile = 5e7, kSymbol = 1;

/// Texts whose lengths differ by more than such a part have long gaps, which no corridor is for.
constexpr std::size_t kDiffer = 64;

/// Corridors that probably take longer are a device's.
constexpr double kSoonByCorridor = 0.12;
/// Seconds of a cell of wavefronts, and of those that are kept; and for a path through a corridor,
/// of a row and of an edit, by one thread.
constexpr double kWaveCell = 1e-9, kKeptCell = 4e-9, kWalkedRow = 1e-8, kWalkedEdit = 1.2e-6;

/// Symbols of both texts that corridors take so long for at least.
std::size_t most_by_corridor(std::size_t threads) {
  constexpr std::int64_t kSome = 1'000'000;
  const auto seconds = [&](std::int64_t symbols) {
    return host_corridor_seconds(symbols, symbols, 0, batch::threads_of(threads));
  };
  const double few = seconds(kSome), more = (seconds(2 * kSome) - few) / kSome;  // a symbol of each
  return static_cast<std::size_t>(2 * (kSome + (kSoonByCorridor - few) / more));
}

std::optional<HostWay> way_of_host(std::string_view a, std::string_view b,
                                   const DistanceOptions& options, std::int64_t most, bool align) {
  if (!may_be_hosts(a.size(), b.size(), options, most)) return std::nullopt;
  if (std::max(a.size(), b.size()) <= kSketched) return host_wavefronts(most);
  const Sketch sketch = sketch_distance(a, b, options.threads);
  const auto distance = static_cast<double>(sketch.distance);
  const auto m = static_cast<std::int64_t>(a.size()), n = static_cast<std::int64_t>(b.size());
  const bool near = sketch.distance <= most;
  // A limit may be below the distance: wavefronts end there.
  if (options.ambiguous == seq::Ambiguous::kSymbol && !options.max_distance &&
      fits_corridor(sketch, m, n, false)) {
    const std::size_t threads = batch::threads_of(options.threads);
    double corridor = host_corridor_seconds(m, n, sketch.distance, threads);
    if (align)
      corridor += (static_cast<double>(m) * kWalkedRow + distance * kWalkedEdit) /
                  static_cast<double>(threads);
    const double waves = distance * distance / 2 * (align ? kKeptCell : kWaveCell);
    if (corridor <= kSoonByCorridor && !(near && waves <= corridor))
      return HostWay{kCorridor, corridor::kHostCorridor, near ? most : 0};
  }
  if (near) return host_wavefronts(most);
  return std::nullopt;
}

}  // namespace

std::size_t pair_to_read(std::size_t threads) {
  return std::max(kLittleToRead, most_by_corridor(threads));
}

HostWay host_wavefronts(std::int64_t most) { return {kWavefront, wfa::kHost, most}; }

bool may_be_hosts(std::size_t a, std::size_t b, const DistanceOptions& options, std::int64_t most) {
  return options.by_host && options.engine == "auto" && options.variant.empty() && !options.check &&
         options.keeping.folder.empty() && !answered_at_once(a, b, options) &&
         a + b <= std::max(kMostClose, most_by_corridor(options.threads)) &&
         std::max(a, b) - std::min(a, b) <=
             std::max(static_cast<std::size_t>(most), std::max(a, b) / kDiffer);
}

std::optional<HostWay> host_way(std::string_view a, std::string_view b,
                                const DistanceOptions& options) {
  return way_of_host(a, b, options, kMostToFind, false);
}
std::optional<HostWay> host_way(std::string_view a, std::string_view b,
                                const AlignOptions& options) {
  return way_of_host(a, b, options, kMostToAlign, true);
}

std::optional<DistanceAnswer> distance_by_host(std::string_view a, std::string_view b,
                                               const DistanceOptions& options, std::int64_t most) {
  const auto solve = [&](const DistanceOptions& asked) { return distance(nullptr, a, b, asked); };
  if (answered_at_once(a.size(), b.size(), options)) return solve(options);
  return solve_by_host(options, host_wavefronts(most), solve);
}

std::optional<DistanceAnswer> distance_if_close(std::string_view a, std::string_view b,
                                                const DistanceOptions& options) {
  const auto way = host_way(a, b, options);
  if (!way) return std::nullopt;
  if (way->engine == kWavefront) return distance_by_host(a, b, options, way->most);
  DistanceOptions asked = options;
  ask_host(asked, *way);
  if (auto answer = distance_unless_passed_on(a, b, asked)) return answer;
  return way->most > 0 ? distance_by_host(a, b, options, way->most) : std::nullopt;
}

std::optional<std::int64_t> most_of_close(const PairList& list, const DistanceOptions& options,
                                          double part) {
  constexpr std::size_t kSome = 16;
  const std::size_t count = list.pairs.size(), threads = batch::threads_of(options.threads);
  if (!options.by_host || !options.keeping.folder.empty()) return std::nullopt;
  if (count < 2 || count > kMostClosePairs) return std::nullopt;
  const double most = part * kMeanwhile * static_cast<double>(threads);
  double cells = 0;
  for (const PairNumbers pair : list.pairs) {
    const std::size_t m = list.queries[pair.query].size(), n = list.targets[pair.target].size();
    if (!answered_at_once(m, n, options) && !may_be_hosts(m, n, options, kMostToFind))
      return std::nullopt;
    if (!list.square || pair.query <= pair.target) cells += kSymbol * static_cast<double>(m + n);
    if (cells > most) return std::nullopt;
  }
  DistanceOptions asked = options;
  asked.progress = {};
  asked.trace = nullptr;
  asked.threads = 1;
  // The few, at places that are no multiples of each other, take a quarter of what all may, at
  // most.
  const auto limit = static_cast<std::int64_t>(std::sqrt(2 * most / 4 / kSome));
  std::vector<std::optional<DistanceAnswer>> some(std::min(kSome, count));
  batch::in_parts(
      some.size(), std::min(threads, some.size()),
      [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          double whole = 0;
          const double place = std::modf(0.618034 * static_cast<double>(i), &whole);
          const std::size_t pair =
              count <= kSome ? i : static_cast<std::size_t>(place * static_cast<double>(count));
          const auto [query, target] = list.pairs[pair];
          some[i] = distance_by_host(list.queries[query], list.targets[target], asked, limit);
        }
      });
  double mean = 0;
  std::int64_t furthest = 0;
  for (const std::optional<DistanceAnswer>& one : some) {
    if (!one) return std::nullopt;
    mean += one->cells / static_cast<double>(some.size());
    furthest = std::max(furthest, one->distance ? *one->distance : *options.max_distance);
  }
  if (cells + mean * static_cast<double>(list.square ? count / 2 : count) > most)
    return std::nullopt;
  // Others that are much further apart than these are not the host's.
  return std::clamp<std::int64_t>(2 * furthest, 1000, kMostToFind);
}

void ask_host(DistanceOptions& options, const HostWay& way) {
  options.engine = way.engine;
  options.variant = way.variant;
  if (way.engine == kWavefront)
    options.max_distance = std::min(way.most, options.max_distance.value_or(way.most));
}

}  // namespace rhomb
