// SPDX-License-Identifier: Apache-2.0
// Paper: the figures of Castells-Rufas, "GPU acceleration of Levenshtein distance computation
// between long strings", Parallel Computing 2023, that the benchmarks set beside their own. All
// were measured there on an NVIDIA GeForce RTX 3090.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rhomb::cli {

/// A row of the paper's table 3.
struct PaperPair {
  std::string_view experiment;
  std::string_view query;  ///< its accession
  std::int64_t query_length;
  std::string_view target;
  std::int64_t target_length;
  std::int64_t distance;
  double similarity;    ///< as printed, 0..1
  double masa_seconds;  ///< of the first phase of MASA-CUDAlign
  double masa_gcups;
  double seconds;  ///< of the paper's best variant
  double gcups;
};
std::span<const PaperPair> paper_table();

/// The highest rate of a variant, sections 4.1 to 4.3, on BA000035.2 and BX927147.1.
struct PaperBest {
  std::string_view variant;
  double gcups;
  std::string_view config;  ///< where the paper names it, "WG=128"
};
std::span<const PaperBest> paper_bests();

/// The entry of paper_bests() for a variant, if there is one.
std::optional<PaperBest> paper_best(std::string_view variant);

}  // namespace rhomb::cli
