// SPDX-License-Identifier: Apache-2.0
#include "host/lcs/stages.h"

#include <algorithm>

#include "host/batch/threads.h"

namespace rhomb::lcs {
namespace {

constexpr std::size_t kPieceWords = std::size_t{1} << 16;
/// Words that are worth a thread.
constexpr std::size_t kWordsPerThread = std::size_t{1} << 15;
constexpr std::size_t kMostThreads = 64;
/// That wait in the queues: a copy takes a hundredth of the time that a thread needs to pack it.
constexpr std::size_t kCopies = 4;

std::vector<Piece> all_pieces(const Plan& plan) {
  std::vector<Piece> all;
  for (const Chunk& chunk : plan.chunks) {
    const std::vector<Piece> pieces = pieces_of(plan, chunk, kPieceWords);
    all.insert(all.end(), pieces.begin(), pieces.end());
  }
  return all;
}

}  // namespace

Stages::Stages(const Plan& plan, const Problem& problem)
    : trace_(problem.trace), packer_(plan, problem), pieces_(all_pieces(plan)) {
  std::size_t all = 0;
  for (const Piece& piece : pieces_) {
    all += piece.words;
    words_ = std::max(words_, piece.words);
  }
  const std::size_t cores = std::min(batch::threads_of(problem.threads), kMostThreads);
  count_of_threads_ = std::clamp<std::size_t>(all / kWordsPerThread, 1, cores);
  stages_.resize(std::min(2 * count_of_threads_ + kCopies, pieces_.size()));
}

void Stages::start(const std::vector<std::uint32_t*>& memory) {
  for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i].words = memory[i];
  for (std::size_t i = 0; i < count_of_threads_; ++i)
    threads_.emplace_back([this] { pack_pieces(); });
}

Stages::~Stages() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  freed_.notify_all();
}

void Stages::pack_pieces() {
  std::unique_lock lock(mutex_);
  while (true) {
    freed_.wait(lock, [&] {
      return stopped_ || begun_ == pieces_.size() || begun_ < freed_pieces_ + stages_.size();
    });
    if (stopped_ || begun_ == pieces_.size()) return;
    const std::size_t number = begun_++;
    if (begun_ == pieces_.size()) freed_.notify_all();  // the others may go
    Stage& stage = stages_[number % stages_.size()];
    lock.unlock();
    {
      const trace::Scope scope(trace_, trace::Work::kPack);
      packer_.pack(pieces_[number], {stage.words, pieces_[number].words});
    }
    lock.lock();
    stage.packed = true;
    packed_.notify_one();
  }
}

bool Stages::full() const { return taken_ - freed_pieces_ >= std::min(kCopies, stages_.size()); }

void Stages::free_oldest() {
  {
    const std::lock_guard lock(mutex_);
    ++freed_pieces_;
  }
  freed_.notify_one();
}

Stages::Packed Stages::next() {
  const std::size_t number = taken_ % stages_.size();
  std::unique_lock lock(mutex_);
  packed_.wait(lock, [&] { return stages_[number].packed; });
  stages_[number].packed = false;
  return {&pieces_[taken_++], number};
}

}  // namespace rhomb::lcs
