// SPDX-License-Identifier: Apache-2.0
// The row coop: lanes that work together, several tasks a team (Chacon et al. 2014, 3.2).
#include <algorithm>
#include <limits>

#include "host/search/internal.h"

namespace rhomb::search {
namespace {

constexpr int kTeam = 32;  ///< lanes

const tune::Param kCoopGroup{"WG", {64, 128, 32, 256}, "work-items a group, teams of 32"};
const tune::Param kTasks{
    "R", {32, 16, 8, 4, 2, 1, 10, 6, 5, 3}, "tasks a team, which share its lanes"};
const tune::Param kWords{
    "W", {4, 1, 2, 3, 5, 6, 7, 8, 10, 13, 16, 19, 25, 32}, "words of 32 rows a lane"};
const tune::Param kVia{"VIA",
                       {3, 2, 1, 0},
                       "lanes a column behind each other (3), or carries by ballots (2), "
                       "shuffles (1), local memory (0)"};
const tune::Param kProfile{"PROFILE", {0, 1}, "matches are computed (0) or read (1)"};

/// Registers for the column, its symbols and what a step makes of them; compilers keep about so
/// many. CPUs have memory for them.
int most_words(int planes, bool gpu) { return gpu ? 230 / (4 + planes) : 64; }

struct CoopFit {
  int parts = 1;  // lanes a task
  int words = 1;  // a lane
};

int tasks_of(int parts) { return kTeam / parts; }

/// Operations that a lane spends on the columns of its share of a task, times the lanes of a task
/// with those that are left over; as counted in machine code and timed on an H200.
double cost_of(const CoopFit& fit, double n, int planes, int via, bool gpu) {
  double word = 8.0 + planes, lane = 8 + 2.0 * planes;
  if (fit.parts > 1) {
    // On CPUs lanes meet at barriers, which are loops over all work-items.
    const double meets = gpu ? 6 : 300;
    if (via == 3) {
      lane += meets;
      n += fit.parts - 1;
    } else {
      word += 1.5;
      lane += 2 * meets;
    }
  }
  return n * (word * fit.words + lane) * kTeam / tasks_of(fit.parts);
}

/// For columns of so many words.
CoopFit best_fit(int words, double n, int planes, int via, bool gpu, const tune::Config& config) {
  CoopFit best;
  double least = std::numeric_limits<double>::infinity();
  const int most = config.get("W", most_words(planes, gpu));
  for (int parts = 1; parts <= kTeam; ++parts) {
    if (config.get("R", tasks_of(parts)) != tasks_of(parts)) continue;
    // As many lanes as so many tasks leave to each.
    if (kTeam / tasks_of(parts) != parts) continue;
    const CoopFit fit{parts, config.get("W", (words + parts - 1) / parts)};
    if (fit.words > most || fit.words * fit.parts < words) continue;
    const double cost = cost_of(fit, n, planes, via, gpu);
    if (cost >= least) continue;
    least = cost;
    best = fit;
  }
  if (least == std::numeric_limits<double>::infinity())
    throw tune::Unfit(
        "columns of " + std::to_string(words) + " words of 32 symbols are more than " +
        (config.has("R") ? "the lanes of R=" + std::to_string(config.get("R", 1))
                         : std::string("32 lanes")) +
        " can have with " + (config.has("W") ? "W=" : "up to W=") + std::to_string(most));
  return best;
}

Plan plan_coop(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  check_parts("coop", problem);
  Plan plan;
  plan.file = "search/coop.cl";
  plan.kernel = "search_coop";
  plan.planes = problem.code->planes;
  plan.sets = problem.code->matching == seq::Matching::kSets;
  const int group = config.get("WG", limits.nvidia ? 64 : kTeam);
  engine::check_group(group, limits);
  if (group % kTeam != 0)
    throw tune::Unfit("WG=" + std::to_string(group) + " is not a multiple of 32, a team's lanes");
  const int via = config.get("VIA", 3);
  if (via < 0 || via > 3) throw tune::Unfit("VIA=" + std::to_string(via) + " is not 0, 1, 2 or 3");
  if ((via == 1 || via == 2) && !limits.nvidia)
    throw tune::Unfit("VIA=" + std::to_string(via) +
                      " needs a GPU of NVIDIA, whose lanes reach each other's registers");
  const int profile = config.get("PROFILE", 0);
  if (profile < 0 || profile > 1)
    throw tune::Unfit("PROFILE=" + std::to_string(profile) + " is not 0 or 1");
  plan.profiles = profile == 1;
  if (const int r = config.get("R", 1); r < 1 || r > kTeam)
    throw tune::Unfit("R=" + std::to_string(r) + " is not between 1 and 32");
  if (const int w = config.get("W", 1); w < 1 || w > 64)
    throw tune::Unfit("W=" + std::to_string(w) + " is not between 1 and 64");
  if (limits.max_work_group < static_cast<std::size_t>(kTeam))
    throw tune::Unfit("teams of 32 are larger than a group of the device may be");

  const TaskStats all = stats_of(problem);
  const bool exact = all.lengths.size() <= kMostExact;
  const double n =
      all.symbols / static_cast<double>(std::max<std::size_t>(1, problem.tasks.size()));
  const auto number_of = [&](std::uint32_t rows) { return column_words(rows, exact); };
  plan_shapes(plan, problem, all, number_of,
              [&](int number, std::uint32_t shortest, std::uint32_t longest) {
                const CoopFit fit = best_fit(number, n, plan.planes, via, limits.gpu, config);
                Shape shape;
                shape.group = group;
                shape.tasks = group / kTeam * tasks_of(fit.parts);
                shape.strips = fit.parts * fit.words;
                shape.shortest = exact ? shortest : shortest_of(number);
                shape.longest = exact ? longest : static_cast<std::uint32_t>(32 * number);
                shape.tested = lengths_between(shape.shortest, shape.longest);
                const int above = 32 * shape.strips - static_cast<int>(shape.shortest);
                const auto set = [&](const char* name, int value) {
                  shape.defines.emplace_back(name, std::to_string(value));
                };
                set("WG", group);
                set("R", tasks_of(fit.parts));
                set("W", fit.words);
                set("HEAD", std::min(fit.words, (above + 31) / 32));
                set("VIA", fit.parts > 1 ? via : 0);
                set("PROFILE", profile);
                set("TEAM", engine::team_size(limits, group));
                set("PLANES", plan.planes);
                set("SETS", plan.sets);
                if (plan.shapes.empty()) {
                  plan.config.set("R", tasks_of(fit.parts));
                  plan.config.set("W", fit.words);
                }
                return shape;
              });
  plan.config.set("WG", group);
  plan.config.set("VIA", via);
  plan.config.set("PROFILE", profile);
  if (plan.profiles) check_profiles(plan, problem, limits);
  return plan;
}

}  // namespace

const Variant& coop_variant() {
  static const Variant row{"coop",
                           "lanes share the columns of a task, several tasks a warp",
                           {kCoopGroup, kTasks, kWords, kVia, kProfile},
                           plan_coop,
                           run_on_device};
  return row;
}

}  // namespace rhomb::search
