// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/seeds.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "cl/corridor/words.h"
#include "host/batch/threads.h"

namespace rhomb::corridor {
namespace {

constexpr int kMostCopies = WORDS_MOST_COPIES;
constexpr std::size_t kMostHits = WORDS_MOST_HITS;
/// Rows of a tile, about: its words stay in a core's cache.
constexpr std::int64_t kTileRows = 1 << 17;
/// Words are expected on so many diagonals by chance; if that leaves too few of them, on more. What
/// a path pays that strays no further is not much less then, but there is more to look at.
constexpr std::array kByChance = {1.0 / 32, 1.0 / 4, 1.0, 4.0};
/// Not too few: so many times as many as a path probably pays for, a third of what windows see.
constexpr double kEnough = 1.2;

/// How long words must be for that.
int word_length(std::string_view text, const seq::Code& code, double diagonals) {
  std::array<double, 256> count{};
  const std::size_t step = 1 + text.size() / 4096;
  double total = 0, same = 0;
  for (std::size_t i = 0; i < text.size(); i += step, ++total)
    ++count[code.a[static_cast<unsigned char>(text[i])]];
  for (const double c : count) same += c / total * c / total;
  const int longest = std::min(32, 64 / code.planes);
  const double bits = -std::log(same), length = std::ceil(std::log(diagonals) / bits);
  return bits > 0 && length < longest ? std::max(4, static_cast<int>(length)) : longest;
}

/// Looks for the words of some blocks.
class Tile {
 public:
  Tile(const Grid& grid, std::string_view a, std::string_view b, const seq::Code& code,
       const WordSearch& search)
      : search_(search),
        grid_(grid),
        a_(a),
        b_(b),
        code_(code),
        k_(static_cast<std::size_t>(search.k)),
        mask_(search.k * code.planes == 64 ? ~std::uint64_t{0}
                                           : (std::uint64_t{1} << (search.k * code.planes)) - 1) {}

  FoundWords found_in(std::size_t tile) {
    const int first = search_.tiles[tile], end = search_.tiles[tile + 1];
    take_words(first, end);
    scan(search_.columns(grid_, a_, tile));
    FoundWords found;
    found.words.assign(index(end - first), 0);
    found.hits.assign(index(end - first), 0);
    for (const Word& word : words_)
      if (entries_[word.entry].copies <= kMostCopies && !word.frequent)
        ++found.words[index(word.block - first)];
    std::vector<std::pair<std::int32_t, std::int32_t>> hits;  // block and chunk
    for (const auto& [word, chunk] : hits_)
      if (!words_[index(word)].frequent) hits.emplace_back(words_[index(word)].block, chunk);
    std::sort(hits.begin(), hits.end());
    for (const auto& [block, chunk] : hits) {
      ++found.hits[index(block - first)];
      found.chunks.push_back(chunk);
    }
    return found;
  }

 private:
  struct Word {
    std::int64_t row;
    std::int32_t block;
    std::uint32_t entry;  // of the table
    std::int32_t next;    // word of the same symbols, or -1
    std::uint32_t hits = 0;
    bool frequent = false;
  };
  /// Words of the same symbols.
  struct Entry {
    std::uint64_t symbols;
    std::int32_t first = -1;  // none
    std::int32_t copies = 0;
  };

  std::uint64_t appended(std::uint64_t symbols, std::uint8_t code) const {
    return (symbols << code_.planes | code) & mask_;
  }
  static std::uint64_t mixed(std::uint64_t symbols) { return symbols * 0x9e3779b97f4a7c15u; }
  std::size_t place(std::uint64_t symbols) const {
    std::size_t at = mixed(symbols) >> table_shift_;
    while (entries_[at].first >= 0 && entries_[at].symbols != symbols)
      at = (at + 1) & (entries_.size() - 1);
    return at;
  }

  void take_words(int first, int end) {
    const std::int64_t rows = grid_.rows, k = static_cast<std::int64_t>(k_);
    const auto most = static_cast<std::size_t>((end - first) * std::min(search_.most, rows / k));
    const auto bits = static_cast<int>(std::bit_width(2 * most + 1));
    entries_.assign(std::size_t{1} << bits, {});
    table_shift_ = 64 - bits;
    present_.assign(std::size_t{1} << std::max(bits - 3, 0), 0);  // 16 bits a word
    present_shift_ = 64 - (bits - 3 > 0 ? bits + 3 : 6);
    words_.clear();
    for (int block = first; block < end; ++block) {
      const std::int64_t begin = block * rows;
      const std::int64_t length = std::min(rows, static_cast<std::int64_t>(a_.size()) - begin);
      const std::int64_t count = std::min(search_.most, length / k);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t row = begin + length * i / count;
        std::uint64_t symbols = 0;
        for (std::int64_t x = row; x < row + k; ++x)
          symbols = appended(symbols, code_.a[byte(a_, x)]);
        const std::size_t at = place(symbols);
        Entry& entry = entries_[at];
        words_.push_back({row, block, static_cast<std::uint32_t>(at), entry.first});
        entry.symbols = symbols;
        entry.first = static_cast<std::int32_t>(words_.size()) - 1;
        ++entry.copies;
        const std::uint64_t bit = mixed(symbols) >> present_shift_;
        present_[bit / 64] |= std::uint64_t{1} << bit % 64;
      }
    }
  }

  void scan(const WordSearch::Columns& columns) {
    hits_.clear();
    const std::int64_t k = static_cast<std::int64_t>(k_), from = columns.from, to = columns.to;
    const std::int64_t text_end = std::min(to, static_cast<std::int64_t>(b_.size()));
    if (words_.empty() || to - from < k) return;
    // Those that are perhaps there are looked up some later, when the table's entries have come
    // from memory.
    constexpr std::int64_t kStep = 16;
    std::array<std::pair<std::uint64_t, std::int64_t>, 64 + kStep> perhaps;
    std::size_t count = 0;
    const auto look_up = [&] {
      for (std::size_t i = 0; i < count; ++i) take_hits(perhaps[i].first, perhaps[i].second);
      count = 0;
    };
    const std::uint64_t* const present = present_.data();
    const std::uint64_t mask = mask_;
    const int planes = code_.planes, shift = present_shift_;
    std::uint64_t symbols = 0;
    // Without a branch, since nobody could foresee which words are there.
    const auto look = [&](std::uint8_t code, std::int64_t first) {
      symbols = (symbols << planes | code) & mask;
      const std::uint64_t bit = mixed(symbols) >> shift;
      perhaps[count] = {symbols, first};
      count += present[bit / 64] >> bit % 64 & 1;
    };
    // What the grid appends is zeros.
    const auto column = [&](std::int64_t j) {
      return j < text_end ? code_.b[byte(b_, j)] : std::uint8_t{0};
    };
    std::int64_t j = from;
    for (; j < from + k - 1; ++j) symbols = (symbols << planes | column(j)) & mask;
    while (j < to) {
      const std::int64_t end = std::min(j + kStep, to);
      const std::size_t before = count;
      if (end <= text_end)
        for (; j < end; ++j) look(code_.b[byte(b_, j)], j - k + 1);
      else
        for (; j < end; ++j) look(column(j), j - k + 1);
      for (std::size_t i = before; i < count; ++i)
        __builtin_prefetch(&entries_[mixed(perhaps[i].first) >> table_shift_]);
      if (count >= 64) look_up();
    }
    look_up();
  }

  void take_hits(std::uint64_t symbols, std::int64_t column) {
    const Range& seen = search_.seen;
    const Entry& entry = entries_[place(symbols)];
    if (entry.first < 0 || entry.copies > kMostCopies) return;
    for (std::int32_t at = entry.first; at >= 0; at = words_[index(at)].next) {
      Word& word = words_[index(at)];
      const std::int64_t chunk = chunk_of(column - word.row);
      const Range& out = search_.hidden[index(word.block)];
      if (chunk < seen.first || chunk >= seen.end || word.frequent ||
          (chunk >= out.first && chunk < out.end))
        continue;
      word.frequent = ++word.hits > kMostHits;
      hits_.emplace_back(at, static_cast<std::int32_t>(chunk));
    }
  }

  static unsigned char byte(std::string_view text, std::int64_t i) {
    return static_cast<unsigned char>(text[static_cast<std::size_t>(i)]);
  }

  const WordSearch& search_;
  const Grid& grid_;
  std::string_view a_, b_;
  const seq::Code& code_;
  std::size_t k_;
  std::uint64_t mask_;
  int table_shift_ = 0, present_shift_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> present_;  // a bit for each hash: most columns need no more
  std::vector<Word> words_;
  std::vector<std::pair<std::int32_t, std::int32_t>> hits_;  // word and chunk
};

}  // namespace

WordSearch::WordSearch(const Grid& grid, std::string_view a, const seq::Code& code,
                       const Range& of_seen, std::vector<Range> of_hidden, std::int64_t of_radius,
                       std::size_t workers)
    : seen(of_seen), hidden(std::move(of_hidden)), radius(of_radius) {
  if (code.matching != seq::Matching::kEqual || seen.empty() || grid.blocks == 0) return;
  const std::int64_t diagonals = kChunk * seen.size();
  // No more words than can count, and as many again as some that are there by chance.
  most = kChunk * radius + kChunk * radius / 4 + 8;
  const auto length = [&](double chance) {
    return word_length(a, code, static_cast<double>(diagonals) / chance);
  };
  const double enough = kEnough * static_cast<double>(kChunk * radius) / 3;
  for (const double chance : kByChance) {
    k = length(chance);
    const double words = static_cast<double>(grid.rows) / k;
    if (words >= (chance == kByChance.front() ? static_cast<double>(most) : enough)) break;
  }
  const std::int64_t rows = std::max(kTileRows, 2 * diagonals);
  auto count = static_cast<std::size_t>((grid.m + rows - 1) / rows);
  if (count > workers) count -= count % workers;  // none waits for a last one
  for (std::size_t tile = 0; tile <= count; ++tile)
    tiles.push_back(static_cast<int>(static_cast<std::size_t>(grid.blocks) * tile / count));
}

WordSearch::Columns WordSearch::columns(const Grid& grid, std::string_view a,
                                        std::size_t tile) const {
  const std::int64_t first = std::int64_t{tiles[tile]} * grid.rows;
  const std::int64_t end =
      std::min(std::int64_t{tiles[tile + 1]} * grid.rows, static_cast<std::int64_t>(a.size()));
  return {std::max<std::int64_t>(0, first + kChunk * seen.first),
          std::min(grid.n, end + kChunk * seen.end + k)};
}

Seeds::Seeds(WordSearch search)
    : seen_(search.seen), radius_(search.radius), hidden_(std::move(search.hidden)) {}

void Seeds::add(const FoundWords& found) {
  words_.insert(words_.end(), found.words.begin(), found.words.end());
  for (const std::int32_t hits : found.hits)
    begins_.push_back(begins_.back() + static_cast<std::size_t>(hits));
  chunks_.insert(chunks_.end(), found.chunks.begin(), found.chunks.end());
}

Seeds look_for_words(const Grid& grid, std::string_view a, std::string_view b,
                     const seq::Code& code, WordSearch search, std::size_t threads) {
  Seeds seeds(search);
  if (search.tiles.empty()) return seeds;
  batch::in_order(
      search.tiles.size() - 1, batch::threads_of(threads),
      [&](std::size_t tile) { return Tile(grid, a, b, code, search).found_in(tile); },
      [&](const FoundWords& found) { seeds.add(found); });
  return seeds;
}

std::int64_t Seeds::words() const {
  return std::accumulate(words_.begin(), words_.end(), std::int64_t{0});
}

std::int32_t Seeds::cost(int block, std::int64_t found) const {
  const std::int64_t missing = words_[index(block)] - found;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(missing, 0, kChunk * radius_));
}

Range Seeds::low(int block) const {
  return {seen_.first + below(), std::min(seen_.end, hidden_[index(block)].first) - above()};
}

Range Seeds::high(int block) const {
  return {std::max(seen_.first, hidden_[index(block)].end) + below(), seen_.end - above()};
}

void Seeds::raise(int block, const Range& range, std::vector<std::int32_t>& costs) const {
  if (empty()) return;
  const auto begin = chunks_.begin() + static_cast<std::ptrdiff_t>(begins_[index(block)]);
  const auto end = chunks_.begin() + static_cast<std::ptrdiff_t>(begins_[index(block) + 1]);
  std::vector<std::int32_t> found(static_cast<std::size_t>(range.size()) + 1);  // differences
  for (auto hit = std::lower_bound(begin, end, range.first - below()); hit != end; ++hit) {
    const std::int64_t from = std::max(range.first, *hit - above());
    const std::int64_t to = std::min(range.end, *hit + below() + 1);
    if (from >= range.end) break;
    ++found[static_cast<std::size_t>(from - range.first)];
    --found[static_cast<std::size_t>(to - range.first)];
  }
  for (std::size_t i = 1; i < found.size(); ++i) found[i] += found[i - 1];
  for (const Range& part : {low(block), high(block)})
    for (std::int64_t c = std::max(part.first, range.first); c < std::min(part.end, range.end);
         ++c) {
      const auto at = static_cast<std::size_t>(c - range.first);
      costs[at] = std::max(costs[at], cost(block, found[at]));
    }
}

std::int32_t Seeds::least(int block, const Range& range) const {
  if (empty() || range.empty()) return 0;
  const auto inside = [&](const Range& part) {
    return range.first >= part.first && range.end <= part.end;
  };
  if (!inside(low(block)) && !inside(high(block))) return 0;
  const auto begin = chunks_.begin() + static_cast<std::ptrdiff_t>(begins_[index(block)]);
  const auto end = chunks_.begin() + static_cast<std::ptrdiff_t>(begins_[index(block) + 1]);
  auto from = std::lower_bound(begin, end, range.first - below());
  std::ptrdiff_t most = 0;
  for (auto to = from; to != end && *to < range.end + above(); ++to) {
    while (*to - *from > below() + above()) ++from;
    most = std::max(most, to - from + 1);
  }
  return cost(block, most);
}

}  // namespace rhomb::corridor
