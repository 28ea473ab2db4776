// SPDX-License-Identifier: Apache-2.0
#include "tests/support/words.h"

namespace rhomb::test {

std::int64_t distance_by_words(std::string_view a, std::string_view b, const seq::Code& code) {
  if (a.empty()) return static_cast<std::int64_t>(b.size());
  std::int64_t distance = 0;
  each_column(a, b, code, false, [&](std::size_t, std::int64_t cost) { distance = cost; });
  return distance;
}

}  // namespace rhomb::test
