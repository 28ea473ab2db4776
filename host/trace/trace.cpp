// SPDX-License-Identifier: Apache-2.0
#include "host/trace/trace.h"

#include <algorithm>
#include <chrono>

namespace rhomb::trace {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};  // a phase that was not kept

Nanos steady() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

/// Whether a phase within computing is none of it.
bool interrupts(Work work) {
  return work == Work::kBuild || work == Work::kTest || work == Work::kMeasure ||
         work == Work::kCheck;
}

}  // namespace

std::string name_of(Work work) {
  constexpr const char* kNames[] = {
      "pair", "read file", "open device",    "look at symbols", "choose",  "measure",
      "pack", "build",     "self-test",      "upload",          "compute", "pass",
      "join", "windows",   "look for words", "bounds",          "walk",    "wait",
      "read", "check",     "read times"};
  return kNames[static_cast<std::size_t>(work)];
}

Nanos on_host(std::span<const Sync> syncs, Nanos time) {
  if (syncs.empty()) return time;
  const auto after = std::ranges::upper_bound(syncs, time, {}, &Sync::device);
  if (after == syncs.begin()) return time - after->device + after->host;
  const Sync& before = *(after - 1);
  const Nanos past = time - before.device;
  if (after == syncs.end()) return before.host + past;
  const double rate = static_cast<double>(after->host - before.host) /
                      static_cast<double>(after->device - before.device);
  return before.host + static_cast<Nanos>(static_cast<double>(past) * rate);
}

Trace::Trace(std::size_t most) : most_(most), start_(steady()) { lane_of_thread(); }

Nanos Trace::now() const { return steady() - start_; }

std::size_t Trace::begin(Work work, std::string_view of) {
  const std::lock_guard lock(mutex_);
  count(work, 1);
  if (phases_.size() >= most_ / 2) {
    ++left_out_;
    return kNone;
  }
  const std::uint32_t lane = lane_of_thread();
  phases_.push_back({work, number_of(of), lane, now(), -1});
  return phases_.size() - 1;
}

void Trace::end(std::size_t phase, Work work) {
  const std::lock_guard lock(mutex_);
  count(work, -1);
  if (phase != kNone) phases_[phase].end = now();
}

/// Keeps computing_, between_ and with them the stretch.
void Trace::count(Work work, int change) {
  if (work == Work::kCompute)
    computing_ += change;
  else if (interrupts(work))
    between_ += change;
  else
    return;
  stretch_ = computing_ > 0 && between_ == 0 ? ++stretches_ : 0;
}

std::uint32_t Trace::lane_of_thread() {
  const auto [found, added] =
      threads_.emplace(std::this_thread::get_id(), static_cast<std::uint32_t>(lanes_.size()));
  if (added) {
    const std::string number = std::to_string(threads_.size());
    lanes_.push_back({threads_.size() == 1 ? "host" : "host, thread " + number});
  }
  return found->second;
}

std::uint32_t Trace::add_queue(const std::string& label, const void* device) {
  const std::lock_guard lock(mutex_);
  lanes_.push_back({label, true, device});
  return static_cast<std::uint32_t>(lanes_.size() - 1);
}

void Trace::add_sync(std::uint32_t queue, const Sync& sync) {
  const std::lock_guard lock(mutex_);
  auto& syncs = lanes_[queue].syncs;
  if (syncs.empty() || (sync.device > syncs.back().device && sync.host > syncs.back().host))
    syncs.push_back(sync);
}

void Trace::add(const Command& command) {
  const std::lock_guard lock(mutex_);
  lanes_[command.lane].usage.add(command);
  if (commands_.size() < most_)
    commands_.push_back(command);
  else
    ++left_out_;
}

Usage Trace::usage_of(const void* device) const {
  std::vector<const Lane*> busy;
  for (const Lane& lane : lanes_)
    if (lane.queue && lane.device == device && lane.usage.span() > 0) busy.push_back(&lane);
  if (busy.empty()) return {};
  if (busy.size() == 1) return busy.front()->usage;
  std::vector<Command> all;
  for (Command command : commands_) {
    if (command.stretch == 0 || lanes_[command.lane].device != device) continue;
    command.stretch = 1;
    all.push_back(command);
  }
  std::ranges::sort(all, {}, &Command::begin);
  Usage usage;
  for (const Command& command : all) usage.add(command);
  return usage;
}

std::uint32_t Trace::name(std::string_view text) {
  const std::lock_guard lock(mutex_);
  return number_of(text);
}

std::uint32_t Trace::number_of(std::string_view text) {
  if (text.empty()) return 0;
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  numbers_.emplace(text, number);
  return number;
}

std::uint32_t Trace::stretch() const {
  const std::lock_guard lock(mutex_);
  return stretch_;
}

}  // namespace rhomb::trace
