// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/device_bands.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "cl/corridor/band.h"
#include "host/batch/threads.h"

namespace rhomb::corridor {
namespace {

/// A launch of about so many cells takes less than half a second on two cores; on a GPU a compute
/// unit has so many of them at a time, or bands wait for each other although there is room.
constexpr double kLaunchCells = 1e11, kCellsOfUnit = 8e9;
static_assert(kFarMargin == BAND_FAR_MARGIN);

/// How windows far from a path are dealt.
struct FarShape {
  int group = 0, lanes = 0;  ///< work-items a group, a warp of them, or one with a vector
  int rows = 0;              ///< of a strip; 0: there is none that fits
  int team = 0;              ///< lanes a window
};

FarShape far_shape(const Plan& plan) {
  const int group = plan.lanes == 1 ? 32 : 1, all = group * plan.lanes;
  const int steps = plan.grid.rows / static_cast<int>(kChunk);
  for (const int rows : {8, 4, 2, 1, 16, 32})
    if (steps % rows == 0 && steps / rows <= all && (group > 1 || all % (steps / rows) == 0))
      return {group, plan.lanes, rows, steps / rows};
  return {};
}

}  // namespace

DeviceTexts::DeviceTexts(ocl::Device& device, const PackedTexts& texts)
    : rows(device.upload(seq::text_words(texts.rows))),
      columns(device.upload<std::uint32_t>(texts.columns.words)) {}

DeviceBands::DeviceBands(ocl::Device& device, const Plan& plan, const DeviceTexts& texts,
                         std::size_t threads)
    : device_(device),
      plan_(plan),
      kernel_(device.kernel(plan.program.file, plan.program.kernel, plan.program.defines)),
      texts_(texts),
      threads_(threads) {}

/// Of powers of two the team that is done first: large ones end a band sooner, but a member has
/// nothing to do where windows are narrow.
int DeviceBands::team_for(std::span<const Band> bands) const {
  if (plan_.team > 0) return plan_.team;
  if (bands.empty()) return 1;
  // A multiprocessor has four schedulers; two warps on one of them take 1.4 times as long as one.
  const double schedulers = 4.0 * device_.limits().compute_units;
  const int height = plan_.grid.rows / static_cast<int>(kChunk);
  int best = 1;
  double least = 0;
  for (int team = 1; team <= 32 && plan_.group % team == 0; team *= 2) {
    double longest = 0, all = 0;
    for (const Band& band : bands) {
      const int cycle = std::max(band.words, 2 * team + 2);  // as in the kernel
      const int last = (height - 1) % team;
      const double steps = static_cast<double>(band.left.size()) *
                           ((height - 1) / team * cycle + 2 * last + band.words);
      longest = std::max(longest, steps);
      all += steps;
    }
    const auto count = static_cast<double>(bands.size());
    const double warps = std::ceil(count * team / 32 / schedulers);
    const double time = std::max(1.4 * longest, all / count * warps);
    if (team > 1 && time >= least) continue;
    best = team;
    least = time;
  }
  return best;
}

double DeviceBands::most_cells() const {
  const ocl::Limits& limits = device_.limits();
  return std::max(kLaunchCells, limits.gpu ? kCellsOfUnit * limits.compute_units : 0);
}

void DeviceBands::compute(std::span<Band> bands) {
  // Groups are of bands that take the same time.
  const std::vector<Band*> order = longest_first(bands);
  // A launch has whole groups of them; the first band of a group has the most words.
  team_ = plan_.group > 1 ? team_for(bands) : 1;
  const std::size_t lanes = bands_of_group();
  const double most = most_cells();
  std::size_t first = 0, group = 0;
  double cells = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || i == group + lanes || order[i]->left.size() != order[group]->left.size()) {
      group = i;
      const auto rows = static_cast<std::uint64_t>(2 + order[i]->kept_rows(plan_.grid));
      const std::uint64_t more = 8 * lanes * static_cast<std::uint64_t>(order[i]->words) * rows;
      if (i > first && (cells > most || bytes + more > plan_.state_bytes)) {
        launch(std::span(order).subspan(first, i - first));
        first = i;
        cells = 0;
        bytes = 0;
      }
      bytes += more;
    }
    cells += order[i]->cells(plan_.grid);
  }
  if (first < order.size()) launch(std::span(order).subspan(first));
}

std::optional<engine::Program> far_program(const Plan& plan) {
  const FarShape shape = far_shape(plan);
  if (shape.rows == 0) return std::nullopt;
  return engine::Program{"corridor/far.cl",
                         "far_windows",
                         {{"WG", std::to_string(shape.group)},
                          {"LANES", std::to_string(shape.lanes)},
                          {"K", std::to_string(shape.rows)},
                          {"PLANES", std::to_string(plan.planes)},
                          {"SETS", plan.sets ? "1" : "0"}}};
}

std::vector<std::int32_t> DeviceBands::least_far(std::span<const FarWindow> windows,
                                                 std::int64_t near) {
  ensure_far_tested(device_, plan_);
  const engine::Program program = far_program(plan_).value();
  const ocl::Kernel kernel = device_.kernel(program.file, program.kernel, program.defines);
  const FarShape shape = far_shape(plan_);
  BandsFar all{};
  all.team = shape.team;
  all.column_words = static_cast<std::int32_t>(words_of(plan_.grid.n));
  all.near_by = static_cast<std::int32_t>(near);
  std::vector<BandFar> far;
  for (const auto& [block, chunks, middle] : windows) {
    const std::int64_t left = chunks.first - kFarMargin;
    far.push_back({block, static_cast<std::int32_t>(left), static_cast<std::int32_t>(chunks.first),
                   static_cast<std::int32_t>(chunks.end), static_cast<std::int32_t>(middle)});
    all.words = std::max(all.words,
                         static_cast<std::int32_t>(plan_.grid.rows / kChunk + chunks.end - left));
  }
  const double cells = static_cast<double>(all.words * kChunk) * plan_.grid.rows;
  const auto in_group = static_cast<std::size_t>(shape.group * shape.lanes / shape.team);
  const auto group = static_cast<std::size_t>(shape.group);
  const std::size_t at_once =
      in_group *
      std::max<std::size_t>(1, static_cast<std::size_t>(most_cells() / cells) / in_group);
  const auto there = device_.upload(std::span<const BandFar>(far));
  const auto least = device_.buffer<std::int32_t>(far.size());
  for (std::size_t first = 0; first < far.size(); first += at_once) {
    all.first = static_cast<std::uint32_t>(first);
    all.count = static_cast<std::uint32_t>(std::min(far.size(), first + at_once));
    const std::size_t groups = (all.count - first + in_group - 1) / in_group;
    kernel(ocl::Range{groups * group, 1, group, 1}, texts_.rows, texts_.columns, there, least, all);
  }
  return device_.read(least, 0, far.size());
}

void DeviceBands::launch(std::span<Band* const> bands) {
  const std::size_t lanes = bands_of_group();
  std::vector<BandGroup> groups;
  std::vector<BandStart> starts;
  std::vector<std::int32_t> lefts;
  std::vector<Band*> of_slot;  // by group and lane
  const int every = bands.front()->every;
  std::uint64_t size = 0, records = 0;
  // The lanes of a group that have no band of their own do that of the first lane again.
  const auto place = [&](std::size_t group, std::size_t lane, std::size_t word) {
    return groups[group].state + 2 * word * lanes + lane;
  };
  for (std::size_t first = 0; first < bands.size();) {
    std::size_t last = first;
    BandGroup group{size, records, 0, static_cast<std::uint32_t>(bands[first]->left.size())};
    while (last < bands.size() && last < first + lanes &&
           bands[last]->left.size() == group.blocks) {
      group.words = std::max(group.words, static_cast<std::uint32_t>(bands[last]->words));
      ++last;
    }
    groups.push_back(group);
    size += 2 * lanes * group.words;
    if (every > 0)
      records += (1 + static_cast<std::uint64_t>(bands[first]->kept_rows(plan_.grid))) * lanes *
                 BAND_KEPT_WORDS(group.words);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      Band* const band = bands[first + lane < last ? first + lane : first];
      of_slot.push_back(band);
      starts.push_back({band->block, static_cast<std::uint32_t>(lefts.size())});
      lefts.insert(lefts.end(), band->left.begin(), band->left.end());
    }
    first = last;
  }
  // Unset: new memory is first written by the threads that fill it.
  const auto unset = [](UnsetVector<std::uint32_t>& words, std::uint64_t count) {
    words.clear();
    words.resize(count);
    return std::span(words);
  };
  const std::span<std::uint32_t> state = unset(state_, size), kept = unset(kept_, records);
  const std::size_t parts =
      std::clamp<std::size_t>((size + records) >> 16, 1, batch::threads_of(threads_));
  batch::in_parts(of_slot.size(), parts, [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t slot = from; slot < to; ++slot) {
      const Band& band = *of_slot[slot];
      const auto own = static_cast<std::size_t>(band.words);
      for (std::size_t w = 0; w < groups[slot / lanes].words; ++w) {
        const std::size_t at = place(slot / lanes, slot % lanes, w);
        const bool given = w < own && !band.state.empty();
        state[at] = given ? band.state[2 * w] : w < own ? 0 : ~0u;
        state[at + lanes] = given ? band.state[2 * w + 1] : 0;
      }
    }
  });

  const auto on_device = device_.upload(std::span<const std::uint32_t>(state));
  const auto lefts_there = device_.upload(std::span<const std::int32_t>(lefts));
  const auto starts_there = device_.upload(std::span<const BandStart>(starts));
  const auto groups_there = device_.upload(std::span<const BandGroup>(groups));
  const auto scores = device_.buffer<std::int32_t>(starts.size());
  ocl::Buffer<std::uint32_t> kept_there;
  if (every > 0) kept_there = device_.filled<std::uint32_t>(static_cast<std::size_t>(records), 0);
  const ocl::Range range{groups.size() * static_cast<std::size_t>(plan_.group), 1,
                         static_cast<std::size_t>(plan_.group), 1};
  kernel_(range, texts_.rows, texts_.columns, lefts_there, starts_there, groups_there, on_device,
          scores, every > 0 ? kept_there : on_device, static_cast<std::uint32_t>(every),
          static_cast<std::uint32_t>(plan_.grid.rows / kChunk),
          static_cast<std::int32_t>(words_of(plan_.grid.n)), static_cast<std::uint32_t>(team_));
  batch::touch(kept, threads_);             // while the kernel runs
  device_.read_later(on_device, 0, state);  // there when the scores are
  if (every > 0) device_.read_later(kept_there, 0, kept);
  const ocl::Fence done = device_.fence();  // or when this ends
  const std::vector<std::int32_t> found = device_.read(scores, 0, starts.size());

  batch::in_parts(of_slot.size(), parts, [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t slot = from; slot < to; ++slot) {
      Band& band = *of_slot[slot];
      const std::size_t lane = slot % lanes;
      if (lane > 0 && &band == of_slot[slot - lane]) continue;
      band.score = found[slot];
      const auto take = [&](std::uint32_t* to, int count, const std::uint32_t* at) {
        for (int i = 0; i < 2 * count; ++i) to[i] = at[static_cast<std::size_t>(i) * lanes];
      };
      band.state.resize(2 * static_cast<std::size_t>(band.words));
      take(band.state.data(), band.words, &state[place(slot / lanes, lane, 0)]);
      const auto rows = static_cast<std::size_t>(band.kept_rows(plan_.grid));
      band.kept.clear();
      if (rows == 0) continue;
      band.kept.reserve(rows);
      const std::size_t size = band.state.size() - 2;
      band.memory = std::make_shared_for_overwrite<std::uint32_t[]>(rows * size);
      const BandGroup& group = groups[slot / lanes];
      std::int64_t score = 0;
      const std::uint32_t* at = kept.data() + group.kept + lane;
      for (std::size_t row = 0; row < rows; ++row) {
        std::uint32_t* const words = band.memory.get() + row * size;
        take(words, band.words - 1, at);
        at += lanes * BAND_KEPT_WORDS(group.words);  // the next record; before it this one's score
        score += static_cast<std::int32_t>(*(at - lanes));
        band.kept.push_back({score, RowWords(words, size)});
      }
    }
  });
}

}  // namespace rhomb::corridor
