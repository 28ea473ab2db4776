// SPDX-License-Identifier: Apache-2.0
// rhomb lcs: longest common subsequences of queries with many targets.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host/engine/pair.h"
#include "host/error.h"
#include "host/lcs/run.h"
#include "host/seq/reader.h"
#include "tools/cli/input.h"
#include "tools/cli/json.h"
#include "tools/cli/many.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/cli/summary.h"
#include "tools/cli/text.h"
#include "tools/cli/trace.h"
#include "tools/cli/verbs.h"
#include "tools/lcs/explain.h"
#include "tools/lcs/options.h"
#include "tools/lcs/print.h"

namespace rhomb::cli {
namespace {

/// The queries, or those that --record names.
seq::Batch read_queries(const std::string& path, const InputOptions& input) {
  const trace::Scope scope(input.trace, trace::Work::kRead, path);
  const std::vector<std::string>& names = input.records;
  seq::Batch queries;
  std::size_t index = 0;
  for (seq::Sequence& record : seq::read_file(path, input.read)) {
    const bool wanted = names.empty() || std::ranges::find(names, record.name) != names.end();
    if (wanted && input.forbid_ambiguous) forbid_ambiguous(path, record, index);
    if (wanted) queries.push_back(std::move(record));
    ++index;
  }
  for (const std::string& name : names)
    if (std::ranges::find(queries, name, &seq::Sequence::name) == queries.end())
      throw InputError(path == "-" ? "standard input" : path, name, 0,
                       "there is no such record, and --record asks for it");
  return queries;
}

/// What is said at the end.
struct Summary : RunSummary {
  const LcsOptions& asked;
  const seq::Batch& queries;
  lcs::Totals totals;

  std::string line() const {
    const auto number = [](auto value) { return with_commas(static_cast<std::int64_t>(value)); };
    return text_of(
        "rhomb: ", number(queries.size()), queries.size() == 1 ? " query, " : " queries, ",
        number(totals.targets), " targets of ", human(totals.symbols),
        " symbols: ", human(totals.cells), " cells in ", human_seconds(total), ", ",
        human(rate(totals.cells)), " cells/s; ", totals.device, " (", totals.variant,
        "): ", fixed(totals.compute, 3), " s computing, ", fixed(totals.build + totals.transfer, 3),
        " s building and packing; reading ", fixed(read, 3), " s, rows ", fixed(host, 3), " s");
  }

  std::string json() const {
    Json object;
    object["event"] = "summary";
    object["queries"] = queries.size();
    object["targets"] = totals.targets;
    add_to(object, totals, asked.run.check);
    return json_line(object);
  }
};

}  // namespace

int run_lcs(int argc, const char* const* argv) {
  const double start = now();
  CommandLine line(lcs_help(), lcs_groups());
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto& files = line.files(2);
  InputOptions input = parse_input(line);
  LcsOptions asked = parse_lcs(line);
  input.read.threads = asked.run.threads;
  const OutputOptions output = parse_output(line, kRecordFormats);
  const ProgressKind kind = shown_progress(line, output, !asked.run.top);
  DeviceOptions where = parse_device(line);

  Tracing tracing(parse_trace(line));
  input.trace = where.open.trace = tracing.get();
  asked.run.trace = tracing.get();
  Session session(where, asked.on_opencl(), Session::Count::kSeveral);
  Output out(output.file);
  const seq::Batch queries = read_queries(files[0], input);
  asked.run.devices = session.choices();
  if (session.size() > 0) asked.run.store = &session.store();
  Progress progress(kind);
  asked.run.progress = [&progress](const rhomb::Progress& now) { progress.update(now); };
  seq::Reader targets(files[1], input.read);
  std::size_t count = 0;
  lcs::Run run(queries,
               {files[1],
                [&](seq::Sequence& into) {
                  if (!targets.next(into)) return false;
                  if (input.forbid_ambiguous) forbid_ambiguous(files[1], into, count);
                  ++count;
                  return true;
                },
                [&] { return targets.part(); }},
               asked.run);
  if (asked.explain) {
    const auto block = run.first();
    if (!run.on_host(*block)) session.check();
    out.write(explain_lcs(asked, queries, *block, run.on_host(*block), session, output.format));
    out.commit();
    return 0;
  }

  LcsPrinter printer(asked, output.format, queries, out);
  Summary summary{{}, asked, queries, {}};
  progress.start(text_of(files[0], " and ", files[1]));
  const bool whole =
      asked.run.top || output.file != "-";  // nothing is printed of what is not complete
  bool begun = false;
  while (const auto block = run.next()) {
    if (whole && run.failed()) run.check();
    if (!std::exchange(begun, true)) printer.begin();
    printer.add(*block);
    run.release(*block);
  }
  summary.totals = run.totals();
  run.check();
  printer.end();
  out.commit();
  progress.finish();
  tracing.commit(session.info());
  summary.rows = printer.rows();
  summary.read = run.read_seconds();
  summary.host = printer.seconds();
  summary.total = now() - start;
  if (asked.run.check)
    progress.note(text_of("rhomb: ", with_commas(static_cast<std::int64_t>(summary.totals.checked)),
                          " lengths computed again on the host are the same"));
  if (kind != ProgressKind::kNone)
    progress.note(kind == ProgressKind::kJson ? summary.json() : summary.line());
  if (tracing.get() != nullptr) progress.note(tracing.summary());
  return 0;
}

}  // namespace rhomb::cli
