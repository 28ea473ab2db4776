// SPDX-License-Identifier: Apache-2.0
// tune: the parameters of a variant, one choice of them, and why a choice may not fit a device.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "../error.h"

namespace rhomb::tune {

/// One tunable: its name as in `--config WG=128`, the values a sweep tries (the first is the
/// default), and one line for --help.
struct Param {
  std::string name;
  std::vector<int> values;
  std::string meaning;
};

using Space = std::vector<Param>;

/// A choice of values. A parameter that is not named takes the plan's default for the device.
class Config {
 public:
  Config() = default;
  explicit Config(std::map<std::string, int> values) : values_(std::move(values)) {}

  /// Reads "K=4,WG=128"; the empty text is the empty choice. Throws UsageError.
  static Config parse(std::string_view text);

  bool has(const std::string& name) const { return values_.count(name) != 0; }
  int get(const std::string& name, int otherwise) const;
  void set(const std::string& name, int value) { values_[name] = value; }
  const std::map<std::string, int>& values() const { return values_; }

  /// Throws UsageError if a value is given for a name that `space` does not have.
  void check_names(const Space& space) const;

  /// "K=4,WG=128", sorted by name.
  std::string text() const;

  bool operator==(const Config&) const = default;

 private:
  std::map<std::string, int> values_;
};

/// A configuration or problem that a variant cannot run on a device, and why.
class Unfit : public Error {
 public:
  explicit Unfit(const std::string& why) : Error(Kind::kUsage, why) {}
};

}  // namespace rhomb::tune
