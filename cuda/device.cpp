// SPDX-License-Identifier: Apache-2.0
#include "cuda/device.h"

#include <string>

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

Fence::Fence(cudaStream_t queue) {
  check(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync | cudaEventDisableTiming),
        "cudaEventCreate");
  const cudaError_t status = cudaEventRecord(event_, queue);
  if (status != cudaSuccess) cudaEventDestroy(std::exchange(event_, nullptr));
  check(status, "cudaEventRecord");
}

void Fence::wait() {
  if (event_ == nullptr) return;
  const Range range("wait");
  const cudaEvent_t event = std::exchange(event_, nullptr);
  const cudaError_t status = cudaEventSynchronize(event);
  cudaEventDestroy(event);
  check(status, "cudaEventSynchronize");
}

Fence::~Fence() {
  if (event_ == nullptr) return;
  cudaEventSynchronize(event_);
  cudaEventDestroy(event_);
}

Device::Device() : limits_(device().limits) {
  check(cudaSetDevice(current()), "cudaSetDevice");
  check(cudaFree(nullptr), "starting CUDA");
  use(0);
}

Device::~Device() {
  for (const cudaStream_t queue : queues_) {
    if (queue == nullptr) continue;
    cudaStreamSynchronize(queue);
    cudaStreamDestroy(queue);
  }
}

void Device::use(std::size_t queue) {
  if (queue >= queues_.size()) queues_.resize(queue + 1);
  if (queues_[queue] == nullptr)
    check(cudaStreamCreateWithFlags(&queues_[queue], cudaStreamNonBlocking), "cudaStreamCreate");
  used_ = queue;
}

void Device::finish() {
  const Range range("wait");
  check(cudaStreamSynchronize(queue()), "cudaStreamSynchronize");
}

void Device::load(const void* function) {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, function), "loading a kernel");
}

void Device::launch(const void* function, const ocl::Range& range, void** arguments) {
  const Range shown("launch");
  const auto in = [](std::size_t x, std::size_t y) {
    return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y));
  };
  check(
      cudaLaunchKernel(function, in(range.global_x / range.group_x, range.global_y / range.group_y),
                       in(range.group_x, range.group_y), arguments, 0, queue()),
      "launching a kernel");
}

}  // namespace rhomb::cuda
