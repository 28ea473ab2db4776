// SPDX-License-Identifier: Apache-2.0
// The table of variants, and what is the same for all of them.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "host/engine/program.h"
#include "host/engine/reference.h"
#include "host/engine/solve.h"
#include "host/engine/speed.h"
#include "host/lcs/internal.h"

namespace rhomb::lcs {

const tune::Param kGroup{"WG", {128, 64, 256, 32, 512, 1}, "work-items a group; 1 where LANES > 1"};
const tune::Param kChunk{"CHUNK", {256, 128, 512, 1024, 64}, "lanes a compute unit in a chunk"};
const tune::Param kQueues{"QUEUES", {4, 1, 2, 16}, "chunks that are copied and computed at a time"};

namespace {

Plan plan_reference(const Problem& problem, const ocl::Limits&, const tune::Config&) {
  Plan plan;
  for (const std::string_view query : problem.all_queries())
    plan.queries.push_back({static_cast<std::int64_t>(query.size())});
  return plan;
}

Answer run_reference(ocl::Device*, const Plan&, const Problem& problem) {
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  const double all = symbols_of(problem.all_queries()) * symbols_of(problem.targets);
  Answer answer;
  for (const std::string_view query : problem.all_queries())
    for (const std::string_view target : problem.targets) {
      answer.lengths.push_back(reference::lcs_length(query, target, *problem.code));
      answer.cells += static_cast<double>(query.size()) * static_cast<double>(target.size());
      if (problem.progress)
        problem.progress({0, 0, answer.cells, all > 0 ? answer.cells / all : 1});
    }
  answer.compute = now() - start;
  return answer;
}

}  // namespace

double symbols_of(std::span<const std::string_view> texts) {
  double symbols = 0;
  for (const std::string_view text : texts) symbols += static_cast<double>(text.size());
  return symbols;
}

int Plan::text_words() const {
  if (strips > 0) return planes * targets_of_lane();
  return planes <= 2 ? 2 : planes <= 4 ? 4 : 8;
}

std::size_t Plan::words_of(const QueryPlan& query) const {
  const auto block = static_cast<std::size_t>(query.size);
  return static_cast<std::size_t>(query.blocks) *
         (strips > 0 ? block * static_cast<std::size_t>(planes + 1) : block << planes);
}

double Plan::block_seconds(const QueryPlan& query, const Chunk& chunk) const {
  if (query.blocks == 0) return 0;  // an empty query
  const double columns = static_cast<double>(chunk.symbols);
  // A few lanes do not fill a device, and take as long as the longest of them: at some hundred
  // clocks a column.
  return std::max(columns * query.operations / static_cast<double>(query.blocks) / speed,
                  2e-7 * chunk.longest);
}

std::int64_t Plan::launch_blocks(const QueryPlan& query, const Chunk& chunk) const {
  constexpr double kSeconds = 0.2;
  if (query.blocks == 0) return 1;
  return static_cast<std::int64_t>(
      std::clamp(kSeconds / block_seconds(query, chunk), 1.0, static_cast<double>(query.blocks)));
}

std::vector<int> Plan::sizes() const {
  std::set<int> sizes;
  for (const QueryPlan& query : queries) sizes.insert(query.size);
  return {sizes.begin(), sizes.end()};
}

int Plan::usual_size() const {
  std::map<int, double> rows;
  for (const QueryPlan& query : queries)
    rows[query.size] += static_cast<double>(query.blocks) * block_rows(query.size);
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::ranges::max_element(rows, fewer)->first;
}

ocl::Defines Plan::defines(int size) const {
  ocl::Defines defines;
  const auto set = [&](const char* name, int value) {
    defines.emplace_back(name, std::to_string(value));
  };
  set("WG", group);
  if (strips == 0) {
    set("W", size);
    set("STORE", local);
    set("ALLISON", allison);
    set("PLANES", planes);
  } else {
    set("LANES", lanes);
    set("K", size);
    set("S", strips);
    set("PLANES", planes);
    set("SETS", sets);
  }
  return defines;
}

double Plan::rows() const {
  double rows = 0;
  for (const QueryPlan& query : queries)
    rows += static_cast<double>(query.blocks) * block_rows(query.size);
  return rows;
}

double Plan::operations() const {
  double all = 0;
  for (const QueryPlan& query : queries) all += query.operations;
  return all;
}

void plan_group(Plan& plan, const Problem& problem, const ocl::Limits& limits,
                const tune::Config& config) {
  plan.planes = problem.code->planes;
  plan.sets = problem.code->matching == seq::Matching::kSets;
  const std::size_t usual = limits.gpu && plan.lanes == 1 ? 128 : 1;
  plan.group = config.get("WG", static_cast<int>(std::min(usual, limits.max_work_group)));
  engine::check_group(plan.group, limits);
  engine::check_lanes(plan.lanes, plan.group);
  plan.queues = config.get("QUEUES", kQueues.values.front());
  engine::check_between("QUEUES", plan.queues, 1, 64);
  plan.config.set("WG", plan.group);
  plan.config.set("QUEUES", plan.queues);
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() - 64;
  for (const std::string_view target : problem.targets)
    if (target.size() > kMost) throw tune::Unfit("a target has more than 2^32 - 65 symbols");
  for (const std::string_view query : problem.all_queries())
    if (query.size() > kMost) throw tune::Unfit("a query has more than 2^32 - 65 symbols");
  if (problem.targets.size() > kMost) throw tune::Unfit("there are more than 2^32 - 65 targets");
}

void plan_chunks(Plan& plan, const Problem& problem, const ocl::Limits& limits,
                 const tune::Config& config) {
  const int chunk = config.get("CHUNK", kChunk.values.front());
  if (chunk < 1) throw tune::Unfit("CHUNK=" + std::to_string(chunk) + " is not at least 1");
  plan.config.set("CHUNK", chunk);
  plan.speed = engine::guessed_operations_a_second(limits);
  const auto queues = static_cast<std::uint64_t>(plan.queues);
  const auto unit_bytes = 4 * static_cast<std::uint64_t>(plan.text_words() + plan.stream_words());
  Cut cut;
  cut.lanes = plan.lanes;
  cut.group = plan.group;
  cut.targets = plan.targets_of_lane();
  cut.most_lanes = static_cast<std::uint64_t>(chunk) * limits.compute_units;
  // Not so much that packing the first chunk takes long, before anything is computed.
  cut.most_units = std::min<std::uint64_t>({std::uint64_t{256} << 20, limits.alloc_bytes,
                                            limits.global_bytes / (4 * queues)}) /
                   unit_bytes;
  plan.chunks = chunks_of(problem.targets, cut);

  std::uint64_t units = 0, slots = 0, tiles = 0;
  for (const Chunk& each : plan.chunks) {
    units = std::max(units, each.units);
    slots = std::max<std::uint64_t>(slots, each.targets.size());
    tiles = std::max<std::uint64_t>(tiles, each.tiles.size());
  }
  const std::uint64_t largest = 4 * units * static_cast<std::uint64_t>(plan.text_words());
  const bool streams =
      std::ranges::any_of(plan.queries, [](const QueryPlan& query) { return query.blocks > 1; });
  plan.bytes = std::min<std::uint64_t>(queues, plan.chunks.size()) *
               ((streams ? units * unit_bytes : largest) + 8 * slots + tiles * sizeof(LcsTile));
  for (const QueryPlan& query : plan.queries) plan.bytes += 4 * plan.words_of(query);
  constexpr std::uint64_t kMostUnits = std::numeric_limits<std::uint32_t>::max();
  if (plan.bytes > limits.global_bytes || largest > limits.alloc_bytes || units > kMostUnits)
    throw MemoryError("targets of up to " + std::to_string(plan.chunks.front().longest) +
                      " symbols need " + std::to_string(plan.bytes >> 20) + " MiB on the device, " +
                      std::to_string(largest >> 20) + " MiB in one piece; it has " +
                      std::to_string(limits.global_bytes >> 20) + " MiB and allows " +
                      std::to_string(limits.alloc_bytes >> 20) + " MiB; a smaller WG needs less");
}

const Variant& reference_variant() {
  static const Variant row = Variant::reference(plan_reference, run_reference);
  return row;
}

std::span<const Variant> variants() {
  static const std::array rows{strips_variant(),      crochemore_variant(),      allison_variant(),
#ifdef RHOMB_HAVE_CUDA
                               cuda_strips_variant(), cuda_crochemore_variant(),
#endif
                               reference_variant()};
  return rows;
}

std::vector<Candidate> candidates(const Problem& problem, const ocl::Limits& limits,
                                  const tune::Config& config) {
  std::vector<Candidate> all;
  for (const Variant& row : variants()) {
    if (!row.uses_opencl()) continue;
    Candidate candidate;
    candidate.row = &row;
    try {
      candidate.operations = plan(row, problem, limits, config).operations() /
                             std::max(1.0, symbols_of(problem.all_queries()));
    } catch (const tune::Unfit& why) {
      candidate.unfit = why.what();
    } catch (const UsageError& why) {  // no tunable of this row
      candidate.unfit = why.what();
    }
    all.push_back(std::move(candidate));
  }
  return all;
}

const Variant& choose(std::span<const Candidate> candidates) {
  const Variant* best = &variants().back();
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : candidates) {
    if (!candidate.unfit.empty() || candidate.operations >= least) continue;
    least = candidate.operations;
    best = candidate.row;
  }
  return *best;
}

const Variant& choose(const Problem& problem, const ocl::Limits& limits,
                      const tune::Config& config) {
  return choose(candidates(problem, limits, config));
}

Plan plan(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config) {
  return engine::plan(variant, problem, limits, config);
}

Answer solve(ocl::Device* device, const Variant& variant, const Problem& problem,
             const tune::Config& config) {
  config.check_names(variant.space);
  if (symbols_of(problem.all_queries()) == 0 || symbols_of(problem.targets) == 0) {
    Answer none;
    none.lengths.assign(problem.all_queries().size() * problem.targets.size(), 0);
    return none;
  }
  return engine::solve(device, variant, problem, config);
}

}  // namespace rhomb::lcs
