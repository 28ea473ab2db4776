// SPDX-License-Identifier: Apache-2.0
// rhomb-mpi: a verb of rhomb on all ranks of an MPI job.
//
// Rank 0 reads the command line and tells the others what to run. Of many records each rank
// computes a part (--shard) and sends what it would print to rank 0, which keeps it in files and
// prints all of it when the last part is there, as rhomb merge does. With one pair rank 0 runs
// rhomb distance, and the others help it with their devices (host/strip/team.h). In each process
// one thread sends and receives, and another one computes.
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/batch/devices.h"
#include "host/dist/fields.h"
#include "host/engine/pair.h"
#include "host/error.h"
#include "host/ocl/device.h"
#include "host/strip/blocks.h"
#include "host/strip/team.h"
#include "host/write.h"
#include "tools/cli/compared.h"
#include "tools/cli/guarded.h"
#include "tools/cli/messages.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/pocl_cache.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/cli/verbs.h"
#include "tools/help/help.h"
#include "tools/merge/in_parts.h"
#include "tools/merge/merge.h"
#include "tools/mpi/ranks.h"

namespace rhomb::cli {
namespace {

using Words = std::vector<std::string>;

// Kinds of messages.
constexpr std::uint32_t kRun = 1;      ///< to all: the verb and its arguments, each with a 0 behind
constexpr std::uint32_t kPart = 2;     ///< to rank 0: more of what the part prints
constexpr std::uint32_t kDone = 3;     ///< to rank 0: that was all
constexpr std::uint32_t kFailed = 4;   ///< to rank 0: the exit code, a blank, and why
constexpr std::uint32_t kEnd = 5;      ///< to all: the run is over
constexpr std::uint32_t kHelp = 6;     ///< to all: as kRun, to help rank 0 with that
constexpr std::uint32_t kDevices = 7;  ///< to rank 0: limits of the devices that help

/// Not a verb of rhomb; for the manual page.
int run_mpi(int argc, const char* const* argv);
constexpr Verb kMpi{"mpi", "VERB ...", "a verb of rhomb on all ranks of an MPI job", run_mpi};

Help help() {
  return {
      "rhomb-mpi VERB [options] [files]",
      R"(Runs rhomb VERB [options] [files] on all ranks of an MPI job, on one host or many, and prints what
rhomb prints. VERB is one of distance, align, search, lcs, gaps and primer; their options are those that
rhomb VERB --help tells. Rank 0 alone prints results.

Of many records each rank computes a part, as with --shard, and sends its output to rank 0, which keeps it
in files of the temporary folder (TMPDIR) and prints it when all parts are there, as rhomb merge does: byte
for byte the output of one process, but for how distance and align say that a pair was computed. All hosts
see the input files under the same names; parts made of other contents are refused.

Open MPI passes standard output on in small pieces, a minute for 450 MB: -o FILE for large results.

rhomb-mpi distance A B shares one pair: where the strips compute it, and its band fills more than one
device, the rows of the matrix are cut into blocks for the devices of all ranks. --explain says whether
that gains (devices_used); --variant strips-blocks always does it. Only rank 0 reads the files then. CPUs
of one host are counted once.

Without --device the ranks of a host take its GPUs in turns, or else all its CPU; with it the devices that
it names, as in --device 0,1 or all. Without --threads they share its cores. --trace FILE writes FILE
for rank 0, and, unless they share a pair, FILE.1, FILE.2, ... for the others. Standard input cannot be
read.

A rank that fails ends the job: standard error names the rank, and the exit code is its own. MPI does the
same for one that is killed. Messages between ranks have numbers and checksums; one that comes damaged
ends the job with exit code 6.
)",
      R"(  mpirun -n 4 rhomb-mpi search reads.fa genome.fa -k 5 -o hits.tsv
  mpirun -n 2 rhomb-mpi distance human.fa chimp.fa --record chr21
  mpirun -n 8 --map-by ppr:4:node --bind-to none rhomb-mpi distance A.fa B.fa --all-pairs
  srun -n 8 --kill-on-bad-exit rhomb-mpi lcs query.fa targets.fa
)"};
}

int run_mpi(int, const char* const*) { throw CommandLine(help(), {}); }

std::string one_text(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\0';
  return text;
}

Words words_of(const std::string& text) {
  Words words;
  for (std::size_t at = 0, end = 0; (end = text.find('\0', at)) != text.npos; at = end + 1)
    words.push_back(text.substr(at, end - at));
  return words;
}

/// Runs a verb, as rhomb does, with its output to a file of this name.
int run_verb(Words words, const std::string& output) {
  words.insert(words.begin() + 1, "--output=" + output);
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return find_verb(words[0]).run(static_cast<int>(words.size()), arguments.data());
}

/// A kind of error with this exit code.
Kind kind_of(int code) {
  for (const Kind kind :
       {Kind::kUsage, Kind::kInput, Kind::kDevice, Kind::kMemory, Kind::kCheck, Kind::kStopped})
    if (exit_code(kind) == code) return kind;
  return Kind::kInternal;
}

/// The devices of this rank: what --device is to name, or nothing.
std::string devices_for(const Ranks& ranks, const std::string& selector) {
  const auto all = ocl::list_devices();
  std::vector<ocl::DeviceInfo> some;
  if (selector.empty()) {
    std::ranges::copy_if(all, std::back_inserter(some), [](const ocl::DeviceInfo& device) {
      return device.usable && device.limits.gpu;
    });
    if (some.empty()) return "";
  } else {
    some = ocl::choose_devices(selector, all);
  }
  // One each, in turns; several where more were named than there are ranks.
  const auto place = static_cast<std::size_t>(ranks.place());
  const auto places = static_cast<std::size_t>(ranks.places());
  std::string names = std::to_string(some[place % some.size()].index);
  if (!selector.empty())
    for (std::size_t i = place + places; i < some.size(); i += places)
      names += "," + std::to_string(some[i].index);
  return names;
}

/// The cores that this rank may use: its own where it is bound to some, else its part of all.
std::size_t cores_for(const Ranks& ranks) {
  cpu_set_t bound;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const auto online = static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  const std::size_t own = sched_getaffinity(0, sizeof bound, &bound) == 0
                              ? static_cast<std::size_t>(CPU_COUNT(&bound))
                              : cores;
  if (own < online) return own;
  return std::max<std::size_t>(1, online / static_cast<std::size_t>(ranks.places()));
}

/// A part's output on its way to the file that keeps it: of rank 0's own, and of the others.
class PartStore {
 public:
  explicit PartStore(int rank) : rank_(rank) {
    std::error_code failed;
    std::string path = std::filesystem::temp_directory_path(failed) / "rhomb-mpi-XXXXXX";
    file_ = mkostemp(path.data(), O_CLOEXEC);
    if (file_ < 0) fail(path);
    unlink(path.c_str());  // so it vanishes with the process, however that ends
  }
  ~PartStore() { close(file_); }
  PartStore(const PartStore&) = delete;
  PartStore& operator=(const PartStore&) = delete;

  void add(std::string_view text) const {
    if (!write_all(file_, text)) fail("a file of the temporary folder");
  }
  PartFile file() const {
    return {"/proc/self/fd/" + std::to_string(file_), "the output of " + rank_name(rank_)};
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw OutputError(text_of("cannot keep the outputs of the ranks in ", what, ": ",
                              std::strerror(errno), "; TMPDIR may name another folder"));
  }

  int rank_;
  int file_;
};

/// Work in a thread of its own, which may write to a pipe.
class Worker {
 public:
  /// `work` is told the name of the pipe.
  explicit Worker(const std::function<void(const std::string& into)>& work) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw Error(Kind::kInternal, text_of("cannot make a pipe: ", std::strerror(errno)));
    from_ = ends[0];
    into_ = ends[1];
    thread_ = std::thread([this, work] {
      try {
        work("/proc/self/fd/" + std::to_string(into_));
      } catch (...) {
        failure_ = std::current_exception();
      }
      close(into_);  // the reader sees the end
    });
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// It is over: see check().
  ~Worker() { close(from_); }

  int file() const { return from_; }
  /// What is there; nothing at the end.
  std::string read() const {
    std::string text(std::size_t{1} << 20, '\0');
    ssize_t count = 0;
    do count = ::read(from_, text.data(), text.size());
    while (count < 0 && errno == EINTR);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return text;
  }
  /// After the end: throws what the work threw.
  void check() {
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  int from_ = -1, into_ = -1;
  std::exception_ptr failure_;
  std::thread thread_;
};

/// What this process does in the job.
class Job {
 public:
  explicit Job(Ranks& ranks) : ranks_(ranks) {}

  /// Of rank 0: the whole run. Throws what is wrong with the arguments, or what a rank failed with.
  int lead(int argc, const char* const* argv) {
    if (argc < 2)
      throw UsageError("no verb given, as in: mpirun rhomb-mpi search reads.fa genome.fa -k 5");
    const Verb& verb = find_verb(argv[1]);
    CommandLine line = described(verb);
    if (!has_shards(line))
      throw UsageError(
          text_of("rhomb ", verb.name,
                  " has nothing that ranks could share (rhomb-mpi --help tells more)"));
    if (!parse_or_help(line, argc - 1, argv + 1)) return 0;
    if (line.has("shard"))
      throw UsageError("rhomb-mpi gives each rank its --shard; use rhomb for parts of your own");
    if (line.has("checkpoint") || line.has("resume"))
      throw UsageError(
          "processes that share a run save no checkpoints; rhomb does, in a folder a run");
    if (std::ranges::count(line.files(), "-") > 0)
      throw UsageError("all ranks read the files, so none can be standard input");

    Words words = arguments_of(line, {"output"});
    words.insert(words.begin(), std::string(verb.name));
    if (verb.name == "distance" && is_one_pair(line)) {
      share_pair(words, line.text("output", "-"));
      return 0;
    }
    if (line.has("explain")) return verb.run(argc - 1, argv + 1);
    Output out(line.text("output", "-"));
    share_records(words, out);
    out.commit();
    return 0;
  }

  /// Of the others: does what rank 0 says until the run is over.
  int follow() {
    while (!over_) {
      turn(-1);
      if (const Words words = std::exchange(words_, {}); !words.empty()) {
        compute(words);
        ranks_.send(0, {kDone, ""});
      }
      if (const Words words = std::exchange(help_, {}); !words.empty()) help(words);
    }
    return 0;
  }

  /// Of rank 0: lets the others end.
  void end() {
    if (team_) team_->dismiss();
    tell({kEnd, ""});
    while (ranks_.unsent() > 0) turn(-1);
  }
  /// Of the others: leaves it to rank 0 to say why, and to end the job.
  void fail(const std::string& why, int code) {
    ranks_.send(0, {kFailed, text_of(std::to_string(code), " ", why)});
    for (const double began = now(); now() - began < kPatience;) turn(-1);
    say_error(why, code);
  }

 private:
  static constexpr double kPatience = 10;   // seconds
  static constexpr std::size_t kAhead = 8;  // messages that are on their way to rank 0, at most

  static bool has_shards(const CommandLine& line) {
    for (const Group& group : line.groups())
      for (const Flag& flag : group.flags)
        if (flag.long_name() == "shard") return true;
    return false;
  }

  void tell(const dist::Message& message) {
    for (int i = 1; i < ranks_.count(); ++i) ranks_.send(i, message);
  }

  bool turn(int file) {
    return ranks_.turn(file, [this](int from, dist::Message message) {
      if (strip::Team::has(message.kind)) return team_->deliver(from, std::move(message));
      switch (message.kind) {
        case kRun:
          words_ = words_of(message.text);
          break;
        case kPart:
          parts_[static_cast<std::size_t>(from)]->add(message.text);
          break;
        case kDone:
          ++done_;
          break;
        case kFailed: {
          say_rank(from);
          const std::size_t blank = message.text.find(' ');
          throw Error(kind_of(std::stoi(message.text)), message.text.substr(blank + 1));
        }
        case kHelp:
          help_ = words_of(message.text);
          make_team({});  // before more comes for it
          break;
        case kDevices: {
          dist::FieldsIn fields(message.text);
          while (!fields.empty()) members_.push_back({from, fields.get<ocl::Limits>()});
          ++done_;
          break;
        }
        case kEnd:
          over_ = true;
          break;
        default:
          throw Error(Kind::kInternal, "a message of a kind that there is not");
      }
    });
  }

  /// Of rank 0: what all parts print, in order.
  void share_records(const Words& words, Output& out) {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {  // one is open for each rank
      files.rlim_cur = files.rlim_max;
      setrlimit(RLIMIT_NOFILE, &files);
    }
    for (int i = 0; i < ranks_.count(); ++i) parts_.push_back(std::make_unique<PartStore>(i));
    tell({kRun, one_text(words)});
    compute(words);
    while (done_ + 1 < ranks_.count()) turn(-1);
    std::vector<PartFile> files_of_parts;
    for (const auto& part : parts_) files_of_parts.push_back(part->file());
    merge_parts(files_of_parts, out);
  }

  /// This rank's part of the records.
  void compute(const Words& words) {
    run([words = own(words, true)](const std::string& into) { run_verb(words, into); });
  }

  /// Of rank 0: rhomb distance, and the others help.
  void share_pair(const Words& words, const std::string& output) {
    tell({kHelp, one_text(words)});
    while (done_ + 1 < ranks_.count()) turn(-1);
    make_team(std::exchange(members_, {}));
    if (ranks_.count() > 1) use_team(&*team_);
    run([words = own(words, false), output](const std::string&) { run_verb(words, output); });
  }

  /// Of the others: helps rank 0 with its pair.
  void help(const Words& words) {
    const Words mine = own(words, false);
    std::vector<const char*> arguments;
    for (const std::string& word : mine) arguments.push_back(word.c_str());
    CommandLine line = described(find_verb(mine[0]));
    line.parse(static_cast<int>(arguments.size()), arguments.data());
    const DeviceOptions where = parse_device(line);
    batch::DeviceSet devices(where.selector, where.open);
    dist::FieldsOut fields;
    if (needs_device(parse_method(line)))
      for (const ocl::DeviceInfo& device : devices.infos()) {
        ocl::Limits limits = device.limits;
        limits.host = static_cast<std::uint32_t>(ranks_.host());
        fields.add(limits);
      }
    ranks_.send(0, {kDevices, fields.take()});
    run([&](const std::string&) {
      strip::help(*team_, [&] {
        std::vector<ocl::Device*> opened;
        for (std::size_t i = 0; i < devices.infos().size(); ++i) opened.push_back(&devices.open(i));
        return opened;
      });
    });
    devices.abandon();
  }

  void make_team(std::vector<strip::Team::Member> members) {
    team_.emplace(ranks_.rank(), ranks_.count(), std::move(members),
                  [this](int to, dist::Message message) { ranks_.send(to, std::move(message)); });
  }

  /// Work in a thread of its own, until it ends; what it writes to the pipe goes to rank 0.
  void run(const std::function<void(const std::string& into)>& work) {
    worker_ = std::make_unique<Worker>(work);
    for (;;) {
      if (!turn(ranks_.unsent() < kAhead ? worker_->file() : -1)) continue;
      std::string text = worker_->read();
      if (text.empty()) break;
      if (ranks_.rank() == 0)
        parts_[0]->add(text);
      else
        ranks_.send(0, {kPart, std::move(text)});
    }
    worker_->check();
    worker_.reset();
  }

  /// The arguments with what this rank alone has.
  Words own(const Words& words, bool shard) const {
    Words made{words[0]};
    if (shard)
      made.push_back(text_of("--shard=", std::to_string(ranks_.rank() + 1), "/",
                             std::to_string(ranks_.count())));
    const char* const usual = std::getenv("RHOMB_DEVICE");
    std::string selector = usual != nullptr ? usual : "";
    bool threads = false;
    for (auto word = words.begin() + 1; word != words.end(); ++word) {
      if (*word == "--") {
        if (const std::string device = devices_for(ranks_, selector); !device.empty())
          made.push_back("--device=" + device);
        if (!threads) made.push_back("--threads=" + std::to_string(cores_for(ranks_)));
        made.insert(made.end(), word, words.end());
        break;
      }
      if (word->starts_with("--device=")) {
        selector = word->substr(word->find('=') + 1);
        continue;
      }
      threads |= word->starts_with("--threads=");
      made.push_back(*word);
      if (word->starts_with("--trace=") && ranks_.rank() > 0)
        made.back() += "." + std::to_string(ranks_.rank());
    }
    return made;
  }

  Ranks& ranks_;
  std::vector<std::unique_ptr<PartStore>> parts_;
  Words words_;  // that this rank was told to run
  Words help_;   // likewise, to help with
  std::vector<strip::Team::Member> members_;
  std::optional<strip::Team> team_;
  std::unique_ptr<Worker> worker_;  // not over yet where the job is ended for an error
  int done_ = 0;
  bool over_ = false;
};

int run(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--help" || first == "-h" || first == "--man" || first == "--version") {
    Output out(first == "--man" && argc > 2 ? argv[2] : "-");
    out.write(first == "--version" ? version_text()
              : first == "--man"   ? manual(kMpi)
                                   : described(kMpi).help_text(true));
    out.commit();
    return 0;
  }
  prepare_opencl();  // before MPI, which may look for devices
  Ranks ranks;
  if (ranks.count() > 1) say_rank(ranks.rank());
  Job job(ranks);
  const int code = guarded([&] { return ranks.rank() == 0 ? job.lead(argc, argv) : job.follow(); },
                           [&](const std::string& why, int failed) {
                             ranks.rank() == 0 ? say_error(why, failed) : job.fail(why, failed);
                           });
  if (code != 0) {
    remove_pocl_cache();
    ranks.abort(code);
  }
  if (ranks.rank() == 0) job.end();
  ranks.end();
  return 0;
}

}  // namespace
}  // namespace rhomb::cli

int main(int argc, char** argv) {
  return rhomb::cli::run_program([&] { return rhomb::cli::run(argc, argv); });
}
