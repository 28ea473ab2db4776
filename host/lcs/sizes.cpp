// SPDX-License-Identifier: Apache-2.0
// Which K or W queries of many lengths get, when only a few are to be had.
#include <algorithm>
#include <limits>
#include <map>

#include "host/lcs/internal.h"

namespace rhomb::lcs {
namespace {

/// A size has to spare this part of all operations.
constexpr double kWorth = 0.02;

std::int64_t blocks_of(std::int64_t m, const BlockSize& size) {
  return (m + size.rows - 1) / size.rows;
}

double operations_of(std::int64_t m, const BlockSize& size) {
  return static_cast<double>(blocks_of(m, size)) * size.operations;
}

/// A length that some queries have, and the operations of each with the best size so far.
struct Length {
  std::int64_t m = 0;
  double queries = 0;
  double least = std::numeric_limits<double>::infinity();
};

/// Operations of all queries, with `size` to choose too.
double operations_with(const std::vector<Length>& lengths, const BlockSize& size) {
  double all = 0;
  for (const Length& length : lengths)
    all += length.queries * std::min(length.least, operations_of(length.m, size));
  return all;
}

/// Takes the size that spares most, then the one that spares most besides, and so on.
std::vector<BlockSize> best_of(std::vector<Length> lengths, std::span<const BlockSize> sizes,
                               std::size_t most) {
  std::vector<BlockSize> taken;
  double all = std::numeric_limits<double>::infinity();
  while (taken.size() < most) {
    const BlockSize* best = nullptr;
    double least = taken.empty() ? all : (1 - kWorth) * all;
    for (const BlockSize& size : sizes)
      if (const double with = operations_with(lengths, size); with < least) {
        least = with;
        best = &size;
      }
    if (best == nullptr) break;
    all = least;
    taken.push_back(*best);
    for (Length& length : lengths)
      length.least = std::min(length.least, operations_of(length.m, *best));
  }
  return taken;
}

}  // namespace

std::vector<QueryPlan> cut_queries(std::span<const std::string_view> queries,
                                   std::span<const BlockSize> sizes, std::size_t most) {
  std::map<std::int64_t, double> counts;
  for (const std::string_view query : queries) ++counts[static_cast<std::int64_t>(query.size())];
  std::vector<Length> lengths;
  for (const auto& [m, count] : counts) lengths.push_back({m, count});
  const std::vector<BlockSize> taken = best_of(std::move(lengths), sizes, most);

  std::vector<QueryPlan> plans;
  for (const std::string_view query : queries) {
    const auto m = static_cast<std::int64_t>(query.size());
    const BlockSize* best = &taken.front();
    for (const BlockSize& size : taken)
      if (operations_of(m, size) < operations_of(m, *best)) best = &size;
    plans.push_back({m, best->size, blocks_of(m, *best), operations_of(m, *best)});
  }
  return plans;
}

}  // namespace rhomb::lcs
