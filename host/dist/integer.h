// SPDX-License-Identifier: Apache-2.0
// integer: a number of JSON as the type that it is kept in, so that none is cut off or made of a
// fraction, which the library that reads JSON leaves undefined.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace rhomb::dist {

/// Throws std::out_of_range for what is no integer, or none that T has.
template <class T, class Json>
T integer(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.template get<std::uint64_t>();
    if (std::in_range<T>(value)) return static_cast<T>(value);
  } else if (json.is_number_integer()) {
    const auto value = json.template get<std::int64_t>();
    if (std::in_range<T>(value)) return static_cast<T>(value);
  }
  throw std::out_of_range("not an integer that fits");
}

/// The same of all values of an object, by their keys.
template <class T, class Json>
std::map<std::string, T> integers(const Json& json) {
  if (!json.is_object()) throw std::out_of_range("not an object");
  std::map<std::string, T> values;
  for (const auto& [key, value] : json.items()) values[key] = integer<T>(value);
  return values;
}

}  // namespace rhomb::dist
