// SPDX-License-Identifier: Apache-2.0
// rhomb primer: the shortest substrings that differ by K from all of other sequences.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
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
#include "tools/primer/options.h"
#include "tools/primer/rows.h"

namespace rhomb::cli {
namespace {

/// Starts whose rows one thread makes at a time.
constexpr std::size_t kRows = 4096;

/// Checks a record that was read.
void check_record(const std::string& path, const seq::Sequence& record, std::size_t index,
                  const InputOptions& input, bool nucleotides) {
  if (input.forbid_ambiguous) forbid_ambiguous(path, record, index);
  if (nucleotides) require_nucleotides(path, record, index);
}

/// The sequences of ALPHA, or those that --record names.
seq::Batch read_alpha(const std::string& path, const InputOptions& input, bool nucleotides) {
  const trace::Scope scope(input.trace, trace::Work::kRead, path);
  const std::vector<std::string>& names = input.records;
  seq::Batch alpha;
  std::size_t index = 0;
  for (seq::Sequence& record : seq::read_file(path, input.read)) {
    const bool wanted = names.empty() || std::ranges::find(names, record.name) != names.end();
    if (wanted) {
      check_record(path, record, index, input, nucleotides);
      alpha.push_back(std::move(record));
    }
    ++index;
  }
  for (const std::string& name : names)
    if (std::ranges::find(alpha, name, &seq::Sequence::name) == alpha.end())
      throw InputError(path == "-" ? "standard input" : path, name, 0,
                       "there is no such record, and --record asks for it");
  return alpha;
}

/// The records of the files BETA, one after another.
class Texts {
 public:
  Texts(std::vector<std::string> paths, const InputOptions& input, bool nucleotides)
      : paths_(std::move(paths)), input_(input), nucleotides_(nucleotides) {}

  primer::Source open() {
    file_ = 0;
    reader_.reset();
    return {paths_.front(), [this](seq::Sequence& into) { return next(into); },
            [this] {
              const double part = reader_ ? reader_->part() : 0;
              return (static_cast<double>(file_) + part) / static_cast<double>(paths_.size());
            }};
  }

 private:
  bool next(seq::Sequence& into) {
    for (; file_ < paths_.size(); ++file_, reader_.reset()) {
      if (!reader_) {
        reader_.emplace(paths_[file_], input_.read);
        index_ = 0;
      }
      if (!reader_->next(into)) continue;
      check_record(paths_[file_], into, index_++, input_, nucleotides_);
      return true;
    }
    return false;
  }

  std::vector<std::string> paths_;
  const InputOptions& input_;
  bool nucleotides_;
  std::size_t file_ = 0, index_ = 0;
  std::optional<seq::Reader> reader_;
};

/// Prints primers or distances, made by several threads, in order.
class Printer {
 public:
  Printer(const PrimerOptions& asked, const seq::Batch& alpha, Output& out)
      : asked_(asked), rows_(asked), alpha_(alpha), out_(out) {}

  /// All of a sequence.
  void add(const primer::Run& run, std::size_t record) {
    const double start = now();
    begin();
    const auto ends = run.ends(record);
    const seq::Sequence& query = alpha_[record];
    const std::uint32_t first = run.first(record);
    if (asked_.format == PrimerFormat::kBedgraph || asked_.run.window) {
      add_runs(query, first, ends);
    } else {
      batch::in_order(
          (ends.size() + kRows - 1) / kRows, batch::threads_of(asked_.run.threads),
          [&](std::size_t part) {
            std::string text;
            for (std::size_t i = part * kRows; i < std::min((part + 1) * kRows, ends.size()); ++i)
              if (wanted(query, first + i, ends[i])) {
                rows_.append(text, query, static_cast<std::uint32_t>(first + i), ends[i], nullptr);
                ++count_;
              }
            return text;
          },
          [&](const std::string& text) { out_.write(text); });
    }
    seconds_ += now() - start;
  }

  /// The primers that are wanted, for their nearest sites.
  std::vector<primer::Chosen> chosen(const primer::Run& run) const {
    std::vector<primer::Chosen> all;
    for (std::size_t record = 0; record < alpha_.size(); ++record) {
      const auto ends = run.ends(record);
      for (std::uint32_t i = 0; i < ends.size(); ++i)
        if (wanted(alpha_[record], run.first(record) + i, ends[i]))
          all.push_back({record, {run.first(record) + i, ends[i]}});
    }
    return all;
  }
  void add(const std::vector<primer::Chosen>& chosen, const std::vector<primer::Nearest>& sites) {
    begin();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::string text;
      const primer::Window& window = chosen[i].window;
      rows_.append(text, alpha_[chosen[i].record], window.begin, window.end, &sites[i]);
      out_.write(text);
    }
    count_ += chosen.size();
  }

  void begin() {
    if (!std::exchange(begun_, true)) out_.write(rows_.header());
  }
  std::uint64_t count() const { return count_; }
  double seconds() const { return seconds_; }

 private:
  bool wanted(const seq::Sequence& query, std::size_t start, std::uint32_t end) const {
    return end != primer::kNone &&
           rows_.wanted(std::string_view(query.symbols).substr(start, end - start));
  }

  /// Equal neighbours in one line of bedGraph.
  void add_runs(const seq::Sequence& query, std::uint32_t first,
                std::span<const std::uint32_t> ends) {
    const auto value = [&](std::uint32_t i) {
      return asked_.run.window || ends[i] == primer::kNone ? ends[i] : ends[i] - (first + i);
    };
    std::string text;
    for (std::uint32_t i = 0; i < ends.size();) {
      const std::uint32_t begin = i, same = value(i);
      while (i < ends.size() && value(i) == same) ++i;
      if (same == primer::kNone) continue;
      rows_.append_run(text, query, first + begin, first + i, same);
      ++count_;
      if (text.size() < (std::size_t{1} << 20)) continue;
      out_.write(text);
      text.clear();
    }
    out_.write(text);
  }

  const PrimerOptions& asked_;
  PrimerRows rows_;
  const seq::Batch& alpha_;
  Output& out_;
  bool begun_ = false;
  std::atomic<std::uint64_t> count_ = 0;
  double seconds_ = 0;
};

volatile std::sig_atomic_t interrupts = 0;
void (*before_interrupt)(int) = SIG_DFL;

extern "C" void note_interrupt(int number) {
  interrupts = interrupts + 1;
  if (interrupts == 1) return;
  // The second time it ends at once, and unfinished files go.
  if (before_interrupt != SIG_DFL && before_interrupt != SIG_IGN) before_interrupt(number);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

/// With --partial Ctrl-C stops the run in good order.
class Interrupt {
 public:
  explicit Interrupt(bool used) {
    if (!used) return;
    before_interrupt = std::signal(SIGINT, note_interrupt);
    watch_ = std::jthread([this](const std::stop_token& ended) {
      while (!ended.stop_requested()) {
        if (interrupts > 0) source_.request_stop();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
  }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watch_;  // last: it uses the source
};

struct Summary : RunSummary {
  const PrimerOptions& asked;
  const primer::Totals& totals;

  std::string line() const {
    const auto number = [](auto value) { return with_commas(static_cast<std::int64_t>(value)); };
    return text_of("rhomb: ", number(totals.starts), " positions, ", number(totals.targets),
                   totals.targets == 1 ? " text of " : " texts of ", human(totals.symbols),
                   " symbols: ", number(rows), rows == 1 ? " row; " : " rows; ",
                   human(totals.cells), " cells in ", human_seconds(total), ", ",
                   human(rate(totals.cells)), " cells/s; ", totals.device, " (", totals.variant,
                   "): ", fixed(totals.compute, 3), " s computing, ",
                   fixed(totals.build + totals.transfer, 3), " s building and packing; rows ",
                   fixed(host, 3), " s");
  }

  std::string json() const {
    Json object;
    object["event"] = "summary";
    object["starts"] = totals.starts;
    object["targets"] = totals.targets;
    add_to(object, totals, asked.run.check);
    if (totals.counted.comparisons > 0) {
      object["comparisons"] = json_count(totals.counted.comparisons);
      object["alpha_misses"] = json_count(totals.counted.alpha_misses);
      object["beta_misses"] = json_count(totals.counted.beta_misses);
    }
    return json_line(object);
  }
};

}  // namespace

int run_primer(int argc, const char* const* argv) {
  const double start = now();
  CommandLine line(primer_help(), primer_groups());
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto& files = line.files();
  if (files.size() < 2)
    throw UsageError(text_of("expected ALPHA and BETA, got ", std::to_string(files.size()),
                             files.size() == 1 ? " file" : " files", line.pointer()));
  if (std::ranges::count(files, "-") > 1)
    throw UsageError("only one of the files can be standard input (-)" + line.pointer());
  PrimerOptions asked = parse_primer(line);
  if ((asked.witness || asked.run.check) &&
      std::find(files.begin() + 1, files.end(), "-") != files.end())
    throw UsageError("BETA is read a second time, so it cannot be standard input" + line.pointer());
  InputOptions input = parse_input(line);
  OutputOptions output;
  output.file = line.text("output", "-");
  const ProgressKind kind = shown_progress(line, output, !asked.witness);
  DeviceOptions where = parse_device(line);

  Tracing tracing(parse_trace(line));
  input.trace = where.open.trace = tracing.get();
  asked.run.trace = tracing.get();
  Session session(where, asked.on_opencl(), Session::Count::kSeveral);
  Output out(output.file);
  const Interrupt interrupt(asked.partial);
  asked.run.stop = interrupt.token();
  const seq::Batch alpha = read_alpha(files[0], input, asked.run.both_strands);
  const double read = now() - start;
  asked.run.devices = session.choices();
  if (session.size() > 0) asked.run.store = &session.store();
  Progress progress(kind);
  asked.run.progress = [&](const rhomb::Progress& now) { progress.update(now); };
  Texts texts({files.begin() + 1, files.end()}, input, asked.run.both_strands);
  primer::Run run(
      alpha, [&] { return texts.open(); }, asked.run);
  if (asked.explain) {
    const Facts facts = run.explain();
    if (facts.all().front().second == "none") session.check();
    out.write(explained(facts.all(), asked.format == PrimerFormat::kJson));
    out.commit();
    return 0;
  }

  Printer printer(asked, alpha, out);
  Summary summary{{}, asked, run.totals()};
  progress.start(text_of(files[0], " in ", files[1], files.size() > 2 ? " and others" : ""));
  std::size_t complete = 0;
  try {
    run.compute([&](std::size_t record) {
      if (!asked.witness && !asked.run.check) printer.add(run, record);
      ++complete;
    });
    if (asked.witness) {
      const auto chosen = printer.chosen(run);
      printer.add(chosen, run.nearest(chosen));
    } else if (asked.run.check) {
      for (std::size_t record = 0; record < alpha.size(); ++record) printer.add(run, record);
    }
  } catch (const Error& error) {
    if (error.kind() != Kind::kStopped || !asked.partial) throw;
    if (asked.witness || asked.run.check) complete = 0;
    printer.begin();
    out.commit();
    progress.finish();
    throw Error(Kind::kStopped,
                text_of("stopped; ", std::to_string(complete), " of ", std::to_string(alpha.size()),
                        " sequences are complete and were written"));
  }
  printer.begin();
  out.commit();
  progress.finish();
  tracing.commit(session.info());
  summary.rows = printer.count();
  summary.read = read;
  summary.host = printer.seconds();
  summary.total = now() - start;
  if (asked.run.check)
    progress.note(text_of("rhomb: ", with_commas(static_cast<std::int64_t>(run.totals().checked)),
                          " positions computed again on the host are the same"));
  if (kind != ProgressKind::kNone)
    progress.note(kind == ProgressKind::kJson ? summary.json() : summary.line());
  if (tracing.get() != nullptr) progress.note(tracing.summary());
  return 0;
}

}  // namespace rhomb::cli
