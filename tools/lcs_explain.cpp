// SPDX-License-Identifier: Apache-2.0
#include "tools/lcs_explain.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/json.h"
#include "tools/setting.h"
#include "tools/text.h"

namespace rhomb::cli {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

/// What does not depend on the query.
Lines common_lines(const LcsOptions& asked, const Block& block,
                   const std::deque<Session>& sessions) {
  Lines lines;
  std::string devices;
  for (const Session& session : sessions)
    devices += text_of(devices.empty() ? "" : "; ", session.info()->name, ", driver ",
                       session.info()->driver);
  std::size_t longest = 0;
  for (const seq::Sequence& subject : block.subjects)
    longest = std::max(longest, subject.symbols.size());
  lines.emplace_back("device", devices.empty() ? "host" : devices);
  if (sessions.size() > 1)
    lines.emplace_back("sharing", "each device takes the next block of subjects when it is free");
  lines.emplace_back("variant", text_of(asked.row->name, ": ", asked.row->idea));
  lines.emplace_back(
      "bits a symbol",
      text_of(std::to_string(block.code.planes),
              block.code.matching == seq::Matching::kSets ? " (sets of bases)" : ""));
  lines.emplace_back(
      "first block",
      text_of(with_commas(static_cast<std::int64_t>(block.subjects.size())), " subjects of ",
              with_commas(static_cast<std::int64_t>(block.symbols)), " symbols, the longest of ",
              with_commas(static_cast<std::int64_t>(longest)),
              block.more ? "; more follow" : "; there are no more"));
  return lines;
}

void add_plan(Lines& lines, const lcs::Plan& plan, const std::string& match) {
  if (plan.file.empty()) return;
  lines.emplace_back("tuned setting", match);
  lines.emplace_back("configuration", plan.config.text());
  lines.emplace_back(
      "rows of the query",
      text_of(std::to_string(plan.m), " in ", std::to_string(plan.blocks),
              plan.blocks == 1 ? " block of " : " blocks of ", std::to_string(plan.block_rows())));
  lines.emplace_back("lanes", text_of(std::to_string(plan.subjects_of_lane()), " subjects a lane, ",
                                      std::to_string(plan.lanes), " lanes a work-item, ",
                                      std::to_string(plan.group), " work-items a group"));
  lines.emplace_back("chunks", text_of(std::to_string(plan.chunks.size()), ", ",
                                       std::to_string(plan.queues), " at a time"));
  lines.emplace_back("device memory", human_bytes(plan.bytes));
  std::string program = plan.file;
  for (const auto& [name, value] : plan.defines()) program += text_of(" -D", name, "=", value);
  lines.emplace_back("program", program);
}

}  // namespace

std::string explain_lcs(const LcsOptions& asked, const seq::Batch& queries, const Block& block,
                        std::deque<Session>& sessions, Format format) {
  const Lines common = common_lines(asked, block, sessions);
  const ocl::DeviceInfo* const device = sessions.empty() ? nullptr : sessions.front().info();
  const tune::Store* const store = sessions.empty() ? nullptr : &sessions.front().store();
  const ocl::Limits limits = device != nullptr ? device->limits : ocl::Limits{};
  std::vector<std::string_view> texts;
  for (const seq::Sequence& subject : block.subjects) texts.emplace_back(subject.symbols);
  std::string text;
  for (const seq::Sequence& query : queries) {
    lcs::Problem problem;
    problem.query = query.symbols;
    problem.subjects = texts;
    problem.code = &block.code;
    Lines lines = common;
    const auto [config, match] = setting_of(store, device, *asked.row, problem, asked.config);
    add_plan(lines, lcs::plan(*asked.row, problem, limits, config), match);
    if (format == Format::kJson) {
      Json object;
      object["query"] = query.name;
      object["query_length"] = query.symbols.size();
      for (const auto& [name, value] : lines) object[name] = value;
      text += json_line(object);
      continue;
    }
    if (!text.empty()) text += '\n';
    text += text_of("# ", field(query.name), " (", std::to_string(query.symbols.size()), ")\n");
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, value] : lines) rows.push_back({name, value});
    text += aligned(rows);
  }
  return text;
}

}  // namespace rhomb::cli
