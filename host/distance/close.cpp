// SPDX-License-Identifier: Apache-2.0
#include "host/distance/close.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "host/batch/threads.h"
#include "host/distance/methods.h"
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

}  // namespace

bool may_be_close(std::size_t a, std::size_t b, const DistanceOptions& options, std::int64_t most) {
  return options.by_host && options.engine == "auto" && options.variant.empty() && !options.check &&
         options.keeping.folder.empty() && !answered_at_once(a, b, options) &&
         a + b <= kMostClose && std::max(a, b) - std::min(a, b) <= static_cast<std::size_t>(most);
}

bool probably_close(std::string_view a, std::string_view b, const DistanceOptions& options,
                    std::int64_t most) {
  return may_be_close(a.size(), b.size(), options, most) &&
         (std::max(a.size(), b.size()) <= kSketched ||
          sketch_distance(a, b, options.threads).distance <= most);
}

std::optional<DistanceAnswer> distance_by_host(std::string_view a, std::string_view b,
                                               const DistanceOptions& options) {
  DistanceOptions asked = options;
  if (!answered_at_once(a.size(), b.size(), options)) ask_host(asked);
  DistanceAnswer answer = distance(nullptr, a, b, asked);
  if (!answer.distance && asked.max_distance != options.max_distance) return std::nullopt;
  return answer;
}

bool all_probably_close(const PairList& list, const DistanceOptions& options) {
  constexpr std::size_t kSome = 16, kMostPairs = std::size_t{1} << 16;
  const std::size_t count = list.pairs.size(), threads = batch::threads_of(options.threads);
  if (count < 2 || count > kMostPairs) return false;
  const double most = kMeanwhile * static_cast<double>(threads);
  const auto once = [&](PairNumbers pair) { return !list.square || pair.query <= pair.target; };
  double cells = 0;
  for (const PairNumbers pair : list.pairs) {
    const std::size_t m = list.queries[pair.query].size(), n = list.targets[pair.target].size();
    if (!answered_at_once(m, n, options) && !may_be_close(m, n, options)) return false;
    if (once(pair)) cells += kSymbol * static_cast<double>(m + n);
    if (cells > most) return false;
  }
  // The few take no longer than a quarter of what all may.
  DistanceOptions asked = options;
  asked.progress = {};
  asked.trace = nullptr;
  asked.threads = 1;
  const auto limit = static_cast<std::int64_t>(std::sqrt(2 * most / 4 / kSome));
  asked.max_distance = std::min(limit, options.max_distance.value_or(limit));
  std::vector<double> taken(std::min(kSome, count), -1);
  batch::in_parts(
      taken.size(), std::min(threads, taken.size()),
      [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const auto [query, target] = list.pairs[i * count / taken.size()];
          const auto answer = distance_by_host(list.queries[query], list.targets[target], asked);
          if (answer && (answer->distance || asked.max_distance == options.max_distance))
            taken[i] = answer->cells;
        }
      });
  if (std::ranges::min(taken) < 0) return false;
  const double mean =
      std::accumulate(taken.begin(), taken.end(), 0.0) / static_cast<double>(taken.size());
  return cells + mean * static_cast<double>(list.square ? count / 2 : count) <= most;
}

void ask_host(DistanceOptions& options, std::int64_t most) {
  options.engine = kWavefront;
  options.variant = wfa::kHost;
  options.max_distance = std::min(most, options.max_distance.value_or(most));
}

}  // namespace rhomb
