// SPDX-License-Identifier: Apache-2.0
// Backend: what computes on a device needs of it, so that packing, copies and launches are written
// once for OpenCL (ocl::Device) and CUDA (cuda::Device). Templates instead of an interface: there
// are no virtual functions, and each is compiled for what it calls.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "host/ocl/device.h"

namespace rhomb::batch {

/// Uninitialised memory on the device; size() values of T, none where it was made without
/// arguments.
template <class Device, class T>
using BufferOf = decltype(std::declval<Device&>().template buffer<T>(1));
/// Host memory that the device copies from and to by itself, in pages that stay in place: data(),
/// size() and all(), a span.
template <class Device, class T>
using PinnedOf = decltype(std::declval<Device&>().template pinned<T>(1));
/// A place in a queue: wait() returns once all that was enqueued before is done, and throws what
/// went wrong. Where nobody has waited, its destructor does.
template <class Device>
using FenceOf = decltype(std::declval<Device&>().fence());
/// A kernel with these parameters: pointers, scalars and structures of them. Called with a range
/// and an argument for each, a buffer for a pointer, it enqueues a launch.
template <class Device, class... Parameters>
using KernelOf = typename Device::template KernelOf<Parameters...>;

/// A device with in-order queues. One thread at a time uses it; all that it makes is movable, and
/// goes before it does.
template <class Device>
concept Backend = requires(Device& device, BufferOf<Device, std::uint32_t>& buffer,
                           const KernelOf<Device, std::uint32_t*, std::uint64_t>& kernel,
                           const ocl::Range& range, std::span<const std::uint32_t> from,
                           std::span<std::uint32_t> to, std::size_t number) {
  { device.limits() } -> std::convertible_to<const ocl::Limits&>;
  { device.trace() } -> std::same_as<trace::Trace*>;  // may be null
  // What follows is enqueued on this queue: 0 at the start. A queue is made when first used.
  device.use(number);
  // Blocking copies, of all of a new buffer and of so many values from a place on.
  { device.template upload<std::uint32_t>(from) } -> std::same_as<BufferOf<Device, std::uint32_t>>;
  { device.read(buffer, number, number) } -> std::same_as<std::vector<std::uint32_t>>;
  // Enqueue: all values become this one, whose bytes are alike; copies from and to a place of the
  // buffer, for which the host's memory stays until they are done.
  device.fill(buffer, std::uint32_t{0});
  device.template write_later<std::uint32_t>(buffer, number, from);
  device.template read_later<std::uint32_t>(buffer, number, to);
  kernel(range, buffer, std::uint64_t{0});
  device.flush();   // hands what is enqueued to the device
  device.finish();  // waits until all of the queue is done
  { FenceOf<Device>() } -> std::movable;
  { PinnedOf<Device, std::uint32_t>().all() } -> std::same_as<std::span<std::uint32_t>>;
};
static_assert(Backend<ocl::Device>);

}  // namespace rhomb::batch
