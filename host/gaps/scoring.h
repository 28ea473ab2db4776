// SPDX-License-Identifier: Apache-2.0
// Scoring: what a pair of symbols and what a gap scores, as whole numbers.
//
// Scores may have a fraction, as a gap extension of 0.5 has. All of them are multiplied by the
// least number that makes them whole, `scale`, so nothing is ever rounded; what is printed is
// divided by it again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rhomb::gaps {

/// A number with up to six digits after the point, exactly: millionths.
struct Decimal {
  static constexpr std::int64_t kOne = 1'000'000;
  std::int64_t millionths = 0;

  /// Reads "10", "-4" or "0.5". Throws UsageError, naming `what`, for anything else and for numbers
  /// beyond a million.
  static Decimal parse(std::string_view text, std::string_view what);
};

/// Scores of pairs of symbols, as somebody wrote them down.
struct Matrix {
  std::string name;                   ///< "EDNAFULL", or the file's
  std::string symbols;                ///< each once
  std::vector<Decimal> scores;        ///< symbols.size() rows of as many
  bool any_symbol = false;            ///< match and mismatch: every symbol has a score
  Decimal match = {}, mismatch = {};  ///< with any_symbol
};

/// Every symbol matches itself alone.
Matrix match_matrix(Decimal match, Decimal mismatch);

/// A matrix in NCBI's format: comments behind #, a line with the symbols of the columns, a line for
/// each row, its symbol first, in any order. `name` is the file's, for messages. Throws InputError
/// (file, line) where it is not square, a symbol is missing or there twice, or a score is no
/// number.
Matrix parse_matrix(std::string_view text, const std::string& name);

struct NamedMatrix {
  std::string_view name;
  const char* text;  ///< in NCBI's format
};
/// EDNAFULL and EBLOSUM62.
std::span<const NamedMatrix> named_matrices();

/// The matrix of this name, in any case, or of this file.
Matrix find_matrix(const std::string& name_or_file);

/// What alignments are scored with. A gap of r symbols scores open + (r - 1) extend.
struct Scoring {
  std::string name;               ///< of the matrix; "match 1, mismatch -1"
  std::int32_t scale = 1;         ///< all scores are so many times what was asked for
  std::int32_t open = 0;          ///< of the first symbol of a gap, at most `extend`
  std::int32_t extend = 0;        ///< of each further one, below 0
  std::array<bool, 256> known{};  ///< symbols that have scores
  std::vector<std::int32_t> pairs = std::vector<std::int32_t>(std::size_t{1} << 16);  ///< by both

  std::int32_t pair(char query, char target) const {
    return pairs[std::size_t{static_cast<unsigned char>(query)} << 8 |
                 static_cast<unsigned char>(target)];
  }
  std::int64_t gap(std::int64_t symbols) const {
    return symbols == 0 ? 0 : open + std::int64_t{extend} * (symbols - 1);
  }
  /// A score as it was asked for: "61.5".
  std::string text(std::int64_t score) const;
  double value(std::int64_t score) const {
    return static_cast<double>(score) / static_cast<double>(scale);
  }
};

/// `open` and `extend` are what a gap costs, above 0. Throws UsageError where they are not, where
/// the first symbol of a gap would cost less than each further one, and where a scaled score is
/// beyond what kernels compute with.
Scoring make_scoring(const Matrix& matrix, Decimal open, Decimal extend);

/// Scores as somebody asks for them; what is not there is as usual.
struct ScoringWords {
  std::optional<std::string> matrix;           ///< usually EDNAFULL; or
  std::optional<std::string> match, mismatch;  ///< one of them or both; usually 5 and -4
  std::optional<std::string> open, extend;     ///< usually 10 and 0.5
};

/// Throws UsageError, in the words of the command line, where a matrix stands beside match or
/// mismatch, where match is not more than mismatch, and as Decimal::parse() and make_scoring() do;
/// what find_matrix() throws.
Scoring scoring_of(const ScoringWords& words);

}  // namespace rhomb::gaps
