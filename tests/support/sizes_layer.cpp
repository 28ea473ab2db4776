// SPDX-License-Identifier: Apache-2.0
// An OpenCL layer that counts bytes of device memory.
//
//   OPENCL_LAYERS=/path/librhomb_sizes.so   loaded by the OpenCL loader, above every driver
//   RHOMB_SIZES=FILE                        the most bytes that buffers took at any time; written
//                                           whenever they become more
//
// What the host shares with the device (CL_MEM_USE_HOST_PTR) is the host's and not counted.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

cl_icd_dispatch target;  // what is below us
cl_icd_dispatch hooks;   // target, with our function in place of clCreateBuffer
std::FILE* file = nullptr;
std::mutex mutex;
std::size_t now = 0, most = 0;

void CL_CALLBACK release(cl_mem, void* size) {
  const std::lock_guard lock(mutex);
  now -= reinterpret_cast<std::size_t>(size);
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, std::size_t size,
                                 void* host, cl_int* code) {
  const cl_mem made = target.clCreateBuffer(context, flags, size, host, code);
  if (!made || (flags & CL_MEM_USE_HOST_PTR) != 0 || !file) return made;
  target.clSetMemObjectDestructorCallback(made, release, reinterpret_cast<void*>(size));
  const std::lock_guard lock(mutex);
  now += size;
  if (now > most) {
    most = now;
    std::rewind(file);
    std::fprintf(file, "%20zu\n", most);
    std::fflush(file);
  }
  return made;
}

constexpr char kLayerName[] = "rhomb sizes of buffers";

void install_hooks() {
  if (const char* const name = std::getenv("RHOMB_SIZES")) file = std::fopen(name, "w");
  hooks.clCreateBuffer = create_buffer;
}

}  // namespace

#include "layer_entry.h"
