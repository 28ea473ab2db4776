// SPDX-License-Identifier: Apache-2.0
#include "host/strip/helper.h"

#include <array>
#include <utility>

#include "host/error.h"
#include "host/strip/blocks.h"
#include "host/strip/internal.h"

namespace rhomb::strip {
namespace {

/// The plan of a device of which another one like it has half of the lanes.
Plan plan_for_two(const Problem& problem, ocl::Limits limits, const tune::Config& config) {
  limits.compute_units *= 2;
  return strips_variant().plan(problem, limits, config);
}

}  // namespace

std::optional<HalfEach> half_each(const Plan& alone, const Problem& problem,
                                  const ocl::Limits& first, std::span<const ocl::Limits> others,
                                  const tune::Config& config, double to_open) {
  for (std::size_t i = 0; i < others.size() && alone.size.lower > 0; ++i) {
    if (weight_of(others[i]) < weight_of(first)) continue;
    try {
      HalfEach each{i, plan_for_two(problem, first, config)};
      const Plan other = plan_for_two(problem, others[i], config);
      if (each.plan.size.lower == 0 || other.program.text() != each.plan.program.text() ||
          other.config.text() != each.plan.config.text())
        continue;
      each.gain = first.gpu ? alone.seconds / (each.plan.seconds + to_open)
                            : gain_of_sharing(std::array{first, others[i]}, alone);
      if (each.gain >= kWorthSharing) return each;
    } catch (const tune::Unfit&) {
    } catch (const Error& error) {  // of memory
      if (error.kind() != Kind::kMemory) throw;
    }
  }
  return std::nullopt;
}

std::optional<Helper> helper_for(ocl::Device& device, const Plan& alone, const Problem& problem,
                                 const tune::Config& config, const OtherDevices& others) {
  auto each = half_each(alone, problem, device.limits(), others.limits, config, others.to_open);
  if (!each) return std::nullopt;
  try {
    Helper helper{others.open().at(each->other), std::move(each->plan)};
    ensure_tested(*helper.device, helper.plan);
    return helper;
  } catch (const SelfTestError& error) {
    device.warn(error, "one device computes both halves");
  } catch (const Error& error) {
    if (error.kind() != Kind::kDevice) throw;
  }
  return std::nullopt;
}

}  // namespace rhomb::strip
