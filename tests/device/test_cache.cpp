// SPDX-License-Identifier: Apache-2.0
// The cache of programs: what is stored, what is refused, what is shared between processes.
#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/ocl/cache.h"
#include "host/ocl/device.h"
#include "host/ocl/hash.h"
#include "tests/support/catch.h"

extern char** environ;

namespace rhomb::cache_tests {

namespace {

namespace fs = std::filesystem;

/// A directory that is removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "rhomb-cache-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& file, const std::string& data) {
  std::ofstream(file, std::ios::binary) << data;
}

std::vector<fs::path> files(const fs::path& dir, const std::string& extension = "") {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(dir))
    if (extension.empty() || entry.path().extension() == extension) found.push_back(entry.path());
  return found;
}

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777u;
}

const ocl::Defines kDefines = {{"STEP", "3"}};

/// A device whose programs come from `root`/kernels and are kept in `root`/cache.
class Bench {
 public:
  explicit Bench(const fs::path& root, bool cache = true)
      : device_(chosen(), {.kernels_dir = kernels(root),
                           .cache = cache,
                           .cache_dir = (root / "cache").string(),
                           .pocl_binaries = true}) {}

  ocl::Device& device() { return device_; }
  bool tested() { return device_.tested("step.cl", kDefines); }
  void mark_tested() { device_.mark_tested("step.cl", kDefines); }
  bool works() {
    const auto out = device_.filled(64, 4);
    device_.kernel("step.cl", "advance", kDefines)({.global_x = 64, .group_x = 16}, out);
    return device_.read(out, 0, 64) == std::vector<int>(64, 7);
  }

 private:
  static ocl::DeviceInfo chosen() {
    const char* wanted = std::getenv("RHOMB_DEVICE");
    return ocl::choose_device(wanted ? wanted : "", ocl::list_devices());
  }
  static std::string kernels(const fs::path& root) {
    const fs::path dir = root / "kernels";
    if (fs::create_directory(dir))
      put(dir / "step.cl",
          "__kernel void advance(__global int* a) { a[get_global_id(0)] += STEP; }\n");
    return dir.string();
  }

  ocl::Device device_;
};

/// Starts this program again to run the case "child" with `variables` in its environment.
pid_t start_child(const std::vector<std::string>& variables) {
  std::vector<char*> environment;
  for (char** variable = environ; *variable; ++variable) environment.push_back(*variable);
  std::vector<std::string> own = variables;
  for (std::string& variable : own) environment.insert(environment.begin(), variable.data());
  environment.push_back(nullptr);
  std::string name = "rhomb_tests";
  std::string test = "child";
  char* const arguments[] = {name.data(), test.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failed =
      posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE(failed == 0);
  return pid;
}

int status_of(pid_t pid) {
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

// What start_child() runs; does nothing when it is run with the others.
TEST_CASE("child", "[.child]") {
  const char* wanted = std::getenv("RHOMB_TEST_CHILD");
  if (!wanted) return;
  if (wanted == std::string("no driver")) {
    CHECK(ocl::list_devices().empty());
    return;
  }
  const fs::path root = wanted;
  // PoCL's own cache is not shared: its clGetProgramInfo crashes where another process is just
  // replacing the program in there.
  const fs::path pocl = root / ("pocl-" + std::to_string(getpid()));
  fs::create_directory(pocl);
  setenv("POCL_CACHE_DIR", pocl.c_str(), 1);
  Bench bench(root);
  CHECK(bench.works());
  bench.tested();
  bench.mark_tested();
  CHECK(bench.tested());
}

TEST_CASE("the hash is MurmurHash3", "[cache]") {
  CHECK(ocl::hex(ocl::hash_of("")) == "00000000000000000000000000000000");
  CHECK(ocl::hex(ocl::hash_of("hello")) == "cbd8a7b341bd9b025b1e906a48ae1d19");
  CHECK(ocl::hex(ocl::hash_of("The quick brown fox jumps over the lazy dog")) ==
        "e34bbc7bbc071b6c7a433ca9c49a9347");
}

TEST_CASE("the cache keeps binaries for their owner alone", "[cache]") {
  const Folder folder;
  const fs::path dir = folder.path() / "a" / "b";
  const ocl::Cache cache(dir.string());
  REQUIRE(cache.dir() == dir.string());
  CHECK(mode_of(dir) == 0700);
  CHECK(cache.load("k") == std::nullopt);
  CHECK(!cache.tested("k", "binary"));

  const std::string binary("bin\0ary\n", 8);
  cache.store("k", binary);
  CHECK(cache.load("k") == binary);
  CHECK(mode_of(dir / "k.bin") == 0600);
  CHECK(files(dir).size() == 1);

  cache.mark_tested("k", binary);
  CHECK(cache.tested("k", binary));
  CHECK(!cache.tested("k", "another"));
  CHECK(files(dir).size() == 2);
  cache.store("k", "another");
  CHECK(!cache.tested("k", "another"));
  CHECK(!cache.tested("k", binary));
  cache.remove("k");
  CHECK(files(dir).empty());
}

TEST_CASE("a damaged entry is removed", "[cache]") {
  const Folder folder;
  const ocl::Cache cache(folder.path().string());
  const std::string binary(1000, 'b');
  cache.store("k", binary);
  cache.mark_tested("k", binary);
  const fs::path file = folder.path() / "k.bin";
  const std::string whole = contents(file);

  const auto refused = [&](const std::string& data) {
    put(file, data);
    return cache.load("k") == std::nullopt && !fs::exists(file) && !cache.tested("k", binary);
  };
  CHECK(refused(""));
  CHECK(refused("garbage"));
  CHECK(refused(std::string(5000, 'g')));
  CHECK(refused(whole + "x"));
  for (std::size_t size = 0; size < whole.size(); size += 37) CHECK(refused(whole.substr(0, size)));
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    CHECK(refused(flipped));
  }
  put(file, whole);
  CHECK(cache.load("k") == binary);

  fs::remove(file);
  put(folder.path() / "elsewhere", whole);
  fs::create_symlink(folder.path() / "elsewhere", file);
  CHECK(cache.load("k") == std::nullopt);
}

TEST_CASE("a directory that is not ours is not used", "[cache]") {
  const Folder folder;
  put(folder.path() / "file", "");
  const fs::path open = folder.path() / "open";
  fs::create_directory(open);
  fs::permissions(open, fs::perms::all);
  for (const fs::path& dir : {folder.path() / "file", folder.path() / "file" / "dir", open,
                              fs::path("/proc/rhomb"), fs::path("/dev/null")}) {
    CAPTURE(dir);
    const ocl::Cache cache(dir.string());
    CHECK(cache.dir().empty());
    cache.store("k", "binary");
    cache.mark_tested("k", "binary");
    CHECK(cache.load("k") == std::nullopt);
    CHECK(!cache.tested("k", "binary"));
    cache.remove("k");
  }
  CHECK(files(open).empty());
  CHECK(ocl::Cache().dir().empty());
}

TEST_CASE("the cache does not grow without bound", "[cache]") {
  const Folder folder;
  const ocl::Cache cache(folder.path().string());
  for (int i = 0; i < 600; ++i) {
    cache.store("k" + std::to_string(i), "binary");
    const auto age = std::chrono::seconds(1000 - i);
    fs::last_write_time(folder.path() / ("k" + std::to_string(i) + ".bin"),
                        fs::file_time_type::clock::now() - age);
  }
  CHECK(files(folder.path()).size() <= 512);
  CHECK(cache.load("k599"));
  CHECK(!cache.load("k0"));
}

TEST_CASE("marks of tests without binaries do not grow without bound, either", "[cache]") {
  const Folder folder;
  const ocl::Cache cache(folder.path());
  for (int i = 0; i < 600; ++i) cache.mark_tested("key" + std::to_string(i), "");
  const std::size_t kept = files(folder.path(), ".ok").size();
  CHECK(kept >= 300);
  CHECK(kept <= 512);
  CHECK(cache.tested("key599", ""));
}

TEST_CASE("what is of a time to come is removed first", "[cache]") {
  const Folder folder;
  const ocl::Cache cache(folder.path());
  const auto later = fs::file_time_type::clock::now() + std::chrono::hours(24 * 365);
  for (int i = 0; i < 500; ++i) {
    cache.mark_tested("old" + std::to_string(i), "");
    fs::last_write_time(folder.path() / ("old" + std::to_string(i) + ".ok"), later);
  }
  for (int i = 0; i < 100; ++i) cache.mark_tested("new" + std::to_string(i), "");
  for (int i = 0; i < 100; ++i) CHECK(cache.tested("new" + std::to_string(i), ""));
}

TEST_CASE("what a process left that died is removed, whatever its time", "[cache]") {
  const Folder folder;
  const ocl::Cache cache(folder.path());
  const auto now = fs::file_time_type::clock::now();
  for (const int days : {-9999, 0, 9999}) {
    const fs::path half = folder.path() / ("key.bin.Half" + std::to_string(days + 9999));
    put(half, "half");
    fs::last_write_time(half, now + std::chrono::hours(24 * days));
  }
  const fs::path written = folder.path() / "key.ok.Locked";
  put(written, "half");
  const int file = open(written.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(flock(file, LOCK_EX | LOCK_NB) == 0);
  cache.mark_tested("other", "");
  CHECK(files(folder.path()).size() == 2);
  CHECK(fs::exists(written));
  close(file);
  cache.mark_tested("third", "");
  CHECK_FALSE(fs::exists(written));
}

TEST_CASE("a program is built once and found again", "[cache][device]") {
  const Folder folder;
  const fs::path dir = folder.path() / "cache";
  CHECK(Bench(folder.path()).works());
  REQUIRE(files(dir).size() == 1);
  const fs::path entry = files(dir)[0];
  CHECK(mode_of(dir) == 0700);
  CHECK(mode_of(entry) == 0600);
  const std::string first = contents(entry);
  CHECK(Bench(folder.path()).works());
  CHECK(contents(entry) == first);

  SECTION("a changed source is another program") {
    put(folder.path() / "kernels/step.cl",
        "__kernel void advance(__global int* a) { a[get_global_id(0)] += STEP; }\n//\n");
    CHECK(Bench(folder.path()).works());
    CHECK(files(dir).size() == 2);
  }
  SECTION("so are other options") {
    setenv("RHOMB_BUILD_OPTIONS", "-DUNUSED=1", 1);
    CHECK(Bench(folder.path()).works());
    unsetenv("RHOMB_BUILD_OPTIONS");
    CHECK(files(dir).size() == 2);
  }
  SECTION("it is loaded beforehand, one that is not there is not built") {
    Bench bench(folder.path());
    bench.device().load("step.cl", {{"STEP", "4"}});
    CHECK(files(dir) == std::vector<fs::path>{entry});
    bench.device().load("step.cl", kDefines);
    fs::remove(entry);
    CHECK(bench.works());
    CHECK(files(dir).empty());
  }
  SECTION("a damaged one is built again") {
    std::string flipped = first;
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
    for (const std::string& data : {std::string(), first.substr(0, 20), first.substr(0, 1000),
                                    flipped, std::string("garbage")}) {
      put(entry, data);
      CHECK(Bench(folder.path()).works());
      CHECK(contents(entry).size() > 1000);
      CHECK(contents(entry) != data);
    }
  }
  SECTION("one that the driver refuses is built again") {
    const ocl::Cache cache(dir.string());
    const std::string key = entry.stem().string();
    cache.store(key, "no program of any driver");
    cache.mark_tested(key, "no program of any driver");
    Bench bench(folder.path());
    CHECK(bench.works());
    CHECK(!bench.tested());
    CHECK(cache.load(key).value_or("").size() > 100);
  }
}

TEST_CASE("a tested program stays tested until it is built anew", "[cache][device]") {
  const Folder folder;
  const fs::path dir = folder.path() / "cache";
  {
    Bench bench(folder.path());
    CHECK(!bench.tested());
    bench.mark_tested();
    CHECK(bench.tested());
    CHECK(!bench.device().tested("step.cl", {{"STEP", "4"}}));
  }
  CHECK(Bench(folder.path()).tested());
  {
    Bench bench(folder.path(), false);
    CHECK(!bench.tested());
    bench.mark_tested();
    CHECK(bench.tested());
    CHECK(bench.works());
  }
  REQUIRE(files(dir, ".ok").size() == 1);
  put(files(dir, ".ok")[0], "0123456789abcdef0123456789abcdef");
  {
    Bench bench(folder.path());
    CHECK(!bench.tested());
    bench.mark_tested();
  }
  CHECK(Bench(folder.path()).tested());
  for (const fs::path& entry : files(dir, ".bin")) put(entry, "damaged");
  CHECK(!Bench(folder.path()).tested());
}

TEST_CASE("a failed test is remembered until it is doubted or passed", "[cache][device]") {
  const Folder folder;
  const auto how = [](Bench& bench) { return bench.device().failed("step.cl", kDefines); };
  {
    Bench bench(folder.path());
    CHECK(!how(bench));
    bench.device().mark_failed("step.cl", kDefines, "7 instead of 8");
    CHECK(how(bench) == "7 instead of 8");
    CHECK(!bench.device().failed("step.cl", {{"STEP", "4"}}));
  }
  {
    Bench bench(folder.path());
    CHECK(how(bench) == "7 instead of 8, in an earlier run");
    CHECK(files(folder.path() / "cache", ".bin").empty());  // nothing is built to know it
  }
  {
    Bench bench(folder.path());
    bench.device().doubt_failures();
    CHECK(!how(bench));
  }
  {
    Bench bench(folder.path());
    CHECK(how(bench));
    bench.device().doubt_failures();
    CHECK(!how(bench));
    bench.device().mark_failed("step.cl", kDefines, "9 instead of 8");
    CHECK(how(bench) == "9 instead of 8");  // what this process has seen it does not doubt
  }
  {
    Bench bench(folder.path());
    bench.mark_tested();
    CHECK(bench.tested());
  }
  {
    Bench bench(folder.path());
    CHECK(!how(bench));
    CHECK(bench.tested());
  }
  put(folder.path() / "cache" /
          (files(folder.path() / "cache", ".bin")[0].stem().string() + ".bad"),
      std::string(5000, 'x') + "\n\033[2J");
  Bench bench(folder.path());
  REQUIRE(how(bench));
  CHECK(how(bench)->size() < 1100);
  CHECK(std::string::npos == how(bench)->find('\033'));
}

TEST_CASE("programs are built without a place to keep them", "[cache][device]") {
  const Folder folder;
  put(folder.path() / "cache", "a file, not a directory");
  Bench bench(folder.path());
  CHECK(bench.works());
  bench.mark_tested();
  CHECK(bench.tested());
  CHECK(contents(folder.path() / "cache") == "a file, not a directory");
}

TEST_CASE("many processes start with one empty cache", "[cache][device]") {
  const Folder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 16; ++i)
    children.push_back(start_child({"RHOMB_TEST_CHILD=" + folder.path().string()}));
  for (const pid_t child : children) CHECK(status_of(child) == 0);
  CHECK(files(folder.path() / "cache", ".bin").size() == 1);
  CHECK(files(folder.path() / "cache").size() <= 2);
  CHECK(Bench(folder.path()).works());
}

TEST_CASE("without a driver there is no device", "[cache]") {
  CHECK(status_of(start_child({"RHOMB_TEST_CHILD=no driver", "OCL_ICD_VENDORS=/nonexistent",
                               "OPENCL_VENDOR_PATH=/nonexistent"})) == 0);
}

}  // namespace rhomb::cache_tests
