// SPDX-License-Identifier: Apache-2.0
#include "tools/mpi/ranks.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <utility>

#include "host/error.h"

namespace rhomb::cli {

std::string rank_name(int rank) { return "rank " + std::to_string(rank); }

Ranks::Ranks() {
  int given = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  if (given < MPI_THREAD_FUNNELED)
    throw Error(Kind::kInternal, "this MPI allows a process no other threads");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &place_);
  MPI_Comm_size(host, &places_);
  host_ = rank_;
  MPI_Bcast(&host_, 1, MPI_INT, 0, host);
  MPI_Comm_free(&host);
  for (int i = 0; i < count_; ++i) wires_.emplace_back(rank_name(i));
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void Ranks::send(int to, dist::Message message) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({to, std::move(message)});
  const std::uint64_t one = 1;
  (void)!write(wake_, &one, sizeof one);
}

std::size_t Ranks::unsent() {
  const std::lock_guard lock(mutex_);
  return waiting_.size() + sent_.size();
}

bool Ranks::turn(int file, const std::function<void(int from, dist::Message)>& take) {
  bool busy = false;
  std::deque<Waiting> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(waiting_);
    for (Waiting& one : waiting)
      wires_[static_cast<std::size_t>(one.to)].cut(one.message, [&](std::string piece) {
        Sent& sent = sent_.emplace_back(MPI_REQUEST_NULL, std::move(piece));
        MPI_Isend(sent.piece.data(), static_cast<int>(sent.piece.size()), MPI_BYTE, one.to, 0,
                  MPI_COMM_WORLD, &sent.request);
      });
    for (auto sent = sent_.begin(); sent != sent_.end();) {
      int done = 0;
      MPI_Test(&sent->request, &done, MPI_STATUS_IGNORE);
      sent = done != 0 ? sent_.erase(sent) : std::next(sent);
    }
  }
  for (;;) {
    int there = 0;
    MPI_Message coming;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &coming, &status);
    if (there == 0) break;
    busy = true;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::string piece(static_cast<std::size_t>(size), '\0');
    MPI_Request request;
    MPI_Imrecv(piece.data(), size, MPI_BYTE, &coming, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const int from = status.MPI_SOURCE;
    if (auto message = wires_[static_cast<std::size_t>(from)].join(piece))
      take(from, std::move(*message));
  }
  std::array<pollfd, 2> files{{{wake_, POLLIN, 0}, {file, POLLIN, 0}}};
  if (poll(files.data(), files.size(), busy ? 0 : 1) < 0) return false;
  std::uint64_t woken = 0;
  if (files[0].revents != 0) (void)!read(wake_, &woken, sizeof woken);
  return files[1].revents != 0;
}

void Ranks::end() {
  // MPICH 4.0 over TCP hangs where a rank leaves while another still closes its connections.
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}

void Ranks::abort(int code) {
  // MPICH's launcher ends at once, and what it has not yet passed on of standard error is lost: one
  // message of ten (MPICH 4.0).
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace rhomb::cli
