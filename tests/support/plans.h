// SPDX-License-Identifier: Apache-2.0
// What tests of plans plan for: invented devices, and problems that need no device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/engine/pair.h"
#include "host/ocl/limits.h"
#include "host/seq/alphabet.h"
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
