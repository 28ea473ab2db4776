// SPDX-License-Identifier: Apache-2.0
// rhomb gaps: alignments with at most k gaps.
#include <algorithm>
#include <string>
#include <vector>

#include "host/gaps/run.h"
#include "host/seq/reader.h"
#include "tools/cli/entries.h"
#include "tools/cli/input.h"
#include "tools/cli/many.h"
#include "tools/cli/shard.h"
#include "tools/cli/summary.h"
#include "tools/cli/verbs.h"
#include "tools/gaps/explain.h"
#include "tools/gaps/options.h"
#include "tools/gaps/rows.h"
#include "tools/merge/in_parts.h"

namespace rhomb::cli {
namespace {

class Printer {
 public:
  Printer(const GapsOptions& asked, const seq::Batch& targets, Output& out)
      : made_(asked, targets),
        targets_(targets),
        out_(out),
        rows_(out, asked.run.threads, asked.run.trace) {}

  void begin() { out_.header(made_.header()); }

  void add(const gaps::Unit& unit) {
    constexpr std::size_t kRows = 512;  // a thread makes at a time
    const std::size_t all = unit.found.size();
    rows_.print((all + kRows - 1) / kRows, [&](std::size_t part, std::string& text) {
      std::size_t count = 0;
      for (std::size_t i = part * kRows; i < std::min(all, (part + 1) * kRows); ++i)
        count += append(text, *unit.block, unit.found[i]) ? 1u : 0u;
      return count;
    });
  }

  const RowPrinter& rows() const { return rows_; }

 private:
  bool append(std::string& text, const gaps::Block& block, const gaps::Found& found) const {
    const auto target =
        targets_.empty()
            ? GapsRows::Text{block.target_names[found.target], block.targets[found.target]}
            : GapsRows::Text{targets_[found.target].name, targets_[found.target].symbols};
    return made_.append(text, found, {block.names[found.query], block.queries[found.query]},
                        target);
  }

  GapsRows made_;
  const seq::Batch& targets_;
  Output& out_;
  RowPrinter rows_;
};

struct Summary : RunSummary {
  const GapsOptions& asked;
  const gaps::Totals& totals;

  std::string line() const {
    return text_of("rhomb: ", count_of(totals.pairs),
                   totals.pairs == 1 ? " pair: " : " pairs: ", count_rows(), "; ", work(totals),
                   printing());
  }

  Json json() const {
    Json object;
    object["event"] = "summary";
    object["queries"] = json_count(totals.queries);
    object["pairs"] = json_count(totals.pairs);
    add_to(object, totals, asked.run.check);
    return object;
  }
};

}  // namespace

int run_gaps(int argc, const char* const* argv) {
  CommandLine line(gaps_help(), gaps_groups());
  if (!parse_or_help(line, argc, argv)) return 0;
  GapsOptions asked = parse_gaps(line);
  const std::vector<std::string> files = entry_files(line);
  const OutputOptions output = parse_output(line, kAlignmentFormats);
  if (is_in_parts(line))
    return run_in_parts(line, "gaps", format_name(output.format), files,
                        asked.pairs.empty() && !asked.all_pairs);
  ManyRun around(line, output, true, asked,
                 shard_head(line, "gaps", format_name(output.format), files));
  asked.run.scoring = &asked.scoring;
  const seq::Batch targets =
      asked.all_pairs ? read_records(files[1], around.input()) : seq::Batch{};
  EntryFiles entries(files,
                     !asked.pairs.empty() ? EntryKind::kPairs
                     : asked.all_pairs    ? EntryKind::kQueries
                                          : EntryKind::kByOrder,
                     around.input());
  gaps::Run run(entries.source(), targets, asked.run);
  if (asked.explain) {
    const auto unit = run.largest();
    if (!unit) return around.explain(kEmptyPart);
    if (run.variant().uses_opencl()) around.session().check();
    return around.explain(explain_gaps(asked, run, *unit, around.device(), asked.run.store));
  }
  around.start(files[1].empty() ? files[0] : text_of(files[0], " and ", files[1]));
  Printer printer(asked, targets, around.out());
  around.print(run, printer);
  Summary summary{{}, asked, run.totals()};
  around.finish(summary, printer, asked.run.check ? "scores" : "");
  return 0;
}

}  // namespace rhomb::cli
