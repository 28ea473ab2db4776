// SPDX-License-Identifier: Apache-2.0
// Tracing: the file of --trace, and what is said about it.
#pragma once

#include <optional>
#include <string>

#include "host/ocl/limits.h"
#include "host/trace/trace.h"
#include "tools/cli/output.h"

namespace rhomb::cli {

class Tracing {
 public:
  /// Traces nothing if `file` is empty. Throws UsageError if the file cannot be made.
  explicit Tracing(const std::string& file);

  /// Where to record; null if nothing is traced.
  trace::Trace* get() { return trace_ ? &*trace_ : nullptr; }

  /// Writes the file, which then takes its name. Nobody may record any more. `device` may be null.
  void commit(const ocl::DeviceInfo* device);

  /// A line for standard error, "rhomb: trace: ..."; empty if nothing is traced.
  std::string summary() const;

 private:
  std::optional<Output> out_;
  std::optional<trace::Trace> trace_;
};

}  // namespace rhomb::cli
