// SPDX-License-Identifier: Apache-2.0
// The known-answer test of the program that marks ends (cl/primer/windows.cl).
#include <algorithm>
#include <string>
#include <vector>

#include "host/engine/selftest.h"
#include "host/primer/windows.h"
#include "host/search/occurrence.h"

namespace rhomb::primer {
namespace {

/// Of the ends that count, which marks there must be, and which there may be.
struct Expected {
  std::uint32_t distance = kNone;
  Marks must = 0, may = 0;
};

Expected expected_of(const Problem& problem, const Piece& piece) {
  Expected expected;
  const std::string_view window = problem.alpha.substr(piece.begin, piece.end - piece.begin);
  const std::string_view text = problem.texts[piece.text].substr(piece.from, piece.to - piece.from);
  const auto mark = [&](std::size_t column) { return Marks{1} << (column >> mark_shift(piece)); };
  for (const search::End& end : search::Finder(window, *problem.code).ends(text, ~0u)) {
    if (end.at < piece.skip) continue;
    expected.distance = std::min(expected.distance, end.distance);
    if (end.distance >= problem.k) continue;
    if (end.at < text.size()) expected.may |= mark(end.at);
    if (end.at == 0) continue;
    expected.may |= mark(end.at - 1);
    if (end.at > piece.skip) expected.must |= mark(end.at - 1);
  }
  return expected;
}

}  // namespace

/// Windows of the lengths at the program's borders, pieces of several lengths, near and unrelated,
/// ends that do not count.
void Windows::test(ocl::Device& device, const search::Plan& plan, std::uint32_t shape) {
  const search::Shape& made = plan.shapes.front();
  const seq::Code code = selftest::spread_code(plan.planes, plan.sets);
  const unsigned symbols = plan.sets ? 4u : 1u << plan.planes;
  selftest::Numbers numbers;
  std::string alpha;
  std::vector<std::string> texts;
  std::vector<Piece> pieces;
  // Every length once, and again as long as that takes no time.
  constexpr double kCells = 2e8;
  double cells = 0;
  for (std::size_t i = 0; i < made.tested.size() || (i < 40 && cells < kCells); ++i) {
    const std::uint32_t rows = made.tested[i % made.tested.size()];
    const std::string window = selftest::random_text(numbers, rows, symbols);
    std::string text = i % 5 == 3 ? selftest::random_text(numbers, rows, symbols)
                                  : selftest::edited(numbers, window, 12, symbols);
    text = selftest::random_text(numbers, numbers.below(200), symbols) + text +
           selftest::random_text(numbers, numbers.below(70), symbols);
    const auto begin = static_cast<std::uint32_t>(alpha.size()), number = static_cast<unsigned>(i);
    const auto length = static_cast<std::uint32_t>(text.size());
    const std::uint32_t from = length > 3 ? numbers.below(4) : 0;
    pieces.push_back(
        {begin, begin + rows, number, from, length, i % 4 == 0 ? 64u : 0u, number, 0, 0});
    alpha += window;
    texts.push_back(std::move(text));
    cells += static_cast<double>(rows) * length;
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  Problem problem;
  problem.alpha = alpha;
  problem.texts = views;
  problem.code = &code;
  problem.k = 1 + made.longest / 8;
  problem.threads = 1;
  Windows windows(device, problem, Where::kMarks);
  windows.only_ = shape;
  windows.run(
      static_cast<std::uint32_t>(pieces.size()), [](std::uint32_t) { return std::size_t{1}; },
      [&](std::uint32_t i, std::vector<Piece>& all) { all.push_back(pieces[i]); },
      [&](const Piece& piece, std::uint32_t distance, Marks marks) {
        const Expected expected = expected_of(problem, piece);
        selftest::compare(distance, expected.distance);
        const Marks wrong = (marks & ~expected.may) | (expected.must & ~marks);
        selftest::compare(wrong, 0, "wrong marks");
      });
}

}  // namespace rhomb::primer
