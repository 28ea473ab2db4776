// SPDX-License-Identifier: Apache-2.0
#include "host/tune/store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace rhomb::tune {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::optional<Record> parsed(const std::string& line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  Record record;
  try {
    record.kind = json.at("kind").get<std::string>();
    record.device = json.at("device").get<std::string>();
    record.driver = json.value("driver", "");
    record.compute_units = json.at("compute_units").get<unsigned>();
    record.values = json.at("values").get<std::map<std::string, double>>();
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  return record;
}

}  // namespace

std::string store_path() {
  const char* const data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data == '/') return std::string(data) + "/rhomb/store.jsonl";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.local/share/rhomb/store.jsonl";
  return "";
}

std::optional<Found> find_record(std::string_view kind, const ocl::DeviceInfo& device) {
  std::optional<Found> best;
  std::ifstream own(store_path());
  for (std::string line; std::getline(own, line);) {
    const auto record = parsed(line);
    if (record && record->kind == kind && record->device == device.name &&
        record->driver == device.driver && record->compute_units == device.limits.compute_units)
      best = Found{*record, false};
  }
  if (best) return best;
  for (const ShippedStore& store : shipped_stores()) {
    std::istringstream lines{std::string(store.text)};
    for (std::string line; std::getline(lines, line);) {
      const auto record = parsed(line);
      if (record && record->kind == kind && device.name.starts_with(record->device) &&
          (!best || record->device.size() > best->record.device.size()))
        best = Found{*record, true};
    }
  }
  return best;
}

bool add_record(const Record& record) {
  const std::string path = store_path();
  if (path.empty()) return false;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  Json json;
  json["kind"] = record.kind;
  json["device"] = record.device;
  json["driver"] = record.driver;
  json["compute_units"] = record.compute_units;
  json["values"] = record.values;
  // One write of one line: several processes may add at once.
  const std::string line = json.dump() + "\n";
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool written = ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  return ::close(file) == 0 && written;
}

}  // namespace rhomb::tune
