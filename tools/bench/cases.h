// SPDX-License-Identifier: Apache-2.0
// Cases: what rhomb bench search and rhomb bench lcs share: variants with configurations, in
// limited time, and the record of each.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/engine/pair.h"
#include "host/ocl/device.h"
#include "host/tune/config.h"
#include "tools/cli/command_line.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

/// A variant with a configuration, which may be empty: the plan's own choice.
struct Case {
  std::string variant;
  tune::Config config;
};

/// The options that both have.
Group case_group();
/// The cases that --case names: "VARIANT" or "VARIANT K=V,...", several values as K=4/8. All of
/// `variants` as they are planned if there is none. Throws UsageError.
std::vector<Case> parse_cases(const CommandLine& line, const std::vector<std::string>& variants);
/// The same for the variants of an engine's table but the reference.
template <class Variant>
std::vector<Case> parse_cases(const CommandLine& line, std::span<const Variant> table) {
  std::vector<std::string> names;
  for (const Variant& variant : table)
    if (!variant.on_host) names.emplace_back(variant.name);
  return parse_cases(line, names);
}

/// The time of all that is to be measured, as it is used up.
class TimeShare {
 public:
  explicit TimeShare(double seconds) : end_(now() + seconds) {}
  double left() const { return end_ - now(); }
  /// What one of the `runs` that are still to come may take.
  double of(std::size_t runs) const {
    return std::max(left(), 0.0) / static_cast<double>(std::max<std::size_t>(runs, 1));
  }

 private:
  double end_;
};
TimeShare parse_budget(const CommandLine& line);

/// What became of a case, or of a peer.
struct CaseResult {
  std::string program = "rhomb";
  Case asked;
  tune::Config config = {};          ///< every tunable with its value, where it was measured
  Json work = Json::object();        ///< columns that say what was computed
  std::string peer_group = {};       ///< the peer with the same word is what it compares with
  double cells = 0;                  ///< of all matrices together
  int runs = 0;                      ///< of which the medians count
  double kernel = 0;                 ///< seconds of the launches, the data in place
  std::optional<double> whole = {};  ///< with copies, and for lcs packing
  std::string why = {};              ///< it was not measured; else empty

  bool measured() const { return why.empty() && kernel > 0; }
  double gcups() const { return measured() ? cells / kernel / 1e9 : 0; }
  /// "coop W=4": for messages.
  std::string name() const;
};

/// Runs `measure`. What does not fit becomes CaseResult::why; so does, where the variant does not
/// compute on OpenCL devices (`uses_cuda`), that there is no device of its kind.
template <class Measure>
void attempt(CaseResult& result, bool uses_cuda, const Measure& measure) {
  try {
    measure();
  } catch (const tune::Unfit& why) {
    result.why = why.what();
  } catch (const MemoryError& why) {
    result.why = why.what();
  } catch (const ocl::DeviceError& why) {
    if (!uses_cuda) throw;
    result.why = why.what();
  }
}

/// A peer on one core: solve(i) solves and compares problem `i` of `most`, as many of them, from
/// everywhere, as it takes about `seconds` for. Fills CaseResult::runs and kernel, the median of
/// `runs`, and returns how many these are.
template <class Solve>
std::size_t time_peer(CaseResult& result, std::size_t most, int runs, double seconds,
                      const Solve& solve) {
  const auto measured = [&](std::size_t count) {
    const double begin = now();
    for (std::size_t i = 0; i < count; ++i) solve(i * (most / count));
    return std::max(now() - begin, 1e-9);
  };
  const std::size_t few = std::min<std::size_t>(most, 4);
  const double wanted = seconds * static_cast<double>(few) / measured(few);
  const auto count = static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(most)));
  std::vector<double> all;
  for (int run = 0; run < runs; ++run) all.push_back(measured(count));
  result.runs = runs;
  result.kernel = median(all);
  return count;
}

/// The result of a case for which there was no time.
inline constexpr const char* kNoTime = "no time was left in --budget";

/// The records as they are printed: columns program, variant, config, device, those of the work,
/// runs, seconds, gcups, seconds_whole, gcups_whole, cores, times_peer, times_peer_core, note; in
/// JSON also asked, the configuration as asked for.
std::vector<Json> records_of(const std::vector<CaseResult>& results, const ocl::DeviceInfo& device);

}  // namespace rhomb::cli
