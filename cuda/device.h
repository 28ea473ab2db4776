// SPDX-License-Identifier: Apache-2.0
// device: CUDA's queues, memory and kernels with owners, as batch::Backend asks for them, and its
// errors as rhomb's. Owners are move-only.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "cuda/ranges.h"
#include "host/batch/backend.h"

namespace rhomb::cuda {

/// The CUDA device that is used: the calling thread's current one, which is the first of
/// CUDA_VISIBLE_DEVICES unless the caller of the library has chosen another. Throws
/// ocl::DeviceError ("no CUDA device") where there is none.
ocl::DeviceInfo device();

/// Throws unless a call succeeded: MemoryError where memory is exhausted, else ocl::DeviceError.
/// `call` is its name.
void check(cudaError_t status, const char* call);

/// Memory for `size()` values of T (at least one is allocated).
template <class T, bool kOnHost>
class Memory {
 public:
  Memory() = default;
  explicit Memory(std::size_t size) : size_(size) {
    void* data = nullptr;
    const std::size_t bytes = std::max<std::size_t>(size, 1) * sizeof(T);
    if constexpr (kOnHost)
      check(cudaMallocHost(&data, bytes), "cudaMallocHost");
    else
      check(cudaMalloc(&data, bytes), "cudaMalloc");
    data_ = static_cast<T*>(data);
  }
  ~Memory() {
    if (data_ != nullptr) kOnHost ? cudaFreeHost(data_) : cudaFree(data_);
  }
  Memory(Memory&& other) noexcept { *this = std::move(other); }
  Memory& operator=(Memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<T> all() const requires kOnHost { return {data_, size_}; }
  T& operator[](std::size_t i) const requires kOnHost { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
template <class T>
using Buffer = Memory<T, false>;
template <class T>
using Pinned = Memory<T, true>;

/// A place in a queue that can be waited for, the processor meanwhile free for others.
class Fence {
 public:
  Fence() = default;
  explicit Fence(cudaStream_t queue);
  Fence(Fence&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Fence& operator=(Fence&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Fence();

  void wait();

 private:
  cudaEvent_t event_ = nullptr;  // null: nothing to wait for
};

class Device;

template <class... Parameters>
class Kernel {
 public:
  template <class... Arguments>
  void operator()(const ocl::Range& range, const Arguments&... arguments) const;

 private:
  friend class Device;
  Kernel(Device& device, const void* function) : device_(&device), function_(function) {}

  template <class Parameter, class T>
  static Parameter value_of(const Buffer<T>& buffer) {
    return buffer.data();
  }
  template <class Parameter, class T>
  static Parameter value_of(const T& value) {
    return Parameter{value};  // braces: a number does not lose anything
  }

  Device* device_;
  const void* function_;
};

/// device(), ready to compute.
class Device {
 public:
  template <class... Parameters>
  using KernelOf = Kernel<Parameters...>;

  Device();
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const ocl::Limits& limits() const { return limits_; }
  trace::Trace* trace() const { return nullptr; }
  void use(std::size_t queue);

  /// Loads a kernel, which its first launch would do otherwise.
  template <class... Parameters>
  Kernel<Parameters...> kernel(void (*function)(Parameters...)) {
    const auto* const address = reinterpret_cast<const void*>(function);
    load(address);
    return {*this, address};
  }
  template <class T>
  Buffer<T> buffer(std::size_t count) {
    return Buffer<T>(count);
  }
  template <class T>
  Pinned<T> pinned(std::size_t count) {
    return Pinned<T>(count);
  }
  template <class T>
  Buffer<T> upload(std::span<const T> values) {
    const Range range("upload");
    Buffer<T> made(values.size());
    write_later(made, 0, values);
    finish();
    return made;
  }
  template <class T>
  std::vector<T> read(const Buffer<T>& source, std::size_t first, std::size_t count) {
    const Range range("read");
    std::vector<T> values(count);
    read_later(source, first, std::span(values));
    finish();
    return values;
  }
  template <class T>
  void fill(Buffer<T>& target, T value) {
    check(cudaMemsetAsync(target.data(), *reinterpret_cast<const unsigned char*>(&value),
                          target.size() * sizeof(T), queue()),
          "cudaMemsetAsync");
  }
  template <class T>
  void write_later(Buffer<T>& target, std::size_t first, std::span<const T> values) {
    check(cudaMemcpyAsync(target.data() + first, values.data(), values.size_bytes(),
                          cudaMemcpyHostToDevice, queue()),
          "cudaMemcpyAsync to the device");
  }
  template <class T>
  void read_later(const Buffer<T>& source, std::size_t first, std::span<T> values) {
    check(cudaMemcpyAsync(values.data(), source.data() + first, values.size_bytes(),
                          cudaMemcpyDeviceToHost, queue()),
          "cudaMemcpyAsync from the device");
  }
  Fence fence() { return Fence(queue()); }
  void flush() {}  // CUDA hands over by itself
  void finish();

 private:
  template <class... Parameters>
  friend class Kernel;

  cudaStream_t queue() const { return queues_[used_]; }
  static void load(const void* function);
  void launch(const void* function, const ocl::Range& range, void** arguments);

  ocl::Limits limits_;
  std::vector<cudaStream_t> queues_;  // null: not yet used
  std::size_t used_ = 0;
};
static_assert(batch::Backend<Device>);

template <class... Parameters>
template <class... Arguments>
void Kernel<Parameters...>::operator()(const ocl::Range& range,
                                       const Arguments&... arguments) const {
  std::tuple<Parameters...> values{value_of<Parameters>(arguments)...};
  std::apply(
      [&](auto&... each) {
        void* all[] = {&each...};
        device_->launch(function_, range, all);
      },
      values);
}

}  // namespace rhomb::cuda
