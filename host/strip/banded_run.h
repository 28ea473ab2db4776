// SPDX-License-Identifier: Apache-2.0
// BandedRun: a pair on a device, ready for passes over bands of its matrix.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "cl/strip/band.h"
#include "cl/strip/launch.h"
#include "host/batch/backend.h"
#include "host/strip/texts.h"

namespace rhomb::strip {

template <batch::Backend Device>
class BandedRun {
 public:
  /// Pattern, text, state, ring, last, tickets.
  using Kernel = batch::KernelOf<Device, const std::uint32_t*, const std::uint32_t*, std::uint32_t*,
                                 std::uint32_t*, std::uint32_t*, std::uint32_t*, StripLaunch>;

  /// Packs the texts and copies them. The kernel stays where it is. `apart`: keeps the last row of
  /// every so manyth lane; 0: of none but the last. `only`: one of two directions, where another
  /// device has the other one.
  BandedRun(Device& device, const Plan& plan, const Problem& problem, const Kernel& kernel,
            std::uint32_t apart = 0, std::optional<std::uint32_t> only = std::nullopt);

  /// The cost of the cheapest path within `band`: an upper bound of the distance, and the distance
  /// if a band_of() this value would be no wider. Nothing where `report` gave the pass up.
  std::optional<std::int64_t> pass(const Band& band, const Report& report);
  /// The pass alone; false where it was given up.
  bool run(const Band& band, const Report& report);
  /// What a pass left, of the directions that it has computed.
  const Edges& edges() const { return edges_; }
  /// Where the kept rows are, of the last pass.
  const batch::BufferOf<Device, std::uint32_t>& kept() const { return last_; }
  std::size_t pitch() const { return pitch_; }
  /// The texts there.
  const batch::BufferOf<Device, std::uint32_t>& pattern() const { return pattern_; }
  const batch::BufferOf<Device, std::uint32_t>& text() const { return text_; }
  /// Of those that it computes, and how many these are.
  std::uint32_t first_direction() const { return first_direction_; }
  std::uint32_t directions() const { return directions_; }
  std::uint32_t pattern_reverse() const { return pattern_reverse_; }
  std::uint32_t text_plane() const { return text_plane_; }
  /// Where the dh of word `first` of the columns along a row that it kept are there; ph and mh of
  /// each word. It must be in the band.
  std::size_t kept_at(std::size_t direction, std::int64_t number, std::int64_t first) const;

 private:
  using Words = batch::BufferOf<Device, std::uint32_t>;

  bool enqueue(const Band& band, const Report& report);
  /// Enqueues what has something to do in a launch.
  void launch(const Schedule::Active& active, StripLaunch& told);
  Edge edge(std::size_t direction, std::int64_t lanes, const Band& band);

  Device& device_;
  const Plan& plan_;
  Layout layout_;
  const Kernel& kernel_;
  Words pattern_, text_, state_, ring_, last_, tickets_;
  std::uint32_t apart_;
  std::uint32_t first_direction_, directions_;
  std::size_t pitch_ = 0;  // words of columns that a kept row has room for
  Band band_;              // of the last pass
  Edges edges_;
  std::uint32_t pattern_reverse_ = 0;
  std::uint32_t text_plane_ = 0;
};

template <batch::Backend Device>
BandedRun<Device>::BandedRun(Device& device, const Plan& plan, const Problem& problem,
                             const Kernel& kernel, std::uint32_t apart,
                             std::optional<std::uint32_t> only)
    : device_(device),
      plan_(plan),
      layout_(layout_of(plan.size, plan.shape, plan.planes)),
      kernel_(kernel),
      apart_(apart),
      first_direction_(only.value_or(0)),
      directions_(plan.size.lower > 0 && !only ? 2 : 1) {
  const Texts texts = pack(plan, problem);
  pattern_ = device.template upload<std::uint32_t>(texts.pattern);
  pattern_reverse_ = texts.pattern_reverse;
  text_ = device.template upload<std::uint32_t>(texts.text);
  text_plane_ = texts.text_plane;
  state_ = device.template buffer<std::uint32_t>(layout_.state);
  ring_ = device.template buffer<std::uint32_t>(layout_.ring);
  last_ = device.template buffer<std::uint32_t>(layout_.last);
  tickets_ = device.template buffer<std::uint32_t>(1);
}

template <batch::Backend Device>
std::optional<std::int64_t> BandedRun<Device>::pass(const Band& band, const Report& report) {
  if (!run(band, report)) return std::nullopt;
  return least_sum(edges_.upper, edges_.lower, plan_.size.n);
}

template <batch::Backend Device>
bool BandedRun<Device>::run(const Band& band, const Report& report) {
  if (!enqueue(band, report)) return false;
  const trace::Scope scope(device_.trace(), trace::Work::kJoin);
  if (plan_.size.lower == 0) edges_.lower = empty_edge(plan_.size);
  for (std::uint32_t i = 0; i < directions_; ++i) {
    const bool lower = first_direction_ + i > 0;
    (lower ? edges_.lower : edges_.upper) =
        edge(lower, lower ? plan_.size.lower : plan_.size.upper, band);
  }
  return true;
}

template <batch::Backend Device>
bool BandedRun<Device>::enqueue(const Band& band, const Report& report) {
  Schedule schedule(plan_.size, plan_.shape, band);
  const Shape& shape = plan_.shape;
  if (shape.flow) {
    device_.fill(ring_, ~0u);
    device_.fill(tickets_, 0u);
  }
  StripLaunch told = launch_of(plan_, layout_);
  band_ = band;
  if (apart_ > 0) {
    pitch_ = kept_pitch(plan_, band);
    const std::size_t size = layout_.last + kept_words(plan_, band, apart_);
    if (last_.size() < size) last_ = device_.template buffer<std::uint32_t>(size);
    told.kept = static_cast<std::int64_t>(layout_.last);
    told.apart = apart_;
    told.pitch = static_cast<std::uint32_t>(pitch_);
  }
  told.first_direction = first_direction_;
  told.directions = directions_;
  told.below = band.below;
  told.above = band.above;
  told.pattern_reverse = pattern_reverse_;
  told.slab = shape.slab;
  told.delay = static_cast<std::int32_t>(shape.delay());
  std::optional<batch::FenceOf<Device>> before;
  for (std::int64_t number = 0; number < schedule.launches(); ++number) {
    const Schedule::Active active = schedule.active(number);
    if (active.count == 0) continue;
    told.time = static_cast<std::int32_t>(number * shape.slab);
    told.first_group = static_cast<std::uint32_t>(active.first);
    launch(active, told);
    if ((number + 1) % plan_.batch == 0) {
      // Wait for the batch before this one, so that the device always has one to do.
      auto mark = device_.fence();
      if (before) {
        before->wait();
        if (report(static_cast<double>(number + 1 - plan_.batch) /
                   static_cast<double>(schedule.launches())))
          return false;
      }
      before = std::move(mark);
    }
  }
  return true;
}

template <batch::Backend Device>
std::size_t BandedRun<Device>::kept_at(std::size_t direction, std::int64_t number,
                                       std::int64_t first) const {
  const std::int64_t lane = (number + 1) * std::int64_t{apart_} - 1;
  const std::size_t rows = static_cast<std::size_t>(plan_.size.upper) / apart_;
  const std::size_t row = direction * rows + static_cast<std::size_t>(number);
  const std::int64_t begin = band_first(lane, plan_.shape.rows(), band_.below);
  return layout_.last + 2 * (row * pitch_ + static_cast<std::size_t>(first - begin));
}

template <batch::Backend Device>
void BandedRun<Device>::launch(const Schedule::Active& active, StripLaunch& told) {
  const Shape& shape = plan_.shape;
  const auto group = static_cast<std::size_t>(shape.group);
  const auto count = static_cast<std::size_t>(active.count);
  const auto enqueued = [&](const ocl::Range& range, const auto& sixth) {
    kernel_(range, pattern_, text_, state_, ring_, last_, sixth, told);
  };
  if (shape.flow) {
    const auto block = static_cast<std::size_t>(shape.block);
    const std::size_t blocks = (count * group + block - 1) / block * directions_;
    enqueued({blocks * block, 1, block, 1}, tickets_);
    told.first_ticket += static_cast<std::uint32_t>(blocks);
  } else if constexpr (std::is_same_v<Device, ocl::Device>) {  // CUDA's words always flow
    const auto words = static_cast<std::size_t>(shape.lanes == 1 ? 2 * shape.slab : 1);
    enqueued({count * group, directions_, group, 1}, ocl::Local{words * sizeof(std::uint32_t)});
  }
}

template <batch::Backend Device>
Edge BandedRun<Device>::edge(std::size_t direction, std::int64_t lanes, const Band& band) {
  return edge_of(plan_, band, lanes,
                 device_.read(last_, direction * 2 * text_plane_, 2 * std::size_t{text_plane_}),
                 device_.read(state_, (direction * layout_.values + layout_.score) * layout_.stride,
                              static_cast<std::size_t>(lanes - 1)));
}

/// All of a plan but finding its kernel.
template <batch::Backend Device>
Answer run_passes(Device& device, const Plan& plan, const Problem& problem,
                  const typename BandedRun<Device>::Kernel& kernel) {
  const double begin = now();
  BandedRun<Device> run(device, plan, problem, kernel);
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  Answer answer = passes(plan, problem, [&](const Band& band, const Report& report) {
    return run.pass(band, report);
  });
  answer.transfer = start - begin;
  answer.compute = now() - start;
  return answer;
}

}  // namespace rhomb::strip
