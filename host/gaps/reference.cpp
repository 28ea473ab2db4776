// SPDX-License-Identifier: Apache-2.0
// Layer q has the best scores with at most q gaps. With i symbols of the target and j of the query:
//
//   D_q[i,j] = G_q[i-1,j-1] + s(x_j, t_i)                          ends with a pair
//   E_q[i,j] = max(G_{q-1}[i,j-1] + open, E_q[i,j-1] + extend)     with a gap in the target
//   F_q[i,j] = max(G_{q-1}[i-1,j] + open, F_q[i-1,j] + extend)     with a gap in the query
//   G_q      = max(D_q, E_q, F_q),   D_q[0,0] = 0
//
// Strictly, gaps open from D and the alignment ends with D.
#include "host/gaps/reference.h"

#include <algorithm>
#include <vector>

#include "host/error.h"

namespace rhomb::gaps::reference {
namespace {

/// No alignment. Sums with it stay far below every score and above overflow.
constexpr std::int64_t kNever = INT64_MIN / 4;
constexpr std::int64_t kPossible = INT64_MIN / 8;

struct Cell {
  std::int64_t d = kNever, e = kNever, f = kNever;
  std::int64_t any() const { return std::max({d, e, f}); }
  std::int64_t last(bool strict) const { return strict ? d : any(); }
};

/// One row of all layers: cell(q, j).
class Row {
 public:
  Row(int gaps, std::size_t m)
      : columns_(m + 1), cells_((static_cast<std::size_t>(gaps) + 1) * (m + 1)) {}
  Cell& operator()(int q, std::size_t j) {
    return cells_[static_cast<std::size_t>(q) * columns_ + j];
  }
  const Cell& operator()(int q, std::size_t j) const {
    return cells_[static_cast<std::size_t>(q) * columns_ + j];
  }

 private:
  std::size_t columns_;
  std::vector<Cell> cells_;
};

class Matrix {
 public:
  Matrix(std::string_view query, std::string_view target, const Scoring& scoring,
         const Rules& rules)
      : query_(query), target_(target), scoring_(scoring), rules_(rules) {}

  Row row(std::size_t i, const Row* above) const {
    Row row(rules_.gaps, query_.size());
    for (std::size_t j = 0; j <= query_.size(); ++j)
      if (in_band(i, j))
        for (int q = 0; q <= rules_.gaps; ++q) row(q, j) = cell(q, i, j, row, above);
    return row;
  }

  bool strict() const { return rules_.strict; }
  bool starts(std::size_t i, std::size_t j) const {
    return j == 0 && (i == 0 || rules_.ends == Ends::kInfix);
  }
  std::int64_t pair(std::size_t i, std::size_t j) const {
    return scoring_.pair(query_[j - 1], target_[i - 1]);
  }

 private:
  bool in_band(std::size_t i, std::size_t j) const {
    return !rules_.band || (i > j ? i - j : j - i) <= *rules_.band;
  }

  Cell cell(int q, std::size_t i, std::size_t j, const Row& row, const Row* above) const {
    Cell made;
    if (starts(i, j)) made.d = 0;
    if (i > 0 && j > 0) made.d = (*above)(q, j - 1).any() + pair(i, j);
    if (q > 0 && j > 0)
      made.e = std::max(row(q - 1, j - 1).last(strict()) + scoring_.open,
                        row(q, j - 1).e + scoring_.extend);
    if (q > 0 && i > 0)
      made.f = std::max((*above)(q - 1, j).last(strict()) + scoring_.open,
                        (*above)(q, j).f + scoring_.extend);
    return made;
  }

  std::string_view query_, target_;
  const Scoring& scoring_;
  const Rules& rules_;
};

}  // namespace

Best best(std::string_view query, std::string_view target, const Scoring& scoring,
          const Rules& rules, const std::function<void(double)>& tick) {
  const Matrix matrix(query, target, scoring, rules);
  const auto layers = static_cast<std::size_t>(rules.gaps) + 1;
  std::vector<std::int64_t> scores(layers, kNever);
  std::vector<std::size_t> ends(layers, 0);
  Row row = matrix.row(0, nullptr);
  for (std::size_t i = 0;; ++i) {
    if (rules.ends != Ends::kGlobal || i == target.size())
      for (std::size_t q = 0; q < layers; ++q) {
        const std::int64_t score = row(static_cast<int>(q), query.size()).last(rules.strict);
        if (score <= scores[q]) continue;
        scores[q] = score;
        ends[q] = i;
      }
    if (i == target.size()) break;
    row = matrix.row(i + 1, &row);
    if (tick && i % 64 == 0) tick(static_cast<double>(i) / static_cast<double>(target.size()));
  }
  if (scores.back() < kPossible) return {};
  const auto fewest =
      static_cast<std::size_t>(std::ranges::find(scores, scores.back()) - scores.begin());
  return {static_cast<std::int32_t>(scores[fewest]), static_cast<std::uint32_t>(ends[fewest]),
          static_cast<std::uint32_t>(fewest)};
}

Alignment align(std::string_view query, std::string_view target, const Scoring& scoring,
                const Rules& rules, const Best& best) {
  if (!best.found()) throw UsageError("there is no alignment to walk back through");
  const std::size_t cells =
      (query.size() + 1) * (std::size_t{best.end} + 1) * (static_cast<std::size_t>(best.gaps) + 1);
  if (cells > (std::size_t{16} << 30) / sizeof(Cell))
    throw MemoryError("an alignment of " + std::to_string(query.size()) + " with " +
                      std::to_string(best.end) + " symbols needs " +
                      std::to_string(cells * sizeof(Cell) >> 20) + " MiB of the host's memory");
  Rules fewest = rules;
  fewest.gaps = static_cast<int>(best.gaps);
  const Matrix matrix(query, target, scoring, fewest);
  std::vector<Row> rows;
  for (std::size_t i = 0; i <= best.end; ++i)
    rows.push_back(matrix.row(i, rows.empty() ? nullptr : &rows.back()));

  enum class State { kAny, kE, kF };
  std::size_t i = best.end, j = query.size();
  int q = fewest.gaps;
  State state = State::kAny;
  bool pair = rules.strict;  // what is next must be one
  Alignment made;
  const auto add = [&](Op op) {
    if (made.runs.empty() || made.runs.back().op != op) made.runs.push_back({op, 0});
    ++made.runs.back().length;
  };
  while (state != State::kAny || !matrix.starts(i, j)) {
    const Cell& cell = rows[i](q, j);
    if (state == State::kAny) {
      if (pair || cell.d == cell.any()) {
        add(Op::kPair);
        --i, --j;
        pair = false;
      } else {
        state = cell.e == cell.any() ? State::kE : State::kF;
      }
      continue;
    }
    const bool e = state == State::kE;
    add(e ? Op::kInsert : Op::kDelete);
    --(e ? j : i);
    if (rows[i](q - 1, j).last(rules.strict) + scoring.open == (e ? cell.e : cell.f)) {
      --q;
      state = State::kAny;
      pair = rules.strict;
    }
  }
  made.start = static_cast<std::uint32_t>(i);
  std::ranges::reverse(made.runs);
  return made;
}

}  // namespace rhomb::gaps::reference
