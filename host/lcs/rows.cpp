// SPDX-License-Identifier: Apache-2.0
// The rows of the paper's row vectors: crochemore and allison-dix.
#include <algorithm>
#include <array>

#include "host/lcs/internal.h"

namespace rhomb::lcs {
namespace {

const tune::Param kWords{"W", {32, 16, 8, 4, 64}, "words of the row vector in a block"};
constexpr std::array kUsualWords = {4, 8, 16, 32, 64};
const tune::Param kStore{"STORE", {1, 0}, "alphabet strings in 1: local, 0: constant memory"};

/// What every device of OpenCL's full profile has, and NVIDIA's have no more.
constexpr std::uint64_t kConstantBytes = 64u << 10;

/// Bytes of the alphabet strings of `words` words of a query.
std::uint64_t strings_bytes(const Plan& plan, std::int64_t words) {
  return 4 * static_cast<std::uint64_t>(words) << plan.planes;
}

/// Operations of a column and a block: for each word three or four, and about a dozen for the
/// column. Work-items with more than 32 different symbols read the same bank of local memory now
/// and then.
BlockSize block_size(const Plan& plan, int words) {
  const double conflicts = plan.planes > 5 ? 1.6 : 1;
  return {words, 32 * words, (plan.allison ? 4 : 3) * words * conflicts + 12};
}

/// Those of `all` for which there are registers, and local memory for their strings.
std::vector<int> usual_words(const Plan& plan, const ocl::Limits& limits,
                             std::span<const int> all) {
  const int most = !limits.gpu ? 16 : plan.allison ? 32 : 64;
  std::vector<int> usual;
  for (const int words : all)
    if (words <= most && (!plan.local || strings_bytes(plan, words) <= limits.local_bytes))
      usual.push_back(words);
  if (usual.empty()) usual.push_back(*std::ranges::min_element(all));
  return usual;
}

Plan plan_crochemore(const Problem& problem, const ocl::Limits& limits,
                     const tune::Config& config) {
  return plan_vectors(problem, limits, config, kUsualWords, kMostSizes, false);
}

Plan plan_allison(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_vectors(problem, limits, config, kUsualWords, kMostSizes, true);
}

}  // namespace

Plan plan_vectors(const Problem& problem, const ocl::Limits& limits, const tune::Config& config,
                  std::span<const int> words, std::size_t most, bool allison) {
  Plan plan;
  plan.file = "lcs/rows.cl";
  plan.kernel = "lcs_rows_groups";
  plan.strips = 0;
  plan.allison = allison;
  plan_group(plan, problem, limits, config);
  const int store = config.get("STORE", kStore.values.front());
  if (store != 0 && store != 1)
    throw tune::Unfit("STORE=" + std::to_string(store) + " is not 0 or 1");
  plan.local = store == 1;
  std::vector<int> candidates = usual_words(plan, limits, words);
  if (config.has("W")) candidates = {config.get("W", 0)};
  std::vector<BlockSize> sizes;
  for (const int each : candidates) {
    const std::string name = "W=" + std::to_string(each);
    if (each < 4 || each > 128 || each % 4 != 0)
      throw tune::Unfit(name + " is not a multiple of 4 between 4 and 128");
    if (plan.local && strings_bytes(plan, each) > limits.local_bytes)
      throw tune::Unfit(name + " words for " + std::to_string(1 << plan.planes) + " codes are " +
                        std::to_string(strings_bytes(plan, each)) +
                        " bytes of alphabet strings, the device has " +
                        std::to_string(limits.local_bytes) + " of local memory");
    sizes.push_back(block_size(plan, each));
  }
  plan.queries = cut_queries(problem.all_queries(), sizes, most);
  plan.config.set("W", plan.usual_size());
  plan.config.set("STORE", store);
  plan_chunks(plan, problem, limits, config);
  for (const QueryPlan& query : plan.queries)
    if (const auto bytes = 4 * plan.words_of(query); !plan.local && bytes > kConstantBytes)
      throw tune::Unfit("STORE=0 and a query of " + std::to_string(query.m) + " symbols need " +
                        std::to_string(bytes) + " bytes of constant memory, devices have " +
                        std::to_string(kConstantBytes));
  return plan;
}

const Variant& crochemore_variant() {
  static const Variant row{"crochemore",
                           "row vectors of Crochemore et al. 2001, one work-item a target",
                           {kGroup, kWords, kStore, kChunk, kQueues},
                           plan_crochemore,
                           run_on_device};
  return row;
}

const Variant& allison_variant() {
  static const Variant row{"allison-dix",
                           "row vectors of Allison and Dix 1986, one work-item a target",
                           {kGroup, kWords, kStore, kChunk, kQueues},
                           plan_allison,
                           run_on_device};
  return row;
}

}  // namespace rhomb::lcs
