// SPDX-License-Identifier: Apache-2.0
// An OpenCL layer that makes one call fail: fault injection without touching the product.
//
//   OPENCL_LAYERS=/path/librhomb_fault.so       loaded by the OpenCL loader, above every driver
//   RHOMB_FAULT=clEnqueueNDRangeKernel:3:-5     the third call returns -5 and does nothing
//   RHOMB_FAULT=clEnqueueNDRangeKernel:3:-36:on the device is gone: from that call on each call of
//                                               these functions returns -36
//   RHOMB_FAULT=status:3:-5                     the third time that anybody asks what became of a
//                                               command (clGetEventInfo) it has failed with -5
//   RHOMB_FAULT_GPU=1                           devices say that they are GPUs, which are waited
//                                               for in another way
//   RHOMB_FAULT_LOG=FILE                        the name of each function below that is called is
//                                               appended to FILE at once, since a process may end
//                                               any way
//   RHOMB_FLIP=strip_pair:2:7:100:5             before the 7th launch of that kernel, each if it
//                                               is -1, bit 5 of word 100 (of so many as there are)
//                                               of the buffer that is its argument 2 is turned
//                                               over. RHOMB_FAULT_LOG has names of kernels, too
//   RHOMB_FLIP=read:0:7:100:5                   the same of what the 7th read has read
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
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
  X(clEnqueueMapBuffer)                 \
  X(clEnqueueUnmapMemObject)            \
  X(clSetMemObjectDestructorCallback)   \
  X(clEnqueueMarkerWithWaitList)        \
  X(clFlush)                            \
  X(clFinish)                           \
  X(clWaitForEvents)                    \
  X(clGetEventInfo)                     \
  X(clGetEventProfilingInfo)            \
  X(clRetainEvent)

namespace {

enum Index {
#define X(name) k_##name,
  FUNCTIONS(X)
#undef X
      k_status,
  kCount
};

constexpr const char* kNames[kCount] = {
#define X(name) #name,
    FUNCTIONS(X)
#undef X
        "status"};

cl_icd_dispatch target;  // what is below us
cl_icd_dispatch hooks;   // target, with our functions in place of those above
std::array<std::atomic<long>, kCount> calls;

/// What RHOMB_FAULT asks for; `function` is kCount if it asks for nothing.
struct Fault {
  int function = kCount;
  long call = 0;
  cl_int code = 0;
  bool on = false;  // all calls from then on

  bool is(int called, long number) const { return called == function && number == call; }
} fault;
std::atomic<bool> gone = false;

void read_fault() {
  const char* text = std::getenv("RHOMB_FAULT");
  if (!text || !*text) return;
  const char* colon = std::strchr(text, ':');
  int code = 0;
  char more[4] = "";
  if (colon && std::sscanf(colon, ":%ld:%d:%3s", &fault.call, &code, more) >= 2) {
    fault.on = std::strcmp(more, "on") == 0;
    const std::string name(text, colon);
    for (int i = 0; i < kCount; ++i)
      if (name == kNames[i]) fault.function = i;
    fault.code = code;
  }
  if (fault.function != kCount) return;
  std::fprintf(stderr, "fault layer: cannot make '%s' fail\n", text);
  std::abort();
}

void log(const char* name) {
  static std::FILE* const file = [] {
    const char* path = std::getenv("RHOMB_FAULT_LOG");
    return path && *path ? std::fopen(path, "a") : nullptr;
  }();
  if (!file) return;
  std::fprintf(file, "%s\n", name);
  std::fflush(file);
}

/// Counts a call and writes it down; returns its number, from 1.
long count(int function) {
  log(kNames[function]);
  return ++calls[static_cast<std::size_t>(function)];
}

/// What RHOMB_FLIP asks for: a bit that is turned over.
struct Flip {
  char what[64] = "";
  cl_uint argument = 0;
  long call = 0;
  size_t word = 0, bit = 0;

  Flip() {
    const char* text = std::getenv("RHOMB_FLIP");
    if (text == nullptr || *text == 0) return;
    if (std::sscanf(text, "%63[^:]:%u:%ld:%zu:%zu", what, &argument, &call, &word, &bit) == 5)
      return;
    std::fprintf(stderr, "fault layer: cannot turn '%s' over\n", text);
    std::abort();
  }
  bool asked() const { return *what != 0; }
  void turn(cl_uint* words, size_t bytes) const {
    if (bytes >= 4) words[word % (bytes / 4)] ^= cl_uint{1} << bit % 32;
  }
};

class Flipper {
 public:
  void argument(cl_kernel kernel, cl_uint number, size_t size, const void* value) {
    if (!flip_.asked() || number != flip_.argument || size != sizeof(cl_mem) || !value) return;
    const std::lock_guard lock(mutex_);
    std::memcpy(&buffers_[kernel], value, sizeof(cl_mem));
  }

  void launches(cl_command_queue queue, cl_kernel kernel) {
    if (!flip_.asked()) return;
    char name[64] = "";
    target.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
    log(name);
    const std::lock_guard lock(mutex_);
    if (std::strcmp(name, flip_.what) != 0) return;
    if (++launched_ != flip_.call && flip_.call != -1) return;
    const cl_mem buffer = buffers_[kernel];
    size_t bytes = 0;
    target.clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
    if (bytes < 4) {
      std::fprintf(stderr, "fault layer: argument %u of %s is no buffer\n", flip_.argument, name);
      std::abort();
    }
    const size_t at = flip_.word % (bytes / 4) * 4;
    cl_uint word = 0;
    target.clEnqueueReadBuffer(queue, buffer, CL_TRUE, at, 4, &word, 0, nullptr, nullptr);
    flip_.turn(&word, 4);
    target.clEnqueueWriteBuffer(queue, buffer, CL_TRUE, at, 4, &word, 0, nullptr, nullptr);
  }

  bool turns_read(long call) const {
    return std::strcmp(flip_.what, "read") == 0 && call == flip_.call;
  }
  void has_read(cl_command_queue queue, size_t bytes, void* to) const {
    target.clFinish(queue);
    flip_.turn(static_cast<cl_uint*>(to), bytes);
  }

 private:
  const Flip flip_;
  std::mutex mutex_;
  std::map<cl_kernel, cl_mem> buffers_;
  long launched_ = 0;
};

Flipper& flipper() {
  static Flipper one;
  return one;
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

bool says_gpu() {
  static const bool says = [] {
    const char* text = std::getenv("RHOMB_FAULT_GPU");
    return text && *text;
  }();
  return says;
}

/// What a call that has succeeded says is changed where that is asked for.
template <int Function, class All>
void change(const All& all) {
  if constexpr (Function == k_clGetDeviceInfo) {
    if (says_gpu() && std::get<1>(all) == CL_DEVICE_TYPE && std::get<3>(all))
      *static_cast<cl_device_type*>(std::get<3>(all)) = CL_DEVICE_TYPE_GPU;
  }
  if constexpr (Function == k_clGetEventInfo) {
    if (std::get<1>(all) == CL_EVENT_COMMAND_EXECUTION_STATUS &&
        fault.is(k_status, count(k_status)))
      *static_cast<cl_int*>(std::get<3>(all)) = fault.code;
  }
}

template <auto Member, int Function, class Result, class... Args>
Result CL_API_CALL hook(Args... args) {
  const long call = count(Function);
  if (fault.is(Function, call)) {
    gone = fault.on;
    return failed<Result>(fault.code, args...);
  }
  const std::tuple all(args...);
  if (gone) {
    // What is under way ends: a device that is gone does not write to the host's memory.
    if constexpr (Function == k_clFinish || Function == k_clWaitForEvents)
      (target.*Member)(args...);
    if constexpr (Function == k_clEnqueueReadBuffer || Function == k_clEnqueueWriteBuffer)
      target.clFinish(std::get<0>(all));
    return failed<Result>(fault.code, args...);
  }
  if constexpr (Function == k_clSetKernelArg) flipper().argument(args...);
  if constexpr (Function == k_clEnqueueNDRangeKernel)
    flipper().launches(std::get<0>(all), std::get<1>(all));
  const Result result = (target.*Member)(args...);
  if constexpr (Function == k_clEnqueueReadBuffer)
    if (result == CL_SUCCESS && flipper().turns_read(call))
      flipper().has_read(std::get<0>(all), std::get<4>(all), std::get<5>(all));
  if constexpr (std::is_same_v<Result, cl_int>)
    if (result == CL_SUCCESS) change<Function>(all);
  return result;
}

template <auto Member, int Function, class Result, class... Args>
void install(Result (CL_API_CALL* cl_icd_dispatch::*)(Args...)) {
  if (target.*Member) hooks.*Member = hook<Member, Function, Result, Args...>;
}

constexpr char kLayerName[] = "rhomb fault injection";

void install_hooks() {
  read_fault();
#define X(name) install<&cl_icd_dispatch::name, k_##name>(&cl_icd_dispatch::name);
  FUNCTIONS(X)
#undef X
}

}  // namespace

#include "layer_entry.h"
