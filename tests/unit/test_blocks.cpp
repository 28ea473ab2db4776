// SPDX-License-Identifier: Apache-2.0
// What verbs for many sequences stand on: blocks of a file, work in several threads, results in
// order.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "host/batch/pairs.h"
#include "host/batch/reader.h"
#include "host/batch/texts.h"
#include "host/batch/threads.h"
#include "host/batch/workers.h"
#include "host/search/run.h"
#include "tests/support/catch.h"

namespace rhomb::test::blocks_tests {
namespace {

struct Numbers : batch::Block {
  std::vector<int> all;
  bool closed = false;
};

/// Reads 0, 1, ... count - 1, each of ten bytes; then fails, if it is to.
batch::Reader<Numbers> numbers(const batch::BlockSizes& sizes, int count, bool fails = false) {
  return {sizes,
          [=](batch::Reader<Numbers>& reader) {
            for (int i = 0; i < count; ++i) {
              Numbers* const block = reader.room_for(10, i / static_cast<double>(count));
              if (block == nullptr) return;
              block->all.push_back(i);
            }
            if (fails) throw std::runtime_error("broken");
          },
          [](Numbers& block) { block.closed = true; }};
}

struct Item {
  std::size_t number;
  int value;
};

}  // namespace

TEST_CASE("a file is read in blocks that grow, and in order", "[batch]") {
  auto reader = numbers({10000, 5, 30, 100}, 1000);
  int next = 0;
  std::size_t number = 0;
  double ended = 0;
  std::vector<std::size_t> sizes;
  while (auto block = reader.next(true)) {
    CHECK(block->closed);
    CHECK(block->number == number++);
    CHECK(block->first == static_cast<std::uint64_t>(next));
    CHECK(block->records == block->all.size());
    CHECK(block->bytes == 10 * block->all.size());
    CHECK(block->begins == ended);
    ended = block->ends;
    CHECK(block->more == (next + static_cast<int>(block->records) < 1000));
    for (const int value : block->all) CHECK(value == next++);
    sizes.push_back(block->records);
    reader.release(block->bytes);
  }
  CHECK(next == 1000);
  CHECK(ended == 1);
  REQUIRE(sizes.size() > 4);
  CHECK(std::vector<std::size_t>(sizes.begin(), sizes.begin() + 4) ==
        std::vector<std::size_t>{3, 6, 10, 10});
  reader.check();
}

TEST_CASE("no more blocks are in memory than may be", "[batch]") {
  // Of 100 bytes a fifth is a block, and one of the five is being filled.
  auto reader = numbers({100, 5, 20, 1000}, 1000);
  std::vector<Numbers> held;
  std::size_t bytes = 0;
  for (int wait = 0; wait < 50; ++wait) {
    while (auto block = reader.next(held.empty())) {
      bytes += block->bytes;
      held.push_back(std::move(*block));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(bytes == 80);
  CHECK(!reader.next(false));
  reader.release(held[0].bytes);
  CHECK(reader.next(true)->number == held.size());
}

TEST_CASE("a record too large for the memory is a block of its own", "[batch]") {
  auto reader = numbers({1, 5, 1, 1}, 3);
  for (int i = 0; i < 3; ++i) {
    const auto block = reader.next(true);
    REQUIRE(block);
    CHECK(block->all == std::vector<int>{i});
    reader.release(block->bytes);
  }
  CHECK(!reader.next(true));
}

TEST_CASE("what stands before an error in a file is as good as ever", "[batch]") {
  auto reader = numbers({1000, 2, 20, 20}, 5, true);
  int count = 0;
  while (auto block = reader.next(true)) {
    count += static_cast<int>(block->all.size());
    reader.release(block->bytes);
  }
  CHECK(count == 5);
  CHECK(reader.failed());
  CHECK_THROWS_AS(reader.check(), std::runtime_error);
}

TEST_CASE("a reader that nobody listens to ends", "[batch]") {
  auto reader = numbers({100, 5, 20, 20}, 1'000'000);
  CHECK(reader.next(true));
}

TEST_CASE("workers' results come in order", "[batch]") {
  std::atomic<std::size_t> next = 0;
  batch::Workers<Item> workers([] {});
  workers.start(3, [&](std::size_t) {
    for (std::size_t number; (number = next++) < 200;) {
      if (number % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
      if (!workers.put({number, static_cast<int>(2 * number)})) return;
    }
  });
  for (std::size_t i = 0; i < 200; ++i) {
    const auto item = workers.next();
    REQUIRE(item);
    CHECK(item->number == i);
    CHECK(item->value == static_cast<int>(2 * i));
  }
  CHECK(!workers.next());
}

TEST_CASE("what a worker throws is thrown to who waits, and the others find no work", "[batch]") {
  std::atomic<bool> halted = false;
  batch::Workers<Item> workers([&] { halted = true; });
  workers.start(2, [&](std::size_t number) {
    if (number == 1) throw std::runtime_error("broken");
    while (!halted) std::this_thread::yield();
  });
  CHECK_THROWS_AS(workers.next(), std::runtime_error);
}

TEST_CASE("a limit of threads holds", "[batch]") {
  CHECK(batch::threads_of(1) == 1);
  CHECK(batch::threads_of(0) >= 1);
  CHECK(batch::threads_of(1000000) == batch::threads_of(0));
  CHECK(batch::parts_of(std::size_t{1} << 30, 1) == 1);
  CHECK(batch::parts_of(10) == 1);
}

TEST_CASE("texts in one piece of memory", "[batch]") {
  batch::Texts texts;
  CHECK(texts.empty());
  for (const char* text : {"ab", "", "c"}) texts.add(text);
  CHECK(texts.views() == std::vector<std::string_view>{"ab", "", "c"});
  CHECK(texts[0] == "ab");
  CHECK(texts.all() == "abc");
}

TEST_CASE("targets are cut into parts whose places fit", "[search][batch]") {
  const std::string text(1000, 'A');
  const auto parts = [&](std::vector<std::size_t> lengths, std::uint64_t most) {
    std::vector<std::string_view> texts;
    for (const std::size_t length : lengths)
      texts.push_back(std::string_view(text).substr(0, length));
    return search::parts_of_texts(texts, most);
  };
  using Parts = std::vector<std::size_t>;
  CHECK(parts({}, 100) == Parts{0, 0});
  CHECK(parts({10, 20, 30}, 96) == Parts{0, 3});
  CHECK(parts({10, 20, 33}, 96) == Parts{0, 2, 3});  // each text takes whole words of 32
  CHECK(parts({500, 1, 1, 500, 500}, 96) == Parts{0, 1, 3, 4, 5});
  // A place is a number of 32 bits.
  const std::vector<std::uint32_t> most(2, 0x7fffffe0);
  CHECK_NOTHROW(search::check_places(most));
  CHECK_THROWS_AS(search::check_places(std::vector<std::uint32_t>(3, 0x60000000)), UsageError);
  CHECK_THROWS_AS(search::check_places(std::vector<std::uint32_t>(2, 0x80000000)), UsageError);
}

TEST_CASE("a flow gives all that is there, in order, and no more than may wait", "[batch]") {
  const std::size_t at_a_time =
      GENERATE(std::size_t{1000}, std::size_t{100}, std::size_t{30}, std::size_t{1});
  CAPTURE(at_a_time);
  std::atomic<int> read = 0;
  batch::Flow<int> flow({100, 1, at_a_time}, [&](const auto& give) {
    for (int i = 0; i < 1000; ++i) {
      ++read;
      int record = i;
      if (!give(record, 10)) return;
    }
  });
  int next = 0;
  batch::Flow<int>::Taken taken;
  while (taken.more) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(read <= next + 11);
    taken = flow.take(std::move(taken.records));
    CHECK(taken.records.size() <= std::min<std::size_t>(10, (at_a_time + 9) / 10));
    for (const int record : taken.records) CHECK(record == next++);
  }
  CHECK(next == 1000);
  flow.check();
  CHECK(flow.ended());
}

TEST_CASE("a slow flow is taken as it comes; what went wrong is told behind it", "[batch]") {
  std::atomic<int> wanted = 1;
  batch::Flow<int> flow({1 << 20, 0.001}, [&](const auto& give) {
    for (int i = 0; i < 3; ++i) {
      while (wanted <= i) std::this_thread::yield();
      int record = i;
      give(record, 1);
    }
    while (wanted <= 3) std::this_thread::yield();
    throw std::runtime_error("broken");
  });
  for (int i = 0; i < 3; ++i, ++wanted) {
    const auto taken = flow.take();
    CHECK(taken.records == std::vector<int>{i});
    CHECK(taken.more);
    flow.check();
  }
  const auto taken = flow.take();
  CHECK(taken.records.empty());
  CHECK_FALSE(taken.more);
  CHECK_THROWS_AS(flow.check(), std::runtime_error);
}

TEST_CASE("records are read ahead, whole, and those before a fault too", "[batch]") {
  int given = 0;
  batch::ReadAhead ahead({"records", [&](seq::Sequence& into) {
                            if (given == 2000) throw std::runtime_error("broken");
                            into.name = std::to_string(given);
                            into.symbols.assign(static_cast<std::size_t>(given++ % 300), 'A');
                            return true;
                          }});
  seq::Sequence record;
  for (int i = 0; i < 2000; ++i) {
    REQUIRE(ahead.next(record));
    CHECK(record.name == std::to_string(i));
    CHECK(record.symbols == std::string(static_cast<std::size_t>(i % 300), 'A'));
  }
  CHECK_THROWS_AS(ahead.next(record), std::runtime_error);
}

TEST_CASE("a record that was long leaves no memory to the short ones that follow", "[batch]") {
  const std::vector<std::size_t> lengths{60'000, 100, 5'000, 0, 70'000, 1};
  batch::RecordTexts texts;
  for (const std::size_t length : lengths) {
    seq::Sequence record{"r", std::string(length, 'A')};
    texts.add(record);
  }
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    CHECK(texts[i].name == "r");
    CHECK(texts[i].symbols == std::string(lengths[i], 'A'));
  }
  seq::Sequence into;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    texts.take(i, into);
    CHECK(into.symbols == std::string(lengths[i], 'A'));
    CHECK(into.symbols.capacity() <= lengths[i] + 1'000);
  }
}

TEST_CASE("memory of records is used again once nobody has them, also after their pool",
          "[batch]") {
  std::shared_ptr<batch::RecordTexts> kept;
  {
    batch::RecordPool pool;
    auto first = pool.empty();
    seq::Sequence record{"a", "ACGT"};
    first->add(record);
    const batch::RecordTexts* const at = first.get();
    const auto other = first;
    first = pool.empty();
    CHECK(first.get() != at);
    CHECK((*other)[0].symbols == "ACGT");
    kept = first;
  }
  batch::RecordPool pool;
  auto first = pool.empty();
  const batch::RecordTexts* const at = first.get();
  first.reset();
  first = pool.empty();
  CHECK(first.get() == at);
  CHECK(first->size() == 0);
  CHECK(first->bytes() == 0);
}

TEST_CASE("pairs that two files are read for come whole, before a wait and across it", "[batch]") {
  const auto symbols_of = [](std::size_t i) { return std::string(i % 97 * (i % 7), 'A'); };
  const auto source_of = [&](std::size_t count, std::size_t every, std::function<void()>& waits) {
    return batch::Source<seq::Sequence>{
        "records",
        [&, count, every, next = std::size_t{0}](seq::Sequence& into) mutable {
          if (next % every == 0 && waits) waits();
          if (next == count) return false;
          into = {std::to_string(next), symbols_of(next)};
          if (next % 500 == 3) into.symbols.assign(70'000, 'C');  // a large one
          ++next;
          return true;
        },
        {},
        [&](std::function<void()> call) { waits = std::move(call); }};
  };
  constexpr std::size_t kPairs = 5000;
  std::function<void()> first_waits, second_waits;
  batch::ReadAhead first(source_of(kPairs, 61, first_waits));
  batch::ReadAhead second(source_of(kPairs, 17, second_waits));
  batch::PairFlow flow(batch::one_by_one({"pairs",
                                          [&](batch::SequencePair& into) {
                                            return first.next(into.query) &&
                                                   second.next(into.target);
                                          },
                                          {},
                                          [&](const std::function<void()>& call) {
                                            first.before_waiting(call);
                                            second.before_waiting(call);
                                          }}));
  std::size_t number = 0;
  batch::PairFlow::Block block;
  for (bool more = true; more;) {
    more = flow.take(block);
    for (const seq::Pair& pair : block.pairs) {
      const std::string name = std::to_string(number);
      const std::string symbols = number % 500 == 3 ? std::string(70'000, 'C') : symbols_of(number);
      REQUIRE(pair.query.name == name);
      REQUIRE(pair.target.name == name);
      REQUIRE(pair.query.symbols == symbols);
      REQUIRE(pair.target.symbols == symbols);
      ++number;
    }
  }
  flow.check();
  CHECK(number == kPairs);
}

TEST_CASE("what came before a wait is not kept back", "[batch]") {
  std::function<void()> before_waiting;
  std::atomic<bool> seen = false;
  batch::PairFlow flow(
      batch::one_by_one({"pairs",
                         [&, next = 0](batch::SequencePair& into) mutable {
                           if (next == 3) {
                             before_waiting();
                             while (!seen) std::this_thread::yield();
                           }
                           if (next == 5) return false;
                           into.query = into.target = {std::to_string(next++), "A"};
                           return true;
                         },
                         {},
                         [&](std::function<void()> call) { before_waiting = std::move(call); }}));
  std::size_t count = 0;
  batch::PairFlow::Block block;
  while (count < 3) {
    flow.take(block);
    count += block.pairs.size();
  }
  CHECK(count == 3);
  seen = true;
  for (bool more = true; more;) {
    more = flow.take(block);
    count += block.pairs.size();
  }
  CHECK(count == 5);
}

}  // namespace rhomb::test::blocks_tests
