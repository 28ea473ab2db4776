// SPDX-License-Identifier: Apache-2.0
// The lcs headers of the kernels, compiled by the host's compiler: a cell against the recurrence of
// the matrix, and what a work-item does, with its streams and launches, against the reference.
// Targets are packed by the library, so this also holds its layouts against the kernels'. Under
// the sanitizers it sees what a device would hide.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/engine/reference.h"
#include "host/lcs/pack.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
// Last, in this order: each defines one shape.
// clang-format off
#define NATIVE k1s32p2
#define K 1
#define S 32
#define PLANES 2
#define SETS 0
#include "tests/support/native_lcs.h"
#define NATIVE k3s32p2
#define K 3
#define S 32
#define PLANES 2
#define SETS 0
#include "tests/support/native_lcs.h"
#define NATIVE k16s32p2
#define K 16
#define S 32
#define PLANES 2
#define SETS 0
#include "tests/support/native_lcs.h"
#define NATIVE k2s16p1
#define K 2
#define S 16
#define PLANES 1
#define SETS 0
#include "tests/support/native_lcs.h"
#define NATIVE k3s8p2
#define K 3
#define S 8
#define PLANES 2
#define SETS 0
#include "tests/support/native_lcs.h"
#define NATIVE k4s4p3
#define K 4
#define S 4
#define PLANES 3
#define SETS 0
#include "tests/support/native_lcs.h"
#define NATIVE k1s4p2
#define K 1
#define S 4
#define PLANES 2
#define SETS 0
#include "tests/support/native_lcs.h"
#define NATIVE k32s8p2
#define K 32
#define S 8
#define PLANES 2
#define SETS 0
#include "tests/support/native_lcs.h"
#define NATIVE k2s32p8
#define K 2
#define S 32
#define PLANES 8
#define SETS 0
#include "tests/support/native_lcs.h"
#define NATIVE k5s16p5
#define K 5
#define S 16
#define PLANES 5
#define SETS 0
#include "tests/support/native_lcs.h"
#define NATIVE k2s32p4sets
#define K 2
#define S 32
#define PLANES 4
#define SETS 1
#include "tests/support/native_lcs.h"
#define NATIVE k3s8p4sets
#define K 3
#define S 8
#define PLANES 4
#define SETS 1
#include "tests/support/native_lcs.h"
#define NATIVE crochemore4p2
#define W 4
#define ALLISON 0
#define PLANES 2
#include "tests/support/native_lcs.h"
#define NATIVE crochemore8p2
#define W 8
#define ALLISON 0
#define PLANES 2
#include "tests/support/native_lcs.h"
#define NATIVE crochemore12p1
#define W 12
#define ALLISON 0
#define PLANES 1
#include "tests/support/native_lcs.h"
#define NATIVE crochemore16p5
#define W 16
#define ALLISON 0
#define PLANES 5
#include "tests/support/native_lcs.h"
#define NATIVE allison4p2
#define W 4
#define ALLISON 1
#define PLANES 2
#include "tests/support/native_lcs.h"
#define NATIVE allison8p2
#define W 8
#define ALLISON 1
#define PLANES 2
#include "tests/support/native_lcs.h"
#define NATIVE allison4p8
#define W 4
#define ALLISON 1
#define PLANES 8
#include "tests/support/native_lcs.h"
#define NATIVE allison16p3
#define W 16
#define ALLISON 1
#define PLANES 3
#include "tests/support/native_lcs.h"
// clang-format on

namespace rhomb::lcs_step_tests {
namespace {

using Words = std::vector<std::uint32_t>;

TEST_CASE("a cell of subsequences gives the differences that the matrix has", "[lcs][host]") {
  for (const u32 match : {0u, 1u})
    for (const u32 left : {0u, 1u})
      for (const u32 above : {0u, 1u}) {
        INFO("match " << match << ", v " << left << ", h " << above);
        // With 0 at the upper left corner: left is v, above is h.
        const u32 here = match ? 1u : std::max(left, above);
        u32 v = left << 7, h = above << 7;
        k1s32p2::cell_lcs(match << 7, &v, &h);
        CHECK(v >> 7 == here - above);
        CHECK(h >> 7 == here - left);
      }
}

TEST_CASE("idle cells keep v and hand on h = 0", "[lcs][host]") {
  for (const u32 before : {0u, ~0u, 0x12345678u}) {
    u32 v = before, h = 0;
    k1s32p2::cell_lcs(0, &v, &h);
    CHECK(v == before);
    CHECK(h == 0);
  }
}

TEST_CASE("idle symbols match nothing", "[lcs][host]") {
  const u32 rows[8] = {~0u, 0, ~0u, 0, 0x55555555u, 1, 2, 3};
  const u32 idle = 0x00ff00f0u;
  CHECK(k1s32p2::lcs_match(rows, rows, idle) == ~idle);
  CHECK(k2s16p1::lcs_match(rows, rows, idle) == ~idle);
  CHECK(k2s32p8::lcs_match(rows, rows, idle) == ~idle);
}

/// A query, targets, and the plan of one lane or tile of them.
struct Sample {
  std::string query;
  std::vector<std::string> texts;
  std::vector<std::string_view> targets;
  seq::Code code;
  lcs::Problem problem;
  lcs::Plan plan;
  Words text, lengths, stream;

  Sample(std::size_t m, const std::vector<std::size_t>& sizes, int planes, bool sets,
         test::Rng& rng) {
    code.planes = planes;
    code.matching = sets ? seq::Matching::kSets : seq::Matching::kEqual;
    const unsigned symbols = 1u << planes;
    for (std::size_t c = 0; c < 256; ++c) {
      code.a[c] = static_cast<std::uint8_t>(sets ? c % 15 + 1 : c % symbols);
      code.b[c] = code.a[c];
    }
    const int drawn = static_cast<int>(std::min(symbols, 16u));
    query = test::random_text(rng, m, drawn, '\0');
    for (const std::size_t size : sizes)
      texts.push_back(size % 3 == 0 ? test::mutate(rng, query.substr(0, size), 0.2, drawn, '\0')
                                    : test::random_text(rng, size, drawn, '\0'));
    targets.assign(texts.begin(), texts.end());
    problem.query = query;
    problem.targets = targets;
    problem.code = &code;
    plan.queries.push_back({static_cast<std::int64_t>(m)});
    plan.planes = planes;
    plan.sets = sets;
  }

  /// Once the shape of the plan is known. Streams hold rubbish, as a device's memory does.
  void pack() {
    lcs::QueryPlan& only = plan.queries.front();
    only.blocks = (only.m + plan.block_rows(only.size) - 1) / plan.block_rows(only.size);
    lcs::Cut cut;
    cut.targets = plan.targets_of_lane();
    cut.group = 64;
    cut.most_lanes = 64;
    plan.chunks = lcs::chunks_of(targets, cut);
    REQUIRE(plan.chunks.size() == 1);
    const auto& chunk = plan.chunks.front();
    text.assign(chunk.units * static_cast<std::size_t>(plan.text_words()), 0xdeadbeef);
    stream.assign(chunk.units * static_cast<std::size_t>(plan.stream_words()), 0xdeadbeef);
    lengths.resize(chunk.targets.size());
    lcs::pack_lengths(problem, chunk, lengths);
    const lcs::Packer packer(plan, problem);
    for (const lcs::Piece& piece : lcs::pieces_of(plan, chunk, 50))
      packer.pack(piece, std::span(text).subspan(piece.word, piece.words));
  }

  void compare(const Words& found) const {
    const auto& chunk = plan.chunks.front();
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (chunk.targets[i] == lcs::Chunk::kNobody) continue;
      const std::string& target = texts[chunk.targets[i]];
      const auto expected = reference::lcs_length(query, target, code);
      if (found[i] != expected)
        FAIL("query of " << query.size() << ", target of " << target.size() << ": " << found[i]
                         << " instead of " << expected);
    }
  }
};

std::vector<std::size_t> target_sizes(test::Rng& rng, std::size_t slot) {
  std::vector<std::size_t> sizes = {slot - 1, slot, slot + 1, 2 * slot, 31, 32, 33, 63, 64, 65};
  for (int i = 0; i < 6; ++i) sizes.push_back(test::random_below(rng, 150));
  return sizes;
}

template <int kRows, int kStrips, int kPlanes, class Launch>
void check_strips(bool sets, void (*strips)(const Launch*, const LcsTile*, u32), Launch launch) {
  INFO("K=" << kRows << ", S=" << kStrips << ", PLANES=" << kPlanes << ", sets " << sets);
  test::Rng rng(test::seed() + kRows + 100 * kStrips);
  const std::size_t block = kRows * kStrips;
  for (const std::size_t m : {std::size_t{1}, block - 1, block, block + 1, 2 * block + 1,
                              1 + test::random_below(rng, 3 * block)}) {
    if (m == 0) continue;
    Sample sample(m, target_sizes(rng, kStrips), kPlanes, sets, rng);
    sample.plan.strips = kStrips;
    sample.plan.queries.front().size = kRows;
    sample.pack();
    const Words pattern = lcs::pack_rows(sample.plan, sample.problem);
    Words found(sample.lengths.size(), 0xdeadbeef);
    const auto blocks = static_cast<u32>(sample.plan.queries.front().blocks);
    for (u32 first = 0; first < blocks; first += 2) {  // two blocks a launch
      launch = {pattern.data(),
                sample.text.data(),
                sample.stream.data(),
                sample.lengths.data(),
                found.data(),
                first,
                std::min(first + 2, blocks),
                blocks};
      for (const LcsTile& tile : sample.plan.chunks.front().tiles)
        for (u32 lane = 0; lane < tile.width; ++lane) strips(&launch, &tile, lane);
    }
    sample.compare(found);
  }
}

TEST_CASE("a work-item's strips agree with the reference", "[lcs][host]") {
  check_strips<1, 32, 2>(false, k1s32p2::lcs_strips, k1s32p2::LcsLaunch{});
  check_strips<3, 32, 2>(false, k3s32p2::lcs_strips, k3s32p2::LcsLaunch{});
  check_strips<16, 32, 2>(false, k16s32p2::lcs_strips, k16s32p2::LcsLaunch{});
  check_strips<2, 16, 1>(false, k2s16p1::lcs_strips, k2s16p1::LcsLaunch{});
  check_strips<3, 8, 2>(false, k3s8p2::lcs_strips, k3s8p2::LcsLaunch{});
  check_strips<4, 4, 3>(false, k4s4p3::lcs_strips, k4s4p3::LcsLaunch{});
  check_strips<1, 4, 2>(false, k1s4p2::lcs_strips, k1s4p2::LcsLaunch{});
  check_strips<32, 8, 2>(false, k32s8p2::lcs_strips, k32s8p2::LcsLaunch{});
  check_strips<2, 32, 8>(false, k2s32p8::lcs_strips, k2s32p8::LcsLaunch{});
  check_strips<5, 16, 5>(false, k5s16p5::lcs_strips, k5s16p5::LcsLaunch{});
  check_strips<2, 32, 4>(true, k2s32p4sets::lcs_strips, k2s32p4sets::LcsLaunch{});
  check_strips<3, 8, 4>(true, k3s8p4sets::lcs_strips, k3s8p4sets::LcsLaunch{});
}

using RowBlock = u32 (*)(const u32*, u32*, u32, u32, i64, const u32*, bool, bool);

void check_rows(int words, bool allison, int planes, RowBlock row_block) {
  INFO("W=" << words << ", ALLISON=" << allison << ", PLANES=" << planes);
  test::Rng rng(test::seed() + static_cast<std::uint64_t>(words + planes));
  const auto block = static_cast<std::size_t>(32 * words);
  for (const std::size_t m :
       {std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{33}, block - 1, block,
        block + 1, 2 * block + 1, 1 + test::random_below(rng, 3 * block)}) {
    Sample sample(m, target_sizes(rng, 16), planes, false, rng);
    sample.plan.strips = 0;
    sample.plan.queries.front().size = words;
    sample.plan.allison = allison;
    sample.pack();
    const Words strings = lcs::alphabet_strings(sample.plan, sample.problem);
    const std::int64_t blocks = sample.plan.queries.front().blocks;
    const auto block_strings = static_cast<std::size_t>(words) << planes;
    REQUIRE(strings.size() == static_cast<std::size_t>(blocks) * block_strings);
    const auto text_words = static_cast<std::size_t>(sample.plan.text_words());
    const auto stream_words = static_cast<std::size_t>(sample.plan.stream_words());
    Words found(sample.lengths.size(), 0);
    for (std::int64_t b = 0; b < blocks; ++b)
      for (const LcsTile& tile : sample.plan.chunks.front().tiles)
        for (u32 lane = 0; lane < tile.width; ++lane)
          found[tile.first + lane] += row_block(
              sample.text.data() + tile.base * text_words + lane,
              sample.stream.data() + tile.base * stream_words + lane, tile.width,
              sample.lengths[tile.first + lane], static_cast<i64>(m) - b * static_cast<i64>(block),
              strings.data() + static_cast<std::size_t>(b) * block_strings, b > 0, b + 1 < blocks);
    sample.compare(found);
  }
}

TEST_CASE("a work-item's row vectors agree with the reference", "[lcs][host]") {
  check_rows(4, false, 2, crochemore4p2::lcs_row_block);
  check_rows(8, false, 2, crochemore8p2::lcs_row_block);
  check_rows(12, false, 1, crochemore12p1::lcs_row_block);
  check_rows(16, false, 5, crochemore16p5::lcs_row_block);
  check_rows(4, true, 2, allison4p2::lcs_row_block);
  check_rows(8, true, 2, allison8p2::lcs_row_block);
  check_rows(4, true, 8, allison4p8::lcs_row_block);
  check_rows(16, true, 3, allison16p3::lcs_row_block);
}

}  // namespace
}  // namespace rhomb::lcs_step_tests
