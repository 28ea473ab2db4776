// SPDX-License-Identifier: Apache-2.0
#include "host/engine/others.h"

#include <cstdio>
#include <string>

namespace rhomb {

Facts facts_of_sharing(std::span<const ocl::Limits> limits, double gain, bool shared,
                       std::string_view why) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", gain);
  Facts facts;
  facts.add("devices", static_cast<std::int64_t>(limits.size()));
  facts.add("expected_gain", text);
  facts.add("devices_used", static_cast<std::int64_t>(shared ? limits.size() : 1));
  if (!shared)
    facts.add("devices_not_used",
              std::string(limits[0].gpu ? why : "CPU devices have the same cores"));
  return facts;
}

}  // namespace rhomb
