// SPDX-License-Identifier: Apache-2.0
// Where the two wavefronts of `fused` meet. The range of diagonals shrinks towards the last one,
// and paths of little but insertions run along its rim: an overlap there was once found a launch
// late.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "host/dist/checkpoint.h"
#include "host/engine/reference.h"
#include "host/seq/packed.h"
#include "host/wfa/cutter.h"
#include "host/wfa/meetings.h"
#include "host/wfa/wfa.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/random.h"

namespace rhomb::wfa_meeting_tests {
namespace {

std::optional<std::int64_t> fused(const std::string& a, const std::string& b,
                                  const std::string& config,
                                  std::optional<std::int64_t> max_distance = {}) {
  const seq::Code code = seq::make_code(a, b);
  wfa::Problem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &code;
  problem.max_distance = max_distance;
  return wfa::solve(&test::device(), find_variant(wfa::variants(), "fused"), problem,
                    tune::Config::parse(config))
      .distance;
}

}  // namespace

TEST_CASE("paths of nearly nothing but insertions", "[wfa][device]") {
  test::Rng rng(test::seed() + 11);
  for (const std::size_t inserted : {1u, 40u, 333u, 1977u}) {
    const std::string a = test::random_text(rng, 3000, 4);
    std::string b = a;
    for (const std::size_t at : {700u, 1500u, 2600u})
      b.insert(at, test::random_text(rng, (inserted + 2) / 3, 4));
    for (const std::size_t at : {100u, 900u, 2900u}) b[at] = b[at] == 'A' ? 'B' : 'A';
    const std::int64_t expected = reference::edit_distance(a, b);
    for (const char* config :
         {"", "STEPS=1", "STEPS=7", "STEPS=32,BATCH=1", "STEPS=100", "STEPS=300,BATCH=2"}) {
      INFO(inserted << " inserted, " << config);
      CHECK(fused(a, b, config) == expected);
      CHECK(fused(b, a, config) == expected);
      CHECK(fused(a, b, config, expected) == expected);
      CHECK(fused(b, a, config, expected + 1) == expected);
      CHECK(fused(a, b, config, expected - 1) == std::nullopt);
    }
  }
}

TEST_CASE("parts that are cut out on the device are those that the host packs", "[wfa][device]") {
  test::Rng rng(test::seed() + 15);
  std::array<std::uint8_t, 256> code{};
  std::iota(code.begin(), code.end(), std::uint8_t{0});
  ocl::Device& device = test::device();
  for (int round = 0; round < 24; ++round) {
    const int planes = 1 + round % 8;
    const bool apart = round % 3 == 0;
    INFO("round " << round << ", " << planes << " planes");
    const auto random = [&](std::size_t length) {
      std::string text(length, ' ');
      for (char& c : text) c = static_cast<char>(test::random_below(rng, std::size_t{1} << planes));
      return text;
    };
    const std::string a = random(1 + test::random_below(rng, 4000));
    const std::string b = random(1 + test::random_below(rng, 4000));
    seq::Planes packed = seq::pack_planes(a, code, planes, 0);
    seq::turn_words(packed);
    const auto rows = device.upload(seq::text_words(packed));
    const auto columns = device.upload<std::uint32_t>(seq::pack_planes(b, code, planes, 1).words);
    wfa::Cutter cutter({a, b, &rows, &columns}, planes, apart);
    CHECK(!cutter.has("elsewhere"));
    std::vector<std::uint32_t> expected;
    for (int part = 0; part < 40; ++part) {
      const std::string_view text = part % 2 == 0 ? a : b;
      const std::size_t begin = part < 4 ? 0 : test::random_below(rng, text.size());
      const std::size_t length =
          part < 4 ? text.size() : 1 + test::random_below(rng, text.size() - begin);
      const std::string_view some = text.substr(begin, length);
      const bool backwards = part % 4 > 1;
      const int fill = part / 4 % 2;
      const seq::Planes one = seq::pack_planes(some, code, planes, fill);
      UnsetVector<std::uint32_t> words = backwards ? seq::reversed_words(one) : one.words;
      if (apart) words = seq::planes_apart(words, planes);
      REQUIRE(cutter.has(some));
      REQUIRE(cutter.words(some) == words.size());
      cutter.add(some, backwards, fill, expected.size());
      expected.insert(expected.end(), words.begin(), words.end());
    }
    auto made = device.buffer<std::uint32_t>(expected.size());
    cutter.run(device, made);
    CHECK(device.read(made, 0, expected.size()) == expected);
  }
}

TEST_CASE("many pairs that share launches have the distance of the reference", "[wfa][device]") {
  test::Rng rng(test::seed() + 14);
  for (const int letters : {2, 4, 20, 200})
    for (const char* config : {"", "WG=32,DIAGS=2,STEPS=5", "WG=8,DIAGS=4,STEPS=15,WALK=1,BATCH=3",
                               "WG=1,DIAGS=3,STEPS=1"}) {
      std::vector<std::string> texts;
      std::vector<Problem> problems;
      const std::size_t count = 1 + test::random_below(rng, letters == 4 ? 90 : 20);
      texts.reserve(2 * count);
      std::string all;
      for (std::size_t i = 0; i < count; ++i) {
        // Most are short, and some much longer, or much further apart than others.
        const std::size_t length = 1 + test::random_below(rng, i % 5 == 0 ? 3000 : 90);
        texts.push_back(test::random_text(rng, length, letters, test::first_of(letters)));
        const std::string& a = texts.back();
        const double rate = i % 3 == 0 ? 0.02 : i % 3 == 1 ? 0.3 : 1;
        std::string b = test::mutate(rng, a, rate, letters, test::first_of(letters));
        if (i % 7 == 0) b.insert(test::random_below(rng, b.size() + 1), a.substr(0, length / 2));
        all += a + b;
        texts.push_back(std::move(b));
      }
      const seq::Code code = seq::make_code(all, all);
      std::vector<wfa::MeetingTask> tasks;
      std::vector<std::optional<std::int64_t>> expected;
      for (std::size_t i = 0; i < count; ++i) {
        Problem problem;
        problem.a = texts[2 * i];
        problem.b = texts[2 * i + 1];
        problem.code = &code;
        const std::int64_t distance = reference::edit_distance(problem.a, problem.b, code);
        if (const auto more = static_cast<std::int64_t>(test::random_below(rng, 5)); more < 4)
          problem.max_distance = std::max<std::int64_t>(0, distance + more - 2);
        const Problem rest = trimmed(problem);
        if (easy_answer(rest)) continue;
        tasks.push_back({rest.a, rest.b, distance_limit(rest)});
        expected.push_back(distance <= tasks.back().most ? std::optional(distance) : std::nullopt);
      }
      wfa::MeetingsProblem problem;
      problem.tasks = tasks;
      problem.code = &code;
      problem.threads = 1 + test::random_below(rng, 3);
      const wfa::Plan plan =
          wfa::plan_meetings(code, test::device().limits(), tune::Config::parse(config));
      const wfa::MeetingsAnswer answer = wfa::meet(test::device(), plan, problem);
      INFO(letters << " letters, " << config << ", " << tasks.size() << " pairs");
      REQUIRE(answer.distances.size() == expected.size());
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        INFO(i << ": " << tasks[i].a.size() << " x " << tasks[i].b.size() << ", up to "
               << tasks[i].most);
        CHECK(answer.distances[i] == expected[i]);
      }
      // Asked to end, all of them end.
      problem.give_up = [](const Progress&) { return true; };
      CHECK((tasks.empty() || wfa::meet(test::device(), plan, problem).given_up));
    }
}

TEST_CASE("rows that pairs in shared launches keep are those of plain wavefronts",
          "[wfa][device]") {
  test::Rng rng(test::seed() + 15);
  int halfway = 0;
  for (const char* config : {"", "WG=64,DIAGS=4,STEPS=64", "WG=32,DIAGS=8,STEPS=50",
                             "WG=128,DIAGS=2,STEPS=60,WALK=1,BATCH=3", "WG=1,DIAGS=32,STEPS=15"}) {
    std::vector<std::string> texts;
    texts.reserve(16);
    std::string all;
    for (int i = 0; i < 8; ++i) {
      // Close ones, far ones, and some with a long gap.
      texts.push_back(test::random_text(rng, 1500 + test::random_below(rng, 3000), 4));
      const std::string& a = texts.back();
      std::string b = test::mutate(rng, a, i % 3 == 0 ? 0.02 : 0.25, 4);
      if (i % 2 == 1) b.insert(test::random_below(rng, b.size()), test::random_text(rng, 400, 4));
      if (i % 4 == 3) std::swap(texts.back(), b);
      texts.push_back(std::move(b));
      all += texts[texts.size() - 2] + texts.back();
    }
    const seq::Code code = seq::make_code(all, all);
    std::vector<wfa::MeetingTask> tasks;
    for (std::size_t i = 0; i < texts.size(); i += 2) {
      Problem problem;
      problem.a = texts[i];
      problem.b = texts[i + 1];
      problem.code = &code;
      const Problem rest = trimmed(problem);
      const std::int64_t most =
          *reference::edit_distance_within(rest.a, rest.b, code, std::ssize(all));
      tasks.push_back(
          {rest.a, rest.b, most + static_cast<std::int64_t>(test::random_below(rng, 3))});
    }
    wfa::MeetingsProblem problem;
    problem.tasks = tasks;
    problem.code = &code;
    problem.most_kept = 1 << 30;
    const wfa::Plan plan =
        wfa::plan_meetings(code, test::device().limits(), tune::Config::parse(config));
    wfa::MeetingsAnswer answer = wfa::meet(test::device(), plan, problem);
    REQUIRE(answer.kept.size() == tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      INFO(config << ", pair " << i << ", distance " << answer.distances[i].value_or(-1));
      wfa::Fronts fronts(test::device(), std::move(answer.kept[i]));
      const auto levels = fronts.levels();
      REQUIRE(levels.front().cost == 0);
      for (const std::size_t direction : {0u, 1u}) {
        std::string a(tasks[i].a), b(tasks[i].b);
        if (direction == 1) {
          std::ranges::reverse(a);
          std::ranges::reverse(b);
        }
        const auto end = levels.back().cost + 1;
        std::vector<std::int64_t> row(static_cast<std::size_t>(2 * end + 1), -1);
        const auto at = [&](std::int64_t k) -> std::int64_t& {
          return row[static_cast<std::size_t>(k + end)];
        };
        at(0) = 0;
        std::int64_t cost = 0;
        for (std::size_t l = 0; l < levels.size(); ++l) {
          const auto& [of_level, lo, hi, place] = levels[l];
          if (l > 0) {
            REQUIRE(of_level > cost);
            REQUIRE(of_level <= cost + wfa::kKeptSteps);
            halfway += of_level == cost + wfa::kKeptSteps && direction == 0;
          }
          for (; cost < of_level; ++cost) {
            const std::vector<std::int64_t> before = row;
            const auto was = [&](std::int64_t k) {
              return std::abs(k) <= cost ? before[static_cast<std::size_t>(k + end)] : -(1 << 20);
            };
            for (std::int64_t k = -cost - 1; k <= cost + 1; ++k) {
              std::int64_t& j = at(k);
              j = std::max({was(k - 1) + 1, was(k) + 1, was(k + 1)});
              while (j - k < std::ssize(a) && j < std::ssize(b) && j - k >= 0 &&
                     a[static_cast<std::size_t>(j - k)] == b[static_cast<std::size_t>(j)])
                ++j;
            }
          }
          const wfa::Fronts::Wanted wanted{direction, l, lo, hi + 1};
          const std::vector<wfa::Reached> found = fronts.read({&wanted, 1});
          INFO("direction " << direction << ", cost " << cost << ", diagonals " << lo << " to "
                            << hi);
          // Those that no cheapest path can touch need not know all of their neighbours; and behind
          // the ends of the texts anything may match.
          const std::int64_t ends = std::ssize(b) - std::ssize(a);
          bool same = true;
          for (std::int64_t k = lo; k <= hi; ++k) {
            const std::int64_t last = std::min(std::ssize(b), std::ssize(a) + k);
            const std::int64_t plain = std::min(at(k), last);
            const auto reached =
                std::min<std::int64_t>(found[0].columns[static_cast<std::size_t>(k - lo)], last);
            const bool matters = cost + std::abs(ends - k) <= *answer.distances[i];
            same = same && (matters ? reached == plain : reached <= plain);
          }
          CHECK(same);
        }
      }
    }
  }
  CHECK(halfway > 100);
}

TEST_CASE("walks through several pairs begin together as each begins alone", "[wfa][device]") {
  test::Rng rng(test::seed() + 31);
  std::vector<std::string> texts;
  for (const double rate : {0.9, 0.02, 0.9, 0.3, 0.001}) {
    texts.push_back("A" + test::random_text(rng, 6000, 4) + "C");
    texts.push_back("B" + test::mutate(rng, texts.back(), rate, 4) + "D");
  }
  std::string all;
  for (const std::string& text : texts) all += text;
  const seq::Code code = seq::make_code(all, "");
  std::vector<wfa::MeetingTask> tasks;
  for (std::size_t i = 0; i < texts.size(); i += 2)
    tasks.push_back(
        {texts[i], texts[i + 1], std::max(std::ssize(texts[i]), std::ssize(texts[i + 1]))});
  wfa::MeetingsProblem problem;
  problem.tasks = tasks;
  problem.code = &code;
  problem.most_kept = 1 << 30;
  const wfa::Plan plan = wfa::plan_meetings(code, test::device().limits(), {});
  const wfa::MeetingsAnswer answer = wfa::meet(test::device(), plan, problem);
  CHECK(answer.kept.front().buffers->size() > 1);
  std::vector<std::int64_t> distances;
  for (const auto& distance : answer.distances) distances.push_back(distance.value());
  for (std::size_t i = 0; i < texts.size(); i += 2)
    REQUIRE(distances[i / 2] == reference::edit_distance(texts[i], texts[i + 1], code));
  const auto together = wfa::Fronts(test::device(), answer.kept).begin(distances, 2);
  REQUIRE(together.size() == tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    INFO("pair " << i << ", distance " << distances[i]);
    wfa::Fronts fronts(test::device(), answer.kept[i]);
    const wfa::Begun one = fronts.begin({{distances[i]}}, 1).front();
    const wfa::Begun& same = together[i];
    const auto levels = fronts.levels();
    REQUIRE(same.ends == one.ends);
    CHECK(levels[same.ends[0]].cost + levels[same.ends[1]].cost == distances[i]);
    for (const std::size_t direction : {0u, 1u})
      for (const std::size_t right : {0u, 1u}) {
        INFO("direction " << direction << ", right " << right);
        const wfa::Stay &stay = same.middle[direction][right],
                        &stays = one.middle[direction][right];
        CHECK(stay.diagonal == stays.diagonal);
        CHECK(stay.first == stays.first);
        CHECK(stay.last == stays.last);
        const wfa::Guide &guide = same.guides[direction][right],
                         &alone = one.guides[direction][right];
        for (std::size_t level = 0; level < same.ends[direction]; ++level) {
          const wfa::Cell cell = guide.cell(level);
          REQUIRE(cell == alone.cell(level));
          // What it has of a row is what was kept.
          const wfa::Fronts::Wanted wanted{direction, level, cell.diagonal - 8, cell.diagonal + 9};
          const wfa::Reached kept = fronts.read({&wanted, 1}).front();
          const auto row = guide.row(level, kept.first, kept.end() - 1);
          if (!row) continue;  // the path goes far from one row to the next
          REQUIRE(row->columns == kept.columns);
          REQUIRE(guide.place(level, kept.first) == kept.columns.front());
        }
        CHECK(!guide.place(same.ends[direction], stay.diagonal));
      }
  }
}

TEST_CASE("a run goes on where another one was stopped, with other tunables",
          "[wfa][device][checkpoint]") {
  test::Rng rng(test::seed() + 13);
  auto name = (std::filesystem::temp_directory_path() / "rhomb-wfa-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  for (const double rate : {0.02, 0.1, 0.9}) {
    const std::string a = test::random_text(rng, 12000, 4), b = test::mutate(rng, a, rate, 4);
    const std::int64_t expected = reference::edit_distance(a, b);
    const seq::Code code = seq::make_code(a, b);
    for (const std::int64_t most : {expected, expected - 1, std::int64_t{12000}}) {
      for (const auto& file : std::filesystem::directory_iterator(name))
        std::filesystem::remove(file.path());
      Answer answer;
      answer.given_up = true;
      // None of the runs gets far enough by itself.
      std::int64_t cost = 0;
      for (int runs = 0; answer.given_up && runs < 400; ++runs) {
        Keeping keeping;
        keeping.folder = name;
        keeping.resume = true;
        std::optional<dist::Checkpoint> checkpoint;
        checkpoint.emplace(keeping, dist::Identity{dist::text_hash(a), dist::text_hash(b), ""});
        wfa::Problem problem;
        problem.a = a;
        problem.b = b;
        problem.code = &code;
        problem.max_distance = most;
        problem.checkpoint = &*checkpoint;
        problem.give_up = [&, first = std::optional<std::int64_t>()](const Progress& now) mutable {
          if (!first) first = now.cost;
          return now.cost >= *first + 40;
        };
        tune::Config config = tune::Config::parse("BATCH=1");
        config.set("STEPS", 1 + static_cast<int>(rng() % 40));
        answer =
            wfa::solve(&test::device(), find_variant(wfa::variants(), "fused"), problem, config);
        if (!answer.given_up) continue;
        checkpoint.reset();
        const auto reached =
            dist::Checkpoint(keeping, {dist::text_hash(a), dist::text_hash(b), ""}).start();
        REQUIRE(reached);
        CHECK(reached->number("cost") > cost);  // or it would not have ended
        cost = reached->number("cost");
      }
      INFO(rate << ", at most " << most);
      CHECK(cost > 0);
      CHECK(answer.distance == (most < expected ? std::nullopt : std::optional(expected)));
    }
  }
  std::filesystem::remove_all(name);
}

TEST_CASE("a bound far below the distance ends the search", "[wfa][device]") {
  test::Rng rng(test::seed() + 12);
  const std::string a = test::random_text(rng, 20000, 4);
  const std::string b = test::random_text(rng, 20000, 4);
  for (const char* config : {"", "BATCH=1", "BATCH=2,STEPS=5", "BATCH=256"})
    for (const std::int64_t bound : {1, 2, 999, 1000}) {
      INFO(config << ", at most " << bound);
      CHECK(fused(a, b, config, bound) == std::nullopt);
    }
}

TEST_CASE("a common beginning or end of symbols that match without being equal", "[wfa][device]") {
  // As sets of bases T and U are one, so all of this is stripped before the wavefronts start.
  const std::string a = "TTTUACGGNTTU", b = "UUUTAGGNUUT";
  const seq::Code code = seq::make_code(a, b, seq::Ambiguous::kMatch);
  wfa::Problem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &code;
  for (const auto& row : wfa::variants()) {
    INFO(row.name);
    CHECK(wfa::solve(&test::device(), row, problem).distance ==
          reference::edit_distance(a, b, code));
  }
}

}  // namespace rhomb::wfa_meeting_tests
