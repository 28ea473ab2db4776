// SPDX-License-Identifier: Apache-2.0
// occurrence: one query looked for in one text on the host, by Myers' bit vectors: all ends, starts
// and alignments of what a device has found. Myers 1999; Hyyro 2003 for the block's operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/seq/alphabet.h"
#include "host/seq/cigar.h"

namespace rhomb::search {

/// An end of occurrences: the symbols of the text before it, and the least distance of the query
/// and a part of the text that ends there.
struct End {
  std::size_t at = 0;
  std::uint32_t distance = 0;
  bool operator==(const End&) const = default;
};

/// The best end of each run of ends that follow each other without a gap: the least distance, and
/// the first with it. `ends` ascend.
std::vector<End> best_of_runs(std::span<const End> ends);

/// A query, ready to be looked for. Not for use by several threads at once.
class Finder {
 public:
  /// `query` is not empty, and lives longer. `code`: a is that of the query, b that of texts.
  Finder(std::string_view query, const seq::Code& code);

  /// All ends in `text` with at most `most` differences, ascending; 0 among them if the query is no
  /// longer than that.
  std::vector<End> ends(std::string_view text, std::uint32_t most);

  /// The edit distance of the query and the whole of `text`, in time that grows with it: within a
  /// band of diagonals that is doubled until it is as wide as that (Ukkonen 1985).
  std::uint32_t distance(std::string_view text);

  /// Where the part of `text` begins that ends at `end` and has this distance, the least one; the
  /// longest such part. Throws std::logic_error if there is none.
  std::size_t start(std::string_view text, const End& end);

  /// An optimal alignment of the whole query and the whole of `part`. From the end to the start a
  /// pair of symbols is preferred to an insertion, and that to a deletion. Takes about `memory`
  /// bytes; where that is less than a quarter of the matrix's cells, parts are computed again.
  Cigar cigar(std::string_view part, std::size_t memory = kMemory);

  static constexpr std::size_t kMemory = std::size_t{32} << 20;

 private:
  using Word = std::uint64_t;

  enum class Profile { kNone, kForward, kReversed };
  void make_profile(Profile wanted);
  /// One column more. `in`: the difference along the top row. Returns that along the bottom row.
  /// Where `level` is not null it is told, a bit a row, where D[i][j] = D[i-1][j-1].
  int step(const Word* match, int in, Word* level = nullptr);
  void begin();
  std::size_t within(std::string_view text, std::size_t band);
  struct Path;
  void trace(Path& path, std::size_t begin, std::size_t end, std::size_t room);
  const Word* match_of(char symbol) const {
    return profile_.data() + words_ * code_.b[static_cast<unsigned char>(symbol)];
  }

  std::string_view query_;
  const seq::Code& code_;
  std::size_t words_;
  unsigned top_;  ///< bit of the last word that is the last symbol's
  Profile made_ = Profile::kNone;
  std::vector<Word> profile_;        ///< words_ for each code: where the query's symbols match it
  std::vector<Word> plus_, minus_;   ///< where the column goes up and down
  std::size_t first_ = 0, end_ = 0;  ///< words of it that step() goes through
};

/// The reverse complement of a nucleotide sequence: A and T or U, C and G exchanged, so are the
/// IUPAC codes; every other symbol is its own. Case is kept. The complement of A is U in RNA, else
/// T. RNA has U and no T; a sequence that has neither is taken for what the target is that it will
/// be looked for in, whose symbols `target` holds.
std::string reverse_complement(std::string_view text, std::string_view target = {});

}  // namespace rhomb::search
