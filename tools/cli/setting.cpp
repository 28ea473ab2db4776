// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/setting.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// Bits a symbol of the texts that settings are measured on. Others need other shapes.
constexpr int kPlanes = 2;

/// Tunables of search's rows that the plan takes by the queries' length.
constexpr std::string_view kByLength[] = {"K", "SLOT", "R", "W"};

/// A lookup that may find nothing, and then says why.
struct Looked {
  std::optional<tune::Setting> setting;
  std::string match = "none; what the plan takes by itself";
};

template <class Row>
Looked look(const tune::Store* store, const ocl::DeviceInfo* device, const char* engine,
            const Row& row, std::int64_t length, int planes, const tune::Config& asked) {
  Looked looked;
  if (!asked.values().empty()) looked.match = "none; the configuration is forced";
  if (!asked.values().empty() || store == nullptr || device == nullptr || length == 0 ||
      row.space.empty() || row.uses_cuda())
    return looked;
  auto found = store->nearest(engine, row.name, *device, length, std::nullopt);
  if (!found) return looked;
  if (planes > kPlanes) {
    looked.match = text_of("none; they are measured with ", std::to_string(kPlanes),
                           " bits a symbol, these texts have ", std::to_string(planes));
    return looked;
  }
  looked.match = found->match;
  looked.setting = std::move(found);
  return looked;
}

std::int64_t middle_length(std::span<const std::string_view> queries) {
  if (queries.empty()) return 0;
  std::vector<std::size_t> lengths;
  lengths.reserve(queries.size());
  for (const std::string_view query : queries) lengths.push_back(query.size());
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return static_cast<std::int64_t>(*middle);
}

}  // namespace

SearchSetting plan_search(const tune::Store* store, const ocl::DeviceInfo* device,
                          const search::Variant& row, const search::Problem& problem,
                          const tune::Config& asked) {
  const ocl::Limits limits = row.uses_cuda()     ? row.cuda_device().limits
                             : device != nullptr ? device->limits
                                                 : ocl::Limits{};
  const int planes = problem.code->planes;
  Looked looked = look(store, device, "search", row, middle_length(problem.queries), planes, asked);
  if (looked.setting && !looked.setting->trial.config.values().empty()) {
    const tune::Trial& trial = looked.setting->trial;
    auto values = trial.config.values();
    std::string dropped;
    if (!std::ranges::all_of(problem.queries, [&](std::string_view query) {
          return static_cast<std::int64_t>(query.size()) == trial.task.length;
        }))
      for (const std::string_view name : kByLength)
        if (values.erase(std::string(name)) != 0)
          dropped += text_of(dropped.empty() ? "" : ", ", name);
    if (!dropped.empty()) dropped = text_of("; without ", dropped, ", which follow the lengths");
    try {
      return {search::plan(row, problem, limits, tune::Config(std::move(values))),
              looked.match + dropped};
    } catch (const tune::Unfit& error) {
      looked.match = text_of("none; the one for such queries does not fit: ", error.what());
    } catch (const UsageError&) {
      looked.match = "none; the one for such queries is of another version";
    }
  }
  return {search::plan(row, problem, limits, asked), looked.match};
}

LcsSetting setting_of(const tune::Store* store, const ocl::DeviceInfo* device,
                      const lcs::Variant& row, const lcs::Problem& problem,
                      const tune::Config& asked) {
  const std::int64_t length = middle_length(problem.all_queries());
  Looked looked = look(store, device, "lcs", row, length, problem.code->planes, asked);
  if (!looked.setting || looked.setting->trial.config.values().empty())
    return {asked, looked.match};
  const tune::Config& config = looked.setting->trial.config;
  const auto rows = [&](const tune::Config& with) {
    return lcs::plan(row, problem, device->limits, with).rows();
  };
  try {
    const double most = 1.1 * rows({});
    if (rows(config) <= most) return {config, looked.match};
    // Of several queries each gets the rows of a block that its length asks for.
    auto values = config.values();
    const bool erased = values.erase("K") + values.erase("W") > 0;
    tune::Config rest(std::move(values));
    if (problem.all_queries().size() > 1 && erased && rows(rest) <= most)
      return {std::move(rest), looked.match + "; without K and W, which follow the lengths"};
    looked.match = "none; the one for such queries has more rows than this one needs";
  } catch (const Error& error) {
    looked.match = text_of("none; the one for such queries does not fit: ", error.what());
  }
  return {asked, looked.match};
}

}  // namespace rhomb::cli
