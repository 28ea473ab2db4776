// SPDX-License-Identifier: Apache-2.0
#include "host/lcs/stages.h"

#include <algorithm>

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

Stages::Stages(ocl::Device& device, const Plan& plan, const Problem& problem)
    : device_(device), trace_(problem.trace), packer_(plan, problem), pieces_(all_pieces(plan)) {
  std::size_t words = 0, most = 0;
  for (const Piece& piece : pieces_) {
    words += piece.words;
    most = std::max(most, piece.words);
  }
  const std::size_t cores =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  const std::size_t threads = std::clamp<std::size_t>(words / kWordsPerThread, 1, cores);
  const std::size_t stages = std::min(2 * threads + kCopies, pieces_.size());
  for (std::size_t i = 0; i < stages; ++i) {
    stages_.emplace_back();
    stages_.back().words = device.pinned<std::uint32_t>(most);
  }
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { pack_pieces(); });
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
      packer_.pack(pieces_[number], stage.words.all());
    }
    lock.lock();
    stage.packed = true;
    packed_.notify_one();
  }
}

void Stages::copy_next(ocl::Buffer<std::uint32_t>& text) {
  const std::size_t copies = std::min(kCopies, stages_.size());
  while (taken_ - freed_pieces_ >= copies) {
    stages_[freed_pieces_ % stages_.size()].copied.wait();
    {
      const std::lock_guard lock(mutex_);
      ++freed_pieces_;
    }
    freed_.notify_one();
  }
  Stage& stage = stages_[taken_ % stages_.size()];
  {
    std::unique_lock lock(mutex_);
    packed_.wait(lock, [&] { return stage.packed; });
    stage.packed = false;
  }
  const Piece& piece = pieces_[taken_++];
  device_.write_later(text, piece.word,
                      std::span<const std::uint32_t>(stage.words.all().first(piece.words)));
  stage.copied = device_.fence();
}

}  // namespace rhomb::lcs
