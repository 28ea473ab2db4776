// SPDX-License-Identifier: Apache-2.0
// The strips' headers of the kernels, compiled by the host's compiler: a cell against the
// recurrence of the matrix, a lane against whole small matrices, and all of flow.h, with its ring
// and its state, against the reference. Under the sanitizers this sees what a device would hide.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/engine/reference.h"
#include "host/seq/alphabet.h"
#include "host/seq/packed.h"
#include "host/strip/several.h"
#include "host/strip/strip.h"
#include "host/strip/texts.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
// Last, in this order: each defines one shape.
#include "cl/common.h"
// clang-format off
#define NATIVE k1p1
#define K 1
#define PLANES 1
#define SETS 0
#include "tests/support/native_strip.h"
#define NATIVE k1p2
#define K 1
#define PLANES 2
#define SETS 0
#include "tests/support/native_strip.h"
#define NATIVE k2p2
#define K 2
#define PLANES 2
#define SETS 0
#include "tests/support/native_strip.h"
#define NATIVE k3p3
#define K 3
#define PLANES 3
#define SETS 0
#include "tests/support/native_strip.h"
#define NATIVE k4p4
#define K 4
#define PLANES 4
#define SETS 0
#include "tests/support/native_strip.h"
#define NATIVE k2p5
#define K 2
#define PLANES 5
#define SETS 0
#include "tests/support/native_strip.h"
#define NATIVE k6p6
#define K 6
#define PLANES 6
#define SETS 0
#include "tests/support/native_strip.h"
#define NATIVE k1p7
#define K 1
#define PLANES 7
#define SETS 0
#include "tests/support/native_strip.h"
#define NATIVE k8p8
#define K 8
#define PLANES 8
#define SETS 0
#include "tests/support/native_strip.h"
#define NATIVE k16p2
#define K 16
#define PLANES 2
#define SETS 0
#include "tests/support/native_strip.h"
#define NATIVE k32p2
#define K 32
#define PLANES 2
#define SETS 0
#include "tests/support/native_strip.h"
#define NATIVE k1s
#define K 1
#define PLANES 4
#define SETS 1
#include "tests/support/native_strip.h"
#define NATIVE k3s
#define K 3
#define PLANES 4
#define SETS 1
#include "tests/support/native_strip.h"
// clang-format on

namespace rhomb::strip_cell_tests {
namespace {

TEST_CASE("a cell gives the differences that the matrix has", "[strip][host]") {
  // Every match and all five values of two bits each; both bits of a difference are never set. The
  // 18 cases lie in 18 bits of one word, in several arrangements.
  std::vector<std::array<int, 3>> cases;
  for (const int match : {0, 1})
    for (const int dv : {-1, 0, 1})
      for (const int dh : {-1, 0, 1}) cases.push_back({match, dv, dh});
  for (std::size_t turn = 0; turn < 32; ++turn) {
    u32 match = 0, pv = 0, mv = 0, ph = 0, mh = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::size_t bit = (i + turn) % 32;
      const auto& [same, dv, dh] = cases[i];
      match |= (same ? 1u : 0u) << bit;
      pv |= (dv > 0 ? 1u : 0u) << bit;
      mv |= (dv < 0 ? 1u : 0u) << bit;
      ph |= (dh > 0 ? 1u : 0u) << bit;
      mh |= (dh < 0 ? 1u : 0u) << bit;
    }
    k1p1::cell_edit(match, &pv, &mv, &ph, &mh);
    CHECK((pv & mv) == 0);
    CHECK((ph & mh) == 0);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::size_t bit = (i + turn) % 32;
      const auto& [same, dv, dh] = cases[i];
      // With 0 at the upper left corner: left is dv, above is dh.
      const int here = std::min({same ? 0 : 1, dv + 1, dh + 1});
      INFO("match " << same << ", dv " << dv << ", dh " << dh);
      CHECK(static_cast<int>(pv >> bit & 1) - static_cast<int>(mv >> bit & 1) == here - dh);
      CHECK(static_cast<int>(ph >> bit & 1) - static_cast<int>(mh >> bit & 1) == here - dv);
    }
  }
}

TEST_CASE("cells that wait keep dv = +1 and hand on dh = -1", "[strip][host]") {
  for (const u32 match : {0u, ~0u, 0x12345678u}) {
    u32 pv = ~0u, mv = 0, ph = 0, mh = ~0u;
    k1p1::cell_edit(match, &pv, &mv, &ph, &mh);
    CHECK((pv == ~0u && mv == 0 && ph == 0 && mh == ~0u));
  }
}

/// Where the planes are a number that the compiler knows, it is given too.
template <class... Planes>
void check_match(int planes, bool sets, u32 (*match)(const u32*, const u32*, Planes...)) {
  test::Rng rng(test::seed() + static_cast<std::uint64_t>(planes));
  for (int round = 0; round < 300; ++round) {
    u32 a[8], b[8];
    for (int p = 0; p < 8; ++p) {
      // Alike now and then, so that all planes together match.
      a[p] = static_cast<u32>(rng());
      b[p] = a[p] ^ (static_cast<u32>(rng() & rng()) & (p % 2 ? ~0u : static_cast<u32>(rng())));
    }
    const u32 got = match(a, b, static_cast<Planes>(planes)...);
    for (int bit = 0; bit < 32; ++bit) {
      bool same = !sets;
      for (int p = 0; p < planes; ++p) {
        const bool x = a[p] >> bit & 1, y = b[p] >> bit & 1;
        if (sets)
          same = same || (x && y);
        else
          same = same && x == y;
      }
      if (same != (got >> bit & 1)) FAIL(planes << " planes, sets " << sets << ", bit " << bit);
    }
  }
  SUCCEED();
}

TEST_CASE("symbols match over all planes, or share a base", "[strip][host]") {
  check_match(1, false, k1p1::cell_match);
  check_match(2, false, k1p2::cell_match);
  check_match(3, false, k3p3::cell_match);
  check_match(4, false, k4p4::cell_match);
  check_match(5, false, k2p5::cell_match);
  check_match(6, false, k6p6::cell_match);
  check_match(7, false, k1p7::cell_match);
  check_match(8, false, k8p8::cell_match);
  check_match(4, true, k1s::cell_match);
}

/// Full matrix of distances of every prefix of codes `a` to every prefix of codes `b`.
std::vector<std::vector<int>> matrix(const std::vector<unsigned>& a, const std::vector<unsigned>& b,
                                     bool sets) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<int>(i + j);
        continue;
      }
      const bool same = sets ? (a[i - 1] & b[j - 1]) != 0 : a[i - 1] == b[j - 1];
      d[i][j] = std::min({d[i - 1][j - 1] + (same ? 0 : 1), d[i - 1][j] + 1, d[i][j - 1] + 1});
    }
  return d;
}

/// One lane of 32 * k rows over `words` words of columns: the dh of its last row against those of
/// the matrix. A lane that has waited for `late` words first gives the same. Symbols from `rare` on
/// come once in a hundred.
template <class State, class Begin, class Load, class Chunk>
void check_lane(int k, int planes, bool sets, Begin begin, Load load, Chunk chunk,
                std::size_t words, int late, unsigned rare) {
  test::Rng rng(test::seed() + static_cast<std::uint64_t>(100 * k + planes + 7 * late) + words);
  const auto rows = static_cast<std::size_t>(32 * k);
  const unsigned symbols = rare == 0 && rng() % 3 == 0 ? 2u : 1u << planes;
  const auto random = [&] {
    const auto below = rare > 0 && rng() % 100 ? std::min(rare, symbols) : symbols;
    return static_cast<unsigned>(rng() % below);
  };
  std::vector<unsigned> a(rows), b(32 * words);
  for (auto& code : a) code = random();
  for (auto& code : b) code = random();
  const auto d = matrix(a, b, sets);

  std::array<std::uint8_t, 256> same{};
  for (unsigned c = 0; c < 256; ++c) same[c] = static_cast<std::uint8_t>(c);
  std::string text_a;
  for (const unsigned code : a) text_a += static_cast<char>(code);
  const auto pattern = seq::pack_planes(text_a, same, planes, 0);
  std::vector<u32> values(static_cast<std::size_t>(STRIP_VALUES(k, planes)), 0xdeadbeef);
  begin(values.data(), 1, 0, 1, pattern.words.data());
  State state{};
  load(&state, values.data(), 1);
  const auto word_of = [&](std::size_t plane, std::size_t word) {
    if (word >= words) return static_cast<u32>(rng());  // whatever comes behind the text
    u32 made = 0;
    for (std::size_t i = 0; i < 32; ++i) made |= (b[32 * word + i] >> plane & 1u) << (31 - i);
    return made;
  };
  u32 text[8], next[8];
  for (u32& word : text) word = static_cast<u32>(rng());  // what was before the text
  for (int i = 0; i < late; ++i) {
    u32 ph = 0, mh = ~0u;
    for (u32& word : next) word = rng() % 2 ? static_cast<u32>(rng()) : 0;
    chunk(&state.strip, &ph, &mh, text, next);
    if (ph != 0 || mh != ~0u) FAIL("a lane that waits puts out something");
  }
  for (std::size_t q = 0; q <= words; ++q) {
    u32 ph = ~0u, mh = 0;  // along the top of the matrix
    for (std::size_t p = 0; p < static_cast<std::size_t>(planes); ++p) next[p] = word_of(p, q);
    const std::vector<u32> was(next, next + planes);
    chunk(&state.strip, &ph, &mh, text, next);
    for (std::size_t p = 0; p < was.size(); ++p)
      if (text[p] != was[p]) FAIL("the text's word is not the chunk's own, plane " << p);
    if (q == 0) continue;
    for (std::size_t i = 0; i < 32; ++i) {
      const std::size_t j = 32 * (q - 1) + i;
      const int expected = d[rows][j + 1] - d[rows][j];
      const int got = static_cast<int>(ph >> (31 - i) & 1) - static_cast<int>(mh >> (31 - i) & 1);
      if (got != expected || (ph & mh) != 0)
        FAIL("K=" << k << ", " << planes << " planes, column " << j << ": dh " << got
                  << " instead of " << expected);
    }
  }
  SUCCEED();
}

#define CHECK_LANE(shape, k, planes, sets)                                         \
  check_lane<shape::State>(k, planes, sets, shape::state_begin, shape::state_load, \
                           shape::strip_chunk, words, late, rare)

TEST_CASE("a lane fills its rows of a matrix", "[strip][host]") {
  for (const std::size_t words : {1u, 2u, 3u, 5u, 9u})
    for (const int late : {0, 1, 2, 5})
      // Rare symbols: chunks without any in the rows, in the columns, or in either.
      for (const unsigned rare : {0u, 4u}) {
        CHECK_LANE(k1p1, 1, 1, false);
        CHECK_LANE(k1p2, 1, 2, false);
        CHECK_LANE(k2p2, 2, 2, false);
        CHECK_LANE(k3p3, 3, 3, false);
        CHECK_LANE(k4p4, 4, 4, false);
        CHECK_LANE(k2p5, 2, 5, false);
        CHECK_LANE(k6p6, 6, 6, false);
        CHECK_LANE(k1p7, 1, 7, false);
        CHECK_LANE(k8p8, 8, 8, false);
        CHECK_LANE(k16p2, 16, 2, false);
        CHECK_LANE(k32p2, 32, 2, false);
        CHECK_LANE(k1s, 1, 4, true);
        CHECK_LANE(k3s, 3, 4, true);
      }
}

/// A way to run flow.h's groups on the host: buffers of exactly the sizes that a device would have,
/// filled with rubbish, so that the sanitizers see each word too far and the result each word that
/// was not written.
template <class Buffers, class Group>
std::int64_t pass_natively(const strip::Plan& plan, const strip::Texts& texts,
                           const strip::Band& band, Group group, std::uint64_t rubbish) {
  test::Rng rng(rubbish);
  const auto layout = strip::layout_of(plan.size, plan.shape, plan.planes);
  REQUIRE(texts.pattern.size() == layout.pattern);
  REQUIRE(texts.text.size() == layout.text);
  std::vector<u32> state(layout.state), last(layout.last);
  for (auto* words : {&state, &last})
    for (u32& word : *words) word = static_cast<u32>(rng());
  // Fresh vectors, so that the sanitizer knows their ends.
  const std::vector<u32> pattern(texts.pattern.begin(), texts.pattern.end()),
      text(texts.text.begin(), texts.text.end());
  std::vector<u64> ring(layout.ring / 2, ~u64{0});
  const Buffers buffers{pattern.data(), text.data(), state.data(), ring.data(), last.data()};
  strip::Schedule schedule(plan.size, plan.shape, band);
  for (std::int64_t launch = 0; launch < schedule.launches(); ++launch) {
    const auto active = schedule.active(launch);
    for (std::int64_t g = active.first; g < active.first + active.count; ++g)
      for (const u32 turn : {0u, 1u}) {
        if (turn == 1 && plan.size.lower == 0) continue;
        StripLaunch now{};
        now.below = band.below;
        now.above = band.above;
        now.columns = plan.size.n;
        now.pattern_reverse = texts.pattern_reverse;
        now.text_plane = texts.text_plane;
        now.stride = layout.stride;
        now.groups = layout.groups;
        now.lanes_0 = static_cast<u32>(plan.size.upper);
        now.lanes_1 = static_cast<u32>(plan.size.lower);
        now.time = static_cast<i32>(launch * plan.shape.slab);
        now.slab = plan.shape.slab;
        now.round = 2 * plan.shape.slab;
        now.delay = static_cast<i32>(plan.shape.delay());
        group(&buffers, &now, turn, static_cast<u32>(g), 0);
      }
  }
  // Every word that was put out has been taken in.
  if (std::any_of(ring.begin(), ring.end(), [](u64 word) { return word != ~u64{0}; }))
    FAIL_CHECK("the ring is not empty at the end");
  const auto edge = [&](std::size_t turn, std::int64_t lanes) {
    const auto whole = 2 * std::size_t{texts.text_plane};
    const auto from = last.begin() + static_cast<std::ptrdiff_t>(turn * whole);
    const auto scores = state.begin() + static_cast<std::ptrdiff_t>(
                                            (turn * layout.values + layout.score) * layout.stride);
    return strip::edge_of(plan, band, lanes,
                          strip::Words(from, from + static_cast<std::ptrdiff_t>(whole)),
                          strip::Words(scores, scores + static_cast<std::ptrdiff_t>(lanes - 1)));
  };
  const auto upper = edge(0, plan.size.upper);
  const auto lower = plan.size.lower > 0 ? edge(1, plan.size.lower) : strip::empty_edge(plan.size);
  return strip::least_sum(upper, lower, plan.size.n);
}

template <class Buffers, class Group>
void check_natively(int k, const test::Pair& pair, const seq::Code& code, Group group, int slab,
                    int slack) {
  Problem problem;
  problem.a = pair.a;
  problem.b = pair.b;
  problem.code = &code;
  const auto rest = trimmed(problem);
  if (easy_answer(rest)) return;
  const auto distance = reference::edit_distance(pair.a, pair.b, code);
  const tune::Config config({{"WG", 1},
                             {"LANES", 1},
                             {"FLOW", 1},
                             {"K", k},
                             {"SLAB", slab},
                             {"SLACK", std::min(slack, slab)}});
  for (const auto& row : strip::variants()) {
    // Rows with CUDA have no plan for the host; in blocks words do not flow, and several pairs have
    // no launches that divide a pass.
    if (row.uses_cuda() || row.name == "strips-blocks" || row.name == strip::kFlowBatch) continue;
    for (const std::int64_t guess : {distance, distance / 2, std::int64_t{0}}) {
      problem.guess = guess;
      auto asked = rest;
      asked.guess = guess;
      const auto plan = row.plan(asked, ocl::Limits{}, config);
      const auto texts = strip::pack(plan, asked);
      const auto answer = strip::passes(plan, asked, [&](const strip::Band& band, const auto&) {
        return pass_natively<Buffers>(plan, texts, band, group, test::seed() + 77);
      });
      if (answer.distance != std::optional<std::int64_t>(distance))
        FAIL_CHECK("RHOMB_TEST_SEED="
                   << test::seed() << "; " << row.name << " " << plan.config.text() << ", guess "
                   << guess << ": " << answer.distance.value_or(-1) << " instead of " << distance
                   << "; " << pair.what << "\n  a " << pair.a << "\n  b " << pair.b);
    }
  }
}

TEST_CASE("paths along the rim of a band on the host", "[strip][host]") {
  // A block moved from one end to the other: the cheapest path runs as far off the diagonal as its
  // cost allows. And texts without a common symbol, whose every path is a cheapest one.
  test::Rng rng(test::seed() + 21);
  const auto code = seq::make_code("ABCD", "");
  for (const int size : {1, 15, 16, 31, 32, 33, 63, 64, 65, 100, 129})
    for (const int slab : {1, 3, 64}) {
      const auto text = test::random_text(rng, 8 * static_cast<std::size_t>(size) + 20, 3);
      const std::string block(static_cast<std::size_t>(size), 'D');
      test::Pair pair{"block moved", block + text, text + block + (size % 2 ? "D" : "")};
      for (int turn = 0; turn < 2; ++turn) {
        check_natively<k1p2::FlowBuffers>(1, pair, code, k1p2::strip_flow_group, slab, 1);
        check_natively<k2p2::FlowBuffers>(2, pair, code, k2p2::strip_flow_group, slab, 4);
        std::swap(pair.a, pair.b);
      }
      // Long runs of one symbol above the band: what must not be taken from there would be cheap.
      const std::string run(static_cast<std::size_t>(9 * size), 'A');
      check_natively<k1p2::FlowBuffers>(1,
                                        {"runs", "B" + run + block + "C", "C" + block + run + "B"},
                                        code, k1p2::strip_flow_group, slab, 1);
    }
}

TEST_CASE("words flow from group to group on the host", "[strip][host]") {
  std::uint64_t number = 0;
  const auto several = [&](int k, int alphabet, auto buffers, auto group, bool sets) {
    using Buffers = decltype(buffers);
    std::string symbols;
    for (int i = 0; i < alphabet; ++i) symbols += static_cast<char>(test::first_of(alphabet) + i);
    auto code = seq::make_code(symbols, "");
    if (sets) {
      code.planes = 4;
      code.matching = seq::Matching::kSets;
      for (std::size_t c = 0; c < 256; ++c)
        code.a[c] = code.b[c] = static_cast<std::uint8_t>(c % 15 + 1);
    }
    for (const int slab : {1, 2, 5, 32})
      for (const int slack : {0, 1, 4}) {
        for (int i = 0; i < 15; ++i, ++number) {
          const auto longest = static_cast<std::size_t>(i % 3 == 0 ? 60 : 200 * k);
          const auto pair = test::random_pair(test::seed() + 20, number, longest, alphabet);
          check_natively<Buffers>(k, pair, code, group, slab, slack);
        }
      }
  };
  several(1, 2, k1p1::FlowBuffers{}, k1p1::strip_flow_group, false);
  several(1, 4, k1p2::FlowBuffers{}, k1p2::strip_flow_group, false);
  several(2, 4, k2p2::FlowBuffers{}, k2p2::strip_flow_group, false);
  several(3, 8, k3p3::FlowBuffers{}, k3p3::strip_flow_group, false);
  several(4, 16, k4p4::FlowBuffers{}, k4p4::strip_flow_group, false);
  several(2, 20, k2p5::FlowBuffers{}, k2p5::strip_flow_group, false);
  several(1, 128, k1p7::FlowBuffers{}, k1p7::strip_flow_group, false);
  several(8, 256, k8p8::FlowBuffers{}, k8p8::strip_flow_group, false);
  several(1, 9, k1s::FlowBuffers{}, k1s::strip_flow_group, true);
  several(3, 15, k3s::FlowBuffers{}, k3s::strip_flow_group, true);
}

}  // namespace
}  // namespace rhomb::strip_cell_tests
