// SPDX-License-Identifier: Apache-2.0
// Devices, memory, launches and the expansion of kernel files. Kernels come from a directory of the
// test's own.
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "host/ocl/device.h"
#include "host/ocl/sources.h"
#include "host/trace/trace.h"
#include "tests/support/catch.h"

namespace rhomb::ocl_tests {

namespace {

namespace fs = std::filesystem;

/// A directory of kernel files, removed at the end.
class Kernels {
 public:
  Kernels() {
    std::string name = (fs::temp_directory_path() / "rhomb-ocl-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    dir_ = name;
  }
  ~Kernels() { fs::remove_all(dir_); }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  void add(const std::string& path, const std::string& text) const {
    fs::create_directories((dir_ / path).parent_path());
    std::ofstream(dir_ / path) << text;
  }
  std::string dir() const { return dir_.string(); }
  ocl::DeviceOptions options() const {
    return {.kernels_dir = dir(), .cache = false, .cache_dir = {}, .pocl_binaries = false};
  }

 private:
  fs::path dir_;
};

ocl::DeviceInfo default_device() {
  const char* wanted = std::getenv("RHOMB_DEVICE");
  return ocl::choose_device(wanted ? wanted : "", ocl::list_devices());
}

/// The message of the error that `action` throws, which must be an `E`.
template <class E, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  FAIL("no error");
  return {};
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

ocl::DeviceInfo invented(int index, const std::string& name, bool gpu, std::uint32_t units) {
  ocl::DeviceInfo info;
  info.index = index;
  info.name = name;
  info.vendor = name.starts_with("NVIDIA") ? "NVIDIA Corporation" : "Intel(R) Corporation";
  info.platform = name.starts_with("NVIDIA") ? "NVIDIA CUDA" : "Intel(R) OpenCL";
  info.limits.gpu = gpu;
  info.limits.nvidia = name.starts_with("NVIDIA");
  info.limits.compute_units = units;
  info.limits.clock_mhz = 1500;
  return info;
}

const std::vector<ocl::DeviceInfo> kDevices = {
    invented(0, "Xeon CPU", false, 64), invented(1, "UHD Graphics 770", true, 32),
    invented(2, "NVIDIA RTX A", true, 20), invented(3, "NVIDIA RTX B", true, 24),
    invented(4, "NVIDIA RTX B", true, 24)};

const char* const kAffine = R"(
__kernel void affine(__global int* out, __global const int* in, int factor, long shift) {
  const size_t i = get_global_id(0);
  out[i] = in[i] * factor + (int)shift;
}
)";

}  // namespace

TEST_CASE("the fastest GPU is the default device", "[ocl]") {
  CHECK(ocl::choose_device("", kDevices).index == 3);
  CHECK(ocl::choose_device("gpu", kDevices).index == 3);
  CHECK(ocl::choose_device("GPU ", kDevices).index == 3);
  CHECK(ocl::choose_device("cpu", kDevices).index == 0);
  CHECK(ocl::choose_device("", {kDevices[0]}).index == 0);
  CHECK(ocl::choose_device("", {kDevices[0], kDevices[1]}).index == 1);

  auto devices = kDevices;
  devices[3].limits.global_bytes = 1;
  CHECK(ocl::choose_device("", devices).index == 4);
  devices[3].usable = devices[4].usable = false;
  CHECK(ocl::choose_device("", devices).index == 2);
}

TEST_CASE("of a CPU's drivers the faster one is taken", "[ocl]") {
  std::vector<ocl::DeviceInfo> devices = {invented(0, "pthread-Xeon", false, 64),
                                          invented(1, "Xeon", false, 64),
                                          invented(2, "Xeon", false, 64)};
  devices[0].platform = "Portable Computing Language";
  devices[1].limits.clock_mhz = 0;  // it does not tell
  CHECK(ocl::choose_device("", devices).index == 1);
  CHECK(ocl::choose_device("cpu", devices).index == 1);
  CHECK(ocl::choose_device("pocl", devices).index == 0);
  // Both drivers have the same cores; a GPU, and devices of the same driver, are others.
  const auto all = [&] {
    std::vector<int> indexes;
    for (const auto& device : ocl::choose_devices("all", devices)) indexes.push_back(device.index);
    return indexes;
  };
  CHECK(all() == std::vector{1, 2});
  devices.push_back(invented(3, "GPU", true, 8));
  CHECK(all() == std::vector{1, 2, 3});
  devices.push_back(invented(4, "Phi", false, 60));
  devices.back().accelerator = true;
  CHECK(all() == std::vector{1, 2, 3, 4});
  CHECK(ocl::choose_device("", devices).index == 3);
  CHECK(ocl::choose_device("cpu", devices).index == 1);
  CHECK(ocl::choose_device("phi", devices).index == 4);
  CHECK(ocl::choose_device("", {devices.back()}).index == 4);
  CHECK(ocl::choose_devices("all", {devices.back()}).size() == 1);
  devices.pop_back();
  devices[3].usable = devices[1].usable = devices[2].usable = false;
  CHECK(ocl::choose_device("", devices).index == 0);
  CHECK(all() == std::vector{0});
}

TEST_CASE("a device is chosen by index or by part of its name", "[ocl]") {
  CHECK(ocl::choose_device("1", kDevices).index == 1);
  CHECK(ocl::choose_device("uhd", kDevices).index == 1);
  CHECK(ocl::choose_device("rtx a", kDevices).index == 2);
  CHECK(ocl::choose_device("rtx b", kDevices).index == 3);

  const auto choose = [](const char* what) {
    return [what] { ocl::choose_device(what, kDevices); };
  };
  has(message_of<UsageError>(choose("nvidia")), "RTX A");
  has(message_of<UsageError>(choose("Intel")), "Xeon");
  for (const char* wrong : {"5", "99999999999999999999", "-1", "radeon"}) {
    const std::string text = message_of<ocl::DeviceError>(choose(wrong));
    has(text, "3  NVIDIA RTX B");
    has(text, wrong);
  }
}

TEST_CASE("without a device the error says what to install", "[ocl]") {
  try {
    ocl::choose_device("", {});
    FAIL();
  } catch (const ocl::DeviceError& error) {
    CHECK(error.kind() == Kind::kDevice);
    has(error.what(), "pocl-opencl-icd");
  }
  has(message_of<ocl::DeviceError>([] { ocl::choose_device("gpu", {kDevices[0]}); }), "0  Xeon");
  auto old = kDevices;
  old[1].usable = false;
  has(message_of<ocl::DeviceError>([&] { ocl::choose_device("1", old); }), "not usable");
}

TEST_CASE("errors have names, meanings and kinds", "[ocl]") {
  CHECK(ocl::error_name(-5) == "CL_OUT_OF_RESOURCES");
  CHECK(!ocl::error_meaning(-54).empty());
  CHECK(!ocl::error_name(-31337).empty());
  const auto kind = [](const char* call, int code) {
    return ocl::DeviceError(call, code, "X").kind();
  };
  CHECK(kind("clCreateBuffer of 3 GiB", -4) == Kind::kMemory);
  CHECK(kind("clEnqueueWriteBuffer", -5) == Kind::kMemory);
  CHECK(kind("clBuildProgram", -6) == Kind::kMemory);
  CHECK(kind("clEnqueueNDRangeKernel of 'k'", -5) == Kind::kDevice);
  CHECK(kind("clFinish", -36) == Kind::kDevice);
  has(ocl::DeviceError("clFinish", -36, "X").what(),
      "clFinish failed on 'X': CL_INVALID_COMMAND_QUEUE (-36)");
}

TEST_CASE("includes are expanded once, beside the file or below the root", "[ocl]") {
  const Kernels kernels;
  kernels.add("a/main.cl", "#include \"near.h\"\r\n  # include \"b/far.h\"\nlast\n");
  kernels.add("a/near.h", "#include \"../b/far.h\"\nnear");
  kernels.add("b/far.h", "#include \"a/near.h\"\n// #include \"no.h\"\n#include <cstdint>\nfar\n");
  const std::string dir = kernels.dir();
  const auto at = [&dir](int line, const char* file) {
    return "#line " + std::to_string(line) + " \"" + dir + "/" + file + "\"\n";
  };
  CHECK(ocl::Sources(dir).expand("a/main.cl") ==
        at(1, "a/main.cl") + at(1, "a/near.h") + at(1, "b/far.h") + at(2, "b/far.h") +
            "// #include \"no.h\"\n#include <cstdint>\nfar\n" + at(2, "a/near.h") + "near\n" +
            at(2, "a/main.cl") + at(3, "a/main.cl") + "last\n");
}

TEST_CASE("a missing kernel file or include is named", "[ocl]") {
  const Kernels kernels;
  kernels.add("main.cl", "\n\n#include \"no.h\"\n");
  kernels.add("out.cl", "#include \"../../etc/passwd\"\n");
  const ocl::Sources sources(kernels.dir());
  const auto expand = [&](const char* path) { return [&, path] { sources.expand(path); }; };
  const std::string text = message_of<UsageError>(expand("main.cl"));
  has(text, kernels.dir() + "/main.cl', line 3");
  has(text, "'no.h'");
  has(message_of<UsageError>(expand("none.cl")), kernels.dir() + "/none.cl");
  for (const char* path : {"out.cl", "../main.cl", "a/../../main.cl", "/etc/passwd", "", "."}) {
    CAPTURE(path);
    CHECK_THROWS_AS(sources.expand(path), UsageError);
  }
  CHECK_THROWS_AS(ocl::Sources("/no/such/dir").expand("main.cl"), UsageError);
}

TEST_CASE("kernels are embedded as they are", "[ocl]") {
  REQUIRE(!ocl::embedded_sources().empty());
  const ocl::Sources sources("");
  for (const ocl::SourceFile& file : ocl::embedded_sources()) {
    CAPTURE(file.path);
    CHECK(sources.text(file.path) == std::string(file.text));
    const std::string text = sources.expand(file.path);
    CHECK(text.starts_with("#line 1 \"cl/" + std::string(file.path) + "\"\n"));
    CHECK(text.find("include \"") == std::string::npos);
  }
}

TEST_CASE("memory goes to the device and back", "[ocl][device]") {
  ocl::Device device(default_device());
  std::vector<std::uint32_t> values(100'003);
  std::iota(values.begin(), values.end(), 7u);
  auto buffer = device.upload(std::span<const std::uint32_t>(values));
  CHECK(buffer.size() == values.size());
  CHECK(device.read(buffer, 0, values.size()) == values);
  CHECK(device.read(buffer, 5, 2) == std::vector{12u, 13u});
  CHECK(device.read(buffer, 5, 0).empty());

  const std::uint32_t two[] = {1, 2};
  device.write(buffer, 100'001, std::span<const std::uint32_t>(two));
  CHECK(device.read(buffer, 100'000, 3) == std::vector{100'007u, 1u, 2u});

  auto copy = device.filled<std::uint32_t>(10, 0xdeadbeef);
  device.copy(buffer, 1, copy, 8, 2);
  CHECK(device.read(copy, 7, 3) == std::vector{0xdeadbeefu, 8u, 9u});
  CHECK(device.read(device.filled<char>(3, 'x'), 0, 3) == std::vector{'x', 'x', 'x'});
  CHECK(device.read(device.filled<std::int64_t>(2, -2), 1, 1) == std::vector<std::int64_t>{-2});

  auto none = device.buffer<int>(0);
  device.fill(none, 1);
  CHECK(device.read(none, 0, 0).empty());
  CHECK(device.clock().transfer > 0);
  CHECK(device.clock().build == 0);
}

TEST_CASE("a buffer beyond the device's limit is refused in words", "[ocl][device]") {
  ocl::Device device(default_device());
  const std::size_t most = device.limits().alloc_bytes;
  has(message_of<MemoryError>([&] { device.buffer<char>(most + 1); }), "a buffer");
  CHECK_THROWS_AS(device.buffer<char>(std::size_t{1} << 62), MemoryError);
}

TEST_CASE("pending reads arrive, or are waited for", "[ocl][device]") {
  auto info = default_device();
  info.limits.gpu = GENERATE(false, true);  // waits by the driver, waits by polling
  const Kernels kernels;
  kernels.add("slow.cl", R"(
__kernel void slow(__global uint* out, uint rounds) {
  uint x = 1;
  for (uint i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  out[get_global_id(0)] = x;
}
)");
  ocl::Device device(info, kernels.options());
  const auto slow = device.kernel("slow.cl", "slow", {});
  const auto out = device.filled<std::uint32_t>(64, 0);
  slow({.global_x = 64, .group_x = 64}, out, 1'000'000u);
  auto first = device.read_later(out, 0, 1);
  slow({.global_x = 64, .group_x = 64}, out, 0u);
  auto second = device.read_later(out, 63, 1);
  auto dropped = device.read_later(out, 0, 64);
  auto none = device.read_later(out, 0, 0);
  dropped = device.read_later(out, 0, 2);
  CHECK(second.wait() == std::vector{1u});
  CHECK(first.wait() != std::vector{1u});
  CHECK(first.wait() == first.wait());
  CHECK(none.wait().empty());
  slow({.global_x = 64, .group_x = 64}, out, 1'000'000u);
  { const auto forgotten = device.read_later(out, 0, 64); }
  device.flush();
  device.finish();
}

TEST_CASE("a kernel sees the arguments of each call", "[ocl][device]") {
  const Kernels kernels;
  kernels.add("affine.cl", kAffine);
  ocl::Device device(default_device(), kernels.options());
  const auto affine = device.kernel("affine.cl", "affine", {});
  const auto other = device.kernel("affine.cl", "affine", {});
  CHECK(affine.max_work_group() >= 1);
  const auto ones = device.filled(8, 1);
  const auto twos = device.filled(8, 2);
  const auto x = device.buffer<int>(8);
  const auto y = device.buffer<int>(8);
  const ocl::Range range{.global_x = 8, .group_x = 4};

  affine(range, x, ones, 3, std::int64_t{10});
  affine(range, y, ones, 3, std::int64_t{20});
  CHECK(device.read(x, 7, 1)[0] == 13);
  CHECK(device.read(y, 7, 1)[0] == 23);
  other(range, x, twos, 5, std::int64_t{-1});
  affine(range, y, twos, 3, std::int64_t{20});
  CHECK(device.read(x, 0, 1)[0] == 9);
  CHECK(device.read(y, 0, 1)[0] == 26);
  affine(range, y, twos, 4, std::int64_t{20});
  CHECK(device.read(y, 0, 1)[0] == 28);

  // The driver may give a new buffer the handle of one that is gone.
  for (int i = 0; i < 50; ++i) {
    const auto in = device.filled(8, i);
    const auto out = device.buffer<int>(8);
    affine(range, out, in, 2, std::int64_t{1});
    CHECK(device.read(out, 3, 1)[0] == 2 * i + 1);
  }
}

TEST_CASE("two dimensions and local memory reach a kernel", "[ocl][device]") {
  const Kernels kernels;
  kernels.add("sum.cl", R"(
__kernel void sum(__global int* out, __local int* part) {
  const size_t l = get_local_id(1) * get_local_size(0) + get_local_id(0);
  part[l] = (int)(get_global_id(1) * 100 + get_global_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    int all = 0;
    for (size_t i = 0; i < get_local_size(0) * get_local_size(1); ++i) all += part[i];
    out[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = all;
  }
}
)");
  ocl::Device device(default_device(), kernels.options());
  const auto sum = device.kernel("sum.cl", "sum", {});
  const auto out = device.filled(4, -1);
  sum({.global_x = 4, .global_y = 4, .group_x = 2, .group_y = 2}, out, ocl::Local{16});
  CHECK(device.read(out, 0, 4) == std::vector{202, 210, 1002, 1010});
  sum({.global_x = 2, .global_y = 1, .group_x = 1, .group_y = 1}, out, ocl::Local{4});
  CHECK(device.read(out, 0, 2) == std::vector{0, 1});
}

TEST_CASE("a wrong call names the kernel", "[ocl][device]") {
  const Kernels kernels;
  kernels.add("affine.cl", kAffine);
  ocl::Device device(default_device(), kernels.options());
  const auto affine = device.kernel("affine.cl", "affine", {});
  const auto out = device.filled(8, 0);
  const auto launch = [&](const ocl::Range& range) {
    return [&, range] { affine(range, out, out, 1, std::int64_t{1}); };
  };
  has(message_of<ocl::DeviceError>(launch({.global_x = 10, .group_x = 4})), "'affine'");
  has(message_of<ocl::DeviceError>(launch({.global_x = 0, .group_x = 4})), "'affine'");
  has(message_of<ocl::DeviceError>(launch({.global_x = 8, .group_x = 0})), "'affine'");
  has(message_of<ocl::DeviceError>([&] { affine({}, out, out, 1, std::int64_t{1}, 5); }),
      "argument 4 of 'affine'");
  has(message_of<ocl::DeviceError>([&] { affine({}, out, out, std::int64_t{1}, std::int64_t{1}); }),
      "argument 2 of 'affine'");
  const auto fresh = device.kernel("affine.cl", "affine", {});
  has(message_of<ocl::DeviceError>([&] { fresh({}, out, out); }), "'affine'");
  has(message_of<ocl::DeviceError>([&] { device.kernel("affine.cl", "none", {}); }), "'none'");
  launch({.global_x = 8, .group_x = 4})();
  CHECK(device.read(out, 0, 1)[0] == 1);
}

TEST_CASE("a kernel that does not compile is reported under its file's name", "[ocl][device]") {
  const Kernels kernels;
  kernels.add("wfa/bad.cl",
              "#include \"near.h\"\n__kernel void ok(__global int* a) { *a = f(WG); }\n");
  kernels.add("wfa/near.h", "\n\nint f(int x) { return x + nonsense; }\n");
  ocl::Device device(default_device(), kernels.options());
  try {
    device.kernel("wfa/bad.cl", "ok", {{"WG", "64"}, {"FAST", "1"}});
    FAIL();
  } catch (const ocl::BuildError& error) {
    CHECK(error.kind() == Kind::kDevice);
    CHECK(error.file() == kernels.dir() + "/wfa/bad.cl");
    CHECK(error.defines() == "-DWG=64 -DFAST=1");
    has(error.log(), "near.h");
    has(error.log(), "nonsense");
    CHECK(error.log().find("\n\n") == std::string::npos);
    has(error.what(), device.info().name);
    has(error.what(), "near.h");
  }
  kernels.add("wfa/near.h", "int f(int x) { return x + 1; }\n");
  const auto out = device.filled(1, 0);
  device.kernel("wfa/bad.cl", "ok", {{"WG", "64"}, {"FAST", "1"}})({}, out);
  CHECK(device.read(out, 0, 1)[0] == 65);
  CHECK(device.clock().build > 0);
  CHECK_THROWS_AS(device.kernel("wfa/none.cl", "ok", {}), UsageError);
}

TEST_CASE("threads build programs at the same time, each of them once", "[ocl][device]") {
  const Kernels kernels;
  for (const char* name : {"first", "second", "third"})
    kernels.add(std::string(name) + ".cl",
                "__kernel void set(__global int* a) { *a = " + std::string(name) + "; }\n");
  trace::Trace trace;
  ocl::DeviceOptions options = kernels.options();
  options.trace = &trace;
  ocl::Device device(default_device(), options);
  constexpr int kThreads = 6;
  std::vector<std::unique_ptr<ocl::Device>> beside;
  for (int i = 0; i < kThreads; ++i) beside.push_back(device.beside());
  std::vector<int> set(kThreads);
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        ocl::Device& own = *beside[static_cast<std::size_t>(i)];
        const auto out = own.filled(1, 0);
        own.kernel(i % 2 == 0 ? "first.cl" : "second.cl", "set",
                   {{"first", "10"}, {"second", "20"}})({}, out);
        set[static_cast<std::size_t>(i)] = own.read(out, 0, 1)[0];
        try {  // without its define, for each that asks
          own.kernel("third.cl", "set", {});
        } catch (const ocl::BuildError&) {
          ++failed;
        }
      });
  }
  CHECK(set == std::vector<int>{10, 20, 10, 20, 10, 20});
  CHECK(failed == kThreads);
  std::map<std::string, int> builds;
  for (const trace::Phase& phase : trace.phases())
    if (phase.work == trace::Work::kBuild) ++builds[trace.text(phase.of)];
  CHECK(builds["first.cl"] == 1);
  CHECK(builds["second.cl"] == 1);
}

TEST_CASE("a device that OpenCL did not list is refused", "[ocl]") {
  CHECK_THROWS_AS(ocl::Device(kDevices[0]), ocl::DeviceError);
}

}  // namespace rhomb::ocl_tests
