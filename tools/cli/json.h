// SPDX-License-Identifier: Apache-2.0
// JSON: one object per line, keys in the order given, numbers as they are printed elsewhere.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/distance/distance.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

using Json = nlohmann::ordered_json;

/// The object and a line end. Names of files may hold anything: what is no UTF-8 is replaced.
inline std::string json_line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// {"K": 4, "WG": 128}
inline Json json_of(const tune::Config& config) {
  Json object = Json::object();
  for (const auto& [name, value] : config.values()) object[name] = value;
  return object;
}

inline Json json_of(const Timing& timing) {
  Json object;
  object["read"] = rounded(significant(timing.read));
  object["build"] = rounded(significant(timing.build));
  object["transfer"] = rounded(significant(timing.transfer));
  object["compute"] = rounded(significant(timing.compute));
  object["total"] = rounded(significant(timing.total));
  return object;
}

/// Keys and values as --explain prints them: a line each, or an object. What is a number is one.
inline std::string explained(const std::vector<std::pair<std::string, std::string>>& values,
                             bool json) {
  std::string lines;
  Json object;
  for (const auto& [key, value] : values) {
    lines += key + '\t' + field(value) + '\n';
    const Json number = Json::parse(value, nullptr, /*allow_exceptions=*/false);
    object[key] = number.is_number() ? number : Json(value);
  }
  return json ? json_line(object) : lines;
}

/// A count that may exceed 64 bits: a whole number where it fits exactly.
inline Json json_count(double count) {
  if (count >= 0 && count <= 9007199254740992.0) return static_cast<std::uint64_t>(count + 0.5);
  return count;
}

}  // namespace rhomb::cli
