// SPDX-License-Identifier: Apache-2.0
// ocl: devices, buffers and kernels. The only part of rhomb that knows OpenCL's headers.
//
// A Device owns one context and in-order queues, of which most runs use one. Everything enqueued on
// a queue runs in order, so a kernel never needs to wait for another by itself. Owners are
// move-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/ocl/error.h"
#include "host/ocl/limits.h"
#include "host/ocl/opencl.h"

namespace rhomb::trace {
class Trace;
}

namespace rhomb::ocl {

/// Every device of every OpenCL platform. Empty when there is none or no loader; never throws for
/// a broken platform, which is left out.
std::vector<DeviceInfo> list_devices();

/// Why there are none, where list_devices() finds none: no driver, or one that offers no device.
std::string why_no_devices();

/// The device `selector` names: an index, "cpu", "gpu", or a part of the name (case folded). Empty
/// selects the fastest GPU (compute units x clock), else the CPU. Throws DeviceError (exit 4) with
/// the list of devices when nothing matches, UsageError when a name part is ambiguous between
/// differently named devices.
DeviceInfo choose_device(std::string_view selector, const std::vector<DeviceInfo>& devices);

/// The devices that several selectors name, with commas between ("0,1"), or "all" that are usable;
/// but a CPU that has several drivers is meant with the one that choose_device("cpu") takes. One
/// that is named twice is there twice. Never none; throws as choose_device() does.
std::vector<DeviceInfo> choose_devices(std::string_view selectors,
                                       const std::vector<DeviceInfo>& devices);

/// Macros a program is specialised with, in order: {"WG", "128"} becomes -DWG=128.
using Defines = std::vector<std::pair<std::string, std::string>>;

struct DeviceOptions {
  std::string kernels_dir;  ///< read kernel sources from here instead of the embedded ones
  bool cache = true;        ///< keep compiled programs on disk
  std::string cache_dir;    ///< empty: $XDG_CACHE_HOME/rhomb or ~/.cache/rhomb
  /// Keep binaries of PoCL too. It has a cache of its own, and takes as long again as for a build
  /// to give a binary away; so by default only a passed self-test is kept of its programs.
  bool pocl_binaries = false;
  /// Every command of the device and what the host does around them are recorded here, unless it is
  /// null. A traced run is slower. The trace lives longer than the device.
  trace::Trace* trace = nullptr;
  /// Programs are tested before they are used. Who compares every answer can do without where a
  /// device is simulated.
  bool self_tests = true;
  /// Told, a line each, what a user should know although the run goes on. May be empty. By one
  /// thread at a time for each device.
  std::function<void(const std::string&)> warn = {};
};

/// Seconds spent so far by a Device, for the `timing` of a result.
struct Clock {
  double build = 0;     ///< finding, building and loading programs
  double transfer = 0;  ///< blocking copies to and from the device
};

class Device;

/// Memory on the device for `size()` values of T. Fixed size, move-only.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(Buffer&&) noexcept = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::size_t size() const { return size_; }
  const cl::Buffer& memory() const { return memory_; }

 private:
  friend class Device;
  Buffer(cl::Buffer memory, std::size_t size) : memory_(std::move(memory)), size_(size) {}

  cl::Buffer memory_;
  std::size_t size_ = 0;
};

/// Host memory that devices copy from and to by themselves, while the host does something else:
/// pages that stay in place, where the driver has such. `size()` values of T, move-only.
template <class T>
class Pinned {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Pinned() = default;
  Pinned(Pinned&& other) noexcept { *this = std::move(other); }
  Pinned& operator=(Pinned&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Pinned();

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<T> all() const { return {data_, size_}; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  friend class Device;
  Pinned(Device& device, cl::Buffer memory, void* data, std::size_t size)
      : device_(&device), memory_(std::move(memory)), data_(static_cast<T*>(data)), size_(size) {}

  Device* device_ = nullptr;
  cl::Buffer memory_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A place in a queue: wait() returns once all that was enqueued before is done. Errors of these
/// commands are thrown there. Move-only.
class Fence {
 public:
  Fence() = default;
  Fence(Fence&& other) noexcept { *this = std::move(other); }
  Fence& operator=(Fence&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~Fence();  ///< waits too, if nobody has

  void wait();

 private:
  friend class Device;
  Fence(Device& device, cl::Event event) : device_(&device), event_(std::move(event)) {}

  Device* device_ = nullptr;  // null: nothing to wait for
  cl::Event event_;
};

/// Local memory a kernel argument asks for, in bytes.
struct Local {
  std::size_t bytes;
};

/// Work-items in total and a group, up to two dimensions. `global` must be a multiple of `group`.
struct Range {
  std::size_t global_x = 1, global_y = 1;
  std::size_t group_x = 1, group_y = 1;
};

/// Whether a structure has bytes that belong to no member. There are drivers that leave out those
/// at the end (Rusticl of Mesa 22.3), and refuse a structure that has them. One with fractions in
/// it says so for itself.
template <class T>
inline constexpr bool kPadded = !std::has_unique_object_representations_v<T>;

/// A kernel of a built program. Calling it enqueues one launch. Arguments that did not change since
/// the last call are not set again.
class Kernel {
 public:
  Kernel(Kernel&&) noexcept = default;
  Kernel& operator=(Kernel&&) noexcept = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Enqueues the kernel over `range` with `args`: scalars, structures, Buffers and Locals, in
  /// order.
  template <class... Args>
  void operator()(const Range& range, const Args&... args) const {
    cl_uint index = 0;
    (set(index++, args), ...);
    enqueue(range);
  }

  /// The most work-items a group of this kernel may have on its device.
  std::size_t max_work_group() const;

 private:
  friend class Device;
  Kernel(cl::Kernel kernel, Device& device, std::string name);

  template <class T>
  void set(cl_uint index, const Buffer<T>& buffer) const {
    set_memory(index, buffer.memory()());
  }
  void set(cl_uint index, const Local& local) const { set_local(index, local.bytes); }
  template <class T>
  std::enable_if_t<std::is_arithmetic_v<T>> set(cl_uint index, const T& value) const {
    static_assert(sizeof value <= sizeof(std::uint64_t));
    set_scalar(index, sizeof value, &value);
  }
  /// A structure of numbers, passed by value. Some of them are others in every launch.
  template <class T>
  std::enable_if_t<std::is_class_v<T>> set(cl_uint index, const T& value) const {
    static_assert(std::is_trivially_copyable_v<T> && !kPadded<T>);
    set_now(index, sizeof value, &value);
  }

  /// What an argument was last set to. `epoch` tells scalars, local and device memory apart; for
  /// device memory it counts allocations, because a handle may come back as another buffer's.
  struct Argument {
    std::size_t size = 0;
    std::uint64_t bits = 0;
    std::uint64_t epoch = 0;
    bool operator==(const Argument&) const = default;
  };
  void set_scalar(cl_uint index, std::size_t size, const void* value) const;
  void set_memory(cl_uint index, cl_mem memory) const;
  void set_local(cl_uint index, std::size_t bytes) const;
  void set_argument(cl_uint index, const Argument& argument, const void* value) const;
  void set_now(cl_uint index, std::size_t size, const void* value) const;
  void enqueue(const Range& range) const;

  cl::Kernel kernel_;
  Device* device_;
  std::string name_;
  mutable std::vector<Argument> arguments_;
};

/// A read that was enqueued and may not be finished yet. Owns the memory it is read into, and waits
/// for the read before it lets go of it. Few values come by pinned memory where there is a GPU:
/// what is enqueued behind a read into other memory waits for the driver's thread, some 40 us.
template <class T>
class Pending {
 public:
  Pending(Pending&& other) noexcept
      : device_(other.device_),
        values_(std::move(other.values_)),
        staged_(std::exchange(other.staged_, nullptr)),
        event_(std::move(other.event_)),
        done_(other.done_) {}
  Pending& operator=(Pending&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(values_, other.values_);
    std::swap(staged_, other.staged_);
    std::swap(event_, other.event_);
    std::swap(done_, other.done_);
    return *this;
  }
  ~Pending();

  /// Waits for the read and everything enqueued before it; spins briefly, then sleeps between
  /// polls so that a long run does not occupy a core.
  const std::vector<T>& wait();
  /// The same, once, and whoever calls it gets the memory.
  std::vector<T> get() {
    wait();
    return std::move(*values_);
  }

 private:
  friend class Device;
  Pending(Device& device, std::unique_ptr<std::vector<T>> values, void* staged)
      : device_(&device), values_(std::move(values)), staged_(staged) {}

  Device* device_;
  std::unique_ptr<std::vector<T>> values_;
  void* staged_;  ///< pinned memory that they come by, or null
  cl::Event event_;
  bool done_ = false;
};

/// One device, ready to compute. Not for use by several threads at once; each has one beside() it.
/// A Kernel, Pending, Pinned or Fence must not outlive the Device it came from, and the Device does
/// not move while they live.
class Device {
 public:
  /// A kernel, whatever its parameters: they are checked when its program is built.
  template <class... Parameters>
  using KernelOf = Kernel;

  explicit Device(const DeviceInfo& info, DeviceOptions options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// The same device with queues of its own, for another thread: memory and programs are both's.
  /// This one outlives it.
  std::unique_ptr<Device> beside();

  const DeviceInfo& info() const { return info_; }
  const Limits& limits() const { return info_.limits; }
  const Clock& clock() const { return clock_; }
  trace::Trace* trace() const { return options_.trace; }  ///< may be null

  /// Uninitialised memory for `count` values (at least one is allocated).
  template <class T>
  Buffer<T> buffer(std::size_t count) {
    return Buffer<T>(allocate(count * sizeof(T)), count);
  }
  /// A copy of `values` on the device; returns when the host memory may be reused.
  template <class T>
  Buffer<T> upload(std::span<const T> values) {
    Buffer<T> made = buffer<T>(values.size());
    write_bytes(made.memory(), 0, values.data(), values.size_bytes());
    return made;
  }
  template <class T>
  Buffer<T> filled(std::size_t count, T value) {
    Buffer<T> made = buffer<T>(count);
    fill(made, value);
    return made;
  }
  template <class T>
  void fill(Buffer<T>& target, T value) {
    fill_bytes(target.memory(), &value, sizeof value, target.size() * sizeof value);
  }
  /// Blocking write of `values` at element `first`.
  template <class T>
  void write(Buffer<T>& target, std::size_t first, std::span<const T> values) {
    write_bytes(target.memory(), first * sizeof(T), values.data(), values.size_bytes());
  }
  /// Blocking read of `count` values from element `first`.
  template <class T>
  std::vector<T> read(const Buffer<T>& source, std::size_t first, std::size_t count) {
    std::vector<T> values(count);
    read_bytes(source.memory(), first * sizeof(T), values.data(), count * sizeof(T));
    return values;
  }
  /// Enqueues a read of `count` values from element `first` and flushes the queue.
  template <class T>
  Pending<T> read_later(const Buffer<T>& source, std::size_t first, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    Pending<T> pending(*this, std::make_unique<std::vector<T>>(count), stage(bytes));
    void* const to = pending.staged_ ? pending.staged_ : pending.values_->data();
    pending.event_ = read_bytes_later(source.memory(), first * sizeof(T), to, bytes);
    return pending;
  }
  /// Uninitialised pinned memory for `count` values (at least one is allocated).
  template <class T>
  Pinned<T> pinned(std::size_t count) {
    cl::Buffer memory;
    void* data = nullptr;
    pin(count * sizeof(T), memory, data);
    return Pinned<T>(*this, std::move(memory), data, count);
  }
  /// Enqueues a write of `values` at element `first`. They stay as they are until it is done.
  template <class T>
  void write_later(Buffer<T>& target, std::size_t first, std::span<const T> values) {
    write_bytes_later(target.memory(), first * sizeof(T), values.data(), values.size_bytes());
  }
  /// Enqueues a read into `values` from element `first`. They are there once it is done.
  template <class T>
  void read_later(const Buffer<T>& source, std::size_t first, std::span<T> values) {
    read_into_later(source.memory(), first * sizeof(T), values.data(), values.size_bytes());
  }
  /// A place behind all that was enqueued on the queue in use; flushes it.
  Fence fence();

  /// Enqueues a copy on the device.
  template <class T>
  void copy(const Buffer<T>& from, std::size_t from_first, Buffer<T>& to, std::size_t to_first,
            std::size_t count) {
    copy_bytes(from.memory(), from_first * sizeof(T), to.memory(), to_first * sizeof(T),
               count * sizeof(T));
  }

  /// The kernel `name` of `file` (path below the kernel root, "wfa/fused.cl") built with `defines`.
  /// Programs are cached in memory and on disk. Throws BuildError or DeviceError.
  Kernel kernel(std::string_view file, std::string_view name, const Defines& defines);

  /// Has the program in memory if it was compiled in an earlier run; nothing is compiled.
  void load(std::string_view file, const Defines& defines);

  /// Whether the program's known-answer test has passed on this device and driver (now or in an
  /// earlier process whose cached binary is in use), and the way to record that it has.
  bool tested(std::string_view file, const Defines& defines);
  void mark_tested(std::string_view file, const Defines& defines);

  /// Whether the test has failed, now or in an earlier process, and how; nothing is compiled to
  /// answer that. And the way to record it.
  std::optional<std::string> failed(std::string_view file, const Defines& defines) const;
  void mark_failed(std::string_view file, const Defines& defines, const std::string& how);
  /// From now on what failed in an earlier process is tested anew: it is asked for by name.
  void doubt_failures() { doubts_failures_ = true; }
  /// Of those beside each other one tests programs at a time: as long as this is held.
  std::unique_lock<std::recursive_mutex> testing();

  /// Tells DeviceOptions::warn of a program that computes wrongly, and what is done `instead`,
  /// unless it has been told so of another program of the same file.
  void warn(const SelfTestError& error, const std::string& instead);

  /// From now on everything is enqueued on this queue: 0, which is the first in use, 1 and so on. A
  /// queue is made when it is first used. Between queues only the host keeps an order, by waiting.
  void use(std::size_t queue);

  void flush();   ///< hands what is enqueued on the queue in use to the device
  void finish();  ///< waits until all of it is done
  /// Waits likewise and hands the times of all commands so far to the trace, if there is one. Else
  /// the last of them come when the device goes.
  void record();

 private:
  friend class Kernel;
  friend class Fence;
  template <class T>
  friend class Pending;
  template <class T>
  friend class Pinned;
  struct Programs;
  struct Queue;
  struct Shared;

  explicit Device(Shared& shared);

  cl::Buffer allocate(std::size_t bytes);
  void write_bytes(const cl::Buffer& memory, std::size_t offset, const void* from,
                   std::size_t bytes);
  void read_bytes(const cl::Buffer& memory, std::size_t offset, void* to, std::size_t bytes);
  cl::Event read_bytes_later(const cl::Buffer& memory, std::size_t offset, void* to,
                             std::size_t bytes);
  /// Pinned memory for some bytes until it is put back; null if there is none for so many.
  void* stage(std::size_t bytes);
  void put_back(void* staged) { unused_.push_back(staged); }
  void pin(std::size_t bytes, cl::Buffer& memory, void*& data);
  void unpin(const cl::Buffer& memory, void* data) noexcept;
  void write_bytes_later(const cl::Buffer& memory, std::size_t offset, const void* from,
                         std::size_t bytes);
  void read_into_later(const cl::Buffer& memory, std::size_t offset, void* to, std::size_t bytes);
  void copy_bytes(const cl::Buffer& from, std::size_t from_offset, const cl::Buffer& to,
                  std::size_t to_offset, std::size_t bytes);
  void fill_bytes(const cl::Buffer& memory, const void* value, std::size_t value_bytes,
                  std::size_t bytes);
  std::unique_ptr<Queue> make_queue();
  void wait(const cl::Event& event);
  void poll(const cl::Event& event) const;
  void settle(const cl::Event& event) noexcept;  // waits, whatever becomes of it
  void check(cl_int code, const char* call) const;
  /// Throws DeviceError, once all that is on the queue in use has ended.
  [[noreturn]] void fail(const std::string& what, cl_int code) const;

  std::unique_ptr<Shared> own_;  // null where this one is beside another
  Shared& shared_;
  const DeviceInfo& info_;
  const DeviceOptions& options_;
  Clock clock_;
  std::vector<std::unique_ptr<Queue>> queues_;
  Queue* queue_ = nullptr;  // the one in use
  std::vector<Pinned<std::byte>> staging_;
  std::vector<void*> unused_;  // parts of it
  bool doubts_failures_ = false;
};

template <class T>
const std::vector<T>& Pending<T>::wait() {
  if (!done_) {
    device_->wait(event_);
    if (staged_) std::memcpy(values_->data(), staged_, values_->size() * sizeof(T));
  }
  done_ = true;
  return *values_;
}

template <class T>
Pending<T>::~Pending() {
  if (values_ && !done_) device_->settle(event_);
  if (staged_) device_->put_back(staged_);
}

template <class T>
Pinned<T>::~Pinned() {
  if (device_ != nullptr) device_->unpin(memory_, data_);
}

}  // namespace rhomb::ocl
