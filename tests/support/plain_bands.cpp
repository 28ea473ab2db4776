// SPDX-License-Identifier: Apache-2.0
#include "tests/support/plain_bands.h"

#include <algorithm>

namespace rhomb::test {

namespace {

using Values = std::vector<std::int64_t>;  // along a row, at the left end of each column and last

int difference(const corridor::Words& state, std::size_t x) {
  if (state.empty()) return 0;
  return static_cast<int>(state[x / 32 * 2] >> x % 32 & 1) -
         static_cast<int>(state[x / 32 * 2 + 1] >> x % 32 & 1);
}

/// To the right, or to the left where negative.
void move(Values& values, std::int64_t by) {
  const auto last = static_cast<std::int64_t>(values.size()) - 1;
  Values moved;
  moved.reserve(values.size());
  for (std::int64_t place = by; place <= last + by; ++place)  // beyond the ends costs rise
    moved.push_back(values[static_cast<std::size_t>(std::clamp<std::int64_t>(place, 0, last))] +
                    std::max({place - last, -place, std::int64_t{0}}));
  values.swap(moved);
}

/// Of the first `words` words.
corridor::Words differences(const Values& values, int words) {
  corridor::Words state(2 * static_cast<std::size_t>(words));
  for (std::size_t x = 0; x < 16 * state.size(); ++x) {
    const std::int64_t step = values[x + 1] - values[x];
    if (step > 0) state[x / 32 * 2] |= 1u << x % 32;
    if (step < 0) state[x / 32 * 2 + 1] |= 1u << x % 32;
  }
  return state;
}

}  // namespace

void PlainBands::compute(corridor::Band& band) const {
  const auto size = static_cast<std::size_t>(32 * band.words);
  Values values{0}, next(size + 1);
  for (std::size_t x = 0; x < size; ++x)
    values.push_back(values.back() + difference(band.state, x));
  std::int64_t steps = 0;
  for (std::size_t b = 0; b < band.left.size(); ++b) {
    if (b > 0) move(values, 32 * (band.left[b] - band.left[b - 1]));
    std::int64_t row = (band.block + static_cast<std::int64_t>(b)) * grid_.rows;
    for (const std::int64_t end = row + grid_.rows; row < end;) {
      const std::int64_t column = row + 32 * band.left[b];
      for (int r = 0; r < 32; ++r, ++row) {
        next[0] = values[0] + 1;
        for (std::size_t x = 0; x < size; ++x)
          next[x + 1] = std::min({values[x] + !match(row, column + static_cast<std::int64_t>(x)),
                                  values[x + 1] + 1, next[x] + 1});
        values.swap(next);
      }
      move(values, 32);
      ++steps;
      if (band.every > 0 && steps % band.every == 0 && steps < band.steps(grid_))
        band.kept.push_back({values[0], differences(values, band.words - 1)});
    }
  }
  band.score = values[0];
  band.state = differences(values, band.words);
}

}  // namespace rhomb::test
