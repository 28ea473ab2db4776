// SPDX-License-Identifier: Apache-2.0
// What the runs of all verbs for many sequences have in common: options, where the sequences come
// from, and what it all came to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/batch/devices.h"
#include "host/error.h"
#include "host/progress.h"
#include "host/trace/trace.h"
#include "host/tune/config.h"

namespace rhomb::batch {

/// Cells that the host goes through before a program is built, or a device opened.
inline constexpr double kSmall = 1e6;

/// Records one after another, from a file or from what a caller has.
template <class Record>
struct Source {
  std::string name;                   ///< for messages and traces
  std::function<bool(Record&)> next;  ///< false at the end; what it throws ends the run
  std::function<double()> part = {};  ///< how much of it was read, 0 to 1; may be empty
  /// Where this is known: has a function called, by who calls next(), before it may wait for long.
  std::function<void(std::function<void()>)> before_waiting = {};

  double part_read() const { return part ? part() : 0; }
};

template <class Variant>
struct Options {
  const Variant* variant = nullptr;  ///< null: the best, or the host for small problems
  tune::Config config;               ///< tunables that are forced; empty: what was tuned
  bool check = false;  ///< computes a sample of the answers again; a CheckError ends the run
  std::size_t memory = 1'000'000'000;  ///< bytes of the host for what is read in blocks; about
  std::size_t threads = 0;             ///< of the host that compute; 0: as many as it has cores
  std::vector<DeviceChoice> devices;   ///< none is needed for variants in CUDA or on the host
  std::stop_token stop;                ///< ends the run with an Error of Kind::kStopped
  /// Called by any thread, but by one at a time.
  std::function<void(const Progress&)> progress = {};
  trace::Trace* trace = nullptr;  ///< records the phases, unless it is null

  /// Whether neither a variant nor tunables are asked for.
  bool free_choice() const { return variant == nullptr && config.values().empty(); }
  /// Throws an Error of Kind::kStopped once the run is to end.
  void check_stop() const {
    if (stop.stop_requested()) throw Error(Kind::kStopped, "the run was stopped");
  }
  /// How many devices compute, each with a thread of its own.
  std::size_t workers(const Variant& chosen) const {
    return chosen.uses_opencl() ? std::max<std::size_t>(1, devices.size()) : 1;
  }
  /// What a worker computes on; null for a variant that is not in OpenCL. Throws UsageError if it
  /// is, and there are no devices.
  ocl::Device* open(const Variant& chosen, std::size_t worker) const {
    if (!chosen.uses_opencl()) return nullptr;
    if (devices.empty())
      throw UsageError("variant '" + std::string(chosen.name) + "' needs an OpenCL device");
    return &devices[worker].open();
  }
  /// The names of the devices that `chosen` computes on; "host" if there is none.
  std::string names(const Variant& chosen) const {
    if (chosen.uses_cuda()) return chosen.cuda_device().name;
    return chosen.on_host ? "host" : names_of(devices);
  }
};

/// Memory that a run takes, in bytes; about.
struct Memory {
  std::uint64_t device = 0;  ///< on each device
  std::uint64_t host = 0;    ///< that of programs and drivers not counted

  /// The first time on each device, on the host `devices` times.
  void add(const Memory& other, double times, double devices) {
    device += static_cast<std::uint64_t>(static_cast<double>(other.device) * times);
    host += static_cast<std::uint64_t>(static_cast<double>(other.host) * times * devices);
  }
};

/// What a run came to; times in seconds, of all devices together.
struct Totals {
  double symbols = 0;  ///< of what was read in blocks
  double cells = 0;
  double compute = 0, build = 0, transfer = 0;
  std::uint64_t checked = 0;  ///< answers that were computed again
  std::size_t blocks = 0;
  std::string variant;
  std::string device;   ///< the name of each; "host" where none was used
  tune::Config config;  ///< of one of the problems that were computed

  /// Names a variant that has computed something; the one that was foreseen goes with the first.
  void computed_by(std::string_view name) {
    if (!std::exchange(computed_, true)) variant.clear();
    if (variant.find(name) == std::string::npos)
      variant += (variant.empty() ? "" : ", ") + std::string(name);
  }
  /// Adds what an answer took.
  template <class Answer>
  void add_times(const Answer& answer) {
    compute += answer.compute;
    build += answer.build;
    transfer += answer.transfer;
  }
  /// Adds a unit that was computed, and with the last of a block the block.
  template <class Unit>
  void add(const Unit& unit) {
    cells += unit.answer.cells;
    add_times(unit.answer);
    config = unit.answer.config;
    if (!unit.last) return;
    symbols += unit.block->symbols;
    ++blocks;
  }

 private:
  bool computed_ = false;
};

}  // namespace rhomb::batch
