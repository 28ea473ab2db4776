// SPDX-License-Identifier: Apache-2.0
// rhomb primer: the shortest substrings that differ by K from all of other sequences.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/error.h"
#include "host/seq/reader.h"
#include "tools/cli/input.h"
#include "tools/cli/many.h"
#include "tools/cli/shard.h"
#include "tools/cli/summary.h"
#include "tools/cli/verbs.h"
#include "tools/merge/in_parts.h"
#include "tools/primer/options.h"
#include "tools/primer/rows.h"

namespace rhomb::cli {
namespace {

/// Starts whose rows one thread makes at a time.
constexpr std::size_t kRows = 4096;

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
      : asked_(asked),
        made_(asked),
        alpha_(alpha),
        out_(out),
        rows_(out, asked.run.threads, asked.run.trace) {}

  /// All of a sequence.
  void add(const primer::Run& run, std::size_t record) {
    begin();
    const auto ends = run.ends(record);
    const seq::Sequence& query = alpha_[record];
    const std::uint32_t first = run.first(record);
    if (asked_.format == PrimerFormat::kBedgraph || asked_.run.window) {
      add_runs(query, first, ends);
      return;
    }
    rows_.print((ends.size() + kRows - 1) / kRows, [&](std::size_t part, std::string& text) {
      std::size_t count = 0;
      for (std::size_t i = part * kRows; i < std::min((part + 1) * kRows, ends.size()); ++i) {
        if (!wanted(query, first + i, ends[i])) continue;
        made_.append(text, query, static_cast<std::uint32_t>(first + i), ends[i], nullptr);
        ++count;
      }
      return count;
    });
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
    rows_.print((chosen.size() + kRows - 1) / kRows, [&](std::size_t part, std::string& text) {
      const std::size_t first = part * kRows, end = std::min(first + kRows, chosen.size());
      for (std::size_t i = first; i < end; ++i) {
        const primer::Window& window = chosen[i].window;
        made_.append(text, alpha_[chosen[i].record], window.begin, window.end, &sites[i]);
      }
      return end - first;
    });
  }

  void begin() {
    if (!std::exchange(begun_, true)) out_.header(made_.header());
  }
  const RowPrinter& rows() const { return rows_; }

 private:
  bool wanted(const seq::Sequence& query, std::size_t start, std::uint32_t end) const {
    return end != primer::kNone &&
           made_.wanted(std::string_view(query.symbols).substr(start, end - start));
  }

  /// Equal neighbours in one line of bedGraph.
  void add_runs(const seq::Sequence& query, std::uint32_t first,
                std::span<const std::uint32_t> ends) {
    const auto value = [&](std::uint32_t i) {
      return asked_.run.window || ends[i] == primer::kNone ? ends[i] : ends[i] - (first + i);
    };
    // A part ends where equal neighbours do.
    std::vector<std::uint32_t> cuts{0};
    const auto count = static_cast<std::uint32_t>(ends.size());
    while (cuts.back() < count) {
      std::uint32_t end = cuts.back() + std::min<std::uint32_t>(kRows, count - cuts.back());
      while (end < count && value(end) == value(end - 1)) ++end;
      cuts.push_back(end);
    }
    rows_.print(cuts.size() - 1, [&](std::size_t part, std::string& text) {
      std::size_t rows = 0;
      for (std::uint32_t i = cuts[part]; i < cuts[part + 1];) {
        const std::uint32_t begin = i, same = value(i);
        while (i < cuts[part + 1] && value(i) == same) ++i;
        if (same == primer::kNone) continue;
        made_.append_run(text, query, first + begin, first + i, same);
        ++rows;
      }
      return rows;
    });
  }

  const PrimerOptions& asked_;
  PrimerRows made_;
  const seq::Batch& alpha_;
  Output& out_;
  RowPrinter rows_;
  bool begun_ = false;
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
    return text_of("rhomb: ", count_of(totals.starts), " positions, ", count_of(totals.targets),
                   totals.targets == 1 ? " text of " : " texts of ", human(totals.symbols),
                   " symbols: ", count_rows(), "; ", work(totals), printing());
  }

  Json json() const {
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
    return object;
  }
};

}  // namespace

int run_primer(int argc, const char* const* argv) {
  CommandLine line(primer_help(), primer_groups());
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto& files = line.files();
  if (files.size() < 2)
    throw UsageError(text_of("expected ALPHA and BETA, got ", std::to_string(files.size()),
                             files.size() == 1 ? " file" : " files", line.pointer()));
  if (std::ranges::count(files, "-") > 1)
    throw UsageError("only one of the files can be standard input (-)" + line.pointer());
  PrimerOptions asked = parse_primer(line);
  const bool twice = asked.witness || asked.run.check;  // BETA is read, rows wait for that
  if (twice && std::find(files.begin() + 1, files.end(), "-") != files.end())
    throw UsageError("BETA is read a second time, so it cannot be standard input" + line.pointer());
  if (is_in_parts(line))
    return run_in_parts(line, "primer", primer_format_name(asked.format), files);
  ManyRun around(line, {Format::kTsv, line.text("output", "-")}, !asked.witness, asked,
                 shard_head(line, "primer", primer_format_name(asked.format), files));
  const Interrupt interrupt(asked.partial);
  asked.run.stop = interrupt.token();
  const seq::Batch alpha = read_records(files[0], around.input(), asked.run.both_strands);
  Texts texts({files.begin() + 1, files.end()}, around.input(), asked.run.both_strands);
  primer::Run run(
      alpha, [&] { return texts.open(); }, asked.run);
  if (asked.explain) {
    const Facts facts = run.explain();
    if (facts.all().front().second == "none") around.session().check();
    return around.explain(explained(facts.all(), asked.format == PrimerFormat::kJson));
  }

  around.start(text_of(files[0], " in ", files[1], files.size() > 2 ? " and others" : ""));
  Printer printer(asked, alpha, around.out());
  std::size_t complete = 0;
  try {
    run.compute([&](std::size_t record) {
      if (!twice) printer.add(run, record);
      ++complete;
    });
    if (asked.witness) {
      const auto chosen = printer.chosen(run);
      printer.add(chosen, run.nearest(chosen));
    } else if (twice) {
      for (std::size_t record = 0; record < alpha.size(); ++record) printer.add(run, record);
    }
  } catch (const Error& error) {
    if (error.kind() != Kind::kStopped || !asked.partial) throw;
    if (twice) complete = 0;
    printer.begin();
    around.commit();
    throw Error(Kind::kStopped,
                text_of("stopped; ", std::to_string(complete), " of ", std::to_string(alpha.size()),
                        " sequences are complete and were written"));
  }
  printer.begin();
  Summary summary{{}, asked, run.totals()};
  around.finish(summary, printer, asked.run.check ? "positions" : "");
  return 0;
}

}  // namespace rhomb::cli
