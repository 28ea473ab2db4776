// SPDX-License-Identifier: Apache-2.0
// Command: what a queue did, as its device timed it.
#pragma once

#include <cstdint>
#include <string>

namespace rhomb::trace {

using Nanos = std::int64_t;  ///< nanoseconds, of a clock that each place names

struct Command {
  enum class Kind : std::uint8_t { kLaunch, kRead, kWrite, kFill, kCopy };

  Nanos begin = 0;          ///< on the device's clock
  Nanos end = 0;            ///< exclusive
  std::uint64_t count = 0;  ///< a launch: its number in the queue, from 1; else bytes
  std::uint64_t global_x = 1, global_y = 1;  ///< of a launch: work-items in total and a group
  std::uint32_t group_x = 1, group_y = 1;
  std::uint32_t name = 0;     ///< of a launch: its kernel's, see Trace::text()
  std::uint32_t lane = 0;     ///< the queue's
  std::uint32_t stretch = 0;  ///< of computing that it belongs to, see Trace::stretch(); 0: none
  Kind kind = Kind::kLaunch;
};

/// "launch", "read", "write", "fill", "copy"
inline std::string name_of(Command::Kind kind) {
  constexpr const char* kNames[] = {"launch", "read", "write", "fill", "copy"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace rhomb::trace
