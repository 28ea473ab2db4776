// SPDX-License-Identifier: Apache-2.0
// Method: a variant of an engine for one pair, whichever plans it makes; all of them in one list.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/dist/checkpoint.h"
#include "host/distance/distance.h"
#include "host/engine/facts.h"
#include "host/engine/pair.h"
#include "host/error.h"
#include "host/ocl/device.h"
#include "host/tune/store.h"

namespace rhomb {

struct Choice;

struct Method {
  std::string_view engine;  ///< "strips", "corridor", "wavefront", "reference"
  std::string_view variant;
  std::string_view summary;
  const tune::Space* space = nullptr;
  bool on_host = false;
  bool saves = false;  ///< Variant::saves
  ocl::DeviceInfo (*cuda_device)() = nullptr;
  std::function<Answer(ocl::Device*, const Problem&, const tune::Config&)> solve;
  /// What a plan is, and that there is one: throws what planning throws.
  std::function<Facts(const Problem&, const ocl::Limits&, const tune::Config&)> explain;

  /// Device memory where a run keeps rows for an alignment; empty: it keeps none there.
  std::function<std::uint64_t(const Problem&, const ocl::Limits&, const tune::Config&)>
      bytes_keeping = {};

  /// The same with others' help; empty where none can help.
  std::function<Answer(ocl::Device&, const OtherDevices&, const Problem&, const tune::Config&)>
      solve_shared = {};
  std::function<Facts(const Problem&, std::span<const ocl::Limits>, const tune::Config&)>
      explain_sharing = {};

  bool uses_opencl() const { return !on_host && cuda_device == nullptr; }
};

inline constexpr std::string_view kStrips = "strips", kCorridor = "corridor",
                                  kWavefront = "wavefront", kReference = "reference";

/// The variant of the strips that has many pairs at a time.
inline constexpr std::string_view kStripsBatch = "strips-batch";

/// The variant of the corridor for pairs with long gaps.
inline constexpr std::string_view kPieces = "pieces";

/// Gets ready meanwhile what the engine will need that is chosen for a trimmed problem, where a
/// driver takes its time for that. Both must outlive what is returned, which may have nothing to
/// wait for.
std::future<void> make_ready(ocl::Device& device, const Problem& rest, bool to_align = false);

/// All of them, the best of an engine first.
std::span<const Method> all_methods();

/// The best variant of an engine, or the one of this name.
Method method_named(std::string_view engine, const std::string& variant = "");

/// The best variant of an engine that saves what it reaches. Throws UsageError if it has none.
Method method_that_saves(std::string_view engine);

/// Has no engine that saves nothing begin a run from which something would have been saved every so
/// many seconds; and the engine go on, if one is named, that an earlier run was at.
void choose_saving(Choice& choice, std::string_view engine, double every);

/// What a checkpoint of this pair is told apart from others by.
dist::Identity identity_of(std::string_view a, std::string_view b, const DistanceOptions& options);

/// Throws UsageError if the engine that is asked for is not the one that an earlier run was at.
void check_goes_on(const std::optional<Method>& asked, const std::optional<dist::State>& kept,
                   const DistanceOptions& options);

/// The one that is asked for; with DistanceOptions::keeping one that saves. Throws UsageError if
/// there is none; nothing where the engine is to be chosen for each pair.
std::optional<Method> method_of(const DistanceOptions& options);

/// The tuned configuration of a method for a problem whose distance is expected to be so large;
/// empty where none is known, where nothing is better than what the plan takes by itself, or where
/// it does not fit. `match` is told where it comes from.
tune::Config tuned_config(const ocl::DeviceInfo& device, const Method& method,
                          const Problem& problem, std::optional<std::int64_t> expected,
                          const tune::Store& store, std::string* match = nullptr);

/// Whether a run failed because memory did not suffice. Drivers that hand memory out late say
/// CL_OUT_OF_RESOURCES at some later call.
bool out_of_memory(const Error& error);

/// Whether it failed so, or because a program fails its self-test: another way is then taken.
bool left_to_others(const Error& error);

/// What came of an engine that may give up.
struct Tried {
  Answer answer;
  bool go_on = false;  ///< there is no answer, and the strips are to find it
};

/// Wavefronts, as long as `choice` lets them run and memory suffices: `solve` runs them for a
/// problem that is given up when they have taken too long.
Tried try_wavefronts(const std::function<Answer(const Problem&)>& solve, const Problem& problem,
                     const Choice& choice);

/// Solves `problem` again in another way than `method` and compares. Returns what `found` was
/// compared with; throws CheckError if that says something else.
std::string check_distance(ocl::Device* device, const Method& method, const Problem& problem,
                           const std::optional<std::int64_t>& found, const tune::Store& store);

/// Without the code, which takes a look at all symbols.
Problem problem_of(std::string_view a, std::string_view b, const DistanceOptions& options);

}  // namespace rhomb
