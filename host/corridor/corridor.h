// SPDX-License-Identifier: Apache-2.0
// corridor: edit distance in nearly linear time, the engine for long sequences that are alike but
// not nearly the same. README.md has the method and its proof.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <span>

#include "host/corridor/certify.h"
#include "host/corridor/cuts.h"
#include "host/engine/facts.h"
#include "host/engine/kept.h"
#include "host/engine/others.h"
#include "host/engine/pair.h"
#include "host/engine/program.h"
#include "host/engine/variant.h"
#include "host/ocl/device.h"
#include "host/seq/unset.h"

namespace rhomb::corridor {

/// Everything a run needs to know before it starts: what --explain prints.
struct Plan {
  engine::Program program;
  tune::Config config;  ///< every tunable with the value it has
  int group = 1;        ///< work-items a group
  int lanes = 1;        ///< bands a work-item
  int team = 0;         ///< work-items that share a band; 0: as many as the bands of a launch want
  int planes = 0;
  bool sets = false;           ///< symbols match when they share a base (seq::Matching::kSets)
  bool self_test = false;      ///< the run is a known-answer test itself
  bool words = false;          ///< are looked for by the device
  bool without_words = false;  ///< windows tell all
  bool shared = false;         ///< other devices have a share of the bands, whatever that gains
  Grid grid;
  CertifyOptions options;
  std::uint64_t text_bytes = 0;   ///< device memory of both texts
  std::uint64_t state_bytes = 0;  ///< and of the bands that are computed at once, at most

  std::uint64_t word_bytes = 0;  ///< and of tables of words

  std::uint64_t bytes() const { return text_bytes + state_bytes + word_bytes; }
};

using Variant = rhomb::Variant<Problem, Plan, Answer>;

/// The variant that needs no device.
inline constexpr std::string_view kHostCorridor = "corridor-host";

/// The table, best first.
std::span<const Variant> variants();

/// Plans and runs `variant`: takes a sketch of the pair if Problem::guess is empty, strips the
/// common prefix and suffix, answers what needs no device, makes sure that the program's
/// known-answer test has passed on this device (else CheckError). Answer::passed_on where the
/// texts are too unlike for a corridor.
///
/// Throws tune::Unfit, ocl::DeviceError, MemoryError.
Answer solve(ocl::Device* device, const Variant& variant, const Problem& problem,
             const tune::Config& config = {});

/// The same with others, which have a share of the bands where that gains.
Answer solve(ocl::Device& device, const OtherDevices& others, const Variant& variant,
             const Problem& problem, const tune::Config& config = {});

/// What --explain says of that: how many devices, what is gained, how many are used.
Facts explain_sharing(const Variant& variant, const Problem& problem,
                      std::span<const ocl::Limits> limits, const tune::Config& config);

/// Has a plan's run keep rows about so many apart, or further so that they have no more bytes than
/// that. Its program is another one then.
void keep_rows(Plan& plan, double apart, double bytes);

struct DeviceTexts;

/// A run and the rows that its segments began with, and with keep_rows() others between them. The
/// first one is the first row.
struct Kept {
  Answer answer;
  UnsetVector<KeptRow> rows;  ///< ascending; empty without a distance
  RowMemory memory = {};
  std::shared_ptr<const DeviceTexts> texts = nullptr;  ///< on the device, if there is one
};

/// The run of a plan for this very problem, whose ends stay as they are; on the host without a
/// device.
Kept solve_keeping(ocl::Device* device, const Plan& plan, const Problem& problem);

/// Adds a guess and a chain to a problem that lacks either, from a sketch of it. The chain is that
/// of `sketch`.
void look(Problem& problem, Sketch& sketch);

/// Cuts of a pair, the texts on the device, and seconds that were needed for them.
struct Cutting {
  Cuts cuts;
  std::shared_ptr<const DeviceTexts> texts;
  tune::Config config;
  double build = 0, transfer = 0, compute = 0;
};

/// With the rows that blocks have there, unless it says how many.
tune::Config cut_config(tune::Config config);

/// When windows tell more than words what paths far from the reference path pay.
enum class Windows { kWorth, kAlways, kNever };
struct CutsWanted {
  bool all = false;  ///< as in CutOptions
  Windows windows = Windows::kNever;
};
/// Cuts a trimmed problem that has a guess and a chain (cuts.h). Throws what planning throws.
Cutting find_cuts(ocl::Device& device, const Problem& problem, tune::Config config,
                  const Rates& rates, const CutsWanted& wanted = {});

/// What --explain prints of the plan that solve() would use. Throws what planning throws.
Facts explain(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
              const tune::Config& config);

/// The plan that solve() would use, prefix and suffix stripped, if Problem::guess is given.
Plan plan(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config = {});

/// Gets the program for a trimmed problem ready meanwhile, where a driver takes its time for that
/// and the texts are long. Both must outlive what is returned, which may have nothing to wait for.
/// `keeps`: before it that of a plan with keep_rows(); proofs of cuts need the other one.
std::future<void> make_ready(ocl::Device& device, const Problem& problem, bool keeps = false);

/// Makes sure that the known-answer test of the plan's program has passed on `device`, now or in an
/// earlier process. Throws CheckError when it gives a wrong distance.
void ensure_tested(ocl::Device& device, const Plan& plan);

}  // namespace rhomb::corridor
