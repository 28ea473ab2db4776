// SPDX-License-Identifier: Apache-2.0
// Matrices of `rhomb distance --matrix`: the distances of each record with each, a row a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/seq/sequence.h"

namespace rhomb::cli {

enum class MatrixShape {
  kSquare,  ///< a header with the names of the columns, and each row whole
  kLower,   ///< of each row what stands before the diagonal: each pair once
  kPhylip,  ///< as PHYLIP wants it: the number of rows, and each row whole
};

class Matrix {
 public:
  /// `same`: they are of one file. Throws UsageError where they have to be and are not, and
  /// InputError for names that PHYLIP cannot have.
  /// `rows`: all of them, or those from number `first` of the columns on.
  Matrix(MatrixShape shape, const std::string& file, const seq::Batch& rows,
         const seq::Batch& columns, bool same, std::size_t first);

  std::string header() const;
  /// Of the pairs one after another, row by row: adds a row with its last column. A distance that
  /// is not known is empty.
  void append(std::string& text, const std::optional<std::int64_t>& distance);

 private:
  MatrixShape shape_;
  const seq::Batch& rows_;
  const seq::Batch& columns_;
  std::size_t first_;
  std::size_t row_ = 0, column_ = 0;
};

}  // namespace rhomb::cli
