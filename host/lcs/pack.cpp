// SPDX-License-Identifier: Apache-2.0
// Targets are packed unit by unit: 32 symbols become 32 codes in the bytes of four numbers, and
// these a few words. Units of up to 8 neighbouring lanes are packed together, because their words
// stand side by side, in one line of the cache.
#include "host/lcs/pack.h"

#include <algorithm>
#include <cstring>

namespace rhomb::lcs {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kLanesTogether = 8;

/// Bit `plane` of eight codes, first symbol at the top. The product adds the eight single bits,
/// each shifted to its place in the top byte; no two meet, so nothing carries.
std::uint32_t gather_plane(std::uint64_t codes, unsigned plane) {
  const std::uint64_t bits = codes >> plane & 0x0101010101010101u;
  return static_cast<std::uint32_t>(bits * 0x8040201008040201u >> 56);
}

/// A word of each plane, first symbol at the top.
template <unsigned kPlanes>
void gather_planes(const std::uint64_t* codes, std::uint32_t* out) {
  for (unsigned p = 0; p < kPlanes; ++p)
    out[p] = gather_plane(codes[0], p) << 24 | gather_plane(codes[1], p) << 16 |
             gather_plane(codes[2], p) << 8 | gather_plane(codes[3], p);
}

/// Eight codes of kBits bits each, first lowest: halves the number of gaps three times.
template <unsigned kBits>
std::uint64_t without_gaps(std::uint64_t codes) {
  if constexpr (kBits == 2) {
    codes = (codes | codes >> 6) & 0x000f000f000f000fu;
    codes = (codes | codes >> 12) & 0x000000ff000000ffu;
    codes = (codes | codes >> 24) & 0xffffu;
  } else if constexpr (kBits == 4) {
    codes = (codes | codes >> 4) & 0x00ff00ff00ff00ffu;
    codes = (codes | codes >> 8) & 0x0000ffff0000ffffu;
    codes = (codes | codes >> 16) & 0xffffffffu;
  }
  return codes;
}

/// Codes of kBits bits, first symbol lowest.
template <unsigned kBits>
void gather_codes(const std::uint64_t* codes, std::uint32_t* out) {
  std::uint64_t packed[kBits / 2] = {};
  for (unsigned i = 0; i < 4; ++i)
    packed[kBits * i / 8] |= without_gaps<kBits>(codes[i]) << kBits * i * 8 % 64;
  for (unsigned w = 0; w < kBits; ++w)
    out[w] = static_cast<std::uint32_t>(packed[w / 2] >> (32 * (w % 2)));
}

constexpr void (*kGatherPlanes[])(const std::uint64_t*, std::uint32_t*) = {
    gather_planes<1>, gather_planes<2>, gather_planes<3>, gather_planes<4>,
    gather_planes<5>, gather_planes<6>, gather_planes<7>, gather_planes<8>};

}  // namespace

void pack_lengths(const Problem& problem, const Chunk& chunk, std::span<std::uint32_t> lengths) {
  for (std::size_t i = 0; i < chunk.targets.size(); ++i)
    lengths[i] = chunk.targets[i] == Chunk::kNobody
                     ? 0
                     : static_cast<std::uint32_t>(problem.targets[chunk.targets[i]].size());
}

std::vector<Piece> pieces_of(const Plan& plan, const Chunk& chunk, std::size_t most) {
  const auto unit_words = static_cast<std::size_t>(plan.text_words());
  std::vector<Piece> pieces;
  for (std::size_t first = 0; first < chunk.tiles.size();) {
    const LcsTile& tile = chunk.tiles[first];
    Piece piece{&chunk, first, first + 1, 0, tile.units, tile.base * unit_words, 0};
    const std::size_t row = tile.width * unit_words;
    if (tile.units * row <= most) {
      piece.words = tile.units * row;
      for (; piece.end < chunk.tiles.size(); ++piece.end) {
        const LcsTile& next = chunk.tiles[piece.end];
        const std::size_t words = std::size_t{next.units} * next.width * unit_words;
        if (piece.words + words > most) break;
        piece.words += words;
      }
      pieces.push_back(piece);
    } else {
      const auto step = static_cast<std::uint32_t>(std::max<std::size_t>(most / row, 1));
      for (; piece.unit < tile.units; piece.unit += step) {
        piece.end_unit = std::min(piece.unit + step, tile.units);
        piece.words = (piece.end_unit - piece.unit) * row;
        pieces.push_back(piece);
        piece.word += piece.words;
      }
    }
    first = piece.end;
  }
  return pieces;
}

/// Up to kLanesTogether lanes of a tile, and some units.
struct Packer::Part {
  const Chunk* chunk;
  const LcsTile* tile;
  std::uint32_t lane, lanes;
  std::uint32_t unit, end_unit;
};

Packer::Packer(const Plan& plan, const Problem& problem)
    : problem_(problem), pairs_(1u << 16), targets_(static_cast<unsigned>(plan.targets_of_lane())) {
  words_ = static_cast<unsigned>(plan.text_words()) / targets_;
  gather_ = plan.strips > 0 ? kGatherPlanes[plan.planes - 1]
            : words_ == 2   ? gather_codes<2>
            : words_ == 4   ? gather_codes<4>
                            : gather_codes<8>;
  const auto& code = problem.code->b;
  for (std::size_t pair = 0; pair < pairs_.size(); ++pair)
    pairs_[pair] = static_cast<std::uint16_t>(code[pair & 0xff] | code[pair >> 8] << 8);
  // Which symbols there are, a look at some tells; what they do not have is looked up.
  by_nibbles_ = seq::Nibbles::usable();
  const auto look = [&](std::string_view text) {
    for (const char c : text.substr(0, 4096)) {
      const auto symbol = static_cast<unsigned char>(c);
      by_nibbles_ = by_nibbles_ && nibbles_.add(symbol, code[symbol]);
    }
  };
  for (const std::string_view query :
       problem.all_queries().first(std::min<std::size_t>(problem.all_queries().size(), 16)))
    look(query);
  for (std::size_t i = 0; i < std::min<std::size_t>(problem.targets.size(), 16); ++i)
    look(problem.targets[i]);
}

void Packer::pack(const Piece& piece, std::span<std::uint32_t> text) const {
  std::uint32_t* out = text.data();
  for (std::size_t i = piece.first; i < piece.end; ++i) {
    const LcsTile& tile = piece.chunk->tiles[i];
    const std::uint32_t end_unit = piece.end - piece.first == 1 ? piece.end_unit : tile.units;
    for (std::uint32_t lane = 0; lane < tile.width; lane += kLanesTogether) {
      const Part part{piece.chunk, &tile,   lane, std::min(kLanesTogether, tile.width - lane),
                      piece.unit,  end_unit};
      if (targets_ == 1)
        pack_single(part, out + lane);
      else
        pack_shared(part, out + lane);
    }
    out += std::size_t{end_unit - piece.unit} * tile.width * targets_ * words_;
  }
}

/// Codes of 32 symbols, first symbol lowest.
void Packer::codes(const char* text, std::uint64_t* codes) const {
  if (by_nibbles_ && nibbles_.codes(text, codes)) return;
  for (unsigned i = 0; i < 4; ++i) {
    codes[i] = 0;
    for (unsigned pair = 0; pair < 4; ++pair, text += 2)
      codes[i] |= std::uint64_t{pairs_[static_cast<unsigned char>(text[0]) |
                                       unsigned{static_cast<unsigned char>(text[1])} << 8]}
                  << (16 * pair);
  }
}

/// Unit `number` of `target`; zeros behind its end, which is the code that matches no set.
void Packer::pack_unit(std::string_view target, std::size_t number, std::uint32_t* words) const {
  const std::size_t first = 32 * number;
  if (first >= target.size()) {
    std::fill_n(words, words_, 0u);
    return;
  }
  std::uint64_t each[4];
  if (const std::size_t count = target.size() - first; count >= 32) {
    codes(target.data() + first, each);
  } else {
    char rest[32] = {};
    std::memcpy(rest, target.data() + first, count);
    codes(rest, each);
    for (std::size_t i = 0; i < 4; ++i)
      if (count < 8 * (i + 1))
        each[i] &= count <= 8 * i ? 0 : (std::uint64_t{1} << 8 * (count - 8 * i)) - 1;
  }
  gather_(each, words);
}

/// Lanes with one target each.
void Packer::pack_single(const Part& part, std::uint32_t* out) const {
  const std::size_t width = part.tile->width;
  std::array<std::string_view, kLanesTogether> targets;
  for (std::uint32_t i = 0; i < part.lanes; ++i) {
    const std::uint32_t number = part.chunk->targets[part.tile->first + part.lane + i];
    if (number != Chunk::kNobody) targets[i] = problem_.targets[number];
  }
  // Two units of a target at a time, a line of the cache: the lines of so many targets of the
  // same length would not stay there until the next unit.
  for (std::size_t unit = part.unit; unit < part.end_unit; unit += 2, out += 2 * width * words_)
    for (std::uint32_t i = 0; i < part.lanes; ++i)
      for (std::size_t u = 0; u < std::min<std::size_t>(2, part.end_unit - unit); ++u) {
        std::uint32_t words[8];
        pack_unit(targets[i], unit + u, words);
        for (unsigned w = 0; w < words_; ++w) out[(u * words_ + w) * width + i] = words[w];
      }
}

/// Lanes with several targets each: slots of S columns of all of them share a word.
void Packer::pack_shared(const Part& part, std::uint32_t* out) const {
  const std::size_t width = part.tile->width;
  const unsigned slot = 32 / targets_;
  for (std::size_t unit = part.unit; unit < part.end_unit; ++unit, out += width * words_ * targets_)
    for (std::uint32_t lane = 0; lane < part.lanes; ++lane) {
      std::uint32_t shared[8][8] = {};  // for each S columns a word of each plane
      for (unsigned g = 0; g < targets_; ++g) {
        const std::uint32_t number =
            part.chunk->targets[std::size_t{part.tile->first + part.lane + lane} * targets_ + g];
        if (number == Chunk::kNobody) continue;
        std::uint32_t words[8];
        pack_unit(problem_.targets[number], unit, words);
        for (unsigned c = 0; c < targets_; ++c)
          for (unsigned p = 0; p < words_; ++p)
            shared[c][p] |= (words[p] >> (32 - slot - slot * c) & ((1u << slot) - 1)) << (slot * g);
      }
      for (unsigned c = 0; c < targets_; ++c)
        for (unsigned p = 0; p < words_; ++p) out[(c * words_ + p) * width + lane] = shared[c][p];
    }
}

std::vector<std::size_t> query_begins(const Plan& plan) {
  std::vector<std::size_t> begins{0};
  for (const QueryPlan& query : plan.queries)
    begins.push_back(begins.back() + plan.words_of(query));
  return begins;
}

Words pack_rows(const Plan& plan, const Problem& problem) {
  const auto begins = query_begins(plan);
  const auto planes = static_cast<std::size_t>(plan.planes);
  const auto strips = static_cast<std::size_t>(plan.strips);
  Words words(begins.back());
  for (std::size_t q = 0; q < plan.queries.size(); ++q) {
    const std::string_view query = problem.all_queries()[q];
    const auto k = static_cast<std::size_t>(plan.queries[q].size);
    for (std::size_t i = 0; i < query.size(); ++i) {
      const std::size_t block = i / (strips * k), strip = i / k % strips;
      std::uint32_t slots = 0;  // the strip's bit in each slot
      for (std::size_t bit = strip; bit < 32; bit += strips) slots |= 1u << bit;
      std::uint32_t* row = words.data() + begins[q] + (block * k + i % k) * (planes + 1);
      const unsigned code = problem.code->a[static_cast<unsigned char>(query[i])];
      for (std::size_t p = 0; p < planes; ++p)
        if (code >> p & 1) row[p] |= slots;
      row[planes] |= slots;
    }
  }
  return words;
}

Words alphabet_strings(const Plan& plan, const Problem& problem) {
  const std::size_t codes = std::size_t{1} << plan.planes;
  const auto begins = query_begins(plan);
  Words strings(begins.back());
  for (std::size_t q = 0; q < plan.queries.size(); ++q) {
    const std::string_view query = problem.all_queries()[q];
    for (std::size_t i = 0; i < query.size(); ++i) {
      const unsigned code = problem.code->a[static_cast<unsigned char>(query[i])];
      std::uint32_t* word = strings.data() + begins[q] + i / 32 * codes;
      const std::uint32_t bit = 1u << i % 32;
      if (!plan.sets) {
        // A symbol that matches nothing may have a code that no target has.
        if (code < codes) word[code] |= bit;
        continue;
      }
      for (std::size_t other = 1; other < codes; ++other)
        if ((code & other) != 0) word[other] |= bit;
    }
  }
  return strings;
}

}  // namespace rhomb::lcs
