// SPDX-License-Identifier: Apache-2.0
// Limits: what a plan may ask of a device, as plain numbers, so that a test can invent one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rhomb::ocl {

struct Limits {
  bool gpu = false;                       ///< a GPU; otherwise a CPU or something like it
  bool nvidia = false;                    ///< NVIDIA's driver: 32 work-items run in lockstep
  std::uint32_t capability = 0;           ///< of NVIDIA's, 90 for 9.0; 0 when unknown
  std::uint32_t compute_units = 1;        ///< multiprocessors or cores
  std::size_t max_work_group = 256;       ///< work-items a group
  std::uint64_t global_bytes = 1u << 30;  ///< device memory
  std::uint64_t alloc_bytes = 1u << 28;   ///< largest single buffer
  std::uint64_t local_bytes = 32u << 10;  ///< local memory a group
  std::uint32_t vector_ints = 1;          ///< native width of an int vector, in ints
  std::uint32_t clock_mhz = 0;            ///< highest clock; 0 when unknown
  std::uint32_t host = 0;                 ///< which host of a job has it
};

/// One line of `rhomb devices`.
struct DeviceInfo {
  int index = 0;  ///< position in list_devices(), what `--device 0` selects
  std::string name;
  std::string vendor;
  std::string platform;
  std::string version;  ///< OpenCL version of the device, "OpenCL 3.0 CUDA"
  std::string driver;
  Limits limits;
  bool accelerator = false;  ///< neither a CPU nor a GPU
  bool usable = true;        ///< of OpenCL 1.2 or later, with a compiler
  void* handle = nullptr;    ///< OpenCL's own name of the device; null in invented lists

  const char* type() const { return limits.gpu ? "GPU" : accelerator ? "accelerator" : "CPU"; }
};

}  // namespace rhomb::ocl
