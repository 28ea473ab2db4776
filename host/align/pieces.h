// SPDX-License-Identifier: Apache-2.0
// pieces: slabs that are walked through by several threads, each at its part of a path that is only
// known from its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "host/align/trace.h"
#include "host/batch/threads.h"
#include "host/error.h"

namespace rhomb::align {

/// Pieces of fewer slabs for each that they begin early lose too much by that; but where threads
/// would have nothing to do, much fewer are enough.
inline constexpr std::size_t kFewestSlabs = 8, kFewestOfThread = 2, kPiecesAThread = 8;
/// So often all that begin elsewhere are walked through again at once.
inline constexpr int kRoundsOfRepairs = 6;

[[noreturn]] inline void contradiction() {
  throw CheckError("rows of an alignment contradict each other; please report this");
}

/// Slabs [first, end), walked through from the last one up. `Slabs` has slabs() of them; a path
/// leaves one at a Slabs::Place and is a Slabs::Step there, `at` the place where it comes to the
/// slab above; exits() is where it leaves the last one, probable(s) where it probably leaves slab
/// s; end_near(s) says which slab near s a piece should end before, and effort(first, end) which
/// piece takes longer than another, if that is known.
template <class Slabs>
struct Piece {
  std::size_t first = 0, end = 0;
  std::vector<typename Slabs::Place> exits;  // exits[i]: of slab end - 1 - i
  std::vector<typename Slabs::Step> steps;   // as many as could be walked
  double cells = 0;

  bool whole() const { return steps.size() == end - first; }
  /// Where it comes to the slab above, if it does.
  typename Slabs::Place entry() const { return steps.back().at; }
};

/// Begins early, where the path probably is.
template <class Slabs>
Piece<Slabs> walk_piece(Slabs& slabs, std::size_t first, std::size_t end, std::size_t early) {
  Piece<Slabs> piece{first, end, {}, {}, 0};
  auto worker = slabs.worker();
  const std::size_t begin = std::min(slabs.slabs(), end + early);
  typename Slabs::Place exits = slabs.probable(begin - 1);
  for (std::size_t s = begin; s-- > first;) {
    auto step = slabs.through(worker, s, exits);
    if (s < end) {
      piece.exits.push_back(exits);
      if (!step) break;
      exits = step->at;
      piece.steps.push_back(std::move(*step));
    } else {
      exits = step ? step->at : slabs.probable(s - 1);
    }
  }
  piece.cells = worker.cells();
  return piece;
}

/// The same from other exits, until the path is where it was.
template <class Slabs>
Piece<Slabs> walk_again(Slabs& slabs, Piece<Slabs> before, typename Slabs::Place exits) {
  Piece<Slabs> piece{before.first, before.end, {}, {}, 0};
  auto worker = slabs.worker();
  for (std::size_t s = piece.end, i = 0; s-- > piece.first; ++i) {
    if (i < before.exits.size() && before.exits[i] == exits) {
      piece.exits.insert(piece.exits.end(), before.exits.begin() + static_cast<std::ptrdiff_t>(i),
                         before.exits.end());
      std::move(before.steps.begin() + static_cast<std::ptrdiff_t>(i), before.steps.end(),
                std::back_inserter(piece.steps));
      break;
    }
    piece.exits.push_back(exits);
    auto step = slabs.through(worker, s, exits);
    if (!step) break;
    exits = step->at;
    piece.steps.push_back(std::move(*step));
  }
  piece.cells = before.cells + worker.cells();
  return piece;
}

/// In how many pieces slabs are walked through, so that no thread waits long for the others.
inline std::size_t piece_count(std::size_t slabs, std::size_t early, std::size_t threads) {
  if (threads == 1) return 1;
  const std::size_t rounds = std::min(slabs / (kFewestSlabs * early * threads), kPiecesAThread);
  if (rounds > 0) return rounds * threads;
  return std::clamp<std::size_t>(slabs / (kFewestOfThread * early), 1, threads);
}

/// The path through all of them, in pieces from the last one up.
template <class Slabs>
std::vector<Piece<Slabs>> walk_all(Slabs& all, const TraceOptions& options) {
  const std::size_t threads = batch::threads_of(options.threads);
  const std::size_t slabs = all.slabs();
  if (slabs == 0) contradiction();
  std::size_t count = piece_count(slabs, options.early, threads);
  if (options.piece > 0) count = (slabs + options.piece - 1) / options.piece;
  std::vector<Piece<Slabs>> pieces(count);  // from the last one up
  struct Begin {
    std::size_t piece;
    typename Slabs::Place exits;
  };
  std::vector<Begin> begins(count);
  std::vector<std::size_t> ends(count + 1);  // of the pieces, from the first slab on
  for (std::size_t p = 0; p < count; ++p) {
    begins[p].piece = p;
    ends[p + 1] = p + 1 == count ? slabs : std::max(ends[p], all.end_near(slabs * (p + 1) / count));
  }
  const auto walk = [&](const auto& make) {
    batch::dealt(begins.size(), threads,
                 [&](std::size_t i) { pieces[begins[i].piece] = make(begins[i]); });
  };
  // What takes longest is begun first.
  std::vector<std::size_t> efforts(count);
  for (std::size_t p = 0; p < count; ++p)
    efforts[p] = all.effort(ends[count - 1 - p], ends[count - p]);
  std::ranges::stable_sort(begins, std::greater(),
                           [&](const Begin& begin) { return efforts[begin.piece]; });
  walk([&](const Begin& begin) {
    const std::size_t from_end = count - 1 - begin.piece;
    return walk_piece(all, ends[from_end], ends[from_end + 1], options.early);
  });
  // A piece that begins elsewhere than the one below ends is walked through again: all of them at
  // once, since most will end where they did; and if they do not, one after the other.
  for (int round = 0;; ++round) {
    begins.clear();
    typename Slabs::Place exits = all.exits();
    bool known = true;
    for (std::size_t p = 0; p < count; ++p) {
      const bool empty = pieces[p].first == pieces[p].end;
      if (known && !empty && pieces[p].exits.front() != exits)
        begins.push_back({p, exits});
      else if (begins.empty() && !pieces[p].whole())
        contradiction();
      if (empty) continue;
      known = pieces[p].whole();
      if (known) exits = pieces[p].entry();
    }
    if (begins.empty()) break;
    if (round >= kRoundsOfRepairs) begins.resize(1);
    walk([&](const Begin& begin) {
      return walk_again(all, std::move(pieces[begin.piece]), begin.exits);
    });
  }
  return pieces;
}

}  // namespace rhomb::align
