// SPDX-License-Identifier: Apache-2.0
// What the verbs for many sequences share: options, devices and files around a run, how its rows
// are printed, and what is shown meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/batch/threads.h"
#include "host/engine/pair.h"
#include "host/engine/variant.h"
#include "tools/cli/json.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/cli/trace.h"

namespace rhomb::cli {

/// --variant, one of `variants`, --config and --memory of `verb`, that of `records` on their way.
/// `usual` says which variant is taken by itself.
Group many_method_group(const std::string& verb, const std::string& usual,
                        const std::string& records, std::vector<std::string> variants);
template <class Variant>
std::vector<std::string> names_of(std::span<const Variant> variants) {
  std::vector<std::string> names;
  for (const Variant& variant : variants) names.emplace_back(variant.name);
  return names;
}
/// --device, where several share `records`.
Group many_device_group(const std::string& records);

/// The options that these verbs have in common, besides those of their files.
template <class Options>
struct ManyOptions {
  Options run;  ///< but for devices, store, progress and trace, see ManyRun
  bool explain = false;

  /// Whether an OpenCL device may be needed.
  bool on_opencl() const { return run.variant == nullptr || run.variant->uses_opencl(); }
};

/// Reads --explain, --check, --threads and those above; --config may name what `usual` or the
/// variant that is asked for has. Throws UsageError.
template <class Options, class Variant>
void parse_many(const CommandLine& line, std::span<const Variant> variants,
                const tune::Space& usual, ManyOptions<Options>& asked) {
  Options& run = asked.run;
  asked.explain = line.has("explain");
  if constexpr (requires { run.ambiguous; }) run.ambiguous = parse_ambiguous(line);
  run.check = line.has("check");
  run.memory =
      static_cast<std::size_t>(line.size("memory").value_or(static_cast<std::int64_t>(run.memory)));
  run.threads = parse_threads(line);
  run.config = tune::Config::parse(line.text("config"));
  try {
    if (line.has("variant")) run.variant = &find_variant(variants, line.text("variant"));
    run.config.check_names(run.variant != nullptr ? run.variant->space : usual);
  } catch (const UsageError& error) {
    throw UsageError(error.what() + line.pointer());
  }
}

/// What is shown while a run lasts: with `auto` nothing where records on a terminal show it
/// themselves, or where nobody looks. `prints`: records come out during the run.
ProgressKind shown_progress(const CommandLine& line, const OutputOptions& output, bool prints);

/// What --explain says where there is nothing to explain.
inline constexpr const char* kEmptyPart = "no records in this part\n";

/// What a verb has around its run.
class ManyRun {
 public:
  /// `output`: of the verb; `prints`: records come out during the run; `shard`: shard_head().
  /// Devices are chosen, and the files of --trace and --output made.
  template <class Options>
  ManyRun(const CommandLine& line, OutputOptions output, bool prints, ManyOptions<Options>& asked,
          ShardHead shard)
      : ManyRun(line, std::move(output), prints, asked.on_opencl(), std::move(shard)) {
    asked.run.trace = tracing_.get();
    if (asked.run.variant != nullptr && asked.run.variant->uses_cuda())
      cuda_ = asked.run.variant->cuda_device();
    asked.run.devices = session_.choices();
    if constexpr (requires { asked.run.store; })
      if (session_.size() > 0) asked.run.store = &session_.store();
    asked.run.progress = [this](const rhomb::Progress& now) { progress_.update(now); };
    input_.read.threads = asked.run.threads;
  }

  const InputOptions& input() const { return input_; }
  Session& session() { return session_; }
  Output& out() { return out_; }
  /// What computes; null if it is the host.
  const ocl::DeviceInfo* device() const { return cuda_ ? &*cuda_ : session_.info(); }

  /// With --explain: all that is printed.
  int explain(const std::string& text) {
    out_.write(text);
    out_.commit();
    return 0;
  }

  /// Reading before the run is over; `label` says what is computed.
  void start(const std::string& label) {
    read_ = now() - start_;
    progress_.start(label);
  }
  /// Prints all that the run computes. `at_once`: nothing of what is not complete, as in files.
  template <class Run, class Printer>
  void print(Run& run, Printer& printer, bool at_once = false) {
    bool begun = false;
    while (const auto unit = run.next()) {
      if ((at_once || output_.file != "-") && run.failed()) run.check();
      if (!std::exchange(begun, true)) printer.begin();
      printer.add(*unit);
      run.release(*unit);
    }
    run.check();
  }
  /// All is printed.
  void commit() {
    out_.commit();
    progress_.finish();
  }
  /// Tells what it came to. `checked`: what --check has compared, "scores"; empty without it.
  template <class Summary, class Printer>
  void finish(Summary& summary, const Printer& printer, const std::string& checked) {
    commit();
    tracing_.commit(device());
    summary.rows = printer.rows().count();
    summary.host = printer.rows().seconds();
    if (summary.read == 0) summary.read = read_;
    summary.total = now() - start_;
    if (!checked.empty())
      progress_.note(text_of("rhomb: ", count_of(summary.totals.checked), " ", checked,
                             " computed again on the host are the same"));
    if (kind_ != ProgressKind::kNone && !Progress::is_part())
      progress_.note(kind_ == ProgressKind::kJson ? json_line(summary.json()) : summary.line());
    if (tracing_.get() != nullptr) progress_.note(tracing_.summary());
  }

 private:
  ManyRun(const CommandLine& line, OutputOptions output, bool prints, bool on_opencl,
          ShardHead shard);

  const double start_ = now();
  double read_ = 0;
  OutputOptions output_;
  ProgressKind kind_;
  Tracing tracing_;
  InputOptions input_;
  Session session_;
  std::optional<ocl::DeviceInfo> cuda_;
  Output out_;
  Progress progress_;
};

/// Rows that several threads make, printed in order.
class RowPrinter {
 public:
  RowPrinter(Output& out, std::size_t threads, trace::Trace* trace)
      : out_(out), threads_(batch::threads_of(threads)), trace_(trace) {}

  std::size_t threads() const { return threads_; }
  /// make(part, text) appends the rows of a part and says how many there are.
  template <class Make>
  void print(std::size_t parts, const Make& make) {
    const trace::Scope scope(trace_, trace::Work::kFetch, "rows");
    const double start = now();
    std::atomic<std::uint64_t> count = 0;
    std::atomic<std::size_t> usual = 0;  // bytes of a part
    batch::in_order(
        parts, threads_,
        [&](std::size_t part) {
          std::string text;
          text.reserve(usual);
          count += make(part, text);
          usual = text.size() + text.size() / 16;
          return text;
        },
        [&](const std::string& text) { out_.write(text); });
    count_ += count;
    seconds_ += now() - start;
  }

  std::uint64_t count() const { return count_; }
  double seconds() const { return seconds_; }

 private:
  Output& out_;
  std::size_t threads_;
  trace::Trace* trace_;
  std::uint64_t count_ = 0;
  double seconds_ = 0;
};

}  // namespace rhomb::cli
