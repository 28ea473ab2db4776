// SPDX-License-Identifier: Apache-2.0
// memory: CUDA's device memory, streams and events with owners, and its errors as rhomb's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/ocl/limits.h"

namespace rhomb::cuda {

/// The CUDA device that is used: the calling thread's current one, which is the first of
/// CUDA_VISIBLE_DEVICES unless the caller of the library has chosen another. Throws
/// ocl::DeviceError ("no CUDA device") where there is none.
ocl::DeviceInfo device();

/// Makes sure that there is a device, and gets it ready.
void open();

/// Throws unless a call succeeded: MemoryError where memory is exhausted, else ocl::DeviceError.
/// `call` is its name.
void check(cudaError_t status, const char* call);

/// An in-order queue. Move-only, as are all owners here.
class Stream {
 public:
  Stream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }

  cudaStream_t get() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A place in a stream that can be waited for, the processor meanwhile free for others.
class Mark {
 public:
  Mark() {
    check(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync | cudaEventDisableTiming),
          "cudaEventCreate");
  }
  ~Mark() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Mark(Mark&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Mark& operator=(Mark&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  void set(const Stream& stream) {
    check(cudaEventRecord(event_, stream.get()), "cudaEventRecord");
  }
  void wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Memory on the device for `size()` values of T.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size) {
    void* data = nullptr;
    check(cudaMalloc(&data, size * sizeof(T)), "cudaMalloc");
    data_ = static_cast<T*>(data);
  }
  Buffer(std::span<const T> values, const Stream& stream) : Buffer(values.size()) {
    check(cudaMemcpyAsync(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice,
                          stream.get()),
          "cudaMemcpyAsync to the device");
  }
  ~Buffer() {
    if (data_ != nullptr) cudaFree(data_);
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// All bytes become `byte`.
  void fill(int byte, const Stream& stream) const {
    check(cudaMemsetAsync(data_, byte, size_ * sizeof(T), stream.get()), "cudaMemsetAsync");
  }
  /// The values [from, from + count), once all that is in the stream is done.
  std::vector<T> read(std::size_t from, std::size_t count, const Stream& stream) const {
    std::vector<T> values(count);
    if (count > 0)
      check(cudaMemcpyAsync(values.data(), data_ + from, count * sizeof(T), cudaMemcpyDeviceToHost,
                            stream.get()),
            "cudaMemcpyAsync from the device");
    stream.wait();
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rhomb::cuda
