// SPDX-License-Identifier: Apache-2.0
// What tests of plans plan for: invented devices, and problems that need no device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/engine/pair.h"
#include "host/engine/variant.h"
#include "host/ocl/limits.h"
#include "host/seq/alphabet.h"
#include "host/tune/config.h"
#include "tests/support/catch.h"

namespace rhomb::test {

/// A device that nobody has, and what it is.
struct Invented {
  std::string name;
  ocl::Limits limits;
};

inline std::vector<Invented> invented_devices() {
  std::vector<Invented> made;
  const auto add = [&](const char* name, bool gpu) -> ocl::Limits& {
    made.push_back({name, {}});
    made.back().limits.gpu = gpu;
    return made.back().limits;
  };
  add("plain defaults", false);
  for (const auto width : {1u, 2u, 4u, 8u, 16u}) {
    auto& cpu = add("CPU", false);
    made.back().name += " with vectors of " + std::to_string(width);
    cpu.vector_ints = width;
    cpu.compute_units = 8;
    cpu.max_work_group = 4096;
  }
  auto& nvidia = add("NVIDIA", true);
  nvidia.nvidia = true;
  nvidia.capability = 90;
  nvidia.compute_units = 132;
  nvidia.max_work_group = 1024;
  nvidia.global_bytes = std::uint64_t{140} << 30;
  nvidia.alloc_bytes = std::uint64_t{35} << 30;
  nvidia.local_bytes = 48u << 10;
  auto& common = add("16 GiB", true);
  common.compute_units = 60;
  common.global_bytes = std::uint64_t{16} << 30;
  common.alloc_bytes = std::uint64_t{4} << 30;
  common.local_bytes = 64u << 10;
  auto& tiny_local = add("tiny local memory", true);
  tiny_local.local_bytes = 1u << 10;
  auto& no_local = add("hardly any local memory", true);
  no_local.local_bytes = 64;
  auto& groups16 = add("groups of 16", true);
  groups16.max_work_group = 16;
  auto& groups1 = add("groups of 1", true);
  groups1.max_work_group = 1;
  auto& one_unit = add("one compute unit", true);
  one_unit.compute_units = 1;
  auto& small = add("256 MB", true);
  small.global_bytes = 256u << 20;
  small.alloc_bytes = 64u << 20;
  return made;
}

/// The limits of the invented device `name`.
inline ocl::Limits limits_of(std::string_view name) {
  for (const auto& device : invented_devices())
    if (device.name == name) return device.limits;
  FAIL("no device " << name);
  return {};
}

/// Texts without common ends, and four symbols to encode them with.
inline const std::string kA(1000, 'A'), kC(900, 'C');
inline const seq::Code kCode = seq::make_code("AC", std::string("\0\1", 2));

inline Problem problem(std::string_view a = kA, std::string_view b = kC) {
  Problem made;
  made.a = a;
  made.b = b;
  made.code = &kCode;
  return made;
}

/// Each variant that needs OpenCL and the reference, on each invented device: calls `what`, which
/// may throw tune::Unfit where `may_be_unfit` says so.
template <class Variant, class What, class MayBeUnfit>
void on_every_device(std::span<const Variant> table, const What& what,
                     const MayBeUnfit& may_be_unfit) {
  for (const auto& device : invented_devices())
    for (const Variant& variant : table) {
      if (variant.uses_cuda()) continue;  // has a device of its own
      INFO(variant.name << " on " << device.name);
      try {
        what(variant, device.limits);
      } catch (const tune::Unfit& why) {
        INFO(why.what());
        CHECK(may_be_unfit(variant, device.limits));
      }
    }
}

/// Each value of each tunable of those: check(variant, limits, configuration, name) makes a plan
/// and looks at it, or is refused with a reason that names a value. Returns how many plans there
/// were.
template <class Variant, class Check>
std::size_t with_every_value(std::span<const Variant> table, const Check& check) {
  std::size_t good = 0;
  on_every_device(
      table,
      [&](const Variant& variant, const ocl::Limits& limits) {
        for (const tune::Param& param : variant.space)
          for (const int value : param.values) {
            tune::Config config;
            config.set(param.name, value);
            INFO(config.text());
            try {
              check(variant, limits, config, param.name);
              ++good;
            } catch (const tune::Unfit& why) {
              CHECK_THAT(std::string(why.what()), contains("="));
            }
          }
      },
      [](const auto&...) { return false; });
  return good;
}

/// `plan` is refused as unfit, and each of `reasons` is a part of why.
template <class Plan>
void check_unfit(const Plan& plan, const std::vector<std::string>& reasons) {
  CHECK_THROWS_AS(plan(), tune::Unfit);
  for (const std::string& reason : reasons) CHECK_THROWS_WITH(plan(), contains(reason));
}

/// Two texts of `length` symbols without common ends, in memory that is never written.
class Long {
 public:
  explicit Long(std::size_t length)
      : length_(length), zeros_(static_cast<char*>(std::calloc(length + 1, 1)), std::free) {
    REQUIRE(zeros_ != nullptr);
    zeros_.get()[0] = zeros_.get()[length] = 1;
  }
  std::string_view a() const { return {zeros_.get(), length_}; }
  std::string_view b() const { return {zeros_.get() + 1, length_}; }

 private:
  std::size_t length_;
  std::unique_ptr<char, decltype(&std::free)> zeros_;
};

}  // namespace rhomb::test
