// SPDX-License-Identifier: Apache-2.0
// rhomb search: where queries occur in texts, with differences.
#include <algorithm>
#include <string>
#include <vector>

#include "host/search/run.h"
#include "tools/cli/entries.h"
#include "tools/cli/input.h"
#include "tools/cli/many.h"
#include "tools/cli/shard.h"
#include "tools/cli/summary.h"
#include "tools/cli/verbs.h"
#include "tools/merge/in_parts.h"
#include "tools/search/explain.h"
#include "tools/search/options.h"
#include "tools/search/rows.h"

namespace rhomb::cli {
namespace {

/// Queries whose rows one thread makes at a time: few enough that all threads have work for as
/// long, however small the unit is.
std::size_t queries_a_part(std::size_t queries, std::size_t threads) {
  return std::clamp<std::size_t>(queries / (8 * threads), 16, 256);
}

class Printer {
 public:
  Printer(const SearchOptions& asked, const seq::Batch& targets, Output& out)
      : made_(asked),
        targets_(targets),
        out_(out),
        rows_(out, asked.run.threads, asked.run.trace) {}

  void begin() { out_.header(made_.header()); }

  void add(const search::Unit& unit) {
    const std::size_t queries = unit.end - unit.first;
    const std::size_t each = queries_a_part(queries, rows_.threads());
    rows_.print((queries + each - 1) / each, [&](std::size_t part, std::string& text) {
      const std::size_t first = unit.first + part * each;
      std::size_t count = 0;
      for (std::size_t i = first; i < std::min(first + each, unit.end); ++i)
        for (const search::Hit& hit : unit.hits(i)) {
          append(text, *unit.block, hit);
          ++count;
        }
      return count;
    });
  }

  const RowPrinter& rows() const { return rows_; }

 private:
  void append(std::string& text, const search::Block& block, const search::Hit& hit) const {
    const auto target =
        targets_.empty()
            ? SearchRows::Named{block.target_names[hit.target], block.targets[hit.target].size()}
            : SearchRows::Named{targets_[hit.target].name, targets_[hit.target].symbols.size()};
    made_.append(text, hit, {block.names[hit.query], block.queries[hit.query].size()}, target);
  }

  SearchRows made_;
  const seq::Batch& targets_;
  Output& out_;
  RowPrinter rows_;
};

struct Summary : RunSummary {
  const SearchOptions& asked;
  const search::Totals& totals;

  std::string line() const {
    return text_of("rhomb: ", count_of(totals.queries),
                   asked.pairs.empty() ? " queries: " : " pairs: ", count_rows(), "; ",
                   work(totals), printing());
  }

  Json json() const {
    Json object;
    object["event"] = "summary";
    object[asked.pairs.empty() ? "queries" : "pairs"] = json_count(totals.queries);
    add_to(object, totals, asked.run.check);
    return object;
  }
};

}  // namespace

int run_search(int argc, const char* const* argv) {
  CommandLine line(search_help(), search_groups());
  if (!parse_or_help(line, argc, argv)) return 0;
  SearchOptions asked = parse_search(line);
  const std::vector<std::string> files = entry_files(line);
  const bool pairs = !asked.pairs.empty();
  const OutputOptions output = parse_output(line, kOccurrenceFormats);
  if (is_in_parts(line)) return run_in_parts(line, "search", format_name(output.format), files);
  ManyRun around(line, output, true, asked,
                 shard_head(line, "search", format_name(output.format), files));
  const seq::Batch targets =
      pairs ? seq::Batch{} : read_records(files[1], around.input(), asked.run.both_strands);
  EntryFiles entries(files, pairs ? EntryKind::kPairs : EntryKind::kQueries, around.input(),
                     asked.run.both_strands);
  search::Run run(entries.source(), targets, asked.run);
  if (asked.explain) {
    const auto unit = run.largest();
    if (!unit) return around.explain(kEmptyPart);
    if (run.variant().uses_opencl()) around.session().check();
    return around.explain(explain_search(asked, run, *unit, around.device(), asked.run.store));
  }
  around.start(pairs ? files[0] : text_of(files[0], " in ", files[1]));
  Printer printer(asked, targets, around.out());
  around.print(run, printer);
  Summary summary{{}, asked, run.totals()};
  around.finish(summary, printer, asked.run.check ? "distances" : "");
  return 0;
}

}  // namespace rhomb::cli
