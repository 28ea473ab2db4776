// SPDX-License-Identifier: Apache-2.0
#include "tools/lcs/explain.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "host/lcs/setting.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

/// Which variant is run.
struct Choice {
  const lcs::Variant* variant;
  std::string why;
};

Choice choose(const LcsOptions& asked, const lcs::Problem& problem, const ocl::Limits& limits,
              bool on_host) {
  if (on_host)
    return {&lcs::variants().back(), "so few cells that the host is done before a device begins"};
  if (asked.run.variant != nullptr) return {asked.run.variant, "asked for"};
  const auto candidates = lcs::candidates(problem, limits, asked.run.config);
  std::string why;
  for (const lcs::Candidate& each : candidates)
    why += text_of(why.empty() ? "fewest operations a cell: " : ", ", each.row->name, " ",
                   each.unfit.empty() ? fixed(each.operations, 4)
                                      : text_of("does not fit (", each.unfit, ")"));
  return {&lcs::choose(candidates), why};
}

/// What does not depend on the query.
Lines common_lines(const Choice& choice, const lcs::Block& block, const Session& session,
                   bool on_host) {
  Lines lines;
  std::size_t longest = 0;
  for (const seq::Sequence& target : block.targets)
    longest = std::max(longest, target.symbols.size());
  lines.emplace_back("device", on_host ? "host" : session.described());
  if (session.size() > 1)
    lines.emplace_back("sharing", "each device takes the next block of targets when it is free");
  lines.emplace_back("variant", choice.variant->name);
  lines.emplace_back("summary", choice.variant->summary);
  lines.emplace_back("why", choice.why);
  lines.emplace_back("bits_per_symbol", std::to_string(block.code.planes));
  lines.emplace_back("symbols_match_by",
                     block.code.matching == seq::Matching::kSets ? "sets of bases" : "equality");
  lines.emplace_back("largest_block", text_of(count_of(block.targets.size()), " targets of ",
                                              count_of(block.symbols), " symbols, the longest of ",
                                              count_of(longest), block.others()));
  return lines;
}

/// What a query has in a plan of all.
void add_query(Lines& lines, const lcs::Plan& plan, const lcs::QueryPlan& query,
               const std::string& match) {
  tune::Config config = plan.config;
  config.set(plan.strips > 0 ? "K" : "W", query.size);
  const std::string programs = std::to_string(plan.sizes().size());
  lines.emplace_back("tuned_setting", match);
  lines.emplace_back("config", config.text());
  lines.emplace_back("query_rows",
                     text_of(std::to_string(query.m), " in ", std::to_string(query.blocks),
                             query.blocks == 1 ? " block of " : " blocks of ",
                             std::to_string(plan.block_rows(query.size))));
  lines.emplace_back("lanes", text_of(std::to_string(plan.targets_of_lane()), " targets a lane, ",
                                      std::to_string(plan.lanes), " lanes a work-item, ",
                                      std::to_string(plan.group), " work-items a group"));
  lines.emplace_back("chunks", text_of(std::to_string(plan.chunks.size()), ", ",
                                       std::to_string(plan.queues), " at a time"));
  lines.emplace_back("device_bytes", std::to_string(plan.bytes));
  std::string program = plan.file;
  for (const auto& [name, value] : plan.defines(query.size))
    program += text_of(" -D", name, "=", value);
  lines.emplace_back("program", program);
  if (plan.queries.size() > 1)
    lines.emplace_back("together", text_of(count_of(plan.queries.size()),
                                           " queries share the targets on the device, and ",
                                           programs, programs == "1" ? " program" : " programs"));
}

}  // namespace

std::string explain_lcs(const LcsOptions& asked, const seq::Batch& queries, const lcs::Run& run,
                        const lcs::Block& block, Session& session, Format format) {
  const bool on_host = run.on_host(block);
  const ocl::DeviceInfo* const device = on_host ? nullptr : session.info();
  const ocl::Limits limits = device != nullptr ? device->limits : ocl::Limits{};
  std::vector<std::string_view> texts;
  for (const seq::Sequence& target : block.targets) texts.emplace_back(target.symbols);
  lcs::Problem problem;
  problem.targets = texts;
  problem.code = &block.code;
  std::vector<Lines> all;  // of each query
  std::optional<Choice> choice;
  for (const auto& set : lcs::query_sets(queries)) {
    problem.queries = set;
    if (!choice) choice = choose(asked, problem, limits, on_host);
    const auto [config, match] =
        lcs::tuned_config(device != nullptr ? &session.store() : nullptr, device, *choice->variant,
                          problem, asked.run.config);
    const lcs::Plan plan = lcs::plan(*choice->variant, problem, limits, config);
    for (const lcs::QueryPlan& query : plan.queries) {
      all.push_back(common_lines(*choice, block, session, on_host));
      if (!choice->variant->on_host) add_query(all.back(), plan, query, match);
      all.back().emplace_back("host_bytes", std::to_string(run.host_bytes(block)));
    }
  }
  std::string text;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const seq::Sequence& query = queries[i];
    Lines lines = {{"query", query.name}, {"query_length", std::to_string(query.symbols.size())}};
    lines.insert(lines.end(), all[i].begin(), all[i].end());
    if (format == Format::kTsv && !text.empty()) text += '\n';
    text += explained(lines, format == Format::kJson);
  }
  return text;
}

}  // namespace rhomb::cli
