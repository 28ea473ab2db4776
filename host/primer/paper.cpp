// SPDX-License-Identifier: Apache-2.0
// The paper's variants, conventional and alternative: a group of work-items a start, as many starts
// at a time as memory and the device take, one text after the other.
#include <limits>
#include <string>

#include "host/engine/program.h"
#include "host/engine/selftest.h"
#include "host/primer/internal.h"

namespace rhomb::primer {
namespace {

const tune::Param kGroup{"WG", {256, 128, 64, 512, 32}, "work-items a group"};
const tune::Param kTile{"TILE", {1, 0}, "optimisation 4: 1 in tiles as wide as the group, 0 whole"};
const tune::Param kReduce{
    "REDUCE", {1, 0}, "optimisation 3: 1 a maximum for each work-item, 0 one for all"};

constexpr double kPaperLaunch = 0.2;  ///< seconds that a launch should take
constexpr double kStep = 2e-7;        ///< of a group's work-items between two barriers
constexpr std::uint32_t kDone = 0x80000000u;

std::int32_t self_of(const Problem& problem, std::uint32_t text) {
  return problem.self && problem.self->text == text ? static_cast<std::int32_t>(problem.self->begin)
                                                    : std::numeric_limits<std::int32_t>::min();
}

bool on(const Plan& plan, const char* name) { return plan.config.get(name, 0) != 0; }

Plan plan_paper(const char* variant, const Problem& problem, const ocl::Limits& limits,
                const tune::Config& config, const tune::Space& space) {
  Plan plan;
  plan.variant = variant;
  plan.file = "primer/" + plan.variant + ".cl";
  plan.kernel = "primer_" + plan.variant;
  plan.planes = problem.code->planes;
  plan.sets = problem.code->matching == seq::Matching::kSets;
  for (const tune::Param& param : space) {
    int usual = param.values.front();
    if (param.name == "WG")
      usual = static_cast<int>(std::min<std::size_t>(limits.gpu ? 256 : 64, limits.max_work_group));
    const int value = config.get(param.name, usual);
    if (param.name != "WG" && param.name != "FACTOR")
      engine::check_between(param.name, value, 0,
                            *std::max_element(param.values.begin(), param.values.end()));
    plan.config.set(param.name, value);
    if (param.name != "FACTOR") plan.defines.emplace_back(param.name, std::to_string(value));
  }
  plan.group = plan.config.get("WG", 1);
  engine::check_group(plan.group, limits);
  engine::check_between("WG", plan.group, 2, 1 << 16);
  plan.defines.emplace_back("SETS", plan.sets ? "1" : "0");
  return plan;
}

/// What both variants do for some starts at a time.
struct Batch {
  ocl::Device& device;
  const Plan& plan;
  const Problem& problem;
  ocl::Kernel kernel;
  ocl::Buffer<std::uint8_t> alpha;
  std::uint32_t starts;  // at a time
  ocl::Buffer<std::uint32_t> found, saved;
  std::vector<std::uint32_t> furthest;
  double cells = 0;
  Counted counted;
};

std::vector<std::uint8_t> codes_of(std::string_view text,
                                   const std::array<std::uint8_t, 256>& code) {
  std::vector<std::uint8_t> codes(text.size());
  std::ranges::transform(text, codes.begin(),
                         [&](char symbol) { return code[static_cast<unsigned char>(symbol)]; });
  return codes;
}

ocl::Range groups(const Plan& plan, std::uint32_t count) {
  const auto group = static_cast<std::size_t>(plan.group);
  return {count * group, 1, group, 1};
}

/// How many steps of so many groups a launch should have.
std::uint32_t steps_a_launch(const Batch& batch, std::uint32_t count, double seconds) {
  const double waves =
      1.0 + static_cast<double>(count) / (8.0 * batch.device.limits().compute_units);
  return static_cast<std::uint32_t>(std::clamp(kPaperLaunch / (seconds * waves), 1.0, 1e9));
}

std::uint32_t rows_of(const Problem& problem) {
  return std::min(static_cast<std::uint32_t>(problem.alpha.size()), problem.longest);
}

void run_conventional_text(Batch& batch, std::uint32_t first, std::uint32_t count,
                           const ocl::Buffer<std::uint8_t>& text, std::uint32_t n,
                           std::int32_t self) {
  const Problem& problem = batch.problem;
  const auto m = static_cast<std::uint32_t>(problem.alpha.size());
  const std::uint32_t rows = std::min(rows_of(problem), m - first);
  auto done = batch.device.filled<std::uint32_t>(count, 0);
  const bool tiles = on(batch.plan, "TILE");
  const auto group = static_cast<std::uint32_t>(batch.plan.group);
  const std::uint32_t all = tiles ? (rows + group - 1) / group : rows + n + 1;
  const std::uint32_t some = tiles ? 1 : steps_a_launch(batch, count, kStep * (1 + rows / group));
  std::vector<std::uint32_t> reached(count, 0);
  for (std::uint32_t step = 0; step < all; step += some) {
    check_stop(problem);
    batch.kernel(groups(batch.plan, count), batch.alpha, text, batch.found, batch.saved, done,
                 first, m, rows, n, problem.k, self, step, std::min(some, all - step));
    if (!tiles) {
      batch.device.finish();
      continue;
    }
    reached = batch.device.read(done, 0, count);
    if (std::ranges::all_of(reached, [](std::uint32_t at) { return (at & kDone) != 0; })) break;
  }
  reached = batch.device.read(done, 0, count);
  for (const std::uint32_t at : reached) batch.cells += static_cast<double>(at & ~kDone) * n;
  batch.counted.comparisons = batch.cells;
}

void run_alternative_text(Batch& batch, std::uint32_t first, std::uint32_t count,
                          const ocl::Buffer<std::uint8_t>& text, std::uint32_t n,
                          std::int32_t self) {
  const Problem& problem = batch.problem;
  const auto m = static_cast<std::uint32_t>(problem.alpha.size());
  const auto group = static_cast<std::uint32_t>(batch.plan.group);
  const bool tiles = on(batch.plan, "TILE");
  const std::uint32_t all = tiles ? (n + problem.k + group - 1) / group : problem.k;
  const std::uint32_t near = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      (std::uint64_t{problem.k} * static_cast<unsigned>(batch.plan.config.get("FACTOR", 1)) +
       group - 1) /
          group * group,
      batch.device.limits().local_bytes / 4));
  const bool text_near = batch.plan.config.get("NEAR", 0) == 2;
  const std::size_t local = text_near ? 2 * near + group : near;
  const std::uint32_t some =
      steps_a_launch(batch, count, 3 * kStep * (tiles ? problem.k : 1 + n / group));
  auto counts = batch.device.filled<std::uint64_t>(3 * std::size_t{count}, 0);
  for (std::uint32_t step = 0; step < all; step += some) {
    check_stop(problem);
    batch.kernel(groups(batch.plan, count), batch.alpha, text, batch.found, batch.saved, counts,
                 first, m, rows_of(problem), static_cast<std::int32_t>(n),
                 static_cast<std::int32_t>(problem.k), self, step, std::min(some, all - step), near,
                 ocl::Local{std::max<std::size_t>(local, 1)});
    batch.device.finish();
  }
  if (on(batch.plan, "COUNT")) {
    const auto all_counts = batch.device.read(counts, 0, 3 * std::size_t{count});
    for (std::size_t i = 0; i < all_counts.size(); i += 3) {
      batch.counted.comparisons += static_cast<double>(all_counts[i]);
      batch.counted.alpha_misses += static_cast<double>(all_counts[i + 1]);
      batch.counted.beta_misses += static_cast<double>(all_counts[i + 2]);
    }
  }
  batch.cells += static_cast<double>(count) * (n + problem.k) * problem.k;
}

/// Values that are kept for each start.
std::uint64_t saved_for(const Plan& plan, const Problem& problem, std::uint64_t n) {
  const bool tiles = on(plan, "TILE");
  if (plan.by_rows) return tiles ? n + 1 : 3 * (std::uint64_t{rows_of(problem)} + 1);
  return 2 * (tiles ? std::uint64_t{problem.k} : n + problem.k + 2);
}

Answer run_paper(ocl::Device* device, const Plan& plan, const Problem& problem);

void test(ocl::Device& device, const Plan& plan) {
  selftest::Numbers numbers;
  const seq::Code code = selftest::spread_code(plan.planes, plan.sets);
  const unsigned symbols = plan.sets ? 4u : 1u << plan.planes;
  const auto group = static_cast<unsigned>(plan.group);
  for (const unsigned n : {1u, group, 2 * group + 3})
    for (const unsigned k : {1u, 3u, 8u}) {
      const std::string text = selftest::random_text(numbers, n, symbols);
      const std::string alpha = selftest::edited(numbers, text.substr(0, 30), 8, symbols) +
                                selftest::random_text(numbers, 9, symbols);
      const std::vector<std::string_view> texts{text};
      Problem problem;
      problem.alpha = alpha;
      problem.last = static_cast<std::uint32_t>(alpha.size());
      problem.texts = texts;
      problem.k = k;
      problem.code = &code;
      Plan trial = plan;
      trial.self_test = true;
      const auto got = run_paper(&device, trial, problem).ends;
      const auto expected = reference_variant().run(nullptr, {}, problem).ends;
      for (std::size_t i = 0; i < got.size(); ++i) selftest::compare(got[i], expected[i], "end");
    }
}

Answer run_paper(ocl::Device* device, const Plan& plan, const Problem& problem) {
  Answer answer;
  const double begin = now();
  if (!plan.self_test)
    selftest::ensure_passed(*device, plan.file, plan.defines, [&] { test(*device, plan); });
  auto kernel = device->kernel(plan.file, plan.kernel, plan.defines);
  const double built = now();
  answer.build = built - begin;

  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  std::uint64_t n = 0;
  std::vector<ocl::Buffer<std::uint8_t>> texts;
  for (const std::string_view text : problem.texts) {
    texts.push_back(device->upload<std::uint8_t>(codes_of(text, problem.code->b)));
    n = std::max<std::uint64_t>(n, text.size());
  }
  const std::uint64_t each = saved_for(plan, problem, n);
  const auto& limits = device->limits();
  const std::uint64_t most = std::min(limits.alloc_bytes, limits.global_bytes / 2) / (4 * each);
  if (most == 0) throw MemoryError("a row of a matrix is more than the device's memory takes");
  const std::uint32_t starts = problem.last - problem.first;
  const auto some = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      {most, limits.compute_units * (limits.gpu ? 64u : 4u), std::max(starts, 1u)}));
  Batch batch{*device,
              plan,
              problem,
              std::move(kernel),
              device->upload<std::uint8_t>(codes_of(problem.alpha, problem.code->a)),
              some,
              device->buffer<std::uint32_t>(some),
              device->buffer<std::uint32_t>(some * each),
              {},
              0,
              {}};
  answer.transfer = now() - built;

  const auto m = static_cast<std::uint32_t>(problem.alpha.size());
  for (std::uint32_t at = problem.first; at < problem.last; at += some) {
    const std::uint32_t count = std::min(some, problem.last - at);
    std::vector<std::uint32_t> found(count);
    for (std::uint32_t i = 0; i < count; ++i)
      found[i] = std::min(problem.k - 1, limit_of(problem, at + i));
    device->write<std::uint32_t>(batch.found, 0, found);
    for (std::uint32_t t = 0; t < texts.size(); ++t) {
      const auto length = static_cast<std::uint32_t>(problem.texts[t].size());
      if (length == 0) continue;
      const auto run = plan.by_rows ? run_conventional_text : run_alternative_text;
      run(batch, at, count, texts[t], length, self_of(problem, t));
    }
    found = device->read(batch.found, 0, count);
    for (std::uint32_t i = 0; i < count; ++i)
      answer.ends.push_back(end_for(problem, at + i, found[i] + 1));
    if (problem.progress)
      problem.progress({0, 0, batch.cells, static_cast<double>(at + count - problem.first) / starts,
                        now() - built});
    // The whole rest of alpha is near: so is every later one.
    if (found.back() >= m - (at + count - 1)) {
      answer.ends.resize(starts, kNone);
      break;
    }
  }
  answer.cells = batch.cells;
  answer.counted = batch.counted;
  answer.compute = now() - built - answer.transfer;
  return answer;
}

const tune::Space& conventional_space() {
  static const tune::Space space{
      kGroup,
      kTile,
      {"STOP", {1, 0}, "optimisation 1: 1 stop at rows without a cell below k, 0 go through all"},
      kReduce,
      {"NEAR", {1, 0}, "optimisation 5: 1 alpha's symbols in local memory"}};
  return space;
}

const tune::Space& alternative_space() {
  static const tune::Space space{
      kGroup,
      kTile,
      {"STOP", {0, 1}, "optimisation 2: 1 stop when all the rest of alpha occurs"},
      kReduce,
      {"NEAR",
       {2, 1, 0},
       "optimisations 5 and 6: 1 alpha's first symbols in local memory, 2 those "
       "of the texts too, with TILE=1"},
      {"FACTOR", {3, 2, 1}, "so many times k symbols of alpha in local memory"},
      {"COUNT", {0, 1}, "1: comparisons of symbols are counted"}};
  return space;
}

Plan plan_conventional(const Problem& problem, const ocl::Limits& limits,
                       const tune::Config& config) {
  Plan plan = plan_paper("conventional", problem, limits, config, conventional_space());
  plan.by_rows = true;
  return plan;
}

Plan plan_alternative(const Problem& problem, const ocl::Limits& limits,
                      const tune::Config& config) {
  Plan plan = plan_paper("alternative", problem, limits, config, alternative_space());
  if (plan.config.get("NEAR", 0) == 2 && !on(plan, "TILE"))
    throw tune::Unfit("NEAR=2 copies what a tile needs, and needs TILE=1");
  return plan;
}

}  // namespace

const Variant& conventional_variant() {
  static const Variant variant{"conventional",
                               "rows of Sellers' matrix, a group a start (the paper's first)",
                               conventional_space(), plan_conventional, run_paper};
  return variant;
}

const Variant& alternative_variant() {
  static const Variant variant{"alternative",
                               "furthest rows on diagonals, a group a start (the paper's second)",
                               alternative_space(), plan_alternative, run_paper};
  return variant;
}

}  // namespace rhomb::primer
