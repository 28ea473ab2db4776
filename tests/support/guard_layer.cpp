// SPDX-License-Identifier: Apache-2.0
// An OpenCL layer that puts each buffer that the driver is to allocate beside memory that nobody
// may touch: on a device that shares the host's memory (PoCL) a kernel that reads or writes outside
// of a buffer ends the process with SIGSEGV, at full speed. What the host maps is watched as well.
//
//   OPENCL_LAYERS=/path/librhomb_guard.so   loaded by the OpenCL loader, above every driver
//   RHOMB_GUARD=end                         buffers end where the guarded memory begins (default)
//   RHOMB_GUARD=begin                       they begin where it ends
//
// Pages being whole, a few bytes are left on the other side. They are looked at when the buffer is
// released: written ones abort. New buffers are filled with bytes that no kernel should rely on.
//
// Under PoCL's device `basic`, whose kernels run in the thread that launches them, one runs at a
// time: where two threads launch the same kernel with unlike numbers of items, PoCL before 6.0 may
// lose count of who uses what it compiled, and abort.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace {

cl_icd_dispatch target;  // what is below us
cl_icd_dispatch hooks;   // target, with our functions in place of some
bool at_begin = false;

constexpr std::size_t kGuard = std::size_t{1} << 30;  // on each side; takes addresses, no memory
constexpr unsigned char kSpare = 0x5a, kUnset = 0xa5;

struct Guarded {
  unsigned char* mapped;
  std::size_t pages;  // bytes between the guards
  unsigned char* begin;
  std::size_t size;
};

bool untouched(const unsigned char* from, const unsigned char* to) {
  return std::all_of(from, to, [](unsigned char c) { return c == kSpare; });
}

void CL_CALLBACK release(cl_mem, void* data) {
  const auto* guarded = static_cast<Guarded*>(data);
  const unsigned char* const first = guarded->mapped + kGuard;
  if (!untouched(first, guarded->begin) ||
      !untouched(guarded->begin + guarded->size, first + guarded->pages)) {
    std::fprintf(stderr, "guard layer: written outside of a buffer of %zu bytes\n", guarded->size);
    std::abort();
  }
  munmap(guarded->mapped, guarded->pages + 2 * kGuard);
  delete guarded;
}

/// Whether a device of the context has the host's memory: a CPU, and not a simulated one.
bool shares_memory(cl_context context) {
  cl_device_type type = 0;
  std::array<cl_device_id, 64> devices{};
  std::size_t size = 0;
  if (target.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices.data(), &size) !=
      CL_SUCCESS)
    return false;
  target.clGetDeviceInfo(devices[0], CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  return (type & CL_DEVICE_TYPE_CPU) != 0 && (type & CL_DEVICE_TYPE_GPU) == 0;
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, std::size_t size,
                                 void* host, cl_int* code) {
  if (size == 0 || (flags & CL_MEM_USE_HOST_PTR) != 0 || !shares_memory(context))
    return target.clCreateBuffer(context, flags, size, host, code);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t pages = (size + page - 1) / page * page;
  void* const mapped = mmap(nullptr, pages + 2 * kGuard, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    if (code) *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return nullptr;
  }
  auto* const first = static_cast<unsigned char*>(mapped) + kGuard;
  if (mprotect(first, pages, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped, pages + 2 * kGuard);
    if (code) *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return nullptr;
  }
  unsigned char* const begin = at_begin ? first : first + (pages - size);
  std::memset(first, kSpare, pages);
  std::memset(begin, kUnset, size);
  if ((flags & CL_MEM_COPY_HOST_PTR) != 0) std::memcpy(begin, host, size);
  flags &= ~cl_mem_flags{CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR};
  cl_int result = CL_SUCCESS;
  const cl_mem made =
      target.clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, size, begin, &result);
  if (code) *code = result;
  if (!made) {
    munmap(mapped, pages + 2 * kGuard);
    return nullptr;
  }
  target.clSetMemObjectDestructorCallback(
      made, release, new Guarded{static_cast<unsigned char*>(mapped), pages, begin, size});
  return made;
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                          const std::size_t* offset, const std::size_t* global,
                          const std::size_t* local, cl_uint waits, const cl_event* wait_for,
                          cl_event* event) {
  static std::recursive_mutex one;  // what is called back may launch
  const std::lock_guard lock(one);
  return target.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits,
                                       wait_for, event);
}

constexpr char kLayerName[] = "rhomb guarded buffers";

void install_hooks() {
  const char* const side = std::getenv("RHOMB_GUARD");
  at_begin = side && std::strcmp(side, "begin") == 0;
  hooks.clCreateBuffer = create_buffer;
  const char* const devices = std::getenv("POCL_DEVICES");
  if (devices && std::strcmp(devices, "basic") == 0) hooks.clEnqueueNDRangeKernel = launch;
}

}  // namespace

#include "layer_entry.h"
