// SPDX-License-Identifier: Apache-2.0
// Building programs. A program is found in memory, else on disk, else built from source and stored.
#include "host/ocl/program.h"

#include <algorithm>
#include <cstdlib>

#include "host/ocl/hash.h"
#include "host/ocl/shared.h"
#include "host/ocl/timer.h"
#include "host/trace/trace.h"

namespace rhomb::ocl {
namespace {

// Part of each key: raise it when a program is made or stored differently.
constexpr const char* kFormat = "rhomb programs 2";
constexpr const char* kLanguage = "-cl-std=CL1.2";

std::string joined(const Defines& defines) {
  std::string text;
  for (const auto& [name, value] : defines) {
    if ((name + value).find_first_of(" \t\n\"'\\") != std::string::npos)
      throw Error(Kind::kInternal, "macro " + name + "=" + value + " cannot be an option");
    text += (text.empty() ? "-D" : " -D") + name + "=" + value;
  }
  return text;
}

std::string platform_version(cl_platform_id platform, const std::string& device) {
  std::size_t size = 0;
  cl_int code = clGetPlatformInfo(platform, CL_PLATFORM_VERSION, 0, nullptr, &size);
  std::string text(size, '\0');
  if (code == CL_SUCCESS)
    code = clGetPlatformInfo(platform, CL_PLATFORM_VERSION, size, text.data(), nullptr);
  if (code != CL_SUCCESS) throw DeviceError("clGetPlatformInfo", code, device);
  return text;
}

std::string without_empty_lines(const std::string& text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    if (line.find_first_not_of(std::string_view(" \t\r\0", 4)) != std::string_view::npos)
      kept += (kept.empty() ? "" : "\n") + std::string(line.substr(0, line.find('\0')));
    at = end + 1;
  }
  return kept;
}

}  // namespace

Device::Programs::Programs(const DeviceInfo& info, const DeviceOptions& options,
                           cl_platform_id platform, cl_context context)
    : info_(info),
      sources_(options.kernels_dir),
      cache_(options.cache ? Cache(options.cache_dir) : Cache()),
      pocl_(info.platform.find("Portable Computing Language") != std::string::npos),
      keep_binaries_(options.pocl_binaries || !pocl_),
      device_(static_cast<cl_device_id>(info.handle)),
      context_(context),
      trace_(options.trace) {
  for (const std::string& part : {std::string(kFormat), info.name, info.vendor, info.platform,
                                  info.version, info.driver, platform_version(platform, info.name)})
    fingerprint_ += part + '\0';
  if (const char* more = std::getenv("RHOMB_BUILD_OPTIONS")) more_options_ = more;
}

Device::Programs::Program& Device::Programs::find(std::string_view file, const Defines& defines,
                                                  std::unique_lock<std::mutex>& lock) {
  const std::string options = joined(defines);
  const std::string name = std::string(file) + ' ' + options;
  built_.wait(lock, [&] { return !building_.contains(name); });
  const auto found = made_.find(name);
  if (found != made_.end()) return found->second;
  const std::string key = key_of(std::string(file), options_of(options));
  building_.insert(name);
  lock.unlock();
  Program made;
  std::exception_ptr failure;
  try {
    // PoCL's compiler does one thing at a time, so nothing is to be gained, or risked, there.
    const auto alone = pocl_ ? std::unique_lock(alone_) : std::unique_lock<std::mutex>();
    made = make(std::string(file), options, key);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  building_.erase(name);
  built_.notify_all();
  if (failure) std::rethrow_exception(failure);
  return made_.emplace(name, std::move(made)).first->second;
}

std::string Device::Programs::options_of(const std::string& defines) const {
  std::string options = kLanguage;
  for (const std::string& more : {defines, more_options_})
    if (!more.empty()) options += ' ' + more;
  return options;
}

const std::string& Device::Programs::key_of(const std::string& file, const std::string& options) {
  std::string& key = keys_[file + ' ' + options];
  if (key.empty()) key = hex(hash_of(fingerprint_ + options + '\0' + sources_.expand(file)));
  return key;
}

std::optional<std::string> Device::Programs::failed(std::string_view file, const Defines& defines,
                                                    bool earlier) {
  const std::string options = joined(defines);
  const std::string name = std::string(file) + ' ' + options;
  if (const auto own = failures_.find(name); own != failures_.end()) return own->second;
  const auto made = made_.find(name);
  if (!earlier || (made != made_.end() && made->second.tested)) return std::nullopt;
  if (const auto known = earlier_.find(name); known != earlier_.end()) return known->second;
  std::optional<std::string> how = cache_.failed(key_of(std::string(file), options_of(options)));
  if (how) *how += ", in an earlier run";
  return earlier_.emplace(name, std::move(how)).first->second;
}

void Device::Programs::mark_failed(std::string_view file, const Defines& defines,
                                   const std::string& how) {
  const std::string options = joined(defines);
  failures_[std::string(file) + ' ' + options] = how;
  cache_.mark_failed(key_of(std::string(file), options_of(options)), how);
}

Device::Programs::Program Device::Programs::make(const std::string& file,
                                                 const std::string& defines,
                                                 const std::string& key) const {
  const trace::Scope scope(trace_, trace::Work::kBuild, file);
  const std::string options = options_of(defines);
  Program made;
  made.key = key;
  if (std::optional<std::string> binary = cache_.load(made.key)) {
    made.program = load(*binary, options);
    if (made.program()) {
      made.tested = cache_.tested(made.key, *binary);
      made.binary = std::move(*binary);
      return made;
    }
    cache_.remove(made.key);
  }
  made.program = build(file, sources_.expand(file), defines, options);
  if (cache_.dir().empty()) return made;
  if (keep_binaries_) {
    made.binary = binary_of(made.program());
    cache_.store(made.key, made.binary);
  } else {
    made.tested = cache_.tested(made.key, made.binary);
  }
  return made;
}

/// The program of a binary; a null one if the driver does not want it.
cl::Program Device::Programs::load(const std::string& binary, const std::string& options) const {
  const std::size_t size = binary.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  cl_int status = CL_SUCCESS;
  cl_int code = CL_SUCCESS;
  cl::Program program(
      clCreateProgramWithBinary(context_, 1, &device_, &size, &bytes, &status, &code));
  if (code != CL_SUCCESS || status != CL_SUCCESS) return {};
  if (clBuildProgram(program(), 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS)
    return {};
  return program;
}

cl::Program Device::Programs::build(const std::string& file, const std::string& source,
                                    const std::string& defines, const std::string& options) const {
  const char* text = source.c_str();
  const std::size_t size = source.size();
  cl_int code = CL_SUCCESS;
  cl::Program program(clCreateProgramWithSource(context_, 1, &text, &size, &code));
  if (code != CL_SUCCESS) throw DeviceError("clCreateProgramWithSource", code, info_.name);

  code = clBuildProgram(program(), 1, &device_, options.c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return program;
  const std::string log = build_log(program());
  const std::string label = sources_.label(file);
  // Without a log the compiler has not failed, something around it has.
  if (code != CL_BUILD_PROGRAM_FAILURE && log.empty())
    throw DeviceError("clBuildProgram of '" + label + "'", code, info_.name);
  throw BuildError(label, defines, info_.name, log);
}

std::string Device::Programs::build_log(cl_program program) const {
  std::size_t size = 0;
  if (clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
      CL_SUCCESS)
    return {};
  std::string log(size, '\0');
  if (clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) !=
      CL_SUCCESS)
    return {};
  return without_empty_lines(log);
}

/// The binary of a built program; empty if the driver does not give it.
std::string Device::Programs::binary_of(cl_program program) const {
  std::size_t size = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) !=
          CL_SUCCESS ||
      size == 0)
    return {};
  std::string binary(size, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(binary.data());
  if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS)
    return {};
  return binary;
}

Kernel Device::kernel(std::string_view file, std::string_view name, const Defines& defines) {
  const Timer timer(clock_.build);
  std::unique_lock lock(shared_.mutex);
  Programs& programs = *shared_.programs;
  const Programs::Program& made = programs.find(file, defines, lock);
  const std::string text(name);
  cl_int code = CL_SUCCESS;
  const cl_kernel kernel = clCreateKernel(made.program(), text.c_str(), &code);
  if (code != CL_SUCCESS)
    fail("clCreateKernel of '" + text + "' in '" + programs.sources_.label(file) + "'", code);
  return Kernel(cl::Kernel(kernel), *this, text);
}

void Device::load(std::string_view file, const Defines& defines) {
  std::unique_lock lock(shared_.mutex);
  Programs& programs = *shared_.programs;
  if (programs.cache_.has(programs.key_of(std::string(file), programs.options_of(joined(defines)))))
    (void)programs.find(file, defines, lock);
}

std::unique_lock<std::recursive_mutex> Device::testing() {
  return std::unique_lock(shared_.testing);
}

bool Device::tested(std::string_view file, const Defines& defines) {
  const Timer timer(clock_.build);
  std::unique_lock lock(shared_.mutex);
  return !options_.self_tests || shared_.programs->find(file, defines, lock).tested;
}

void Device::mark_tested(std::string_view file, const Defines& defines) {
  const Timer timer(clock_.build);
  std::unique_lock lock(shared_.mutex);
  Programs& programs = *shared_.programs;
  Programs::Program& made = programs.find(file, defines, lock);
  made.tested = true;
  programs.cache_.forget_failed(made.key);
  if (!made.binary.empty() || !programs.keep_binaries_)
    programs.cache_.mark_tested(made.key, made.binary);
}

std::optional<std::string> Device::failed(std::string_view file, const Defines& defines) const {
  if (!options_.self_tests) return std::nullopt;
  const std::lock_guard lock(shared_.mutex);
  return shared_.programs->failed(file, defines, !doubts_failures_);
}

void Device::mark_failed(std::string_view file, const Defines& defines, const std::string& how) {
  const std::lock_guard lock(shared_.mutex);
  shared_.programs->mark_failed(file, defines, how);
}

void Device::warn(const SelfTestError& error, const std::string& instead) {
  const std::lock_guard lock(shared_.mutex);
  if (options_.warn && shared_.warned.insert(error.file()).second)
    options_.warn(error.what() + ("; " + instead));
}

}  // namespace rhomb::ocl
