// SPDX-License-Identifier: Apache-2.0
// Team: the processes that share one pair, as one of them sees them. Process 0 leads: it plans, and
// hands out the pair and its passes; each computes its blocks of rows, and sends the borders below
// them to whoever has the next rows. What carries the messages is not known here.
#pragma once

#include <compare>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "host/dist/wire.h"
#include "host/ocl/limits.h"
#include "host/strip/border.h"

namespace rhomb::strip {

/// Which border: that below so many blocks of a direction.
struct BorderName {
  std::int64_t pass = 0;
  std::int32_t direction = 0, number = 0;
  auto operator<=>(const BorderName&) const = default;
};

class Team {
 public:
  /// A device of another process.
  struct Member {
    int process = 0;
    ocl::Limits limits;
  };
  /// Sends in order, from any thread.
  using Send = std::function<void(int to, dist::Message)>;

  /// `members`: known to process 0 alone. `count`: of processes.
  Team(int self, int count, std::vector<Member> members, Send send)
      : self_(self), count_(count), members_(std::move(members)), send_(std::move(send)) {}

  int self() const { return self_; }
  std::span<const Member> members() const { return members_; }

  /// Takes a message of the team's. Messages of one process come in the order in which they were
  /// sent; by one thread, which must not wait for who computes. Throws CheckError.
  void deliver(int from, dist::Message message);
  /// Whether a message is of the team's.
  static bool has(std::uint32_t kind) { return kind >= kPair && kind <= kDismissed; }

  // ---- of process 0

  /// Hands out a pair; what it holds is the business of help().
  void hand_out(std::string pair) { tell({kPair, std::move(pair)}); }
  /// Begins a pass, which has this number from now on.
  std::int64_t next_pass() { return pass_ + 1; }
  void begin_pass(const std::string& division);
  /// Until the others have ended the pass.
  void wait_for_others();
  /// Part of the pass's rows that others have computed.
  double done_elsewhere();
  /// The others are needed no longer.
  void dismiss() { tell({kDismissed, ""}); }

  // ---- of the others

  /// A pair, then passes, in the order in which they were handed out; kDismissed at the end.
  dist::Message next_order();
  /// Begins the pass with this number.
  void begin_pass(std::int64_t pass);
  void report_done(double rows);
  void end_pass();

  // ---- of all

  /// A border that comes from another process.
  std::shared_ptr<Border> incoming(BorderName name, std::int64_t first, std::int64_t end);
  /// A border that goes to one.
  std::shared_ptr<Border> outgoing(BorderName name, std::int64_t first, std::int64_t end, int to);
  /// The pass is given up, everywhere if process 0 does so.
  void give_up();
  bool given_up();

  static constexpr std::uint32_t kPair = 100, kPass = 101, kBorder = 102, kRows = 103,
                                 kGiveUp = 104, kEnded = 105, kDismissed = 106;

 private:
  void tell(dist::Message message) {
    for (int to = 1; to + 1 < count_; ++to) send_(to, message);
    if (count_ > 1) send_(count_ - 1, std::move(message));
  }
  void set_pass(std::int64_t pass);
  void give_up_locked();
  /// Whether the border is complete now.
  static bool feed(Border& border, std::string_view text);

  int self_, count_;
  std::vector<Member> members_;
  Send send_;
  std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  std::deque<dist::Message> orders_;
  std::int64_t pass_ = 0, given_up_ = -1;
  int ended_ = 0;                                          // of the others
  std::vector<double> done_;                               // rows, of each process
  std::map<BorderName, std::shared_ptr<Border>> borders_;  // that come, and are not complete
  std::map<BorderName, std::vector<std::string>> early_;   // parts of borders that nobody waits for
};

}  // namespace rhomb::strip
