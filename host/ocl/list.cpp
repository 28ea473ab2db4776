// SPDX-License-Identifier: Apache-2.0
// What devices there are: those of the drivers that the system's loader knows, and of others that
// $RHOMB_DRIVERS names. Objects of OpenCL lead to their driver by themselves, so the loader does
// all calls for these too (the extension cl_khr_icd).
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <tuple>

#include "host/ocl/device.h"
#include "host/ocl/error.h"
#include "host/ocl/words.h"

namespace rhomb::ocl {
namespace {

/// The text that `ask(size, to, size_ret)` gives in OpenCL's usual two steps, or nothing.
template <class Ask>
std::optional<std::string> text_of(const Ask& ask) {
  std::size_t size = 0;
  if (ask(0, nullptr, &size) != CL_SUCCESS) return std::nullopt;
  std::string text(size, '\0');
  if (ask(size, text.data(), nullptr) != CL_SUCCESS) return std::nullopt;
  return trimmed(std::move(text));
}

std::optional<std::string> name_of(cl_platform_id platform) {
  return text_of([platform](std::size_t size, void* to, std::size_t* size_ret) {
    return clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, to, size_ret);
  });
}

/// Asks a device, and remembers whether it has answered everything.
class Questions {
 public:
  explicit Questions(cl_device_id device) : device_(device) {}

  template <class T>
  T value(cl_device_info what) {
    T value{};
    good_ &= clGetDeviceInfo(device_, what, sizeof value, &value, nullptr) == CL_SUCCESS;
    return value;
  }
  bool flag(cl_device_info what) { return value<cl_bool>(what) != CL_FALSE; }
  std::string text(cl_device_info what) {
    const auto text = text_of([this, what](std::size_t size, void* to, std::size_t* size_ret) {
      return clGetDeviceInfo(device_, what, size, to, size_ret);
    });
    good_ &= text.has_value();
    return text.value_or("");
  }
  bool good() const { return good_; }

 private:
  cl_device_id device_;
  bool good_ = true;
};

/// The compute capability of an NVIDIA GPU, 90 for 9.0; 0 where the driver does not tell.
std::uint32_t capability_of(cl_device_id device) {
  Questions ask(device);
  const auto major = ask.value<cl_uint>(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
  const auto minor = ask.value<cl_uint>(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
  return ask.good() ? 10 * major + minor : 0;
}

/// "OpenCL 3.0 CUDA" is at least OpenCL 1.2.
bool recent(const std::string& version) {
  int major = 0;
  int minor = 0;
  if (std::sscanf(version.c_str(), "OpenCL %d.%d", &major, &minor) != 2) return false;
  return std::tie(major, minor) >= std::make_tuple(1, 2);
}

/// What there is to know of a device, or nothing if it does not answer.
std::optional<DeviceInfo> describe(cl_device_id device, const std::string& platform) {
  Questions ask(device);
  DeviceInfo info;
  info.handle = device;
  info.name = ask.text(CL_DEVICE_NAME);
  info.vendor = ask.text(CL_DEVICE_VENDOR);
  info.platform = platform;
  info.version = ask.text(CL_DEVICE_VERSION);
  info.driver = ask.text(CL_DRIVER_VERSION);

  const auto type = ask.value<cl_device_type>(CL_DEVICE_TYPE);
  Limits& limits = info.limits;
  limits.gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  limits.nvidia = contains(info.vendor, "nvidia") || contains(platform, "nvidia");
  if (limits.nvidia) limits.capability = capability_of(device);
  limits.compute_units = ask.value<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  limits.max_work_group = ask.value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  limits.global_bytes = ask.value<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  limits.alloc_bytes = ask.value<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  limits.local_bytes = ask.value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  limits.vector_ints = ask.value<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT);
  limits.clock_mhz = ask.value<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY);

  constexpr cl_device_type kKnown =
      CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
  info.accelerator = (type & kKnown) == CL_DEVICE_TYPE_ACCELERATOR;
  info.usable = (type & kKnown) != 0 && recent(info.version);
  for (const int needed :
       {CL_DEVICE_AVAILABLE, CL_DEVICE_COMPILER_AVAILABLE, CL_DEVICE_ENDIAN_LITTLE})
    info.usable &= ask.flag(static_cast<cl_device_info>(needed));
  if (!ask.good()) return std::nullopt;
  return info;
}

/// The platforms that `get` knows, as clGetPlatformIDs() tells them.
template <class Get>
std::vector<cl_platform_id> platforms_of(const Get& get) {
  cl_uint count = 0;
  if (get(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_platform_id> platforms(count);
  if (get(count, platforms.data(), nullptr) != CL_SUCCESS) return {};
  return platforms;
}

/// A shared library of $RHOMB_DRIVERS.
struct Driver {
  std::string path;
  std::vector<cl_platform_id> platforms;
  std::string wrong;  ///< why it has none
};

/// It stays loaded, as drivers do.
Driver load_driver(const std::string& path) {
  using Address = decltype(&clGetExtensionFunctionAddress);
  using Platforms = decltype(&clGetPlatformIDs);
  Driver driver{path, {}, {}};
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const error = dlerror();
    driver.wrong = error == nullptr ? "it cannot be loaded" : error;
    return driver;
  }
  const auto address = reinterpret_cast<Address>(dlsym(library, "clGetExtensionFunctionAddress"));
  const auto get =
      address == nullptr ? nullptr : reinterpret_cast<Platforms>(address("clIcdGetPlatformIDsKHR"));
  if (get != nullptr) driver.platforms = platforms_of(get);
  if (driver.platforms.empty()) driver.wrong = "it offers no platform";
  return driver;
}

std::vector<Driver> named_drivers() {
  std::vector<Driver> drivers;
  const char* const named = std::getenv("RHOMB_DRIVERS");
  std::istringstream paths(named == nullptr ? "" : named);
  for (std::string path; std::getline(paths, path, ':');)
    if (!path.empty()) drivers.push_back(load_driver(path));
  return drivers;
}

std::vector<cl_platform_id> all_platforms() {
  std::vector<cl_platform_id> platforms = platforms_of(clGetPlatformIDs);
  for (const Driver& driver : named_drivers())
    for (const cl_platform_id platform : driver.platforms)
      if (std::ranges::find(platforms, platform) == platforms.end()) platforms.push_back(platform);
  return platforms;
}

}  // namespace

std::string why_no_devices() {
  std::string why;
  for (const Driver& driver : named_drivers())
    if (!driver.wrong.empty())
      why +=
          (why.empty() ? "" : "; ") + driver.path + ", which RHOMB_DRIVERS names: " + driver.wrong;
  for (const cl_platform_id platform : all_platforms()) {
    cl_uint count = 0;
    const int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    if (code == CL_SUCCESS && count > 0) continue;
    const std::string name = name_of(platform).value_or("unknown");
    why += (why.empty() ? "" : "; ") + ("the OpenCL driver '" + name) +
           "' is installed, but offers no device" +
           (code == CL_SUCCESS ? "" : " (" + error_name(code) + ")");
    if (contains(name, "portable computing language"))
      why +=
          ": perhaps it cannot write to its cache, which is the folder that POCL_CACHE_DIR names, "
          "or "
          "one in XDG_CACHE_HOME or HOME";
  }
  return why.empty() ? "no OpenCL driver is installed" : why;
}

std::vector<DeviceInfo> list_devices() {
  cl_uint count = 0;
  std::vector<DeviceInfo> devices;
  for (const cl_platform_id platform : all_platforms()) {
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> ids(count);
    if (count == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr) != CL_SUCCESS)
      continue;
    const auto name = name_of(platform);
    if (!name) continue;
    for (const cl_device_id id : ids)
      if (auto device = describe(id, *name)) {
        device->index = static_cast<int>(devices.size());
        devices.push_back(std::move(*device));
      }
  }
  return devices;
}

}  // namespace rhomb::ocl
