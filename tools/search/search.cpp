// SPDX-License-Identifier: Apache-2.0
// rhomb search: where queries occur in texts, with differences.
#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/batch/threads.h"
#include "host/engine/pair.h"
#include "host/error.h"
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
#include "tools/search/explain.h"
#include "tools/search/options.h"
#include "tools/search/pairs.h"
#include "tools/search/rows.h"

namespace rhomb::cli {
namespace {

/// Queries whose rows one thread makes at a time: few enough that all threads have work for as
/// long, however small the unit is.
std::size_t queries_a_part(std::size_t queries, std::size_t threads) {
  return std::clamp<std::size_t>(queries / (8 * threads), 16, 256);
}

seq::Batch read_targets(const std::string& path, const InputOptions& input, bool both_strands) {
  const trace::Scope scope(input.trace, trace::Work::kRead, path);
  seq::Batch targets = seq::read_file(path, input.read);
  if (input.forbid_ambiguous)
    for (std::size_t i = 0; i < targets.size(); ++i) forbid_ambiguous(path, targets[i], i);
  if (both_strands)
    for (std::size_t i = 0; i < targets.size(); ++i) require_nucleotides(path, targets[i], i);
  return targets;
}

/// The queries of a file, or the pairs of one.
class QueryFile {
 public:
  QueryFile(std::string path, const InputOptions& input, const SearchOptions& asked)
      : path_(std::move(path)),
        forbid_ambiguous_(input.forbid_ambiguous),
        both_strands_(asked.run.both_strands) {
    if (!asked.pairs.empty())
      pairs_.emplace(path_, input);
    else
      queries_.emplace(path_, input.read);
  }

  search::Source source() {
    return {path_, [this](search::Entry& into) { return next(into); },
            [this] { return pairs_ ? pairs_->part() : queries_->part(); }};
  }

 private:
  bool next(search::Entry& into) {
    if (pairs_) {
      if (!pairs_->next(into)) return false;
      if (both_strands_) {
        require_nucleotides(path_, into.query_name, into.query, pairs_->line());
        require_nucleotides(path_, into.target_name, into.target, pairs_->line());
      }
      return true;
    }
    if (!queries_->next(query_)) return false;
    if (forbid_ambiguous_) forbid_ambiguous(path_, query_, count_);
    if (both_strands_) require_nucleotides(path_, query_, count_);
    ++count_;
    std::swap(into.query_name, query_.name);
    std::swap(into.query, query_.symbols);
    return true;
  }

  std::string path_;
  bool forbid_ambiguous_, both_strands_;
  std::optional<PairReader> pairs_;
  std::optional<seq::Reader> queries_;
  seq::Sequence query_;
  std::size_t count_ = 0;
};

/// Prints what is found, made by several threads, in order.
class Printer {
 public:
  Printer(const SearchOptions& asked, const seq::Batch& targets, Output& out)
      : asked_(asked), rows_(asked), targets_(targets), out_(out) {}

  void begin() { out_.write(rows_.header()); }

  void add(const search::Unit& unit) {
    const trace::Scope scope(asked_.run.trace, trace::Work::kFetch, "rows");
    const double start = now();
    const std::size_t threads = batch::threads_of(asked_.run.threads);
    const std::size_t queries = unit.end - unit.first;
    const std::size_t each = queries_a_part(queries, threads);
    batch::in_order((queries + each - 1) / each, threads,
                    [&](std::size_t part) { return rows_of(unit, unit.first + part * each, each); },
                    [&](const std::string& text) { out_.write(text); });
    seconds_ += now() - start;
  }

  std::uint64_t count() const { return count_; }
  double seconds() const { return seconds_; }

 private:
  std::string rows_of(const search::Unit& unit, std::size_t first, std::size_t count) {
    const search::Block& block = *unit.block;
    std::string text;
    for (std::size_t i = first; i < std::min(first + count, unit.end); ++i)
      for (const search::Hit& hit : unit.hits(i)) {
        const auto target =
            targets_.empty()
                ? SearchRows::Named{block.target_names[hit.target],
                                    block.targets[hit.target].size()}
                : SearchRows::Named{targets_[hit.target].name, targets_[hit.target].symbols.size()};
        rows_.append(text, hit, {block.names[i], block.queries[i].size()}, target);
        ++count_;
      }
    return text;
  }

  const SearchOptions& asked_;
  SearchRows rows_;
  const seq::Batch& targets_;
  Output& out_;
  std::atomic<std::uint64_t> count_ = 0;
  double seconds_ = 0;
};

struct Summary : RunSummary {
  const SearchOptions& asked;
  const search::Totals& totals;

  std::string line() const {
    const auto number = [](auto value) { return with_commas(static_cast<std::int64_t>(value)); };
    return text_of("rhomb: ", number(totals.queries),
                   asked.pairs.empty() ? " queries: " : " pairs: ", number(rows),
                   rows == 1 ? " row; " : " rows; ", human(totals.cells), " cells in ",
                   human_seconds(total), ", ", human(rate(totals.cells)), " cells/s; ",
                   totals.device, " (", totals.variant, "): ", fixed(totals.compute, 3),
                   " s computing, ", fixed(totals.build + totals.transfer, 3),
                   " s building and packing; rows ", fixed(host, 3), " s");
  }

  std::string json() const {
    Json object;
    object["event"] = "summary";
    object[asked.pairs.empty() ? "queries" : "pairs"] = json_count(totals.queries);
    add_to(object, totals, asked.run.check);
    return json_line(object);
  }
};

}  // namespace

int run_search(int argc, const char* const* argv) {
  const double start = now();
  CommandLine line(search_help(), search_groups());
  if (!parse_or_help(line, argc, argv)) return 0;
  SearchOptions asked = parse_search(line);
  const bool pairs = !asked.pairs.empty();
  if (pairs && !line.files().empty())
    throw UsageError("--pairs brings queries and candidates, so there are no other files" +
                     line.pointer());
  const std::vector<std::string> files =
      pairs ? std::vector<std::string>{asked.pairs, ""} : line.files(2);
  InputOptions input = parse_input(line);
  input.read.threads = asked.run.threads;
  const OutputOptions output = parse_output(line, kOccurrenceFormats);
  const ProgressKind kind = shown_progress(line, output, true);
  DeviceOptions where = parse_device(line);

  Tracing tracing(parse_trace(line));
  input.trace = where.open.trace = tracing.get();
  asked.run.trace = tracing.get();
  Session session(where, asked.on_opencl(), Session::Count::kSeveral);
  const bool on_cuda = asked.run.variant != nullptr && asked.run.variant->uses_cuda();
  const auto cuda = on_cuda ? std::optional(asked.run.variant->cuda_device()) : std::nullopt;
  const ocl::DeviceInfo* const info = cuda ? &*cuda : session.info();
  Output out(output.file);
  const seq::Batch targets =
      pairs ? seq::Batch{} : read_targets(files[1], input, asked.run.both_strands);
  const double read = now() - start;
  asked.run.devices = session.choices();
  if (session.size() > 0) asked.run.store = &session.store();
  Progress progress(kind);
  asked.run.progress = [&progress](const rhomb::Progress& now) { progress.update(now); };
  QueryFile queries(files[0], input, asked);
  search::Run run(queries.source(), targets, asked.run);
  if (asked.explain) {
    const auto unit = run.first();
    if (run.variant().uses_opencl()) session.check();
    out.write(explain_search(asked, run, *unit, info, asked.run.store));
    out.commit();
    return 0;
  }

  Printer printer(asked, targets, out);
  Summary summary{{}, asked, run.totals()};
  progress.start(pairs ? files[0] : text_of(files[0], " in ", files[1]));
  bool begun = false;
  while (const auto unit = run.next()) {
    if (output.file != "-" && run.failed()) run.check();  // nothing is half-written
    if (!std::exchange(begun, true)) printer.begin();
    printer.add(*unit);
    run.release(*unit);
  }
  run.check();
  out.commit();
  progress.finish();
  tracing.commit(info);
  summary.rows = printer.count();
  summary.read = read;
  summary.host = printer.seconds();
  summary.total = now() - start;
  if (asked.run.check)
    progress.note(text_of("rhomb: ", with_commas(static_cast<std::int64_t>(run.totals().checked)),
                          " distances computed again on the host are the same"));
  if (kind != ProgressKind::kNone)
    progress.note(kind == ProgressKind::kJson ? summary.json() : summary.line());
  if (tracing.get() != nullptr) progress.note(tracing.summary());
  return 0;
}

}  // namespace rhomb::cli
