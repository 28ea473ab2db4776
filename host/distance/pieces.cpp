// SPDX-License-Identifier: Apache-2.0
#include "host/distance/pieces.h"

#include <algorithm>
#include <string>
#include <vector>

#include "host/corridor/corridor.h"
#include "host/distance/methods.h"
#include "host/engine/choose.h"
#include "host/error.h"

namespace rhomb {
namespace {

/// What is known of a piece, from the reference path through it.
Sketch sketch_of(const Problem& piece, std::int64_t i, std::int64_t j, std::int64_t at_most,
                 std::span<const Anchor> chain) {
  Sketch sketch;
  sketch.distance = at_most;
  sketch.covered = 1;
  const auto m = std::ssize(piece.a), n = std::ssize(piece.b);
  std::int64_t diagonal = 0;
  const auto add = [&](const Anchor& word) {
    // Short gaps are not told apart from other edits.
    const std::int64_t gap = std::abs(word.j - word.i - diagonal);
    if (gap >= 100) sketch.gaps += gap;
    diagonal = word.j - word.i;
  };
  const auto first = std::ranges::lower_bound(chain, i, {}, &Anchor::i);
  for (auto word = first; word != chain.end() && word->i < i + m; ++word) {
    if (word->j < j || word->j >= j + n) continue;
    sketch.chain.push_back({word->i - i, word->j - j});
    add(sketch.chain.back());
  }
  add({m, n});
  return sketch;
}

Answer solve_piece(ocl::Device& device, const Problem& piece, const Sketch& sketch,
                   const Rates& rates) {
  const Choice choice = choose(piece, device.limits(), rates, &sketch);
  Problem guessed = piece;
  guessed.guess = std::max(choice.threshold, *piece.max_distance);
  if (choice.start == Choice::Start::kCorridor) {
    guessed.guess = sketch.distance;
    guessed.chain = sketch.chain;
    Answer answer = method_named(kCorridor).solve(&device, guessed, {});
    if (!answer.passed_on) return answer;
    guessed.guess = *piece.max_distance;
  }
  const bool wave =
      !choice.possible || (choice.start != Choice::Start::kStrips && choice.wave <= choice.strips);
  return method_named(wave ? kWavefront : kStrips).solve(&device, guessed, {});
}

}  // namespace

Answer solve_pieces(ocl::Device& device, const Problem& problem, const Rates& rates,
                    const tune::Config& config) {
  check_problem(problem);
  Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  Sketch sketch;
  corridor::look(rest, sketch);
  Answer answer;
  const corridor::Cutting cutting = corridor::find_cuts(device, rest, config);
  const corridor::Cuts& cuts = cutting.cuts;
  answer.config = cutting.config;
  answer.cells = cuts.computed;
  answer.build = cutting.build;
  answer.transfer = cutting.transfer;
  answer.compute = cutting.compute;
  answer.passes = 0;
  std::int64_t longest = 0;
  const auto told = [&] {
    answer.certificate.add("pieces", std::ssize(cuts.cells));
    answer.certificate.add("longest_piece_rows", longest);
    answer.certificate.add("near_boundaries", cuts.near);
  };
  if (cuts.given_up || cuts.cells.size() < 2) {
    answer.given_up = true;
    answer.passed_on = !cuts.given_up;
    if (cuts.at_most > 0) answer.at_most = cuts.at_most;
    told();
    if (answer.passed_on) answer.certificate.add("given_up", "no cut could be proven");
    return answer;
  }
  std::int64_t i = 0, j = 0, sum = 0;
  for (const corridor::Cut& cut : cuts.cells) {
    Problem piece = rest;
    piece.a = rest.a.substr(static_cast<std::size_t>(i), static_cast<std::size_t>(cut.i - i));
    piece.b = rest.b.substr(static_cast<std::size_t>(j), static_cast<std::size_t>(cut.j - j));
    piece.chain = {};
    piece.guess = {};
    piece.max_distance = cut.at_most;
    if (problem.progress)
      piece.progress = [&](Progress progress) {  // of all rows
        const auto rows = static_cast<double>(cut.i - i), all = static_cast<double>(rest.a.size());
        problem.progress({0, 0, answer.cells + progress.cells,
                          (static_cast<double>(i) + progress.part * rows) / all,
                          answer.compute + progress.seconds});
      };
    longest = std::max(longest, cut.i - i);
    // Trimmed here, so that what the sketch says is of the rest.
    const Problem inner = trimmed(piece);
    Answer part;
    if (const auto easy = easy_answer(inner)) {
      part = *easy;
    } else {
      const auto from = inner.a.data() - rest.a.data(), to = inner.b.data() - rest.b.data();
      part = solve_piece(device, inner, sketch_of(inner, from, to, cut.at_most, rest.chain), rates);
    }
    spend(answer, part);
    answer.passes += part.passes;
    if (part.given_up) {
      answer.given_up = true;
      return answer;
    }
    if (!part.distance)
      throw CheckError("check failed: a piece of " + std::to_string(cut.i - i) + " and " +
                       std::to_string(cut.j - j) + " symbols should cost no more than " +
                       std::to_string(cut.at_most) + "; please report this with the input");
    sum += *part.distance;
    i = cut.i;
    j = cut.j;
  }
  told();
  if (sum <= distance_limit(problem)) answer.distance = sum;
  return answer;
}

}  // namespace rhomb
