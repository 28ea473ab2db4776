// SPDX-License-Identifier: Apache-2.0
#include "host/primer/self.h"

#include <algorithm>
#include <vector>

#include "host/primer/internal.h"

namespace rhomb::primer {

bool meets_itself(const Problem& problem, const Piece& piece) {
  if (!problem.self || problem.self->text != piece.text) return false;
  const std::uint64_t own = problem.self->begin;
  return piece.from < own + piece.end && own + piece.begin < piece.to;
}

Near nearest_end(const Problem& problem, const Piece& piece) {
  using Word = std::uint64_t;
  const seq::Code& code = *problem.code;
  const std::string_view window = problem.alpha.substr(piece.begin, piece.end - piece.begin);
  const std::string_view text = problem.texts[piece.text];
  const std::size_t words = (window.size() + 63) / 64, codes = std::size_t{1} << code.planes;
  // Where each of the text's codes matches the window.
  std::vector<Word> profile(words * codes, 0);
  for (std::size_t i = 0; i < window.size(); ++i) {
    const unsigned a = code.a[static_cast<unsigned char>(window[i])];
    for (std::size_t b = 0; b < codes; ++b)
      if (code.matching == seq::Matching::kEqual ? a == b : (a & b) != 0)
        profile[words * b + i / 64] |= Word{1} << (i % 64);
  }
  std::vector<Word> plus(words, ~Word{0}), minus(words, 0);
  const unsigned top = static_cast<unsigned>((window.size() - 1) % 64);
  // The row that symbol c of the text is itself, if it is one: c - shift.
  const bool masked = problem.self && problem.self->text == piece.text;
  const std::int64_t shift =
      masked ? std::int64_t{problem.self->begin} + piece.begin : std::int64_t{1} << 40;
  auto score = static_cast<std::uint32_t>(window.size());
  Near best{kNone, 0};
  if (piece.skip == 0) best = {score, piece.from};
  for (std::uint32_t c = piece.from; c < piece.to; ++c) {
    const Word* match = profile.data() + words * code.b[static_cast<unsigned char>(text[c])];
    const std::int64_t own = std::int64_t{c} - shift;
    Word down = 0, up = 0;  // dh that enters a word: nothing above the first row
    for (std::size_t w = 0; w < words; ++w) {
      Word equal = match[w];
      if (own >= 0 && static_cast<std::size_t>(own) / 64 == w) equal &= ~(Word{1} << (own % 64));
      const Word vertical = equal | minus[w];
      const Word any = equal | down;
      const Word level = (((any & plus[w]) + plus[w]) ^ plus[w]) | any;
      Word rises = minus[w] | ~(level | plus[w]), falls = plus[w] & level;
      const unsigned last = w + 1 == words ? top : 63;
      const Word rise = rises >> last & 1, fall = falls >> last & 1;
      rises = rises << 1 | up;
      falls = falls << 1 | down;
      plus[w] = falls | ~(vertical | rises);
      minus[w] = rises & vertical;
      up = rise;
      down = fall;
    }
    score = score + static_cast<std::uint32_t>(up) - static_cast<std::uint32_t>(down);
    if (c + 1 - piece.from >= piece.skip && score < best.distance) best = {score, c + 1};
  }
  return best;
}

std::uint32_t longest_near(const Problem& problem, std::uint32_t start, std::uint32_t limit,
                           std::uint32_t text, std::int64_t low, std::int64_t high) {
  const std::int64_t rows = limit;
  const auto n = static_cast<std::int64_t>(problem.texts[text].size());
  low = std::max(low, -std::int64_t{problem.k});
  high = std::min(high, n);
  if (low > high) return std::min(problem.k - 1, limit);
  // One place more on both sides, that nothing reaches.
  constexpr std::int64_t kNowhere = -(std::int64_t{1} << 40);
  const auto width = static_cast<std::size_t>(high - low + 3);
  std::vector<std::int64_t> before(width, kNowhere), now(width, kNowhere);
  std::int64_t best = std::min<std::int64_t>(problem.k - 1, rows);
  for (std::int64_t e = 0; e < problem.k; ++e) {
    for (std::int64_t d = low; d <= high; ++d) {
      const auto i = static_cast<std::size_t>(d - low + 1);
      std::int64_t row = std::max(before[i - 1], std::max(before[i + 1], before[i]) + 1);
      if (e == std::max<std::int64_t>(0, -d)) row = std::max(row, e);  // the matrix begins here
      if (row < 0) {
        now[i] = kNowhere;
        continue;
      }
      row = std::min(row, std::min(rows, n - d));
      while (row < rows && row + d < n &&
             matches(problem, start + static_cast<std::uint32_t>(row), text,
                     static_cast<std::uint32_t>(row + d)))
        ++row;
      now[i] = row;
      best = std::max(best, row);
    }
    if (best == rows) break;
    std::swap(before, now);
  }
  return static_cast<std::uint32_t>(best);
}

}  // namespace rhomb::primer
