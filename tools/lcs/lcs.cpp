// SPDX-License-Identifier: Apache-2.0
// rhomb lcs: longest common subsequences of queries with many targets.
#include <optional>
#include <string>

#include "host/lcs/run.h"
#include "host/seq/reader.h"
#include "tools/cli/input.h"
#include "tools/cli/many.h"
#include "tools/cli/shard.h"
#include "tools/cli/summary.h"
#include "tools/cli/verbs.h"
#include "tools/lcs/explain.h"
#include "tools/lcs/options.h"
#include "tools/lcs/print.h"
#include "tools/merge/in_parts.h"

namespace rhomb::cli {
namespace {

struct Summary : RunSummary {
  const LcsOptions& asked;
  const seq::Batch& queries;
  const lcs::Totals& totals;

  std::string line() const {
    return text_of("rhomb: ", count_of(queries.size()),
                   queries.size() == 1 ? " query, " : " queries, ", count_of(totals.targets),
                   " targets of ", human(totals.symbols), " symbols: ", work(totals), "reading ",
                   fixed(read, 3), " s, ", printing());
  }

  Json json() const {
    Json object;
    object["event"] = "summary";
    object["queries"] = queries.size();
    object["targets"] = totals.targets;
    add_to(object, totals, asked.run.check);
    return object;
  }
};

}  // namespace

int run_lcs(int argc, const char* const* argv) {
  CommandLine line(lcs_help(), lcs_groups());
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto& files = line.files(2);
  LcsOptions asked = parse_lcs(line);
  const OutputOptions output = parse_output(line, kRecordFormats);
  if (is_in_parts(line)) return run_in_parts(line, "lcs", format_name(output.format), files);
  ManyRun around(line, output, !asked.run.top, asked,
                 shard_head(line, "lcs", format_name(output.format), files));
  seq::Batch queries = read_records(files[0], around.input());
  const Shard shard = around.input().shard;
  std::optional<ShardCut> cut;  // of the targets
  if (asked.run.top)
    keep(queries, range_of(shard, queries));
  else if (!shard.whole())
    cut.emplace(shard, weight_of(files[1], around.input().read));
  seq::Reader targets(files[1], around.input().read);
  std::size_t count = 0;
  lcs::Run run(queries,
               {files[1],
                [&](seq::Sequence& into) {
                  do {
                    if ((cut && cut->past()) || queries.empty() || !targets.next(into))
                      return false;
                    check_record(files[1], into, count++, around.input(), false);
                  } while (cut && !cut->takes(into.symbols.size()));
                  return true;
                },
                [&] { return targets.part(); }},
               asked.run);
  if (asked.explain) {
    const auto block = run.largest();
    if (!block) return around.explain(kEmptyPart);
    if (!run.on_host(*block)) around.session().check();
    return around.explain(
        explain_lcs(asked, queries, run, *block, around.session(), output.format));
  }
  around.start(text_of(files[0], " and ", files[1]));
  LcsPrinter printer(asked, output.format, queries, around.out());
  around.print(run, printer, asked.run.top.has_value());
  printer.end();
  Summary summary{{}, asked, queries, run.totals()};
  summary.read = run.read_seconds();
  around.finish(summary, printer, asked.run.check ? "lengths" : "");
  return 0;
}

}  // namespace rhomb::cli
