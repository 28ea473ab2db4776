// SPDX-License-Identifier: Apache-2.0
// Keeping: where and how often a long run saves what it has reached.
#pragma once

#include <functional>
#include <string>

namespace rhomb {

struct Keeping {
  std::string folder;         ///< is made if there is none; empty: nothing is saved
  bool resume = false;        ///< go on from the last good checkpoint in there, if there is one
  double every = 600;         ///< seconds
  std::function<bool()> now;  ///< asked now and then; true: save at once. May be empty
  /// Told, a line each: from what a run goes on, which files it refused, what could not be saved.
  std::function<void(const std::string&)> note;
};

}  // namespace rhomb
