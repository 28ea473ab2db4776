// SPDX-License-Identifier: Apache-2.0
// The variants that cut the wavefronts into tiles, a band of them a launch: one work-item a tile
// with three places for its cells, a work-group a tile, and the dynamic diamond (Castells-Rufas
// 2023, 4.2.2, 4.2.3, 4.3).
#include <algorithm>
#include <array>

#include "cl/wfa/front.h"
#include "cl/wfa/tiles.h"
#include "host/seq/packed.h"
#include "host/wfa/internal.h"

namespace rhomb::wfa {
namespace {

const tune::Param kTile{"T", {3, 4, 2, 1, 8, 16, 31}, "tile length, side of a diamond in cells"};
const tune::Param kTiledGroup{
    "WG", {96, 32, 128, 64, 224, 256, 1}, "work-items a group, each with a tile"};
const tune::Param kWide{"T", {127, 190, 31, 63, 95, 255}, "tile length; 2 T + 1 work-items a tile"};
const tune::Param kTiledBatch{
    "BATCH", {100, 1, 10, 1000}, "launches between two reads of the answer"};

/// A work-item takes about this long for a tile of so many cells, even in memory, as a launch may.
constexpr int kLongest = 1024;
/// Work-items have no more registers than for such tiles, and compilers no more patience.
constexpr int kMostRegisters = 64;

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

/// What all variants with tiles have in common.
Plan plan_tiles(const Variant& variant, const Problem& problem, const ocl::Limits& limits, int tile,
                int longest, int group) {
  engine::check_between("T", tile, 1, longest);
  engine::check_group(group, limits);
  const auto m = static_cast<std::int64_t>(problem.a.size());
  const auto n = static_cast<std::int64_t>(problem.b.size());
  Plan plan;
  plan.variant = &variant;
  plan.max_distance = distance_limit(problem);
  plan.tile_length = tile;
  plan.sets = problem.code->matching == seq::Matching::kSets;
  Stage stage;
  stage.widest = m + n + 1;
  stage.group = group;
  plan.stages = {stage};
  plan.config.set("T", tile);
  // Tiles reach 2 T beyond the diagonals -m to n on both sides.
  plan.first_row = m + n + 1 + 4 * tile;
  const std::uint64_t row = 4 * static_cast<std::uint64_t>(plan.first_row);
  plan.text_bytes = static_cast<std::uint64_t>(m + n);
  plan.bytes = plan.most_bytes = plan.text_bytes + 2 * row;
  if (plan.first_row > (std::int64_t{1} << 31) - 1 || row > limits.alloc_bytes ||
      plan.bytes > limits.global_bytes)
    throw tune::Unfit("two rows of " + std::to_string(plan.first_row) +
                      " positions are more than the device can take; variant fused needs less");
  return plan;
}

/// The places for a tile's cells, as wfa/tiled.cl numbers them.
enum class Store { kGlobal = 0, kRegister = 1, kLocal = 2 };

/// One work-item a tile.
Plan plan_items(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
                const tune::Config& config, int usual_tile, int usual_group, int longest,
                Store store) {
  const bool local = store == Store::kLocal;
  const int tile = config.get("T", usual_tile);
  const auto room = [&](int group) {
    return std::uint64_t{4} * (2 * static_cast<std::uint64_t>(tile) + 1) *
           static_cast<std::uint64_t>(group);
  };
  int usual =
      static_cast<int>(std::min(static_cast<std::size_t>(usual_group), limits.max_work_group));
  while (local && usual > 1 && room(usual) > limits.local_bytes) usual /= 2;
  const int group = config.get("WG", usual);
  Plan plan = plan_tiles(variant, problem, limits, tile, longest, group);
  plan.file = "wfa/tiled.cl";
  plan.kernel = "wfa_tiled";
  plan.packed = true;
  plan.planes = problem.code->planes <= 2 && !plan.sets ? 2 : 8;
  plan.stages.front().defines = {{"T", std::to_string(tile)},
                                 {"WG", std::to_string(group)},
                                 {"STORE", std::to_string(static_cast<int>(store))},
                                 {"BITS", std::to_string(plan.planes)},
                                 {"SETS", std::to_string(plan.sets)}};
  plan.config.set("WG", group);
  plan_batch(plan, config, kTiledBatch.values.front());
  if (local && room(group) > limits.local_bytes)
    throw tune::Unfit("T=" + std::to_string(tile) + " with WG=" + std::to_string(group) +
                      " needs " + bytes_text(room(group)) + " of local memory, the device has " +
                      bytes_text(limits.local_bytes));
  return plan;
}

Plan plan_global(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_items(tiled_global_variant(), problem, limits, config, 3, 32, kLongest,
                    Store::kGlobal);
}
Plan plan_register(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_items(tiled_register_variant(), problem, limits, config, 3, 96, kMostRegisters,
                    Store::kRegister);
}
Plan plan_local(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_items(tiled_local_variant(), problem, limits, config, 4, 96, kLongest, Store::kLocal);
}

/// A work-group a tile.
Plan plan_groups(const Variant& variant, bool bounded, const Problem& problem,
                 const ocl::Limits& limits, const tune::Config& config) {
  const auto widest = static_cast<int>(std::min<std::size_t>(limits.max_work_group, 1 << 20));
  // The largest tile that the device's groups allow, up to the usual one.
  const int usual = std::clamp((widest - 1) / 2, 1, limits.gpu ? 127 : 31);
  const int tile = config.get("T", usual);
  engine::check_between("T", tile, 1, kLongest);
  int group = 2 * tile + 1;
  if (limits.nvidia) group = (group + 31) / 32 * 32;
  if (group > widest)
    throw tune::Unfit("T=" + std::to_string(tile) + " needs groups of " + std::to_string(group) +
                      " work-items, the device has " + std::to_string(widest) + " at most");
  Plan plan = plan_tiles(variant, problem, limits, tile, kLongest, group);
  plan.file = "wfa/group.cl";
  plan.kernel = "wfa_group";
  plan.group_tiles = true;
  plan.bounded = bounded;
  plan.planes = problem.code->planes;
  plan.stages.front().defines = {{"T", std::to_string(tile)},
                                 {"WG", std::to_string(group)},
                                 {"TEAM", std::to_string(engine::team_size(limits, group))},
                                 {"DYNAMIC", std::to_string(bounded)},
                                 {"PLANES", std::to_string(plan.planes)},
                                 {"SETS", std::to_string(plan.sets)}};
  plan_batch(plan, config, kTiledBatch.values.front());
  const std::uint64_t room = 4 * (2 * (static_cast<std::uint64_t>(group) + 2) + 1);
  if (room > limits.local_bytes)
    throw tune::Unfit("T=" + std::to_string(tile) + " needs " + bytes_text(room) +
                      " of local memory, the device has " + bytes_text(limits.local_bytes));
  return plan;
}

Plan plan_group(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_groups(group_variant(), false, problem, limits, config);
}
Plan plan_diamond(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_groups(diamond_variant(), true, problem, limits, config);
}

/// The tiles of a band that may hold cells of interest.
struct Band {
  std::int64_t cost = 0;   ///< of its first column
  std::int64_t first = 0;  ///< centre of its first tile
  std::int64_t tiles = 0;
};

/// Tiles within the triangle |k| <= r, the matrix -m <= k <= n, and, with a bound of the distance,
/// r + |k_end - k| <= bound.
Band band_at(std::int64_t cost, std::int64_t tile, std::int64_t m, std::int64_t n,
             std::int64_t bound) {
  const std::int64_t least = std::max({-cost, -m - (tile - 1), n - m - (bound - cost)});
  const std::int64_t most = std::min({cost, n + tile - 1, n - m + (bound - cost)});
  // Centres are -cost, -cost + 2 T, ..., cost.
  const std::int64_t skipped = (least + cost + 2 * tile - 1) / (2 * tile);
  Band band{cost, -cost + 2 * tile * skipped, 0};
  if (most >= band.first) band.tiles = (most - band.first) / (2 * tile) + 1;
  return band;
}

/// The planes or packed words of a text, as the program reads them.
UnsetVector<std::uint32_t> words_of(std::string_view text,
                                    const std::array<std::uint8_t, 256>& code, const Plan& plan,
                                    int fill, std::size_t threads) {
  if (plan.packed) return seq::pack_text(text, code, plan.planes, 0, threads).words;
  return seq::pack_planes(text, code, plan.planes, fill, threads).words;
}

Answer run_tiled(ocl::Device* device, const Plan& plan, const Problem& problem) {
  const Stage& stage = plan.stages.front();
  Answer result;
  const double begin = now();
  const auto kernel = tested_kernel(*device, plan, stage);
  result.build = now() - begin;

  const auto m = static_cast<std::int64_t>(problem.a.size());
  const auto n = static_cast<std::int64_t>(problem.b.size());
  const std::int64_t tile = plan.tile_length;
  // Beyond the ends the pattern has zeros and the text ones: they never match each other. As sets
  // it is the other way round, for nothing shares a base with the empty set.
  trace::Scope packing(problem.trace, trace::Work::kPack);
  const auto pattern = device->upload(std::span<const std::uint32_t>(
      words_of(problem.a, problem.code->a, plan, 0, problem.threads)));
  const auto text = device->upload(std::span<const std::uint32_t>(
      words_of(problem.b, problem.code->b, plan, plan.sets ? 0 : 1, problem.threads)));
  packing.end();
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  result.transfer = start - begin - result.build;

  const std::int64_t lowest = -m - 2 * tile;
  const auto row = static_cast<std::size_t>(plan.first_row);
  const auto last = device->filled<std::int32_t>(row, WFA_UNREACHED);
  auto before = device->filled<std::int32_t>(row, WFA_UNREACHED);
  const std::array<std::int32_t, 1> origin{-WFA_BIAS};
  device->write(before, static_cast<std::size_t>(1 - lowest),
                std::span<const std::int32_t>(origin));
  std::int64_t bound = plan.max_distance;
  auto status = device->buffer<std::int32_t>(3);
  const std::array<std::int32_t, 3> open{
      WFA_OPEN, static_cast<std::int32_t>(std::min<std::int64_t>(bound, WFA_OPEN)), 0};
  device->write(status, 0, std::span<const std::int32_t>(open));

  const double tile_cells = 2.0 * static_cast<double>(tile) * static_cast<double>(tile);
  const auto group = static_cast<std::size_t>(stage.group);
  std::vector<std::int64_t> tiles;  // of the bands enqueued since the last read
  std::uint32_t done = 0;           // tiles, as the device counted them
  for (std::int64_t cost = 0; cost <= plan.max_distance;) {
    tiles.clear();
    const std::int64_t from = cost;
    for (int i = 0; i < plan.batch && cost <= plan.max_distance; ++i, cost += tile) {
      const Band band = band_at(cost, tile, m, n, plan.bounded ? bound : cost + 2 * (m + n + tile));
      tiles.push_back(band.tiles);
      if (band.tiles == 0) continue;
      const auto count = static_cast<std::size_t>(band.tiles);
      // One group a tile, or as many as there are work-items for the tiles.
      const std::size_t items =
          plan.group_tiles ? count * group : (count + group - 1) / group * group;
      const auto launch = [&](const auto&... more) {
        kernel(ocl::Range{items, 1, group, 1}, pattern, static_cast<std::uint32_t>(m), text,
               static_cast<std::uint32_t>(n), last, before, static_cast<std::int32_t>(lowest),
               status, static_cast<std::int32_t>(cost), static_cast<std::int32_t>(band.first),
               more...);
      };
      if (plan.group_tiles)
        launch();
      else
        launch(static_cast<std::int32_t>(band.tiles));
    }
    const std::vector<std::int32_t> found = device->read(status, 0, 3);
    const std::int32_t distance = found[TILES_ANSWER];
    if (plan.bounded) {
      const auto counted = static_cast<std::uint32_t>(found[TILES_DONE]);
      result.cells += tile_cells * (counted - done);
      done = counted;
      bound = found[TILES_BOUND];
    } else {
      // Bands that begin after the answer returned at once.
      for (std::size_t i = 0; i < tiles.size(); ++i)
        if (from + static_cast<std::int64_t>(i) * tile <= distance)
          result.cells += tile_cells * static_cast<double>(tiles[i]);
    }
    if (distance != WFA_OPEN) {
      if (distance <= plan.max_distance) result.distance = distance;
      break;
    }
    if (report_cost(plan, problem, cost, now() - start, result)) break;
  }
  result.compute = now() - start;
  return result;
}

}  // namespace

const Variant& tiled_global_variant() {
  static const Variant variant{
      "tiled-global",
      "tiles of many costs, a work-item each, their cells in global memory",
      {kTile, kTiledGroup, kTiledBatch},
      plan_global,
      run_tiled};
  return variant;
}

const Variant& tiled_register_variant() {
  static const Variant variant{"tiled-register",
                               "tiles of many costs, a work-item each, their cells in registers",
                               {kTile, kTiledGroup, kTiledBatch},
                               plan_register,
                               run_tiled};
  return variant;
}

const Variant& tiled_local_variant() {
  static const Variant variant{"tiled-local",
                               "tiles of many costs, a work-item each, their cells in local memory",
                               {kTile, kTiledGroup, kTiledBatch},
                               plan_local,
                               run_tiled};
  return variant;
}

const Variant& group_variant() {
  static const Variant variant{"group",
                               "tiles of many costs, a work-group each, a diagonal a work-item",
                               {kWide, kTiledBatch},
                               plan_group,
                               run_tiled};
  return variant;
}

const Variant& diamond_variant() {
  static const Variant variant{
      "diamond",
      "group, but only the tiles that a bound of the distance leaves of interest",
      {kWide, kTiledBatch},
      plan_diamond,
      run_tiled};
  return variant;
}

}  // namespace rhomb::wfa
