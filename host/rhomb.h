// SPDX-License-Identifier: Apache-2.0
// rhomb: exact edit distance of long sequences on OpenCL devices. The one header a user includes.
//
//   auto devices = rhomb::ocl::list_devices();
//   rhomb::ocl::Device device(rhomb::ocl::choose_device("", devices));
//   auto a = rhomb::seq::read_file("A.fa"), b = rhomb::seq::read_file("B.fa");
//   auto answer = rhomb::distance(&device, a[0].symbols, b[0].symbols);
//   std::cout << *answer.distance << "\n";
//
// Functions throw rhomb::Error (host/error.h); they never print and never exit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "host/engine/facts.h"
#include "host/error.h"
#include "host/ocl/device.h"
#include "host/seq/alphabet.h"
#include "host/seq/reader.h"
#include "host/strip/strip.h"
#include "host/tune/config.h"
#include "host/tune/store.h"
#include "host/wfa/wfa.h"

namespace rhomb {

struct DistanceOptions {
  std::string engine = "auto";               ///< auto, strips, wavefront or reference
  std::string variant;                       ///< one of the engine's table; empty: its best
  tune::Config config;                       ///< tunables that are forced; empty: what was tuned
  std::optional<std::int64_t> max_distance;  ///< stop once the distance is known to exceed this
  seq::Ambiguous ambiguous = seq::Ambiguous::kSymbol;
  bool check = false;  ///< compute again in an independent way; CheckError if the answers differ
  /// Before a pair that will take seconds a device that nobody has measured may be measured, which
  /// takes a second or two, and the result kept in the user's data directory.
  bool may_measure = false;
  std::function<void(const Progress&)> progress;
  /// Records the phases of the run; the device's own trace if this is null.
  trace::Trace* trace = nullptr;
  const tune::Store* store = nullptr;  ///< what was measured; null: the files are read each time
};

/// Seconds. `total` is what the caller waited for, reading files not included.
struct Timing {
  double read = 0;      ///< reading the files; filled in by who reads them
  double build = 0;     ///< finding, building and testing the device programs
  double transfer = 0;  ///< packing the sequences and copying them to the device
  double compute = 0;   ///< time on the device, launches and waits included
  double total = 0;
};

struct DistanceAnswer {
  std::optional<std::int64_t> distance;  ///< nothing: it exceeds DistanceOptions::max_distance
  std::string engine;                    ///< "strips", "wavefront", "reference"
  std::string variant;                   ///< "fused"
  std::string device;                    ///< the device's name; "host" for the reference
  tune::Config config;                   ///< every tunable with the value used
  int passes = 1;                        ///< how often the matrix was gone through
  double cells = 0;                      ///< cells computed
  std::string checked;  ///< what the answer was compared with, empty without `check`
  Timing timing;
};

/// Throws UsageError for an engine, a variant or a tunable that there is not.
void check_method(const DistanceOptions& options);

/// False for the reference, and for variants that compute on a device that is not OpenCL's.
bool needs_opencl(const DistanceOptions& options);

/// Whether distance() answers a pair of these lengths by the reference, before a device would have
/// compiled anything: where the engine is chosen by itself and nothing is to be checked.
bool answered_at_once(std::size_t a, std::size_t b, const DistanceOptions& options);

/// The unit-cost edit distance of `a` and `b`, exact. Reads the files of what was measured
/// (DistanceOptions::store), and writes none without DistanceOptions::may_measure, except the
/// device's cache of programs.
///
/// `device` may be null if needs_opencl() is false or answered_at_once() true. Throws UsageError
/// for an unknown engine or variant and for texts of more than 2^31 - 1 symbols, tune::Unfit for a
/// configuration that the device or the problem does not allow, ocl::DeviceError, MemoryError, and
/// CheckError when a self-test or `check` finds a difference.
DistanceAnswer distance(ocl::Device* device, std::string_view a, std::string_view b,
                        const DistanceOptions& options = {});

/// What distance() would do and why, without running anything.
Facts explain_distance(const ocl::DeviceInfo* device, std::string_view a, std::string_view b,
                       const DistanceOptions& options);

}  // namespace rhomb
