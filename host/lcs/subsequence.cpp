// SPDX-License-Identifier: Apache-2.0
// Subsequence: columns of bits, one a symbol of the target, and a walk back through them.
//
// L(i, j) is the length for the first i symbols of the query and the first j of the target. It
// grows by 0 or 1 from row to row; bit i - 1 of column j is 0 where L(i, j) = L(i - 1, j) + 1. One
// column gives the next by an addition as wide as the query (Hyyro 2004, "Bit-parallel LCS-length
// computation revisited"): V' = (V + (V & M)) | (V & ~M), M being the rows that match.
//
// The walk needs all columns. Where they do not fit into the memory allowed, some are kept and the
// walk goes from the last stretch to the first, computing the columns of each again, in the same
// way. Only the rows that the walk has not left are computed, half of them on average; so the
// second time costs half, and every choice is the one that all columns would have given.
#include "host/lcs/subsequence.h"

#include <algorithm>
#include <bit>

namespace rhomb::lcs {
namespace {

constexpr std::size_t kBits = 64;

}  // namespace

Tracer::Tracer(std::string_view query, const seq::Code& code)
    : query_(query), code_(code), words_((query.size() + kBits - 1) / kBits) {
  const std::size_t codes = std::size_t{1} << code.planes;
  occurs_.resize(codes * words_);
  const auto mark = [&](std::size_t of, std::size_t i) {
    occurs_[of * words_ + i / kBits] |= Word{1} << (i % kBits);
  };
  for (std::size_t i = 0; i < query.size(); ++i) {
    const unsigned symbol = code.a[static_cast<unsigned char>(query[i])];
    if (code.matching == seq::Matching::kEqual) {
      mark(symbol, i);
    } else {
      for (unsigned of = 0; of < codes; ++of)
        if ((of & symbol) != 0) mark(of, i);
    }
  }
}

/// The way back through the columns of one target.
class Tracer::Walk {
 public:
  Walk(const Tracer& tracer, std::string_view target) : tracer_(tracer), target_(target) {}

  std::vector<Match> run(std::size_t memory) {
    row_ = tracer_.query_.size();
    const std::vector<Word> start(tracer_.words_, ~Word{0});
    stretch(start.data(), 0, target_.size(), memory / sizeof(Word));
    std::reverse(matches_.begin(), matches_.end());
    return std::move(matches_);
  }

 private:
  /// Walks back from column `end` to column `begin`, whose bits are given, with room for so many
  /// words besides.
  void stretch(const Word* column, std::size_t begin, std::size_t end, std::size_t room) {
    const std::size_t words = (row_ + kBits - 1) / kBits;
    const std::size_t columns = end - begin;
    if (words == 0 || columns == 0) return;
    if (columns <= room / words || columns == 1) {
      std::vector<Word> kept(columns * words);
      for (std::size_t j = 0; j < columns; ++j) {
        Word* const next = kept.data() + j * words;
        advance(j == 0 ? column : next - words, target_[begin + j], next, words);
      }
      walk(column, kept.data(), begin, end, words);
      return;
    }
    // Half of the room for columns that are kept, the rest for those between two of them. Two are
    // kept at least: a stretch then becomes shorter each time, however little room there is.
    const std::size_t parts = std::clamp<std::size_t>(room / 2 / words, 2, columns);
    const auto first_of = [&](std::size_t part) {
      return begin + columns / parts * part + std::min(part, columns % parts);
    };
    std::vector<Word> kept(parts * words);
    std::copy_n(column, words, kept.data());
    for (std::size_t part = 1; part < parts; ++part) {
      Word* const next = kept.data() + part * words;
      std::copy_n(next - words, words, next);
      for (std::size_t j = first_of(part - 1); j < first_of(part); ++j)
        advance(next, target_[j], next, words);
    }
    for (std::size_t part = parts; part-- > 0 && row_ > 0;)
      stretch(kept.data() + part * words, first_of(part), first_of(part + 1),
              room - std::min(room, kept.size()));
  }

  /// The column behind `from` with this symbol of the target; `to` may be `from`.
  void advance(const Word* from, char symbol, Word* to, std::size_t words) const {
    const std::size_t of = tracer_.code_.b[static_cast<unsigned char>(symbol)];
    const Word* const match = tracer_.occurs_.data() + of * tracer_.words_;
    Word carry = 0;
    for (std::size_t w = 0; w < words; ++w) {
      const Word v = from[w];
      const Word u = v & match[w];
      Word sum = 0;
      const bool over = __builtin_add_overflow(v, u, &sum);
      const bool again = __builtin_add_overflow(sum, carry, &sum);
      carry = static_cast<Word>(over || again);
      to[w] = sum | (v & ~u);
    }
  }

  /// Walks back over columns that are all there: `before` is column `begin`, the others follow each
  /// other in `columns`.
  void walk(const Word* before, const Word* columns, std::size_t begin, std::size_t end,
            std::size_t words) {
    for (std::size_t j = end; j > begin; --j) {
      const Word* const column = columns + (j - 1 - begin) * words;
      // The first row that is as long with this column, then the first column that is as long with
      // that row: there they match.
      row_ = last_growing(column, row_);
      if (row_ == 0) return;
      const Word* const left = j - 1 == begin ? before : column - words;
      if (last_growing(left, row_) == row_) continue;
      --row_;
      matches_.push_back({static_cast<std::uint32_t>(row_), static_cast<std::uint32_t>(j - 1)});
    }
  }

  /// The last row, at most `row`, that is longer than the one above it; 0 if none is.
  static std::size_t last_growing(const Word* column, std::size_t row) {
    if (row == 0) return 0;
    std::size_t word = (row - 1) / kBits;
    Word growing = ~column[word] << (kBits - 1 - (row - 1) % kBits);
    if (growing != 0) return row - static_cast<std::size_t>(std::countl_zero(growing));
    while (growing == 0) {
      if (word-- == 0) return 0;
      growing = ~column[word];
    }
    return (word + 1) * kBits - static_cast<std::size_t>(std::countl_zero(growing));
  }

  const Tracer& tracer_;
  std::string_view target_;
  std::size_t row_ = 0;  // the walk is in this row of the table; above it nothing counts any more
  std::vector<Match> matches_;  // from the last to the first
};

std::vector<Match> Tracer::matches(std::string_view target, std::size_t memory) const {
  return Walk(*this, target).run(memory);
}

std::string symbols(std::string_view query, std::span<const Match> matches) {
  std::string text;
  text.reserve(matches.size());
  for (const Match& match : matches) text += query[match.query];
  return text;
}

}  // namespace rhomb::lcs
