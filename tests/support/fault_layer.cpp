// SPDX-License-Identifier: Apache-2.0
// An OpenCL layer that makes one call fail: fault injection without touching the product.
//
//   OPENCL_LAYERS=/path/librhomb_fault.so       loaded by the OpenCL loader, above every driver
//   RHOMB_FAULT=clEnqueueNDRangeKernel:3:-5     the third call returns -5 and does nothing
//   RHOMB_FAULT_LOG=FILE                        the name of each function below that is called is
//                                               appended to FILE at once, since a process may end
//                                               any way
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>

// Releases are left out: what they return, nobody can act on.
#define FUNCTIONS(X)                    \
  X(clGetPlatformIDs)                   \
  X(clGetPlatformInfo)                  \
  X(clGetDeviceIDs)                     \
  X(clGetDeviceInfo)                    \
  X(clCreateContext)                    \
  X(clCreateCommandQueue)               \
  X(clCreateCommandQueueWithProperties) \
  X(clCreateBuffer)                     \
  X(clCreateProgramWithSource)          \
  X(clCreateProgramWithBinary)          \
  X(clBuildProgram)                     \
  X(clGetProgramInfo)                   \
  X(clGetProgramBuildInfo)              \
  X(clCreateKernel)                     \
  X(clGetKernelWorkGroupInfo)           \
  X(clSetKernelArg)                     \
  X(clEnqueueNDRangeKernel)             \
  X(clEnqueueReadBuffer)                \
  X(clEnqueueWriteBuffer)               \
  X(clEnqueueFillBuffer)                \
  X(clEnqueueCopyBuffer)                \
  X(clEnqueueMarkerWithWaitList)        \
  X(clFlush)                            \
  X(clFinish)                           \
  X(clWaitForEvents)                    \
  X(clGetEventInfo)

namespace {

enum Index {
#define X(name) k_##name,
  FUNCTIONS(X)
#undef X
      kCount
};

constexpr const char* kNames[kCount] = {
#define X(name) #name,
    FUNCTIONS(X)
#undef X
};

cl_icd_dispatch target;  // what is below us
cl_icd_dispatch hooks;   // target, with our functions in place of those above
std::array<std::atomic<long>, kCount> calls;

/// What RHOMB_FAULT asks for; `function` is kCount if it asks for nothing.
struct Fault {
  int function = kCount;
  long call = 0;
  cl_int code = 0;
} fault;

void read_fault() {
  const char* text = std::getenv("RHOMB_FAULT");
  if (!text || !*text) return;
  const char* colon = std::strchr(text, ':');
  int code = 0;
  if (colon && std::sscanf(colon, ":%ld:%d", &fault.call, &code) == 2) {
    const std::string name(text, colon);
    for (int i = 0; i < kCount; ++i)
      if (name == kNames[i]) fault.function = i;
    fault.code = code;
  }
  if (fault.function != kCount) return;
  std::fprintf(stderr, "fault layer: cannot make '%s' fail\n", text);
  std::abort();
}

/// Counts a call and writes it down; returns its number, from 1.
long count(int function) {
  static std::FILE* const file = [] {
    const char* path = std::getenv("RHOMB_FAULT_LOG");
    return path && *path ? std::fopen(path, "a") : nullptr;
  }();
  if (file) {
    std::fprintf(file, "%s\n", kNames[function]);
    std::fflush(file);
  }
  return ++calls[static_cast<std::size_t>(function)];
}

/// Functions that make something return it, and their code through the last argument.
template <class Result, class... Args>
Result failed(cl_int code, Args... args) {
  if constexpr (std::is_same_v<Result, cl_int>) {
    return code;
  } else {
    cl_int* result = std::get<sizeof...(Args) - 1>(std::tuple(args...));
    if (result) *result = code;
    return nullptr;
  }
}

template <auto Member, int Function, class Result, class... Args>
Result CL_API_CALL hook(Args... args) {
  const long call = count(Function);
  if (Function == fault.function && call == fault.call) return failed<Result>(fault.code, args...);
  return (target.*Member)(args...);
}

template <auto Member, int Function, class Result, class... Args>
void install(Result (CL_API_CALL* cl_icd_dispatch::*)(Args...)) {
  if (target.*Member) hooks.*Member = hook<Member, Function, Result, Args...>;
}

}  // namespace

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size,
                                                          void* value, size_t* size_ret) {
  constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  constexpr char kName[] = "rhomb fault injection";
  const void* answer = nullptr;
  size_t length = 0;
  if (name == CL_LAYER_API_VERSION) {
    answer = &kVersion;
    length = sizeof kVersion;
  } else if (name == CL_LAYER_NAME) {
    answer = kName;
    length = sizeof kName;
  } else {
    return CL_INVALID_VALUE;
  }
  if (size_ret) *size_ret = length;
  if (!value) return CL_SUCCESS;
  if (size < length) return CL_INVALID_VALUE;
  std::memcpy(value, answer, length);
  return CL_SUCCESS;
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries,
                                                       const cl_icd_dispatch* below,
                                                       cl_uint* entries_ret,
                                                       const cl_icd_dispatch** dispatch_ret) {
  constexpr cl_uint kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);
  if (!below || !entries_ret || !dispatch_ret || entries < kEntries) return CL_INVALID_VALUE;
  target = *below;
  hooks = target;
  read_fault();
#define X(name) install<&cl_icd_dispatch::name, k_##name>(&cl_icd_dispatch::name);
  FUNCTIONS(X)
#undef X
  *entries_ret = kEntries;
  *dispatch_ret = &hooks;
  return CL_SUCCESS;
}
