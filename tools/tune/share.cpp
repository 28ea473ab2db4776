// SPDX-License-Identifier: Apache-2.0
// rhomb tune --export and --import: what is known of a device, as a file for others that have one.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/read.h"
#include "host/tune/seal.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/tune/add.h"
#include "tools/tune/tried.h"
#include "tools/tune/tune.h"

namespace rhomb::cli {
namespace {

/// What the user's own lines say.
std::map<std::string, tune::Line> own_lines(const tune::Store& store) {
  std::map<std::string, tune::Line> lines;
  for (const tune::Line& line : store.lines())
    if (!line.shipped) lines.insert_or_assign(line.about(), line);
  return lines;
}

/// The lines of a file that `--export` wrote. Throws InputError for the first that is none.
std::vector<tune::Line> read_lines(const std::string& path) {
  const std::string name = path == "-" ? "standard input" : path;
  std::vector<tune::Line> all;
  const std::string lines = read_all(path);
  long number = 0;
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view text = next_line(rest);
    ++number;
    const auto object = tune::opened(text);
    if (!object)
      throw InputError(name, "", number,
                       "damaged: its checksum is missing or wrong; nothing was imported");
    const auto line = tune::Line::parse(*object);
    if (!line)
      throw InputError(name, "", number,
                       "no line of a store, as rhomb tune --export writes; nothing was imported");
    all.push_back(*line);
  }
  if (all.empty()) throw InputError(name, "", 0, "holds no line of a store");
  return all;
}

Json record_of(const tune::Line& line, bool added) {
  Json record;
  record["kind"] = line.kind();
  record["device"] = line.machine().device;
  for (const char* const key : {"engine", "variant", "length", "divergence", "config"})
    record[key] = nullptr;
  if (line.setting) {
    const tune::Task& task = line.setting->task;
    record.update({{"engine", task.engine},
                   {"variant", task.variant},
                   {"length", task.length},
                   {"divergence", task.divergence},
                   {"config", json_of(line.setting->config)}});
  }
  record["added"] = added;
  return record;
}

void write_records(const OutputOptions& output, const std::vector<Json>& records) {
  Output out(output.file);
  out.write(printed(records, output.format));
  out.commit();
}

}  // namespace

int tune_export(const CommandLine& line) {
  const MachineChoice machines(line.text("device"));
  Output out(line.text("export"));
  const Evidence evidence = read_evidence(line.text("from"));
  auto lines = own_lines(evidence.store);
  std::erase_if(lines, [&](const auto& one) { return !machines.means(one.second.machine()); });
  // Trials know better than settings of other kernels; those of the same ones are what a sweep has
  // made of its trials.
  for (const Tried& tried : evidence.tried(machines)) {
    if (tried.planned() == nullptr) continue;
    const tune::Line best{std::nullopt, *tried.best()};
    const auto known = lines.find(best.about());
    if (known == lines.end() || known->second.setting->kernels != best.setting->kernels)
      lines.insert_or_assign(best.about(), best);
  }
  if (lines.empty())
    throw UsageError(
        text_of("--export: nothing is known of ", machines.name(), "; rhomb tune finds out"));
  for (const auto& [about, one] : lines) out.write(one.text() + "\n");
  out.commit();
  return 0;
}

int tune_import(const CommandLine& line) {
  const OutputOptions output = parse_output(line, kTableFormats);
  const MachineChoice machines(line.text("device"));
  const auto lines = read_lines(line.text("import"));
  auto known = own_lines(load_store());
  std::string added;
  std::vector<Json> records;
  for (const tune::Line& one : lines) {
    if (!machines.means(one.machine())) continue;
    // What was measured on the user's own device is not overridden; a setting that is asked for is.
    const auto found = known.find(one.about());
    const bool add = found == known.end() || (one.setting && found->second.text() != one.text());
    records.push_back(record_of(one, add));
    if (!add) continue;
    added += (added.empty() ? "" : "\n") + one.text();
    known.insert_or_assign(one.about(), one);
  }
  if (!added.empty() && tune::store_path().empty())
    throw OutputError("there is no place for a store: HOME is not set");
  if (!added.empty()) add_line(tune::store_path(), added);
  write_records(output, records);
  return 0;
}

int tune_forget(const CommandLine& line) {
  const OutputOptions output = parse_output(line, kTableFormats);
  std::vector<Json> records;
  for (const std::string& path : {tune::store_path(), tune::trials_path()}) {
    if (path.empty() || !std::filesystem::exists(path)) continue;
    std::string kept;
    std::size_t lines_kept = 0, lines_removed = 0;
    const std::string lines = read_all(path);
    for (std::string_view rest = lines; !rest.empty();) {
      const std::string_view text = next_line(rest);
      if (text.empty()) continue;
      tune::Store store;
      store.add(text, false, path);
      const bool good = store.warnings().empty();
      ++(good ? lines_kept : lines_removed);
      if (good) (kept += text) += '\n';
    }
    records.push_back({{"file", path}, {"kept", lines_kept}, {"removed", lines_removed}});
    if (lines_removed == 0) continue;
    Output out(path);
    out.write(kept);
    out.commit();
  }
  write_records(output, records);
  return 0;
}

}  // namespace rhomb::cli
