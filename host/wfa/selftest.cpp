// SPDX-License-Identifier: Apache-2.0
// The known-answer test that a program passes before its first real use on a device.
//
// Drivers miscompile. A few small problems that touch what can go wrong -- unrelated texts, long
// matches, very unequal lengths, every plane of the alphabet -- are solved with the program and
// compared with the reference. A pass is remembered with the cached binary.
#include <string>

#include "host/reference.h"
#include "host/wfa/internal.h"

namespace rhomb::wfa {
namespace {

/// Numbers that are the same everywhere (Knuth's linear congruential generator).
class Numbers {
 public:
  unsigned below(unsigned bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_ = 2023;
};

/// A code of `planes` bits that uses all of them. Sets: bases and all their unions.
seq::Code spread_code(int planes, bool sets) {
  seq::Code code;
  const unsigned mask = (1u << planes) - 1;
  for (unsigned c = 0; c < 256; ++c)
    code.a[c] = static_cast<std::uint8_t>(sets ? (c % 15) + 1 : (c * 37u) & mask);
  code.b = code.a;
  code.planes = planes;
  code.matching = sets ? seq::Matching::kSets : seq::Matching::kEqual;
  return code;
}

std::string random_text(Numbers& numbers, std::size_t length, unsigned symbols) {
  std::string text(length, ' ');
  for (char& c : text) c = static_cast<char>(numbers.below(symbols));
  return text;
}

std::string edited(Numbers& numbers, const std::string& text, unsigned one_in, unsigned symbols) {
  std::string made;
  for (const char c : text) {
    const unsigned kind = numbers.below(3 * one_in);
    if (kind == 0) continue;
    made += kind == 1 ? static_cast<char>(numbers.below(symbols)) : c;
    if (kind == 2) made += static_cast<char>(numbers.below(symbols));
  }
  return made;
}

}  // namespace

void ensure_tested(ocl::Device& device, const Row& row, const Plan& plan, const Stage& stage) {
  const ocl::Defines defines = plan.defines(stage);
  if (plan.self_test || device.tested(plan.file, defines)) return;

  const seq::Code code = spread_code(plan.planes, plan.sets);
  const unsigned symbols = plan.sets ? 4u : 1u << plan.planes;
  Numbers numbers;
  const auto check = [&](const std::string& a, const std::string& b) {
    Problem problem;
    problem.a = a;
    problem.b = b;
    problem.code = &code;
    problem = trimmed(problem);  // what runs are given; none of these pairs becomes empty
    Plan trial = row.plan(problem, device.limits(), plan.config);
    trial.stages = {stage};
    trial.self_test = true;
    // Close texts are compared within a band: the reference should not take longer than the
    // program.
    const auto near = reference::edit_distance_within(a, b, code, 400);
    const std::int64_t expected = near ? *near : reference::edit_distance(a, b, code);
    const auto got = row.run(&device, trial, problem).distance;
    if (got == expected) return;
    std::string text = "the self-test of " + plan.file + " (";
    for (const auto& [name, value] : defines) text += name + "=" + value + " ";
    text.back() = ')';
    throw CheckError(text + " failed on '" + device.info().name + "', driver " +
                     device.info().driver + ": distance " +
                     (got ? std::to_string(*got) : std::string("none")) + " instead of " +
                     std::to_string(expected) +
                     "; this device or its driver computes wrongly, use another (rhomb devices)");
  };

  const std::string base = random_text(numbers, 700, symbols);
  check(base, random_text(numbers, 640, symbols));
  check(base, edited(numbers, base, 10, symbols));
  check(base.substr(0, 3), base.substr(100, 400));
  const std::string longer = random_text(numbers, 5000, symbols);
  check(longer, edited(numbers, longer, 1500, symbols));
  check(longer.substr(1, 300) + longer, longer + base.substr(0, 64));
  device.mark_tested(plan.file, defines);
}

}  // namespace rhomb::wfa
