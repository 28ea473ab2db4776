// SPDX-License-Identifier: Apache-2.0
#include "host/engine/selftest.h"

#include <array>
#include <span>

#include "host/engine/program.h"
#include "host/engine/reference.h"
#include "host/error.h"

namespace rhomb::selftest {
namespace {

const std::string kLoops = "loops.cl";

/// What cl/loops.cl is for.
void test_loops(ocl::Device& device, const std::string& file, const ocl::Defines& defines) {
  constexpr std::uint32_t kTimes = 512;
  std::array<std::uint32_t, 16> rounds;
  Numbers numbers;
  for (std::uint32_t& one : rounds) one = 128 + numbers.below(64);
  std::uint32_t expected = 1;
  for (std::uint32_t i = 0; i < kTimes; ++i)
    for (std::uint32_t left = rounds[i % 16]; left != 0; --left)
      expected = expected * 5 + (left ^ i);
  const auto given = device.upload(std::span<const std::uint32_t>(rounds));
  const auto sum = device.filled<std::uint32_t>(1, 0);
  device.kernel(file, "loops", defines)(ocl::Range{}, given, sum, kTimes);
  compare(device.read(sum, 0, 1)[0], expected, "sum");
}

}  // namespace

void compare(const std::optional<std::int64_t>& got, std::int64_t expected, std::string_view what) {
  if (got == expected) return;
  throw CheckError(std::string(what) + " " + (got ? std::to_string(*got) : std::string("none")) +
                   " instead of " + std::to_string(expected));
}

void ensure_passed(ocl::Device& device, const std::string& file, const ocl::Defines& defines,
                   const std::function<void()>& test) {
  const auto failed = [&](const std::string& how) {
    return SelfTestError(file, "the self-test of " + engine::Program{file, "", defines}.text() +
                                   " failed on '" + device.info().name + "', driver " +
                                   device.info().driver + ": " + how);
  };
  // Programs are built beside each other, and tested one at a time.
  if (!device.failed(file, defines) && device.tested(file, defines)) return;
  const auto alone = device.testing();
  if (const auto how = device.failed(file, defines)) throw failed(*how);
  if (device.tested(file, defines)) return;
  if (const ocl::Defines start{{"START", "1"}}; file != kLoops)
    ensure_passed(device, kLoops, start, [&] { test_loops(device, kLoops, start); });
  const trace::Scope scope(device.trace(), trace::Work::kTest, file);
  try {
    test();
  } catch (const SelfTestError&) {  // of another program that the test needs
    throw;
  } catch (const CheckError& error) {
    device.mark_failed(file, defines, error.what());
    throw failed(error.what());
  }
  device.mark_tested(file, defines);
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
