// SPDX-License-Identifier: Apache-2.0
#include "host/search/setting.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "host/tune/setting.h"

namespace rhomb::search {
namespace {

/// Tunables that the plan takes by the queries' length.
constexpr std::string_view kByLength[] = {"K", "SLOT", "R", "W"};

}  // namespace

TunedPlan plan_tuned(const tune::Store* store, const ocl::DeviceInfo* device,
                     const Variant& variant, const Problem& problem, const tune::Config& asked) {
  const ocl::Limits limits = variant.uses_cuda() ? variant.cuda_device().limits
                             : device != nullptr ? device->limits
                                                 : ocl::Limits{};
  const int planes = problem.code->planes;
  tune::Looked looked = tune::look_up(store, device, "search", variant,
                                      tune::middle_length(problem.queries), planes, asked);
  if (looked.setting && !looked.setting->trial.config.values().empty()) {
    const tune::Trial& trial = looked.setting->trial;
    auto values = trial.config.values();
    std::string dropped;
    if (!std::ranges::all_of(problem.queries, [&](std::string_view query) {
          return static_cast<std::int64_t>(query.size()) == trial.task.length;
        }))
      for (const std::string_view name : kByLength)
        if (values.erase(std::string(name)) != 0)
          dropped += (dropped.empty() ? "" : ", ") + std::string(name);
    if (!dropped.empty()) dropped = "; without " + dropped + ", which follow the lengths";
    try {
      return {plan(variant, problem, limits, tune::Config(std::move(values))),
              looked.match + dropped};
    } catch (const tune::Unfit& error) {
      looked.match = std::string("none; the one for such queries does not fit: ") + error.what();
    } catch (const UsageError&) {
      looked.match = "none; the one for such queries is of another version";
    }
  }
  return {plan(variant, problem, limits, asked), looked.match};
}

}  // namespace rhomb::search
