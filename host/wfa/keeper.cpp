// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/keeper.h"

#include <algorithm>
#include <string>

#include "cl/wfa/front.h"
#include "host/error.h"

namespace rhomb::wfa {
namespace {

/// Diagonals that the first buffer has room for, and any at most.
constexpr std::int64_t kFirstRoom = 1 << 12, kMostRoom = 1 << 27;

}  // namespace

Plan keeping_plan(Plan plan) {
  for (Stage& stage : plan.stages) stage.steps = std::min(stage.steps, kKeptSteps);
  return plan;
}

std::uint64_t Keeper::room_for(double bytes) {
  std::uint64_t one = 8 * kFirstRoom, all = one;
  while (static_cast<double>(all) < bytes) {
    one = std::min<std::uint64_t>(2 * one, 8 * kMostRoom);
    all += one;
  }
  return all;
}

Keeper::Keeper(ocl::Device& device, std::uint64_t most_bytes)
    : device_(device),
      most_bytes_(most_bytes),
      buffers_(std::make_shared<std::vector<ocl::Buffer<std::int32_t>>>()) {
  make_room(kFirstRoom);
}

void Keeper::make_room(std::int64_t diagonals) {
  if (used_ + diagonals <= capacity_) return;
  const auto left = static_cast<std::int64_t>((most_bytes_ - bytes_) / 8);
  const auto one = static_cast<std::int64_t>(device_.limits().alloc_bytes / 8);
  capacity_ =
      std::max(std::min({std::max(2 * capacity_, 2 * diagonals), kMostRoom, left, one}), diagonals);
  const auto bytes = 8 * static_cast<std::uint64_t>(capacity_);
  if (capacity_ > std::int64_t{0x7fffffff} || bytes_ + bytes > most_bytes_)
    throw MemoryError("the wavefronts that an alignment keeps need more than " +
                      std::to_string(most_bytes_ >> 20) + " MiB on the device");
  bytes_ += bytes;
  buffers_->push_back(device_.buffer<std::int32_t>(2 * static_cast<std::size_t>(capacity_)));
  used_ = 0;
}

Kept Keeper::begin(std::int64_t m, std::int64_t n, Front& first) {
  // Rows run past the ends of the texts, by the distance at most.
  if (std::max(m, n) > WFA_BIAS) throw MemoryError("wavefronts of so long texts keep no rows");
  first.place = add(1);
  return {buffers_, {}};
}

std::uint32_t Keeper::add(std::int64_t diagonals) {
  places_.push_back({buffers_->size() - 1, used_});
  used_ += static_cast<std::uint32_t>(diagonals);
  return static_cast<std::uint32_t>(places_.size() - 1);
}

void Keeper::place(Front& to, const Front& from, const Front& facing) {
  const bool meets = facing.place != from.place;
  make_room(from.size() + to.size() + (meets ? from.size() + facing.size() : 0));
  bring(from);
  if (meets) bring(facing);
  to.place = add(to.size());
}

void Keeper::bring(const Front& front) {
  const Kept::Place place = places_[front.place];
  if (place.buffer + 1 == buffers_->size()) return;
  const ocl::Buffer<std::int32_t>& from = (*buffers_)[place.buffer];
  for (const std::size_t direction : {0u, 1u})
    device_.copy(from, place.at + direction * (from.size() / 2), buffer(),
                 used_ + direction * static_cast<std::size_t>(capacity_),
                 static_cast<std::size_t>(front.size()));
  places_[front.place] = {buffers_->size() - 1, used_};
  used_ += static_cast<std::uint32_t>(front.size());
}

void Keeper::end_behind(const Front& front) {
  const Kept::Place& place = places_[front.place];
  if (place.buffer + 1 == buffers_->size())
    used_ = place.at + static_cast<std::uint32_t>(front.size());
}

void Keeper::keep(const Front& front, Kept& kept) const {
  if (!kept.levels.empty() && kept.levels.back().cost >= front.cost) return;
  kept.levels.push_back({front.cost, front.lo, front.hi, places_[front.place]});
}

}  // namespace rhomb::wfa
