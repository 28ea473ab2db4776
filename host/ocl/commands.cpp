// SPDX-License-Identifier: Apache-2.0
#include "host/ocl/commands.h"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>

namespace rhomb::ocl {
namespace {

using trace::Command;
using trace::Nanos;

constexpr std::size_t kMostRunning = 4096;
constexpr int kTries = 8;
constexpr Nanos kSecond = 1'000'000'000;  // clocks drift apart by microseconds in it

/// When a command reached this state, on the device's clock, if that is known.
std::optional<Nanos> time_of(cl_event event, cl_profiling_info state) {
  cl_ulong time = 0;
  const cl_int code = clGetEventProfilingInfo(event, state, sizeof time, &time, nullptr);
  if (code != CL_SUCCESS || time == 0) return std::nullopt;
  return static_cast<Nanos>(time);
}

}  // namespace

Commands::Commands(trace::Trace& trace, const DeviceInfo& info, cl_command_queue queue)
    : trace_(trace),
      info_(info),
      queue_(queue),
      lane_(trace.add_queue("queue of " + info.name, &info)) {
  running_.reserve(kMostRunning);
  synchronize();
}

Commands::~Commands() {
  try {
    collect();
  } catch (const std::exception&) {
    // The trace lacks what there is no memory for.
  }
}

void Commands::launched(cl_event event, const std::string& kernel, const Range& range) {
  Command command;
  command.count = ++launches_;
  command.global_x = range.global_x;
  command.global_y = range.global_y;
  command.group_x = static_cast<std::uint32_t>(range.group_x);
  command.group_y = static_cast<std::uint32_t>(range.group_y);
  command.name = trace_.name(kernel);
  keep(event, command);
}

void Commands::moved(cl_event event, Command::Kind kind, std::size_t bytes) {
  Command command;
  command.kind = kind;
  command.count = bytes;
  keep(event, command);
}

void Commands::keep(cl_event event, Command command) {
  command.lane = lane_;
  command.stretch = trace_.stretch();
  running_.push_back({event, command});
  if (running_.size() == kMostRunning) collect_oldest(kMostRunning / 2);
}

void Commands::collect() {
  collect_oldest(running_.size());
  if (trace_.now() - synchronized_ > kSecond) synchronize();
}

/// The queue is in order, so when the last of them is done all are.
void Commands::collect_oldest(std::size_t count) {
  if (count == 0) return;
  const trace::Scope scope(&trace_, trace::Work::kTimes);
  clWaitForEvents(1, &running_[count - 1].event);
  for (std::size_t i = 0; i < count; ++i) {
    auto& [event, command] = running_[i];
    const auto begin = time_of(event, CL_PROFILING_COMMAND_START);
    const auto end = time_of(event, CL_PROFILING_COMMAND_END);
    clReleaseEvent(event);
    if (!begin || !end || *end < *begin) continue;
    if (!compared_) trace_.add_sync(lane_, {*end, trace_.now()});  // better than nothing
    compared_ = true;
    command.begin = *begin;
    command.end = *end;
    trace_.add(command);
  }
  running_.erase(running_.begin(), running_.begin() + static_cast<std::ptrdiff_t>(count));
}

/// Compares the clocks. The driver's own pair of times is best, if there is one and it agrees.
void Commands::synchronize() {
  std::optional<Moment> best;
  for (int i = 0; i < kTries; ++i)
    if (const auto moment = marker(); moment && (!best || moment->doubt < best->doubt))
      best = moment;
  synchronized_ = trace_.now();
  if (!best) return;
  if (const auto pair = timer()) {
    const Nanos apart = (pair->host - pair->device) - (best->sync.host - best->sync.device);
    if (std::abs(apart) <= best->doubt) best->sync = *pair;
  }
  trace_.add_sync(lane_, best->sync);
  compared_ = true;
}

/// A marker's end, which lies between two times of the host.
std::optional<Commands::Moment> Commands::marker() const {
  cl_event event = nullptr;
  const Nanos before = trace_.now();
  if (clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &event) != CL_SUCCESS) return std::nullopt;
  const bool done = clWaitForEvents(1, &event) == CL_SUCCESS;
  const Nanos half = (trace_.now() - before) / 2;
  const auto end = done ? time_of(event, CL_PROFILING_COMMAND_END) : std::nullopt;
  clReleaseEvent(event);
  if (!end) return std::nullopt;
  return Moment{{*end, before + half}, half + 1};
}

/// What OpenCL 2.1 has for this. It is looked for by name, because older loaders lack it.
std::optional<trace::Sync> Commands::timer() const {
  using GetTimer = cl_int(CL_API_CALL*)(cl_device_id, cl_ulong*, cl_ulong*);
  const auto get = reinterpret_cast<GetTimer>(dlsym(RTLD_DEFAULT, "clGetDeviceAndHostTimer"));
  if (get == nullptr || info_.version.starts_with("OpenCL 1.") ||
      info_.version.starts_with("OpenCL 2.0"))
    return std::nullopt;
  cl_ulong device = 0;
  cl_ulong host = 0;  // of a clock that need not be ours
  const Nanos before = trace_.now();
  if (get(static_cast<cl_device_id>(info_.handle), &device, &host) != CL_SUCCESS || device == 0)
    return std::nullopt;
  return trace::Sync{static_cast<Nanos>(device), before + (trace_.now() - before) / 2};
}

}  // namespace rhomb::ocl
