// SPDX-License-Identifier: Apache-2.0
#include "host/distance/pieces.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "host/batch/threads.h"
#include "host/corridor/corridor.h"
#include "host/distance/methods.h"
#include "host/engine/choose.h"
#include "host/engine/program.h"
#include "host/error.h"

namespace rhomb {
namespace {

const tune::Param kSideBySide{"ATONCE", {0, 1, 2, 4, 8, 16}, "pieces at a time; 0: by the device"};

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

/// A piece without common ends, what is known of it, and the engine that will be fastest.
struct Piece {
  std::int64_t rows = 0, columns = 0;  ///< with common ends
  Problem problem;
  Sketch sketch;
  Choice choice;
  Answer answer;

  double seconds() const {
    const double others = std::min(choice.wave, choice.possible ? choice.strips : choice.wave);
    return choice.start == Choice::Start::kCorridor ? choice.corridor : others;
  }
};

Answer solve_piece(ocl::Device& device, const Piece& piece) {
  const Choice& choice = piece.choice;
  Problem guessed = piece.problem;
  guessed.guess = std::max(choice.threshold, *guessed.max_distance);
  if (choice.start == Choice::Start::kCorridor) {
    guessed.guess = piece.sketch.distance;
    guessed.chain = piece.sketch.chain;
    Answer answer = method_named(kCorridor).solve(&device, guessed, {});
    if (!answer.passed_on) return answer;
    guessed.guess = *guessed.max_distance;
  }
  const bool wave =
      !choice.possible || (choice.start != Choice::Start::kStrips && choice.wave <= choice.strips);
  return method_named(wave ? kWavefront : kStrips).solve(&device, guessed, {});
}

/// Solves pieces on one device, several at a time.
class Solver {
 public:
  Solver(ocl::Device& device, const Problem& problem, std::vector<Piece>& pieces)
      : device_(device), problem_(problem), pieces_(pieces), parts_(pieces.size()) {
    // Those that take longest begin first.
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      all_ += static_cast<double>(pieces[i].rows);
      if (const auto easy = easy_answer(pieces[i].problem))
        pieces[i].answer = *easy;
      else
        order_.push_back(i);
    }
    std::ranges::stable_sort(order_, std::greater<>(),
                             [&](std::size_t i) { return pieces_[i].seconds(); });
  }

  /// `at_once`: so many at a time. What needs more memory than the others leave it comes last,
  /// alone.
  void run(std::size_t at_once) {
    at_once = std::clamp<std::size_t>(at_once, 1, std::max<std::size_t>(order_.size(), 1));
    const std::size_t threads = batch::threads_of(problem_.threads);
    for (const std::size_t i : order_)
      pieces_[i].problem.threads = std::max<std::size_t>(1, 2 * threads / (at_once + 1));
    std::vector<std::unique_ptr<ocl::Device>> beside;
    while (beside.size() + 1 < at_once) beside.push_back(device_.beside());
    batch::in_parts(at_once, at_once, [&](std::size_t part, std::size_t, std::size_t) {
      work(part == 0 ? device_ : *beside[part - 1], at_once > 1);
    });
    for (const std::size_t i : left_)
      if (!given_up_) solve(device_, i);
  }

  bool given_up() const { return given_up_; }

 private:
  void work(ocl::Device& device, bool others) {
    for (;;) {
      std::size_t i;
      {
        const std::lock_guard lock(mutex_);
        if (next_ == order_.size() || given_up_) return;
        i = order_[next_++];
      }
      try {
        solve(device, i);
      } catch (const Error& error) {
        if (others && out_of_memory(error)) {
          const std::lock_guard lock(mutex_);
          left_.push_back(i);
          continue;
        }
        end();
        throw;
      } catch (...) {
        end();
        throw;
      }
    }
  }

  void end() {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
  }

  void solve(ocl::Device& device, std::size_t i) {
    Piece& piece = pieces_[i];
    if (problem_.progress)
      piece.problem.progress = [this, i](const Progress& progress) {
        const std::lock_guard lock(mutex_);
        tell(i, progress);
      };
    piece.problem.give_up = [this](const Progress& progress) {
      const std::lock_guard lock(mutex_);
      given_up_ = given_up_ || (problem_.give_up && problem_.give_up(progress));
      return given_up_;
    };
    piece.answer = solve_piece(device, piece);
    if (piece.answer.given_up) return end();
    if (!piece.answer.distance)
      throw CheckError("check failed: a piece of " + std::to_string(piece.rows) + " and " +
                       std::to_string(piece.columns) + " symbols should cost no more than " +
                       std::to_string(*piece.problem.max_distance) +
                       "; please report this with the input");
    if (!problem_.progress) return;
    const std::lock_guard lock(mutex_);
    parts_[i] = {1, piece.answer.cells};
  }

  /// Of all pieces.
  void tell(std::size_t i, const Progress& progress) {
    parts_[i] = {progress.part, progress.cells};
    Progress all;
    all.seconds = now() - start_;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      all.part += parts_[p].first * static_cast<double>(pieces_[p].rows) / all_;
      all.cells += parts_[p].second;
    }
    problem_.progress(all);
  }

  ocl::Device& device_;
  const Problem& problem_;
  std::vector<Piece>& pieces_;
  const double start_ = now();
  double all_ = 0;  // rows
  std::vector<std::size_t> order_;

  std::mutex mutex_;  // for the rest
  std::size_t next_ = 0;
  bool given_up_ = false;
  std::vector<std::size_t> left_;                 // that memory did not suffice for
  std::vector<std::pair<double, double>> parts_;  // that are done of each, and cells
};

/// How many a device computes at a time: one leaves most of a GPU idle. On a CPU each fills all
/// cores.
std::size_t usual_at_once(const ocl::Limits& limits) { return limits.gpu ? 8 : 1; }

/// The tunable that only pieces have is taken out of `config`.
std::size_t take_at_once(tune::Config& config, const ocl::Limits& limits) {
  tune::Config rest;
  std::size_t at_once = usual_at_once(limits);
  for (const auto& [name, value] : config.values())
    if (name == kSideBySide.name) {
      engine::check_between(kSideBySide.name, value, 0, 64);
      if (value > 0) at_once = static_cast<std::size_t>(value);
    } else {
      rest.set(name, value);
    }
  config = rest;
  return at_once;
}

}  // namespace

const tune::Space& pieces_space() {
  static const tune::Space all = [] {
    tune::Space space = corridor::variants().front().space;
    space.push_back(kSideBySide);
    return space;
  }();
  return all;
}

Facts explain_pieces(const Problem& problem, const ocl::Limits& limits, tune::Config config) {
  const std::size_t at_once = take_at_once(config, limits);
  Facts facts = corridor::explain(corridor::variants().front(), problem, limits,
                                  corridor::cut_config(config));
  facts.add("pieces_at_once", static_cast<std::int64_t>(at_once));
  return facts;
}

Answer solve_pieces(ocl::Device& device, const Problem& problem, const Rates& rates,
                    tune::Config config) {
  check_problem(problem);
  Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  const std::size_t at_once = take_at_once(config, device.limits());
  Sketch sketch;
  corridor::look(rest, sketch);
  Answer answer;
  const corridor::Cutting cutting = corridor::find_cuts(device, rest, config);
  const corridor::Cuts& cuts = cutting.cuts;
  answer.config = cutting.config;
  answer.config.set(kSideBySide.name, static_cast<int>(at_once));
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
  std::vector<Piece> pieces(cuts.cells.size());
  std::int64_t i = 0, j = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const corridor::Cut& cut = cuts.cells[p];
    Piece& piece = pieces[p];
    piece.rows = cut.i - i;
    piece.columns = cut.j - j;
    Problem whole = rest;
    whole.a = rest.a.substr(static_cast<std::size_t>(i), static_cast<std::size_t>(piece.rows));
    whole.b = rest.b.substr(static_cast<std::size_t>(j), static_cast<std::size_t>(piece.columns));
    whole.chain = {};
    whole.guess = {};
    whole.max_distance = cut.at_most;
    // Trimmed here, so that what the sketch says is of the rest.
    piece.problem = trimmed(whole);
    const Problem& inner = piece.problem;
    if (!easy_answer(inner)) {
      const auto from = inner.a.data() - rest.a.data(), to = inner.b.data() - rest.b.data();
      piece.sketch = sketch_of(inner, from, to, cut.at_most, rest.chain);
      piece.choice = choose(inner, device.limits(), rates, &piece.sketch);
    }
    longest = std::max(longest, piece.rows);
    i = cut.i;
    j = cut.j;
  }
  const double start = now(), built = device.clock().build;
  Solver solver(device, problem, pieces);
  solver.run(at_once);
  // Of several at a time the times are no sum.
  const double building = device.clock().build - built;
  answer.build += building;
  answer.compute += now() - start - building;
  if (solver.given_up()) {
    answer.given_up = true;
    return answer;
  }
  std::int64_t sum = 0;
  for (const Piece& piece : pieces) {
    sum += *piece.answer.distance;
    answer.cells += piece.answer.cells;
    answer.passes += piece.answer.passes;
  }
  told();
  if (sum <= distance_limit(problem)) answer.distance = sum;
  return answer;
}

}  // namespace rhomb
