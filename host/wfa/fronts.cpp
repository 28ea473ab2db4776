// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/fronts.h"

#include <algorithm>

#include "cl/wfa/front.h"
#include "cl/wfa/guide.h"
#include "host/error.h"

namespace rhomb::wfa {
namespace {

std::int32_t columns_of(std::int32_t biased) {
  return biased < -WFA_BIAS ? Reached::kNone : biased + WFA_BIAS;
}

}  // namespace

std::vector<Reached> Fronts::read(std::size_t direction, std::span<const Wanted> wanted) {
  struct Part {
    std::int32_t* to;
    std::size_t buffer, at, count;
  };
  std::vector<Part> parts;
  std::vector<Reached> rows;
  std::size_t all = 0;
  for (const Wanted& one : wanted) {
    const Kept::Level& level = kept_.levels[one.level];
    Reached& row = rows.emplace_back(Reached{
        one.first,
        std::vector<std::int32_t>(static_cast<std::size_t>(one.end - one.first), Reached::kNone)});
    const std::int64_t first = std::max(one.first, level.lo), end = std::min(one.end, level.hi + 1);
    if (first >= end) continue;
    const ocl::Buffer<std::int32_t>& buffer = kept_.buffers[level.place.buffer];
    parts.push_back({row.columns.data() + (first - one.first), level.place.buffer,
                     level.place.at + direction * (buffer.size() / 2) +
                         static_cast<std::size_t>(first - level.lo),
                     static_cast<std::size_t>(end - first)});
    all += parts.back().count;
  }
  // All at once: a read that waits takes longer than what it reads.
  if (there_.size() < all) there_ = device_->pinned<std::int32_t>(all);
  std::size_t at = 0;
  for (const Part& part : parts) {
    device_->read_later(kept_.buffers[part.buffer], part.at,
                        std::span(there_.data() + at, part.count));
    at += part.count;
  }
  device_->fence().wait();
  const std::int32_t* from = there_.data();
  for (const Part& part : parts) {
    std::transform(from, from + part.count, part.to, columns_of);
    from += part.count;
  }
  return rows;
}

std::array<Fronts::Guide, 2> Fronts::guide(const std::array<Cell, 2>& cells,
                                           const std::array<std::size_t, 2>& levels) {
  const std::size_t all = std::max(levels[0], levels[1]);
  std::array<Guide, 2> guides;
  if (all == 0) return guides;
  std::vector<std::int32_t> about;
  for (std::size_t i = 0; i < all; ++i) {
    const Kept::Level& level = kept_.levels[i];
    for (const std::int64_t value :
         {std::int64_t{level.place.at}, level.lo, level.hi, level.cost})  // as wfa/guide.h has them
      about.push_back(static_cast<std::int32_t>(value));
  }
  std::vector<std::int32_t> paths;
  for (const std::size_t direction : {0u, 1u})
    for (const std::int64_t value :
         {cells[direction].diagonal, cells[direction].column, kept_.levels[levels[direction]].cost})
      paths.push_back(static_cast<std::int32_t>(value));
  const auto about_there = device_->upload(std::span<const std::int32_t>(about));
  auto paths_there = device_->upload(std::span<const std::int32_t>(paths));
  auto cells_there = device_->buffer<std::int32_t>(2 * 2 * all);
  auto windows_there = device_->buffer<std::int32_t>(2 * all * WFA_GUIDE_WIDTH);
  std::size_t group = WFA_GUIDE_WIDTH;
  while (group > device_->limits().max_work_group) group /= 2;
  const auto kernel = device_->kernel("wfa/guide.cl", "wfa_guide", {{"WG", std::to_string(group)}});
  for (std::size_t end = all; end > 0;) {
    const std::size_t number = kept_.levels[end - 1].place.buffer;
    std::size_t first = end - 1;
    while (first > 0 && kept_.levels[first - 1].place.buffer == number) --first;
    const ocl::Buffer<std::int32_t>& rows = kept_.buffers[number];
    kernel({2 * group, 1, group, 1}, rows, static_cast<std::uint32_t>(rows.size() / 2), about_there,
           static_cast<std::int32_t>(first), static_cast<std::int32_t>(end),
           static_cast<std::int32_t>(all), paths_there, cells_there, windows_there);
    end = first;
  }
  auto cells_read = device_->read_later(cells_there, 0, 4 * all);
  auto windows_read = device_->read_later(windows_there, 0, 2 * all * WFA_GUIDE_WIDTH);
  const std::vector<std::int32_t>& found = cells_read.wait();
  const std::vector<std::int32_t>& windows = windows_read.wait();
  for (const std::size_t direction : {0u, 1u}) {
    Guide& guide = guides[direction];
    std::int64_t before = cells[direction].diagonal;
    guide.cells.resize(levels[direction]);
    guide.rows.resize(levels[direction]);
    for (std::size_t i = levels[direction]; i-- > 0;) {
      const std::size_t number = direction * all + i;
      guide.cells[i] = {found[2 * number], found[2 * number + 1]};
      Reached& row = guide.rows[i];
      row.first = before - WFA_GUIDE_WIDTH / 2;
      row.columns.resize(WFA_GUIDE_WIDTH);
      std::transform(windows.begin() + static_cast<std::ptrdiff_t>(number * WFA_GUIDE_WIDTH),
                     windows.begin() + static_cast<std::ptrdiff_t>((number + 1) * WFA_GUIDE_WIDTH),
                     row.columns.begin(), columns_of);
      before = guide.cells[i].diagonal;
    }
    // What was copied is not proved by what comes of it, so some of it is compared.
    if (guide.rows.empty()) continue;
    const std::size_t middle = guide.rows.size() / 2;
    const Reached& copied = guide.rows[middle];
    const Wanted same{middle, copied.first, copied.end()};
    if (read(direction, {&same, 1}).front().columns != copied.columns)
      throw CheckError(
          "rows that the device copied are not those that it kept: this device or its driver "
          "computes wrongly");
  }
  return guides;
}

double bytes_kept(const Plan& plan, std::int64_t distance) {
  std::int64_t steps = plan.stages.front().steps;
  for (const Stage& stage : plan.stages) steps = std::min<std::int64_t>(steps, stage.steps);
  steps = std::min<std::int64_t>(steps, kKeptSteps);
  // A row of cost c has 2 c diagonals of 4 bytes, in both directions; the last costs d / 2.
  const auto d = static_cast<double>(distance);
  return 2 * d * d / static_cast<double>(steps);
}

}  // namespace rhomb::wfa
