// SPDX-License-Identifier: Apache-2.0
// rhomb search: where queries occur in texts, with differences.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/engine/pair.h"
#include "host/error.h"
#include "host/seq/alphabet.h"
#include "host/seq/reader.h"
#include "tools/cli/input.h"
#include "tools/cli/json.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/cli/trace.h"
#include "tools/cli/verbs.h"
#include "tools/search/blocks.h"
#include "tools/search/explain.h"
#include "tools/search/options.h"
#include "tools/search/rows.h"
#include "tools/search/run.h"

namespace rhomb::cli {
namespace {

constexpr std::size_t kMostThreads = 16;
constexpr std::size_t kQueriesAPart = 256;  ///< whose rows one thread makes at a time

seq::Batch read_texts(const std::string& path, const InputOptions& input, bool both_strands) {
  const trace::Scope scope(input.trace, trace::Work::kRead, path);
  seq::Batch texts = seq::read_file(path, input.read);
  if (input.forbid_ambiguous)
    for (std::size_t i = 0; i < texts.size(); ++i) forbid_ambiguous(path, texts[i], i);
  if (both_strands)
    for (std::size_t i = 0; i < texts.size(); ++i) require_nucleotides(path, texts[i], i);
  return texts;
}

/// Each symbol that occurs, once.
std::string alphabet_of(const seq::Batch& batch) {
  std::array<bool, 256> present{};
  for (const seq::Sequence& record : batch) seq::mark_symbols(present, record.symbols);
  return seq::symbols_of(present);
}

double symbols_of(const seq::Batch& batch) {
  double symbols = 0;
  for (const seq::Sequence& record : batch) symbols += static_cast<double>(record.symbols.size());
  return symbols;
}

/// The rows of a block, made by several threads, in order.
class Printer {
 public:
  Printer(const SearchOptions& asked, const seq::Batch& texts, Output& out, trace::Trace* trace)
      : rows_(asked), texts_(texts), out_(out), trace_(trace) {}

  void begin() { out_.write(rows_.header()); }

  void add(const SearchDone& done) {
    const trace::Scope scope(trace_, trace::Work::kFetch, "rows");
    const double start = now();
    const std::size_t parts = (done.work->size() + kQueriesAPart - 1) / kQueriesAPart;
    std::vector<std::string> texts(parts);
    std::vector<std::exception_ptr> failures(parts);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t part; (part = next++) < parts;) try {
          make(done, part * kQueriesAPart, texts[part]);
        } catch (...) {
          failures[part] = std::current_exception();
        }
    };
    {
      std::vector<std::jthread> threads;
      const std::size_t cores =
          std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
      for (std::size_t i = 1; i < std::min(cores, parts); ++i) threads.emplace_back(work);
      work();
    }
    for (std::size_t part = 0; part < parts; ++part) {
      if (failures[part]) std::rethrow_exception(failures[part]);
      out_.write(texts[part]);
    }
    seconds_ += now() - start;
  }

  std::uint64_t count() const { return count_; }
  double seconds() const { return seconds_; }

 private:
  void make(const SearchDone& done, std::size_t first, std::string& text) {
    const SearchBlock& block = done.work->block();
    const bool pairs = texts_.empty();
    for (std::size_t i = first; i < std::min(first + kQueriesAPart, done.work->size()); ++i)
      for (const Hit& hit : done.work->hits(i, done.answer.best)) {
        rows_.append(text, hit, block.names[i], block.queries[i].size(),
                     pairs ? block.text_names[hit.text] : texts_[hit.text].name,
                     pairs ? block.texts[hit.text].size() : texts_[hit.text].symbols.size());
        ++count_;
      }
  }

  SearchRows rows_;
  const seq::Batch& texts_;
  Output& out_;
  trace::Trace* trace_;
  std::atomic<std::uint64_t> count_ = 0;
  double seconds_ = 0;
};

struct Summary {
  const SearchOptions& asked;
  const SearchTotals& totals;
  std::string device;
  std::uint64_t rows = 0, checked = 0;
  double read = 0, host = 0, total = 0;

  double rate() const { return totals.cells / std::max(total, 1e-9); }

  std::string line() const {
    const auto number = [](auto value) { return with_commas(static_cast<std::int64_t>(value)); };
    return text_of("rhomb: ", number(totals.queries),
                   asked.pairs.empty() ? " queries: " : " pairs: ", number(rows),
                   rows == 1 ? " row; " : " rows; ", human(totals.cells), " cells in ",
                   human_seconds(total), ", ", human(rate()), " cells/s; ", device, " (",
                   asked.row->name, "): ", fixed(totals.compute, 3), " s computing, ",
                   fixed(totals.build + totals.transfer, 3), " s building and packing; rows ",
                   fixed(host, 3), " s");
  }

  std::string json() const {
    Json object;
    object["event"] = "summary";
    object[asked.pairs.empty() ? "queries" : "pairs"] = json_count(totals.queries);
    object["symbols"] = json_count(totals.symbols);
    object["rows"] = rows;
    if (asked.check) object["checked"] = checked;
    object["cells"] = json_count(totals.cells);
    object["seconds"] = rounded(significant(total));
    object["gcups"] = rounded(significant(rate() / 1e9));
    object["variant"] = asked.row->name;
    object["device"] = device;
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
ProgressKind shown_progress(const CommandLine& line, const OutputOptions& output) {
  const ProgressKind kind = parse_progress(line);
  const bool rows = output.file == "-" && isatty(STDOUT_FILENO) != 0;
  return kind == ProgressKind::kAuto && (rows || isatty(STDERR_FILENO) == 0) ? ProgressKind::kNone
                                                                             : kind;
}

}  // namespace

int run_search(int argc, const char* const* argv) {
  const double start = now();
  CommandLine line(search_help(), search_groups());
  if (!parse_or_help(line, argc, argv)) return 0;
  const SearchOptions asked = parse_search(line);
  const bool pairs = !asked.pairs.empty();
  if (pairs && !line.files().empty())
    throw UsageError("--pairs brings queries and candidates, so there are no other files" +
                     line.pointer());
  const std::vector<std::string> files =
      pairs ? std::vector<std::string>{asked.pairs, ""} : line.files(2);
  if (files[0] == "-" && files[1] == "-")
    throw UsageError("only one of the two files can be standard input (-)");
  InputOptions input = parse_input(line);
  OutputOptions output;
  output.file = line.text("output", "-");
  const ProgressKind kind = shown_progress(line, output);
  DeviceOptions where = parse_device(line);
  if (asked.explain && line.has("trace"))
    throw UsageError("--explain runs nothing that --trace could show" + line.pointer());

  Tracing tracing(parse_trace(line));
  input.trace = where.open.trace = tracing.get();
  Session session(where, asked.on_opencl());
  const std::optional<ocl::DeviceInfo> own =
      asked.row->uses_cuda() ? std::optional(asked.row->cuda_device()) : std::nullopt;
  const ocl::DeviceInfo* const info = own ? &*own : session.info();
  Output out(output.file);
  const seq::Batch texts = pairs ? seq::Batch{} : read_texts(files[1], input, asked.both_strands);
  const double read = now() - start;
  SearchBlocks blocks(files[0], {input, pairs, asked.both_strands, alphabet_of(texts), asked.memory,
                                 SearchRun::most_queries(asked, symbols_of(texts))});
  ocl::Device* const device = asked.explain ? nullptr : session.open();
  const tune::Store* const store = asked.on_opencl() ? &session.store() : nullptr;
  SearchRun run(asked, info, device, store, blocks, texts, tracing.get());
  if (asked.explain) {
    auto block = blocks.next(true);
    if (!block) blocks.check();
    out.write(explain_search(asked, *run.work_of(std::move(*block)), info, store));
    out.commit();
    return 0;
  }

  Progress progress(kind);
  Printer printer(asked, texts, out, tracing.get());
  Summary summary{asked, run.totals(), info ? info->name : "host"};
  progress.start(pairs ? files[0] : text_of(files[0], " in ", files[1]));
  bool begun = false;
  while (const auto done = run.next()) {
    if (output.file != "-" && blocks.failed()) blocks.check();  // nothing is half-written
    if (asked.check) summary.checked += check_search(*done);
    if (!std::exchange(begun, true)) printer.begin();
    printer.add(*done);
    progress.update({0, 0, run.totals().cells, done->work->block().ends});
    blocks.release(done->work->block());
  }
  blocks.check();
  out.commit();
  progress.finish();
  tracing.commit(info);
  summary.rows = printer.count();
  summary.read = read;
  summary.host = printer.seconds();
  summary.total = now() - start;
  if (asked.check)
    progress.note(text_of("rhomb: ", with_commas(static_cast<std::int64_t>(summary.checked)),
                          " distances computed again on the host are the same"));
  if (kind != ProgressKind::kNone)
    progress.note(kind == ProgressKind::kJson ? summary.json() : summary.line());
  if (tracing.get() != nullptr) progress.note(tracing.summary());
  return 0;
}

}  // namespace rhomb::cli
