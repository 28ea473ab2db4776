// SPDX-License-Identifier: Apache-2.0
// Devices that threads take for a task each: never more than there is room for, and all in turn.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "host/batch/lanes.h"
#include "host/batch/threads.h"
#include "tests/support/catch.h"

namespace rhomb::lanes_tests {

// The devices are not there: only who takes which one counts.
TEST_CASE("a lane is one thread's, a whole device has one task, and broken ones have none",
          "[batch]") {
  ocl::DeviceInfo gpu, cpu, broken;
  gpu.limits.gpu = broken.limits.gpu = true;
  // Which one a thread was given is what was opened last by it.
  thread_local const ocl::DeviceInfo* opened = nullptr;
  std::atomic<int> tries = 0;
  const auto open = [&](const batch::DeviceChoice& choice) -> std::unique_ptr<ocl::Device> {
    opened = choice.info;
    if (choice.info == &broken) {
      ++tries;
      throw Error(Kind::kDevice, "this one is broken");
    }
    return nullptr;  // so another one is opened for each task
  };
  const auto nobody = []() -> ocl::Device& { throw Error(Kind::kDevice, "not called"); };
  batch::Lanes lanes({{&gpu, nobody}, {&broken, nobody}, {&cpu, nobody}}, open);
  CHECK(lanes.devices() == 3);

  struct Count {
    int now = 0, most = 0;
    bool whole = false;
  };
  std::mutex mutex;
  Count of_gpu, of_cpu;
  int begun = 0, ended = 0;
  constexpr std::size_t kThreads = 12, kTasks = 240;
  std::vector<int> done(kTasks);
  batch::in_parts(kTasks, kThreads, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t task = first; task < last; ++task) {
      const bool whole = task % 7 == 0;
      const auto lane = lanes.take(whole);
      Count& count = opened == &gpu ? of_gpu : of_cpu;
      {
        const std::lock_guard lock(mutex);
        CHECK(opened != &broken);
        CHECK((begun == 0 || ended > 0));  // the first one has ended before others begin
        ++begun;
        count.most = std::max(count.most, ++count.now);
        CHECK_FALSE(count.whole);
        CHECK((!whole || count.now == 1));
        count.whole = whole;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(begun == 1 ? 2000 : 200));
      const std::lock_guard lock(mutex);
      --count.now;
      count.whole = false;
      ++ended;
      ++done[task];
    }
  });
  CHECK(done == std::vector<int>(kTasks, 1));
  CHECK(of_gpu.most <= static_cast<int>(batch::Lanes::kOfGpu));
  CHECK(of_gpu.most > 1);
  CHECK(of_cpu.most == 1);
  CHECK(tries >= 1);
}

TEST_CASE("where the first device cannot be opened, everybody is told", "[batch]") {
  ocl::DeviceInfo gpu;
  gpu.limits.gpu = true;
  const auto fail = [](const batch::DeviceChoice&) -> std::unique_ptr<ocl::Device> {
    throw Error(Kind::kDevice, "this one is broken");
  };
  batch::Lanes lanes({{&gpu, {}}}, fail);
  std::atomic<int> told = 0;
  batch::run_parts(6, [&](std::size_t) {
    try {
      lanes.take(false);
    } catch (const Error&) {
      ++told;
    }
  });
  CHECK(told == 6);
}

}  // namespace rhomb::lanes_tests
