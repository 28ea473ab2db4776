// SPDX-License-Identifier: Apache-2.0
// search() and lcs() over many sequences, as a user of the library calls them.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "host/engine/reference.h"
#include "host/lcs/run.h"
#include "host/search/run.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"

namespace rhomb::test::run_tests {
namespace {

seq::Batch random_records(Rng& rng, const char* name, std::size_t count, std::size_t most) {
  seq::Batch records;
  for (std::size_t i = 0; i < count; ++i)
    records.push_back({name + std::to_string(i), random_text(rng, 1 + random_below(rng, most), 4)});
  return records;
}

/// The records one after another.
template <class Source, class Record, class Make>
Source source_of(const std::vector<Record>& records, const Make& make) {
  return {"records", [&records, make, next = std::size_t{0}](auto& into) mutable {
            if (next == records.size()) return false;
            make(records[next++], into);
            return true;
          }};
}

search::Source queries_of(const seq::Batch& queries) {
  return source_of<search::Source>(queries, [](const seq::Sequence& from, search::Entry& into) {
    into.query_name = from.name;
    into.query = from.symbols;
  });
}

using Line = std::tuple<std::string, std::string, std::size_t, std::size_t, bool, std::uint32_t>;

std::vector<Line> lines_of(const seq::Batch& queries, const seq::Batch& targets,
                           const search::Options& options) {
  std::vector<Line> lines;
  search::search(queries_of(queries), targets, options, [&](const search::Occurrence& found) {
    CHECK(found.target_length >= found.hit.end);
    lines.push_back({std::string(found.query), std::string(found.target), found.hit.begin,
                     found.hit.end, found.hit.reversed, found.hit.distance});
  });
  return lines;
}

}  // namespace

TEST_CASE("search() over targets that a device has in parts", "[search][device]") {
  Rng rng(3);
  seq::Batch queries, targets;
  for (int i = 0; i < 4; ++i) queries.push_back({"q" + std::to_string(i), random_text(rng, 30, 4)});
  for (int i = 0; i < 4; ++i)
    targets.push_back({"t" + std::to_string(i), random_text(rng, 600'000, 4)});
  targets[2].symbols += queries[3].symbols;
  // As a device would be that has no larger buffers than a million symbols take.
  ocl::DeviceInfo small = device().info();
  small.limits.alloc_bytes = std::size_t{1} << 20;
  for (const auto wanted : {search::Wanted::kBest, search::Wanted::kRuns}) {
    search::Options options;
    options.wanted = wanted;
    if (wanted == search::Wanted::kRuns) options.most = 2;
    options.both_strands = true;
    options.variant = &search::variants().front();
    options.devices = {{&device().info(), [] { return std::ref(device()); }}};
    const auto expected = lines_of(queries, targets, options);
    CHECK(expected.size() >= (wanted == search::Wanted::kBest ? queries.size() : 1));
    options.devices = {{&small, [] { return std::ref(device()); }}};
    CHECK(lines_of(queries, targets, options) == expected);
    options.memory = 100'000;
    options.threads = 1;
    CHECK(lines_of(queries, targets, options) == expected);
  }
}

TEST_CASE("search() of few short sequences needs no device", "[search]") {
  const seq::Batch queries{{"q", "ACGT"}}, targets{{"t", "TTACGTT"}};
  CHECK(lines_of(queries, targets, {}) == std::vector<Line>{{"q", "t", 2, 6, false, 0}});
  search::Options options;
  options.variant = &search::variants().front();
  CHECK_THROWS_AS(lines_of(queries, targets, options), UsageError);
}

TEST_CASE("search() of pairs", "[search]") {
  const std::vector<search::Entry> pairs{{"a", "ACGT", "x", "TTACGTT"}, {"b", "CCC", "y", "ACCA"}};
  std::vector<std::string> found;
  const auto totals = search::search(
      source_of<search::Source>(
          pairs, [](const search::Entry& from, search::Entry& into) { into = from; }),
      {}, {}, [&](const search::Occurrence& one) {
        found.push_back(std::string(one.query) + std::string(one.target) +
                        std::to_string(one.hit.begin) + std::to_string(one.hit.distance));
      });
  CHECK(found == std::vector<std::string>{"ax20", "by01"});
  CHECK(totals.queries == 2);
  CHECK(totals.cells == 4 * 7 + 3 * 4);
}

TEST_CASE("a run that is told to stop does", "[search][lcs]") {
  const seq::Batch queries{{"q", "ACGT"}}, targets{{"t", "TTACGTT"}};
  std::stop_source stop;
  search::Options options;
  options.stop = stop.get_token();
  int found = 0;
  const auto run = [&] {
    search::search(queries_of(queries), targets, options,
                   [&](const search::Occurrence&) { ++found; });
  };
  run();
  CHECK(found == 1);
  stop.request_stop();
  const auto stopped = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.kind() == Kind::kStopped;
    }
    return false;
  };
  CHECK(stopped(run));
  CHECK(found == 1);
  lcs::Options others;
  others.stop = stop.get_token();
  CHECK(stopped([&] {
    lcs::lcs(queries,
             source_of<lcs::Source>(
                 targets, [](const seq::Sequence& from, seq::Sequence& into) { into = from; }),
             others, [&](const lcs::Found&) { ++found; });
  }));
  CHECK(found == 1);
}

TEST_CASE("lcs() with and without ranks", "[lcs][device]") {
  Rng rng(4);
  const auto queries = random_records(rng, "q", 5, 90);
  const auto targets = random_records(rng, "t", 300, 120);
  const auto targets_of = [&] {
    return source_of<lcs::Source>(
        targets, [](const seq::Sequence& from, seq::Sequence& into) { into = from; });
  };
  lcs::Options options;
  options.variant = &lcs::variants().front();
  options.devices = {{&device().info(), [] { return std::ref(device()); }}};
  options.memory = 20'000;
  std::size_t number = 0;
  lcs::lcs(queries, targets_of(), options, [&](const lcs::Found& found) {
    CHECK(found.query == number % queries.size());
    const seq::Sequence& target = targets[number / queries.size()];
    CHECK(found.target == target.name);
    CHECK(found.length ==
          reference::lcs_length(queries[found.query].symbols, target.symbols, whole_code(4)));
    ++number;
  });
  CHECK(number == queries.size() * targets.size());

  options.top = 3;
  options.subsequence = true;
  std::vector<lcs::Found> best;
  const auto totals = lcs::lcs(queries, targets_of(), options,
                               [&](const lcs::Found& found) { best.push_back(found); });
  REQUIRE(best.size() == 15);
  for (std::size_t i = 0; i < best.size(); ++i) {
    CHECK(best[i].query == i / 3);
    CHECK(best[i].rank == i % 3 + 1);
    CHECK(best[i].subsequence.size() == best[i].length);
    if (i % 3 > 0) CHECK(best[i].length <= best[i - 1].length);
  }
  CHECK(totals.targets == targets.size());
  CHECK(totals.blocks > 3);
}

}  // namespace rhomb::test::run_tests
