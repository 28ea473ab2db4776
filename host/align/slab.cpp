// SPDX-License-Identifier: Apache-2.0
#include "host/align/slab.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <thread>
#include <utility>

#include "host/batch/threads.h"

namespace rhomb::align {
namespace {

constexpr std::int64_t kRows = 64;
constexpr std::int64_t kColumns = 64;  // as many as a word of a row has bits
constexpr std::size_t kLanes = 4;      // strips that are computed at the same time
using Two [[gnu::vector_size(16)]] = std::uint64_t;
using Four [[gnu::vector_size(32)]] = std::uint64_t;
constexpr int kSpins = 1000;  // looks at what others compute, without a break

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

Slab::Slab(const Codes& codes, Region region, std::size_t memory, std::size_t threads,
           Processor most)
    : codes_(codes),
      processor_(processor(most)),
      region_(std::move(region)),
      strips_(divide(region_)) {
  double bytes = 0;
  for (const Strip& one : strips_) {
    bytes += static_cast<double>(one.right - one.left) / 2 + 128;
    cells_ += static_cast<double>(one.right - one.left) * static_cast<double>(one.rows);
  }
  if (bytes > static_cast<double>(memory))
    apart_ = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(strips_.size()))));
  last_ = first_row();
  if (apart_ == 1) {
    compute_all(threads);
    return;
  }
  for (std::size_t s = 0; s < strips_.size(); s += kLanes) {
    auto some = compute(s, std::min(s + kLanes, strips_.size()), last_);
    for (std::size_t k = s; Computed & one : some) {
      if (k++ % apart_ == 0) kept_.push_back(std::move(last_));
      last_ = std::move(one.below);
    }
  }
}

/// All strips, of which everything is kept. Some are begun while those above them are computed.
void Slab::compute_all(std::size_t threads) {
  std::vector<Computed> made;
  made.reserve(strips_.size());
  for (const Strip& one : strips_) made.push_back(room_for(one));
  const std::size_t groups = (strips_.size() + kLanes - 1) / kLanes;
  const bool shared = threads > 1 && groups > 1;
  std::vector<Progress> done(shared ? groups : 0);
  std::atomic<bool> failed = false;
  const auto group = [&](std::size_t g) {
    const std::size_t begin = g * kLanes, end = std::min(begin + kLanes, strips_.size());
    try {
      compute(begin, end, g > 0 ? made[begin - 1].below : last_, made.data() + begin,
              shared && g > 0 ? &done[g - 1] : nullptr, shared ? &done[g] : nullptr, failed);
    } catch (...) {
      failed = true;  // nobody waits for this one
      throw;
    }
  };
  if (shared)
    batch::dealt(groups, threads, group);
  else
    for (std::size_t g = 0; g < groups; ++g) group(g);
  for (Computed& one : made) {
    kept_.push_back(std::exchange(last_, std::move(one.below)));
    columns_.push_back(std::move(one.columns));
  }
}

/// Into strips of the columns where paths may be.
std::vector<Slab::Strip> Slab::divide(const Region& region) {
  std::vector<Strip> strips;
  // A path from diagonal e to f that costs t stays on those from (e + f - t) / 2 to (e + f + t)
  // / 2. Diagonals are counted from (row, column) on.
  const std::int64_t first = region.first_exit - region.column - region.rows;
  const std::int64_t last = region.last_exit - region.column - region.rows;
  const auto widest = static_cast<std::int64_t>(region.top.size()) - 1;
  std::int64_t lowest = floor_half(first - region.threshold);
  std::int64_t highest = floor_half(widest + last + region.threshold + 1);
  if (region.inside) {
    if (region.column > 0) lowest = std::max<std::int64_t>(lowest, 0);
    highest = std::min(highest, widest);
  }
  const std::int64_t own = region.column - region.row, columns = region.last_exit - region.column;
  auto stretch = region.stretches.begin();
  for (std::int64_t row = 0; row < region.rows; row += kRows) {
    Strip strip;
    strip.row = row;
    strip.rows = static_cast<int>(std::min(kRows, region.rows - row));
    const std::int64_t above = region.row + row, below = above + strip.rows;
    while (stretch != region.stretches.end() && stretch->end < above) ++stretch;
    std::int64_t low = lowest, high = highest, known = above;
    if (stretch != region.stretches.end() && stretch->row <= above) {
      Places touched = stretch->diagonals;
      for (auto one = stretch; one != region.stretches.end() && one->row <= std::min(below, known);
           ++one) {
        touched = hull(touched, one->diagonals);
        known = one->end;
      }
      // Along its last row a path may already be where the next stretch says.
      if (known > below || (known == below && row + kRows >= region.rows)) {
        low = std::max(low, touched.first - own);
        high = std::min(high, touched.last - own);
      }
    }
    // Columns never decrease along a path.
    const std::int64_t left = strips.empty() ? 0 : strips.back().left;
    strip.left = std::clamp<std::int64_t>((row + low) & -kColumns, left, columns);
    strip.right = std::clamp<std::int64_t>(row + strip.rows + high, strip.left, columns);
    strips.push_back(strip);
  }
  return strips;
}

double Slab::columns(const Region& region) {
  double columns = 0;
  for (const Strip& one : divide(region)) columns += static_cast<double>(one.right - one.left);
  return columns;
}

Slab::Row Slab::first_row() const {
  Row row;
  row.right = static_cast<std::int64_t>(region_.top.size()) - 1;
  row.plus.assign((region_.top.size() + 62) / 64, 0);
  row.minus = row.plus;
  for (std::size_t i = 0; i + 1 < region_.top.size(); ++i) {
    const std::int32_t step = region_.top[i + 1] - region_.top[i];  // as good as random
    row.plus[i / 64] |= Word{step > 0} << (i % 64);
    row.minus[i / 64] |= Word{step < 0} << (i % 64);
  }
  // Behind the last place each costs one more.
  if (row.right % 64 != 0) row.plus.back() |= ~Word{0} << (row.right % 64);
  return row;
}

/// Of a strip, or of several in a vector, that is computed column by column.
template <class W>
struct Slab::Steps {
  W plus, minus;          // down the column
  W in_plus, in_minus;    // along the row above: the next column's is the lowest bit
  W out_plus, out_minus;  // along the last row: the last column's is the highest bit

  /// Bits of the rows whose difference to the cell before is 0 along the diagonal, +1 along the
  /// row.
  struct Before {
    W diagonal, along;
  };
  /// One column more, which matches the rows in `match`; a strip lacks `unused` rows.
  RHOMB_INLINE Before operator()(const W& match, unsigned unused) {
    constexpr Word kTop = Word{1} << (kRows - 1);
    const W equal = match | (in_minus & 1), vertical = match | minus;
    const W horizontal = (((equal & plus) + plus) ^ plus) | equal;
    const W along = minus | ~(horizontal | plus), falls = plus & horizontal;
    const W diagonal = horizontal | minus;
    out_plus = out_plus >> 1 | (along << unused & kTop);
    out_minus = out_minus >> 1 | (falls << unused & kTop);
    const W rises = along << 1 | (in_plus & 1);
    plus = (falls << 1 | (in_minus & 1)) | ~(vertical | rises);
    minus = rises & vertical;
    in_plus >>= 1;
    in_minus >>= 1;
    return {diagonal, along};
  }
};

/// By code of a column's symbol, the rows of a strip that it matches.
std::vector<Slab::Word> Slab::profile(const Strip& strip) const {
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
  return profile;
}

/// Up to 64 columns of a strip from the place `from` on, where `column` is, each told to
/// keep(diagonal, down, along): bits of the rows whose difference to the cell before is 0, +1, +1.
/// Returns the last one.
template <class Keep>
Slab::Column Slab::block(const Strip& strip, const std::vector<Word>& profile, const Row& above,
                         std::int64_t from, std::int64_t to, Column column, Row* below,
                         const Keep& keep) const {
  const auto unused = static_cast<unsigned>(kRows - strip.rows);
  const std::uint8_t* columns = codes_.columns.data() + region_.column;
  Steps<Word> step{column.plus,
                   column.minus,
                   bits_at(above.plus, from - above.left, ~Word{0}),
                   bits_at(above.minus, from - above.left, 0),
                   0,
                   0};
  const std::int64_t count = to - from;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto [diagonal, along] = step(profile[columns[from + k]], unused);
    keep(diagonal, step.plus, along);
  }
  if (below != nullptr) {
    // Behind the last column each costs one more.
    const std::int64_t behind = kColumns - count;
    const auto at = static_cast<std::size_t>((from - below->left) / kColumns);
    below->plus[at] = behind > 0 ? step.out_plus >> behind | ~Word{0} << count : step.out_plus;
    below->minus[at] = step.out_minus >> behind;
  }
  return {step.plus, step.minus};
}

/// Room for what comes of a strip.
Slab::Computed Slab::room_for(const Strip& strip) {
  const auto blocks =
      static_cast<std::size_t>((strip.right - strip.left + kColumns - 1) / kColumns);
  Computed made;
  made.below.left = strip.left;
  made.below.right = strip.right;
  made.below.plus.resize(blocks);
  made.below.minus.resize(blocks);
  made.columns.resize(blocks);
  return made;
}

struct Slab::Lane {
  const Strip& strip;
  const Row& above;
  std::vector<Word> profile;
  Computed& made;
  Column column = {};
  std::int64_t from;  // its next block

  Lane(const Slab& slab, const Strip& one, const Row& row, Computed& room)
      : strip(one), above(row), profile(slab.profile(one)), made(room), from(one.left) {}
  bool full() const { return strip.rows == kRows && from + kColumns <= strip.right; }
  std::size_t block() const { return static_cast<std::size_t>((from - strip.left) / kColumns); }
};

/// One block of each of 2 to 4 strips, with which a step of one does not wait for that of another.
template <class Vector>
RHOMB_INLINE void Slab::full_blocks_by(std::span<Lane* const> lanes) const {
  constexpr std::size_t kEach = sizeof(Vector) / sizeof(Word), kVectors = kLanes / kEach;
  const std::uint8_t* columns[kLanes];
  const Word* profiles[kLanes];
  Steps<Vector> steps[kVectors] = {};
  for (std::size_t l = 0; l < kLanes; ++l) {
    const Lane& lane = *lanes[std::min(l, lanes.size() - 1)];
    columns[l] = codes_.columns.data() + region_.column + lane.from;
    profiles[l] = lane.profile.data();
    Steps<Vector>& step = steps[l / kEach];
    step.plus[l % kEach] = lane.column.plus;
    step.minus[l % kEach] = lane.column.minus;
    step.in_plus[l % kEach] = bits_at(lane.above.plus, lane.from - lane.above.left, ~Word{0});
    step.in_minus[l % kEach] = bits_at(lane.above.minus, lane.from - lane.above.left, 0);
  }
  for (std::int64_t k = 0; k < kColumns; ++k) {
    const auto match = [&](std::size_t lane) { return profiles[lane][columns[lane][k]]; };
    if constexpr (kEach == 4) {
      steps[0](Vector{match(0), match(1), match(2), match(3)}, 0);
    } else {
      steps[0](Vector{match(0), match(1)}, 0);
      steps[1](Vector{match(2), match(3)}, 0);
    }
  }
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    Lane& lane = *lanes[l];
    const Steps<Vector>& step = steps[l / kEach];
    const std::size_t at = lane.block();
    lane.made.columns[at] = lane.column;
    lane.made.below.plus[at] = step.out_plus[l % kEach];
    lane.made.below.minus[at] = step.out_minus[l % kEach];
    lane.column = {step.plus[l % kEach], step.minus[l % kEach]};
    lane.from += kColumns;
  }
}

#ifdef RHOMB_X86
RHOMB_AVX2 void Slab::full_blocks_avx2(std::span<Lane* const> lanes) const {
  full_blocks_by<Four>(lanes);
}
RHOMB_AVX512 void Slab::full_blocks_avx512(std::span<Lane* const> lanes) const {
  full_blocks_by<Four>(lanes);
}
#endif

void Slab::full_blocks(std::span<Lane* const> lanes) const {
#ifdef RHOMB_X86
  if (processor_ == Processor::kAvx512) return full_blocks_avx512(lanes);
  if (processor_ == Processor::kAvx2) return full_blocks_avx2(lanes);
#endif
  full_blocks_by<Two>(lanes);
}

/// Strips [first, end), at most four, below the row above the first one: into `made`, which has
/// room for them. All begin at multiples of 64 places, and each is a block behind the one above it,
/// whose last row it needs. `before`: of that of the row above, if it is not finished; `done`: of
/// their own last row. Stops where others have `failed`.
void Slab::compute(std::size_t first, std::size_t end, const Row& above, Computed* made,
                   const Progress* before, Progress* done, const std::atomic<bool>& failed) const {
  std::vector<Lane> lanes;
  lanes.reserve(end - first);
  for (std::size_t s = first; s < end; ++s, ++made)
    lanes.emplace_back(*this, strips_[s], s > first ? lanes.back().made.below : above, *made);
  std::size_t ready = 0;  // blocks of the row above
  for (std::int64_t step = strips_[first].left;; step += kColumns) {
    std::array<Lane*, kLanes> full;
    std::size_t count = 0;
    bool more = false;
    std::int64_t at = step;
    for (Lane& lane : lanes) {
      more = more || lane.from < lane.strip.right;
      if (lane.from == at && lane.full()) full[count++] = &lane;
      at -= kColumns;
    }
    if (!more) break;
    if (before != nullptr) {
      const auto needed =
          std::min(above.plus.size(), static_cast<std::size_t>((step - above.left) / kColumns) + 1);
      // Who computes it is a step ahead, mostly, but may have lost its core.
      for (int times = 0; ready < needed && !failed; ++times) {
        if (times > kSpins) std::this_thread::yield();
        ready = before->blocks.load(std::memory_order_acquire);
      }
      if (failed) return;
    }
    if (count > 1) full_blocks({full.data(), count});
    at = step;
    for (Lane& lane : lanes) {
      if (lane.from == at && lane.from < lane.strip.right) {
        lane.made.columns[lane.block()] = lane.column;
        const std::int64_t to = std::min(lane.from + kColumns, lane.strip.right);
        lane.column = block(lane.strip, lane.profile, lane.above, lane.from, to, lane.column,
                            &lane.made.below, [](Word, Word, Word) {});
        lane.from = to;
      }
      at -= kColumns;
    }
    if (done != nullptr) {
      const Lane& last = lanes.back();
      const std::size_t blocks =
          last.from < last.strip.right ? last.block() : last.made.below.plus.size();
      done->blocks.store(blocks, std::memory_order_release);
    }
  }
}

std::vector<Slab::Computed> Slab::compute(std::size_t first, std::size_t end,
                                          const Row& above) const {
  std::vector<Computed> made;
  for (std::size_t s = first; s < end; ++s) made.push_back(room_for(strips_[s]));
  compute(first, end, above, made.data(), nullptr, nullptr, false);
  return made;
}

std::int64_t Slab::cost(std::int64_t exit) const {
  // Down the left edges of all strips, and along their last rows to where the next one begins.
  std::int64_t cost = region_.top.front() + region_.rows;
  const auto along = [&](const Row& row, std::int64_t to) {
    for (std::int64_t at = row.left; at < to; at += 64) {
      const std::int64_t bits = std::min<std::int64_t>(64, to - at);
      const Word some = ~Word{0} >> (64 - bits);
      cost += std::popcount(bits_at(row.plus, at - row.left, ~Word{0}) & some) -
              std::popcount(bits_at(row.minus, at - row.left, 0) & some);
    }
  };
  Row row = first_row();
  for (std::size_t s = 0; s < strips_.size(); ++s) {
    if (s % apart_ == 0) row = kept_[s / apart_];
    along(row, strips_[s].left);
    if (apart_ > 1) row = std::move(compute(s, s + 1, row).front().below);
  }
  along(last_, exit - region_.column);
  return cost;
}

void Slab::walk_strip(const Strip& one, const Row& above, const Columns& columns, Order order,
                      Path& path) const {
  // Of the two gaps the one that comes first.
  const bool column_first =
      order == Order::kLeftmost || (order == Order::kCanonical && codes_.turned);
  const Edit by_row = codes_.by_row();
  const Edit by_column = codes_.by_column();
  const std::vector<Word> profile = this->profile(one);
  struct Bits {
    Word diagonal, down, along;
  };
  std::array<Bits, kColumns> bits;
  std::int64_t& j = path.entry;
  int i = one.rows;
  while (i > 0 && j > one.left) {
    const std::int64_t number = (j - one.left - 1) / kColumns, from = one.left + number * kColumns;
    Bits* next = bits.data();
    block(one, profile, above, from, j, columns[static_cast<std::size_t>(number)], nullptr,
          [&](Word diagonal, Word down, Word along) {
            *next++ = {diagonal, down, along};
          });
    while (i > 0 && j > from) {
      const Bits& column = bits[static_cast<std::size_t>(j - from - 1)];
      const bool match = codes_.match(region_.row + one.row + i - 1, region_.column + j - 1);
      // Along a diagonal values stay or grow by one: where a pair that does not match has the value
      // of the one before it, a better way comes from above or from the left.
      const bool pair = match || (column.diagonal >> (i - 1) & 1) == 0;
      const Word gaps = column_first ? column.along : column.down;
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
  }
  path.backwards.add(by_row, i);
}

Path Slab::walk(std::int64_t exit, Order order) const {
  Path path;
  path.entry = exit - region_.column;
  for (std::size_t block = kept_.size(); block-- > 0;) {
    const std::size_t begin = block * apart_, end = std::min(strips_.size(), begin + apart_);
    std::vector<Computed> again;
    for (std::size_t s = begin; s < end && apart_ > 1; ++s)
      again.push_back(
          std::move(compute(s, s + 1, s > begin ? again.back().below : kept_[block]).front()));
    for (std::size_t s = end; s-- > begin;) {
      // What is right of a strip has the price of a gap along its last row.
      path.backwards.add(codes_.by_column(),
                         std::max<std::int64_t>(0, path.entry - strips_[s].right));
      path.entry = std::min(path.entry, strips_[s].right);
      walk_strip(strips_[s], s > begin ? again[s - begin - 1].below : kept_[block],
                 apart_ > 1 ? again[s - begin].columns : columns_[s], order, path);
    }
  }
  path.entry += region_.column;
  return path;
}

}  // namespace rhomb::align
