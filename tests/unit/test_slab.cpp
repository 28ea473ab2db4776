// SPDX-License-Identifier: Apache-2.0
// Slabs that several threads compute, against those of one (test_align.cpp has these against the
// plain alignment).
#include <cstdint>
#include <utility>

#include "host/align/slab.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"

namespace rhomb::slab_tests {
namespace {

using test::Rng;

align::CodeText codes_at_random(Rng& rng, std::int64_t size, std::uint64_t symbols) {
  UnsetVector<std::uint8_t> codes(static_cast<std::size_t>(size));
  for (std::uint8_t& code : codes)
    code = static_cast<std::uint8_t>(test::random_below(rng, symbols));
  return align::CodeText(std::move(codes));
}

/// Below a row that goes up and down, wide or narrow.
align::Region region_at_random(Rng& rng, std::int64_t rows, std::int64_t columns) {
  align::Region region;
  region.rows = rows;
  region.column = static_cast<std::int64_t>(test::random_below(rng, 70));
  region.top = {0};
  for (std::uint64_t left = 1 + test::random_below(rng, 300); left > 0; --left)
    region.top.push_back(region.top.back() + static_cast<int>(test::random_below(rng, 3)) - 1);
  region.first_exit = region.last_exit = region.column + columns;
  region.threshold = static_cast<std::int64_t>(test::random_below(rng, 3 * 400)) + columns / 4;
  region.inside = test::random_below(rng, 2) == 0;
  return region;
}

TEST_CASE("threads share a slab", "[align][slab]") {
  Rng rng(test::seed());
  for (int number = 0; number < 150; ++number) {
    const std::int64_t rows =
        (const int[]){1, 64, 255, 256, 257, 300, 900, 3000}[number % 8] + number / 8 % 3;
    const std::int64_t columns =
        rows * (1 + number % 3) + static_cast<std::int64_t>(test::random_below(rng, 200));
    align::Codes codes;
    codes.planes = 2;
    codes.turned = number % 2 == 0;
    codes.rows = codes_at_random(rng, rows, 4);
    codes.columns = codes_at_random(rng, columns + 70, 4);
    const align::Region region = region_at_random(rng, rows, columns);
    INFO("number " << number << ", " << rows << " rows, " << columns << " columns");
    const align::Slab one(codes, region, std::size_t{1} << 26);
    const align::Slab shared(codes, region, std::size_t{1} << 26,
                             2 + static_cast<std::size_t>(number % 3));
    REQUIRE(shared.cost(region.last_exit) == one.cost(region.last_exit));
    using Order = align::Slab::Order;
    for (const Order order : {Order::kCanonical, Order::kLeftmost, Order::kRightmost}) {
      const align::Path expected = one.walk(region.last_exit, order);
      const align::Path path = shared.walk(region.last_exit, order);
      REQUIRE(path.entry == expected.entry);
      REQUIRE(path.backwards == expected.backwards);
    }
  }
}

}  // namespace
}  // namespace rhomb::slab_tests
