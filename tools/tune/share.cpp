// SPDX-License-Identifier: Apache-2.0
// rhomb tune --export and --import: what is known of a device, as a file for others that have one.

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "host/error.h"
#include "host/tune/seal.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/tune/tried.h"
#include "tools/tune/tune.h"

namespace rhomb::cli {
namespace {

/// What a line is about: of several the last one counts.
using Key =
    std::tuple<std::string, std::string, unsigned, std::string, std::string, std::int64_t, double>;

Key key_of(const tune::Machine& machine, const std::string& kind, const tune::Task& task = {}) {
  return {machine.device, machine.driver, machine.compute_units, kind + task.engine,
          task.variant,   task.length,    task.divergence};
}

/// A line of a store: a setting, or a record.
struct Item {
  std::optional<tune::Trial> setting;
  std::optional<tune::Record> record;

  const tune::Machine& machine() const { return setting ? setting->machine : record->machine; }
  std::string kind() const { return setting ? "setting" : record->kind; }
  Key key() const { return key_of(machine(), kind(), setting ? setting->task : tune::Task{}); }
  std::string line() const {
    return setting ? tune::line_of(*setting, "setting") : tune::line_of(*record);
  }
};

/// What the user's own lines say.
std::map<Key, Item> own_items(const tune::Store& store) {
  std::map<Key, Item> items;
  const auto add = [&](const Item& item) { items.insert_or_assign(item.key(), item); };
  for (const auto& found : store.records())
    if (!found.shipped) add({std::nullopt, found.record});
  for (const auto& setting : store.settings())
    if (!setting.shipped) add({setting.trial, std::nullopt});
  return items;
}

std::string read_all(const std::string& path) {
  std::ostringstream all;
  if (path == "-") {
    all << std::cin.rdbuf();
    return all.str();
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path, "", 0, std::strerror(errno));
  if (file.peek() != std::ifstream::traits_type::eof()) all << file.rdbuf();
  return all.str();
}

/// The lines of a file that `--export` wrote. Throws InputError for the first that is none.
std::vector<Item> read_items(const std::string& path) {
  const std::string name = path == "-" ? "standard input" : path;
  std::vector<Item> items;
  std::istringstream lines(read_all(path));
  long number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto object = tune::opened(line);
    if (!object)
      throw InputError(name, "", number,
                       "damaged: its checksum is missing or wrong; nothing was imported");
    Item item{tune::trial_of(*object, "setting"), std::nullopt};
    if (item.setting && item.setting->outcome != tune::Outcome::kMeasured) item.setting.reset();
    if (!item.setting) item.record = tune::record_of(*object);
    if (!item.setting && !item.record)
      throw InputError(name, "", number,
                       "no line of a store, as rhomb tune --export writes; nothing was imported");
    items.push_back(item);
  }
  if (items.empty()) throw InputError(name, "", 0, "holds no line of a store");
  return items;
}

Json row_of(const Item& item, bool added) {
  Json row;
  row["kind"] = item.kind();
  row["device"] = item.machine().device;
  const tune::Trial* const setting = item.setting ? &*item.setting : nullptr;
  row["engine"] = setting != nullptr ? Json(setting->task.engine) : Json();
  row["variant"] = setting != nullptr ? Json(setting->task.variant) : Json();
  row["length"] = setting != nullptr ? Json(setting->task.length) : Json();
  row["divergence"] = setting != nullptr ? Json(setting->task.divergence) : Json();
  row["config"] = setting != nullptr ? json_of(setting->config) : Json();
  row["added"] = added;
  return row;
}

}  // namespace

int tune_export(const CommandLine& line) {
  const MachineChoice machines(line.text("device"));
  Output out(line.text("export"));
  const Evidence evidence = read_evidence(line.text("from"));
  auto items = own_items(evidence.store);
  std::erase_if(items, [&](const auto& item) { return !machines.means(item.second.machine()); });
  // Trials know better than settings of other kernels; those of the same ones are what a sweep has
  // made of its trials.
  for (const Tried& tried : evidence.tried(machines)) {
    if (tried.planned() == nullptr) continue;
    const Key key = key_of(tried.machine(), "setting", tried.task());
    const auto known = items.find(key);
    if (known == items.end() || known->second.setting->kernels != tried.best()->kernels)
      items.insert_or_assign(key, Item{*tried.best(), std::nullopt});
  }
  if (items.empty())
    throw UsageError(
        text_of("--export: nothing is known of ", machines.name(), "; rhomb tune finds out"));
  for (const auto& [key, item] : items) out.write(item.line() + "\n");
  out.commit();
  return 0;
}

int tune_import(const CommandLine& line) {
  const OutputOptions output = parse_output(line, kTableFormats);
  const MachineChoice machines(line.text("device"));
  const auto items = read_items(line.text("import"));
  auto known = own_items(load_store());
  std::string lines;
  std::vector<Json> rows;
  for (const Item& item : items) {
    if (!machines.means(item.machine())) continue;
    // What was measured on the user's own device is not overridden; a setting that is asked for is.
    const auto found = known.find(item.key());
    const bool add = found == known.end() || (item.setting && found->second.line() != item.line());
    rows.push_back(row_of(item, add));
    if (!add) continue;
    lines += (lines.empty() ? "" : "\n") + item.line();
    known.insert_or_assign(item.key(), item);
  }
  Output out(output.file);
  if (!lines.empty() && !tune::remember(lines))
    throw Error(Kind::kInternal, tune::store_path().empty()
                                     ? "there is no place for a store: HOME is not set"
                                     : "cannot write '" + tune::store_path() + "'");
  out.write(printed(rows, output.format));
  out.commit();
  return 0;
}

int tune_forget(const CommandLine& line) {
  const OutputOptions output = parse_output(line, kTableFormats);
  std::vector<Json> rows;
  for (const std::string& path : {tune::store_path(), tune::trials_path()}) {
    if (path.empty() || !std::filesystem::exists(path)) continue;
    std::string kept;
    Json row;
    row["file"] = path;
    std::size_t lines_kept = 0, lines_removed = 0;
    std::istringstream lines(read_all(path));
    for (std::string text; std::getline(lines, text);) {
      if (text.empty()) continue;
      tune::Store store;
      store.add(text, false, path);
      const bool good = store.warnings().empty();
      ++(good ? lines_kept : lines_removed);
      if (good) kept += text + "\n";
    }
    row["kept"] = lines_kept;
    row["removed"] = lines_removed;
    rows.push_back(row);
    if (lines_removed == 0) continue;
    Output out(path);
    out.write(kept);
    out.commit();
  }
  Output out(output.file);
  out.write(printed(rows, output.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
