// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/host_bands.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

#include "host/batch/threads.h"

namespace rhomb::corridor {
namespace {

/// Planes as they are compiled for, of as many as a code may have.
int planes_for(const seq::Code& code) {
  if (code.matching == seq::Matching::kSets) return 4;
  return code.planes <= 2 ? 2 : code.planes == 3 ? 3 : 8;
}

/// A vector of words, each of a band of its own.
template <std::size_t kLanes>
struct Vector {
  typedef std::uint32_t Word __attribute__((vector_size(4 * kLanes)));
  typedef std::int32_t Signed __attribute__((vector_size(4 * kLanes)));
};

/// Planes of both texts, as pack() has them, of word 0.
struct Texts {
  const std::uint32_t *rows, *columns;
  std::int64_t column_words;
};

/// What a thread has of bands side by side.
template <std::size_t kLanes>
struct Group {
  std::size_t words = 0;
  std::vector<std::uint32_t> window;  // by word plus and minus, by lane
  std::array<std::int64_t, kLanes> score{};
  std::array<std::int64_t, kLanes> row{}, column{};  // in words: the block's, that of the window

  std::uint32_t& plus(std::size_t w, std::size_t lane) { return window[2 * kLanes * w + lane]; }
  std::uint32_t& minus(std::size_t w, std::size_t lane) { return plus(w, lane + kLanes); }

  /// Lanes that have no band do that of the first one.
  void begin_with(std::span<Band* const> bands) {
    words = index(bands.front()->words);
    window.resize(2 * kLanes * words);
    score.fill(0);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Band& band = *bands[lane < bands.size() ? lane : 0];
      for (std::size_t w = 0; w < words; ++w) {
        const bool own = w < index(band.words), given = own && !band.state.empty();
        plus(w, lane) = given ? band.state[2 * w] : own ? 0 : ~0u;
        minus(w, lane) = given ? band.state[2 * w + 1] : 0;
      }
    }
  }
  void end(std::span<Band* const> bands) {
    for (std::size_t lane = 0; lane < bands.size(); ++lane) {
      Band& band = *bands[lane];
      band.score = score[lane];
      band.state = differences(lane, band.words);
    }
  }

  void keep(std::span<Band* const> bands) {
    for (std::size_t lane = 0; lane < bands.size(); ++lane) {
      Band& band = *bands[lane];
      band.kept.push_back({score[lane], differences(lane, band.words - 1)});
    }
  }

  /// To a block of the bands, each with a window of its own.
  void move_to(std::span<Band* const> bands, std::size_t block, int steps) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Band& band = *bands[lane < bands.size() ? lane : 0];
      if (block > 0) move(lane, band.left[block] - band.left[block - 1]);
      row[lane] = (band.block + static_cast<std::int64_t>(block)) * steps;
      column[lane] = row[lane] + band.left[block];
    }
  }

  /// Past rows of the block.
  void go_down(int steps) {
    for (std::int64_t& of_lane : row) of_lane += steps;
    for (std::int64_t& of_lane : column) of_lane += steps;
  }

 private:
  /// Along so many words of a lane.
  Words differences(std::size_t lane, int count) {
    Words found(2 * index(count));
    for (std::size_t w = 0; w < index(count); ++w) {
      found[2 * w] = plus(w, lane);
      found[2 * w + 1] = minus(w, lane);
    }
    return found;
  }
  /// A lane's window, by so many words.
  void move(std::size_t lane, std::int64_t by) {
    if (by == 0) return;
    const auto size = static_cast<std::int64_t>(words);
    const auto at = [](std::int64_t w) { return static_cast<std::size_t>(w); };
    if (by < 0) score[lane] -= kChunk * by;
    for (std::int64_t w = 0; w < by; ++w)
      score[lane] +=
          w < size ? std::popcount(plus(at(w), lane)) - std::popcount(minus(at(w), lane)) : kChunk;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t w = by < 0 ? size - 1 - i : i, from = w + by;
      const bool there = from >= 0 && from < size;
      plus(at(w), lane) = there ? plus(at(from), lane) : from < 0 ? 0 : ~0u;
      minus(at(w), lane) = there ? minus(at(from), lane) : from < 0 ? ~0u : 0;
    }
  }
};

/// 32 rows of a word in each lane: the step of cl/corridor/tile.h. `rows` are used up.
template <unsigned kPlanes, bool kSets, std::size_t kLanes, class Word>
RHOMB_INLINE void tile(Word* rows, const Word* columns, Word& plus, Word& minus, Word& left_plus,
                       Word& left_minus) {
  Word p = plus, m = minus, lp = left_plus, lm = left_minus;
  for (int r = 0; r < 32; ++r) {
    Word found{};
    for (unsigned k = 0; k < kPlanes; ++k) {
      // The symbol's bit in all columns.
      const Word symbol =
          reinterpret_cast<Word>(reinterpret_cast<typename Vector<kLanes>::Signed>(rows[k]) >> 31);
      rows[k] <<= 1;
      found |= kSets ? symbol & columns[k] : symbol ^ columns[k];
    }
    const Word match = kSets ? found : ~found;
    const Word start = match | lm >> 31;
    const Word zero = (((start & p) + p) ^ p) | start;  // the difference along the diagonal is 0
    const Word down_plus = m | ~(zero | p), down_minus = p & zero;
    const Word from_plus = down_plus << 1 | lp >> 31, from_minus = down_minus << 1 | lm >> 31;
    lp = lp << 1 | down_plus >> 31;
    lm = lm << 1 | down_minus >> 31;
    const Word keep = match | m;
    p = from_minus | ~(keep | from_plus);
    m = from_plus & keep;
  }
  plus = p;
  minus = m;
  left_plus = lp;
  left_minus = lm;
}

/// So many times 32 rows of all bands, each of whose windows follows the diagonal.
template <unsigned kPlanes, bool kSets, std::size_t kLanes>
RHOMB_INLINE void compute_block(const Texts& texts, Group<kLanes>& group, int steps) {
  using Word = typename Vector<kLanes>::Word;
  std::uint32_t each[kPlanes][kLanes];
  Word symbols[kPlanes], rows[kPlanes], columns[kPlanes];
  std::uint32_t* const window = group.window.data();
  const auto words = static_cast<std::int64_t>(group.words);
  for (int s = 0; s < steps; ++s) {
    for (std::size_t e = 0; e < kLanes; ++e)
      for (unsigned k = 0; k < kPlanes; ++k)
        each[k][e] = texts.rows[(group.row[e] + s) * kPlanes + k];
    std::memcpy(symbols, each, sizeof each);
    Word left_plus = ~Word{}, left_minus{};
    for (std::int64_t w = 0; w < words; ++w) {
      for (std::size_t e = 0; e < kLanes; ++e) {
        const std::int64_t at =
            std::clamp<std::int64_t>(group.column[e] + s + w, -1, texts.column_words);
        for (unsigned k = 0; k < kPlanes; ++k) each[k][e] = texts.columns[at * kPlanes + k];
      }
      std::memcpy(columns, each, sizeof each);
      std::memcpy(rows, symbols, sizeof rows);
      std::uint32_t* const place = window + 2 * kLanes * static_cast<std::size_t>(w);
      Word plus, minus;
      std::memcpy(&plus, place, sizeof plus);
      std::memcpy(&minus, place + kLanes, sizeof minus);
      tile<kPlanes, kSets, kLanes>(rows, columns, plus, minus, left_plus, left_minus);
      if (w > 0) {
        std::memcpy(place - 2 * kLanes, &plus, sizeof plus);
        std::memcpy(place - kLanes, &minus, sizeof minus);
      } else {
        for (std::size_t e = 0; e < kLanes; ++e)
          group.score[e] += __builtin_popcount(plus[e]) - __builtin_popcount(minus[e]) + kChunk;
      }
    }
    std::uint32_t* const last = window + 2 * kLanes * (group.words - 1);
    std::fill_n(last, kLanes, ~0u);
    std::fill_n(last + kLanes, kLanes, 0u);
  }
}

/// How a processor computes rows of a block.
struct Any {
  static constexpr std::size_t kLanes = 8;
  template <unsigned kPlanes, bool kSets>
  static void compute(const Texts& texts, Group<kLanes>& group, int steps) {
    compute_block<kPlanes, kSets>(texts, group, steps);
  }
};
#ifdef RHOMB_X86
struct Avx2 {
  static constexpr std::size_t kLanes = 8;
  template <unsigned kPlanes, bool kSets>
  RHOMB_AVX2 static void compute(const Texts& texts, Group<kLanes>& group, int steps) {
    compute_block<kPlanes, kSets>(texts, group, steps);
  }
};
struct Avx512 {
  static constexpr std::size_t kLanes = 16;
  template <unsigned kPlanes, bool kSets>
  RHOMB_AVX512 static void compute(const Texts& texts, Group<kLanes>& group, int steps) {
    compute_block<kPlanes, kSets>(texts, group, steps);
  }
};
#endif

template <class Way>
auto block_of(int planes, bool sets) {
  if (sets) return Way::template compute<4, true>;
  if (planes == 2) return Way::template compute<2, false>;
  return planes == 3 ? Way::template compute<3, false> : Way::template compute<8, false>;
}

/// Groups have bands of as many blocks; of `order` those side by side.
template <class Way>
void compute_all(const Grid& grid, const PackedTexts& packed, bool sets,
                 std::span<Band* const> order, std::size_t threads) {
  constexpr std::size_t kLanes = Way::kLanes;
  std::vector<std::span<Band* const>> groups;
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && last < first + kLanes &&
           order[last]->left.size() == order[first]->left.size())
      ++last;
    groups.push_back(order.subspan(first, last - first));
  }
  const int planes = packed.rows.planes, steps = grid.rows / static_cast<int>(kChunk);
  const std::size_t spare = index(planes) * seq::Planes::kFrontWords;
  const Texts texts{packed.rows.words.data() + spare, packed.columns.words.data() + spare,
                    static_cast<std::int64_t>(words_of(grid.n))};
  const auto compute = block_of<Way>(planes, sets);
  const std::size_t parts = std::clamp<std::size_t>(groups.size(), 1, batch::threads_of(threads));
  std::atomic<std::size_t> next = 0;
  batch::in_parts(parts, parts, [&](std::size_t, std::size_t, std::size_t) {
    Group<kLanes> group;
    for (std::size_t i = next++; i < groups.size(); i = next++) {
      group.begin_with(groups[i]);
      const Band& first = *groups[i].front();
      std::int64_t rows = first.kept_rows(grid);
      int before = first.every;  // steps before the next row that is kept
      for (std::size_t b = 0; b < first.left.size(); ++b) {
        group.move_to(groups[i], b, steps);
        for (int left = steps; left > 0;) {
          const int some = rows > 0 ? std::min(left, before) : left;
          compute(texts, group, some);
          group.go_down(some);
          left -= some;
          before -= some;
          if (rows == 0 || before > 0) continue;
          group.keep(groups[i]);
          before = first.every;
          --rows;
        }
      }
      group.end(groups[i]);
    }
  });
}

}  // namespace

HostBands::HostBands(const Grid& grid, const seq::Code& code, std::string_view a,
                     std::string_view b, std::size_t threads, Processor most)
    : grid_(grid),
      sets_(code.matching == seq::Matching::kSets),
      processor_(processor(most)),
      threads_(threads) {
  seq::Code wider = code;
  wider.planes = planes_for(code);
  texts_ = pack(grid, wider, a, b, threads);
}

void HostBands::compute(std::span<Band> bands) const {
  const std::vector<Band*> order = longest_first(bands);
  const auto all = [&](auto way) {
    compute_all<decltype(way)>(grid_, texts_, sets_, order, threads_);
  };
#ifdef RHOMB_X86
  if (processor_ == Processor::kAvx512) return all(Avx512{});
  if (processor_ == Processor::kAvx2) return all(Avx2{});
#endif
  all(Any{});
}

}  // namespace rhomb::corridor
