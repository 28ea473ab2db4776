// SPDX-License-Identifier: Apache-2.0
// rhomb bench pairs: many pairs at a time, computed and as whole processes, beside libraries on a
// core and another program on the GPU.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/distance/run.h"
#include "tools/bench/bench.h"
#include "tools/bench/measure.h"
#include "tools/bench/peer.h"
#include "tools/cli/command_line.h"
#include "tools/cli/text.h"

extern char** environ;

namespace rhomb::cli {
namespace {

constexpr const char* kUsualPairs = "2000x10k:0.05,50000x1k:0.05,500000x150:0.02";
constexpr const char* kWfaGpu = "wfa.affine.gpu";

Help pairs_bench_help() {
  return {
      "rhomb bench pairs [options]",
      R"(Many random pairs at a time: rhomb distance, in this process and as a process of its own that reads
two FASTA files; the libraries that rhomb was built with, edlib and WFA2-lib, on one core; and WFA-GPU
(github.com/quim0/WFA-GPU) where its program is found, on the GPU that it takes. All distances are compared; exit
code 6 if they differ. Columns:
  program, variant, device
  pairs             that were computed; a library stops after --limit
  length, divergence
  distance          the mean of the pairs
  seconds           median of the runs, without reading and printing: of rhomb with packing and copies, the
                    memory of one run used by the next; of WFA-GPU what it calls its alignments' wall time
  compute           seconds on the device; NA for others
  process           seconds of the whole process, with reading, printing, and the device's start and end;
                    NA for libraries
  pairs_per_second  pairs / seconds
  gcups             product of the lengths / seconds / 1e9
  ratio             seconds a pair / those of rhomb
)",
      R"(  rhomb bench pairs --format table
  rhomb bench pairs --pairs 10000x1k:0.1,10000x1k:0.01 -d cpu --format table
  rhomb bench pairs --pairs 2000x10k:0.05 --wfa-gpu ~/WFA-GPU/bin/wfa.affine.gpu
)"};
}

/// Random pairs of one length.
struct PairsCase {
  std::size_t count = 0;
  std::int64_t length = 0;
  Divergence divergence;
  std::string divergence_text;

  std::string name() const {
    return text_of(count_of(count), " pairs of ", count_of(length), ", ", divergence_text);
  }
};

/// Reads "2000x10k:0.05,50000x1k:unrelated".
std::vector<PairsCase> parse_cases(const CommandLine& line) {
  std::vector<PairsCase> cases;
  for (const std::string& text : split(line.text("pairs", kUsualPairs), ',')) {
    const auto cross = text.find('x'), colon = text.find(':');
    if (cross == text.npos || colon == text.npos || colon < cross)
      throw UsageError(text_of("--pairs: '", text, "' is not COUNTxLENGTH:DIVERGENCE, as in ",
                               "2000x10k:0.05", line.pointer()));
    PairsCase one;
    one.count = static_cast<std::size_t>(
        parse_length(text.substr(0, cross), "--pairs, the count", 1, 100'000'000));
    one.length = parse_length(text.substr(cross + 1, colon - cross - 1), "--pairs, the length");
    one.divergence_text = text.substr(colon + 1);
    one.divergence = parse_divergence(one.divergence_text, "--pairs, the divergence");
    cases.push_back(one);
  }
  if (cases.empty()) throw UsageError("--pairs: there are none" + line.pointer());
  return cases;
}

/// A folder that goes with what is in it.
class Scratch {
 public:
  Scratch() {
    std::string path = (std::filesystem::temp_directory_path() / "rhomb-bench-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
      throw OutputError(text_of("cannot make the folder ", path, ": ", std::strerror(errno)));
    path_ = path;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Runs a program to its end, what it prints in a file; the seconds that it took. Throws Error
/// unless it ends well.
double seconds_of_process(const std::string& program, std::vector<std::string> words,
                          const std::string& printed) {
  words.insert(words.begin(), program);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, printed.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const double begin = now();
  pid_t process = -1;
  const int code =
      ::posix_spawnp(&process, program.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (code != 0)
    throw Error(Kind::kInternal, text_of("cannot start ", program, ": ", std::strerror(code)));
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  const double seconds = now() - begin;
  if (status != 0) throw Error(Kind::kInternal, program + " failed");
  return seconds;
}

/// The program, if it is there: as a path, or on the PATH.
bool found_program(const std::string& program) {
  if (program.find('/') != program.npos) return ::access(program.c_str(), X_OK) == 0;
  const char* const path = std::getenv("PATH");
  for (const std::string& folder : split(path != nullptr ? path : "", ':'))
    if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

class PairsBench {
 public:
  PairsBench(Bench& bench, Session& session, const CommandLine& line)
      : bench_(bench),
        session_(session),
        runs_(line.count("runs", 5, 1)),
        limit_(line.has("limit") ? parse_duration(line.text("limit"), "--limit") : 1),
        wfa_gpu_(line.text("wfa-gpu", kWfaGpu)) {
    const std::string device = line.text("device", line.text("d"));
    if (!device.empty()) device_words_ = {"--device", device};
    if (line.has("kernels"))
      device_words_.insert(device_words_.end(), {"--kernels", line.text("kernels")});
    if (line.has("no-cache")) device_words_.push_back("--no-cache");
    if (found_program(wfa_gpu_)) return;
    if (line.has("wfa-gpu")) throw UsageError("--wfa-gpu: there is no program " + wfa_gpu_);
    wfa_gpu_.clear();
    bench_.progress.note(text_of("rhomb: WFA-GPU's program ", kWfaGpu,
                                 " is not on the PATH and is left out (--wfa-gpu)"));
  }

  std::vector<Json> measure(const PairsCase& asked) {
    make(asked);
    std::vector<Json> records;
    const auto run = [&](const std::string& name, const auto& take) {
      bench_.progress.start(text_of(asked.name(), ", ", name));
      Json record = take();
      bench_.progress.finish();
      if (record.is_null()) return;
      const double each = record["seconds"].template get<double>() /
                          std::max(record["pairs"].template get<double>(), 1.0);
      if (records.empty()) first_ = each;
      record["pairs_per_second"] = 1 / std::max(each, 1e-12);
      record["gcups"] = static_cast<double>(asked.length) * static_cast<double>(asked.length) /
                        std::max(each, 1e-12) / 1e9;
      record["ratio"] = rounded(fixed(each / std::max(first_, 1e-12), 3));
      records.push_back(std::move(record));
    };
    run("rhomb", [&] { return by_rhomb(asked); });
    for (const Peer& peer : built_in_peers())
      if (peer.variant != "ultralow") run(peer.name, [&] { return by_library(asked, peer); });
    if (!wfa_gpu_.empty()) run("WFA-GPU", [&] { return by_wfa_gpu(asked); });
    return records;
  }

 private:
  void make(const PairsCase& asked) {
    queries_.clear();
    targets_.clear();
    std::ofstream a(scratch_.file("a.fa")), b(scratch_.file("b.fa")), both;
    if (!wfa_gpu_.empty()) both.open(scratch_.file("pairs.seq"));
    for (std::size_t i = 0; i < asked.count; ++i) {
      Sample sample = random_sample(asked.length, asked.divergence, i + 1);
      sample.query.name = sample.target.name = std::to_string(i);
      a << '>' << i << '\n' << sample.query.symbols << '\n';
      b << '>' << i << '\n' << sample.target.symbols << '\n';
      if (both.is_open())
        both << '>' << sample.query.symbols << "\n<" << sample.target.symbols << '\n';
      queries_.push_back(std::move(sample.query));
      targets_.push_back(std::move(sample.target));
    }
    if (!a.flush() || !b.flush())
      throw OutputError("cannot write the pairs to " + scratch_.file("a.fa"));
  }

  Json record_of(const PairsCase& asked, const std::string& program, std::size_t pairs,
                 double seconds) const {
    double sum = 0;
    for (std::size_t i = 0; i < pairs; ++i) sum += static_cast<double>(distances_[i]);
    Json record;
    record["program"] = program;
    record["variant"] = "";
    record["device"] = "host";
    record["pairs"] = pairs;
    record["length"] = asked.length;
    record["divergence"] = asked.divergence_text;
    record["distance"] = sum / static_cast<double>(std::max<std::size_t>(pairs, 1));
    record["seconds"] = seconds;
    record["compute"] = nullptr;
    record["process"] = nullptr;
    return record;
  }

  void check(const std::string& program, std::size_t pair, std::int64_t distance) const {
    if (distance == distances_[pair]) return;
    throw CheckError(text_of("pair ", std::to_string(pair), ": rhomb says ",
                             std::to_string(distances_[pair]), ", ", program, " says ",
                             std::to_string(distance), "; please report this"));
  }

  Json by_rhomb(const PairsCase& asked) {
    std::vector<double> seconds, computes;
    std::map<std::string, std::size_t> variants;
    std::string device;
    Together::Memory memory;
    for (int run = 0; run <= runs_; ++run) {  // the first one to warm up
      const double begin = now();
      double compute = 0;
      distances_.clear();
      variants.clear();
      Together together(session_.choices(), PairList::by_order(queries_, targets_), options());
      together.use(std::move(memory));  // as the blocks of one process do
      std::map<std::size_t, DistanceAnswer> alone;
      for (std::size_t i = 0; i < asked.count; ++i) {
        if (together.takes(i) && !together.ready(i)) together.compute(i);
        if (!together.takes(i) || !together.ready(i))
          alone[i] = distance(session_.open(), queries_[i].symbols, targets_[i].symbols, options());
      }
      if (run > 0) seconds.push_back(now() - begin);
      for (std::size_t i = 0; i < asked.count; ++i) {
        const auto one = alone.find(i);
        const DistanceAnswer answer = one != alone.end() ? one->second : together.found(i);
        compute += answer.timing.compute;
        distances_.push_back(*answer.distance);
        ++variants[answer.variant];
        device = answer.device;
      }
      if (run > 0) computes.push_back(compute);
      memory = together.memory();
    }
    Json record = record_of(asked, "rhomb", asked.count, median(seconds));
    record["variant"] =
        std::ranges::max_element(variants, {}, [](const auto& one) { return one.second; })->first;
    record["device"] = device;
    record["compute"] = median(computes);
    std::vector<double> processes;
    std::vector<std::string> words = {"distance", scratch_.file("a.fa"), scratch_.file("b.fa")};
    words.insert(words.end(), device_words_.begin(), device_words_.end());
    for (int run = 0; run <= runs_; ++run) {
      const double whole = seconds_of_process("/proc/self/exe", words, scratch_.file("printed"));
      if (run > 0) processes.push_back(whole);
    }
    check_printed(asked.count);
    record["process"] = median(processes);
    return record;
  }

  /// Of the process, a row a pair behind the names of the columns.
  void check_printed(std::size_t count) const {
    constexpr std::size_t kDistance = 4;
    std::ifstream printed(scratch_.file("printed"));
    std::string line;
    std::getline(printed, line);
    std::size_t pair = 0;
    for (; std::getline(printed, line) && pair < count; ++pair) {
      std::size_t at = 0;
      for (std::size_t column = 0; column < kDistance; ++column) at = line.find('\t', at) + 1;
      check("the process", pair, std::strtoll(line.c_str() + at, nullptr, 10));
    }
    if (pair != count) throw CheckError("the process has not printed all distances");
  }

  Json by_library(const PairsCase& asked, const Peer& peer) const {
    const double begin = now();
    std::size_t pairs = 0;
    double seconds = 0;
    for (; pairs < asked.count && seconds < limit_; ++pairs) {
      check(peer.name, pairs, peer.distance(queries_[pairs].symbols, targets_[pairs].symbols));
      seconds = now() - begin;
    }
    Json record = record_of(asked, peer.name, pairs, seconds);
    record["variant"] = peer.variant;
    return record;
  }

  Json by_wfa_gpu(const PairsCase& asked) const {
    const std::int64_t most = std::max<std::int64_t>(20, std::ranges::max(distances_));
    std::vector<double> seconds, processes;
    for (int run = 0; run <= runs_; ++run) {
      const double whole = seconds_of_process(
          wfa_gpu_,
          {"-i", scratch_.file("pairs.seq"), "-g", "1,0,1", "-e", std::to_string(most), "-b",
           std::to_string(asked.count), "-o", scratch_.file("scores")},
          scratch_.file("printed"));
      if (run == 0) continue;
      processes.push_back(whole);
      constexpr std::string_view kTime = "Alignment computed. Wall time: ";
      std::ifstream printed(scratch_.file("printed"));
      for (std::string line; std::getline(printed, line);)
        if (const auto at = line.find(kTime); at != line.npos)
          seconds.push_back(std::strtod(line.c_str() + at + kTime.size(), nullptr));
    }
    if (seconds.empty()) throw Error(Kind::kInternal, wfa_gpu_ + " tells no time");
    std::ifstream scores(scratch_.file("scores"));
    std::size_t pair = 0;
    for (std::string line; std::getline(scores, line) && pair < asked.count; ++pair)
      check("WFA-GPU", pair, std::abs(std::strtoll(line.c_str(), nullptr, 10)));
    if (pair != asked.count) throw CheckError("WFA-GPU has not written all distances");
    Json record = record_of(asked, "wfa-gpu", asked.count, median(seconds));
    record["device"] = "GPU";  // it takes one itself
    record["process"] = median(processes);
    return record;
  }

  DistanceOptions& options() {
    options_.store = &session_.store();
    return options_;
  }

  Bench& bench_;
  Session& session_;
  const int runs_;
  const double limit_;
  std::vector<std::string> device_words_;  // for the process
  std::string wfa_gpu_;
  const Scratch scratch_;
  DistanceOptions options_;
  seq::Batch queries_, targets_;
  std::vector<std::int64_t> distances_;
  double first_ = 0;  // seconds a pair of the first record
};

}  // namespace

int bench_pairs(int argc, const char* const* argv) {
  CommandLine line(
      pairs_bench_help(),
      {{"Run",
        {{"pairs", "LIST", text_of("COUNTxLENGTH:DIVERGENCE,... (default: ", kUsualPairs, ")")},
         {"runs", "N", "measured runs of each (default: 5)"},
         {"limit", "TIME", "a library stops after so long (default: 1s)"},
         {"wfa-gpu", "PROGRAM",
          text_of("WFA-GPU's program (default: ", kWfaGpu, ", if it is on the PATH)")}}},
       device_group(),
       output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(0);
  const std::vector<PairsCase> cases = parse_cases(line);
  Bench bench(line);
  for (const auto& name : missing_peers())
    bench.progress.note("rhomb: " + name + " was not found when rhomb was built and is left out");
  PairsBench pairs(bench, bench.open(true), line);
  std::vector<Json> records;
  for (const PairsCase& asked : cases)
    for (Json& record : pairs.measure(asked)) records.push_back(std::move(record));
  bench.write(records);
  return 0;
}

}  // namespace rhomb::cli
