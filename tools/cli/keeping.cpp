// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/keeping.h"

#include <csignal>
#include <ctime>
#include <string>

#include "host/error.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

volatile std::sig_atomic_t signal_ends = 0;

extern "C" void rhomb_end_signal(int) {
  signal_ends = 1;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

sigset_t save_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return set;
}

}  // namespace

Group keeping(Group group) {
  group.flags.push_back(
      {"checkpoint", "DIR",
       "of many pairs: make the run in parts, and keep in DIR each that is complete. Of one, also "
       "of the only one of --pairs or --all-pairs: save in DIR now and then what has been reached, "
       "also when SIGTERM or ctrl-C end the run (a second ctrl-C does at once), and on SIGUSR1. "
       "Takes strips-blocks or fused, except for pairs that the corridor is expected to answer "
       "before anything would be saved"});
  group.flags.push_back(
      {"resume", "DIR",
       "the same, and go on from what is saved there, on any device, with any --config; from the "
       "beginning if nothing is"});
  group.flags.push_back(
      {"every", "TIME", "how often one pair is saved; 30s, 10m, 1h (default: 10m)"});
  group.flags.push_back({"parts", "N", "in how many parts many are made (default: 32)"});
  return group;
}

Keeping parse_keeping(const CommandLine& line) {
  Keeping keeping;
  keeping.resume = line.has("resume");
  if (keeping.resume && line.has("checkpoint"))
    throw UsageError("--resume saves too, so --checkpoint has nothing to add" + line.pointer());
  for (const char* name : {"checkpoint", "resume"}) {
    if (!line.has(name)) continue;
    keeping.folder = line.text(name);
    if (keeping.folder.empty())
      throw UsageError(text_of("--", name, " needs the name of a folder", line.pointer()));
  }
  if (line.has("every")) {
    if (keeping.folder.empty())
      throw UsageError("--every needs --checkpoint or --resume" + line.pointer());
    keeping.every = parse_duration(line.text("every"), "--every");
  }
  return keeping;
}

void SavedRun::hold_signal() {
  // A handler would not do: the compiler of a CPU's driver (LLVM) puts its own in its place.
  const sigset_t set = save_signal();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

SavedRun::SavedRun(DistanceOptions& run, Progress& progress) {
  if (run.keeping.folder.empty()) return;
  run.stop = stop_.get_token();
  run.progress = [this, show = run.progress](const rhomb::Progress& now) {
    if (signal_ends != 0) stop_.request_stop();
    if (show) show(now);
  };
  run.keeping.now = [set = save_signal()] {
    const timespec at_once{};
    return sigtimedwait(&set, nullptr, &at_once) == SIGUSR1;
  };
  run.keeping.note = [&progress](const std::string& what) { progress.note("rhomb: " + what); };
  for (const int number : {SIGINT, SIGTERM}) {
    // nohup and shells that put a run into the background ignore some on purpose
    if (std::signal(number, rhomb_end_signal) == SIG_IGN) std::signal(number, SIG_IGN);
  }
}

}  // namespace rhomb::cli
