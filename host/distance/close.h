// SPDX-License-Identifier: Apache-2.0
// close: pairs whose distance the host finds while a device would still be opened, which takes a
// driver 0.05 to 0.3 s, and seconds where programs are compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "host/distance/distance.h"
#include "host/distance/pair_list.h"

namespace rhomb {

/// Up to such distances. Wavefronts have about half of the square of the distance as cells, and
/// take about a nanosecond for each; for an alignment one thread keeps all of them.
inline constexpr std::int64_t kMostToFind = 12'000, kMostToAlign = 7'000;

/// Bytes of records that are read before a device is opened, and of the records of a single pair
/// where so many threads compute: so few may need none.
inline constexpr std::size_t kLittleToRead = std::size_t{2} << 20;
std::size_t pair_to_read(std::size_t threads);

/// How the host may find a distance: by wavefronts up to `most`, or by a corridor, and where texts
/// are too unlike for that, by wavefronts if `most` is not 0.
struct HostWay {
  std::string_view engine, variant;
  std::int64_t most = 0;
};
HostWay host_wavefronts(std::int64_t most);

/// Whether that may answer texts of these lengths, up to `most` by wavefronts, and nothing is asked
/// for that needs a device. Of shorter ones answered_at_once() is true.
bool may_be_hosts(std::size_t a, std::size_t b, const DistanceOptions& options, std::int64_t most);

/// How the host probably finds the distance of a pair, or its alignment, before a device would be
/// open; nothing if it does not.
std::optional<HostWay> host_way(std::string_view a, std::string_view b,
                                const DistanceOptions& options);
std::optional<HostWay> host_way(std::string_view a, std::string_view b,
                                const AlignOptions& options);

/// More pairs are not looked at.
inline constexpr std::size_t kMostClosePairs = std::size_t{1} << 16;

/// Where threads of the host probably find the distances of all these pairs, of which there are
/// several, before a device would be open: up to which distance they should look for each. A few
/// are computed to see. `part`: of the time until then.
std::optional<std::int64_t> most_of_close(const PairList& list, const DistanceOptions& options,
                                          double part = 1);

/// What --explain says of it.
inline constexpr const char* kCloseEnough =
    "close enough for the host to answer before a device would be open";

/// Asks for that way, as far as it takes less than a device.
void ask_host(DistanceOptions& options, const HostWay& way);

/// The answer of the host, if that answers `options`; nothing where the distance is larger than
/// `most`.
std::optional<DistanceAnswer> distance_by_host(std::string_view a, std::string_view b,
                                               const DistanceOptions& options, std::int64_t most);

/// The same of a pair that the host probably answers; nothing of others.
std::optional<DistanceAnswer> distance_if_close(std::string_view a, std::string_view b,
                                                const DistanceOptions& options);

/// What solve(asked) answers if the host is asked, where that answers `options` as well.
template <class Options, class Solve>
auto solve_by_host(const Options& options, const HostWay& way, const Solve& solve)
    -> std::optional<decltype(solve(options))> {
  Options asked = options;
  ask_host(asked, way);
  auto answer = solve(asked);
  if (!answer.distance && asked.max_distance != options.max_distance) return std::nullopt;
  return answer;
}

}  // namespace rhomb
