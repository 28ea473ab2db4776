// SPDX-License-Identifier: Apache-2.0
// What pieces would be, and how much memory they would take, before a cut is proven.
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "host/distance/methods.h"
#include "host/distance/pieces.h"

namespace rhomb {
namespace {

/// Cuts as they will probably be: before and behind long gaps.
std::vector<corridor::Cut> probable_cuts(const Problem& problem, const Sketch& sketch,
                                         bool windows) {
  const auto m = std::ssize(problem.a), n = std::ssize(problem.b);
  const auto rows = static_cast<double>(m);
  const double edits = edits_a_symbol(sketch, rows);
  std::vector<corridor::Cut> cuts;
  Anchor before;
  const auto cut = [&](const Anchor& at, double gaps) {
    if (at.i <= before.i || at.j <= before.j) return;
    const double costs = gaps + edits * static_cast<double>(at.i - before.i);
    const auto least = std::abs((at.i - before.i) - (at.j - before.j));
    cuts.push_back({at.i, at.j, std::max(least, static_cast<std::int64_t>(costs))});
    before = at;
  };
  const std::vector<Anchor>& chain = sketch.chain;
  for (const Uncut& part : uncut(sketch, rows, static_cast<double>(n), windows)) {
    const auto first =
        std::ranges::upper_bound(chain, static_cast<std::int64_t>(part.first), {}, &Anchor::i);
    if (first != chain.begin()) cut(first[-1], 0);
    const auto end =
        std::ranges::lower_bound(chain, static_cast<std::int64_t>(part.end), {}, &Anchor::i);
    cut(end != chain.end() && part.end < rows ? *end : Anchor{m, n}, part.gaps);
  }
  cut({m, n}, 0);
  return cuts;
}

/// By wavefronts, as the proofs see them when they decide about windows.
std::vector<PieceCosts> costs_of(const std::vector<Piece>& pieces) {
  std::vector<PieceCosts> costs;
  for (const Piece& piece : pieces)
    if (!piece.answer.distance)
      costs.push_back({piece.rows, *piece.problem.max_distance, piece.choice.sketch.gaps});
  return costs;
}

/// Device memory of what is computed in one go.
std::uint64_t bytes_of(const Part& part, const std::vector<Piece>& pieces,
                       const ocl::Limits& limits, bool keeps) {
  std::uint64_t bytes = 0;
  if (part.pieces.size() > 1) {
    const wfa::Plan plan =
        wfa::plan_meetings(*pieces[part.pieces.front()].problem.code, limits, {});
    for (const std::size_t i : part.pieces)
      bytes += wfa::meeting_bytes(plan, pieces[i].task(), keeps);
    return bytes;
  }
  const Piece& piece = pieces[part.pieces.front()];
  const bool corridor = piece.choice.start == Choice::Start::kCorridor;
  const Method method = method_named(corridor ? kCorridor : piece.engine());
  Problem problem = piece.guessed();
  if (corridor) problem.guess = piece.choice.sketch.distance;
  if (keeps && method.bytes_keeping) return method.bytes_keeping(problem, limits, {});
  return static_cast<std::uint64_t>(
      method.explain(problem, limits, {}).number("device_bytes").value_or(0));
}

/// And of all that is between cuts, as many parts at a time as the device has, beside the texts
/// that they are cut out of.
std::int64_t bytes_between_cuts(const std::vector<Piece>& pieces, const ocl::Limits& limits,
                                const Rates& rates, std::int64_t texts, std::size_t at_once,
                                bool keeps) {
  std::vector<std::uint64_t> bytes;
  for (const Part& part : parts_of(pieces, limits, rates, at_once > 1, keeps))
    bytes.push_back(bytes_of(part, pieces, limits, keeps));
  std::ranges::sort(bytes, std::greater<>());
  bytes.resize(std::min(bytes.size(), at_once));
  const auto all = std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  return static_cast<std::int64_t>(all) + (at_once > 1 ? texts : 0);
}

}  // namespace

Facts explain_pieces(const Problem& problem, const Sketch& sketch, const ocl::Limits& limits,
                     tune::Config config, const Rates& rates, bool to_align) {
  Problem sketched = problem;
  sketched.chain = sketch.chain;
  const auto [at_once, windows] = pieces_setting(config, limits);
  Facts facts = corridor::explain(corridor::variants().front(), sketched, limits,
                                  corridor::cut_config(config));
  const auto pieces_by = [&](bool by_windows) {
    return pieces_of(sketched, probable_cuts(problem, sketch, by_windows), limits, rates);
  };
  std::vector<Piece> pieces = pieces_by(windows == corridor::Windows::kAlways);
  if (windows == corridor::Windows::kWorth) {
    std::vector<Piece> with = pieces_by(true);
    const double cells = window_cells(uncut(sketch, static_cast<double>(std::ssize(problem.a)),
                                            static_cast<double>(std::ssize(problem.b)), false));
    if (windows_gain(rates, limits.gpu, cells, costs_of(pieces), costs_of(with)))
      pieces = std::move(with);
  }
  const std::int64_t proofs = *facts.number("device_bytes");
  const auto bytes = [&](bool keeps) {
    return std::max(
        proofs, bytes_between_cuts(pieces, limits, rates, *facts.number("device_bytes_of_texts"),
                                   at_once, keeps));
  };
  facts.set("device_bytes", bytes(false));
  if (to_align) facts.add("device_bytes_with_kept_rows", bytes(true));
  facts.add("pieces_at_once", static_cast<std::int64_t>(at_once));
  return facts;
}

}  // namespace rhomb
