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
  /// Tunables that a sweep leaves as they are: of lcs those that say how copies hide behind
  /// launches, because only the launches are timed; of gaps those that follow the scores; of
  /// primer what is no setting.
  std::vector<std::string_view> left_alone = {};
};

const std::vector<TunedEngine>& tuned_engines();
const TunedEngine& engine_of(const tune::Task& task);

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

bool left_alone(const tune::Task& task, std::string_view tunable);
/// The configuration without the tunables that are left alone.
tune::Config walked(const tune::Task& task, const tune::Config& config);

/// Whether the problem is a pair of texts, else many matrices.
bool is_pair(const tune::Task& task);

}  // namespace rhomb::cli
