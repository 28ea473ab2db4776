// SPDX-License-Identifier: Apache-2.0
// rhomb gaps: alignments with at most k gaps.
#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/batch/threads.h"
#include "host/engine/pair.h"
#include "host/error.h"
#include "host/gaps/run.h"
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
#include "tools/gaps/explain.h"
#include "tools/gaps/options.h"
#include "tools/gaps/rows.h"
#include "tools/search/pairs.h"

namespace rhomb::cli {
namespace {

/// The queries of a file, each with its own target or not, or the pairs of one.
class Entries {
 public:
  Entries(const std::vector<std::string>& files, const InputOptions& input,
          const GapsOptions& asked)
      : files_(files) {
    if (!asked.pairs.empty())
      pairs_.emplace(asked.pairs, input);
    else
      queries_.emplace(files[0], input.read);
    if (asked.pairs.empty() && !asked.all_pairs) targets_.emplace(files[1], input.read);
  }

  gaps::Source source() {
    return {files_[0], [this](gaps::Entry& into) { return next(into); },
            [this] { return pairs_ ? pairs_->part() : queries_->part(); }};
  }

 private:
  bool next(gaps::Entry& into) {
    if (pairs_) {
      if (!pairs_->next(pair_)) return false;
      std::swap(into.query_name, pair_.query_name);
      std::swap(into.query, pair_.query);
      std::swap(into.target_name, pair_.target_name);
      std::swap(into.target, pair_.target);
      return true;
    }
    const bool query = queries_->next(query_);
    const bool target = targets_ ? targets_->next(target_) : query;
    if (query != target)
      throw InputError(
          query ? files_[1] : files_[0], "", 0,
          text_of("has only ", with_commas(count_), " records, '", query ? files_[0] : files_[1],
                  "' more; pairs are taken by order (--all-pairs: each with each)"));
    if (!query) return false;
    ++count_;
    std::swap(into.query_name, query_.name);
    std::swap(into.query, query_.symbols);
    std::swap(into.target_name, target_.name);
    std::swap(into.target, target_.symbols);
    return true;
  }

  const std::vector<std::string>& files_;
  std::optional<PairReader> pairs_;
  std::optional<seq::Reader> queries_, targets_;
  search::Entry pair_;
  seq::Sequence query_, target_;
  std::int64_t count_ = 0;
};

/// Prints what is found, made by several threads, in order.
class Printer {
 public:
  Printer(const GapsOptions& asked, const seq::Batch& targets, Output& out)
      : asked_(asked), rows_(asked, targets), targets_(targets), out_(out) {}

  void begin() { out_.write(rows_.header()); }

  void add(const gaps::Unit& unit) {
    const trace::Scope scope(asked_.run.trace, trace::Work::kFetch, "rows");
    const double start = now();
    constexpr std::size_t kRows = 512;  // a thread makes at a time
    batch::in_order((unit.found.size() + kRows - 1) / kRows, batch::threads_of(asked_.run.threads),
                    [&](std::size_t part) {
                      return rows_of(unit, part * kRows,
                                     std::min(unit.found.size(), (part + 1) * kRows));
                    },
                    [&](const std::string& text) { out_.write(text); });
    seconds_ += now() - start;
  }

  std::uint64_t count() const { return count_; }
  double seconds() const { return seconds_; }

 private:
  std::string rows_of(const gaps::Unit& unit, std::size_t first, std::size_t end) {
    const gaps::Block& block = *unit.block;
    std::string text;
    for (std::size_t i = first; i < end; ++i) {
      const gaps::Found& found = unit.found[i];
      const auto target =
          targets_.empty()
              ? GapsRows::Text{block.target_names[found.target], block.targets[found.target]}
              : GapsRows::Text{targets_[found.target].name, targets_[found.target].symbols};
      count_ +=
          rows_.append(text, found, {block.names[found.query], block.queries[found.query]}, target);
    }
    return text;
  }

  const GapsOptions& asked_;
  GapsRows rows_;
  const seq::Batch& targets_;
  Output& out_;
  std::atomic<std::uint64_t> count_ = 0;
  double seconds_ = 0;
};

struct Summary : RunSummary {
  const gaps::Totals& totals;
  bool check = false;

  std::string line() const {
    const auto number = [](auto value) { return with_commas(static_cast<std::int64_t>(value)); };
    return text_of(
        "rhomb: ", number(totals.pairs), totals.pairs == 1 ? " pair: " : " pairs: ", number(rows),
        rows == 1 ? " row; " : " rows; ", human(totals.cells), " cells in ", human_seconds(total),
        ", ", human(rate(totals.cells)), " cells/s; ", totals.device, " (", totals.variant,
        "): ", fixed(totals.compute, 3), " s computing, ", fixed(totals.build + totals.transfer, 3),
        " s building and packing; rows ", fixed(host, 3), " s");
  }

  std::string json() const {
    Json object;
    object["event"] = "summary";
    object["queries"] = json_count(totals.queries);
    object["pairs"] = json_count(totals.pairs);
    add_to(object, totals, check);
    return json_line(object);
  }
};

}  // namespace

int run_gaps(int argc, const char* const* argv) {
  const double start = now();
  CommandLine line(gaps_help(), gaps_groups());
  if (!parse_or_help(line, argc, argv)) return 0;
  GapsOptions asked = parse_gaps(line);
  const bool pairs = !asked.pairs.empty();
  if (pairs && !line.files().empty())
    throw UsageError("--pairs brings queries and targets, so there are no other files" +
                     line.pointer());
  const std::vector<std::string> files =
      pairs ? std::vector<std::string>{asked.pairs, ""} : line.files(2);
  InputOptions input = parse_input(line);
  const OutputOptions output = parse_output(line, kAlignmentFormats);
  const ProgressKind kind = shown_progress(line, output, true);
  DeviceOptions where = parse_device(line);

  Tracing tracing(parse_trace(line));
  input.trace = where.open.trace = tracing.get();
  asked.run.trace = tracing.get();
  asked.run.scoring = &asked.scoring;
  Session session(where, asked.on_opencl(), Session::Count::kSeveral);
  const bool on_cuda = asked.run.variant != nullptr && asked.run.variant->uses_cuda();
  const auto cuda = on_cuda ? std::optional(asked.run.variant->cuda_device()) : std::nullopt;
  const ocl::DeviceInfo* const info = cuda ? &*cuda : session.info();
  Output out(output.file);
  const seq::Batch targets = asked.all_pairs ? seq::read_file(files[1], input.read) : seq::Batch{};
  const double read = now() - start;
  asked.run.devices = session.choices();
  if (session.size() > 0) asked.run.store = &session.store();
  Progress progress(kind);
  asked.run.progress = [&progress](const rhomb::Progress& now) { progress.update(now); };
  Entries entries(files, input, asked);
  gaps::Run run(entries.source(), targets, asked.run);
  if (asked.explain) {
    const auto unit = run.first();
    if (run.variant().uses_opencl()) session.check();
    out.write(explain_gaps(asked, run, *unit, info, asked.run.store));
    out.commit();
    return 0;
  }

  Printer printer(asked, targets, out);
  Summary summary{{}, run.totals(), asked.run.check};
  progress.start(pairs ? files[0] : text_of(files[0], " and ", files[1]));
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
                          " scores computed again on the host are the same"));
  if (kind != ProgressKind::kNone)
    progress.note(kind == ProgressKind::kJson ? summary.json() : summary.line());
  if (tracing.get() != nullptr) progress.note(tracing.summary());
  return 0;
}

}  // namespace rhomb::cli
