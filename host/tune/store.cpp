// SPDX-License-Identifier: Apache-2.0
#include "host/tune/store.h"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "host/dist/integer.h"
#include "host/read.h"
#include "host/tune/seal.h"

namespace rhomb::tune {
namespace {

using Json = nlohmann::ordered_json;

std::string in_data_directory(const char* name) {
  const char* const data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data == '/') return std::string(data) + "/rhomb/" + name;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.local/share/rhomb/" + name;
  return "";
}

/// Powers of two between two numbers.
double apart(double a, double b) {
  return std::abs(std::log2(std::max(a, 1e-9) / std::max(b, 1e-9)));
}

std::string plain(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

/// The record in the JSON object of a line.
std::optional<Record> record_of(std::string_view object) {
  const Json json = Json::parse(object, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  Record record;
  try {
    record.kind = json.at("kind").get<std::string>();
    record.machine.device = json.at("device").get<std::string>();
    record.machine.driver = json.value("driver", "");
    record.machine.compute_units = dist::integer<unsigned>(json.at("compute_units"));
    record.values = json.at("values").get<std::map<std::string, double>>();
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
  return record;
}

}  // namespace

std::optional<Line> Line::parse(std::string_view object) {
  Line line{record_of(object), trial_of(object, "setting")};
  if (line.setting && line.setting->outcome == Outcome::kMeasured)
    line.record.reset();
  else
    line.setting.reset();
  return line.record || line.setting ? std::optional(line) : std::nullopt;
}

std::string Line::about() const {
  return (setting ? about_of(*setting) : about_of(record->machine)) + kind();
}

std::string Line::text() const { return setting ? line_of(*setting, "setting") : line_of(*record); }

std::string store_path() { return in_data_directory("store.jsonl"); }
std::string trials_path() { return in_data_directory("trials.jsonl"); }

void Store::add(std::string_view text, bool shipped, const std::string& name) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    ++number;
    if (line.empty()) continue;
    const auto object = opened(line);
    if (object && evidence_of(*object)) continue;  // evidence, which says nothing by itself
    auto found = object ? Line::parse(*object) : std::nullopt;
    if (found) found->shipped = shipped;
    if (found)
      lines_.push_back(std::move(*found));
    else
      warnings_.push_back(name + ": line " + std::to_string(number) +
                          " is damaged and was left out");
  }
}

Store Store::load() {
  static const Store all_shipped = [] {  // it takes milliseconds
    Store store;
    for (const ShippedStore& shipped : shipped_stores())
      store.add(shipped.text, true, "shipped store " + std::string(shipped.path));
    return store;
  }();
  Store store = all_shipped;
  const std::string path = store_path();
  if (const auto text = text_of_file(path)) store.add(*text, false, path);
  return store;
}

std::optional<Found> Store::find(std::string_view kind, const ocl::DeviceInfo& device) const {
  const Record* own = nullptr;
  const Record* shipped = nullptr;
  for (const Line& line : lines_) {
    if (!line.record || line.record->kind != kind) continue;
    const Record& record = *line.record;
    if (!line.shipped && record.machine == machine_of(device)) own = &record;
    if (line.shipped && device.name.starts_with(record.machine.device) &&
        (shipped == nullptr || record.machine.device.size() > shipped->machine.device.size()))
      shipped = &record;
  }
  if (own != nullptr) return Found{*own, false};
  if (shipped != nullptr) return Found{*shipped, true};
  return std::nullopt;
}

std::optional<Setting> Store::nearest(std::string_view engine, std::string_view variant,
                                      const ocl::DeviceInfo& device, std::int64_t length,
                                      std::optional<double> divergence) const {
  std::optional<Setting> best;
  double least = INFINITY;
  for (const Line& line : lines_) {
    if (!line.setting) continue;
    const Trial& trial = *line.setting;
    if (trial.task.engine != engine || trial.task.variant != variant) continue;
    const bool same = trial.machine == machine_of(device);
    const bool named = line.shipped ? device.name.starts_with(trial.machine.device)
                                    : device.name == trial.machine.device;
    if (!named) continue;
    const double longer =
        apart(static_cast<double>(trial.task.length), static_cast<double>(length));
    const double further = divergence ? apart(trial.task.divergence, *divergence) : 0;
    if (longer > 1 || further > 1) continue;
    // Nearer devices come first, whatever the texts.
    const double distance = (line.shipped ? 20 : same ? 0 : 10) + longer + further;
    if (distance > least) continue;  // of two that are alike the newer one
    least = distance;
    const char* const where = line.shipped ? "shipped with rhomb for such a device"
                              : same       ? "measured on this device"
                                           : "measured on this device with another driver";
    best = Setting{trial, line.shipped,
                   std::string(where) + ", at " + std::to_string(trial.task.length) +
                       " symbols and divergence " + plain(trial.task.divergence)};
  }
  return best;
}

std::string line_of(const Record& record) {
  Json json;
  json["kind"] = record.kind;
  json["device"] = record.machine.device;
  json["driver"] = record.machine.driver;
  json["compute_units"] = record.machine.compute_units;
  json["values"] = record.values;
  return sealed(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

bool remember(const std::string& line) {
  const std::string path = store_path();
  return !path.empty() && append_line(path, line);
}

}  // namespace rhomb::tune
