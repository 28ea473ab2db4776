// SPDX-License-Identifier: Apache-2.0
// Facts: what --explain says of a run, one thing after another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rhomb {

/// Names in snake_case, each once, and plain values, in the order in which they are printed.
class Facts {
 public:
  void add(const char* name, std::string value) { all_.emplace_back(name, std::move(value)); }
  void add(const char* name, std::int64_t value) { add(name, std::to_string(value)); }
  void add(const std::string& name, std::string value) {
    all_.emplace_back(name, std::move(value));
  }
  void add(const Facts& more) { all_.insert(all_.end(), more.all_.begin(), more.all_.end()); }

  /// What is said of this name; empty if that is nothing.
  std::string_view text(std::string_view name) const {
    for (const auto& [each, value] : all_)
      if (each == name) return value;
    return {};
  }
  /// The number of this name; nothing if there is none.
  std::optional<std::int64_t> number(std::string_view name) const {
    const std::string_view value = text(name);
    return value.empty() ? std::nullopt
                         : std::optional<std::int64_t>(std::stoll(std::string(value)));
  }
  /// This number for a name, instead of another where there is one.
  void set(const char* name, std::int64_t value) {
    for (auto& [each, text] : all_)
      if (each == name) {
        text = std::to_string(value);
        return;
      }
    add(name, value);
  }

  const std::vector<std::pair<std::string, std::string>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

}  // namespace rhomb
