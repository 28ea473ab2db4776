// SPDX-License-Identifier: Apache-2.0
#include "host/lcs/setting.h"

#include <cstdint>
#include <utility>

#include "host/tune/setting.h"

namespace rhomb::lcs {

TunedConfig tuned_config(const tune::Store* store, const ocl::DeviceInfo* device,
                         const Variant& variant, const Problem& problem,
                         const tune::Config& asked) {
  const std::int64_t length = tune::middle_length(problem.all_queries());
  tune::Looked looked =
      tune::look_up(store, device, "lcs", variant, length, problem.code->planes, asked);
  if (!looked.setting || looked.setting->trial.config.values().empty())
    return {asked, looked.match};
  const tune::Config& config = looked.setting->trial.config;
  const auto rows = [&](const tune::Config& with) {
    return plan(variant, problem, device->limits, with).rows();
  };
  try {
    const double most = 1.1 * rows({});
    if (rows(config) <= most) return {config, looked.match};
    // Of several queries each gets the rows of a block that its length asks for.
    auto values = config.values();
    const bool erased = values.erase("K") + values.erase("W") > 0;
    tune::Config rest(std::move(values));
    if (problem.all_queries().size() > 1 && erased && rows(rest) <= most)
      return {std::move(rest), looked.match + "; without K and W, which follow the lengths"};
    looked.match = "none; the one for such queries has more rows than this one needs";
  } catch (const Error& error) {
    looked.match = std::string("none; the one for such queries does not fit: ") + error.what();
  }
  return {asked, looked.match};
}

}  // namespace rhomb::lcs
