// SPDX-License-Identifier: Apache-2.0
// tune_rows: the rows of all engines' tables that can be tuned, and what their problems are called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/tune/trial.h"

namespace rhomb::cli {

/// An engine whose rows are tuned, and the problems that they are tried on.
struct TunedEngine {
  std::string_view name;        ///< "strips"
  std::string_view verb;        ///< that it computes for: "distance"
  std::string_view of_gpu;      ///< the lengths that are usual on GPUs
  std::string_view of_cpu;      ///< and on CPUs
  std::string_view divergence;  ///< that is usual
  std::int64_t shortest, longest;
};

/// Pairs of texts, queries each with a candidate, and a query with many subjects.
const std::vector<TunedEngine>& tuned_engines();
const TunedEngine& engine_of(const tune::Task& task);
/// The verbs, each once.
std::vector<std::string> tuned_verbs();

struct TunedRow {
  const TunedEngine* engine = nullptr;
  std::string variant;
  tune::Space space;  ///< what a sweep walks
};

/// The rows with something to tune that compute on OpenCL devices, as the tables have them.
const std::vector<TunedRow>& tuned_rows();

/// The row's place among them; their number, if this rhomb has no such row.
std::size_t place_of(const tune::Task& task);
/// What a sweep walks; empty, if this rhomb has no such row.
tune::Space space_of(const tune::Task& task);

/// Whether a sweep leaves this tunable alone. Of lcs it does those that say how copies hide behind
/// launches, because only the launches are timed.
bool left_alone(const tune::Task& task, std::string_view tunable);
/// The configuration without those.
tune::Config walked(const tune::Task& task, const tune::Config& config);

/// Whether the problem is a pair of texts, else many matrices.
bool is_pair(const tune::Task& task);
/// Symbols of the candidate that search has for a query.
inline std::int64_t candidate_length(std::int64_t query) { return query + query / 5; }

}  // namespace rhomb::cli
