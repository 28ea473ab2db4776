// SPDX-License-Identifier: Apache-2.0
// close: pairs whose distance the host finds while a device would still be opened, which takes a
// driver 0.05 to 0.3 s, and seconds where programs are compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "host/distance/distance.h"
#include "host/distance/pair_list.h"

namespace rhomb {

/// Up to such distances. Wavefronts have about half of the square of the distance as cells, and
/// take about a nanosecond for each; for an alignment one thread keeps all of them.
inline constexpr std::int64_t kMostToFind = 12'000, kMostToAlign = 7'000;

/// Bytes of records that are read before a device is opened: so few may need none.
inline constexpr std::size_t kLittleToRead = std::size_t{2} << 20;

/// Whether texts of these lengths may be so close, and nothing is asked for that needs a device. Of
/// shorter ones answered_at_once() is true.
bool may_be_close(std::size_t a, std::size_t b, const DistanceOptions& options,
                  std::int64_t most = kMostToFind);

/// Whether a pair is probably so close.
bool probably_close(std::string_view a, std::string_view b, const DistanceOptions& options,
                    std::int64_t most = kMostToFind);

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

/// Asks for the host's wavefronts, as far as they take less than a device.
void ask_host(DistanceOptions& options, std::int64_t most = kMostToFind);

/// The answer of the host, if that answers `options`; nothing where the distance is larger than
/// `most`.
std::optional<DistanceAnswer> distance_by_host(std::string_view a, std::string_view b,
                                               const DistanceOptions& options, std::int64_t most);

/// The same of a pair that is probably close; nothing of others.
std::optional<DistanceAnswer> distance_if_close(std::string_view a, std::string_view b,
                                                const DistanceOptions& options);

/// What solve(asked) answers if the host is asked, where that answers `options` as well.
template <class Options, class Solve>
auto solve_by_host(const Options& options, std::int64_t most, const Solve& solve)
    -> std::optional<decltype(solve(options))> {
  Options asked = options;
  ask_host(asked, most);
  auto answer = solve(asked);
  if (!answer.distance && asked.max_distance != options.max_distance) return std::nullopt;
  return answer;
}

/// The same of a pair that is probably close; nothing of others.
template <class Options, class Solve>
auto solve_if_close(std::string_view a, std::string_view b, const Options& options,
                    const Solve& solve) -> std::optional<decltype(solve(options))> {
  constexpr std::int64_t kMost =
      std::is_base_of_v<AlignOptions, Options> ? kMostToAlign : kMostToFind;
  if (!probably_close(a, b, options, kMost)) return std::nullopt;
  return solve_by_host(options, kMost, solve);
}

}  // namespace rhomb
