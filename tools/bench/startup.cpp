// SPDX-License-Identifier: Apache-2.0
// rhomb bench startup: the whole program, started with empty caches and again with filled ones.
// This process never touches OpenCL, so that children may be started safely.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "host/rhomb.h"
#include "tools/bench/asked.h"
#include "tools/bench/bench.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/text.h"

extern char** environ;

namespace rhomb::cli {
namespace {

// Where rhomb, PoCL and NVIDIA's driver keep what they compiled.
constexpr const char* kCaches[] = {"XDG_CACHE_HOME", "POCL_CACHE_DIR", "CUDA_CACHE_PATH"};

Help help() {
  return {
      "rhomb bench startup [options] A B",
      R"(Starts this program anew to run `rhomb distance A B`: with empty caches (cold: kernels are
compiled), then with the caches that it left behind (warm), --runs times each. seconds is the median
time from start to exit, reading files included; ratio compares it with the warm one. Added columns:
start (cold or warm), compute (median seconds on the device), beyond (median of seconds - compute).
)",
      R"(  rhomb bench startup A.fa B.fa --format table
  rhomb bench startup A.fa B.fa --device gpu --runs 5
)"};
}

Group run_group() { return {"Run", {{"runs", "N", "starts of each kind (default: 3)"}}}; }

/// A directory that goes away at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    path_ = (std::filesystem::temp_directory_path() / "rhomb-startup-XXXXXX").string();
    if (!mkdtemp(path_.data()))
      throw Error(Kind::kInternal, "cannot make a directory in " +
                                       std::filesystem::temp_directory_path().string() + ": " +
                                       std::strerror(errno));
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The environment with all caches below `directory`.
std::vector<std::string> environment(const std::string& directory) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    if (std::ranges::none_of(
            kCaches, [&](const char* name) { return text.starts_with(text_of(name, "=")); }))
      variables.push_back(text);
  }
  for (const char* name : kCaches) {
    const std::string path = text_of(directory, "/", name);
    std::filesystem::create_directories(path);
    variables.push_back(text_of(name, "=", path));
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

struct Start {
  Json answer;
  double seconds = 0;
};

/// Runs this program with `arguments`, its results read from a pipe.
Start start(std::vector<std::string> arguments, const std::string& caches) {
  auto variables = environment(caches);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(Kind::kInternal, "pipe: out of file descriptors");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr,
                                 pointers(arguments).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char block[4096];
  for (ssize_t got = 1; !failed && got != 0;) {
    got = read(ends[0], block, sizeof block);
    if (got > 0) text.append(block, static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  if (failed)
    throw Error(Kind::kInternal, text_of("cannot start this program: ", std::strerror(failed)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (!WIFEXITED(status))
    throw Error(Kind::kInternal, "the measured program was killed by a signal");
  if (WEXITSTATUS(status) != 0)
    throw Error(Kind::kInternal, "the measured program failed, see above");
  return {Json::parse(text), elapsed.count()};
}

/// The command line of the measured program: the options that were given here.
std::vector<std::string> child_arguments(const CommandLine& line) {
  std::vector<std::string> arguments = {"rhomb", "distance",   "--format",
                                        "json",  "--progress", "none"};
  for (const auto& given : given_arguments(line, {input_group(), method_group(), device_group()}))
    arguments.push_back(given);
  arguments.emplace_back("--");
  for (const auto& file : line.files(2)) {
    if (file == "-") throw UsageError("bench startup reads its files more than once, so not -");
    arguments.push_back(file);
  }
  return arguments;
}

/// What all starts of a kind came to.
struct Kind {
  std::string name;
  std::vector<double> seconds{}, compute{}, beyond{};
  Json answer{};

  void add(const Start& start) {
    answer = start.answer;
    seconds.push_back(start.seconds);
    compute.push_back(answer["timing"]["compute"].get<double>());
    beyond.push_back(start.seconds - compute.back());
  }

  Measurement measurement() const {
    Measurement row;
    row.engine = answer["engine"];
    row.variant = answer["variant"];
    row.device = answer["device"];
    for (const auto& [key, value] : answer["config"].items()) row.config.set(key, value.get<int>());
    row.query_length = answer["query_length"];
    row.target_length = answer["target_length"];
    if (!answer["distance"].is_null()) row.distance = answer["distance"].get<std::int64_t>();
    row.seconds = median(seconds);
    row.more = {{"start", name}, {"compute", median(compute)}, {"beyond", median(beyond)}};
    return row;
  }
};

}  // namespace

int bench_startup(int argc, const char* const* argv) {
  CommandLine line(
      help(), {run_group(), method_group(), input_group(), device_group(), output_group(true)});
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto arguments = child_arguments(line);
  const int runs = line.count("runs", 3, 1);
  const OutputOptions output = parse_output(line, true);
  parse_progress(line);
  Output out(output.file);

  Kind cold{"cold"};
  Kind warm{"warm"};
  for (int run = 0; run < runs; ++run) {
    const TemporaryDirectory caches;
    cold.add(start(arguments, caches.path()));
    warm.add(start(arguments, caches.path()));
  }
  std::vector<Measurement> rows = {cold.measurement(), warm.measurement()};
  for (auto& row : rows) row.ratio = ratio_of(row, rows.back());
  out.write(table(rows, output.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
