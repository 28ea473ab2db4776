// SPDX-License-Identifier: Apache-2.0
// setting: what was measured on a device for problems like one, where no configuration is asked
// for; the part that engines for many problems have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/tune/store.h"

namespace rhomb::tune {

/// A lookup that may find nothing, and then says why.
struct Looked {
  std::optional<Setting> setting;
  std::string match = "none; what the plan takes by itself";
};

/// The setting for a variant and queries of this length. `store` and `device` may be null. Settings
/// are measured with two bits a symbol; texts of more planes need other shapes.
template <class Variant>
Looked look_up(const Store* store, const ocl::DeviceInfo* device, const char* engine,
               const Variant& variant, std::int64_t length, int planes, const Config& asked) {
  Looked looked;
  if (!asked.values().empty()) looked.match = "none; the configuration is forced";
  if (!asked.values().empty() || store == nullptr || device == nullptr || length == 0 ||
      variant.space.empty() || !variant.uses_opencl())
    return looked;
  auto found = store->nearest(engine, variant.name, *device, length, std::nullopt);
  if (!found) return looked;
  if (planes > 2) {
    looked.match =
        "none; they are measured with 2 bits a symbol, these texts have " + std::to_string(planes);
    return looked;
  }
  looked.match = found->match;
  looked.setting = std::move(found);
  return looked;
}

inline std::int64_t middle_length(std::span<const std::string_view> texts) {
  if (texts.empty()) return 0;
  std::vector<std::size_t> lengths;
  lengths.reserve(texts.size());
  for (const std::string_view text : texts) lengths.push_back(text.size());
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return static_cast<std::int64_t>(*middle);
}

}  // namespace rhomb::tune
