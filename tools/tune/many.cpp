// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/many.h"

namespace rhomb::cli {
namespace {

constexpr unsigned kSymbols = 4;
/// To make more symbols takes long.
constexpr double kMostSymbols = 1 << 28;

/// A copy with edits; or another text, if they are to have nothing in common.
std::string related(selftest::Numbers& numbers, const std::string& text, double divergence) {
  if (divergence >= 0.5) return selftest::random_text(numbers, text.size(), kSymbols);
  const auto one_in = static_cast<unsigned>(std::lround(std::clamp(1 / divergence, 1.0, 1e6)));
  return selftest::edited(numbers, text, one_in, kSymbols);
}

}  // namespace

const seq::Code& tuned_code() {
  static const seq::Code code = selftest::spread_code(2, false);
  return code;
}

const gaps::Scoring& tuned_scoring() {
  static const gaps::Scoring scoring = [] {
    gaps::Scoring made;
    made.scale = 2;
    made.open = -20;
    made.extend = -1;
    made.known.fill(true);
    std::ranges::fill(made.pairs, -8);
    for (std::size_t i = 0; i < 256; ++i) made.pairs[i << 8 | i] = 10;
    return made;
  }();
  return scoring;
}

void Work::add(std::string_view query, std::string_view target, std::uint32_t begin,
               std::uint32_t skip) {
  const auto number = static_cast<std::uint32_t>(size++);
  query_memory.add(query);
  target_memory.add(target);
  pieces.push_back(
      {number, number, begin, static_cast<std::uint32_t>(target.size()) - begin, skip});
  pairs.push_back({number, number});
}

void Work::close() {
  queries = query_memory.views();
  targets = target_memory.views();
}

std::deque<Work> small_work(std::span<const std::size_t> lengths, double longest, double cells,
                            bool one_query) {
  std::deque<Work> all;
  selftest::Numbers numbers;
  for (const std::size_t m : lengths) {
    Work& one = all.emplace_back();
    const std::size_t of_targets[] = {0,  1,     2, 31,        32,     33,    63,        64,
                                      65, m - 1, m, m + m / 5, m + 33, 2 * m, m + m / 3, m + 64};
    const std::size_t count = std::size(of_targets);
    std::string query = selftest::random_text(numbers, m, kSymbols);
    double used = 0;
    for (std::size_t i = 0; i < 3 * count && used < cells / static_cast<double>(lengths.size());
         ++i) {
      const std::size_t n = std::min(of_targets[i % count],
                                     static_cast<std::size_t>(longest * static_cast<double>(m)));
      if (!one_query) query = selftest::random_text(numbers, m, kSymbols);
      const std::uint32_t begin = i < count ? 0 : numbers.below(40);
      std::string target = selftest::random_text(numbers, begin + n / 8, kSymbols);
      target += i % 4 == 3 ? selftest::random_text(numbers, m, kSymbols)
                           : selftest::edited(numbers, query, 12, kSymbols);
      target += selftest::random_text(numbers, n, kSymbols);
      target.resize(begin + n);
      one.add(query, target, begin, i % 3 == 2 ? 64u : 0u);
      used += static_cast<double>(m) * static_cast<double>(begin + n);
    }
    one.close();
  }
  return all;
}

Work large_work(const tune::Task& task, const Layout& layout) {
  const auto m = static_cast<std::size_t>(task.length);
  const auto n = static_cast<std::size_t>(static_cast<double>(m) * std::max(layout.longer, 1.0));
  const double wanted = layout.cells / static_cast<double>(m) / static_cast<double>(n);
  const double count =
      std::min(std::clamp(wanted, layout.least, std::max(layout.least, layout.most)),
               kMostSymbols / static_cast<double>(n));
  Work work;
  selftest::Numbers numbers;
  std::string query = selftest::random_text(numbers, m, kSymbols);
  const std::size_t pairs = std::max<std::size_t>(1, static_cast<std::size_t>(count) / 64) * 64;
  const std::size_t texts =
      layout.all_pairs ? static_cast<std::size_t>(std::sqrt(static_cast<double>(pairs))) : pairs;
  while (work.size < texts) {
    if (!layout.one_query && work.size > 0) query = selftest::random_text(numbers, m, kSymbols);
    std::string target = selftest::random_text(numbers, layout.ahead ? (n - m) / 2 : 0, kSymbols);
    target += related(numbers, query, task.divergence);
    if (layout.longer > 0) {
      if (target.size() < n) target += selftest::random_text(numbers, n - target.size(), kSymbols);
      target.resize(n);
    }
    work.add(query, target);
  }
  work.close();
  if (layout.all_pairs) {
    work.pairs.clear();
    for (std::uint32_t t = 0; t < texts; ++t)
      for (std::uint32_t q = 0; q < texts; ++q) work.pairs.push_back({q, t});
    work.size = work.pairs.size();
  }
  return work;
}

std::deque<Work> PrimerEngine::small(const tune::Task& task) {
  std::deque<Work> all;
  selftest::Numbers numbers;
  const auto k = static_cast<std::size_t>(task.length);
  Work& work = all.emplace_back();
  work.k = static_cast<std::uint32_t>(k);
  const std::string alpha = selftest::random_text(numbers, 4 * k + 64, kSymbols);
  std::size_t symbols = 0;
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{31}, std::size_t{33}, std::size_t{64}, 6 * k + 100}) {
    std::string text = selftest::random_text(numbers, n / 8, kSymbols);
    text += selftest::edited(numbers, alpha.substr(k), 12, kSymbols);
    text += selftest::random_text(numbers, n, kSymbols);
    work.add(alpha, text.substr(0, n));
    symbols += n;
  }
  work.close();
  const std::size_t each = symbols * alpha.size();
  work.size = std::clamp<std::size_t>(50'000'000 / each, 1, alpha.size());
  return all;
}

Work PrimerEngine::large(const tune::Task& task, const ocl::Limits& limits) {
  const auto k = static_cast<std::size_t>(task.length);
  // Variants that go through a matrix a start, in tiles or whole, have a hundredth of the work.
  const tune::Space& space = find_variant(variants(), task.variant).space;
  const bool whole = std::ranges::find(space, "TILE", &tune::Param::name) != space.end();
  const std::size_t starts = limits.gpu ? whole ? 8'192 : 32'768 : whole ? 64 : 2'048;
  const std::size_t n = limits.gpu ? whole ? 20'000 : 1'000'000 : whole ? 5'000 : 50'000;
  selftest::Numbers numbers;
  Work work;
  work.k = static_cast<std::uint32_t>(k);
  // Behind the last start there is room for its substring.
  const std::string alpha = selftest::random_text(numbers, starts + 4 * k, kSymbols);
  std::string text = related(numbers, alpha, task.divergence);
  text.resize(std::min(text.size(), n / 2));
  text += selftest::random_text(numbers, n - text.size(), kSymbols);
  work.add(alpha, text);
  work.close();
  work.size = starts;
  return work;
}

}  // namespace rhomb::cli
