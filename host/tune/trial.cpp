// SPDX-License-Identifier: Apache-2.0
#include "host/tune/trial.h"

#include <array>
#include <nlohmann/json.hpp>

#include "host/tune/seal.h"

namespace rhomb::tune {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kNames = {"measured", "unfit", "wrong", "failed", "slow"};

Json json_of(const Config& config) {
  Json json = Json::object();
  for (const auto& [name, value] : config.values()) json[name] = value;
  return json;
}

}  // namespace

Machine machine_of(const ocl::DeviceInfo& device) {
  return {device.name, device.driver, device.limits.compute_units};
}

std::string_view name_of(Outcome outcome) { return kNames[static_cast<std::size_t>(outcome)]; }

std::string line_of(const Trial& trial, std::string_view kind) {
  Json json;
  json["kind"] = kind;
  json["engine"] = trial.task.engine;
  json["variant"] = trial.task.variant;
  json["length"] = trial.task.length;
  json["divergence"] = trial.task.divergence;
  json["device"] = trial.machine.device;
  json["driver"] = trial.machine.driver;
  json["compute_units"] = trial.machine.compute_units;
  json["kernels"] = trial.kernels;
  json["config"] = json_of(trial.config);
  json["outcome"] = name_of(trial.outcome);
  if (trial.outcome == Outcome::kMeasured) {
    json["used"] = json_of(trial.used);
    json["seconds"] = trial.seconds;
    json["spread"] = trial.spread;
    json["cells"] = trial.cells;
    json["distance"] = trial.distance;
  } else {
    json["why"] = trial.why;
  }
  // Messages of drivers may hold anything.
  return sealed(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::optional<Trial> trial_of(std::string_view object, std::string_view kind) {
  const Json json = Json::parse(object, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  Trial trial;
  try {
    if (json.at("kind").get<std::string>() != kind) return std::nullopt;
    trial.task.engine = json.at("engine").get<std::string>();
    trial.task.variant = json.at("variant").get<std::string>();
    trial.task.length = json.at("length").get<std::int64_t>();
    trial.task.divergence = json.at("divergence").get<double>();
    trial.machine.device = json.at("device").get<std::string>();
    trial.machine.driver = json.at("driver").get<std::string>();
    trial.machine.compute_units = json.at("compute_units").get<unsigned>();
    trial.kernels = json.at("kernels").get<std::string>();
    trial.config = Config(json.at("config").get<std::map<std::string, int>>());
    const auto outcome = json.at("outcome").get<std::string>();
    std::size_t at = 0;
    while (at < kNames.size() && kNames[at] != outcome) ++at;
    if (at == kNames.size()) return std::nullopt;
    trial.outcome = static_cast<Outcome>(at);
    if (trial.outcome == Outcome::kMeasured) {
      trial.used = Config(json.at("used").get<std::map<std::string, int>>());
      trial.seconds = json.at("seconds").get<double>();
      trial.spread = json.at("spread").get<double>();
      trial.cells = json.at("cells").get<double>();
      trial.distance = json.at("distance").get<std::int64_t>();
    } else {
      trial.why = json.at("why").get<std::string>();
    }
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  return trial;
}

std::optional<Trial> evidence_of(std::string_view object) {
  auto trial = trial_of(object, "trial");
  return trial ? trial : trial_of(object, "confirmed");
}

}  // namespace rhomb::tune
