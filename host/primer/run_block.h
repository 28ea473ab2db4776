// SPDX-License-Identifier: Apache-2.0
// What the parts of a run share among themselves; not for users of the library.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/primer/run.h"

namespace rhomb::primer {

/// Texts that were read together. On both strands all are there twice: first as they are, then
/// their reverse complements.
struct Run::Block : batch::Block {
  seq::Batch targets;
  std::vector<std::string> reversed;
  std::vector<std::string_view> texts;
  seq::Code code;
  double symbols = 0;                  // of the records
  std::map<std::size_t, Self> places;  // of the sequences that are in here
};

}  // namespace rhomb::primer
