// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tried.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "host/error.h"
#include "host/ocl/device.h"
#include "host/read.h"
#include "host/tune/seal.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/tune/variants.h"

namespace rhomb::cli {
namespace {

using tune::Outcome;
using tune::Trial;

/// A setting is worth having if it is faster than what is used without it by this much.
constexpr double kWorth = 0.97;

/// Seconds that it takes to estimate a pair's divergence, which tells whether a setting suits it:
/// so many as measured on servers. The plan's own choice needs no estimate.
double estimate_seconds(const tune::Task& task) {
  return is_pair(task) ? 1e-3 + 1.5e-9 * static_cast<double>(task.length) : 0;
}

Json number(double value) { return rounded(significant(value)); }

}  // namespace

void Tried::add(const Trial& trial) {
  const auto [at, fresh] = at_.try_emplace(trial.config.text(), trials_.size());
  if (fresh)
    trials_.push_back(trial);
  else
    trials_[at->second] = trial;
}

const Trial* Tried::find(const tune::Config& config) const {
  const auto at = at_.find(config.text());
  return at == at_.end() ? nullptr : &trials_[at->second];
}

const Trial* Tried::planned() const {
  const Trial* const trial = find({});
  return trial != nullptr && trial->outcome == Outcome::kMeasured ? trial : nullptr;
}

const Trial* Tried::fastest() const {
  const Trial* best = nullptr;
  for (const Trial& trial : trials_)
    if (trial.outcome == Outcome::kMeasured && (best == nullptr || trial.seconds < best->seconds))
      best = &trial;
  return best;
}

const Trial* Tried::usual() const {
  const Trial* const used = find(in_use_);
  return used != nullptr && used->outcome == Outcome::kMeasured ? used : planned();
}

bool Tried::worth() const {
  const Trial* const other = usual();
  if (other == nullptr) return false;
  const double looking = other->config.values().empty() ? estimate_seconds(task_) : 0;
  return fastest()->seconds + looking < kWorth * other->seconds;
}

const Trial* Tried::best() const { return usual() == nullptr || worth() ? fastest() : usual(); }

std::size_t Tried::count(Outcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(trials_, outcome, &Trial::outcome));
}

double gcups_of(const Trial& trial) {
  if (!is_pair(trial.task)) return rate_of(trial) / 1e9;
  const auto length = static_cast<double>(trial.task.length);
  return length * length / std::max(trial.seconds, 1e-9) / 1e9;
}

double rate_of(const Trial& trial) { return trial.cells / std::max(trial.seconds, 1e-9); }

Json summary_of(const Tried& tried) {
  const Trial* const best = tried.best();
  const Trial* const planned = tried.planned();
  Json row;
  row["engine"] = tried.task().engine;
  row["variant"] = tried.task().variant;
  row["device"] = tried.machine().device;
  row["length"] = tried.task().length;
  row["divergence"] = tried.task().divergence;
  row["config"] = best != nullptr ? json_of(best->config) : Json();
  row["seconds"] = best != nullptr ? number(best->seconds) : Json();
  row["default_seconds"] = planned != nullptr ? number(planned->seconds) : Json();
  row["gain"] = best != nullptr && planned != nullptr
                    ? Json(rounded(fixed(planned->seconds / std::max(best->seconds, 1e-9), 3)))
                    : Json();
  row["rate"] = best != nullptr ? number(rate_of(*best)) : Json();
  row["tried"] = tried.trials().size();
  for (const Outcome outcome : {Outcome::kUnfit, Outcome::kWrong, Outcome::kFailed, Outcome::kSlow})
    row[std::string(tune::name_of(outcome))] = tried.count(outcome);
  return row;
}

MachineChoice::MachineChoice(const std::string& selector) : part_(selector) {
  if (selector == "cpu" || selector == "gpu") {
    gpu_ = selector == "gpu";
  } else if (!selector.empty() && selector.find_first_not_of("0123456789") == std::string::npos) {
    part_ = ocl::choose_device(selector, ocl::list_devices()).name;
  }
}

bool MachineChoice::means(const tune::Machine& machine) const {
  if (!gpu_) return machine.device.find(part_) != std::string::npos;
  // Names are all that is known of devices that are elsewhere. PoCL's begin so, others say it.
  const std::string& name = machine.device;
  const bool cpu = name.starts_with("pthread") || name.starts_with("cpu") ||
                   name.starts_with("basic") || name.find("CPU") != std::string::npos ||
                   name.find("Processor") != std::string::npos;
  return cpu != *gpu_;
}

std::string MachineChoice::name() const {
  if (gpu_) return *gpu_ ? "a GPU" : "a CPU";
  return part_.empty() ? "any device" : text_of("a device whose name has '", part_, "'");
}

std::vector<Tried> Evidence::tried(const MachineChoice& machines) const {
  std::map<std::string, std::string> newest;  // kernels
  for (const Trial& trial : trials) newest[tune::about_of(trial)] = trial.kernels;
  std::vector<Tried> all;
  std::map<std::string, std::size_t> at;
  for (const Trial& trial : trials) {
    const std::string about = tune::about_of(trial);
    if (!machines.means(trial.machine) || newest[about] != trial.kernels) continue;
    const auto [found, fresh] = at.try_emplace(about, all.size());
    if (fresh) all.emplace_back(trial.task, trial.machine);
    all[found->second].add(trial);
  }
  return all;
}

std::string read_all(const std::string& path) {
  auto text = text_of_file(path);
  if (!text) throw InputError(path, "", 0, std::strerror(errno));
  return std::move(*text);
}

Evidence read_evidence(const std::string& from) {
  Evidence evidence{tune::Store::load(), {}};
  const std::string path = from.empty() ? tune::trials_path() : from;
  const std::string text =
      from.empty() && !std::filesystem::exists(path) ? std::string() : read_all(path);
  evidence.store.add(text, false, path);
  for (std::string_view rest = text; !rest.empty();)
    if (const auto object = tune::opened(next_line(rest)))
      if (const auto trial = tune::evidence_of(*object)) evidence.trials.push_back(*trial);
  say_damage(evidence.store);
  return evidence;
}

ocl::DeviceInfo named(const tune::Machine& machine) {
  ocl::DeviceInfo info;
  info.name = machine.device;
  info.driver = machine.driver;
  info.limits.compute_units = machine.compute_units;
  return info;
}

}  // namespace rhomb::cli
