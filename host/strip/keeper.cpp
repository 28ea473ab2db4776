// SPDX-License-Identifier: Apache-2.0
#include "host/strip/keeper.h"

#include <algorithm>
#include <string>
#include <utility>

#include "host/error.h"

namespace rhomb::strip {
namespace {

constexpr const char* kStripsState = "strips";
constexpr const char* kDirections[] = {"forward_", "backward_"};

/// What a direction had reached. Throws InputError.
Reached reached_of(const dist::State& state, std::size_t direction, const Frame& frame) {
  const auto number = [&](const char* name) {
    return state.number(std::string(kDirections[direction]) + name);
  };
  Reached reached;
  reached.row = number("row");
  if (reached.row == 0) return std::move(at_the_top(frame)[direction]);
  Edge& edge = reached.edge;
  edge.first = number("first");
  edge.end = number("end");
  edge.start = number("start");
  const std::int64_t words = (frame.n + 31) / 32;
  if (reached.row < 0 || reached.row % kBlockRows != 0 || edge.first < 0 || edge.end > words ||
      edge.first > edge.end || state.arrays.size() != 2 ||
      state.arrays[direction].size() != 2 * static_cast<std::size_t>(edge.end - edge.first))
    throw InputError("checkpoint", "", 0, "has rows that the matrix has not");
  edge.words.resize(2 * static_cast<std::size_t>(words));
  std::ranges::copy(state.arrays[direction], edge.words.begin() + 2 * edge.first);
  return reached;
}

}  // namespace

Keeper::Keeper(dist::Checkpoint& checkpoint, Frame& frame)
    : checkpoint_(checkpoint), frame_(frame) {
  const std::optional<dist::State>& state = checkpoint.start();
  if (!state || state->engine != kStripsState) return;
  if (state->number("rows") != frame.m || state->number("columns") != frame.n)
    throw InputError("checkpoint", "", 0, "is of a matrix of another size");
  start_ = PassPlace{state->number("pass"), state->number("threshold"), state->number("cost"),
                     static_cast<double>(state->number("cells"))};
  for (const std::size_t direction : {0u, 1u})
    reached_[direction] = reached_of(*state, direction, frame);
  const std::int64_t done = reached_[0].row + reached_[1].row;
  if (done > frame.m) throw InputError("checkpoint", "", 0, "has rows that the matrix has not");
  frame.rows[0] = std::clamp(frame.rows[0], reached_[0].row, frame.m - reached_[1].row);
  frame.rows[1] = frame.m - frame.rows[0];
  frame_ = frame;
  part_ = static_cast<double>(done) / static_cast<double>(frame.m);
}

std::optional<std::int64_t> Keeper::threshold_of(const dist::Checkpoint& checkpoint) {
  const std::optional<dist::State>& state = checkpoint.start();
  if (!state || state->engine != kStripsState) return std::nullopt;
  return state->number("threshold");
}

const std::array<Reached, 2>& Keeper::begins(const PassPlace& place) {
  if (!start_ || !std::exchange(fresh_, false)) {
    reached_ = at_the_top(frame_);
    part_ = 0;
    changed_ = place.number > 1;
  }
  place_ = place;
  return reached_;
}

void Keeper::reached(int direction, Reached to) {
  Reached& at = reached_[static_cast<std::size_t>(direction)];
  // A block's end may be told after that of the one below it.
  if (to.row <= at.row) return;
  at = std::move(to);
  changed_ = true;
}

void Keeper::save() {
  dist::State state;
  state.engine = kStripsState;
  state.numbers = {{"rows", frame_.m},      {"columns", frame_.n},
                   {"pass", place_.number}, {"threshold", place_.threshold},
                   {"cost", place_.cost},   {"cells", static_cast<std::int64_t>(place_.cells)}};
  for (const std::size_t direction : {0u, 1u}) {
    const auto& [row, edge] = reached_[direction];
    const std::string name = kDirections[direction];
    state.numbers[name + "row"] = row;
    state.numbers[name + "first"] = edge.first;
    state.numbers[name + "end"] = edge.end;
    state.numbers[name + "start"] = edge.start;
    auto& array = state.arrays.emplace_back();
    if (row > 0)
      array.assign(edge.words.begin() + 2 * edge.first, edge.words.begin() + 2 * edge.end);
  }
  checkpoint_.save(std::move(state));
  changed_ = false;
}

void Keeper::finish() {
  if (changed_) save();
  checkpoint_.settle();
}

}  // namespace rhomb::strip
