// SPDX-License-Identifier: Apache-2.0
// Trial: a configuration that was tried on a device, and how it went: a line of a store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/ocl/limits.h"
#include "host/tune/config.h"

namespace rhomb::tune {

/// What numbers were measured on.
struct Machine {
  std::string device;          ///< its name; in a shipped store also the beginning of it
  std::string driver;          ///< empty: any
  unsigned compute_units = 0;  ///< of the device that was measured

  bool operator==(const Machine&) const = default;
};
Machine machine_of(const ocl::DeviceInfo& device);

/// What configurations are tried on: random texts over four symbols. A pair; of search queries,
/// each with a candidate; of lcs a query and many targets; of gaps queries, each with a target; of
/// primer a sequence and a text.
struct Task {
  std::string engine;
  std::string variant;
  std::int64_t length = 0;  ///< symbols of each text; of search and gaps, of each query;
                            ///< of primer, K
  double divergence = 0;    ///< edits a symbol; 0.5: texts that have nothing in common

  bool operator==(const Task&) const = default;
};

/// How a trial ended.
enum class Outcome {
  kMeasured,  ///< the distance was right
  kUnfit,     ///< the plan says that it does not fit; Trial::why
  kWrong,     ///< a wrong distance, or a failed self-test
  kFailed,    ///< an error, or a crash of the process
  kSlow,      ///< stopped: it took too long
};
std::string_view name_of(Outcome outcome);

struct Trial {
  Task task;
  Machine machine;
  std::string kernels;  ///< which kernels: their hash
  Config config;        ///< as asked for; empty: what the plan takes by itself
  Config used;          ///< every tunable with its value, where it was measured
  Outcome outcome = Outcome::kMeasured;
  std::string why;            ///< it was not measured
  double seconds = 0;         ///< on the device, median of the runs
  double spread = 0;          ///< slowest run / fastest run
  double cells = 0;           ///< computed in a run
  std::int64_t distance = 0;  ///< of a pair, else the sum of all answers
};

/// A text for each machine, and one for each task on a machine: for keys.
std::string about_of(const Machine& machine);
std::string about_of(const Trial& trial);

/// A trial as a line of a store (seal.h) of this kind: "trial"; "confirmed" for one that was
/// measured again beside others, and takes the place of the earlier one; "setting" for one worth
/// using.
std::string line_of(const Trial& trial, std::string_view kind);

/// The trial in a JSON object of this kind; nothing if it is something else.
std::optional<Trial> trial_of(std::string_view object, std::string_view kind);

/// The same, of a line that is evidence: a trial, confirmed or not.
std::optional<Trial> evidence_of(std::string_view object);

}  // namespace rhomb::tune
