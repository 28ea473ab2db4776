// SPDX-License-Identifier: Apache-2.0
// A device's context, queues and memory. Programs are in program.cpp, launches in kernel.cpp.
#include "host/ocl/device.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "host/ocl/program.h"
#include "host/ocl/queue.h"
#include "host/ocl/shared.h"
#include "host/ocl/timer.h"
#include "host/trace/trace.h"

namespace rhomb::ocl {
namespace {

using CommandKind = trace::Command::Kind;

std::string in_words(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < std::size(kUnits)) {
    size /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 || size >= 100 ? "%.0f %s" : "%.1f %s", size,
                kUnits[unit]);
  return text;
}

}  // namespace

Device::Shared::Shared(const DeviceInfo& of, DeviceOptions with)
    : info(of), options(std::move(with)), device(static_cast<cl_device_id>(of.handle)) {
  if (!device) throw DeviceError("device was not listed by OpenCL", 0, info.name);
  const auto check = [&](cl_int code, const char* call) {
    if (code != CL_SUCCESS) throw DeviceError(call, code, info.name);
  };
  cl_platform_id platform = nullptr;
  check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr),
        "clGetDeviceInfo");

  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(platform), 0};
  cl_int code = CL_SUCCESS;
  cl_context made = clCreateContext(properties, 1, &device, nullptr, nullptr, &code);
  // Of a driver that the loader has not found itself: the device tells the platform.
  if (code == CL_INVALID_PLATFORM)
    made = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  context = cl::Context(made);
  programs = std::make_unique<Programs>(info, options, platform, made);
}

Device::Device(const DeviceInfo& info, DeviceOptions options)
    : own_(std::make_unique<Shared>(info, std::move(options))),
      shared_(*own_),
      info_(shared_.info),
      options_(shared_.options) {
  use(0);
}

Device::Device(Shared& shared) : shared_(shared), info_(shared.info), options_(shared.options) {
  use(0);
}

std::unique_ptr<Device> Device::beside() {
  std::unique_ptr<Device> made(new Device(shared_));
  made->doubts_failures_ = doubts_failures_;
  return made;
}

Device::~Device() {
  for (auto& queue : queues_) {
    if (!queue) continue;
    queue->commands.reset();
    if (queue->busy) clFinish(queue->get());
  }
}

std::unique_ptr<Device::Queue> Device::make_queue() {
  // The call of OpenCL 1.2: later versions keep it, and it asks for nothing that they add.
  const cl_command_queue_properties profiling = options_.trace ? CL_QUEUE_PROFILING_ENABLE : 0;
  cl_int code = CL_SUCCESS;
  auto made = std::make_unique<Queue>();
  made->queue =
      cl::CommandQueue(clCreateCommandQueue(shared_.context(), shared_.device, profiling, &code));
  check(code, "clCreateCommandQueue");
  if (options_.trace)
    made->commands = std::make_unique<Commands>(*options_.trace, info_, made->get());
  return made;
}

void Device::use(std::size_t queue) {
  if (queue >= queues_.size()) queues_.resize(queue + 1);
  if (!queues_[queue]) queues_[queue] = make_queue();
  queue_ = queues_[queue].get();
}

void Device::check(cl_int code, const char* call) const {
  if (code != CL_SUCCESS) fail(call, code);
}

void Device::fail(const std::string& what, cl_int code) const {
  // Who is told lets go of memory that commands on their way may still use.
  if (queue_ != nullptr) clFinish(queue_->get());
  throw DeviceError(what, code, info_.name);
}

cl::Buffer Device::allocate(std::size_t bytes) {
  if (bytes > info_.limits.alloc_bytes)
    throw MemoryError("a buffer of " + in_words(bytes) + " is larger than '" + info_.name +
                      "' allows: " + in_words(info_.limits.alloc_bytes) + " a buffer, " +
                      in_words(info_.limits.global_bytes) + " in all");
  cl_int code = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(shared_.context(), CL_MEM_READ_WRITE,
                                       std::max(bytes, sizeof(cl_ulong)), nullptr, &code);
  if (code != CL_SUCCESS) fail("clCreateBuffer of " + in_words(bytes), code);
  ++shared_.allocations;
  return cl::Buffer(memory);
}

// Blocking copies wait for the launches before them; finish() first keeps that wait out of the
// transfer's time, and sleeps where the driver would spin.

void Device::write_bytes(const cl::Buffer& memory, std::size_t offset, const void* from,
                         std::size_t bytes) {
  if (bytes == 0) return;
  finish();
  const trace::Scope scope(options_.trace, trace::Work::kUpload);
  const Timer timer(clock_.transfer);
  cl_event event = nullptr;
  check(clEnqueueWriteBuffer(queue_->get(), memory(), CL_TRUE, offset, bytes, from, 0, nullptr,
                             queue_->wanted(event)),
        "clEnqueueWriteBuffer");
  if (event) queue_->commands->moved(event, CommandKind::kWrite, bytes);
}

void Device::read_bytes(const cl::Buffer& memory, std::size_t offset, void* to, std::size_t bytes) {
  if (bytes == 0) return;
  finish();
  const trace::Scope scope(options_.trace, trace::Work::kFetch);
  const Timer timer(clock_.transfer);
  cl_event event = nullptr;
  check(clEnqueueReadBuffer(queue_->get(), memory(), CL_TRUE, offset, bytes, to, 0, nullptr,
                            queue_->wanted(event)),
        "clEnqueueReadBuffer");
  if (event) queue_->commands->moved(event, CommandKind::kRead, bytes);
}

cl::Event Device::read_bytes_later(const cl::Buffer& memory, std::size_t offset, void* to,
                                   std::size_t bytes) {
  cl_event event = nullptr;
  queue_->enqueued();
  if (bytes == 0)
    check(clEnqueueMarkerWithWaitList(queue_->get(), 0, nullptr, &event),
          "clEnqueueMarkerWithWaitList");
  else
    check(clEnqueueReadBuffer(queue_->get(), memory(), CL_FALSE, offset, bytes, to, 0, nullptr,
                              &event),
          "clEnqueueReadBuffer");
  cl::Event owned(event);
  queue_->newest = event;
  if (queue_->commands && bytes > 0 && clRetainEvent(event) == CL_SUCCESS)
    queue_->commands->moved(event, CommandKind::kRead, bytes);
  flush();
  return owned;
}

void* Device::stage(std::size_t bytes) {
  constexpr std::size_t kPart = std::size_t{16} << 10, kParts = 4;
  if (!info_.limits.gpu || bytes == 0 || bytes > kPart) return nullptr;
  if (unused_.empty()) {
    staging_.push_back(pinned<std::byte>(kParts * kPart));
    for (std::size_t i = 0; i < kParts; ++i) unused_.push_back(&staging_.back()[i * kPart]);
  }
  void* const staged = unused_.back();
  unused_.pop_back();
  return staged;
}

void Device::pin(std::size_t bytes, cl::Buffer& memory, void*& data) {
  // The host's own pages, large ones where there are such: a driver takes several times as long to
  // make some of its own.
  constexpr std::size_t kPage = 1 << 12, kLargePage = 1 << 21;
  const std::size_t page = bytes >= kLargePage ? kLargePage : kPage;
  const std::size_t size = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
  void* const own = std::aligned_alloc(page, size);
  if (own == nullptr) throw MemoryError("the host has no " + in_words(bytes) + " left");
  madvise(own, size, MADV_HUGEPAGE);
  cl_int code = CL_SUCCESS;
  const cl_mem made =
      clCreateBuffer(shared_.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, own, &code);
  const char* call = "clCreateBuffer";
  if (code == CL_SUCCESS) {
    call = "clSetMemObjectDestructorCallback";
    code = clSetMemObjectDestructorCallback(
        made, [](cl_mem, void* all) { std::free(all); }, own);
  }
  if (code != CL_SUCCESS) {
    if (made != nullptr) clReleaseMemObject(made);
    std::free(own);
    fail(call + (" of " + in_words(bytes)) + " of host memory", code);
  }
  memory = cl::Buffer(made);
  data = clEnqueueMapBuffer(queue_->get(), made, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0,
                            nullptr, nullptr, &code);
  if (code != CL_SUCCESS) fail("clEnqueueMapBuffer of " + in_words(bytes), code);
}

void Device::unpin(const cl::Buffer& memory, void* data) noexcept {
  if (clEnqueueUnmapMemObject(queue_->get(), memory(), data, 0, nullptr, nullptr) == CL_SUCCESS)
    queue_->enqueued();
}

void Device::write_bytes_later(const cl::Buffer& memory, std::size_t offset, const void* from,
                               std::size_t bytes) {
  if (bytes == 0) return;
  queue_->enqueued();
  cl_event event = nullptr;
  check(clEnqueueWriteBuffer(queue_->get(), memory(), CL_FALSE, offset, bytes, from, 0, nullptr,
                             queue_->wanted(event)),
        "clEnqueueWriteBuffer");
  if (event) queue_->commands->moved(event, CommandKind::kWrite, bytes);
}

void Device::read_into_later(const cl::Buffer& memory, std::size_t offset, void* to,
                             std::size_t bytes) {
  if (bytes == 0) return;
  queue_->enqueued();
  cl_event event = nullptr;
  check(clEnqueueReadBuffer(queue_->get(), memory(), CL_FALSE, offset, bytes, to, 0, nullptr,
                            queue_->wanted(event)),
        "clEnqueueReadBuffer");
  if (event) queue_->commands->moved(event, CommandKind::kRead, bytes);
}

void Device::copy_bytes(const cl::Buffer& from, std::size_t from_offset, const cl::Buffer& to,
                        std::size_t to_offset, std::size_t bytes) {
  if (bytes == 0) return;
  queue_->enqueued();
  cl_event event = nullptr;
  check(clEnqueueCopyBuffer(queue_->get(), from(), to(), from_offset, to_offset, bytes, 0, nullptr,
                            queue_->wanted(event)),
        "clEnqueueCopyBuffer");
  if (event) queue_->commands->moved(event, CommandKind::kCopy, bytes);
}

void Device::fill_bytes(const cl::Buffer& memory, const void* value, std::size_t value_bytes,
                        std::size_t bytes) {
  if (bytes == 0) return;
  queue_->enqueued();
  cl_event event = nullptr;
  check(clEnqueueFillBuffer(queue_->get(), memory(), value, value_bytes, 0, bytes, 0, nullptr,
                            queue_->wanted(event)),
        "clEnqueueFillBuffer");
  if (event) queue_->commands->moved(event, CommandKind::kFill, bytes);
}

/// Queues are in order, so waiting for the newest command waits for all.
void Device::wait(const cl::Event& event) {
  const trace::Scope scope(options_.trace, trace::Work::kWait);
  poll(event);
  for (const auto& queue : queues_)
    if (queue && event() == queue->newest) queue->busy = false;
}

void Device::poll(const cl::Event& event) const {
  const auto status_of = [&event] {
    cl_int status = CL_QUEUED;
    const cl_int code =
        clGetEventInfo(event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    return std::pair(code, status);
  };
  if (!info_.limits.gpu) {
    const cl_event waited = event();
    const cl_int code = clWaitForEvents(1, &waited);
    if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
      if (const auto [asked, status] = status_of(); asked == CL_SUCCESS && status < 0)
        check(status, "a command");
    return check(code, "clWaitForEvents");
  }

  using namespace std::chrono_literals;
  check(clFlush(queue_->get()), "clFlush");
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    const auto [code, status] = status_of();
    check(code, "clGetEventInfo");
    if (status < 0) check(status, "a command");
    if (status == CL_COMPLETE) return;
    const auto waited = std::chrono::steady_clock::now() - start;
    // A sleep may make the wait longer by a fiftieth.
    if (waited < 100us)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::clamp<std::chrono::nanoseconds>(waited / 50, 20us, 1ms));
  }
}

void Device::settle(const cl::Event& event) noexcept {
  try {
    wait(event);
  } catch (const std::exception&) {  // all of the queue is done then, see fail()
  }
}

void Device::flush() { check(clFlush(queue_->get()), "clFlush"); }

void Device::finish() {
  if (!queue_->busy) return;
  if (info_.limits.gpu) {
    cl_event event = nullptr;
    check(clEnqueueMarkerWithWaitList(queue_->get(), 0, nullptr, &event),
          "clEnqueueMarkerWithWaitList");
    wait(cl::Event(event));
  } else {
    const trace::Scope scope(options_.trace, trace::Work::kWait);
    check(clFinish(queue_->get()), "clFinish");
  }
  queue_->busy = false;
}

Fence Device::fence() {
  cl_event event = nullptr;
  check(clEnqueueMarkerWithWaitList(queue_->get(), 0, nullptr, &event),
        "clEnqueueMarkerWithWaitList");
  Fence fence(*this, cl::Event(event));
  if (queue_->busy) queue_->newest = event;
  flush();
  return fence;
}

void Fence::wait() {
  if (device_ == nullptr) return;
  Device& device = *std::exchange(device_, nullptr);
  device.wait(event_);
}

Fence::~Fence() {
  if (device_ != nullptr) device_->settle(event_);
}

void Device::record() {
  if (!options_.trace) return;
  Queue* const used = queue_;
  for (const auto& queue : queues_) {
    if (!queue) continue;
    queue_ = queue.get();
    finish();
    queue_->commands->collect();
  }
  queue_ = used;
}

}  // namespace rhomb::ocl
