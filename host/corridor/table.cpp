// SPDX-License-Identifier: Apache-2.0
// The table of variants, their plans and runs.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <future>
#include <optional>
#include <utility>

#include "host/batch/threads.h"
#include "host/corridor/corridor.h"
#include "host/corridor/device_slabs.h"
#include "host/corridor/runs.h"
#include "host/engine/cost.h"
#include "host/engine/solve.h"

namespace rhomb::corridor {
namespace {

using engine::setting;

const tune::Param kGroup{"WG", {32, 64, 128, 1}, "work-items a group; 1 where LANES > 1"};
const tune::Param kLanes{
    "LANES", {1, 4, 8, 16}, "bands a work-item: 1 on GPUs, a register on CPUs"};
const tune::Param kTeam{
    "TEAM", {0, 1, 2, 4, 8, 16, 32}, "work-items that share a band; 0: by the bands of a launch"};
const tune::Param kRows{
    "ROWS", {1024, 512, 256, 2048, 4096, 8192}, "rows a block, a multiple of 32"};
const tune::Param kMargin{"MARGIN", {6, 2, 4, 8, 12, 16, 24}, "32 diagonals beside the path"};
const tune::Param kPiece{"PIECE", {256, 128, 64, 512}, "32 diagonals of a window, at most"};
const tune::Param kSegments{"SEGMENTS", {64, 32, 128, 512, 2048}, "segments at once"};

const tune::Param kWords{
    "WORDS", {1, 0}, "words are looked for by the device (1), the host (0), by nobody (2)"};

const tune::Param kShared{
    "SHARED", {0, 1}, "other devices have a share of the bands: where that gains (0), always (1)"};

const tune::Space kSpace{kGroup, kLanes, kTeam, kRows, kMargin, kPiece, kSegments, kWords, kShared};
const tune::Space kHostSpace{kRows, kMargin, kPiece, kSegments};

/// Memory for bands, at most; more of them are computed one launch after another.
constexpr std::uint64_t kStateBytes = 512u << 20;
/// Memory for tables of words that are looked for at once.
constexpr std::uint64_t kMostWordBytes = 256u << 20;

/// Bounds forward and backward, up to both lengths together each, are added up in 32 bits.
constexpr std::int64_t kMostLength = std::int64_t{1} << 29;

/// Cells of the strips take half the time of ours, on GPUs a twentieth; corridors of so few cells
/// are no loss, on GPUs for each compute unit.
constexpr double kWorth = 0.5, kFewCells = 4e9, kWorthOnGpu = 0.05, kFewOfUnit = 1e9;

/// What is computed, wherever: on a GPU, or on so many threads whose vectors have `lanes` bands.
Plan plan_method(const Problem& problem, const tune::Config& config, bool gpu, int threads,
                 int lanes) {
  Plan plan;
  plan.planes = problem.code->planes;
  plan.sets = problem.code->matching == seq::Matching::kSets;
  const auto m = static_cast<std::int64_t>(problem.a.size());
  const auto n = static_cast<std::int64_t>(problem.b.size());
  const double guess = static_cast<double>(problem.guess.value_or(0));
  // Each block's bound loses a little, so long texts have longer blocks. So have GPUs: windows must
  // be wider then, but the host has less to do.
  const double of_root = gpu ? 2.2 : 1.1;
  const auto longer = static_cast<unsigned>(of_root * std::sqrt(static_cast<double>(m)));
  const unsigned longest = gpu ? 8192 : 4096;
  const int rows =
      config.get("ROWS", static_cast<int>(std::clamp(std::bit_floor(longer), 256u, longest)));
  engine::check_between("ROWS", rows, 32, 1 << 16);
  if (rows % kChunk != 0) throw tune::Unfit(setting("ROWS", rows) + " is not a multiple of 32");
  if (std::max(m, n) >= kMostLength)
    throw MemoryError("bounds of texts of 2^29 symbols do not fit 32 bits");
  plan.grid = Grid(m, n, rows);
  // A window need not be much wider than what a block costs, for that is what a path pays which
  // leaves it.
  const double edits = std::min(0.5, guess / static_cast<double>(std::max(m, n))) * rows;
  plan.options.margin = config.get("MARGIN", 6 + 2 * (static_cast<int>(3 * edits) / 32));
  engine::check_between("MARGIN", plan.options.margin, 2, 1 << 10);
  plan.options.near = plan.options.margin / 4 + 8;
  plan.options.piece = config.get("PIECE", kPiece.values.front());
  engine::check_between("PIECE", plan.options.piece, 1, 1 << 16);
  plan.options.segments =
      config.get("SEGMENTS", gpu ? 64 * threads : std::max(64, 8 * lanes * threads));
  engine::check_between("SEGMENTS", plan.options.segments, 1, 1 << 24);
  plan.options.most = distance_limit(problem);
  plan.options.expected = problem.guess.value_or(plan.options.most);
  // The strips' band for the distance that is expected.
  const double band = std::min(static_cast<double>(n), 1.3 * guess + 64);
  plan.options.most_cells = std::max(gpu ? std::max(kFewCells, kFewOfUnit * threads) : kFewCells,
                                     (gpu ? kWorthOnGpu : kWorth) * static_cast<double>(m) * band);

  plan.config.set("ROWS", rows);
  plan.config.set("MARGIN", plan.options.margin);
  plan.config.set("PIECE", plan.options.piece);
  plan.config.set("SEGMENTS", plan.options.segments);
  plan.text_bytes = 4 * text_words(plan.grid, plan.planes);
  return plan;
}

engine::Program band_program(const Plan& plan, bool keep) {
  return {"corridor/band.cl",
          "corridor_band",
          {{"WG", std::to_string(plan.group)},
           {"LANES", std::to_string(plan.lanes)},
           {"PLANES", std::to_string(plan.planes)},
           {"SETS", plan.sets ? "1" : "0"},
           {"KEEP", keep ? "1" : "0"}}};
}

Plan plan_corridor(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  const int lanes = engine::usual_lanes(limits, config);
  Plan plan =
      plan_method(problem, config, limits.gpu, static_cast<int>(limits.compute_units), lanes);
  plan.lanes = lanes;
  const int usual = static_cast<int>(std::min<std::size_t>(limits.max_work_group, 32));
  plan.group = config.get("WG", limits.gpu && plan.lanes == 1 ? usual : 1);
  engine::check_lanes(plan.lanes, plan.group);
  engine::check_group(plan.group, limits);
  plan.team = config.get("TEAM", 0);
  engine::check_between("TEAM", plan.team, 0, plan.group);
  if (plan.team > 0 && plan.group % plan.team != 0)
    throw tune::Unfit(setting("WG", plan.group) + " is not a multiple of " +
                      setting("TEAM", plan.team));
  const int words = config.get("WORDS", limits.gpu ? 1 : 0);
  engine::check_between("WORDS", words, 0, 2);
  plan.words = words == 1 && !plan.sets;
  plan.without_words = words == 2;
  plan.shared = config.get("SHARED", 0) == 1;

  plan.config.set("WG", plan.group);
  plan.config.set("LANES", plan.lanes);
  plan.config.set("TEAM", plan.team);
  plan.config.set("WORDS", plan.without_words ? 2 : plan.words ? 1 : 0);
  plan.config.set("SHARED", plan.shared ? 1 : 0);
  plan.program = band_program(plan, false);
  plan.state_bytes = std::min({kStateBytes, limits.alloc_bytes, limits.global_bytes / 4});
  if (plan.words)
    plan.word_bytes = std::min({word_bytes(plan.grid.m - plan.grid.padding), kMostWordBytes,
                                limits.alloc_bytes, limits.global_bytes / 4});
  if (plan.bytes() > limits.global_bytes || plan.text_bytes > limits.alloc_bytes)
    throw MemoryError("texts of " + std::to_string(problem.a.size()) + " and " +
                      std::to_string(problem.b.size()) + " symbols need " +
                      std::to_string(plan.bytes() >> 20) + " MiB on the device; it has " +
                      std::to_string(limits.global_bytes >> 20) + " MiB and allows " +
                      std::to_string(limits.alloc_bytes >> 20) + " MiB in one piece");
  return plan;
}

Plan plan_host(const Problem& problem, const ocl::Limits&, const tune::Config& config) {
  const auto threads = static_cast<int>(batch::threads_of(problem.threads));
  return plan_method(problem, config, false, threads, HostBands::kLanes);
}

/// How many times as fast a run is that others share. Bands are what they share; a driver takes its
/// time to open another device. CPU devices have the same cores.
double gain_of_sharing(std::span<const ocl::Limits> limits, const Plan& plan, double distance,
                       std::size_t threads, double to_open) {
  double all = 0;
  bool cpu = false;
  for (const ocl::Limits& one : limits) {
    if (one.gpu || !cpu) all += weight_of(one);
    cpu |= !one.gpu;
  }
  const auto seconds = [&](const Rates& rates) {
    return corridor_seconds(rates, limits[0].gpu, plan.grid.m, plan.grid.n,
                            static_cast<std::int64_t>(distance), threads);
  };
  Rates rates = usual_rates(limits[0]);
  const double alone = seconds(rates);
  rates.strip_cell = 0;
  const double bands = alone - seconds(rates), own = weight_of(limits[0]);
  if (own >= all) return 1;
  return alone / (alone - bands * (1 - own / all) + to_open);
}

}  // namespace

Kept solve_keeping(ocl::Device* device, const Plan& plan, const Problem& problem) {
  if (device == nullptr) {
    OnHost on_host(plan, problem);
    return solve_on(on_host, plan, problem);
  }
  OnDevice on_device(*device, plan, problem);
  on_device.forget_packed();
  Kept kept = solve_on(on_device, plan, problem);
  kept.texts = on_device.texts();
  return kept;
}

namespace {

Answer run_corridor(ocl::Device* device, const Plan& plan, const Problem& problem) {
  return solve_keeping(device, plan, problem).answer;
}

}  // namespace

void look(Problem& problem, Sketch& sketch) {
  if (problem.guess && !problem.chain.empty()) return;
  const trace::Scope scope(problem.trace, trace::Work::kChoose);
  sketch = sketch_distance(problem.a, problem.b, problem.threads);
  problem.chain = sketch.chain;
  if (!problem.guess) problem.guess = sketch.distance;
}

namespace {

/// Others have a share where they make a run so much faster.
constexpr double kWorthOpening = 1.05;

/// What two plans must have alike for bands to be computed by either.
tune::Config like(const Plan& plan) {
  tune::Config config;
  for (const tune::Param* const one : {&kRows, &kMargin, &kPiece, &kSegments})
    config.set(one->name, plan.config.get(one->name, 0));
  return config;
}

}  // namespace

Answer solve(ocl::Device& device, const OtherDevices& others, const Variant& variant,
             const Problem& problem, const tune::Config& config) {
  if (others.limits.empty()) return solve(&device, variant, problem, config);
  check_problem(problem);
  Problem rest = trimmed(problem);
  if (const auto easy = easy_answer(rest)) return *easy;
  Sketch sketch;
  look(rest, sketch);
  const Plan plan = engine::plan(variant, rest, device.limits(), config);
  std::vector<ocl::Limits> limits{device.limits()};
  limits.insert(limits.end(), others.limits.begin(), others.limits.end());
  const std::size_t threads = batch::threads_of(problem.threads);
  if (!plan.shared && gain_of_sharing(limits, plan, static_cast<double>(*rest.guess), threads,
                                      others.to_open) < kWorthOpening)
    return solve(&device, variant, rest, config);
  std::string left_out;
  try {
    OnDevices on_devices(device, others, plan, rest, [&](const ocl::Limits& other) {
      return engine::plan(variant, rest, other, like(plan));
    });
    Answer answer = solve_on(on_devices, plan, rest).answer;
    answer.config = plan.config;
    answer.certificate.add("devices", static_cast<std::int64_t>(on_devices.count()));
    return answer;
  } catch (const std::bad_alloc&) {
    left_out = "the host's memory does not suffice for several";
  } catch (const Error& error) {
    if (error.kind() == Kind::kStopped) throw;
    left_out = error.what();  // what the first one has to say is said again
  }
  Answer answer = solve(&device, variant, rest, config);
  answer.certificate.add("devices_left_out", left_out.substr(0, left_out.find('\n')));
  return answer;
}

Facts explain_sharing(const Variant& variant, const Problem& problem,
                      std::span<const ocl::Limits> limits, const tune::Config& config) {
  if (limits.size() < 2) return {};
  Problem rest = trimmed(problem);
  Sketch sketch;
  look(rest, sketch);
  const Plan plan = engine::plan(variant, rest, limits[0], config);
  const double gain = gain_of_sharing(limits, plan, static_cast<double>(*rest.guess),
                                      batch::threads_of(problem.threads), kToOpenAnother);
  return facts_of_sharing(limits, gain, plan.shared || gain >= kWorthOpening,
                          "to open another takes longer than it saves");
}

std::span<const Variant> variants() {
  static const std::array all{
      Variant{"corridor", "exact segments inside a corridor that lower bounds of blocks prove",
              kSpace, plan_corridor, run_corridor},
      Variant{kHostCorridor, "the same on the host", kHostSpace, plan_host, run_corridor, nullptr,
              true}};
  return all;
}

void keep_rows(Plan& plan, double apart, double bytes) {
  plan.options.every = static_cast<int>(std::clamp(apart / kChunk, 1.0, 1e6));
  plan.options.most_kept = bytes;
  plan.program = band_program(plan, true);
}

std::future<void> make_ready(ocl::Device& device, const Problem& problem, bool keeps) {
  constexpr std::size_t kLong = 500'000;
  if (!device.limits().gpu || std::min(problem.a.size(), problem.b.size()) < kLong) return {};
  return engine::make_meanwhile(device, problem.threads, [&problem, keeps](ocl::Device& beside) {
    const Plan plan = plan_corridor(problem, beside.limits(), {});
    std::vector<engine::Program> programs{band_program(plan, false)};
    if (keeps) programs = {band_program(plan, true), programs[0], slabs_program(plan)};
    for (const engine::Program& program : programs) beside.load(program.file, program.defines);
  });
}

Plan plan(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config) {
  return engine::plan(variant, trimmed(problem), limits, config);
}

Answer solve(ocl::Device* device, const Variant& variant, const Problem& problem,
             const tune::Config& config) {
  Sketch sketch;
  return engine::solve_pair(device, variant, problem, config,
                            [&](Problem& rest) { look(rest, sketch); });
}

namespace {

/// Device memory of a run that finds what its sketch says: texts, and then words or windows along
/// the probable path; later windows are fewer.
std::uint64_t expected_bytes(const Plan& plan, const Problem& problem) {
  const std::vector<Range> path = probable_path(plan.grid, problem.chain);
  std::uint64_t windows = 0;
  for (std::size_t s = 0; s < path.size(); ++s)
    windows += 8 * static_cast<std::uint64_t>(
                       window(static_cast<int>(s), path[s], plan.options.margin).words);
  std::uint64_t words = 0;
  if (plan.words) {
    const WordsAt at =
        words_at(plan.grid, plan.options, first_cost_of_words(plan.grid, plan.options));
    words = word_bytes(plan.grid, std::ssize(problem.a),
                       WordSearch(plan.grid, problem.a, *problem.code, at.seen, {}, at.radius, 1),
                       plan.word_bytes);
  }
  return plan.text_bytes + std::min(windows, plan.state_bytes) + words;
}

}  // namespace

Facts explain(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
              const tune::Config& config) {
  Problem rest = trimmed(problem);
  Sketch sketch;
  look(rest, sketch);
  const Plan plan = engine::plan(variant, rest, limits, config);
  Facts facts;
  facts.add("config", plan.config.text());
  if (!variant.on_host) facts.add("program", plan.program.text());
  facts.add("blocks", plan.grid.blocks);
  facts.add("rows_per_block", plan.grid.rows);
  facts.add("most_cells", number(plan.options.most_cells));
  facts.add("max_distance", plan.options.most);
  if (variant.on_host) return facts;
  facts.add("device_bytes", static_cast<std::int64_t>(expected_bytes(plan, rest)));
  facts.add("device_bytes_of_texts", static_cast<std::int64_t>(plan.text_bytes));
  facts.add("device_bytes_at_most", static_cast<std::int64_t>(plan.bytes()));
  return facts;
}

}  // namespace rhomb::corridor
