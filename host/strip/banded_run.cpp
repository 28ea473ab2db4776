// SPDX-License-Identifier: Apache-2.0
#include "host/strip/banded_run.h"

#include <algorithm>
#include <optional>

namespace rhomb::strip {

BandedRun::BandedRun(ocl::Device& device, const Plan& plan, const Problem& problem)
    : device_(device),
      plan_(plan),
      layout_(layout_of(plan.size, plan.shape, plan.planes)),
      kernel_(device.kernel(plan.program.file, plan.program.kernel, plan.program.defines)) {
  const double begin = now();
  const Texts texts = pack(plan, problem);
  pattern_ = device.upload(std::span<const std::uint32_t>(texts.pattern));
  pattern_reverse_ = texts.pattern_reverse;
  text_ = device.upload(std::span<const std::uint32_t>(texts.text));
  text_plane_ = texts.text_plane;
  state_ = device.buffer<std::uint32_t>(layout_.state);
  ring_ = device.buffer<std::uint32_t>(layout_.ring);
  last_ = device.buffer<std::uint32_t>(layout_.last);
  tickets_ = device.buffer<std::uint32_t>(1);
  transfer_ = now() - begin;
}

std::optional<std::int64_t> BandedRun::pass(const Band& band, const Report& report) {
  if (!enqueue(band, report)) return std::nullopt;
  const trace::Scope scope(device_.trace(), trace::Work::kJoin);
  const Edge upper = edge(0, plan_.size.upper, band);
  const Edge lower =
      plan_.size.lower > 0 ? edge(1, plan_.size.lower, band) : empty_edge(plan_.size);
  return least_sum(upper, lower, plan_.size.n);
}

bool BandedRun::enqueue(const Band& band, const Report& report) {
  Schedule schedule(plan_.size, plan_.shape, band);
  const Shape& shape = plan_.shape;
  const auto group = static_cast<std::size_t>(shape.group);
  const auto block = static_cast<std::size_t>(shape.block);
  std::optional<ocl::Pending<std::uint32_t>> before;
  std::uint32_t first_ticket = 0;
  if (shape.flow) {
    device_.fill(ring_, ~0u);
    device_.fill(tickets_, 0u);
  }
  for (std::int64_t launch = 0; launch < schedule.launches(); ++launch) {
    const Schedule::Active active = schedule.active(launch);
    if (active.count == 0) continue;
    const auto count = static_cast<std::size_t>(active.count);
    const std::size_t blocks = (count * group + block - 1) / block;
    const std::size_t directions = plan_.size.lower > 0 ? 2 : 1;
    const auto run = [&](const ocl::Range& range, const auto&... rest) {
      kernel_(range, pattern_, pattern_reverse_, text_, text_plane_, state_, layout_.stride, ring_,
              layout_.groups, last_, static_cast<std::uint32_t>(plan_.size.upper),
              static_cast<std::uint32_t>(plan_.size.lower), band.below, band.above, plan_.size.n,
              static_cast<std::int32_t>(launch * shape.slab), shape.slab,
              static_cast<std::int32_t>(shape.delay()), static_cast<std::uint32_t>(active.first),
              rest...);
    };
    const auto parity = static_cast<std::uint32_t>(launch & 1);
    if (shape.flow) {
      run({blocks * directions * block, 1, block, 1}, tickets_, first_ticket);
      first_ticket += static_cast<std::uint32_t>(blocks * directions);
    } else if (shape.lanes == 1) {
      run({count * group, directions, group, 1}, parity,
          ocl::Local{8 * static_cast<std::size_t>(shape.slab)});
    } else {
      run({count * group, directions, group, 1}, parity);
    }
    if ((launch + 1) % plan_.batch == 0) {
      // Wait for the batch before this one, so that the device always has one to do.
      auto mark = device_.read_later(state_, 0, 1);
      if (before) {
        before->wait();
        if (report(static_cast<double>(launch + 1 - plan_.batch) /
                   static_cast<double>(schedule.launches())))
          return false;
      }
      before = std::move(mark);
    }
  }
  return true;
}

Edge BandedRun::edge(std::size_t direction, std::int64_t lanes, const Band& band) {
  return edge_of(plan_, band, lanes,
                 device_.read(last_, direction * 2 * text_plane_, 2 * std::size_t{text_plane_}),
                 device_.read(state_, (direction * layout_.values + layout_.score) * layout_.stride,
                              static_cast<std::size_t>(lanes - 1)));
}

}  // namespace rhomb::strip
