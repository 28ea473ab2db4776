// SPDX-License-Identifier: Apache-2.0
#include "cuda/memory.h"

#include <string_view>

#include "host/ocl/error.h"

namespace rhomb::cuda {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string described(cudaError_t status) {
  return std::string(cudaGetErrorName(status)) + " (" + std::to_string(static_cast<int>(status)) +
         "), " + cudaGetErrorString(status);
}

std::uint64_t attribute(cudaDeviceAttr what, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, what, device), "cudaDeviceGetAttribute");
  return static_cast<std::uint64_t>(value);
}

/// The number of the current device.
int current() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    throw ocl::DeviceError("no CUDA device, or no driver for it" +
                               (status != cudaSuccess ? ": " + described(status) : std::string()),
                           0, "");
  }
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

}  // namespace

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that it is not found again later
  const std::string what = std::string(call) + " failed on CUDA's device: " + described(status);
  if (status == cudaErrorMemoryAllocation) throw MemoryError(what);
  throw ocl::DeviceError(what, 0, "");
}

ocl::DeviceInfo device() {
  const int number = current();
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, number), "cudaGetDeviceProperties");
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");

  ocl::DeviceInfo info;
  info.index = number;
  info.name = properties.name;
  info.vendor = "NVIDIA Corporation";
  info.platform = "CUDA";
  info.version = "CUDA " + version_text(runtime) + ", compute capability " +
                 std::to_string(properties.major) + "." + std::to_string(properties.minor);
  info.driver = "for CUDA " + version_text(driver);
  info.limits.gpu = true;
  info.limits.nvidia = true;
  info.limits.compute_units =
      static_cast<std::uint32_t>(attribute(cudaDevAttrMultiProcessorCount, number));
  info.limits.max_work_group = attribute(cudaDevAttrMaxThreadsPerBlock, number);
  info.limits.global_bytes = properties.totalGlobalMem;
  info.limits.alloc_bytes = properties.totalGlobalMem;
  info.limits.local_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlock, number);
  info.limits.clock_mhz =
      static_cast<std::uint32_t>(attribute(cudaDevAttrClockRate, number) / 1000);
  return info;
}

void open() {
  check(cudaSetDevice(current()), "cudaSetDevice");
  check(cudaFree(nullptr), "starting CUDA");
}

}  // namespace rhomb::cuda
