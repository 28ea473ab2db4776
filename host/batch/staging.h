// SPDX-License-Identifier: Apache-2.0
// Staging: what runs over many texts keep on the host and on a queue of a device, so that packing,
// copies and launches of different queues hide behind each other.
#pragma once

#include <algorithm>
#include <exception>
#include <span>

#include "host/batch/backend.h"

namespace rhomb::batch {

/// The queue in use, until the scope ends; then it is queue 0.
template <Backend Device>
class OnQueue {
 public:
  OnQueue(Device& device, std::size_t queue) : device_(device) { device_.use(queue); }
  ~OnQueue() { device_.use(0); }
  OnQueue(const OnQueue&) = delete;
  OnQueue& operator=(const OnQueue&) = delete;

 private:
  Device& device_;
};

/// Waits for all that is on a queue, whatever became of it: for destructors, because commands may
/// still use the memory that goes.
template <Backend Device>
void settle(Device& device, std::size_t queue) noexcept try {
  const OnQueue use(device, queue);
  device.finish();
} catch (const std::exception&) {  // nobody is there to be told
}

/// What to make where `count` values do not fit into memory for `size`; 0 where they do.
inline std::size_t room_for(std::size_t size, std::size_t count) {
  const std::size_t wanted = std::max<std::size_t>(count, 1);
  return size >= wanted ? 0 : size == 0 ? wanted : wanted + wanted / 8;
}

/// Of so many bytes, with what that adds where others came before.
inline std::uint64_t grown(std::uint64_t bytes) { return bytes + bytes / 8; }

/// Room for `count` values in memory that is used again and again: what grew once will grow again.
/// What there was goes first, so no command may be under way that uses it.
template <class T, Backend Device>
void fit(Device& device, BufferOf<Device, T>& memory, std::size_t count) {
  if (const std::size_t room = room_for(memory.size(), count)) {
    memory = {};
    memory = device.template buffer<T>(room);
  }
}
template <class T, Backend Device>
std::span<T> fit(Device& device, PinnedOf<Device, T>& memory, std::size_t count) {
  if (const std::size_t room = room_for(memory.size(), count)) {
    memory = {};
    memory = device.template pinned<T>(room);
  }
  return memory.all().first(count);
}

/// What is packed on the host and copied to the device.
template <Backend Device, class T>
struct Staged {
  PinnedOf<Device, T> host;
  BufferOf<Device, T> there;
  std::size_t count = 0;

  /// Where `values` values are to be packed.
  std::span<T> load(Device& device, std::size_t values) {
    count = values;
    fit<T>(device, there, values);
    return fit<T>(device, host, values);
  }
  /// Enqueues the copy.
  void send(Device& device) { device.template write_later<T>(there, 0, host.all().first(count)); }
};

}  // namespace rhomb::batch
