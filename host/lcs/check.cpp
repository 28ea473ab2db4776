// SPDX-License-Identifier: Apache-2.0
// Some lengths of each block are computed again on the host.
#include <random>
#include <string>
#include <vector>

#include "host/batch/threads.h"
#include "host/engine/reference.h"
#include "host/error.h"
#include "host/lcs/run.h"
#include "host/lcs/subsequence.h"

namespace rhomb::lcs {
namespace {

/// Cells that dynamic programming goes through in a part of a second.
constexpr double kShort = 2e7;
constexpr double kSample = 4e8;
/// Cells of a subsequence that take as long as one of dynamic programming.
constexpr double kTracing = 20;

struct Pair {
  std::size_t query;
  std::size_t target;
};

}  // namespace

std::uint64_t check(std::span<const seq::Sequence> queries, const Block& block,
                    std::size_t threads) {
  const std::size_t all = queries.size() * block.targets.size();
  const auto cells_of = [&](const Pair& pair) {
    return static_cast<double>(queries[pair.query].symbols.size()) *
           static_cast<double>(block.targets[pair.target].symbols.size());
  };
  std::vector<Pair> sample;
  std::mt19937_64 random(block.number);
  double cost = 0;
  double total = 0;
  for (const seq::Sequence& query : queries) total += static_cast<double>(query.symbols.size());
  const bool few = total * block.symbols <= kSample;
  for (std::size_t i = 0; i < all && (few || cost < kSample); ++i) {
    const std::size_t number = few ? i : random() % all;
    const Pair pair{number % queries.size(), number / queries.size()};
    const double cells = cells_of(pair);
    cost += cells <= kShort ? cells : cells / kTracing;
    sample.push_back(pair);
  }
  const auto check_one = [&](std::size_t i) {
    const auto [query, target] = sample[i];
    const std::string& a = queries[query].symbols;
    const std::string& b = block.targets[target].symbols;
    const std::size_t expected =
        cells_of(sample[i]) <= kShort
            ? static_cast<std::size_t>(reference::lcs_length(a, b, block.code))
            : Tracer(a, block.code).matches(b).size();
    const std::uint32_t found = block.length(query, target);
    if (found != expected)
      throw CheckError("check failed: the device says that " + queries[query].name + " and " +
                       block.targets[target].name + " have " + std::to_string(found) +
                       " symbols in common, the host says " + std::to_string(expected) +
                       "; please report this with the input");
    return true;
  };
  batch::in_order(sample.size(), batch::threads_of(threads), check_one, [](bool) {});
  return sample.size();
}

}  // namespace rhomb::lcs
