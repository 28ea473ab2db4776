// SPDX-License-Identifier: Apache-2.0
// Tried: what a sweep knows of one task: its trials, and what they came to.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/ocl/limits.h"
#include "host/tune/store.h"
#include "host/tune/trial.h"
#include "tools/cli/options.h"
#include "tools/cli/records.h"

namespace rhomb::cli {

/// The trials of a task on a machine with one version of the kernels, one a configuration.
class Tried {
 public:
  Tried(tune::Task task, tune::Machine machine)
      : task_(std::move(task)), machine_(std::move(machine)) {}

  const tune::Task& task() const { return task_; }
  const tune::Machine& machine() const { return machine_; }
  const std::vector<tune::Trial>& trials() const { return trials_; }

  /// Takes the place of an earlier trial of this configuration.
  void add(const tune::Trial& trial);

  const tune::Trial* find(const tune::Config& config) const;

  /// What is in use at present, by an earlier setting: it stays unless another is clearly faster.
  void use(const tune::Config& config) { in_use_ = config; }
  const tune::Config& in_use() const { return in_use_; }

  /// The plan's own choice, if it was measured, and the fastest of all.
  const tune::Trial* planned() const;
  const tune::Trial* fastest() const;
  /// What the fastest has to beat: what is in use, else the plan's own choice, if measured.
  const tune::Trial* usual() const;
  /// Whether the fastest is faster than that by more than noise, and by the time that it takes to
  /// find out whether a setting suits a pair.
  bool worth() const;
  /// What to use: the fastest if it is worth it, else the usual, where there is one.
  const tune::Trial* best() const;
  std::size_t count(tune::Outcome outcome) const;

 private:
  tune::Task task_;
  tune::Machine machine_;
  tune::Config in_use_;
  std::vector<tune::Trial> trials_;
  std::map<std::string, std::size_t> at_;  // in trials_, by configuration
};

/// The cells of the whole matrix, of a pair length * length, over the seconds of the trial, in 10^9
/// a second.
double gcups_of(const tune::Trial& trial);
/// Cells computed a second.
double rate_of(const tune::Trial& trial);

/// A record of `rhomb tune`: what was found for a task.
Json summary_of(const Tried& tried);

/// The machines that --device means where nothing is measured: `cpu`, `gpu`, a part of the device's
/// name, or the index of a device that is here. All, without it.
class MachineChoice {
 public:
  explicit MachineChoice(const std::string& selector);
  bool means(const tune::Machine& machine) const;
  /// "any device", "a CPU", "a device whose name has 'H200'": for messages.
  std::string name() const;

 private:
  std::string part_;         // of the name
  std::optional<bool> gpu_;  // all of a kind
};

/// What is known of devices, and the trials that say so.
struct Evidence {
  tune::Store store;
  std::vector<tune::Trial> trials;

  /// The trials by task and machine, in the order of the first of each; of each those of the
  /// kernels that the newest trial ran. Only of the machines that are meant.
  std::vector<Tried> tried(const MachineChoice& machines) const;
};

/// All of a file; `-` is standard input. Throws InputError if it cannot be read.
std::string read_all(const std::string& path);

/// The user's store and trials; or where `from` is not empty the trials in that file, whose lines
/// of other kinds count as the user's. What is damaged is told on standard error and left out.
/// Throws InputError if the file named cannot be read.
Evidence read_evidence(const std::string& from);

/// The device by which a store finds what was measured on `machine`.
ocl::DeviceInfo named(const tune::Machine& machine);

}  // namespace rhomb::cli
