// SPDX-License-Identifier: Apache-2.0
// The figures of rhomb bench paper-lcs: pictures and words for the rows that were measured.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/lcs_runs.h"
#include "tools/bench/papers.h"

namespace rhomb::cli {

/// What all figures say.
struct LcsStudy {
  const std::vector<LcsRow>& rows;
  std::string device;
  unsigned cores = 0;      ///< of the device; 0 for a GPU
  std::size_t middle = 0;  ///< subjects of the set that stands for the paper's 188,000

  std::string unit() const { return cores == 0 ? "TCUPS" : "GCUPS"; }
  double scaled(double gcups) const { return cores == 0 ? gcups / 1e3 : gcups; }
};

/// Those of `wanted`, in the paper's order.
std::vector<PaperFigure> lcs_figures(const LcsStudy& study, const std::vector<std::string>& wanted);

/// What rhomb was made to reach on such a device.
std::vector<Aim> lcs_aims(const LcsStudy& study);

}  // namespace rhomb::cli
