// SPDX-License-Identifier: Apache-2.0
#include "host/engine/choose.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "host/batch/threads.h"

namespace rhomb {
namespace {

/// Whole matrices that take no longer than this are filled at once: an estimate would take as long.
constexpr double kSmall = 0.001;
/// The share of the strips' time that the wavefronts may take where the sketch knows little.
constexpr double kProbe = 0.1;
/// For the corridor: the share of the distance that long gaps may have, the share of the symbols
/// that may differ, and that of the texts that must have words in common.
constexpr double kGaps = 0.3, kEdits = 0.12, kCovered = 0.9;
/// A corridor is too wide where they have less of it, but are long, or where stretches are turned
/// around. Pieces are what is left then if they are so much faster.
constexpr double kSomeGaps = 0.03, kEditsThen = 0.02, kMuchFaster = 2;
/// Words tell far paths apart from good ones if there are more of them than edits. They must be
/// rare in so many times as many diagonals as there are edits (corridor/seeds.cpp). Measured with
/// random texts of 1M (up to 11%) to 100M (8.2%). A GPU finds out in milliseconds whether they do,
/// and then knows a bound for the strips, so it tries what may fail.
constexpr double kWords = 0.9, kWordsOnGpu = 0.96, kDiagonalsOfWords = 0.5;
/// The corridor must be so much faster than the others; on CPUs pieces, too. For an alignment
/// pieces must be much faster, for many are walked through by way of wavefronts: E. coli W took
/// 0.64 s so where strips take 0.29, although distances by both take the same time.
constexpr double kFaster = 1.1, kWalkOfPieces = 1.35, kWalkOnGpu = 1.6;
/// Pairs are cut where so little of the symbols differs besides long gaps, words tell that a row
/// costs so much far from the probable path, windows so much, and so many diagonals from it are
/// far.
constexpr double kEditsOfPieces = 0.04, kPaidByWords = 1.0 / 12, kPaidByWindows = 0.4, kFar = 416;
/// Strips that take no longer than this are not worth another engine's start.
constexpr double kSoon = 0.1;

/// An estimate that rests on few words may be far too large.
bool rests_on_words(const Sketch& sketch) {
  return sketch.covered > 0.2 && sketch.chain.size() >= 32;
}

/// A long gap of the probable path.
struct LongGap {
  double at = 0, diagonals = 0;  ///< row; length
};

std::vector<LongGap> long_gaps(const Sketch& sketch) {
  std::vector<LongGap> gaps;
  std::int64_t diagonal = 0;
  for (const Anchor& word : sketch.chain) {
    const std::int64_t gap = std::abs(word.j - word.i - diagonal);
    diagonal = word.j - word.i;
    if (gap >= kLongGap) gaps.push_back({static_cast<double>(word.i), static_cast<double>(gap)});
  }
  return gaps;
}

/// What the corridor's bounds will lose, about: gaps that are longer than its windows are wide, and
/// stretches without any of the words that are common elsewhere, which are turned around or new.
double lost_by_bounds(const Sketch& sketch, double m) {
  constexpr std::int64_t kWindow = 512;
  constexpr double kMuchMore = 20, kUnrelated = 0.4;
  const double apart = m / static_cast<double>(sketch.chain.size() + 1);
  double lost = 0;
  Anchor before;
  for (const Anchor& word : sketch.chain) {
    const std::int64_t i = word.i - before.i, j = word.j - before.j, gap = std::abs(j - i);
    const auto both = static_cast<double>(std::min(i, j));
    if (gap > kWindow) lost += static_cast<double>(gap);
    if (both > kMuchMore * apart) lost += kUnrelated * both;
    before = word;
  }
  return lost;
}

/// What it will probably take to cut a pair (corridor/cuts.h) and to solve the pieces, if others
/// take `choice.wave` or `choice.strips` for all of it.
double pieces_seconds(const Choice& choice, const Rates& rates, bool gpu, double m, double n,
                      std::size_t threads) {
  const auto distance = static_cast<double>(choice.sketch.distance);
  const double shorter = std::min(m, n);
  const double edits = edits_a_symbol(choice.sketch, shorter);
  const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
  const auto solve = [&](const std::vector<Uncut>& parts) {
    std::vector<PieceCosts> pieces;
    for (const Uncut& part : parts) {
      const double rows = part.end - part.first, d = part.gaps + edits * rows;
      const double strips = choice.strips * rows / m * std::min(1.0, d / distance);
      pieces.push_back({whole(rows), whole(d), whole(part.gaps), strips});
    }
    return pieces_seconds(rates, gpu, pieces);
  };
  const std::vector<Uncut> by_words = uncut(choice.sketch, m, n, false);
  const double pieces = std::min(solve(by_words), windows_seconds(rates, window_cells(by_words)) +
                                                      solve(uncut(choice.sketch, m, n, true)));
  // The proofs are what corridors are made of, one after the other.
  const double start = gpu ? 0.01 : 0;
  return start +
         1.5 * corridor_seconds(rates, gpu, whole(m), whole(n), whole(edits * shorter), threads) +
         pieces;
}

}  // namespace

bool fits_corridor(const Sketch& sketch, std::int64_t m, std::int64_t n, bool gpu) {
  const auto distance = static_cast<double>(sketch.distance);
  const double word = std::log(kDiagonalsOfWords * distance + 2) / std::log(4.0);
  const double share = std::min(kEdits, (gpu ? kWordsOnGpu : kWords) / word);
  const double edits = share * static_cast<double>(std::min(m, n));
  return rests_on_words(sketch) && distance < edits &&
         static_cast<double>(sketch.gaps) < kGaps * (distance + 1) && sketch.covered > kCovered;
}

double edits_a_symbol(const Sketch& sketch, double symbols) {
  return std::max(0.0, static_cast<double>(sketch.distance - sketch.gaps)) / symbols;
}

double window_cells(std::span<const Uncut> by_words) {
  constexpr double kWidth = 1.2, kRows = 5;
  double cells = 0;
  for (const Uncut& part : by_words)
    cells += kWidth * part.gaps * std::min(part.end - part.first, kRows * part.gaps);
  return cells;
}

std::vector<Uncut> uncut(const Sketch& sketch, double m, double n, bool windows) {
  const double edits = edits_a_symbol(sketch, std::min(m, n));
  const double beside = 1 / std::max((windows ? kPaidByWindows : kPaidByWords) - edits, 1e-3);
  const std::vector<LongGap> gaps = long_gaps(sketch);
  std::vector<std::pair<double, double>> open;  // rows of each gap, by the gaps
  double end = 0, begin = m;
  for (const LongGap& gap : gaps) {
    end = std::max(end, gap.at) + beside * (gap.diagonals + 2 * kFar);
    open.emplace_back(gap.at, end);
  }
  for (std::size_t i = gaps.size(); i-- > 0;) {
    begin = std::min(begin, gaps[i].at) - beside * (gaps[i].diagonals + 2 * kFar);
    open[i].first = begin;
  }
  std::vector<Uncut> all;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto [first, last] = open[i];
    if (all.empty() || first > all.back().end) all.push_back({first, last, 0});
    all.back().end = std::max(all.back().end, last);
    all.back().gaps += gaps[i].diagonals;
  }
  for (Uncut& part : all) {
    part.first = std::max(part.first, 0.0);
    part.end = std::min(part.end, m);
  }
  return all;
}

Choice choose(const Problem& problem, const ocl::Limits& limits, const Rates& rates,
              const Sketch* known) {
  Choice choice;
  const auto m = static_cast<std::int64_t>(problem.a.size());
  const auto n = static_cast<std::int64_t>(problem.b.size());
  const std::int64_t limit = distance_limit(problem);
  const std::size_t threads = batch::threads_of(problem.threads);
  try {
    const strip::Plan whole = strip::variants().front().plan(problem, limits, {});
    choice.strips = strip_seconds(rates, whole, whole.band(whole.threshold));
    if (choice.strips < kSmall) {
      choice.start = Choice::Start::kStrips;
      choice.threshold = whole.threshold;
      choice.why = "so small a matrix is filled as soon as looked at";
      return choice;
    }
  } catch (const Error&) {
    // Said below.
  }
  choice.sketch =
      known != nullptr ? *known : sketch_distance(problem.a, problem.b, problem.threads);
  const std::int64_t expected = std::min(choice.sketch.distance, limit);
  choice.threshold = std::min(limit, strip::first_threshold(problem, choice.sketch.distance));
  choice.wave = wave_seconds(rates, m, n, expected, choice.sketch.gaps);

  Problem guessed = problem;
  guessed.guess = choice.threshold;
  try {
    const strip::Plan plan = strip::variants().front().plan(guessed, limits, {});
    choice.strips = strip_seconds(rates, plan, plan.band(plan.threshold));
  } catch (const Error& error) {  // too large, or not for a device like this
    choice.possible = false;
    choice.start = Choice::Start::kWave;
    choice.patience = 1e30;
    choice.why = std::string("the strips do not fit: ") + error.what();
    return choice;
  }
  const bool sure = rests_on_words(choice.sketch);
  const double edits = static_cast<double>(expected) / static_cast<double>(std::min(m, n));
  const double gaps = static_cast<double>(choice.sketch.gaps) / static_cast<double>(expected + 1);
  const bool words_tell =
      sure && choice.sketch.distance <= limit && problem.code->matching == seq::Matching::kEqual;
  if (words_tell && fits_corridor(choice.sketch, m, n, limits.gpu))
    choice.corridor = corridor_seconds(rates, limits.gpu, m, n, expected, threads,
                                       lost_by_bounds(choice.sketch, static_cast<double>(m)));
  const double others =
      std::min(choice.wave, choice.strips) + packing_seconds(limits.gpu, m, n, threads);
  // Gaps that cost more than unlike texts do are of words that tell nothing.
  if (known == nullptr && words_tell && gaps >= kSomeGaps && gaps <= 1 &&
      edits * (1 - gaps) < (gaps >= kGaps ? kEditsOfPieces : kEditsThen)) {
    choice.pieces = pieces_seconds(choice, rates, limits.gpu, static_cast<double>(m),
                                   static_cast<double>(n), threads);
    choice.cut = (limits.gpu ? 1 : kFaster) * choice.pieces <
                 (choice.corridor > 0 ? std::min(others, choice.corridor) : others);
    choice.cut_then = choice.corridor > 0 && kMuchFaster * choice.pieces < choice.strips;
    choice.cut_to_align =
        choice.cut && (limits.gpu ? kWalkOnGpu : kWalkOfPieces) * choice.pieces < others;
  }
  if (choice.corridor > 0 && kFaster * choice.corridor < others) {
    choice.start = Choice::Start::kCorridor;
    choice.why = "the corridor will be faster";
  } else if (choice.wave <= choice.strips) {
    choice.start = Choice::Start::kWave;
    // Beyond this the estimate was wrong and the strips would have been faster.
    choice.patience = choice.wave + choice.strips;
    choice.why = "the wavefronts will be faster";
  } else if (sure || choice.strips < kSoon) {
    choice.start = Choice::Start::kStrips;
    choice.why = "the strips will be faster";
  } else {
    choice.start = Choice::Start::kProbe;
    choice.patience = kProbe * choice.strips;
    choice.why =
        "the strips will be faster, but the estimate rests on little: the wavefronts may try first";
  }
  return choice;
}

void choose_to_align(Choice& choice) {
  using Start = Choice::Start;
  const bool waves = choice.start == Start::kWave || choice.start == Start::kProbe;
  if (!waves || !choice.possible || choice.corridor <= 0 ||
      choice.corridor >= std::min(choice.strips, 2 * choice.wave))
    return;
  choice.start = Start::kCorridor;
  choice.why = "the walk through the corridor will be faster than through wavefronts";
}

}  // namespace rhomb
