// SPDX-License-Identifier: Apache-2.0
// What several threads do together: blocks handed over within a number of bytes, units of blocks
// computed in order, results in order, walks in parts. The preset `thread` runs these under
// ThreadSanitizer.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "host/batch/flow.h"
#include "host/batch/handover.h"
#include "host/batch/threads.h"
#include "host/batch/units.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace rhomb::batch_tests {
using namespace std::chrono_literals;

namespace {

struct Block {
  std::size_t bytes = 0;
  int number = 0;
};

using Handover = batch::Handover<Block>;

/// Waits until `condition` holds; false after ten seconds.
template <class Condition>
bool soon(const Condition& condition) {
  for (int i = 0; i < 10000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

/// Numbers that were read together.
struct Numbers : batch::Block {
  std::vector<int> all;
};

/// Some of a block's numbers, and their squares.
struct Part {
  std::size_t number = 0;
  const Numbers* block = nullptr;
  bool last = false;
  std::size_t first = 0, end = 0;
  bool filled = false;
  std::vector<int> squares;
};

/// Squares of the numbers from 0 to `count`, in blocks of about ten and units of up to `each`.
class Squares {
 public:
  using Units = batch::Units<Numbers, Part>;

  Squares(int count, std::size_t each, std::size_t most, int broken = -1)
      : units_(batch::BlockSizes{40, 2, 5, 10}, most,
               {[count, broken](batch::Reader<Numbers>& reader) {
                  for (int i = 0; i < count; ++i) {
                    if (i == broken) throw std::runtime_error("unreadable");
                    Numbers* const block = reader.room_for(1, 0);
                    if (block == nullptr) return;
                    block->all.push_back(i);
                  }
                },
                [](Numbers&) {}, [this](Numbers&) { at_ = 0; },
                [this, each](Part& part) {
                  part.first = at_;
                  part.end = at_ = std::min(at_ + each, part.block->all.size());
                  part.last = at_ == part.block->all.size();
                },
                [](Part& part) { part.filled = true; }}) {}

  Units* operator->() { return &units_; }

 private:
  std::size_t at_ = 0;
  Units units_;
};

/// Computes in a few slots, some units only while no other is on its way.
struct Squarer {
  std::size_t slots() const { return busy.size(); }
  bool start(std::size_t slot, const Part& part, bool alone) {
    if (alone != (std::ranges::count(busy, 1) == 0)) wrong = true;
    if (part.number % 3 == 0 && !alone) return false;
    if (std::exchange(busy[slot], 1) == 1 || !part.filled) wrong = true;
    return true;
  }
  void finish(std::size_t slot, Part& part) {
    if (std::exchange(busy[slot], 0) == 0) wrong = true;
    if (part.block->all[part.first] <= fails && fails <= part.block->all[part.end - 1])
      throw std::runtime_error("no square");
    for (std::size_t i = part.first; i < part.end; ++i)
      part.squares.push_back(part.block->all[i] * part.block->all[i]);
  }

  void done() { ++ended; }

  std::vector<int> busy;
  int fails = -1;  // at the unit that has this number
  std::atomic<bool>& wrong;
  std::atomic<std::size_t>& ended;
};

}  // namespace

TEST_CASE("blocks come out as they went in, and take() that need not wait does not", "[batch]") {
  Handover blocks(10);
  CHECK(!blocks.take(false));
  REQUIRE(blocks.give({3, 1}));
  REQUIRE(blocks.give({7, 2}));  // just fits
  blocks.end();
  for (const int number : {1, 2}) {
    const auto block = blocks.take(true);
    REQUIRE(block);
    CHECK(block->number == number);
  }
  CHECK(!blocks.take(true));  // the end
  CHECK(!blocks.failed());
  CHECK_NOTHROW(blocks.check());
}

TEST_CASE("a block waits for room, and one always fits", "[batch]") {
  Handover blocks(10);
  REQUIRE(blocks.give({100, 1}));  // larger than all that is allowed, but alone
  std::atomic<bool> given = false;
  std::jthread giver([&] {
    blocks.give({1, 2});
    given = true;
  });
  std::this_thread::sleep_for(20ms);
  CHECK(!given);
  REQUIRE(blocks.take(true));
  std::this_thread::sleep_for(20ms);
  CHECK(!given);  // taken, but its bytes still count
  blocks.release(100);
  CHECK(soon([&] { return given.load(); }));
  giver.join();
  const auto block = blocks.take(true);
  REQUIRE(block);
  CHECK(block->number == 2);
}

TEST_CASE("stop() lets all who wait go", "[batch]") {
  Handover blocks(1);
  REQUIRE(blocks.give({1, 1}));
  bool gave = true;
  std::jthread giver([&] { gave = blocks.give({1, 2}); });
  std::this_thread::sleep_for(5ms);
  blocks.stop();
  giver.join();
  CHECK(!gave);
  CHECK(!blocks.take(true));
  CHECK(!blocks.give({1, 3}));

  Handover empty(1);
  std::jthread stopper([&] { empty.stop(); });
  CHECK(!empty.take(true));
}

TEST_CASE("an error is thrown by check(), what was given before it can be taken", "[batch]") {
  Handover blocks(10);
  REQUIRE(blocks.give({1, 1}));
  const bool at_the_end = GENERATE(true, false);
  const auto failure = std::make_exception_ptr(std::runtime_error("broken"));
  if (at_the_end) {
    blocks.end(failure);
  } else {
    blocks.fail(failure);
    blocks.end();  // does not forget it
  }
  CHECK(blocks.failed());
  CHECK(blocks.take(true));
  CHECK(!blocks.take(true));
  CHECK_THROWS_WITH(blocks.check(), "broken");
}

TEST_CASE("one gives and several take, each block once and never too many bytes", "[batch]") {
  const auto round = GENERATE(range(0u, 5u));
  test::Rng random(test::seed() + round);
  constexpr std::size_t kMost = 50;
  constexpr int kBlocks = 400;
  std::vector<std::size_t> sizes(kBlocks);
  for (auto& size : sizes)
    size = test::random_below(random, 30) + (test::random_below(random, 20) == 0 ? 60 : 0);
  Handover blocks(kMost);
  std::atomic<std::size_t> held = 0;  // bytes that have been given and not released
  std::atomic<bool> too_many = false;
  std::mutex mutex;
  std::vector<int> taken;
  {
    std::vector<std::jthread> takers;
    for (std::size_t t = 0; t < 3; ++t)
      takers.emplace_back([&] {
        int last = -1;
        while (const auto block = blocks.take(true)) {
          if (block->number <= last) too_many = true;  // each sees them in order
          last = block->number;
          {
            const std::lock_guard lock(mutex);
            taken.push_back(block->number);
          }
          held -= block->bytes;
          blocks.release(block->bytes);
        }
      });
    for (int i = 0; i < kBlocks; ++i) {
      const std::size_t bytes = sizes[static_cast<std::size_t>(i)];
      if (!blocks.give({bytes, i})) break;
      // Counted after giving, and no more after the takers counted down: never more than there is.
      const std::size_t now = held += bytes;
      if (now < (std::size_t{1} << 60) && now > std::max(kMost, bytes)) too_many = true;
    }
    blocks.end();
  }
  CHECK(!too_many);
  CHECK(held == 0);
  std::sort(taken.begin(), taken.end());
  std::vector<int> all(kBlocks);
  std::iota(all.begin(), all.end(), 0);
  CHECK(taken == all);
}

TEST_CASE("results are taken in order, however long each takes to make", "[batch]") {
  const std::size_t threads = GENERATE(1u, 2u, 3u, 8u);
  const std::size_t count = GENERATE(0u, 1u, 2u, 7u, 16u, 17u, 200u);
  CAPTURE(threads, count);
  std::atomic<std::size_t> made = 0;
  std::size_t taken = 0, most_waiting = 0;
  bool in_order = true;
  batch::in_order(
      count, threads,
      [&](std::size_t i) {
        if (i % 5 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
        ++made;
        return i * i;
      },
      [&](std::size_t square) {
        most_waiting = std::max(most_waiting, made.load() - taken);
        in_order = in_order && square == taken * taken;
        ++taken;
      });
  CHECK(in_order);
  CHECK(taken == count);
  CHECK(made == count);
  CHECK(most_waiting <= 2 * threads);
}

TEST_CASE("what make or take throws ends the work", "[batch]") {
  const std::size_t threads = GENERATE(1u, 4u);
  const bool in_make = GENERATE(true, false);
  CAPTURE(threads, in_make);
  std::atomic<std::size_t> made = 0;
  std::size_t taken = 0;
  const auto make = [&](std::size_t i) {
    if (in_make && i == 20) throw std::runtime_error("at 20");
    ++made;
    return i;
  };
  const auto take = [&](std::size_t i) {
    if (!in_make && i == 20) throw std::runtime_error("at 20");
    ++taken;
  };
  CHECK_THROWS_WITH(batch::in_order(1000, threads, make, take), "at 20");
  CHECK(taken <= 20);
  CHECK(made <= 20 + 2 * threads + 1);  // no more is begun
}

TEST_CASE("parts cover everything once", "[batch]") {
  const std::size_t count = GENERATE(0u, 1u, 2u, 3u, 4u, 5u, 1000u, 1001u);
  const std::size_t parts = GENERATE(1u, 2u, 3u, 4u);
  CAPTURE(count, parts);
  std::vector<int> seen(count, 0);
  std::mutex mutex;
  std::set<std::size_t> numbers;
  batch::in_parts(count, parts, [&](std::size_t part, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ++seen[i];
    const std::lock_guard lock(mutex);
    numbers.insert(part);
  });
  CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  CHECK(numbers.size() == parts);
  CHECK(*numbers.rbegin() == parts - 1);
}

TEST_CASE("what is dealt is done once each, and nobody waits for what takes long", "[batch]") {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 100u})
    for (const std::size_t threads : {1u, 2u, 5u}) {
      std::vector<std::atomic<int>> done(count);
      std::atomic<std::size_t> others = 0;
      batch::dealt(count, threads, [&](std::size_t i) {
        // The first one ends when all others have.
        if (i == 0 && threads > 1 && count > 1)
          while (others + 1 < count) std::this_thread::yield();
        others += i > 0;
        ++done[i];
      });
      INFO(count << " in " << threads << " threads");
      for (const auto& times : done) REQUIRE(times == 1);
    }
  CHECK_THROWS_AS(batch::dealt(7, 3,
                               [](std::size_t i) {
                                 if (i == 4) throw InputError("four", "", 0, "is one too many");
                               }),
                  InputError);
}

TEST_CASE("what a part throws is thrown once all parts are done", "[batch]") {
  const std::size_t bad = GENERATE(0u, 1u, 3u);
  std::atomic<int> done = 0;
  CHECK_THROWS_AS(batch::in_parts(4, 4,
                                  [&](std::size_t part, std::size_t, std::size_t) {
                                    if (part == bad) throw std::bad_alloc();
                                    ++done;
                                  }),
                  std::bad_alloc);
  CHECK(done == 3);
}

TEST_CASE("few things are one part, many no more than the cores", "[batch]") {
  CHECK(batch::parts_of(0) == 1);
  CHECK(batch::parts_of((std::size_t{1} << 18) - 1) == 1);
  CHECK(batch::parts_of(2 * (std::size_t{1} << 18) - 1) == 1);
  const std::size_t most = batch::parts_of(std::size_t{1} << 40);
  CHECK(most >= 1);
  CHECK(most <= 4);
  CHECK(most <= batch::threads_of(0));
}

TEST_CASE("units of blocks are computed by several threads and come out in order", "[batch]") {
  const std::size_t threads = GENERATE(1u, 3u), slots = GENERATE(1u, 2u, 3u);
  const std::size_t each = GENERATE(1u, 3u, 100u);
  const int count = GENERATE(0, 1, 5, 6, 200);
  CAPTURE(threads, slots, each, count);
  const std::size_t most = batch::most_units(threads, slots);
  std::atomic<bool> wrong = false;
  std::atomic<std::size_t> ended = 0;
  Squares squares(count, each, most);
  std::size_t held = 0, number = 0;
  std::vector<Part> parts;  // not released
  int next = 0;
  const auto release = [&] {
    squares->release(parts.front());
    parts.erase(parts.begin());
  };
  for (;;) {
    squares->start(threads, [&](std::size_t) {
      return Squarer{std::vector(slots, 0), -1, wrong, ended};
    });
    auto part = squares->next();
    if (!part) break;
    CHECK(part->number == number++);
    REQUIRE(part->squares.size() == part->end - part->first);
    for (const int square : part->squares) {
      CHECK(square == next * next);
      ++next;
    }
    parts.push_back(std::move(*part));
    held = std::max(held, parts.size());
    if (parts.size() == 2) release();  // two are printed at a time
  }
  CHECK(next == count);
  CHECK(held <= most);
  CHECK(!wrong);
  CHECK(ended <= threads);
  CHECK((ended > 0) == (count > 0));
  CHECK(!squares->failed());
  while (!parts.empty()) release();
}

TEST_CASE("a unit of the largest block can be had without computing any", "[batch]") {
  struct Case {
    int count;
    std::size_t each;
    int begins;      // the largest block, with this number
    double all;      // units as large; infinite where they are not counted
    double at_once;  // blocks as large
  };
  const double many = std::numeric_limits<double>::infinity();
  // In blocks of 5, 10, 10 and so on, at most four of them at a time.
  const auto [count, each, begins, all, at_once] = GENERATE_COPY(
      Case{3, 10, 0, 1, 1}, Case{8, 10, 0, 8.0 / 5, 8.0 / 5}, Case{8, 3, 0, many, 8.0 / 5},
      Case{12, 10, 5, 12.0 / 7, 12.0 / 7}, Case{15, 10, 5, 1.5, 1.5}, Case{20, 3, 5, many, 4},
      Case{20, 10, 5, many, 4}, Case{100, 10, 5, many, 4});
  CAPTURE(count, each);
  Squares squares(count, each, 4);
  const auto part = squares->largest();
  REQUIRE(part);
  CHECK(part->filled);
  CHECK(part->block->all[part->first] == begins);
  CHECK(part->squares.empty());
  if (all < many) CHECK(squares->all() == all);
  if (all == many) CHECK(squares->all() > 4);
  CHECK(squares->held(1000, 0) == static_cast<std::uint64_t>(1000 * at_once));
  CHECK(squares->held(0, 1000) == static_cast<std::uint64_t>(1000 * std::min(all, 4.0)));
}

TEST_CASE("where nothing is read there is no largest block", "[batch]") {
  Squares nothing(0, 3, 4), broken(20, 3, 4, 0);
  CHECK(!nothing->largest());
  CHECK(!nothing->failed());
  CHECK(!broken->largest());
  CHECK(broken->failed());
}

TEST_CASE("what cannot be read ends the units in front of it, a failed worker all", "[batch]") {
  const bool unreadable = GENERATE(true, false);
  CAPTURE(unreadable);
  std::atomic<bool> wrong = false;
  std::atomic<std::size_t> ended = 0;
  Squares squares(200, 2, 8, unreadable ? 101 : -1);
  squares->start(2, [&](std::size_t) {
    return Squarer{{0, 0}, unreadable ? -1 : 50, wrong, ended};
  });
  int next = 0;
  const auto all = [&] {
    while (auto part = squares->next()) {
      next += static_cast<int>(part->squares.size());
      squares->release(*part);
    }
  };
  if (unreadable) {
    all();
    CHECK(next == 101);
    CHECK(squares->failed());
    CHECK_THROWS_WITH(squares->check(), "unreadable");
  } else {
    CHECK_THROWS_WITH(all(), "no square");
    CHECK(next <= 50);
  }
  CHECK(!wrong);
}

TEST_CASE("units that nobody wants any more hold nobody up", "[batch]") {
  const std::size_t wanted = GENERATE(0u, 1u, 5u);
  std::atomic<bool> wrong = false;
  std::atomic<std::size_t> ended = 0;
  {
    Squares squares(100000, 1, 6);
    squares->start(2, [&](std::size_t) { return Squarer{{0, 0}, -1, wrong, ended}; });
    for (std::size_t i = 0; i < wanted; ++i) {
      const auto part = squares->next();
      REQUIRE(part);
      squares->release(*part);
    }
  }
  CHECK(ended == 0);
  CHECK(!wrong);
}

TEST_CASE("it is known whether all that is read is little, or one record of more", "[batch]") {
  const auto within = [](const std::vector<std::size_t>& sizes, bool ends = true) {
    std::mutex mutex;
    std::condition_variable done;
    bool over = false;
    batch::FlowLimits limits;
    limits.patience = ends ? 60 : 0.001;
    batch::Flow<std::size_t> flow(limits, [&](const auto& give) {
      for (std::size_t size : sizes) give(size, size);
      std::unique_lock lock(mutex);
      done.wait(lock, [&] { return ends || over; });
    });
    const bool found = flow.ends_within(10, 100);
    {
      const std::lock_guard lock(mutex);
      over = true;
    }
    done.notify_all();
    return found;
  };
  CHECK(within({}));
  CHECK(within({10}));
  CHECK(within({100}));
  CHECK(within({5, 5}));
  CHECK(within({1, 2, 3, 4}));
  CHECK_FALSE(within({101}));
  CHECK_FALSE(within({5, 6}));
  CHECK_FALSE(within({99, 1}));
  CHECK_FALSE(within({1, 99}));
  CHECK_FALSE(within({5}, false));  // more may come, for all that is known
}

TEST_CASE("threads that wait for parts do each once, time after time", "[batch]") {
  std::vector<int> visits(1000);
  int expected = 0;
  for (int round = 0; round < 300; ++round)
    for (const std::size_t parts : {1u, 3u, 4u, 9u}) {
      batch::in_parts(visits.size(), parts, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) ++visits[i];
      });
      ++expected;
    }
  CHECK(std::ranges::all_of(visits, [&](int count) { return count == expected; }));
}

TEST_CASE("parts are done at the same time, those of several callers and of parts too", "[batch]") {
  // Each part waits for all others, so that too few threads would never end.
  const auto meet = [](std::size_t parts, const std::function<void()>& then) {
    std::barrier all(static_cast<std::ptrdiff_t>(parts));
    batch::run_parts(parts, [&](std::size_t) {
      all.arrive_and_wait();
      then();
    });
  };
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ends = 0;
    const auto both = [&] { meet(3, [&] { meet(4, [&] { ++ends; }); }); };
    std::jthread other(both), another(both);
    both();
    other.join();
    another.join();
    REQUIRE(ends == 3 * 3 * 4);
  }
}

}  // namespace rhomb::batch_tests
