// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/keeper.h"

#include <algorithm>
#include <string>

#include "cl/wfa/front.h"
#include "host/error.h"

namespace rhomb::wfa {
namespace {

/// Diagonals that the first buffer has room for, and any at most.
constexpr std::int64_t kFirstRoom = 1 << 16, kMostRoom = 1 << 27;

/// Rows in a buffer, at least: where another begins, one or two are there twice.
constexpr std::int64_t kRowsTogether = 8;

/// Rows that are placed and then not needed, about.
constexpr int kLaunchesBehind = 8;

/// Diagonals of the first buffer, at least.
std::int64_t first_of(double diagonals) {
  return 1 + static_cast<std::int64_t>(std::min<double>(diagonals, kMostRoom));
}

}  // namespace

Plan keeping_plan(Plan plan, int steps) {
  // Large tiles for many steps a launch would wait for each other at barriers.
  const auto large = [](const Stage& stage) { return stage.steps > 2 * kKeptSteps; };
  if (!std::ranges::all_of(plan.stages, large)) std::erase_if(plan.stages, large);
  for (Stage& stage : plan.stages) stage.steps = std::min(stage.steps, steps);
  return plan;
}

double diagonals_kept(const Plan& plan, std::int64_t distance) {
  // Besides, what two rounds of launches write behind the place where they meet.
  return bytes_kept(plan, distance) / 8 +
         4.0 * static_cast<double>(plan.batch) * static_cast<double>(distance);
}

std::int64_t KeptRoom::next(std::int64_t diagonals) const {
  const auto expected = static_cast<std::int64_t>(std::min(left, 1e18));
  const std::int64_t more = std::clamp(expected, all / 16, all);
  return std::max(std::clamp(more, kFirstRoom, kMostRoom), diagonals);
}

void KeptRoom::begin(std::int64_t diagonals) {
  capacity = diagonals;
  all += diagonals;
  used = 0;
}

std::uint64_t Keeper::bytes_for(std::int64_t cost, std::int64_t steps, double diagonals) {
  KeptRoom room;
  room.begin(room.next(first_of(diagonals)));
  std::int64_t before = 0;
  const auto add = [&](std::int64_t at) {
    const std::int64_t row = 2 * at + 1;
    const auto costs = static_cast<double>(cost - at);
    room.left = costs * static_cast<double>(cost + at) / static_cast<double>(steps);
    if (!room.fits(row)) {
      room.begin(room.next(kRowsTogether * row));
      room.used = before;
    }
    room.used += row;
    before = row;
  };
  for (std::int64_t at = 0; at < cost; at += steps) add(at);
  // Launches that were under way when the rows met, and those that look for where.
  for (int i = 0; i < kLaunchesBehind; ++i) add(cost);
  return room.bytes();
}

Keeper::Keeper(ocl::Device& device, std::uint64_t most_bytes, double diagonals)
    : device_(device),
      most_bytes_(most_bytes),
      buffers_(std::make_shared<std::vector<ocl::Buffer<std::int32_t>>>()) {
  begin_buffer(1, first_of(diagonals));
}

void Keeper::make_room(std::int64_t diagonals) {
  if (!room_.fits(diagonals)) begin_buffer(diagonals, diagonals);
}

void Keeper::begin_buffer(std::int64_t diagonals, std::int64_t wanted) {
  const auto left = static_cast<std::int64_t>((most_bytes_ - room_.bytes()) / 8);
  const auto one = static_cast<std::int64_t>(device_.limits().alloc_bytes / 8);
  const std::int64_t next = std::max(std::min({room_.next(wanted), left, one}), diagonals);
  if (next > std::int64_t{0x7fffffff} || next > left)
    throw MemoryError("the wavefronts that an alignment keeps need more than " +
                      std::to_string(most_bytes_ >> 20) + " MiB on the device");
  buffers_->push_back(device_.buffer<std::int32_t>(2 * static_cast<std::size_t>(next)));
  room_.begin(next);
}

Kept Keeper::begin(std::int64_t m, std::int64_t n, Front& first) {
  // Rows run past the ends of the texts, by the distance at most.
  if (std::max(m, n) > WFA_BIAS) throw MemoryError("wavefronts of so long texts keep no rows");
  first.place = add(1);
  return {buffers_, m, n, {}};
}

std::uint32_t Keeper::add(std::int64_t diagonals) {
  places_.push_back({buffers_->size() - 1, static_cast<std::uint32_t>(room_.used)});
  room_.used += diagonals;
  return static_cast<std::uint32_t>(places_.size() - 1);
}

bool Keeper::is_here(const Front& front) const {
  return places_[front.place].buffer + 1 == buffers_->size();
}

void Keeper::place(Front& to, const Front& from, const Front& facing) {
  const std::int64_t other = facing.place != from.place ? facing.size() : 0;
  const std::int64_t needed =
      to.size() + (is_here(from) ? 0 : from.size()) + (other == 0 || is_here(facing) ? 0 : other);
  if (!room_.fits(needed)) begin_buffer(from.size() + to.size() + other, kRowsTogether * to.size());
  bring(from);
  if (other > 0) bring(facing);
  to.place = add(to.size());
}

void Keeper::bring(const Front& front) {
  if (is_here(front)) return;
  const Kept::Place place = places_[front.place];
  const ocl::Buffer<std::int32_t>& from = (*buffers_)[place.buffer];
  for (const std::size_t direction : {0u, 1u})
    device_.copy(from, place.at + direction * (from.size() / 2), buffer(),
                 static_cast<std::size_t>(room_.used) + direction * row(),
                 static_cast<std::size_t>(front.size()));
  places_[front.place] = {buffers_->size() - 1, static_cast<std::uint32_t>(room_.used)};
  room_.used += front.size();
}

void Keeper::end_behind(const Front& front) {
  if (is_here(front)) room_.used = places_[front.place].at + front.size();
}

void Keeper::keep(const Front& front, Kept& kept) const {
  if (!kept.levels.empty() && kept.levels.back().cost >= front.cost) return;
  kept.levels.push_back({front.cost, front.lo, front.hi, places_[front.place]});
}

}  // namespace rhomb::wfa
