// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/fronts.h"

#include <algorithm>

#include "cl/wfa/front.h"
#include "cl/wfa/guide.h"
#include "host/batch/staging.h"
#include "host/batch/threads.h"
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

/// The leftmost and the rightmost diagonal on which cheapest paths of texts of m and n symbols have
/// paid what `forward` says from the start and have left to pay what `backward` does, and where.
std::array<Stay, 2> middle_of(const Reached& forward, const Reached& backward, std::int64_t m,
                              std::int64_t n) {
  std::optional<std::array<Stay, 2>> middle;
  for (std::int64_t k = forward.first; k < forward.end(); ++k) {
    const std::int64_t turned = n - m - k;
    if (turned < backward.first || turned >= backward.end()) continue;
    const auto there = forward.columns[static_cast<std::size_t>(k - forward.first)];
    const auto back = backward.columns[static_cast<std::size_t>(turned - backward.first)];
    if (there == Reached::kNone || back == Reached::kNone) continue;
    const Stay stay{k, std::max<std::int64_t>({n - back, k, 0}),
                    std::min<std::int64_t>({there, n, m + k})};
    if (stay.first > stay.last) continue;
    if (!middle) middle = {stay, stay};
    middle->back() = stay;
  }
  if (!middle) throw CheckError("rows of wavefronts meet nowhere; please report this");
  return *middle;
}

}  // namespace

std::vector<Reached> Fronts::read(std::span<const Wanted> wanted) {
  struct Part {
    std::int32_t* to;
    const ocl::Buffer<std::int32_t>& buffer;
    std::size_t at, count;
  };
  std::vector<Part> parts;
  std::vector<Reached> read;
  std::size_t all = 0;
  for (const Wanted& one : wanted) {
    const Kept::Level& level = pairs_[one.pair].levels[one.level];
    Reached& row = read.emplace_back(Reached{
        one.first,
        std::vector<std::int32_t>(static_cast<std::size_t>(one.end - one.first), Reached::kNone)});
    const std::int64_t first = std::max(one.first, level.lo), end = std::min(one.end, level.hi + 1);
    if (first >= end) continue;
    const ocl::Buffer<std::int32_t>& buffer = rows_in(level.place.buffer);
    parts.push_back({row.columns.data() + (first - one.first), buffer,
                     level.place.at + one.direction * (buffer.size() / 2) +
                         static_cast<std::size_t>(first - level.lo),
                     static_cast<std::size_t>(end - first)});
    all += parts.back().count;
  }
  // All at once: a read that waits takes longer than what it reads.
  if (there_.size() < all) there_ = device_->pinned<std::int32_t>(all);
  std::size_t at = 0;
  for (const Part& part : parts) {
    device_->read_later(part.buffer, part.at, std::span(there_.data() + at, part.count));
    at += part.count;
  }
  device_->fence().wait();
  const std::int32_t* from = there_.data();
  for (const Part& part : parts) {
    std::transform(from, from + part.count, part.to, columns_of);
    from += part.count;
  }
  return read;
}

const std::int32_t* Guide::record(std::size_t level) const {
  return records_->data() +
         (at_ + level - first_) * (WFA_CELL_INTS + static_cast<std::size_t>(width_));
}

Cell Guide::cell(std::size_t level) const {
  return {record(level)[WFA_CELL_DIAGONAL], record(level)[WFA_CELL_COLUMN]};
}

const std::int32_t* Guide::places(std::size_t level, std::int64_t first, std::int64_t last) const {
  if (level < first_ || level >= end_) return nullptr;
  const std::int64_t begin = record(level)[WFA_CELL_FIRST];
  if (first < begin || last >= begin + width_) return nullptr;
  return record(level) + WFA_CELL_INTS + (first - begin);
}

std::optional<std::int32_t> Guide::place(std::size_t level, std::int64_t diagonal) const {
  const std::int32_t* const place = places(level, diagonal, diagonal);
  return place != nullptr ? std::optional(columns_of(*place)) : std::nullopt;
}

std::optional<Reached> Guide::row(std::size_t level, std::int64_t first, std::int64_t last) const {
  const std::int32_t* const from = places(level, first, last);
  if (from == nullptr) return std::nullopt;
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

std::vector<Guide> Fronts::guide(std::span<const Start> starts, std::int64_t width,
                                 std::size_t threads) {
  std::vector<std::size_t> number_of;  // of a pair's first level
  std::size_t levels = 0;
  for (const Kept& pair : pairs_) {
    number_of.push_back(levels);
    levels += pair.levels.size();
  }
  std::vector<Guide> guides;
  std::vector<std::int32_t> paths;
  std::size_t records = 0;
  for (const Start& start : starts) {
    const std::size_t first = start.level - std::min(start.level, start.levels);
    Guide& guide = guides.emplace_back();
    guide.first_ = first;
    guide.end_ = start.level;
    guide.at_ = records;
    for (const std::int64_t value :
         {static_cast<std::int64_t>(start.direction), std::int64_t{start.right},
          start.cell.diagonal, start.cell.column, pairs_[start.pair].levels[start.level].cost,
          static_cast<std::int64_t>(number_of[start.pair] + first),
          static_cast<std::int64_t>(records)})  // as wfa/guide.h has them
      paths.push_back(static_cast<std::int32_t>(value));
    records += start.level - first;
  }
  if (records == 0) return guides;
  if (width == 0) width = (records <= kFewRows ? 2 : 1) * kGuideWidth;

  // A launch for each buffer that some paths come to next, with the levels that each has there.
  struct Launch {
    std::size_t buffer, most;  // levels of a path
  };
  std::vector<Launch> launches;
  std::vector<std::int32_t> ranges;
  std::vector<std::size_t> ends;
  for (const Guide& guide : guides) ends.push_back(guide.end_);
  const auto next_of = [&](std::size_t i) {
    return pairs_[starts[i].pair].levels[ends[i] - 1].place.buffer;
  };
  for (;;) {
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < guides.size(); ++i)
      if (ends[i] > guides[i].first_) next = std::max(next.value_or(0), next_of(i));
    if (!next) break;
    Launch& launch = launches.emplace_back(Launch{*next, 0});
    for (std::size_t i = 0; i < guides.size(); ++i) {
      const std::size_t end = ends[i];
      while (ends[i] > guides[i].first_ && next_of(i) == *next) --ends[i];
      launch.most = std::max(launch.most, end - ends[i]);
      for (const std::size_t level : {ends[i], end})
        ranges.push_back(static_cast<std::int32_t>(number_of[starts[i].pair] + level));
    }
  }
  if (levels_.size() == 0) {
    std::vector<std::int32_t> all;
    for (const Kept& pair : pairs_)
      for (const Kept::Level& level : pair.levels)
        for (const std::int64_t value :
             {std::int64_t{level.place.at}, level.lo, level.hi, level.cost})
          all.push_back(static_cast<std::int32_t>(value));
    levels_ = device_->upload(std::span<const std::int32_t>(all));
  }
  const auto put = [&](ocl::Buffer<std::int32_t>& to, const std::vector<std::int32_t>& values) {
    batch::fit<std::int32_t>(*device_, to, values.size());
    device_->write(to, 0, std::span(values));
  };
  put(paths_, paths);
  put(ranges_, ranges);
  batch::fit<std::int32_t>(*device_, records_,
                           records * (WFA_CELL_INTS + static_cast<std::size_t>(width)));
  const auto [file, defines, group] = guide_of(*device_);
  const auto guide_kernel = device_->kernel(file, "wfa_guide", defines);
  const auto beside_kernel = device_->kernel(file, "wfa_beside", defines);
  for (std::size_t l = 0; l < launches.size(); ++l) {
    const ocl::Buffer<std::int32_t>& rows = rows_in(launches[l].buffer);
    const auto launch = [&](const ocl::Kernel& kernel, std::size_t groups, std::size_t times) {
      kernel({groups * group, times, group, 1}, rows, static_cast<std::uint32_t>(rows.size() / 2),
             levels_, ranges_, static_cast<std::uint32_t>(l * starts.size()), paths_,
             static_cast<std::int32_t>(width), records_);
    };
    launch(guide_kernel, starts.size(), 1);
    launch(beside_kernel, launches[l].most, starts.size());
  }
  auto all =
      std::make_shared<Guide::Records>(records * (WFA_CELL_INTS + static_cast<std::size_t>(width)));
  batch::touch(std::span(*all), threads);
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
    same.push_back({starts[i].direction, middle, begin, begin + width, starts[i].pair});
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

double Fronts::bytes_to_begin(std::int64_t distance) {
  // Each row has its places beside two paths in either direction.
  return 4.0 * static_cast<double>(distance / 2 / kKeptSteps + 1) *
         static_cast<double>((WFA_CELL_INTS + kGuideWidth) * sizeof(std::int32_t));
}

std::vector<Begun> Fronts::begin(std::span<const std::int64_t> distances, std::size_t threads) {
  std::vector<Begun> begun(pairs_.size());
  std::vector<Wanted> whole;
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    // The last two levels are one edit apart: both halves are as costly, or the lower one by one
    // more.
    const std::size_t last = levels(p).size() - 1;
    begun[p].ends = {2 * levels(p)[last].cost == distances[p] ? last : last - 1, last};
    for (const std::size_t direction : {0u, 1u}) {
      const Kept::Level& about = levels(p)[begun[p].ends[direction]];
      whole.push_back({direction, begun[p].ends[direction], about.lo, about.hi + 1, p});
    }
  }
  const std::vector<Reached> rows = read(whole);
  std::vector<Start> starts;
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const std::int64_t m = pairs_[p].rows, n = pairs_[p].columns;
    const auto middle = middle_of(rows[2 * p], rows[2 * p + 1], m, n);
    const auto turned = [&](const Stay& stay) {
      return Stay{n - m - stay.diagonal, n - stay.last, n - stay.first};
    };
    begun[p].middle = {middle, {turned(middle[1]), turned(middle[0])}};
    for (const std::size_t direction : {0u, 1u})
      for (const bool right : {false, true}) {
        const Stay& stay = begun[p].middle[direction][right ? 1 : 0];
        const std::size_t end = begun[p].ends[direction];
        starts.push_back({direction, right, {stay.diagonal, stay.last}, end, end, p});
      }
  }
  std::vector<Guide> guides = guide(starts, 0, threads);
  for (std::size_t i = 0; i < guides.size(); ++i)
    begun[i / 4].guides[i / 2 % 2][i % 2] = std::move(guides[i]);
  return begun;
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
  return plan.text_bytes +
         Keeper::bytes_for(distance / 2, steps_kept(plan), diagonals_kept(plan, distance));
}

}  // namespace rhomb::wfa
