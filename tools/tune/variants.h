// SPDX-License-Identifier: Apache-2.0
// The variants of all engines that can be tuned, and the problems that they are tried on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/tune/trial.h"

namespace rhomb::cli {

/// An engine whose variants are tuned, and the problems that they are tried on.
struct TunedEngine {
  std::string_view name;        ///< "strips"
  std::string_view verb;        ///< that it computes for: "distance"
  std::string_view of_gpu;      ///< the lengths that are usual on GPUs
  std::string_view of_cpu;      ///< and on CPUs
  std::string_view divergence;  ///< that is usual
  std::int64_t shortest, longest;
};

/// Pairs of texts, queries each with a candidate, a query with many targets, and queries each with
/// a target.
const std::vector<TunedEngine>& tuned_engines();
const TunedEngine& engine_of(const tune::Task& task);
/// The verbs, each once.
std::vector<std::string> tuned_verbs();

struct TunedVariant {
  const TunedEngine* engine = nullptr;
  std::string variant;
  tune::Space space;  ///< what a sweep walks
};

/// The variants with something to tune that compute on OpenCL devices, in the order of the tables.
const std::vector<TunedVariant>& tuned_variants();

/// The variant's place among them; their number, if this rhomb has no such variant.
std::size_t place_of(const tune::Task& task);
/// What a sweep walks; empty, if this rhomb has no such variant.
tune::Space space_of(const tune::Task& task);

/// Whether a sweep leaves this tunable alone. Of lcs it does those that say how copies hide behind
/// launches, because only the launches are timed; of gaps those that follow the scores.
bool left_alone(const tune::Task& task, std::string_view tunable);
/// The configuration without those.
tune::Config walked(const tune::Task& task, const tune::Config& config);

/// Whether the problem is a pair of texts, else many matrices.
bool is_pair(const tune::Task& task);
/// Symbols of the candidate that search has for a query.
inline std::int64_t candidate_length(std::int64_t query) { return query + query / 5; }

}  // namespace rhomb::cli
