// SPDX-License-Identifier: Apache-2.0
#include "host/trace/usage.h"

#include <algorithm>

namespace rhomb::trace {

void Usage::add(const Command& command) {
  if (command.stretch == 0) return;
  if (command.kind == Command::Kind::kLaunch) ++launches_;
  if (command.stretch != stretch_) {
    stretch_ = command.stretch;
    reached_ = command.begin;
    last_ = command;
  }
  const Nanos idle = command.begin - reached_;
  if (idle > gap_.length) gap_ = {idle, last_};
  if (command.end <= reached_) return;
  span_ += command.end - reached_;
  busy_ += command.end - std::max(command.begin, reached_);
  reached_ = command.end;
  last_ = command;
}

double Usage::idle_share() const {
  return span_ > 0 ? 1 - static_cast<double>(busy_) / static_cast<double>(span_) : 0;
}

}  // namespace rhomb::trace
