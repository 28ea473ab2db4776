// SPDX-License-Identifier: Apache-2.0
// The figures of rhomb bench paper-search: pictures and words for the rows that were measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/bench/papers.h"
#include "tools/bench/search_runs.h"

namespace rhomb::cli {

/// What all figures say.
struct SearchStudy {
  const std::vector<SearchRow>& rows;
  std::string device;
  unsigned cores = 0;  ///< of the device; 0 for a GPU

  std::string unit() const { return cores == 0 ? "TCUPS" : "GCUPS"; }
  double scaled(double gcups) const { return cores == 0 ? gcups / 1e3 : gcups; }
};

/// Those of `wanted`, in the paper's order, then rhomb's own.
std::vector<PaperFigure> search_figures(const SearchStudy& study,
                                        const std::vector<std::string>& wanted);

/// What rhomb was made to reach on such a device.
std::vector<Aim> search_aims(const SearchStudy& study);

}  // namespace rhomb::cli
