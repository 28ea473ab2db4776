// SPDX-License-Identifier: Apache-2.0
// rhomb lcs: longest common subsequences of queries with many subjects.
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "host/engine/pair.h"
#include "host/error.h"
#include "host/seq/reader.h"
#include "tools/cli/input.h"
#include "tools/cli/json.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/cli/trace.h"
#include "tools/cli/verbs.h"
#include "tools/lcs/check.h"
#include "tools/lcs/explain.h"
#include "tools/lcs/options.h"
#include "tools/lcs/print.h"
#include "tools/lcs/run.h"
#include "tools/lcs/subjects.h"

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

std::size_t count_of(const std::deque<Session>& sessions) {
  return std::max<std::size_t>(1, sessions.size());
}

/// What is said at the end.
struct Summary {
  const LcsOptions& asked;
  const seq::Batch& queries;
  LcsTotals totals;
  std::uint64_t rows = 0;
  std::uint64_t checked = 0;
  double read = 0, host = 0, total = 0;

  double rate() const { return totals.cells / std::max(total, 1e-9); }

  std::string line() const {
    const auto number = [](auto value) { return with_commas(static_cast<std::int64_t>(value)); };
    return text_of(
        "rhomb: ", number(queries.size()), queries.size() == 1 ? " query, " : " queries, ",
        number(totals.subjects), " targets of ", human(totals.symbols),
        " symbols: ", human(totals.cells), " cells in ", human_seconds(total), ", ", human(rate()),
        " cells/s; ", totals.device, " (", totals.variant, "): ", fixed(totals.compute, 3),
        " s computing, ", fixed(totals.build + totals.transfer, 3),
        " s building and packing; reading ", fixed(read, 3), " s, rows ", fixed(host, 3), " s");
  }

  std::string json() const {
    Json object;
    object["event"] = "summary";
    object["queries"] = queries.size();
    object["targets"] = totals.subjects;
    object["symbols"] = json_count(totals.symbols);
    object["rows"] = rows;
    if (asked.check) object["checked"] = checked;
    object["cells"] = json_count(totals.cells);
    object["seconds"] = rounded(significant(total));
    object["gcups"] = rounded(significant(rate() / 1e9));
    object["variant"] = totals.variant;
    object["device"] = totals.device;
    object["config"] = json_of(totals.config);
    object["blocks"] = totals.blocks;
    Timing timing;
    timing.read = read;
    timing.build = totals.build;
    timing.transfer = totals.transfer;
    timing.compute = totals.compute;
    timing.total = total;
    object["timing"] = json_of(timing);
    object["timing"]["rows"] = rounded(significant(host));
    return json_line(object);
  }
};

/// What is shown while a run lasts: nothing where rows on a terminal show it themselves.
ProgressKind shown_progress(const CommandLine& line, const OutputOptions& output, bool top) {
  const ProgressKind kind = parse_progress(line);
  const bool rows = output.file == "-" && !top && isatty(STDOUT_FILENO) != 0;
  return kind == ProgressKind::kAuto && (rows || isatty(STDERR_FILENO) == 0) ? ProgressKind::kNone
                                                                             : kind;
}

}  // namespace

int run_lcs(int argc, const char* const* argv) {
  const double start = now();
  CommandLine line(lcs_help(), lcs_groups());
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto& files = line.files(2);
  InputOptions input = parse_input(line);
  const LcsOptions asked = parse_lcs(line);
  const OutputOptions output = parse_output(line, false);
  const ProgressKind kind = shown_progress(line, output, asked.top.has_value());
  DeviceOptions where = parse_device(line);
  if (files[0] == "-" && files[1] == "-")
    throw UsageError("only one of the two files can be standard input (-)");
  if (asked.explain && line.has("trace"))
    throw UsageError("--explain runs nothing that --trace could show" + line.pointer());

  Tracing tracing(parse_trace(line));
  input.trace = where.open.trace = tracing.get();
  std::deque<Session> sessions;
  if (!asked.on_host())
    for (const ocl::DeviceInfo& device : choose_devices(where))
      sessions.emplace_back(where, device);
  Output out(output.file);
  const seq::Batch queries = read_queries(files[0], input);
  Subjects subjects(files[1], {input, asked.ambiguous, asked.memory, count_of(sessions)}, queries);
  if (asked.explain) {
    const auto block = subjects.next();
    if (!block) subjects.check();
    out.write(explain_lcs(asked, queries, *block, sessions, output.format));
    out.commit();
    return 0;
  }

  Progress progress(kind);
  LcsPrinter printer(asked, output.format, queries, out);
  Summary summary{asked, queries, {}};
  progress.start(text_of(files[0], " and ", files[1]));
  const bool whole = asked.top || output.file != "-";  // nothing is printed of what is not complete
  bool begun = false;
  {
    LcsRun run(queries, subjects, sessions,
               {asked.row, asked.config, tracing.get(),
                [&progress](const rhomb::Progress& now) { progress.update(now); },
                sessions.empty() ? nullptr : &sessions.front().store()});
    while (const auto block = run.next()) {
      if (whole && subjects.failed()) subjects.check();
      if (asked.check) summary.checked += check_block(queries, *block);
      if (!std::exchange(begun, true)) printer.begin();
      printer.add(*block);
      subjects.release(*block);
    }
    summary.totals = run.totals();
  }
  subjects.check();
  printer.end();
  out.commit();
  progress.finish();
  tracing.commit(sessions.empty() ? nullptr : sessions.front().info());
  summary.rows = printer.rows();
  summary.read = subjects.seconds();
  summary.host = printer.seconds();
  summary.total = now() - start;
  if (asked.check)
    progress.note(text_of("rhomb: ", with_commas(static_cast<std::int64_t>(summary.checked)),
                          " lengths computed again on the host are the same"));
  if (kind != ProgressKind::kNone)
    progress.note(kind == ProgressKind::kJson ? summary.json() : summary.line());
  if (tracing.get() != nullptr) progress.note(tracing.summary());
  return 0;
}

}  // namespace rhomb::cli
