// SPDX-License-Identifier: Apache-2.0
// Ranks: the processes of an MPI job, and their messages (host/dist/wire.h). All calls of MPI are
// made by the thread that made this object; any thread may send.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "host/dist/wire.h"

namespace rhomb::cli {

/// "rank 2"
std::string rank_name(int rank);

class Ranks {
 public:
  /// Begins MPI.
  Ranks();

  int rank() const { return rank_; }
  int count() const { return count_; }
  /// The place of this rank among those of its host, and how many these are.
  int place() const { return place_; }
  int places() const { return places_; }
  /// The first rank of this one's host.
  int host() const { return host_; }

  void send(int to, dist::Message message);
  /// Pieces of messages that are still on their way.
  std::size_t unsent();

  /// Hands out what has come, and sends on. If there is nothing to do, waits a millisecond, or
  /// until `file` can be read, if it is not -1: then true. Throws CheckError, which names the rank,
  /// for a message that is damaged.
  bool turn(int file, const std::function<void(int from, dist::Message)>& take);

  /// Ends MPI, all ranks together.
  void end();
  /// Ends all ranks at once; mpirun ends with `code`.
  [[noreturn]] void abort(int code);

 private:
  struct Sent {
    MPI_Request request;
    std::string piece;
  };
  struct Waiting {
    int to;
    dist::Message message;
  };

  int rank_ = 0, count_ = 1, place_ = 0, places_ = 1, host_ = 0;
  int wake_ = -1;  // readable once a message waits
  std::vector<dist::Wire> wires_;
  std::list<Sent> sent_;
  std::mutex mutex_;  // of what waits
  std::deque<Waiting> waiting_;
};

}  // namespace rhomb::cli
