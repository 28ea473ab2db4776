// SPDX-License-Identifier: Apache-2.0
// rhomb tune: which configurations of the variants are fastest on a device. Never touches OpenCL
// itself: a child process does, which may crash or hang.
#include "tools/tune/tune.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host/engine/pair.h"
#include "tools/bench/samples.h"
#include "tools/cli/command_line.h"
#include "tools/cli/json.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/text.h"
#include "tools/cli/verbs.h"
#include "tools/tune/add.h"
#include "tools/tune/sweep.h"
#include "tools/tune/tried.h"
#include "tools/tune/variants.h"
#include "tools/tune/worker.h"

namespace rhomb::cli {
namespace {

Help help() {
  return {
      "rhomb tune [distance|search|lcs|gaps|primer] [options]",
      R"(Tries configurations of the variants (values of their tunables, as --config takes them) on random
texts and keeps the fastest; later runs on such a device with texts about as long use it. Each
configuration is planned, built, compared with the reference on small texts, and measured: one run to
warm up, then --runs, of which the median counts.

The plan's own choice comes first, then what is in use at present, shipped or found earlier, then
others; one that is a tenth slower than the best is run only twice. At the end the fastest few, the
plan's choice and what is in use run again, one after the other in several rounds. The fastest of them
is used from then on if it is faster by 3%. (The plan's choice needs no estimate of a pair's divergence,
other settings do; they must be faster by that time as well.) The answers of the plan's choice are
checked in an independent way: a distance is computed again, those of the other verbs are compared with
another variant's and a sample with the reference's; all other configurations must give the same.

All of it runs in a process of its own, so that a driver that crashes or hangs costs one configuration.
Each result is kept at once: a sweep that was stopped goes on where it was, first with what has been
tried least.

distance is tuned on a pair of texts. search has as many queries of the length --length as fill a
device, each with a candidate a fifth longer; lcs has a query of that length and many targets as long;
gaps aligns queries of that length each with all of some targets a quarter longer, with at most two gaps,
and its settings are for one to three. primer has a sequence and a text; there --length is K, the least
distance. All are timed with the data on the device; so the tunables CHUNK and QUEUES of lcs, which
are about copies, are left as they are. Settings are for texts over four symbols.

The output has one row per variant and problem: engine, variant, device, length, divergence, config (to
be used; - is the plan's own choice), seconds (on the device), default_seconds (of the plan's choice),
gain (default_seconds / seconds), rate (cells per second), tried, and of these unfit, wrong, failed and
slow; left (not tried yet). Exit code 6 if any answer was wrong.

The evidence is in trials.jsonl, the settings in use in store.jsonl, both in the user's data
directory (XDG_DATA_HOME/rhomb or ~/.local/share/rhomb). `rhomb distance --explain` says which
setting fits a pair, and so do the other verbs.

--list, --export, --import and --forget measure nothing. With them --device says which devices are
meant (default: all): cpu, gpu, a part of the name, or the index of one that is here. --list prints every
trial of the verb, --engine and --variant that is known, with its outcome and reason; JSON also has what
each task came to and the ceilings of the devices (key kind), which rhomb-plot tune draws. --import adds
the lines of a file to the store, all of them or, where one is damaged, none (exit code 3), and prints one
row for each: kind, device, engine, variant, length, divergence, config, added (false: known already).
)",
      R"(  rhomb tune                                     everything, five minutes
  rhomb tune search --length 100,150,250 --budget 10m
  rhomb tune --variant strips --length 4M --budget 2m
  rhomb tune --engine wavefront --divergence 0.01 --strategy random
  rhomb tune search --list --device cpu --format table
  rhomb tune --list --format json | rhomb-plot tune - -o report
  rhomb tune --export h200.jsonl --device H200   on one machine, and on others like it:
  rhomb tune --import h200.jsonl
)"};
}

/// The names of the engines, or the verbs, each once.
std::vector<std::string> names_of(std::string_view TunedEngine::*name) {
  std::vector<std::string> names;
  for (const TunedEngine& engine : tuned_engines())
    if (names.empty() || names.back() != engine.*name) names.emplace_back(engine.*name);
  return names;
}

Group run_group() {
  return {
      "Sweep",
      {{"engine", "NAME",
        text_of(joined(names_of(&TunedEngine::name)), " (default: all of the verb)")},
       {"variant", "NAME,...", "which (default: all that run on OpenCL devices)"},
       {"length", "L,...",
        "length of both texts (default: 1M; on a CPU 100k); for search, of the queries (default: "
        "200) and of gaps (200); for lcs, of the query (default: 4k); for primer, K (default: 20)",
        FileUse::kNone, "size"},
       {"divergence", "X,...",
        "edits per symbol, or unrelated (default: 0.05 for wavefront and search, else unrelated)"},
       one_of("strategy", "WHAT", "hill, random or full (default: hill)",
              {"hill", "random", "full"}),
       {"budget", "TIME", "for the whole sweep, as 90, 90s, 5m or 1h (default: 5m)"},
       {"limit", "TIME", "the time that one configuration may take in all (default: 30)"},
       {"runs", "N", "measured runs of each configuration (default: 3)"},
       {"seed", "N", "of the random choices (default: 1)"},
       {"again", "", "measure again what is known already"}}};
}

Group evidence_group() {
  return {"Evidence",
          {{"list", "", "print every trial that is known"},
           {"export", "FILE", "write the best settings of the devices, to share; - is stdout",
            FileUse::kWritten},
           {"import", "FILE", "take over what --export wrote; - is stdin", FileUse::kRead},
           {"forget", "", "take damaged lines out of the user's store and evidence"},
           {"from", "FILE", "the trials of --list and --export (default: the user's)",
            FileUse::kRead}}};
}

}  // namespace

std::vector<TunedVariant> chosen_variants(const CommandLine& line) {
  const std::string engine = line.text("engine");
  const std::string verb = line.files().empty() ? "" : line.files().front();
  const auto engines = names_of(&TunedEngine::name);
  if (!engine.empty() && std::ranges::find(engines, engine) == engines.end())
    throw UsageError("--engine: choose from " + joined(engines) + line.pointer());
  const auto wanted = split(line.text("variant"), ',');
  std::vector<TunedVariant> rows;
  std::vector<std::string> names;
  for (const TunedVariant& row : tuned_variants()) {
    if (!engine.empty() && engine != row.engine->name) continue;
    if (!verb.empty() && verb != row.engine->verb) continue;
    names.push_back(row.variant);
    if (wanted.empty() || std::ranges::find(wanted, row.variant) != wanted.end())
      rows.push_back(row);
  }
  if (names.empty())
    throw UsageError(text_of("--engine: ", verb, " has no '", engine, "'", line.pointer()));
  for (const auto& name : wanted)
    if (std::ranges::find(names, name) == names.end())
      throw UsageError(text_of("--variant: there is no '", name, "' to tune",
                               did_you_mean(name, names), "; choose from ", joined(names)));
  return rows;
}

namespace {

tune::Strategy parse_strategy(const CommandLine& line) {
  constexpr tune::Strategy kAll[] = {tune::Strategy::kHill, tune::Strategy::kRandom,
                                     tune::Strategy::kFull};
  return kAll[line.choice("strategy")];
}

std::vector<double> parse_divergences(const CommandLine& line, std::string_view usual) {
  std::vector<double> divergences;
  for (const auto& text : split(line.text("divergence", std::string(usual)), ',')) {
    divergences.push_back(std::min(parse_divergence(text, "--divergence").value_or(0.5), 0.5));
    if (divergences.back() == 0) throw UsageError("--divergence: equal texts take no time");
  }
  return divergences;
}

/// "search from 10 to 10,000, lcs from 10 to 100,000"
std::string ranges_of(const std::vector<TunedVariant>& rows) {
  std::vector<std::string> ranges;
  for (const TunedVariant& row : rows) {
    const auto& [name, verb, of_gpu, of_cpu, divergence, shortest, longest, alone] = *row.engine;
    const std::string range = text_of(name, " from ", with_commas(shortest),
                                      longest < INT64_MAX ? " to " + with_commas(longest) : "");
    if (ranges.empty() || ranges.back() != range) ranges.push_back(range);
  }
  return joined(ranges);
}

/// What the options ask for; `gpu` says which lengths are usual.
std::vector<tune::Task> make_tasks(const CommandLine& line, bool gpu) {
  const auto rows = chosen_variants(line);
  std::vector<tune::Task> tasks;
  for (const TunedVariant& row : rows) {
    const TunedEngine& engine = *row.engine;
    for (const double divergence : parse_divergences(line, engine.divergence))
      for (const std::int64_t length :
           parse_lengths(line, "length", std::string(gpu ? engine.of_gpu : engine.of_cpu))) {
        if (length < engine.shortest || length > engine.longest) continue;
        const tune::Task task{std::string(engine.name), row.variant, length, divergence};
        if (std::ranges::find(tasks, task) == tasks.end()) tasks.push_back(task);
      }
  }
  // A length that suits none of the engines is an error; the others leave out what does not suit.
  for (const std::int64_t length : parse_lengths(line, "length", "1"))
    if (line.has("length") && std::ranges::find(tasks, length, &tune::Task::length) == tasks.end())
      throw UsageError(text_of("--length: ", with_commas(length),
                               " is not one that is tuned: ", ranges_of(rows), line.pointer()));
  if (tasks.empty()) throw UsageError("nothing to tune" + line.pointer());
  return tasks;
}

/// The sweeps, with what earlier ones found on this device by these kernels.
std::vector<Sweep> make_sweeps(const CommandLine& line, const Worker& worker,
                               const Evidence& evidence) {
  const auto seed = static_cast<std::uint64_t>(line.size("seed").value_or(1));
  std::vector<Sweep> sweeps;
  for (const tune::Task& task : make_tasks(line, worker.gpu()))
    sweeps.push_back(
        {{task, worker.machine()}, tune::Search(space_of(task), parse_strategy(line), seed)});
  for (Sweep& sweep : sweeps) {
    const tune::Task& task = sweep.tried.task();
    if (const auto known = evidence.store.nearest(
            task.engine, task.variant, named(worker.machine()), task.length, task.divergence))
      sweep.tried.use(known->trial.config);
  }
  if (line.has("again")) return sweeps;
  for (const tune::Trial& trial : evidence.trials)
    for (Sweep& sweep : sweeps)
      if (trial.task == sweep.tried.task() && trial.machine == worker.machine() &&
          trial.kernels == worker.kernels())
        Tuner::recall(sweep, trial);
  return sweeps;
}

/// How the process is started that tries configurations.
std::vector<std::string> worker_arguments(const CommandLine& line) {
  std::vector<std::string> arguments = {"tune", "child"};
  for (const char* const name : {"device", "kernels"})
    if (line.has(name)) arguments.insert(arguments.end(), {text_of("--", name), line.text(name)});
  if (line.has("no-cache")) arguments.emplace_back("--no-cache");
  return arguments;
}

int sweep(const CommandLine& line) {
  const double budget = parse_duration(line.text("budget", "5m"), "--budget");
  const double limit = parse_duration(line.text("limit", "30"), "--limit");
  if (limit <= 0) throw UsageError("--limit: nothing is tried in no time" + line.pointer());
  const int runs = line.count("runs", 3, 1);
  const OutputOptions output = parse_output(line, kTableFormats);
  Progress progress(parse_progress(line));
  make_tasks(line, false);  // what is wrong is told before anything starts
  parse_strategy(line);

  Worker worker(worker_arguments(line), limit);
  const Evidence evidence = read_evidence("");
  auto sweeps = make_sweeps(line, worker, evidence);
  Output out(output.file);
  Tuner tuner(worker, runs, limit, budget / static_cast<double>(sweeps.size()), progress);
  if (line.has("again") || !evidence.store.find("ceilings", named(worker.machine())))
    if (const auto ceilings = worker.ceilings()) add_line(tune::store_path(), *ceilings);

  const double start = now();
  // Those come first of which earlier runs have tried least, as the time may be up before the last.
  std::vector<Sweep*> waiting;
  for (Sweep& one : sweeps) waiting.push_back(&one);
  std::ranges::stable_sort(waiting, {}, [](auto* one) { return one->tried.trials().size(); });
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    // What is left of the budget is shared by the sweeps that are left.
    const double left = start + budget - now();
    const double until = now() + left / static_cast<double>(waiting.size() - i);
    Sweep& one = *waiting[i];
    bool tried = false;
    while (now() + tuner.confirming(one) < until && tuner.step(one, start + budget - now()))
      tried = true;
    if (tried) tuner.confirm(one);
  }
  progress.clear();

  const tune::Store store = tune::Store::load();
  std::vector<Json> rows;
  bool wrong = false;
  for (const Sweep& one : sweeps) {
    Tuner::keep(one, store);
    wrong = wrong || one.tried.count(tune::Outcome::kWrong) > 0;
    rows.push_back(summary_of(one.tried));
    rows.back()["left"] = json_count(one.search.left());
  }
  out.write(printed(rows, output.format));
  out.commit();
  if (wrong)
    throw CheckError(
        "some configurations gave wrong distances and are never used: rhomb tune "
        "--list tells which; please report this");
  return 0;
}

}  // namespace

int run_tune(int argc, const char* const* argv) {
  CommandLine line(help(),
                   {run_group(), evidence_group(), device_group(), output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  if (line.files() == std::vector<std::string>{"child"})
    return answer_questions(parse_device(line));
  if (line.files().size() > 1) throw UsageError("one verb at a time" + line.pointer());
  const auto known = names_of(&TunedEngine::verb);
  if (!line.files().empty() && std::ranges::find(known, line.files().front()) == known.end())
    throw UsageError("'" + line.files().front() + "' is no verb that can be tuned; there are: " +
                     joined(known) + line.pointer());
  constexpr std::pair<const char*, int (*)(const CommandLine&)> kActions[] = {
      {"list", tune_list},
      {"export", tune_export},
      {"import", tune_import},
      {"forget", tune_forget}};
  const auto given = [&line](const auto& action) { return line.has(action.first); };
  if (std::ranges::count_if(kActions, given) > 1)
    throw UsageError("--list, --export, --import and --forget exclude each other" + line.pointer());
  if (line.has("from") && !line.has("list") && !line.has("export"))
    throw UsageError("--from goes with --list or --export" + line.pointer());
  const auto* const action = std::ranges::find_if(kActions, given);
  return action != std::end(kActions) ? action->second(line) : sweep(line);
}

}  // namespace rhomb::cli
