// SPDX-License-Identifier: Apache-2.0
#include "host/engine/program.h"

#include <utility>

#include "host/batch/threads.h"
#include "host/error.h"

namespace rhomb::engine {

std::string Program::text() const {
  std::string text = file;
  for (const auto& [name, value] : defines) text += " " + name + "=" + value;
  return text;
}

std::future<void> make_meanwhile(ocl::Device& device, std::size_t threads,
                                 std::function<void(ocl::Device&)> make) {
  return std::async(batch::beside(threads), [&device, make = std::move(make)] {
    try {
      make(*device.beside());
    } catch (const Error&) {
    }
  });
}

std::string setting(std::string_view name, std::int64_t value) {
  return std::string(name) + "=" + std::to_string(value);
}

int usual_lanes(const ocl::Limits& limits, const tune::Config& config) {
  const int usual = limits.gpu || config.get("WG", 1) > 1 ? 1
                    : limits.vector_ints >= 16            ? 16
                    : limits.vector_ints >= 8             ? 8
                                                          : 4;
  return config.get("LANES", usual);
}

void check_lanes(int lanes, int group, std::string_view name) {
  if (lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16)
    throw tune::Unfit(setting(name, lanes) + " is not 1, 4, 8 or 16");
  if (lanes > 1 && group != 1)
    throw tune::Unfit(setting(name, lanes) + " needs WG=1: lanes replace work-items");
}

void check_group(int group, const ocl::Limits& limits) {
  if (group < 1 || static_cast<std::size_t>(group) > limits.max_work_group)
    throw tune::Unfit(setting("WG", group) + " is not between 1 and " +
                      std::to_string(limits.max_work_group) + ", the largest group of the device");
}

void check_between(std::string_view name, std::int64_t value, std::int64_t least,
                   std::int64_t most) {
  if (value < least || value > most)
    throw tune::Unfit(setting(name, value) + " is not between " + std::to_string(least) + " and " +
                      std::to_string(most));
}

int team_size(const ocl::Limits& limits, int group) {
  return limits.nvidia && group % 32 == 0 ? 32 : 1;
}

}  // namespace rhomb::engine
