// SPDX-License-Identifier: Apache-2.0
// lcs_queues: what the pipeline of host/lcs needs of a device, in CUDA: queues, buffers, pinned
// memory and fences with the names that ocl::Device has for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cuda/memory.h"

namespace rhomb::cuda {

/// Host memory in pages that stay in place. Move-only.
template <class T>
class Pinned {
 public:
  Pinned() = default;
  explicit Pinned(std::size_t size) : size_(size) {
    void* data = nullptr;
    check(cudaMallocHost(&data, size * sizeof(T)), "cudaMallocHost");
    data_ = static_cast<T*>(data);
  }
  ~Pinned() {
    if (data_ != nullptr) cudaFreeHost(data_);
  }
  Pinned(Pinned&& other) noexcept { *this = std::move(other); }
  Pinned& operator=(Pinned&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::span<T> all() const { return {data_, size_}; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A place in a queue: wait() returns once all that was enqueued before is done. Waits before it
/// goes, as ocl::Fence does: who has a fence lets go of memory that copies still use only after it.
class Fence {
 public:
  Fence() = default;
  explicit Fence(const Stream& stream) : mark_(std::make_unique<Mark>()) { mark_->set(stream); }
  Fence(Fence&& other) noexcept = default;
  Fence& operator=(Fence&& other) noexcept {
    std::swap(mark_, other.mark_);
    return *this;
  }
  ~Fence() {
    if (mark_) cudaEventSynchronize(mark_->get());
  }
  void wait() {
    if (mark_) std::exchange(mark_, nullptr)->wait();
  }

 private:
  std::unique_ptr<Mark> mark_;  // null: nothing to wait for
};

/// Device memory that may be none yet.
template <class T>
class Held {
 public:
  Held() = default;
  explicit Held(std::size_t size) : buffer_(std::make_unique<Buffer<T>>(size)) {}
  T* data() const { return buffer_->data(); }

 private:
  std::unique_ptr<Buffer<T>> buffer_;
};

class Queues {
 public:
  Queues() { use(0); }
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;
  ~Queues() {
    for (const auto& stream : streams_)
      if (stream) cudaStreamSynchronize(stream->get());
  }

  const Stream& stream() const { return *streams_[queue_]; }
  void use(std::size_t queue) {
    if (queue >= streams_.size()) streams_.resize(queue + 1);
    if (!streams_[queue]) streams_[queue] = std::make_unique<Stream>();
    queue_ = queue;
  }

  template <class T>
  Held<T> buffer(std::size_t count) {
    return Held<T>(count > 0 ? count : 1);
  }
  template <class T>
  Pinned<T> pinned(std::size_t count) {
    return Pinned<T>(count > 0 ? count : 1);
  }
  template <class T>
  void write_later(Held<T>& target, std::size_t first, std::span<const T> values) {
    check(cudaMemcpyAsync(target.data() + first, values.data(), values.size_bytes(),
                          cudaMemcpyHostToDevice, stream().get()),
          "cudaMemcpyAsync to the device");
  }
  template <class T>
  void read_later(const Held<T>& source, std::size_t first, std::span<T> values) {
    check(cudaMemcpyAsync(values.data(), source.data() + first, values.size_bytes(),
                          cudaMemcpyDeviceToHost, stream().get()),
          "cudaMemcpyAsync from the device");
  }
  Fence fence() { return Fence(stream()); }
  void flush() {}  // CUDA hands over by itself
  void finish() { stream().wait(); }

 private:
  std::vector<std::unique_ptr<Stream>> streams_;
  std::size_t queue_ = 0;
};

}  // namespace rhomb::cuda
