// SPDX-License-Identifier: Apache-2.0
// D[i][j] is the distance of the first i symbols of `a` and the first j of `b`:
//
//   D[i][j] = min(D[i-1][j-1] + (a[i] and b[j] differ), D[i-1][j] + 1, D[i][j-1] + 1)
//
// with D[i][0] = i and D[0][j] = j. One row is kept and overwritten from left to right. L[i][j],
// the length of their longest common subsequence, likewise:
//
//   L[i][j] = L[i-1][j-1] + 1 where a[i] and b[j] match, else max(L[i-1][j], L[i][j-1])
#include "host/engine/reference.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace rhomb::reference {
namespace {

using Codes = std::vector<std::uint8_t>;

constexpr double kCellsPerTick = 1 << 26;

Codes encode(std::string_view text, const std::array<std::uint8_t, 256>& code) {
  Codes codes;
  codes.reserve(text.size());
  for (const char symbol : text) codes.push_back(code[static_cast<unsigned char>(symbol)]);
  return codes;
}

// The texts as codes, the shorter one first. Matching is symmetric, so the distance is the same.
std::pair<Codes, Codes> encode_shorter_first(std::string_view a, std::string_view b,
                                             const seq::Code& code) {
  auto first = encode(a, code.a);
  auto second = encode(b, code.b);
  if (first.size() > second.size()) first.swap(second);
  return {std::move(first), std::move(second)};
}

/// Calls `tick` after each kCellsPerTick cells or so.
class Ticker {
 public:
  Ticker(std::size_t rows, double cells_a_row, const std::function<void(double)>& tick)
      : rows_(static_cast<double>(rows)), cells_a_row_(cells_a_row), tick_(tick) {}

  /// The first `count` rows are done.
  void row_done(std::size_t count) {
    cells_ += cells_a_row_;
    if (!tick_ || cells_ < kCellsPerTick) return;
    cells_ = 0;
    tick_(static_cast<double>(count) / rows_);
  }

 private:
  double rows_, cells_a_row_;
  double cells_ = 0;  // since the last tick
  const std::function<void(double)>& tick_;
};

struct Equal {
  bool operator()(unsigned x, unsigned y) const { return x == y; }
};
struct SharesBase {
  bool operator()(unsigned x, unsigned y) const { return (x & y) != 0; }
};

template <class Match>
std::int64_t whole_matrix(const Codes& rows, const Codes& columns, Match match,
                          const std::function<void(double)>& tick) {
  std::vector<std::uint32_t> row(columns.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = static_cast<std::uint32_t>(j);

  Ticker ticker(rows.size(), static_cast<double>(columns.size()), tick);
  for (std::size_t i = 1; i <= rows.size(); ++i) {
    const std::uint8_t symbol = rows[i - 1];
    std::uint32_t diagonal = row[0];                     // D[i-1][j-1]
    std::uint32_t left = static_cast<std::uint32_t>(i);  // D[i][j-1]
    row[0] = left;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::uint32_t replaced = diagonal + (match(symbol, columns[j - 1]) ? 0u : 1u);
      diagonal = row[j];
      left = std::min({replaced, diagonal + 1, left + 1});
      row[j] = left;
    }
    ticker.row_done(i);
  }
  return row.back();
}

// A path of cost `bound` from corner to corner leaves the diagonals between the corners by at most
// (bound - excess) / 2, since each step away must be taken back. Cells are addressed by diagonal:
// band[d] is D[i][j] with j = i + d - slack, so the cell above is band[d + 1] of the row before.
template <class Match>
std::optional<std::int64_t> band_of_matrix(const Codes& rows, const Codes& columns, Match match,
                                           std::int64_t bound,
                                           const std::function<void(double)>& tick) {
  const auto m = static_cast<std::int64_t>(rows.size());
  const auto n = static_cast<std::int64_t>(columns.size());
  const std::int64_t excess = n - m;  // not negative
  if (bound < excess) return std::nullopt;
  const std::int64_t slack = std::min((bound - excess) / 2, m);
  const std::int64_t width = excess + 2 * slack + 1;
  constexpr std::int64_t kOutside = std::numeric_limits<std::int64_t>::max() / 2;

  std::vector<std::int64_t> band(static_cast<std::size_t>(width) + 1, kOutside);
  const auto at = [&band](std::int64_t d) -> std::int64_t& {
    return band[static_cast<std::size_t>(d)];
  };
  for (std::int64_t d = slack; d < width; ++d) at(d) = d - slack;  // row 0

  Ticker ticker(rows.size(), static_cast<double>(width), tick);
  for (std::int64_t i = 1; i <= m; ++i) {
    std::int64_t left = kOutside;
    for (std::int64_t d = std::max<std::int64_t>(0, slack - i); d < width; ++d) {
      const std::int64_t j = i + d - slack;
      if (j > n) break;
      if (j == 0) {
        left = i;
      } else {
        const bool same =
            match(rows[static_cast<std::size_t>(i - 1)], columns[static_cast<std::size_t>(j - 1)]);
        left = std::min({at(d) + (same ? 0 : 1), at(d + 1) + 1, left + 1});
      }
      at(d) = left;
    }
    ticker.row_done(static_cast<std::size_t>(i));
  }
  const std::int64_t distance = at(excess + slack);
  return distance <= bound ? std::optional(distance) : std::nullopt;
}

}  // namespace

std::int64_t edit_distance(std::string_view a, std::string_view b, const seq::Code& code,
                           const std::function<void(double)>& tick) {
  const auto [shorter, longer] = encode_shorter_first(a, b, code);
  return code.matching == seq::Matching::kEqual ? whole_matrix(longer, shorter, Equal{}, tick)
                                                : whole_matrix(longer, shorter, SharesBase{}, tick);
}

std::int64_t edit_distance(std::string_view a, std::string_view b) {
  seq::Code bytes;
  for (std::size_t c = 0; c < 256; ++c) bytes.a[c] = bytes.b[c] = static_cast<std::uint8_t>(c);
  bytes.planes = 8;
  return edit_distance(a, b, bytes);
}

std::optional<std::int64_t> edit_distance_within(std::string_view a, std::string_view b,
                                                 const seq::Code& code, std::int64_t bound,
                                                 const std::function<void(double)>& tick) {
  const auto [shorter, longer] = encode_shorter_first(a, b, code);
  return code.matching == seq::Matching::kEqual
             ? band_of_matrix(shorter, longer, Equal{}, bound, tick)
             : band_of_matrix(shorter, longer, SharesBase{}, bound, tick);
}

std::pair<std::int64_t, std::int64_t> best_occurrence(std::string_view query, std::string_view text,
                                                      const seq::Code& code, std::int64_t skip) {
  std::vector<std::int64_t> column(query.size() + 1);  // D[i][j] of one j, with D[0][j] = 0
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = static_cast<std::int64_t>(i);
  std::pair<std::int64_t, std::int64_t> best{-1, 0};
  if (skip == 0) best.first = column.back();
  for (std::size_t j = 1; j <= text.size(); ++j) {
    std::int64_t diagonal = 0;  // D[i-1][j-1]
    for (std::size_t i = 1; i < column.size(); ++i) {
      const std::int64_t replaced = diagonal + (code.match(query[i - 1], text[j - 1]) ? 0 : 1);
      diagonal = column[i];
      column[i] = std::min({replaced, diagonal + 1, column[i - 1] + 1});
    }
    const auto end = static_cast<std::int64_t>(j);
    if (end >= skip && (best.first < 0 || column.back() < best.first)) best = {column.back(), end};
  }
  return best;
}

std::uint32_t lcs_length(std::string_view a, std::string_view b, const seq::Code& code) {
  std::vector<std::uint32_t> row(b.size() + 1);
  for (const char symbol : a) {
    std::uint32_t diagonal = 0;  // L[i-1][j-1]
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::uint32_t above = row[j];
      row[j] = code.match(symbol, b[j - 1]) ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace rhomb::reference
