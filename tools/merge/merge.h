// SPDX-License-Identifier: Apache-2.0
// merge_parts: one output of those of all parts of a run (--shard).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/cli/output.h"

namespace rhomb::cli {

/// The output of one part: where it lies, and what errors call it.
struct PartFile {
  std::string path, name;
};

/// Which part of which run that is.
struct PartAbout {
  std::string run;                    ///< RunName::name
  std::size_t shard = 0, shards = 0;  ///< from 1
};
/// Reads all of it. Throws InputError for what is none, cut off or damaged.
PartAbout look_at_part(const PartFile& file);

/// Writes what one run without parts would print; does not commit. Throws InputError, before
/// anything is written, unless these are all parts of one run, each once and whole.
void merge_parts(const std::vector<PartFile>& files, Output& out);

}  // namespace rhomb::cli
