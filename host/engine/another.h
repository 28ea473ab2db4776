// SPDX-License-Identifier: Apache-2.0
// another: what computes where a program fails its self-test on a device. One rule for all tables:
// where nothing was asked for, the first variant of the table that fits and whose programs pass,
// and the reference where that takes about a second; the device warns of it. What was asked for is
// not replaced, but the error names a variant that passes: one that was tried.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "host/error.h"
#include "host/ocl/device.h"

namespace rhomb::engine {

/// So many cells take the reference about a second.
inline constexpr double kForReference = 1e9;

/// How a table is gone on with.
struct Another {
  ocl::Device* device = nullptr;
  bool asked = false;             ///< for a variant or for tunables
  std::function<double()> cells;  ///< of all matrices of the problem
};

/// What is added to a SelfTestError where nothing else computes rightly.
inline constexpr std::string_view kNoOther =
    "; no other variant computes rightly there, use another device (rhomb devices)";

/// The name of a variant, or of a Method.
template <class Row>
std::string_view name_of(const Row& row) {
  if constexpr (requires { row.name; })
    return row.name;
  else
    return row.variant;
}

/// Whether a variant that fails so leaves the problem to the next: it computes wrongly, cannot do
/// what is wanted, has too little memory, or a driver does not take it.
inline bool passed_over(const Error& error) {
  return dynamic_cast<const SelfTestError*>(&error) != nullptr || error.kind() == Kind::kUsage ||
         error.kind() == Kind::kMemory || error.kind() == Kind::kDevice;
}

/// What first() gives, or, where that throws SelfTestError, run(row) for another of the `rows`.
/// attempt(row) computes a small problem, to learn whether its programs pass. Throws what these
/// throw, and SelfTestError where nothing passes or something was asked for.
template <class Row, class First, class Run, class Attempt>
auto with_another(const Another& how, std::span<const Row> rows, const First& first, const Run& run,
                  const Attempt& attempt) {
  if (how.asked && how.device != nullptr) how.device->doubt_failures();
  std::optional<SelfTestError> failure;
  try {
    return first();
  } catch (const SelfTestError& error) {
    if (how.device == nullptr) throw;
    failure = error;
  }
  for (const Row& row : rows) {
    if (!row.uses_opencl() && !(row.on_host && how.cells() <= kForReference)) continue;
    const std::string name(name_of(row));
    try {
      if (!how.asked) {
        auto made = run(row);
        how.device->warn(*failure, name + " computes instead");
        return made;
      }
      attempt(row);
    } catch (const Error& error) {
      if (!passed_over(error)) throw;
      continue;
    }
    throw SelfTestError(failure->file(), failure->what() + ("; " + name) +
                                             " computes rightly there (--variant " + name + ")");
  }
  throw SelfTestError(failure->file(), failure->what() + std::string(kNoOther));
}

}  // namespace rhomb::engine
