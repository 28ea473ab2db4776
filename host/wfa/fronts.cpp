// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/fronts.h"

#include <algorithm>

#include "cl/wfa/front.h"
#include "cl/wfa/guide.h"
#include "host/batch/staging.h"
#include "host/engine/program.h"
#include "host/error.h"
#include "host/wfa/keeper.h"

namespace rhomb::wfa {
namespace {

struct GuideProgram {
  std::string_view file;
  ocl::Defines defines;
  std::size_t group = 0;
};

GuideProgram guide_of(const ocl::Device& device) {
  std::size_t group = WFA_GUIDE_ITEMS;
  while (group > device.limits().max_work_group) group /= 2;
  return {"wfa/guide.cl", {{"WG", std::to_string(group)}}, group};
}

std::int32_t columns_of(std::int32_t biased) {
  return biased < -WFA_BIAS ? Reached::kNone : biased + WFA_BIAS;
}

}  // namespace

std::vector<Reached> Fronts::read(std::span<const Wanted> wanted) {
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
    const ocl::Buffer<std::int32_t>& buffer = (*kept_.buffers)[level.place.buffer];
    parts.push_back({row.columns.data() + (first - one.first), level.place.buffer,
                     level.place.at + one.direction * (buffer.size() / 2) +
                         static_cast<std::size_t>(first - level.lo),
                     static_cast<std::size_t>(end - first)});
    all += parts.back().count;
  }
  // All at once: a read that waits takes longer than what it reads.
  if (there_.size() < all) there_ = device_->pinned<std::int32_t>(all);
  std::size_t at = 0;
  for (const Part& part : parts) {
    device_->read_later((*kept_.buffers)[part.buffer], part.at,
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

const std::int32_t* Guide::record(std::size_t level) const {
  return records_->data() +
         (at_ + level - first_) * (WFA_CELL_INTS + static_cast<std::size_t>(width_));
}

Cell Guide::cell(std::size_t level) const {
  return {record(level)[WFA_CELL_DIAGONAL], record(level)[WFA_CELL_COLUMN]};
}

std::optional<Reached> Guide::row(std::size_t level, std::int64_t first, std::int64_t last) const {
  if (level < first_ || level >= end_) return std::nullopt;
  const std::int64_t begin = record(level)[WFA_CELL_FIRST];
  if (first < begin || last >= begin + width_) return std::nullopt;
  const std::int32_t* const from = record(level) + WFA_CELL_INTS + (first - begin);
  Reached row{first, std::vector<std::int32_t>(static_cast<std::size_t>(last - first + 1))};
  std::transform(from, from + row.columns.size(), row.columns.begin(), columns_of);
  return row;
}

std::future<void> Fronts::make_ready(ocl::Device& device, std::size_t threads) {
  return engine::make_meanwhile(device, threads, [](ocl::Device& beside) {
    const GuideProgram program = guide_of(beside);
    (void)beside.kernel(program.file, "wfa_guide", program.defines);
  });
}

std::vector<Guide> Fronts::guide(std::span<const Start> starts, std::int64_t width) {
  std::vector<Guide> guides;
  std::vector<std::int32_t> paths;
  std::size_t records = 0, lowest = kept_.levels.size(), highest = 0;
  for (const Start& start : starts) {
    const std::size_t first = start.level - std::min(start.level, start.levels);
    Guide& guide = guides.emplace_back();
    guide.first_ = first;
    guide.end_ = start.level;
    guide.at_ = records;
    for (const std::int64_t value :
         {static_cast<std::int64_t>(start.direction), std::int64_t{start.right},
          start.cell.diagonal, start.cell.column, kept_.levels[start.level].cost,
          static_cast<std::int64_t>(first), static_cast<std::int64_t>(start.level),
          static_cast<std::int64_t>(records)})  // as wfa/guide.h has them
      paths.push_back(static_cast<std::int32_t>(value));
    records += start.level - first;
    lowest = std::min(lowest, first);
    highest = std::max(highest, start.level);
  }
  if (records == 0) return guides;
  if (width == 0) width = (records <= kFewRows ? 2 : 1) * kGuideWidth;
  if (levels_.size() == 0) {
    std::vector<std::int32_t> levels;
    for (const Kept::Level& level : kept_.levels)
      for (const std::int64_t value :
           {std::int64_t{level.place.at}, level.lo, level.hi, level.cost})
        levels.push_back(static_cast<std::int32_t>(value));
    levels_ = device_->upload(std::span<const std::int32_t>(levels));
  }
  batch::fit<std::int32_t>(*device_, paths_, paths.size());
  device_->write(paths_, 0, std::span<const std::int32_t>(paths));
  batch::fit<std::int32_t>(*device_, records_,
                           records * (WFA_CELL_INTS + static_cast<std::size_t>(width)));
  const auto [file, defines, group] = guide_of(*device_);
  const auto guide_kernel = device_->kernel(file, "wfa_guide", defines);
  const auto beside_kernel = device_->kernel(file, "wfa_beside", defines);
  for (std::size_t end = highest; end > lowest;) {
    const std::size_t number = kept_.levels[end - 1].place.buffer;
    std::size_t first = end - 1;
    while (first > lowest && kept_.levels[first - 1].place.buffer == number) --first;
    const ocl::Buffer<std::int32_t>& rows = (*kept_.buffers)[number];
    const auto launch = [&](const ocl::Kernel& kernel, std::size_t groups, std::size_t times) {
      kernel({groups * group, times, group, 1}, rows, static_cast<std::uint32_t>(rows.size() / 2),
             levels_, static_cast<std::int32_t>(first), static_cast<std::int32_t>(end), paths_,
             static_cast<std::int32_t>(width), records_);
    };
    launch(guide_kernel, starts.size(), 1);
    launch(beside_kernel, end - first, starts.size());
    end = first;
  }
  auto all =
      std::make_shared<Guide::Records>(records * (WFA_CELL_INTS + static_cast<std::size_t>(width)));
  device_->read_later(records_, 0, std::span(*all));
  device_->fence().wait();
  for (Guide& guide : guides) {
    guide.width_ = width;
    guide.records_ = all;
  }
  // What was copied is not proved by what comes of it, so some of it is compared.
  std::vector<Wanted> same;
  for (std::size_t i = 0; i < guides.size(); ++i) {
    const Guide& guide = guides[i];
    if (guide.first_ == guide.end_) continue;
    const std::size_t middle = (guide.first_ + guide.end_) / 2;
    const std::int64_t begin = guide.record(middle)[WFA_CELL_FIRST];
    same.push_back({starts[i].direction, middle, begin, begin + width});
  }
  const std::vector<Reached> kept = read(same);
  auto row = kept.begin();
  for (const Guide& guide : guides) {
    if (guide.first_ == guide.end_) continue;
    if (guide.row((guide.first_ + guide.end_) / 2, row->first, row->end() - 1)->columns !=
        row->columns)
      throw CheckError(
          "rows that the device copied are not those that it kept: this device or its driver "
          "computes wrongly");
    ++row;
  }
  return guides;
}

namespace {

/// Costs between two rows that are kept.
std::int64_t steps_kept(const Plan& plan) {
  std::int64_t steps = kKeptSteps;
  for (const Stage& stage : plan.stages) steps = std::min<std::int64_t>(steps, stage.steps);
  return steps;
}

}  // namespace

double bytes_kept(const Plan& plan, std::int64_t distance) {
  // A row of cost c has 2 c diagonals of 4 bytes, in both directions; the last costs d / 2.
  const auto d = static_cast<double>(distance);
  return 2 * d * d / static_cast<double>(steps_kept(plan));
}

std::uint64_t bytes_keeping(const Plan& plan, std::int64_t distance) {
  return plan.text_bytes + Keeper::bytes_for(distance / 2, steps_kept(plan));
}

}  // namespace rhomb::wfa
