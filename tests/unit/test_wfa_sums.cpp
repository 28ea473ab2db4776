// SPDX-License-Identifier: Apache-2.0
// What rows of wavefronts add up to: a device that is played here writes and reads rows, and may
// lose a bit of anything. No device is touched.
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "cl/wfa/front.h"
#include "host/engine/fault.h"
#include "host/wfa/course.h"
#include "host/wfa/sums.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace rhomb::wfa_sums_tests {
namespace {

using wfa::Sums;

/// Launches count what they read and write, as cl/wfa/meet.h has it.
struct Played {
  std::vector<std::int32_t> status;
  std::vector<std::uint32_t> rows;  // what each row adds up to

  void launch(std::size_t number) {
    add(WFA_READ + number % WFA_SUMS, rows[number]);
    add(WFA_WRITTEN + (number + 1) % WFA_SUMS, rows[number + 1]);
  }
  void add(std::size_t word, std::uint32_t value) {
    status[word] = static_cast<std::int32_t>(static_cast<std::uint32_t>(status[word]) + value);
  }
};

std::vector<std::uint32_t> some_rows(std::size_t count, std::mt19937& rng) {
  std::vector<std::uint32_t> rows(count);
  for (std::uint32_t& row : rows) row = static_cast<std::uint32_t>(rng());
  return rows;
}

TEST_CASE("sums of rows that are kept are the same, whatever their number", "[wfa][host]") {
  std::mt19937 rng(test::seed());
  Sums sums("a device");
  Played device{{}, some_rows(5 * WFA_SUMS, rng)};
  device.status = sums.open(1000, device.rows[0], std::nullopt);
  CHECK(device.status.size() == WFA_STATUS_ALONE);
  std::size_t next = 0;
  while (next + WFA_SUMS < device.rows.size()) {
    const std::size_t batch = 1 + rng() % (WFA_SUMS / 4);
    for (std::size_t i = 0; i < batch; ++i) device.launch(next++);
    const auto told = sums.check(device.status, static_cast<int>(next) - 1);
    CHECK(told == wfa::Course::Status{WFA_OPEN, 1000});
    CHECK(sums.of(next - 1) == device.rows[next - 1]);
    CHECK(sums.of(next - batch) == device.rows[next - batch]);
  }
}

TEST_CASE("a bit of a row, of a sum or of what is told is missed when it is lost", "[wfa][host]") {
  std::mt19937 rng(test::seed());
  for (int i = 0; i < 2000; ++i) {
    Sums sums("a device");
    Played device{{}, some_rows(20, rng)};
    device.status =
        sums.open(1 + static_cast<std::int64_t>(rng() % 1000), device.rows[0], std::nullopt);
    for (std::size_t l = 0; l < 10; ++l) device.launch(l);
    REQUIRE_NOTHROW(Sums(sums).check(device.status, 9));
    const auto bit = static_cast<std::int32_t>(std::uint32_t{1} << rng() % 32);
    const std::size_t row = rng() % 10;
    const std::array<std::size_t, 3> words{rng() % WFA_STATUS, WFA_WRITTEN + row, WFA_READ + row};
    auto lost = device.status;
    lost[words[rng() % 3]] ^= bit;
    CHECK_THROWS_AS(Sums(sums).check(lost, 9), FaultError);
    // Of the row that is still to be read nobody knows, nor of what no launch has come to.
    lost = device.status;
    lost[WFA_WRITTEN + 10 + rng() % 100] ^= bit;
    CHECK_NOTHROW(Sums(sums).check(lost, 9));
    // A row that is read otherwise than it was written.
    auto wrong = device;
    wrong.add(WFA_READ + row, static_cast<std::uint32_t>(bit));
    CHECK_THROWS_AS(Sums(sums).check(wrong.status, 9), FaultError);
  }
}

TEST_CASE("rows behind the first overlap do not count, and the row that is faced does",
          "[wfa][host]") {
  std::mt19937 rng(test::seed());
  Sums sums("a device");
  Played device{{}, some_rows(20, rng)};
  device.status = sums.open(1000, device.rows[0], std::nullopt);
  for (std::size_t l = 0; l <= 5; ++l) device.launch(l);
  device.status[WFA_MET] = 5;
  device.status[WFA_MET + WFA_TWICE] = ~5;
  CHECK(sums.check(device.status, 9)[WFA_MET] == 5);
  CHECK(sums.of(5) == device.rows[5]);
  device.status = sums.open(1000, sums.of(5) + 0, device.rows[4]);
  device.rows = {device.rows[5], 0, device.rows[4], 0};
  device.launch(0);
  device.launch(Sums::kFacing);
  CHECK_NOTHROW(Sums(sums).check(device.status, 0));
  device.status[WFA_READ + Sums::kFacing] ^= 1;
  CHECK_THROWS_AS(Sums(sums).check(device.status, 0), FaultError);
}

TEST_CASE("a launch reads all of the row before", "[wfa][host]") {
  std::mt19937 rng(test::seed());
  const wfa::Stage stage{1 << 30, 1, 1, 1024, 32};
  for (int i = 0; i < 300; ++i) {
    const auto m = 1 + static_cast<std::int64_t>(rng() % 5000);
    const auto n = 1 + static_cast<std::int64_t>(rng() % 5000);
    wfa::Course course(m, n, std::max(m, n), 16);
    course.begin({}, std::max(m, n), 0);
    for (int told = 0; told < 50 && !course.done(); ++told) {
      course.propose([&](const wfa::Front&) -> const wfa::Stage& { return stage; },
                     [&](const wfa::Stage&, const wfa::Front& from, const wfa::Front&,
                         wfa::Front to, std::int64_t steps, int) {
                       CHECK(to.lo <= from.lo + steps);
                       CHECK(to.hi >= from.hi - steps);
                       return to;
                     });
      if (course.last()) break;
      // A path that shows up lets many diagonals go at once.
      const std::int64_t bound = std::max(2 * course.newest().cost, std::abs(n - m)) + 1 +
                                 static_cast<std::int64_t>(rng() % 2000);
      course.take({WFA_OPEN, static_cast<std::int32_t>(bound)});
    }
  }
}

}  // namespace
}  // namespace rhomb::wfa_sums_tests
