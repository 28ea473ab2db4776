// SPDX-License-Identifier: Apache-2.0
#include "host/tune/trial.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#include "host/dist/integer.h"
#include "host/tune/seal.h"

namespace rhomb::tune {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kNames = {"measured", "unfit", "wrong", "failed", "slow"};

/// Calls `field` with the key and the member of all that a line says besides its outcome.
template <class OneTrial, class Field>
void each_field(OneTrial& trial, const Field& field) {
  field("engine", trial.task.engine);
  field("variant", trial.task.variant);
  field("length", trial.task.length);
  field("divergence", trial.task.divergence);
  field("device", trial.machine.device);
  field("driver", trial.machine.driver);
  field("compute_units", trial.machine.compute_units);
  field("kernels", trial.kernels);
  field("config", trial.config);
}

/// The same of what was measured, or of why nothing was.
template <class OneTrial, class Field>
void each_result(OneTrial& trial, const Field& field) {
  if (trial.outcome != Outcome::kMeasured) return field("why", trial.why);
  field("used", trial.used);
  field("seconds", trial.seconds);
  field("spread", trial.spread);
  field("cells", trial.cells);
  field("distance", trial.distance);
}

}  // namespace

static void to_json(Json& json, const Config& config) {
  json = Json::object();
  for (const auto& [name, value] : config.values()) json[name] = value;
}

static void from_json(const Json& json, Config& config) {
  config = Config(dist::integers<int>(json));
}

Machine machine_of(const ocl::DeviceInfo& device) {
  return {device.name, device.driver, device.limits.compute_units};
}

std::string_view name_of(Outcome outcome) { return kNames[static_cast<std::size_t>(outcome)]; }

std::string about_of(const Machine& machine) {
  return machine.device + "\n" + machine.driver + "\n" + std::to_string(machine.compute_units) +
         "\n";
}

std::string about_of(const Trial& trial) {
  const auto& [engine, variant, length, divergence] = trial.task;
  return about_of(trial.machine) + engine + "\n" + variant + "\n" + std::to_string(length) + "\n" +
         std::to_string(divergence) + "\n";
}

std::string line_of(const Trial& trial, std::string_view kind) {
  Json json;
  json["kind"] = kind;
  const auto write = [&](const char* key, const auto& value) { json[key] = value; };
  each_field(trial, write);
  json["outcome"] = name_of(trial.outcome);
  each_result(trial, write);
  // Messages of drivers may hold anything.
  return sealed(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::optional<Trial> trial_of(std::string_view object, std::string_view kind) {
  const Json json = Json::parse(object, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  Trial trial;
  const auto read = [&]<class T>(const char* key, T& value) {
    if constexpr (std::is_integral_v<T>)
      value = dist::integer<T>(json.at(key));
    else
      json.at(key).get_to(value);
  };
  try {
    if (json.at("kind").get<std::string>() != kind) return std::nullopt;
    each_field(trial, read);
    const auto* const name = std::ranges::find(kNames, json.at("outcome").get<std::string>());
    if (name == kNames.end()) return std::nullopt;
    trial.outcome = static_cast<Outcome>(name - kNames.begin());
    each_result(trial, read);
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
  return trial;
}

std::optional<Trial> evidence_of(std::string_view object) {
  auto trial = trial_of(object, "trial");
  return trial ? trial : trial_of(object, "confirmed");
}

}  // namespace rhomb::tune
