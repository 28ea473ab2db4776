// SPDX-License-Identifier: Apache-2.0
#include "host/engine/choose.h"

#include <algorithm>

#include "host/batch/threads.h"

namespace rhomb {
namespace {

/// Whole matrices that take no longer than this are filled at once: an estimate would take as long.
constexpr double kSmall = 0.001;
/// The share of the strips' time that the wavefronts may take where the sketch knows little.
constexpr double kProbe = 0.1;
/// For the corridor: the share of the distance that long gaps may have, the share of the symbols
/// that may differ, and that of the texts that must have words in common.
constexpr double kGaps = 0.3, kEdits = 0.08, kCovered = 0.9;
/// The corridor must be so much faster than the others.
constexpr double kFaster = 1.1;
/// Pairs are cut where the others would take so long, so little of the symbols differs besides long
/// gaps, and the gaps are less than that share of the shorter text: beside each the reference must
/// run for about 12 times as long as the gap is before words tell that nothing else is as cheap.
constexpr double kWorthCutting = 0.2, kEditsOfPieces = 0.04, kGapsOfPieces = 1.0 / 12;
/// Strips that take no longer than this are not worth another engine's start.
constexpr double kSoon = 0.1;

}  // namespace

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
  // An estimate that rests on few words may be far too large.
  const bool sure = choice.sketch.covered > 0.2 && choice.sketch.chain.size() >= 32;
  const double edits = static_cast<double>(expected) / static_cast<double>(std::min(m, n));
  const double gaps = static_cast<double>(choice.sketch.gaps) / static_cast<double>(expected + 1);
  const bool words_tell =
      sure && choice.sketch.distance <= limit && problem.code->matching == seq::Matching::kEqual;
  if (words_tell && edits < kEdits && gaps < kGaps && choice.sketch.covered > kCovered)
    choice.corridor = corridor_seconds(rates, limits.gpu, m, n, expected, threads);
  const double shorter = static_cast<double>(std::min(m, n));
  const double long_gaps = static_cast<double>(choice.sketch.gaps);
  choice.cut = known == nullptr && words_tell && gaps >= kGaps &&
               std::min(choice.wave, choice.strips) > kWorthCutting &&
               static_cast<double>(expected) - long_gaps < kEditsOfPieces * shorter &&
               long_gaps < kGapsOfPieces * shorter;
  if (choice.corridor > 0 &&
      kFaster * choice.corridor <
          std::min(choice.wave, choice.strips) + packing_seconds(limits.gpu, m, n, threads)) {
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

}  // namespace rhomb
