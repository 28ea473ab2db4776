// SPDX-License-Identifier: Apache-2.0
// The rows of the paper's row vectors: crochemore and allison-dix.
#include <algorithm>

#include "host/lcs/internal.h"
#include "host/lcs/pack.h"
#include "host/lcs/pipeline.h"

namespace rhomb::lcs {
namespace {

const tune::Param kWords{"W", {32, 16, 8, 4, 64}, "words of the row vector in a block"};
const tune::Param kStore{"STORE", {1, 0}, "alphabet strings in 1: local, 0: constant memory"};

/// What every device of OpenCL's full profile has, and NVIDIA's have no more.
constexpr std::uint64_t kConstantBytes = 64u << 10;

/// Bytes of the alphabet strings of `words` words of the query.
std::uint64_t strings_bytes(const Plan& plan, std::int64_t words) {
  return 4 * static_cast<std::uint64_t>(words) << plan.planes;
}

/// Plan::operations with so many words a block: for each of them three or four, and for a column
/// about a dozen. Work-items with more than 32 different symbols read the same bank of local memory
/// now and then.
double column_operations(const Plan& plan, int words) {
  const std::int64_t blocks = (plan.m + 32 * words - 1) / (32 * words);
  const double conflicts = plan.planes > 5 ? 1.6 : 1;
  return static_cast<double>(blocks) * ((plan.allison ? 4 : 3) * words * conflicts + 12);
}

/// The words with which a column takes the fewest operations, if registers hold them, and local
/// memory their strings.
int usual_words(const Plan& plan, const ocl::Limits& limits) {
  int best = 4;
  for (const int words : {8, 16, 32, 64}) {
    if (plan.local && strings_bytes(plan, words) > limits.local_bytes) break;
    if (words > (!limits.gpu ? 16 : plan.allison ? 32 : 64)) break;
    if (column_operations(plan, words) < column_operations(plan, best)) best = words;
  }
  return best;
}

Plan plan_rows(const Problem& problem, const ocl::Limits& limits, const tune::Config& config,
               bool allison) {
  Plan plan;
  plan.variant = allison ? "allison-dix" : "crochemore";
  plan.file = "lcs/rows.cl";
  plan.allison = allison;
  plan_group(plan, problem, limits, config);
  const int store = config.get("STORE", kStore.values.front());
  if (store != 0 && store != 1)
    throw tune::Unfit("STORE=" + std::to_string(store) + " is not 0 or 1");
  plan.local = store == 1;
  plan.words = config.get("W", usual_words(plan, limits));
  const std::string name = "W=" + std::to_string(plan.words);
  if (plan.words < 4 || plan.words > 128 || plan.words % 4 != 0)
    throw tune::Unfit(name + " is not a multiple of 4 between 4 and 128");
  plan.config.set("W", plan.words);
  plan.config.set("STORE", store);
  if (plan.local && strings_bytes(plan, plan.words) > limits.local_bytes)
    throw tune::Unfit(name + " words for " + std::to_string(1 << plan.planes) + " codes are " +
                      std::to_string(strings_bytes(plan, plan.words)) +
                      " bytes of alphabet strings, the device has " +
                      std::to_string(limits.local_bytes) + " of local memory");
  plan.operations = column_operations(plan, plan.words);
  plan_chunks(plan, problem, limits, config);
  if (const auto bytes = strings_bytes(plan, plan.blocks * plan.words);
      !plan.local && bytes > kConstantBytes)
    throw tune::Unfit("STORE=0 and a query of " + std::to_string(plan.m) + " symbols need " +
                      std::to_string(bytes) + " bytes of constant memory, devices have " +
                      std::to_string(kConstantBytes));
  return plan;
}

Plan plan_crochemore(const Problem& problem, const ocl::Limits& limits,
                     const tune::Config& config) {
  return plan_rows(problem, limits, config, false);
}

Plan plan_allison(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_rows(problem, limits, config, true);
}

Answer run_rows(ocl::Device* device, const Plan& plan, const Problem& problem) {
  const double begin = now();
  ensure_tested(*device, plan.allison ? allison_row() : crochemore_row(), plan);
  const auto kernel = device->kernel(plan.file, "lcs_rows_groups", plan.defines());
  const double built = now();
  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const auto strings =
      device->upload(std::span<const std::uint32_t>(alphabet_strings(plan, problem)));
  Pipeline<ocl::Device> pipeline(
      *device, plan, problem,
      [&](const Slot<ocl::Device>& slot, std::int64_t first, std::int64_t end) {
        const auto group = static_cast<std::size_t>(plan.group);
        kernel({slot.chunk->tiles.size() * group, 1, group, 1}, slot.tiles, strings, slot.text,
               slot.stream, slot.lengths, slot.found, plan.m, static_cast<std::uint32_t>(first),
               static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(plan.blocks));
      });
  const double ready = now();
  Answer answer = pipeline.run();
  answer.build = built - begin;
  answer.transfer += ready - built;
  return answer;
}

}  // namespace

const Row& crochemore_row() {
  static const Row row{"crochemore",
                       "row vectors of Crochemore et al. 2001, one work-item a subject",
                       {kGroup, kWords, kStore, kChunk, kQueues},
                       plan_crochemore,
                       run_rows};
  return row;
}

const Row& allison_row() {
  static const Row row{"allison-dix",
                       "row vectors of Allison and Dix 1986, one work-item a subject",
                       {kGroup, kWords, kStore, kChunk, kQueues},
                       plan_allison,
                       run_rows};
  return row;
}

}  // namespace rhomb::lcs
