// SPDX-License-Identifier: Apache-2.0
#include "host/gaps/scoring.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "host/error.h"
#include "host/seq/lines.h"

namespace rhomb::gaps {
namespace {

/// Larger scores would leave nothing for sums of them.
constexpr std::int64_t kLargest = 1'000'000;

bool read_decimal(std::string_view text, Decimal& into) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  int digits = 0, behind = -1;  // digits behind the point; -1: there was none
  for (const char c : text) {
    if (c == '.' && behind < 0) {
      behind = 0;
      continue;
    }
    if (c < '0' || c > '9' || behind == 6) return false;
    value = 10 * value + (c - '0');
    ++digits;
    if (behind >= 0) ++behind;
    if (value > kLargest * Decimal::kOne) return false;
  }
  if (digits == 0) return false;
  for (int i = std::max(behind, 0); i < 6; ++i) value *= 10;
  if (value > kLargest * Decimal::kOne) return false;
  into.millionths = negative ? -value : value;
  return true;
}

std::string text_of(Decimal decimal) {
  const std::int64_t size = std::abs(decimal.millionths);
  std::string text = (decimal.millionths < 0 ? "-" : "") + std::to_string(size / Decimal::kOne);
  std::string behind = std::to_string(Decimal::kOne + size % Decimal::kOne).substr(1);
  while (!behind.empty() && behind.back() == '0') behind.pop_back();
  return behind.empty() ? text : text + "." + behind;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::string quoted(char symbol) { return std::string("'") + symbol + "'"; }

/// Reads a matrix line by line.
class MatrixParser {
 public:
  explicit MatrixParser(const std::string& name) { matrix_.name = name; }

  void add(std::string_view line, long number) {
    line_ = number;
    const auto words = words_of(line.substr(0, std::min(line.find('#'), line.size())));
    if (words.empty()) return;
    if (matrix_.symbols.empty())
      add_header(words);
    else
      add_row(words);
  }

  Matrix end() {
    line_ = 0;
    if (matrix_.symbols.empty()) fail("has no scores");
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (!seen_[i])
        fail("is not square: there is a column for " + quoted(matrix_.symbols[i]) + " but no row");
    return std::move(matrix_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(matrix_.name, "", line_, what);
  }

  char symbol_of(std::string_view word) const {
    if (word.size() != 1)
      fail("'" + std::string(word) +
           "' is not one symbol; the first line has the symbols of the "
           "columns, each further line that of its row and the scores");
    return word.front();
  }

  void add_header(const std::vector<std::string_view>& words) {
    for (const std::string_view word : words) {
      const char symbol = symbol_of(word);
      if (matrix_.symbols.find(symbol) != std::string::npos)
        fail("has two columns for " + quoted(symbol));
      matrix_.symbols += symbol;
    }
    seen_.resize(words.size());
    matrix_.scores.resize(words.size() * words.size());
  }

  void add_row(const std::vector<std::string_view>& words) {
    const char symbol = symbol_of(words.front());
    const std::size_t row = matrix_.symbols.find(symbol);
    if (row == std::string::npos)
      fail("is not square: there is a row for " + quoted(symbol) + " but no column");
    if (seen_[row]) fail("has two rows for " + quoted(symbol));
    seen_[row] = true;
    if (words.size() - 1 != matrix_.symbols.size())
      fail("is not square: the row of " + quoted(symbol) + " has " +
           std::to_string(words.size() - 1) + " scores for " +
           std::to_string(matrix_.symbols.size()) + " columns");
    for (std::size_t i = 1; i < words.size(); ++i)
      if (!read_decimal(words[i], matrix_.scores[row * matrix_.symbols.size() + i - 1]))
        fail("'" + std::string(words[i]) + "' is not a score between -1,000,000 and 1,000,000 " +
             "with up to six digits behind the point");
  }

  Matrix matrix_;
  std::vector<bool> seen_;
  long line_ = 0;
};

}  // namespace

Decimal Decimal::parse(std::string_view text, std::string_view what) {
  Decimal decimal;
  if (!read_decimal(text, decimal))
    throw UsageError(std::string(what) + ": '" + std::string(text) +
                     "' is not a number up to 1,000,000 with up to six digits behind the point");
  return decimal;
}

Matrix match_matrix(Decimal match, Decimal mismatch) {
  Matrix matrix;
  matrix.name = "match " + text_of(match) + ", mismatch " + text_of(mismatch);
  matrix.any_symbol = true;
  matrix.match = match;
  matrix.mismatch = mismatch;
  return matrix;
}

Matrix parse_matrix(std::string_view text, const std::string& name) {
  MatrixParser parser(name);
  long number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    parser.add(text.substr(0, end), ++number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.end();
}

Matrix find_matrix(const std::string& name_or_file) {
  for (const NamedMatrix& named : named_matrices())
    if (std::ranges::equal(named.name, name_or_file, [](char a, char b) {
          return a == static_cast<char>(std::toupper(static_cast<unsigned char>(b)));
        }))
      return parse_matrix(named.text, std::string(named.name));
  constexpr std::size_t kMost = std::size_t{1} << 20;  // of bytes: 256 symbols take less
  seq::Lines lines(seq::Stream(name_or_file), seq::Trim::kBlanks);
  std::string text;
  while (const auto* piece = lines.next()) {
    text += piece->text;
    if (piece->ends) text += '\n';
    if (text.size() > kMost)
      throw InputError(name_or_file, "", piece->line, "is too long for a score matrix");
  }
  return parse_matrix(text, name_or_file);
}

std::string Scoring::text(std::int64_t score) const {
  // `scale` divides a million.
  return text_of(Decimal{score * (Decimal::kOne / scale)});
}

Scoring make_scoring(const Matrix& matrix, Decimal open, Decimal extend) {
  if (open.millionths <= 0 || extend.millionths <= 0)
    throw UsageError("what a gap costs must be above 0: --open " + text_of(open) + ", --extend " +
                     text_of(extend));
  if (open.millionths < extend.millionths)
    throw UsageError("the first symbol of a gap must not cost less than each further one: --open " +
                     text_of(open) + ", --extend " + text_of(extend));
  std::int64_t common = std::gcd(Decimal::kOne, std::gcd(open.millionths, extend.millionths));
  common = std::gcd(common, std::gcd(matrix.match.millionths, matrix.mismatch.millionths));
  for (const Decimal score : matrix.scores) common = std::gcd(common, score.millionths);

  Scoring scoring;
  scoring.name = matrix.name;
  scoring.scale = static_cast<std::int32_t>(Decimal::kOne / common);
  const auto scaled = [&](Decimal decimal) {
    const std::int64_t value = decimal.millionths / common;
    if (std::abs(value) > kLargest)
      throw UsageError("the score " + text_of(decimal) + " takes " + std::to_string(value) +
                       " units of 1/" + std::to_string(scoring.scale) +
                       ", more than a million; give scores with fewer digits");
    return static_cast<std::int32_t>(value);
  };
  scoring.open = -scaled(open);
  scoring.extend = -scaled(extend);
  if (matrix.any_symbol) {
    std::ranges::fill(scoring.known, true);
    std::ranges::fill(scoring.pairs, scaled(matrix.mismatch));
    for (std::size_t i = 0; i < 256; ++i) scoring.pairs[i << 8 | i] = scaled(matrix.match);
    return scoring;
  }
  const std::size_t size = matrix.symbols.size();
  for (std::size_t i = 0; i < size; ++i) {
    const auto row = static_cast<unsigned char>(matrix.symbols[i]);
    scoring.known[row] = true;
    for (std::size_t j = 0; j < size; ++j)
      scoring.pairs[std::size_t{row} << 8 | static_cast<unsigned char>(matrix.symbols[j])] =
          scaled(matrix.scores[i * size + j]);
  }
  return scoring;
}

Scoring scoring_of(const ScoringWords& words) {
  const auto decimal = [](const std::optional<std::string>& word, const char* usual,
                          const char* option) {
    return Decimal::parse(word.value_or(usual), option);
  };
  const bool simple = words.match || words.mismatch;
  if (simple && words.matrix)
    throw UsageError("--matrix and --match, --mismatch exclude each other");
  const auto open = decimal(words.open, "10", "--open");
  const auto extend = decimal(words.extend, "0.5", "--extend");
  if (!simple) return make_scoring(find_matrix(words.matrix.value_or("EDNAFULL")), open, extend);
  const auto match = decimal(words.match, "5", "--match");
  const auto mismatch = decimal(words.mismatch, "-4", "--mismatch");
  if (match.millionths <= mismatch.millionths)
    throw UsageError("--match must be more than --mismatch");
  return make_scoring(match_matrix(match, mismatch), open, extend);
}

}  // namespace rhomb::gaps
