// SPDX-License-Identifier: Apache-2.0
// Which of the devices to take.
#include <algorithm>
#include <charconv>
#include <tuple>

#include "host/ocl/device.h"
#include "host/ocl/words.h"

namespace rhomb::ocl {
namespace {

std::string listed(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const DeviceInfo& device : devices)
    text += "\n  " + std::to_string(device.index) + "  " + device.name + " (" + device.type() +
            ", " + device.platform + ")" + (device.usable ? "" : ", not usable");
  return text;
}

[[noreturn]] void refuse(const std::string& why, const std::vector<DeviceInfo>& devices) {
  throw DeviceError(why + "; there are:" + listed(devices), 0, "");
}

/// A guess at operations a second, good enough to tell a discrete GPU from an integrated one: a
/// compute unit is a multiprocessor with NVIDIA and AMD, a few vector lanes with the others.
std::uint64_t speed_of_gpu(const DeviceInfo& device) {
  const Limits& limits = device.limits;
  const bool wide = limits.nvidia || contains(device.vendor, "advanced micro devices") ||
                    contains(device.vendor, "amd");
  return std::uint64_t{limits.compute_units} * (wide ? 128 : 8) *
         (limits.clock_mhz ? limits.clock_mhz : 1000u);
}

/// CPUs are those of one machine, so what tells them apart is what their drivers make of kernels:
/// measured side by side on two idle cores, Intel's took four fifths to a fifth of the time of
/// PoCL's (tools/README.md). Not all of them say how fast the clock is.
std::uint64_t speed_of_cpu(const DeviceInfo& device) {
  const bool intel = contains(device.platform, "intel(r) opencl");
  return std::uint64_t{device.limits.compute_units} * (intel ? 2 : 1);
}

const DeviceInfo* fastest(std::string_view type, const std::vector<DeviceInfo>& devices) {
  const bool gpu = type == "GPU";
  const auto speed = [gpu](const DeviceInfo& device) {
    return std::make_tuple(gpu ? speed_of_gpu(device) : speed_of_cpu(device),
                           device.limits.global_bytes);
  };
  const DeviceInfo* best = nullptr;
  for (const DeviceInfo& device : devices) {
    if (!device.usable || device.type() != type) continue;
    if (!best || speed(device) > speed(*best)) best = &device;
  }
  return best;
}

/// The devices whose name, or else vendor or platform, has `part` in it.
std::vector<DeviceInfo> matching(const std::string& part, const std::vector<DeviceInfo>& devices) {
  std::vector<DeviceInfo> found;
  for (const DeviceInfo& device : devices)
    if (contains(device.name, part)) found.push_back(device);
  if (!found.empty()) return found;
  for (const DeviceInfo& device : devices) {
    const bool pocl = contains(device.platform, "portable computing language");
    if (contains(device.vendor, part) || contains(device.platform, part) ||
        (pocl && part == "pocl"))
      found.push_back(device);
  }
  return found;
}

DeviceInfo usable(const DeviceInfo& device, const std::vector<DeviceInfo>& devices) {
  if (!device.usable)
    refuse("device " + std::to_string(device.index) + ", '" + device.name +
               "', has no OpenCL 1.2 or no compiler",
           devices);
  return device;
}

}  // namespace

DeviceInfo choose_device(std::string_view selector, const std::vector<DeviceInfo>& devices) {
  if (devices.empty())
    throw DeviceError("no OpenCL device found: " + why_no_devices() +
                          " ; a driver for any CPU is pocl-opencl-icd (rhomb devices tells more)",
                      0, "");
  const std::string wanted = folded(trimmed(std::string(selector)));

  if (wanted.empty() || wanted == "gpu" || wanted == "cpu") {
    const DeviceInfo* best = wanted == "cpu" ? nullptr : fastest("GPU", devices);
    if (!best && wanted != "gpu") best = fastest("CPU", devices);
    if (!best && wanted.empty()) best = fastest("accelerator", devices);
    if (!best) refuse("no usable OpenCL " + (wanted.empty() ? "device" : wanted), devices);
    return *best;
  }

  if (std::ranges::all_of(wanted, [](char c) { return c >= '0' && c <= '9'; })) {
    int index = -1;
    const char* end = wanted.data() + wanted.size();
    const bool fits = std::from_chars(wanted.data(), end, index).ec == std::errc();
    const auto found = std::ranges::find(devices, index, &DeviceInfo::index);
    if (!fits || found == devices.end()) refuse("there is no OpenCL device " + wanted, devices);
    return usable(*found, devices);
  }

  const std::vector<DeviceInfo> found = matching(wanted, devices);
  if (found.empty()) refuse("no OpenCL device is called '" + std::string(selector) + "'", devices);
  for (const DeviceInfo& device : found)
    if (device.name != found.front().name)
      throw UsageError("several OpenCL devices are called '" + std::string(selector) +
                       "'; say more of the name, or the index:" + listed(found));
  const auto first = std::ranges::find(found, true, &DeviceInfo::usable);
  return usable(first == found.end() ? found.front() : *first, devices);
}

std::vector<DeviceInfo> choose_devices(std::string_view selectors,
                                       const std::vector<DeviceInfo>& devices) {
  std::vector<DeviceInfo> chosen;
  if (folded(trimmed(std::string(selectors))) == "all") {
    // Two drivers of the CPU would take turns on the same cores.
    const DeviceInfo* const cpu = fastest("CPU", devices);
    std::ranges::copy_if(devices, std::back_inserter(chosen), [cpu](const DeviceInfo& device) {
      const bool own_cores = device.limits.gpu || device.accelerator;
      return device.usable && (own_cores || device.platform == cpu->platform);
    });
    if (!chosen.empty()) return chosen;
    selectors = "";  // and be told why there is none
  }
  for (std::size_t begin = 0; begin <= selectors.size();) {
    const std::size_t end = std::min(selectors.find(',', begin), selectors.size());
    chosen.push_back(choose_device(selectors.substr(begin, end - begin), devices));
    begin = end + 1;
  }
  return chosen;
}

}  // namespace rhomb::ocl
