// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix in blocks, on one device after the other and on several at the same time.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "host/dist/checkpoint.h"
#include "host/engine/reference.h"
#include "host/seq/alphabet.h"
#include "host/strip/blocks.h"
#include "host/strip/border.h"
#include "host/strip/team.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/random.h"
#include "tests/support/words.h"

namespace rhomb::strip_blocks_tests {
namespace {

/// The same device several times, each with a queue of its own.
std::vector<ocl::Device*> devices(std::size_t count) {
  static std::vector<std::unique_ptr<ocl::Device>> opened;
  const auto all = ocl::list_devices();
  std::vector<ocl::Device*> some;
  for (std::size_t i = 0; i < count; ++i) {
    if (opened.size() <= i) opened.push_back(std::make_unique<ocl::Device>(all[i % all.size()]));
    some.push_back(opened[i].get());
  }
  return some;
}

/// Processes of a team, each a thread, with so many devices each; the first one is who calls
/// solve().
class Processes {
 public:
  /// `change`: has a look at each message on its way.
  explicit Processes(const std::vector<std::size_t>& counts,
                     std::function<void(int to, dist::Message&)> change = {}) {
    const auto all = devices(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    std::vector<strip::Team::Member> members;
    for (std::size_t process = 1; process < counts.size(); ++process)
      for (std::size_t i = 0; i < counts[process]; ++i)
        members.push_back({static_cast<int>(process), all[counts[0] + members.size()]->limits()});
    const int count = static_cast<int>(counts.size());
    for (int self = 0; self < count; ++self)
      teams_.push_back(std::make_unique<strip::Team>(
          self, count, self == 0 ? members : std::vector<strip::Team::Member>(),
          [this, self, change](int to, dist::Message message) {
            if (change) change(to, message);
            teams_[static_cast<std::size_t>(to)]->deliver(self, message);
          }));
    auto next = all.begin();
    const auto take = [&](std::size_t some) {
      const auto first = next;
      return std::vector<ocl::Device*>(first, next += static_cast<std::ptrdiff_t>(some));
    };
    own_ = take(counts[0]);
    for (std::size_t process = 1; process < counts.size(); ++process) {
      const std::vector<ocl::Device*> mine = take(counts[process]);
      threads_.emplace_back(
          [this, process, mine] { strip::help(*teams_[process], [mine] { return mine; }); });
    }
  }
  ~Processes() { teams_[0]->dismiss(); }

  Answer solve(const Problem& problem, std::int64_t block_rows) {
    return strip::solve_shared({own_, block_rows, teams_[0].get()}, problem, {});
  }

 private:
  std::vector<std::unique_ptr<strip::Team>> teams_;
  std::vector<ocl::Device*> own_;
  std::vector<std::jthread> threads_;
};

std::optional<std::int64_t> shared(std::size_t count, std::string_view a, std::string_view b,
                                   std::int64_t block_rows,
                                   std::optional<std::int64_t> guess = std::nullopt,
                                   std::optional<std::int64_t> most = std::nullopt) {
  const seq::Code code = seq::make_code(a, b, seq::Ambiguous::kSymbol);
  Problem problem{a, b, &code, most};
  problem.guess = guess;
  return strip::solve_shared({devices(count), block_rows}, problem, {}).distance;
}

TEST_CASE("Devices that share the rows of a pair find its distance",
          "[strip][device][strip_blocks]") {
  test::Rng random(1);
  const std::int64_t block = strip::kBlockRows;
  for (const auto& [m, n] : {std::pair{1, 1},
                             {2 * block - 1, 2 * block},
                             {2 * block, 2 * block + 1},
                             {2 * block + 1, 2 * block + 40},
                             {5, 20000},
                             {9300, 12500},
                             {4 * block + 1, 4 * block + 31}}) {
    const std::string a = test::random_text(random, static_cast<std::size_t>(m), 4);
    const std::string b = test::random_text(random, static_cast<std::size_t>(n), 4);
    const std::int64_t expected = reference::edit_distance(a, b);
    for (const std::size_t count : {1u, 2u, 3u, 5u}) {
      INFO(m << " x " << n << " on " << count);
      CHECK(shared(count, a, b, 0) == expected);
      CHECK(shared(count, b, a, block) == expected);
    }
  }
}

TEST_CASE("Blocks of rows within narrow bands", "[strip][device][strip_blocks]") {
  test::Rng random(2);
  const std::string a = test::random_text(random, 25000, 4);
  std::string b = a;
  for (std::size_t i = 0; i < 150; ++i) b[random() % b.size()] = "ACGT"[random() % 4];
  b.erase(4000, 70);
  b.insert(20000, test::random_text(random, 333, 4));
  const std::int64_t expected = reference::edit_distance(a, b);
  for (const std::size_t count : {1u, 2u, 3u}) {
    CHECK(shared(count, a, b, strip::kBlockRows, expected) == expected);
    CHECK(shared(count, a, b, strip::kBlockRows, expected - 1) == expected);
    CHECK(shared(count, a, b, 0, 300) == expected);
    CHECK(shared(count, a, b, 0, 300, expected) == expected);
    CHECK(shared(count, a, b, 0, 300, expected - 1) == std::nullopt);
  }
}

TEST_CASE("Processes that share the rows of a pair find its distance",
          "[strip][device][strip_blocks]") {
  test::Rng random(7);
  const std::int64_t block = strip::kBlockRows;
  for (const auto& [m, n] : {std::pair{1, 1},
                             {2 * block + 1, 2 * block + 40},
                             {5, 9000},
                             {5 * block - 1, 4 * block + 1}}) {
    const std::string a = test::random_text(random, static_cast<std::size_t>(m), 4);
    const std::string b = test::random_text(random, static_cast<std::size_t>(n), 5);
    const seq::Code code = seq::make_code(a, b, seq::Ambiguous::kSymbol);
    const std::int64_t expected = reference::edit_distance(a, b);
    for (const std::vector<std::size_t>& counts :
         {std::vector<std::size_t>{1, 1}, {1, 1, 1}, {2, 1}, {1, 2}, {1, 1, 1, 1, 1}}) {
      INFO(m << " x " << n << " on " << counts.size());
      Processes processes(counts);
      Problem problem{a, b, &code, std::nullopt};
      problem.guess = expected / 2;  // two passes
      for (const std::int64_t rows : {std::int64_t{0}, block}) {
        CHECK(processes.solve(problem, rows).distance == expected);
        problem.max_distance = expected - 1;
        CHECK(processes.solve(problem, rows).distance == std::nullopt);
        problem.max_distance.reset();
      }
    }
  }
}

TEST_CASE("Processes that share a pair end when it is given up, and go on with another one",
          "[strip][device][strip_blocks]") {
  test::Rng random(8);
  const std::string a = test::random_text(random, 30000, 4),
                    b = test::random_text(random, 30000, 4);
  const seq::Code code = seq::make_code(a, b, seq::Ambiguous::kSymbol);
  const auto expected = shared(1, a, b, 0);
  Processes processes({1, 1, 1});
  for (const int most : {0, 1, 2}) {
    int asked = 0;
    Problem problem{a, b, &code, std::nullopt};
    problem.give_up = [&](const Progress&) { return ++asked > most; };
    CHECK(processes.solve(problem, strip::kBlockRows).given_up);
    problem.give_up = {};
    CHECK(processes.solve(problem, strip::kBlockRows).distance == expected);
  }
}

TEST_CASE("A run goes on where another one was stopped, with other devices and tunables",
          "[strip][device][strip_blocks][checkpoint]") {
  test::Rng random(test::seed());
  auto name = (std::filesystem::temp_directory_path() / "rhomb-blocks-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const std::int64_t block = strip::kBlockRows;
  std::size_t gone_on = 0;
  for (int round = 0; round < 8; ++round) {
    const std::string a = test::random_text(random, 11000 + random() % 5000, 4);
    const std::string b = round % 3 == 0 ? test::random_text(random, 14000, 4)
                                         : test::mutate(random, a, 0.01 * round, 4);
    const std::int64_t expected = reference::edit_distance(a, b);
    const seq::Code code = seq::make_code(a, b, seq::Ambiguous::kSymbol);
    // With a guess that is too small several passes are needed; and a limit cuts the last one off.
    std::optional<std::int64_t> guess, most;
    if (round % 2 == 0) guess = 100 + expected / 4;
    if (round % 4 == 1) most = expected - round % 3;
    for (const auto& file : std::filesystem::directory_iterator(name))
      std::filesystem::remove(file.path());
    Answer answer;
    for (int runs = 0;; ++runs) {
      Keeping keeping;
      keeping.folder = name;
      keeping.resume = true;
      keeping.every = 0.002 * static_cast<double>(random() % 4);
      dist::Checkpoint checkpoint(keeping, {dist::text_hash(a), dist::text_hash(b), ""});
      if (checkpoint.start()) ++gone_on;
      Problem problem{a, b, &code, most};
      problem.guess = guess;
      problem.checkpoint = &checkpoint;
      std::size_t left = random() % 8;
      problem.give_up = [&](const Progress& now) {
        CHECK((now.part >= now.resumed && now.part <= 1.0001));
        return runs < 9 && left-- == 0;
      };
      tune::Config config;
      config.set("K", random() % 2 == 0 ? 4 : 8);
      config.set("BATCH", 1 + static_cast<int>(random() % 3));
      answer = strip::solve_shared({devices(1 + random() % 3), block}, problem, config);
      if (!answer.given_up) break;
      CHECK(!answer.distance);
    }
    CHECK(answer.distance == (most && *most < expected ? std::nullopt : std::optional(expected)));
  }
  CHECK(gone_on > 4);
  std::filesystem::remove_all(name);
}

TEST_CASE("Devices share a pair where the band fills more than one", "[strip][strip_blocks]") {
  ocl::Limits gpu;
  gpu.gpu = true;
  gpu.nvidia = true;
  gpu.compute_units = 132;
  gpu.max_work_group = 1024;
  gpu.local_bytes = 48 << 10;
  gpu.global_bytes = gpu.alloc_bytes = std::uint64_t{100} << 30;
  ocl::Limits cpu = gpu;
  cpu.gpu = cpu.nvidia = false;
  cpu.compute_units = 64;
  const std::string text(60'000'000, 'A');
  const seq::Code code = seq::make_code("ACGT", "ACGT", seq::Ambiguous::kSymbol);
  const auto gain = [&](std::size_t length, std::int64_t guess,
                        const std::vector<ocl::Limits>& limits) {
    const std::string_view some = std::string_view(text).substr(0, length);
    Problem problem{some, some, &code, std::nullopt};
    problem.guess = guess;
    return strip::gain_of_sharing(limits,
                                  strip::variants().front().plan(problem, limits.front(), {}));
  };
  CHECK(gain(60'000'000, 60'000'000, {gpu, gpu}) > 1.5);
  CHECK(gain(60'000'000, 60'000'000, {gpu, gpu}) <= 2);
  CHECK(gain(1'000'000, 100'000, {gpu, gpu}) == 1);
  CHECK(gain(60'000'000, 300'000, {gpu, gpu}) == 1);
  CHECK(gain(60'000'000, 60'000'000, {gpu, cpu}) < strip::kWorthSharing);
  CHECK(gain(60'000'000, 60'000'000, {cpu, cpu}) == 1);
}

TEST_CASE("A border refuses what was damaged or left out on its way", "[strip][strip_blocks]") {
  strip::Border border(2, 10);
  border.put({0, {1, 2, 3, 4}});
  CHECK_THROWS_AS(border.put({2, {1, 2}}), CheckError);
  strip::BorderChunk damaged(1, {5, 6});
  damaged.words[1] ^= 1;
  CHECK_THROWS_AS(border.put(damaged), CheckError);
  border.put({1, {5, 6}});
  std::vector<std::uint32_t> words(6);
  border.take(2, 5, words);
  CHECK(words == std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6});
  std::vector<std::uint32_t> outside(4);
  border.take(0, 2, outside);
  CHECK(outside == std::vector<std::uint32_t>{~0u, 0, ~0u, 0});
  CHECK_THROWS_AS(border.put({2, strip::Words(12)}), CheckError);
  border.fail(std::make_exception_ptr(CheckError("gone")));
  CHECK_THROWS_WITH(border.take(2, 9, words), "gone");
}

TEST_CASE("Processes that wait for one that fails in a pass are told, and go on with the next",
          "[strip][device][strip_blocks]") {
  test::Rng random(5);
  const std::string a = test::random_text(random, 20000, 4),
                    b = test::random_text(random, 20100, 4);
  const seq::Code code = seq::make_code(a, b, seq::Ambiguous::kSymbol);
  const Problem problem{a, b, &code, std::nullopt};
  bool fails = true;
  Processes processes({1, 1}, [&](int to, dist::Message& message) {
    // Before any thread of the first process computes.
    if (fails && to == 1 && message.kind == strip::Team::kBorder) throw std::bad_alloc();
  });
  CHECK_THROWS_AS(processes.solve(problem, strip::kBlockRows), std::bad_alloc);
  fails = false;
  CHECK(processes.solve(problem, strip::kBlockRows).distance == reference::edit_distance(a, b));
}

TEST_CASE("A border between processes is the same one in both", "[strip][strip_blocks]") {
  bool damage = false, early = true;
  std::vector<dist::Message> kept;
  std::unique_ptr<strip::Team> other;
  strip::Team one(0, 2, {}, [&](int, dist::Message message) {
    if (damage && message.kind == strip::Team::kBorder)
      message.text.back() = static_cast<char>(message.text.back() ^ 16);
    if (early)
      kept.push_back(message);
    else
      other->deliver(0, message);
  });
  other = std::make_unique<strip::Team>(1, 2, std::vector<strip::Team::Member>(),
                                        [](int, const dist::Message&) {});
  const strip::BorderName name{1, 1, 3};
  const auto out = one.outgoing(name, 2, 6, 1);
  out->put({0, {1, 2, 3, 4}});
  for (const dist::Message& message : kept) other->deliver(0, message);  // nobody waits for it yet
  early = false;
  const auto in = other->incoming(name, 2, 6);
  out->put({1, {5, 6}});
  std::vector<std::uint32_t> words(6);
  in->take(2, 5, words);
  CHECK(words == strip::Words{1, 2, 3, 4, 5, 6});
  damage = true;
  CHECK_THROWS_AS(out->put({2, {7, 8}}), CheckError);
  damage = false;
  const auto again = one.outgoing(name, 2, 4, 1), arrived = other->incoming(name, 2, 4);
  again->put({0, {9, 8, 7, 6}});
  again->complete(5);
  CHECK(arrived->edge(7).words == again->edge(7).words);
  CHECK(arrived->start_at(3) == again->start_at(3));
  const auto lost = other->incoming({1, 0, 1}, 0, 4);
  other->begin_pass(1);
  other->deliver(0, {strip::Team::kGiveUp, std::string("\1\0\0\0\0\0\0\0", 8)});
  CHECK(other->given_up());
  CHECK_THROWS_AS(lost->take(0, 1, std::span(words).first(2)), strip::GivenUp);
  other->begin_pass(2);
  CHECK_FALSE(other->given_up());
}

TEST_CASE("A border that is complete says what each of its places costs", "[strip][strip_blocks]") {
  strip::Border border(2, 5);
  border.put({0, {7, 0, 0, 1}});
  border.put({1, {1, 6}});
  border.complete(100);
  for (const auto& [word, cost] :
       {std::pair{0, 100}, {2, 100}, {3, 103}, {4, 102}, {5, 101}, {9, 101}})
    CHECK(border.start_at(word) == cost);
  CHECK(border.sum(2, 5) == 1);
  CHECK(border.sum(1, 7) == 32 + 1 + 2 * 32);
  const strip::Edge edge = border.edge(7);
  CHECK(edge.words == strip::Words{0, 0, 0, 0, 7, 0, 0, 1, 1, 6, 0, 0, 0, 0});
  CHECK((edge.first == 2 && edge.end == 5 && edge.start == 100));
  strip::Border again(edge);
  CHECK(again.start_at(4) == 102);
  CHECK(again.sum(2, 4) == 2);
  CHECK(again.edge(7).words == edge.words);
}

TEST_CASE("A pair needs no device that does not help, cannot be opened or has no memory",
          "[strip][device][strip_blocks]") {
  test::Rng random(3);
  const std::string a = test::random_text(random, 24000, 4),
                    b = test::random_text(random, 24100, 4);
  const std::int64_t expected = reference::edit_distance(a, b);
  const seq::Code code = seq::make_code(a, b, seq::Ambiguous::kSymbol);
  const Problem problem{a, b, &code, std::nullopt};
  ocl::Device& device = *devices(1).front();
  ocl::Limits large = device.limits();
  large.gpu = true;  // so it seems to help
  large.compute_units = 1000;
  ocl::Limits small = large;
  small.global_bytes = small.alloc_bytes = 4096;
  int opened = 0;
  const auto found = [&](const char* variant, const ocl::Limits& limits, bool opens) {
    const OtherDevices others{{limits}, [&]() -> std::vector<ocl::Device*> {
                                ++opened;
                                if (!opens) throw Error(Kind::kDevice, "gone");
                                return {devices(2).back()};
                              }};
    opened = 0;
    return strip::solve(device, others, find_variant(strip::variants(), variant), problem, {})
        .distance;
  };
  CHECK(found("strips", device.limits(), false) == expected);
  CHECK(opened == (device.limits().gpu ? opened : 0));
  Problem guessed = problem;
  guessed.guess = expected;
  const strip::Plan plan = strip::variants().front().plan(guessed, device.limits(), {});
  // With very many cores the pair is too short for that.
  const int seems =
      strip::gain_of_sharing(std::vector{device.limits(), large}, plan) >= strip::kWorthSharing;
  for (const auto& [variant, opens] : {std::pair{"strips", seems}, {"strips-blocks", 1}}) {
    INFO(variant);
    CHECK(found(variant, large, false) == expected);
    CHECK(opened == opens);
    CHECK(found(variant, large, true) == expected);
    CHECK(opened == opens);
    CHECK(found(variant, small, true) == expected);
    CHECK(opened == 0);
  }

  setenv("RHOMB_BUILD_OPTIONS", "-D__kernel=no_such_type", 1);
  ocl::Device broken(device.info());
  unsetenv("RHOMB_BUILD_OPTIONS");
  const OtherDevices others{{large}, [&]() -> std::vector<ocl::Device*> { return {&broken}; }};
  const auto& blocks = find_variant(strip::variants(), "strips-blocks");
  const Answer answer = strip::solve(device, others, blocks, problem, {});
  CHECK(answer.distance == expected);
  const auto& facts = answer.certificate.all();
  const auto said = std::ranges::find(
      facts, "devices_left_out", [](const auto& fact) { return std::string_view(fact.first); });
  REQUIRE(said != facts.end());
  CHECK(said->second.find("does not compile on '" + device.info().name) != std::string::npos);
  CHECK((seems == 1 || device.limits().compute_units > 2));
}

TEST_CASE("Two GPUs have a half each of a pair that fills one, if the other need not be opened",
          "[strip][device][strip_blocks]") {
  test::Rng random(test::seed() + 61);
  // The device is taken for a small GPU.
  ocl::DeviceInfo info = devices(1).front()->info();
  info.limits.gpu = true;
  info.limits.compute_units = 1;
  ocl::Device gpu(info), other(info);
  for (const auto& [m, n] : {std::pair{27000u, 27100u}, {27000u, 26900u}, {50000u, 15000u}}) {
    const std::string a = test::random_text(random, m, 4), b = test::random_text(random, n, 4);
    INFO(m << " x " << n << ", RHOMB_TEST_SEED=" << test::seed());
    const seq::Code code = seq::make_code(a, b, seq::Ambiguous::kSymbol);
    const std::int64_t expected = test::distance_by_words(a, b);
    Problem problem{a, b, &code, std::nullopt};
    problem.guess = expected - expected / 10;  // so a wider band follows
    const strip::Plan alone = strip::variants().front().plan(problem, info.limits, {});
    REQUIRE(strip::gain_of_sharing(std::array{info.limits, info.limits}, alone) <
            strip::kWorthSharing);  // not in blocks
    const auto devices_used = [&](double to_open, bool opens, const ocl::Limits& limits) {
      const OtherDevices others{{limits},
                                [&]() -> std::vector<ocl::Device*> {
                                  if (!opens) throw Error(Kind::kDevice, "gone");
                                  return {&other};
                                },
                                to_open};
      const Answer answer = strip::solve(gpu, others, strip::variants().front(), problem, {});
      CHECK(answer.distance == expected);
      CHECK(answer.passes > 1);
      CHECK(!answer.config.values().empty());
      const auto& facts = answer.certificate.all();
      return std::ranges::count(facts, std::pair<std::string, std::string>("devices", "2"));
    };
    CHECK(devices_used(0, true, info.limits) == 1);
    CHECK(devices_used(0, false, info.limits) == 0);
    CHECK(devices_used(1, true, info.limits) == 0);
    ocl::Limits slower = info.limits;
    slower.gpu = false;
    CHECK(devices_used(0, true, slower) == 0);
    ocl::Limits small = info.limits;
    small.global_bytes = small.alloc_bytes = 4096;
    CHECK(devices_used(0, true, small) == 0);
  }
}

}  // namespace
}  // namespace rhomb::strip_blocks_tests
