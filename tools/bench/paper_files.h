// SPDX-License-Identifier: Apache-2.0
// PaperFiles: where the sequences of the paper's table 3 are.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/accessions.h"
#include "tools/bench/paper_numbers.h"
#include "tools/cli/progress.h"

namespace rhomb::cli {

/// A pair of the table, and its two sequences if they were found.
struct PaperFiles {
  const PaperPair* paper;
  std::optional<std::pair<Bearer, Bearer>> files;
  bool whole = true;  ///< of the lengths that the paper names; otherwise parts of them
};

/// All pairs of the table in its order, those of parts after the whole one. Looks in the files and
/// directories `paths`, or in the current directory if there are none. Notes what is missing.
/// Throws InputError for a file that was named and cannot be read.
std::vector<PaperFiles> find_paper_files(const std::vector<std::string>& paths, Progress& progress);

}  // namespace rhomb::cli
