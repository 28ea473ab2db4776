// SPDX-License-Identifier: Apache-2.0
#include "host/distance/pieces.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/corridor/corridor.h"
#include "host/corridor/device_bands.h"
#include "host/distance/methods.h"
#include "host/distance/side_by_side.h"
#include "host/engine/choose.h"
#include "host/engine/program.h"
#include "host/error.h"
#include "host/wfa/meetings.h"

namespace rhomb {
namespace {

const tune::Param kSideBySide{"ATONCE", {0, 1, 2, 4, 8, 16}, "pieces at a time; 0: by the device"};
const tune::Param kWindows{
    "FAR", {0, 1, 2}, "windows far from the path: where they gain (0), always (1), never (2)"};

/// What is known of a piece, from the reference path through it.
Sketch sketch_of(const Problem& piece, std::int64_t i, std::int64_t j, std::int64_t at_most,
                 std::span<const Anchor> chain) {
  Sketch sketch;
  sketch.distance = at_most;
  sketch.covered = 1;
  const auto m = std::ssize(piece.a), n = std::ssize(piece.b);
  std::int64_t diagonal = 0;
  const auto add = [&](const Anchor& word) {
    const std::int64_t gap = std::abs(word.j - word.i - diagonal);
    if (gap >= kLongGap) sketch.gaps += gap;
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

Answer solve_piece(ocl::Device& device, const Piece& piece) {
  const Choice& choice = piece.choice;
  Problem problem = piece.guessed();
  if (choice.start == Choice::Start::kCorridor) {
    problem.guess = choice.sketch.distance;
    problem.chain = choice.sketch.chain;
    Answer answer = method_named(kCorridor).solve(&device, problem, {});
    if (!answer.passed_on) return answer;
    problem.guess = *problem.max_distance;
  }
  return method_named(piece.engine()).solve(&device, problem, {});
}

/// Solves pieces on one device, several at a time.
class Solver {
 public:
  Solver(ocl::Device& device, const Problem& problem, const wfa::TextsThere& there,
         const Rates& rates, std::vector<Piece>& pieces, std::size_t at_once)
      : device_(device),
        problem_(problem),
        there_(there),
        pieces_(pieces),
        parts_(parts_of(pieces, device.limits(), rates, at_once > 1, false)),
        at_once_(std::clamp<std::size_t>(at_once, 1, std::max<std::size_t>(parts_.size(), 1))),
        told_(pieces.size()) {
    for (const Piece& piece : pieces) rows_ += static_cast<double>(piece.rows);
  }

  void run() {
    const auto left =
        side_by_side(device_, parts_.size(), at_once_, [&](ocl::Device& device, std::size_t part) {
          const auto& some = parts_[part].pieces;
          if (given_up_) return;
          some.size() > 1 ? meet(device, some) : solve(device, some[0]);
        });
    for (const std::size_t part : left)
      for (const std::size_t i : parts_[part].pieces)
        if (!given_up_) solve(device_, i);
  }

  bool given_up() const { return given_up_; }
  /// Pieces that shared launches.
  std::size_t together() const {
    std::size_t most = 0;
    for (const Part& part : parts_) most = std::max(most, part.pieces.size());
    return most > 1 ? most : 0;
  }

 private:
  bool ask(const Progress& progress) {
    const std::lock_guard lock(mutex_);  // they may ask at the same time
    if (!given_up_ && problem_.give_up) given_up_ = problem_.give_up(progress);
    return given_up_;
  }

  void meet(ocl::Device& device, const std::vector<std::size_t>& some) {
    std::vector<wfa::MeetingTask> tasks;
    for (const std::size_t i : some) tasks.push_back(pieces_[i].task());
    wfa::MeetingsProblem problem;
    problem.tasks = tasks;
    problem.code = problem_.code;
    problem.there = &there_;
    problem.threads = threads_of_each(problem_.threads, at_once_);
    problem.trace = problem_.trace;
    problem.give_up = [&](const Progress& progress) {
      if (problem_.progress)
        for (const std::size_t i : some) tell(i, {0, 0, 0, progress.part});
      return ask(progress);
    };
    const wfa::Plan plan = wfa::plan_meetings(*problem.code, device.limits(), {});
    const wfa::MeetingsAnswer found = wfa::meet(device, plan, problem);
    if (found.given_up) return;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      Answer answer;
      answer.distance = found.distances[i];
      if (i == 0) answer.cells = found.cells;
      take(some[i], std::move(answer));
    }
  }

  void solve(ocl::Device& device, std::size_t i) {
    Piece& piece = pieces_[i];
    piece.problem.threads = threads_of_each(problem_.threads, at_once_);
    if (problem_.progress)
      piece.problem.progress = [this, i](const Progress& progress) { tell(i, progress); };
    piece.problem.give_up = [this](const Progress& progress) { return ask(progress); };
    take(i, solve_piece(device, piece));
  }

  void take(std::size_t i, Answer answer) {
    if (answer.given_up) return;
    Piece& piece = pieces_[i];
    piece.answer = std::move(answer);
    check_piece(piece.rows, piece.columns, piece.answer.distance, *piece.problem.max_distance);
    const std::lock_guard lock(mutex_);
    told_[i] = {1, piece.answer.cells};
  }

  /// How far all pieces are.
  void tell(std::size_t i, const Progress& progress) {
    const std::lock_guard lock(mutex_);
    told_[i] = {progress.part, progress.cells};
    Progress all;
    all.seconds = now() - start_;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      all.part += told_[p].first * static_cast<double>(pieces_[p].rows) / rows_;
      all.cells += told_[p].second;
    }
    problem_.progress(all);
  }

  ocl::Device& device_;
  const Problem& problem_;
  const wfa::TextsThere there_;
  std::vector<Piece>& pieces_;
  const std::vector<Part> parts_;
  const std::size_t at_once_;
  const double start_ = now();
  double rows_ = 0;

  std::atomic<bool> given_up_ = false;
  std::mutex mutex_;                             // for the rest
  std::vector<std::pair<double, double>> told_;  // what part of each is done, and cells
};

}  // namespace

double Piece::seconds() const {
  const double others = std::min(choice.wave, choice.possible ? choice.strips : choice.wave);
  return choice.start == Choice::Start::kCorridor ? choice.corridor : others;
}

std::string_view Piece::engine() const {
  const bool wave =
      !choice.possible || (choice.start != Choice::Start::kStrips && choice.wave <= choice.strips);
  return wave ? kWavefront : kStrips;
}

Problem Piece::guessed() const {
  Problem guessed = problem;
  guessed.guess = std::max(choice.threshold, *problem.max_distance);
  return guessed;
}

std::vector<Piece> pieces_of(const Problem& problem, std::span<const corridor::Cut> cuts,
                             const ocl::Limits& limits, const Rates& rates) {
  std::vector<Piece> pieces(cuts.size());
  std::int64_t i = 0, j = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const corridor::Cut& cut = cuts[p];
    Piece& piece = pieces[p];
    piece.i = i;
    piece.j = j;
    piece.rows = cut.i - i;
    piece.columns = cut.j - j;
    Problem whole = problem;
    whole.a = problem.a.substr(static_cast<std::size_t>(i), static_cast<std::size_t>(piece.rows));
    whole.b =
        problem.b.substr(static_cast<std::size_t>(j), static_cast<std::size_t>(piece.columns));
    whole.chain = {};
    whole.guess = {};
    whole.max_distance = cut.at_most;
    // Trimmed here, so that what the sketch says is of the rest.
    piece.problem = trimmed(whole);
    const Problem& inner = piece.problem;
    if (const auto easy = easy_answer(inner)) {
      piece.answer = *easy;
    } else {
      const auto from = inner.a.data() - problem.a.data(), to = inner.b.data() - problem.b.data();
      const Sketch known = sketch_of(inner, from, to, cut.at_most, problem.chain);
      piece.choice = choose(inner, limits, rates, &known);
    }
    i = cut.i;
    j = cut.j;
  }
  return pieces;
}

std::vector<Part> parts_of(const std::vector<Piece>& pieces, const ocl::Limits& limits,
                           const Rates& rates, bool together, bool keeps) {
  std::vector<Part> parts;
  std::vector<std::size_t> some;  // that may share launches
  std::optional<wfa::Plan> plan;
  std::uint64_t left = std::min(limits.global_bytes / 2, limits.alloc_bytes);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (piece.answer.distance) continue;
    const wfa::MeetingTask task = piece.task();
    if (together && !plan) plan = wfa::plan_meetings(*piece.problem.code, limits, {});
    const std::uint64_t bytes = plan ? wfa::meeting_bytes(*plan, task, keeps) : 0;
    if (plan && wfa::fits(task) && bytes <= left) {
      left -= bytes;
      some.push_back(i);
    } else {
      parts.push_back({{i}, piece.seconds()});
    }
  }
  // The first of these, for others: as many as leave least to be done.
  std::ranges::stable_sort(some, std::greater<>(),
                           [&](std::size_t i) { return pieces[i].choice.wave; });
  const auto busy = [&](std::size_t i) {
    const wfa::MeetingTask task = pieces[i].task();
    return wave_busy_seconds(rates, std::ssize(task.a), std::ssize(task.b), task.most,
                             pieces[i].choice.sketch.gaps);
  };
  double sharing = 0, apart = 0;  // seconds
  for (const std::size_t i : some) sharing += busy(i);
  double least = 0, shared_seconds = 0;
  std::size_t best = 0;
  for (std::size_t first = 0; first <= some.size(); ++first) {
    const double longest =
        first < some.size() ? std::max(sharing, pieces[some[first]].choice.wave) : 0;
    if (first == 0 || apart + longest < least) {
      least = apart + longest;
      shared_seconds = longest;
      best = first;
    }
    if (first == some.size()) break;
    sharing -= busy(some[first]);
    apart += pieces[some[first]].seconds();
  }
  for (std::size_t i = 0; i < best; ++i) parts.push_back({{some[i]}, pieces[some[i]].seconds()});
  some.erase(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(best));
  std::ranges::sort(some);
  if (!some.empty()) parts.push_back({std::move(some), shared_seconds});
  // Those that take longest begin first.
  std::ranges::stable_sort(parts, std::greater<>(), &Part::seconds);
  return parts;
}

PiecesSetting pieces_setting(tune::Config& config, const ocl::Limits& limits) {
  using corridor::Windows;
  PiecesSetting setting{limits.gpu ? 8u : 1u, Windows::kWorth};
  tune::Config rest;
  for (const auto& [name, value] : config.values())
    if (name == kSideBySide.name) {
      engine::check_between(name, value, 0, 64);
      if (value > 0) setting.at_once = static_cast<std::size_t>(value);
    } else if (name == kWindows.name) {
      engine::check_between(name, value, 0, 2);
      if (value > 0) setting.windows = value == 1 ? Windows::kAlways : Windows::kNever;
    } else {
      rest.set(name, value);
    }
  config = rest;
  return setting;
}

wfa::TextsThere texts_there(const Problem& problem, const corridor::Cutting& cutting) {
  if (cutting.texts == nullptr) return {};
  return {problem.a, problem.b, &cutting.texts->rows, &cutting.texts->columns};
}

void check_piece(std::int64_t rows, std::int64_t columns, std::optional<std::int64_t> distance,
                 std::int64_t at_most) {
  if (distance && *distance <= at_most) return;
  throw CheckError("check failed: a piece of " + std::to_string(rows) + " and " +
                   std::to_string(columns) + " symbols should cost no more than " +
                   std::to_string(at_most) + "; please report this with the input");
}

const tune::Space& pieces_space() {
  static const tune::Space all = [] {
    tune::Space space = corridor::variants().front().space;
    space.push_back(kSideBySide);
    space.push_back(kWindows);
    return space;
  }();
  return all;
}

Answer solve_pieces(ocl::Device& device, const Problem& problem, const Rates& rates,
                    tune::Config config) {
  check_problem(problem);
  Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  Sketch sketch;
  corridor::look(rest, sketch);
  const auto [at_once, windows] = pieces_setting(config, device.limits());
  std::future<void> ready;
  if (at_once > 1) ready = wfa::make_ready(device, *rest.code, rest.threads);
  Answer answer;
  corridor::Cutting cutting =
      corridor::find_cuts(device, rest, config, rates, {.windows = windows});
  const corridor::Cuts& cuts = cutting.cuts;
  answer.config = cutting.config;
  answer.config.set(kSideBySide.name, static_cast<int>(at_once));
  answer.config.set(kWindows.name, cuts.looked_far ? 1 : 2);
  answer.cells = cuts.computed;
  answer.build = cutting.build;
  answer.transfer = cutting.transfer;
  answer.compute = cutting.compute;
  answer.passes = 0;
  std::int64_t longest = 0;
  std::size_t together = 0;
  const auto told = [&] {
    answer.certificate.add("pieces", std::ssize(cuts.cells));
    answer.certificate.add("longest_piece_rows", longest);
    answer.certificate.add("pieces_in_shared_launches", static_cast<std::int64_t>(together));
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
  if (at_once == 1) cutting.texts = nullptr;  // each piece is packed for itself
  std::vector<Piece> pieces = pieces_of(rest, cuts.cells, device.limits(), rates);
  for (const Piece& piece : pieces) longest = std::max(longest, piece.rows);
  const double start = now(), built = device.clock().build;
  Solver solver(device, rest, texts_there(rest, cutting), rates, pieces, at_once);
  solver.run();
  together = solver.together();
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
