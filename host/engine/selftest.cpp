// SPDX-License-Identifier: Apache-2.0
#include "host/engine/selftest.h"

#include "host/engine/program.h"
#include "host/engine/reference.h"
#include "host/error.h"

namespace rhomb::selftest {

void compare(const ocl::Device& device, const std::string& file, const ocl::Defines& defines,
             const std::optional<std::int64_t>& got, std::int64_t expected, std::string_view what) {
  if (got == expected) return;
  throw CheckError("the self-test of " + engine::Program{file, "", defines}.text() +
                   " failed on '" + device.info().name + "', driver " + device.info().driver +
                   ": " + std::string(what) + " " +
                   (got ? std::to_string(*got) : std::string("none")) + " instead of " +
                   std::to_string(expected) +
                   "; this device or its driver computes wrongly, use another (rhomb devices)");
}

Problem Pairs::problem(const std::string& a, const std::string& b) const {
  Problem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &code_;
  return trimmed(problem);
}

std::int64_t Pairs::distance(const std::string& a, const std::string& b) const {
  // Close texts are compared within a band: the reference should not take longer than the program.
  constexpr std::int64_t kClose = 400;
  const auto close = reference::edit_distance_within(a, b, code_, kClose);
  return close ? *close : reference::edit_distance(a, b, code_);
}

}  // namespace rhomb::selftest
