// SPDX-License-Identifier: Apache-2.0
#include "host/align/slab.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace rhomb::align {
namespace {

constexpr std::int64_t kRows = 64;
/// The bits of so many cells stay in a core's cache.
constexpr double kFewCells = 2e6;

/// 64 bits from `at` on; beyond the end they are `beyond`.
std::uint64_t bits_at(const std::vector<std::uint64_t>& words, std::int64_t at,
                      std::uint64_t beyond) {
  const auto word = static_cast<std::size_t>(at / 64);
  const auto shift = static_cast<unsigned>(at % 64);
  const std::uint64_t low = word < words.size() ? words[word] : beyond;
  if (shift == 0) return low;
  const std::uint64_t high = word + 1 < words.size() ? words[word + 1] : beyond;
  return low >> shift | high << (64 - shift);
}

std::int64_t floor_half(std::int64_t value) { return value >> 1; }

}  // namespace

Slab::Slab(const Codes& codes, Region region, std::size_t memory)
    : codes_(codes), region_(std::move(region)) {
  divide();
  double bytes = 0;
  for (const Strip& one : strips_) {
    bytes += static_cast<double>(one.right - one.left) / 4 + 64;
    cells_ += static_cast<double>(one.right - one.left) * static_cast<double>(one.rows);
  }
  if (bytes > static_cast<double>(memory))
    apart_ = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(strips_.size()))));
  const bool all = apart_ == 1 &&
                   cells_ / kRows * sizeof(Bits) + bytes < static_cast<double>(memory) &&
                   cells_ < kFewCells;
  if (all) bits_.resize(strips_.size());
  last_ = first_row();
  for (std::size_t s = 0; s < strips_.size(); ++s) {
    Row next = below(strips_[s], last_, all ? &bits_[s] : nullptr);
    if (s % apart_ == 0) kept_.push_back(std::move(last_));
    last_ = std::move(next);
  }
}

/// Into strips of the columns where paths may be.
void Slab::divide() {
  // A path from diagonal e to f that costs t stays on those from (e + f - t) / 2 to (e + f + t)
  // / 2. Diagonals are counted from (row, column) on.
  const std::int64_t first = region_.first_exit - region_.column - region_.rows;
  const std::int64_t last = region_.last_exit - region_.column - region_.rows;
  const auto widest = static_cast<std::int64_t>(region_.top.size()) - 1;
  std::int64_t lowest = floor_half(first - region_.threshold);
  std::int64_t highest = floor_half(widest + last + region_.threshold + 1);
  if (region_.inside) {
    if (region_.column > 0) lowest = std::max<std::int64_t>(lowest, 0);
    highest = std::min(highest, widest);
  }
  const std::int64_t own = region_.column - region_.row,
                     columns = region_.last_exit - region_.column;
  auto stretch = region_.stretches.begin();
  for (std::int64_t row = 0; row < region_.rows; row += kRows) {
    Strip strip;
    strip.row = row;
    strip.rows = static_cast<int>(std::min(kRows, region_.rows - row));
    const std::int64_t above = region_.row + row, below = above + strip.rows;
    while (stretch != region_.stretches.end() && stretch->end < above) ++stretch;
    std::int64_t low = lowest, high = highest, known = above;
    if (stretch != region_.stretches.end() && stretch->row <= above) {
      Places touched = stretch->diagonals;
      for (auto one = stretch; one != region_.stretches.end() && one->row <= std::min(below, known);
           ++one) {
        touched = hull(touched, one->diagonals);
        known = one->end;
      }
      // Along its last row a path may already be where the next stretch says.
      if (known > below || (known == below && row + kRows >= region_.rows)) {
        low = std::max(low, touched.first - own);
        high = std::min(high, touched.last - own);
      }
    }
    // Columns never decrease along a path.
    const std::int64_t left = strips_.empty() ? 0 : strips_.back().left;
    strip.left = std::clamp<std::int64_t>(row + low, left, columns);
    strip.right = std::clamp<std::int64_t>(row + strip.rows + high, strip.left, columns);
    strips_.push_back(strip);
  }
}

Slab::Row Slab::first_row() const {
  Row row;
  row.right = static_cast<std::int64_t>(region_.top.size()) - 1;
  row.plus.assign((region_.top.size() + 62) / 64, 0);
  row.minus = row.plus;
  for (std::size_t i = 0; i + 1 < region_.top.size(); ++i) {
    const Word bit = Word{1} << (i % 64);
    if (region_.top[i + 1] > region_.top[i]) row.plus[i / 64] |= bit;
    if (region_.top[i + 1] < region_.top[i]) row.minus[i / 64] |= bit;
  }
  // Behind the last place each costs one more.
  if (row.right % 64 != 0) row.plus.back() |= ~Word{0} << (row.right % 64);
  return row;
}

/// The columns of a strip up to the place `right`, each told to keep(diagonal, down, along): bits
/// of the rows whose difference to the cell before is 0, +1, +1.
template <class Keep>
void Slab::compute(const Strip& strip, const Row& above, std::int64_t right, Row* below,
                   const Keep& keep) const {
  std::vector<Word> profile(std::size_t{1} << codes_.planes, 0);
  for (int i = 0; i < strip.rows; ++i) {
    const std::size_t x = codes_.rows[static_cast<std::size_t>(region_.row + strip.row + i)];
    if (!codes_.sets) {
      profile[x] |= Word{1} << i;
      continue;
    }
    for (std::size_t y = 0; y < profile.size(); ++y)
      if ((x & y) != 0) profile[y] |= Word{1} << i;
  }
  const auto bottom = static_cast<unsigned>(strip.rows - 1);
  const std::uint8_t* columns = codes_.columns.data() + region_.column;
  Word plus = ~Word{0}, minus = 0;
  for (std::int64_t from = strip.left; from < right; from += 64) {
    Word in_plus = bits_at(above.plus, from - above.left, ~Word{0});
    Word in_minus = bits_at(above.minus, from - above.left, 0);
    Word out_plus = 0, out_minus = 0;
    const std::int64_t count = std::min<std::int64_t>(64, right - from);
    for (std::int64_t k = 0; k < count; ++k) {
      const Word match = profile[columns[from + k]];
      const Word up = in_plus & 1, down = in_minus & 1;
      in_plus >>= 1;
      in_minus >>= 1;
      const Word equal = match | down;
      const Word vertical = match | minus;
      const Word horizontal = (((equal & plus) + plus) ^ plus) | equal;
      Word rises = minus | ~(horizontal | plus);
      Word falls = plus & horizontal;
      const Word diagonal = horizontal | minus, along = rises;
      out_plus |= (rises >> bottom & 1) << k;
      out_minus |= (falls >> bottom & 1) << k;
      rises = rises << 1 | up;
      falls = falls << 1 | down;
      plus = falls | ~(vertical | rises);
      minus = rises & vertical;
      keep(diagonal, plus, along);
    }
    if (below != nullptr) {
      // Behind the last column each costs one more.
      below->plus.push_back(count < 64 ? out_plus | ~Word{0} << count : out_plus);
      below->minus.push_back(out_minus);
    }
  }
}

Slab::Row Slab::below(const Strip& one, const Row& above, std::vector<Bits>* bits) const {
  Row row;
  row.left = one.left;
  row.right = one.right;
  const auto words = static_cast<std::size_t>((one.right - one.left + 63) / 64);
  row.plus.reserve(words);
  row.minus.reserve(words);
  if (bits == nullptr) {
    compute(one, above, one.right, &row, [](Word, Word, Word) {});
    return row;
  }
  bits->resize(static_cast<std::size_t>(one.right - one.left));
  Bits* next = bits->data();
  compute(one, above, one.right, &row, [&](Word diagonal, Word down, Word along) {
    *next++ = {diagonal, down, along};
  });
  return row;
}

std::int64_t Slab::cost(std::int64_t exit) const {
  // Down the left edges of all strips, and along their last rows to where the next one begins.
  std::int64_t cost = region_.top.front() + region_.rows;
  const auto along = [&](const Row& row, std::int64_t to) {
    for (std::int64_t at = row.left; at < to; ++at) {
      const std::int64_t bit = at - row.left;
      const Word one = Word{1} << (bit % 64);
      const auto word = static_cast<std::size_t>(bit / 64);
      if (word >= row.plus.size() || (row.plus[word] & one) != 0) ++cost;
      if (word < row.minus.size() && (row.minus[word] & one) != 0) --cost;
    }
  };
  Row row = first_row();
  for (std::size_t s = 0; s < strips_.size(); ++s) {
    if (s % apart_ == 0) row = kept_[s / apart_];
    along(row, strips_[s].left);
    if (apart_ > 1) row = below(strips_[s], row);
  }
  along(last_, exit - region_.column);
  return cost;
}

void Slab::walk_strip(const Strip& one, const Bits* bits, Order order, Path& path) const {
  const bool turned = codes_.turned;
  // Of the two gaps the one that comes first.
  const bool column_first =
      order == Order::kLeftmost || (order == Order::kCanonical && codes_.turned);
  const Edit by_row = turned ? Edit::kDelete : Edit::kInsert;
  const Edit by_column = turned ? Edit::kInsert : Edit::kDelete;
  std::int64_t& j = path.entry;
  int i = one.rows;
  while (i > 0 && j > one.left) {
    const auto column = static_cast<std::size_t>(j - one.left - 1);
    const bool match = codes_.match(region_.row + one.row + i - 1, region_.column + j - 1);
    // Along a diagonal values stay or grow by one: where a pair that does not match has the value
    // of the one before it, a better way comes from above or from the left.
    const bool pair = match || (bits[column].diagonal >> (i - 1) & 1) == 0;
    const Word gaps = column_first ? bits[column].along : bits[column].down;
    const bool gap = (gaps >> (i - 1) & 1) != 0;
    if (pair && !(gap && order != Order::kCanonical)) {
      path.backwards.add(match ? Edit::kMatch : Edit::kMismatch, 1);
      --i, --j;
    } else if (gap != column_first) {
      path.backwards.add(by_row, 1);
      --i;
    } else {
      path.backwards.add(by_column, 1);
      --j;
    }
  }
  path.backwards.add(by_row, i);
}

Path Slab::walk(std::int64_t exit, Order order) const {
  Path path;
  path.entry = exit - region_.column;
  for (std::size_t block = kept_.size(); block-- > 0;) {
    const std::size_t begin = block * apart_, end = std::min(strips_.size(), begin + apart_);
    const Row& first = kept_[block];
    std::vector<Row> rows;  // above the strips of the block behind the first one
    for (std::size_t s = begin; s + 1 < end && bits_.empty(); ++s)
      rows.push_back(below(strips_[s], rows.empty() ? first : rows.back()));
    for (std::size_t s = end; s-- > begin;) {
      // What is right of a strip has the price of a gap along its last row.
      path.backwards.add(codes_.turned ? Edit::kInsert : Edit::kDelete,
                         std::max<std::int64_t>(0, path.entry - strips_[s].right));
      path.entry = std::min(path.entry, strips_[s].right);
      if (!bits_.empty()) {
        walk_strip(strips_[s], bits_[s].data(), order, path);
        continue;
      }
      Strip one = strips_[s];
      one.right = std::max(one.left, path.entry);
      std::vector<Bits> bits;
      bits.reserve(static_cast<std::size_t>(one.right - one.left));
      compute(one, s == begin ? first : rows[s - begin - 1], one.right, nullptr,
              [&](Word diagonal, Word down, Word along) {
                bits.push_back({diagonal, down, along});
              });
      walk_strip(one, bits.data(), order, path);
    }
  }
  path.entry += region_.column;
  return path;
}

}  // namespace rhomb::align
