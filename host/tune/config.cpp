// SPDX-License-Identifier: Apache-2.0
#include "host/tune/config.h"

#include <algorithm>
#include <charconv>

namespace rhomb::tune {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  const auto letter_or_digit = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, letter_or_digit);
}

int parse_value(std::string_view piece, std::string_view digits) {
  int value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::result_out_of_range)
    throw UsageError("configuration: the value in " + quoted(piece) + " is too large");
  if (code != std::errc() || end != digits.data() + digits.size())
    throw UsageError("configuration: " + quoted(piece) +
                     " needs a whole number after '=', as in WG=128");
  return value;
}

}  // namespace

Config Config::parse(std::string_view text) {
  Config config;
  if (text.empty()) return config;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);

    const auto equals = piece.find('=');
    const std::string name(piece.substr(0, equals));
    if (equals == std::string_view::npos || !is_name(name))
      throw UsageError("configuration: " + quoted(piece) + " is not of the form NAME=NUMBER[,...]");
    if (config.has(name)) throw UsageError("configuration: " + quoted(name) + " is given twice");
    config.set(name, parse_value(piece, piece.substr(equals + 1)));
  }
  return config;
}

int Config::get(const std::string& name, int otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

void Config::check_names(const Space& space) const {
  for (const auto& [name, value] : values_) {
    const auto is_it = [&name = name](const Param& param) { return param.name == name; };
    if (std::ranges::any_of(space, is_it)) continue;
    std::string known;
    for (const Param& param : space) known += (known.empty() ? "" : ", ") + param.name;
    throw UsageError("configuration: there is no parameter " + quoted(name) + " here; " +
                     (known.empty() ? "this variant has none" : "the parameters are " + known));
  }
}

std::string Config::text() const {
  std::string text;
  for (const auto& [name, value] : values_)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(value);
  return text;
}

}  // namespace rhomb::tune
