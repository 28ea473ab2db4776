// SPDX-License-Identifier: Apache-2.0
// rhomb tune --list: every trial that is known, and in JSON what the pictures of rhomb-plot need.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "host/engine/ceilings.h"
#include "tools/cli/output.h"
#include "tools/cli/text.h"
#include "tools/tune/tried.h"
#include "tools/tune/tune.h"
#include "tools/tune/variants.h"

namespace rhomb::cli {
namespace {

/// Keys that say which machine a record is of, where the device's name is not enough.
void add_machine(Json& record, const tune::Machine& machine) {
  record["driver"] = machine.driver;
  record["compute_units"] = machine.compute_units;
}

/// A trial as a record; `all`: with what only JSON has.
Json trial_record(const tune::Trial& trial, bool all) {
  const bool good = trial.outcome == tune::Outcome::kMeasured;
  const auto measured = [good](const Json& value) { return good ? value : Json(); };
  Json record;
  if (all) record["kind"] = "trial";
  record["engine"] = trial.task.engine;
  record["variant"] = trial.task.variant;
  record["device"] = trial.machine.device;
  record["length"] = trial.task.length;
  record["divergence"] = trial.task.divergence;
  record["config"] = json_of(trial.config);
  record["outcome"] = std::string(tune::name_of(trial.outcome));
  record["seconds"] = measured(trial.seconds);
  record["rate"] = measured(rate_of(trial));
  record["why"] = good ? Json() : Json(trial.why);
  if (!all) return record;
  add_machine(record, trial.machine);
  record["kernels"] = trial.kernels;
  record["used"] = measured(json_of(trial.used));
  record["gcups"] = measured(gcups_of(trial));
  record["cells"] = measured(json_count(trial.cells));
  record["spread"] = measured(trial.spread);
  record["distance"] = measured(trial.distance);
  return record;
}

/// What was found for a task, and the tunables that its variant has.
Json task_record(const Tried& tried) {
  Json record;
  record["kind"] = "task";
  record.update(summary_of(tried));
  add_machine(record, tried.machine());
  Json tunables = Json::array();
  for (const tune::Param& param : space_of(tried.task())) {
    Json one;
    one["name"] = param.name;
    one["meaning"] = param.meaning;
    one["values"] = param.values;
    tunables.push_back(std::move(one));
  }
  record["tunables"] = std::move(tunables);
  return record;
}

void add_ceilings(std::vector<Json>& records, const tune::Machine& machine,
                  const tune::Store& store) {
  const Ceilings ceilings = known_ceilings(named(machine), store);
  if (ceilings.logic <= 0 || ceilings.bytes <= 0) return;
  Json record;
  record["kind"] = "ceilings";
  record["device"] = machine.device;
  add_machine(record, machine);
  record["logic"] = ceilings.logic;
  record["bytes"] = ceilings.bytes;
  record["launch"] = ceilings.launch;
  records.push_back(std::move(record));
}

/// The tasks that are asked for: machine by machine, of each in the order of the tables.
std::vector<Tried> chosen_tasks(const CommandLine& line, const Evidence& evidence) {
  const MachineChoice machines(line.text("device"));
  auto all = evidence.tried(machines);
  if (!line.files().empty() || line.has("engine") || line.has("variant")) {
    const auto rows = chosen_variants(line);
    std::erase_if(all, [&](const Tried& tried) {
      return std::ranges::none_of(rows, [&](const TunedVariant& row) {
        return row.engine->name == tried.task().engine && row.variant == tried.task().variant;
      });
    });
  }
  if (all.empty())
    throw UsageError(text_of("--list: there are no such trials of ", machines.name(),
                             "; rhomb tune makes some"));
  std::vector<tune::Machine> order;
  for (const Tried& tried : all)
    if (std::ranges::find(order, tried.machine()) == order.end()) order.push_back(tried.machine());
  std::ranges::stable_sort(all, {}, [&](const Tried& tried) {
    const tune::Task& task = tried.task();
    return std::tuple(std::ranges::find(order, tried.machine()), place_of(task), task.variant,
                      task.divergence, task.length);
  });
  return all;
}

}  // namespace

int tune_list(const CommandLine& line) {
  const OutputOptions output = parse_output(line, kTableFormats);
  const Evidence evidence = read_evidence(line.text("from"));
  const auto all = chosen_tasks(line, evidence);
  Output out(output.file);
  const bool json = output.format == Format::kJson;
  std::vector<Json> records;
  const tune::Machine* last = nullptr;
  for (const Tried& tried : all) {
    if (json && (last == nullptr || *last != tried.machine()))
      add_ceilings(records, tried.machine(), evidence.store);
    last = &tried.machine();
    if (json) records.push_back(task_record(tried));
    for (const tune::Trial& trial : tried.trials()) records.push_back(trial_record(trial, json));
  }
  out.write(printed(records, output.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
