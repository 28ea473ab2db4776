// SPDX-License-Identifier: Apache-2.0
// Usage: how busy a queue was while the host was computing.
//
// Computing goes on in stretches: from where it begins to where it ends or something else comes in
// between, as building another program does. Only what lies between the commands of one stretch is
// idle time.
#pragma once

#include "command.h"

namespace rhomb::trace {

class Usage {
 public:
  /// Counts a command, unless it belongs to no stretch. Commands of a queue come in order.
  void add(const Command& command);

  /// Time between two commands in which no command ran.
  struct Gap {
    Nanos length = 0;
    Command before;  ///< the command that had run last
  };

  std::uint64_t launches() const { return launches_; }
  Nanos busy() const { return busy_; }  ///< in which at least one command ran
  /// From the begin of a stretch's first command to the end of its last, all stretches together.
  Nanos span() const { return span_; }
  double idle_share() const;                       ///< part of span() that is not busy(), 0..1
  const Gap& longest_gap() const { return gap_; }  ///< of length 0 where there was none

 private:
  std::uint64_t launches_ = 0;
  Nanos busy_ = 0;
  Nanos span_ = 0;
  Gap gap_;
  std::uint32_t stretch_ = 0;
  Nanos reached_ = 0;  ///< the latest end in this stretch
  Command last_;       ///< whose end that is
};

}  // namespace rhomb::trace
