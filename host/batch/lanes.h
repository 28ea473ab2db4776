// SPDX-License-Identifier: Apache-2.0
// Lanes: devices that threads take for a task each; a GPU has some at the same time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "host/batch/devices.h"
#include "host/error.h"
#include "host/ocl/device.h"

namespace rhomb::batch {

class Lanes {
  struct Slot;

 public:
  /// Tasks that a GPU has at a time.
  static constexpr std::size_t kOfGpu = 4;

  /// Makes one that is beside() what it opens.
  using Open = std::function<std::unique_ptr<ocl::Device>(const DeviceChoice&)>;

  /// At least one device. Those besides the first one that cannot be opened are done without.
  Lanes(const std::vector<DeviceChoice>& devices, Open open) : open_(std::move(open)) {
    for (const DeviceChoice& choice : devices) {
      const std::size_t lanes = choice.info->limits.gpu ? kOfGpu : 1;
      slots_.push_back({choice, lanes, lanes, {}});
    }
  }

  std::size_t devices() const { return slots_.size(); }

  /// A device that this thread has for a task, as long as this is there.
  class Lane {
   public:
    ~Lane() { from_.put_back(slot_, count_, std::move(device_)); }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    ocl::Device* device() { return device_.get(); }

   private:
    friend class Lanes;
    Lane(Lanes& from, Slot& slot, std::size_t count, std::unique_ptr<ocl::Device> device)
        : from_(from), slot_(slot), count_(count), device_(std::move(device)) {}

    Lanes& from_;
    Slot& slot_;
    std::size_t count_;
    std::unique_ptr<ocl::Device> device_;
  };

  /// Waits until there is one, and others that have asked before have theirs. `whole`: without
  /// other tasks on that device. The first task has no others beside it, so that programs are built
  /// once. Throws what `open` throws.
  Lane take(bool whole) {
    for (;;) {
      std::unique_lock lock(mutex_);
      const std::uint64_t number = asked_++;
      Slot* slot = nullptr;
      changed_.wait(lock, [&] { return number == served_ && (slot = free_one(whole)) != nullptr; });
      ++served_;
      const std::size_t count = whole ? slot->lanes : 1;
      slot->free -= count;
      ++busy_;
      std::unique_ptr<ocl::Device> device;
      if (!slot->idle.empty()) {
        device = std::move(slot->idle.back());
        slot->idle.pop_back();
      }
      changed_.notify_all();
      lock.unlock();
      if (device != nullptr) return Lane(*this, *slot, count, std::move(device));
      try {
        return Lane(*this, *slot, count, open_(slot->choice));
      } catch (const Error& error) {
        const bool needed = slot == &slots_.front() || error.kind() != Kind::kDevice;
        lock.lock();
        if (!needed) slot->lanes = 0;
        release(*slot, count);
        if (needed) throw;
      } catch (...) {
        lock.lock();
        release(*slot, count);
        throw;
      }
    }
  }

 private:
  struct Slot {
    DeviceChoice choice;
    std::size_t lanes, free;  // 0 lanes: it is done without
    std::vector<std::unique_ptr<ocl::Device>> idle;
  };

  /// The device that has the fewest tasks, if it has room for one more.
  Slot* free_one(bool whole) {
    if (!tried_ && busy_ > 0) return nullptr;
    Slot* best = nullptr;
    for (Slot& slot : slots_)
      if (slot.lanes > 0 && slot.free >= (whole ? slot.lanes : 1) &&
          (best == nullptr || slot.free > best->free))
        best = &slot;
    return best;
  }
  void release(Slot& slot, std::size_t count) {
    slot.free += count;
    --busy_;
    changed_.notify_all();
  }
  void put_back(Slot& slot, std::size_t count, std::unique_ptr<ocl::Device> device) {
    const std::lock_guard lock(mutex_);
    slot.idle.push_back(std::move(device));
    tried_ = true;
    release(slot, count);
  }

  Open open_;
  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0, served_ = 0;
  std::size_t busy_ = 0;
  bool tried_ = false;  // a task has ended
};

}  // namespace rhomb::batch
