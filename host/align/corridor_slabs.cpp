// SPDX-License-Identifier: Apache-2.0
#include "host/align/corridor_slabs.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host/align/strand.h"
#include "host/engine/selftest.h"

namespace rhomb::align {
namespace {

/// Each so many rows of the matrix, as a corridor would keep them: `beside` places beside the
/// diagonals between the ends.
std::vector<KeptRow> plain_rows(const Codes& codes, std::int64_t apart, std::int64_t beside,
                                std::int64_t& cost) {
  const auto m = static_cast<std::int64_t>(codes.rows.size());
  const auto n = static_cast<std::int64_t>(codes.columns.size());
  std::vector<std::int64_t> costs(static_cast<std::size_t>(n) + 1);
  for (std::int64_t place = 0; place <= n; ++place) costs[static_cast<std::size_t>(place)] = place;
  std::vector<KeptRow> rows;
  for (std::int64_t i = 0; i < m; ++i) {
    if (i % apart == 0) {
      const std::int64_t first = std::max<std::int64_t>(0, i - beside);
      std::vector<std::uint32_t> words;
      for (std::int64_t place = first; place < std::min(n, i + n - m + beside); ++place) {
        const auto at = static_cast<std::size_t>(place),
                   bit = static_cast<std::size_t>(place - first);
        if (bit % 32 == 0) words.insert(words.end(), {~0u, 0});
        if (costs[at + 1] <= costs[at]) words[bit / 32 * 2] ^= 1u << bit % 32;
        if (costs[at + 1] < costs[at]) words[bit / 32 * 2 + 1] |= 1u << bit % 32;
      }
      rows.push_back({i, first, costs[static_cast<std::size_t>(first)], std::move(words)});
    }
    std::int64_t diagonal = costs[0]++;
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      const std::int64_t differ = codes.match(i, static_cast<std::int64_t>(j)) ? 0 : 1;
      const std::int64_t best = std::min({diagonal + differ, costs[j] + 1, costs[j + 1] + 1});
      diagonal = std::exchange(costs[j + 1], best);
    }
  }
  cost = costs.back();
  return rows;
}

/// Paths that the host finds, too: close texts, a gap in a repeat, unequal lengths, gaps to either
/// side; unlike texts, of which the device may say nothing.
void test_slabs(ocl::Device& device, const corridor::Plan& plan) {
  selftest::Pairs made(plan.planes, plan.sets);
  const std::string base = made.random(900), longer = made.random(1500);
  const auto check = [&](const std::string& a, const std::string& b, std::int64_t apart, bool like,
                         bool gaps_right) {
    const Problem problem = made.problem(a, b);
    Turned turned;
    turned.codes.turned = gaps_right;
    turn(problem, turned);
    const Codes codes = encoded(turned);
    corridor::Slabs slabs;
    const std::vector<KeptRow> rows = plain_rows(codes, apart, like ? 96 : 4000, slabs.cost);
    slabs.rows = rows;
    slabs.end = turned.rows();
    slabs.exit = turned.columns();
    slabs.turned = codes.turned;
    Places exits{slabs.exit, slabs.exit};
    const std::vector<Crossed> expected =
        crossings(codes, slabs.rows, slabs.end, exits, true, {.threads = 1});
    corridor::Plan trial =
        corridor::variants().front().plan(turned.problem, device.limits(), plan.config);
    trial.self_test = true;
    const corridor::DeviceTexts texts(
        device, corridor::pack(trial.grid, turned.code, turned.problem.a, turned.problem.b, 1));
    const CorridorSlabs found(device, trial, texts, slabs, codes, 1);
    std::size_t answered = 0;
    for (std::size_t s = rows.size(); s-- > 0; exits = expected[s].at) {
      const auto step = found.known(s, exits.first);
      if (!step) continue;
      ++answered;
      Cigar steps;
      found.steps(s, steps);
      selftest::compare(step->at.first, expected[s].at.first, "the upper end of a path");
      selftest::compare(steps == expected[s].backwards ? 0 : 1, 0, "wrong paths through a slab:");
    }
    if (like) selftest::compare(2 * answered > rows.size() ? 1 : 0, 1, "paths of most slabs:");
  };
  check(base, made.edited(base, 20), 150, true, false);
  check(made.edited(base, 15), base, 97, true, true);
  check(longer, made.edited(longer, 40), 1000, true, false);
  check(longer.substr(0, 600) + longer.substr(640), made.edited(longer, 60), 400, true, false);
  check(std::string(300, '\1') + base, std::string(330, '\1') + made.edited(base, 30), 120, true,
        true);
  check(base, made.random(950), 60, false, false);
}

}  // namespace

CorridorSlabs::CorridorSlabs(ocl::Device& device, const corridor::Plan& plan,
                             const corridor::DeviceTexts& texts, const corridor::Slabs& slabs,
                             const Codes& codes, std::size_t threads)
    : codes_(&codes), found_([&] {
        const engine::Program program = corridor::slabs_program(plan);
        if (!plan.self_test)
          selftest::ensure_passed(device, program.file, program.defines,
                                  [&] { test_slabs(device, plan); });
        return corridor::DeviceSlabs(device, plan, texts, slabs, threads);
      }()) {}

Places CorridorSlabs::probable(std::size_t row) const {
  const std::int64_t exit = found_.path(row - 1).exit;
  return {exit, exit};
}

std::optional<Crossed> CorridorSlabs::known(std::size_t slab, std::int64_t exit) const {
  const SlabPath& path = found_.path(slab);
  if (path.runs == 0 || path.exit != exit) return std::nullopt;
  return Crossed{{path.entry, path.entry}, {}, {}, 2 * std::size_t{path.runs}};
}

void CorridorSlabs::steps(std::size_t slab, Cigar& backwards) const {
  // By SLAB_MISMATCH, SLAB_ROW, SLAB_COLUMN; SLAB_BEGIN is none.
  const Edit edits[] = {Edit::kMismatch, codes_->by_row(), codes_->by_column(), Edit::kMatch};
  for (const std::uint16_t run : found_.runs(slab)) {
    const unsigned what = run % 4u;
    backwards.add(Edit::kMatch, run / 4);
    backwards.add(edits[what], what == SLAB_BEGIN ? 0 : 1);
  }
}

}  // namespace rhomb::align
