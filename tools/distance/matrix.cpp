// SPDX-License-Identifier: Apache-2.0
#include "tools/distance/matrix.h"

#include <array>
#include <charconv>
#include <map>

#include "host/error.h"
#include "tools/cli/input.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// PHYLIP's own programs take the first ten characters for the name, others what stands before the
/// first blank; so names are filled up to ten.
constexpr std::size_t kPhylipName = 10;

/// What trees are written with is in no name of theirs.
void check_phylip(const std::string& file, const seq::Batch& records) {
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string& name = records[i].name;
    const auto refuse = [&](const std::string& why) {
      throw InputError(shown(file), name, 0, text_of(why, "; --matrix square takes any name"));
    };
    if (const auto at = name.find_first_of("()[]{}:;,'\""); at != name.npos)
      refuse(text_of("the name has '", name.substr(at, 1),
                     "', which stands for something else in the trees that are made of a PHYLIP "
                     "matrix"));
    const auto [place, added] = seen.emplace(name, i);
    if (!added)
      refuse(text_of("records ", std::to_string(place->second + 1), " and ", std::to_string(i + 1),
                     " have this name, and in a PHYLIP matrix each has its own"));
  }
}

}  // namespace

Matrix::Matrix(MatrixShape shape, const std::string& file, const seq::Batch& rows,
               const seq::Batch& columns, bool same, std::size_t first)
    : shape_(shape), rows_(rows), columns_(columns), first_(first) {
  if (shape != MatrixShape::kSquare && !same)
    throw UsageError("--matrix lower and phylip are of one file with itself");
  if (shape == MatrixShape::kPhylip) check_phylip(file, columns);
}

std::string Matrix::header() const {
  if (shape_ == MatrixShape::kPhylip) return std::to_string(columns_.size()) + "\n";
  std::string text = "#name";
  for (const seq::Sequence& column : columns_) text += "\t" + field(column.name);
  return text + "\n";
}

void Matrix::append(std::string& text, const std::optional<std::int64_t>& distance) {
  const bool phylip = shape_ == MatrixShape::kPhylip;
  if (column_ == 0) {
    const std::string& name = rows_[row_].name;
    text += phylip ? name : field(name);
    if (phylip && name.size() < kPhylipName) text.append(kPhylipName - name.size(), ' ');
  }
  if (shape_ != MatrixShape::kLower || column_ < first_ + row_) {
    text += phylip ? ' ' : '\t';
    std::array<char, 24> digits;
    if (distance)
      text.append(digits.begin(), std::to_chars(digits.begin(), digits.end(), *distance).ptr);
  }
  if (++column_ < columns_.size()) return;
  text += '\n';
  column_ = 0;
  ++row_;
}

}  // namespace rhomb::cli
