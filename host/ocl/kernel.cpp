// SPDX-License-Identifier: Apache-2.0
// Launching kernels. This is the hot path of many small launches: no C++ bindings, no events
// unless a trace is recorded, and no buffer or scalar is set twice.
#include <cstring>

#include "host/ocl/queue.h"
#include "host/ocl/shared.h"

namespace rhomb::ocl {
namespace {

// Epochs of arguments; those of device memory count up from the first allocation.
constexpr std::uint64_t kScalar = ~std::uint64_t{0};
constexpr std::uint64_t kLocal = kScalar - 1;
constexpr std::uint64_t kNothing = kScalar - 2;

}  // namespace

Kernel::Kernel(cl::Kernel kernel, Device& device, std::string name)
    : kernel_(std::move(kernel)), device_(&device), name_(std::move(name)) {}

std::size_t Kernel::max_work_group() const {
  std::size_t most = 0;
  const cl_int code = clGetKernelWorkGroupInfo(
      kernel_(), device_->shared_.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr);
  if (code != CL_SUCCESS) device_->fail("clGetKernelWorkGroupInfo of '" + name_ + "'", code);
  return most;
}

void Kernel::set_scalar(cl_uint index, std::size_t size, const void* value) const {
  Argument argument{size, 0, kScalar};
  std::memcpy(&argument.bits, value, size);
  set_argument(index, argument, value);
}

void Kernel::set_memory(cl_uint index, cl_mem memory) const {
  Argument argument{sizeof memory, 0, device_->shared_.allocations};
  std::memcpy(&argument.bits, &memory, sizeof memory);
  set_argument(index, argument, &memory);
}

void Kernel::set_local(cl_uint index, std::size_t bytes) const {
  set_argument(index, Argument{bytes, 0, kLocal}, nullptr);
}

void Kernel::set_argument(cl_uint index, const Argument& argument, const void* value) const {
  if (index >= arguments_.size()) arguments_.resize(index + 1, Argument{0, 0, kNothing});
  if (arguments_[index] == argument) return;
  arguments_[index].epoch = kNothing;
  set_now(index, argument.size, value);
  arguments_[index] = argument;
}

void Kernel::set_now(cl_uint index, std::size_t size, const void* value) const {
  const cl_int code = clSetKernelArg(kernel_(), index, size, value);
  if (code != CL_SUCCESS)
    device_->fail("clSetKernelArg of argument " + std::to_string(index) + " of '" + name_ + "'",
                  code);
}

void Kernel::enqueue(const Range& range) const {
  const std::size_t global[] = {range.global_x, range.global_y};
  const std::size_t group[] = {range.group_x, range.group_y};
  for (int i = 0; i < 2; ++i)
    if (group[i] == 0 || global[i] == 0 || global[i] % group[i] != 0)
      throw DeviceError("launch of '" + name_ + "': " + std::to_string(global[i]) +
                            " work-items do not make up groups of " + std::to_string(group[i]),
                        0, device_->info_.name);
  const cl_uint dimensions = range.global_y > 1 || range.group_y > 1 ? 2 : 1;
  cl_event event = nullptr;
  Device::Queue& queue = *device_->queue_;
  const cl_int code = clEnqueueNDRangeKernel(queue.get(), kernel_(), dimensions, nullptr, global,
                                             group, 0, nullptr, queue.wanted(event));
  if (code != CL_SUCCESS) device_->fail("clEnqueueNDRangeKernel of '" + name_ + "'", code);
  queue.enqueued();
  if (event) queue.commands->launched(event, name_, range);
}

}  // namespace rhomb::ocl
