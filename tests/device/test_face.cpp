// SPDX-License-Identifier: Apache-2.0
// rhomb.h: what a program meets that uses the library. (program/test_install.py builds one.)
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "host/engine/reference.h"
#include "host/rhomb.h"
#include "tests/support/catch.h"
#include "tests/support/pairs.h"
#include "tests/support/paths.h"
#include "tests/support/random.h"

namespace rhomb::face_tests {
namespace {

seq::Batch some(std::size_t count, std::size_t length, std::uint64_t seed) {
  test::Rng random(seed);
  seq::Batch batch;
  for (std::size_t i = 0; i < count; ++i)
    batch.push_back({"s" + std::to_string(i), test::random_text(random, length + i % 7, 4)});
  return batch;
}

Kind kind_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  FAIL("nothing was thrown");
  return Kind::kInternal;
}

TEST_CASE("A Devices gives distances of texts and of records", "[face][device]") {
  Devices devices;
  const seq::Batch a = some(3, 1500, 1), b = some(3, 1400, 2);
  std::vector<std::int64_t> expected;
  for (std::size_t i = 0; i < a.size(); ++i)
    expected.push_back(reference::edit_distance(a[i].symbols, b[i].symbols));
  CHECK(devices.distance(a[0].symbols, b[0].symbols).distance == expected[0]);

  std::vector<std::int64_t> found;
  DistanceOptions options;
  options.engine = "wavefront";  // short ones too are for the device then
  const Totals totals = devices.distances(a, b, options, [&](const PairDistance& pair) {
    CHECK(pair.query.name == pair.target.name);
    found.push_back(*pair.answer.distance);
  });
  CHECK(found == expected);
  CHECK(totals.queries == 3);
  CHECK(totals.cells > 0);

  options.all_pairs = true;
  std::size_t pairs = 0;
  devices.distances(a, b, options, [&](const PairDistance&) { ++pairs; });
  CHECK(pairs == 9);
}

TEST_CASE("A Devices names the inversions of an alignment", "[face][device]") {
  test::Rng random(test::seed());
  const auto bases = [&](std::size_t length) {
    std::string text = test::random_text(random, length, 4);
    for (char& symbol : text) symbol = "ACGT"[symbol - 'A'];
    return text;
  };
  const auto turned = [](std::string text) {
    std::reverse(text.begin(), text.end());
    for (char& symbol : text) symbol = "TGCA"[std::string("ACGT").find(symbol)];
    return text;
  };
  // Three parts that are turned round, of which one is too short, and one that is another text.
  std::string query, target;
  std::vector<std::size_t> starts;
  for (const std::size_t length : {1500u, 600u, 4000u, 1200u}) {
    const std::string same = bases(2000);
    const std::string part = bases(length);
    query += same + (length == 1200 ? bases(length) : turned(part));
    target += same + part;
    if (length == 1500 || length == 4000) starts.push_back(target.size() - length);
  }
  Devices devices;
  const AlignAnswer answer = devices.align(query, target);
  const std::vector<Inversion> found = devices.inversions(query, target, answer.cigar);
  REQUIRE(found.size() == starts.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Inversion& one = found[i];
    CAPTURE(i, starts[i], one.query_start, one.target_start);
    CHECK(one.target_start + 50 > starts[i]);
    CHECK(one.target_start < starts[i] + 50);
    const std::string in_query = query.substr(one.query_start, one.query_end - one.query_start);
    const std::string in_target =
        target.substr(one.target_start, one.target_end - one.target_start);
    CHECK(one.distance >= reference::edit_distance(in_query, in_target));
    CHECK(one.turned_distance == reference::edit_distance(turned(in_query), in_target));
    CHECK(one.turned_distance <= one.distance * 3 / 4);
  }
  CHECK(devices.inversions(query, query, devices.align(query, query).cigar).empty());
  CHECK(devices.inversions("", "", {}).empty());
}

TEST_CASE("What the shards of a run take is what the whole run takes", "[face]") {
  Devices devices;
  const seq::Batch batch = some(7, 30, 1), others = some(7, 40, 2);
  const auto runs_of = [&](Shard shard, bool all_pairs) {
    std::vector<std::string> taken;
    DistanceOptions distance;
    distance.shard = shard;
    distance.all_pairs = all_pairs;
    const auto add = [&](auto... names) { (taken.emplace_back(names), ...); };
    devices.distances(batch, others, distance, [&](const PairDistance& pair) {
      add(pair.query.name, pair.target.name, std::to_string(*pair.answer.distance));
    });
    SearchOptions search;
    search.shard = shard;
    search.pairs = !all_pairs;
    devices.search(batch, others, search, [&](const Occurrence& found) {
      add(found.query, found.target, std::to_string(found.end));
    });
    GapsOptions gaps;
    gaps.shard = shard;
    gaps.pairs = !all_pairs;
    devices.gaps(batch, others, gaps,
                 [&](const GapsFound& found) { add(found.query, found.target); });
    LcsOptions lcs;
    lcs.shard = shard;
    if (all_pairs) lcs.top = 2;
    devices.lcs(batch, others, lcs, [&](const CommonSubsequence& found) {
      add(found.query, found.target, std::to_string(found.length));
    });
    PrimerOptions primer;
    primer.k = 4;
    primer.shard = shard;
    devices.primers(batch, others, primer, [&](const PrimerFound& found) {
      add(found.query, std::to_string(found.start));
    });
    AlignOptions align;
    align.shard = shard;
    align.all_pairs = all_pairs;
    devices.alignments(batch, others, align,
                       [&](const PairAlignment& pair) { add(pair.query.name, pair.target.name); });
    return taken;
  };
  for (const bool all_pairs : {false, true}) {
    std::vector<std::string> whole = runs_of({}, all_pairs), parts;
    for (std::size_t part = 0; part < 3; ++part)
      for (std::string& one : runs_of({part, 3}, all_pairs)) parts.push_back(std::move(one));
    std::ranges::sort(whole);
    std::ranges::sort(parts);
    CHECK(whole == parts);
    CHECK(whole.size() > 100);
  }
  DistanceOptions options;
  options.shard = {0, 2};
  const auto once = Records::from("a function", [](seq::Sequence&) { return false; });
  const auto ignore = [](const PairDistance&) {};
  CHECK(kind_of([&] { devices.distances(once, once, options, ignore); }) == Kind::kUsage);
  options.shard = {2, 2};
  CHECK(kind_of([&] { devices.distances(batch, batch, options, ignore); }) == Kind::kUsage);
}

TEST_CASE("A part that there is not is refused by each call", "[face]") {
  Devices devices;
  const seq::Batch batch = some(2, 30, 1);
  const auto refused = [&]<class Options>(Options options, const auto& call) {
    for (const Shard shard : {Shard{1, 1}, Shard{2, 2}, Shard{0, 0}}) {
      options.shard = shard;
      CHECK(kind_of([&] { call(options); }) == Kind::kUsage);
    }
  };
  refused(DistanceOptions{},
          [&](const auto& o) { devices.distances(batch, batch, o, [](auto&&) {}); });
  refused(AlignOptions{},
          [&](const auto& o) { devices.alignments(batch, batch, o, [](auto&&) {}); });
  refused(SearchOptions{}, [&](const auto& o) { devices.search(batch, batch, o, [](auto&&) {}); });
  refused(GapsOptions{}, [&](const auto& o) { devices.gaps(batch, batch, o, [](auto&&) {}); });
  LcsOptions lcs;
  refused(lcs, [&](const auto& o) { devices.lcs(batch, batch, o, [](auto&&) {}); });
  lcs.top = 1;
  refused(lcs, [&](const auto& o) { devices.lcs(batch, batch, o, [](auto&&) {}); });
  PrimerOptions primer;
  primer.k = 4;
  refused(primer, [&](const auto& o) { devices.primers(batch, batch, o, [](auto&&) {}); });
}

TEST_CASE("Several devices share one pair", "[face][device]") {
  DevicesOptions both;
  both.selector = "0,0";
  Devices devices(both);
  const seq::Batch texts = some(2, 9000, 3);
  DistanceOptions options;
  options.variant = "strips-blocks";
  const auto answer = devices.distance(texts[0].symbols, texts[1].symbols, options);
  CHECK(answer.distance == reference::edit_distance(texts[0].symbols, texts[1].symbols));
  CHECK(answer.certificate.all().front().second == "2");
  bool told = false;
  const Facts facts = devices.explain_distance(texts[0].symbols, texts[1].symbols, options);
  for (const auto& [name, value] : facts.all()) told |= name == "devices_used" && value == "2";
  CHECK(told);
}

TEST_CASE("Records that do not pair up are an error after the pairs before", "[face]") {
  Devices devices;
  const seq::Batch two = some(2, 20, 3), three = some(3, 20, 4);
  std::size_t pairs = 0;
  CHECK(kind_of([&] {
          devices.distances(two, three, {}, [&](const PairDistance&) { ++pairs; });
        }) == Kind::kInput);
  CHECK(pairs == 2);
  SearchOptions options;
  options.pairs = true;
  CHECK(kind_of([&] { devices.search(three, two, options, [](const Occurrence&) {}); }) ==
        Kind::kInput);
  const seq::Batch none;
  CHECK(kind_of([&] { devices.search(two, none, {}, [](const Occurrence&) {}); }) == Kind::kInput);
}

TEST_CASE("A stop token ends each kind of run", "[face][device]") {
  Devices devices;
  std::stop_source stop;
  stop.request_stop();
  DistanceOptions distance;
  distance.stop = stop.get_token();
  for (const std::string engine : {"auto", "strips", "wavefront", "reference"}) {
    CAPTURE(engine);
    distance.engine = engine;
    const seq::Batch a = some(1, 3000, 5), b = some(1, 3000, 6);
    CHECK(kind_of([&] { devices.distance(a[0].symbols, b[0].symbols, distance); }) ==
          Kind::kStopped);
  }
  const seq::Batch queries = some(20, 100, 7), targets = some(20, 100, 8);
  SearchOptions search;
  search.stop = stop.get_token();
  CHECK(kind_of([&] { devices.search(queries, targets, search, [](const Occurrence&) {}); }) ==
        Kind::kStopped);
  LcsOptions lcs;
  lcs.stop = stop.get_token();
  CHECK(kind_of([&] { devices.lcs(queries, targets, lcs, [](const CommonSubsequence&) {}); }) ==
        Kind::kStopped);
}

TEST_CASE("What functions of the caller throw comes out as it is", "[face][device]") {
  Devices devices;
  const seq::Batch queries = some(20, 100, 9), targets = some(20, 100, 10);
  struct Mine {};
  CHECK_THROWS_AS(devices.search(queries, targets, {}, [](const Occurrence&) { throw Mine(); }),
                  Mine);
  CHECK_THROWS_AS(devices.lcs(queries, targets, {}, [](const CommonSubsequence&) { throw Mine(); }),
                  Mine);
  const auto bad = Records::from("mine", [](seq::Sequence&) -> bool { throw Mine(); });
  CHECK_THROWS_AS(devices.search(bad, targets, {}, [](const Occurrence&) {}), Mine);
  CHECK_THROWS_AS(devices.lcs(queries, bad, {}, [](const CommonSubsequence&) {}), Mine);
  CHECK_THROWS_AS(devices.distances(bad, targets, {}, [](const PairDistance&) {}), Mine);
  LcsOptions told;
  told.variant = "crochemore";
  told.progress = [](const Progress&) { throw Mine(); };
  CHECK_THROWS_AS(devices.lcs(queries, targets, told, [](const CommonSubsequence&) {}), Mine);
}

TEST_CASE("A limit of a device's memory is kept by plans", "[face][device]") {
  Devices devices({.memory = 1u << 20});
  CHECK(devices.chosen().front().limits.global_bytes == 1u << 20);
  DistanceOptions options;
  options.engine = "strips";
  const std::string a(3'000'000, 'A'), b(3'000'000, 'C');
  CHECK(kind_of([&] { devices.distance(a, b, options); }) == Kind::kMemory);
}

TEST_CASE("A device that is asked for and is not there is an error where one is needed", "[face]") {
  Devices devices({.selector = "no such device"});
  CHECK(devices.distance("ACGT", "AGT").distance == 1);
  CHECK(kind_of([&] { devices.chosen(); }) == Kind::kDevice);
  const seq::Batch large = some(60, 200, 13);
  DistanceOptions strips;
  strips.engine = "strips";
  CHECK(kind_of([&] { devices.distance(large[0].symbols, large[1].symbols, strips); }) ==
        Kind::kDevice);
  CHECK(kind_of([&] { devices.search(large, large, {}, [](const Occurrence&) {}); }) ==
        Kind::kDevice);
  CHECK(kind_of([&] { devices.lcs(large, large, {}, [](const CommonSubsequence&) {}); }) ==
        Kind::kDevice);
}

TEST_CASE("Runs over many sequences are checked where that is asked for", "[face][device]") {
  Devices devices;
  const seq::Batch queries = some(30, 100, 17), targets = some(40, 300, 18);
  SearchOptions search;
  search.check = true;
  CHECK(devices.search(queries, targets, search, [](const Occurrence&) {}).checked == 30 * 40);
  LcsOptions lcs;
  lcs.check = true;
  CHECK(devices.lcs(queries, targets, lcs, [](const CommonSubsequence&) {}).checked == 30 * 40);
}

TEST_CASE("A Devices aligns with few gaps, and finds primers", "[face][device]") {
  Devices devices;
  // By eye: one gap of two symbols, 6 pairs of 5 less 10.5, against 5 of 5 less 3 mismatches.
  const seq::Batch query = {{"q", "ACGTAC"}}, target = {{"t", "ACGGGTACTT"}};
  GapsOptions gaps;
  gaps.alignment = true;
  std::size_t count = 0;
  devices.gaps(query, target, gaps, [&](const GapsFound& found) {
    ++count;
    CHECK(found.score == 6 * 5 - 10.5);
    CHECK(found.gaps == 1);
    CHECK(found.end == 8);
    REQUIRE(found.alignment);
    CHECK(found.alignment->gap_symbols == 2);
    CHECK(found.alignment->cigar.find("2D") != std::string::npos);
  });
  CHECK(count == 1);
  gaps.max_gaps = 0;
  gaps.match = "1.5", gaps.mismatch = "-0.25";
  const seq::Batch longer = {{"q", "ACGTACACGTACA"}};
  gaps.alignment = false;
  devices.gaps(query, target, gaps, [&](const GapsFound& found) {
    CHECK(found.score == 3 * 1.5 - 3 * 0.25);  // ACG pairs, TAC with GGT does not
  });
  devices.gaps(longer, target, gaps, [&](const GapsFound& found) { CHECK(!found.score); });
  gaps.mismatch.clear();  // -4 then
  devices.gaps(query, target, gaps,
               [&](const GapsFound& found) { CHECK(found.score == 3 * 1.5 - 3 * 4); });
  const auto refused = [&](const auto& change) {
    GapsOptions options;
    change(options);
    return kind_of([&] { devices.gaps(query, target, options, [](const GapsFound&) {}); }) ==
           Kind::kUsage;
  };
  CHECK(refused([](GapsOptions& o) { o.max_gaps = 33; }));
  CHECK(refused([](GapsOptions& o) { o.matrix = "EDNAFULL", o.match = "2"; }));
  CHECK(refused([](GapsOptions& o) { o.match = "1", o.mismatch = "1"; }));
  CHECK(refused([](GapsOptions& o) { o.match = "-5"; }));  // mismatches are -4
  CHECK(refused([](GapsOptions& o) { o.ambiguous = seq::Ambiguous::kMatch; }));
  gaps = {};
  gaps.matrix = "ednafull";
  devices.gaps(query, target, gaps, [](const GapsFound& found) { CHECK(found.score == 19.5); });

  // The example of Feuser: ends 3 and 4 for k = 2, none for the others.
  const seq::Batch alpha = {{"alpha", "ACTG"}}, beta = {{"beta", "AGCAAG"}};
  PrimerOptions primers;
  primers.k = 2;
  primers.nearest = true;
  std::vector<std::string> found;
  devices.primers(alpha, beta, primers, [&](const PrimerFound& one) {
    found.emplace_back(one.sequence);
    REQUIRE(one.nearest);
    CHECK(one.nearest->distance == 2);
    CHECK(one.nearest->target == "beta");
  });
  CHECK(found == std::vector<std::string>{"ACT", "CTG"});
  primers = {};
  primers.window = 3;
  std::vector<std::uint32_t> distances;
  devices.primers(alpha, beta, primers,
                  [&](const PrimerFound& one) { distances.push_back(one.distance.value()); });
  CHECK(distances == std::vector<std::uint32_t>{2, 2});
  const auto contradicts = [&](const auto& change) {
    PrimerOptions options;
    change(options);
    return kind_of([&] { devices.primers(alpha, beta, options, [](const PrimerFound&) {}); }) ==
           Kind::kUsage;
  };
  CHECK(contradicts([](PrimerOptions& o) { o.k = 0; }));
  CHECK(contradicts([](PrimerOptions& o) { o.min_length = 3, o.max_length = 2; }));
  CHECK(contradicts([](PrimerOptions& o) { o.window = 0; }));
  CHECK(contradicts([](PrimerOptions& o) { o.window = 3, o.k = 2; }));
  CHECK(contradicts([](PrimerOptions& o) { o.window = 3, o.nearest = true; }));
  CHECK(contradicts([](PrimerOptions& o) { o.window = 3, o.min_length = 1; }));
  CHECK(contradicts([](PrimerOptions& o) { o.window = 3, o.variant = "conventional"; }));
  CHECK(contradicts([](PrimerOptions& o) { o.window = 3, o.variant = "alternative"; }));
}

TEST_CASE("Where a program computes wrongly another variant does, and the caller is told",
          "[face][device]") {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "rhomb-face-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  fs::copy(fs::path(test::data_folder()).parent_path().parent_path() / "cl", folder,
           fs::copy_options::recursive);
  const fs::path file = fs::path(folder) / "cell.h";
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string right = "*mv = *ph & zero;", wrong = "*mv = *ph & ~zero;";
  REQUIRE(text.find(right) != std::string::npos);
  std::ofstream(file) << text.replace(text.find(right), right.size(), wrong);

  std::vector<std::string> told;
  DevicesOptions options;
  options.kernels_dir = folder;
  options.cache = false;
  options.warn = [&](const std::string& what) { told.push_back(what); };
  Devices devices(options);
  const seq::Batch queries = some(20, 30, 3), targets = some(2, 4000, 4);
  SearchOptions search;
  search.most = 8;
  search.all_ends = true;
  const auto ends = [&] {
    std::vector<std::pair<std::string, std::size_t>> all;
    const Totals totals = devices.search(queries, targets, search, [&](const Occurrence& one) {
      all.emplace_back(std::string(one.query), one.end);
    });
    return std::pair(all, totals.variant);
  };
  const auto [found, by] = ends();
  CHECK(by == "coop");
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("coop computes instead") != std::string::npos);
  search.variant = "reference";
  CHECK(ends() == std::pair(found, std::string("reference")));
  search.variant = "strips-batch";
  CHECK(kind_of([&] { ends(); }) == Kind::kCheck);
  CHECK(told.size() == 1);
  fs::remove_all(folder);
}

TEST_CASE("Calls of several threads on one object wait for each other", "[face][device]") {
  Devices devices;
  const seq::Batch a = some(4, 1500, 14), b = some(4, 1500, 15);
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < a.size(); ++i)
      threads.emplace_back([&, i] {
        right += devices.distance(a[i].symbols, b[i].symbols).distance ==
                 reference::edit_distance(a[i].symbols, b[i].symbols);
      });
  }
  CHECK(right == 4);
}

TEST_CASE("Usage that does not exist is refused", "[face]") {
  Devices devices;
  const seq::Batch some_texts = some(1, 20, 16), proteins = {{"p", "MKVLE"}};
  const auto ignore = [](const Occurrence&) {};
  SearchOptions options;
  options.variant = "fastest";
  CHECK(kind_of([&] { devices.search(some_texts, some_texts, options, ignore); }) == Kind::kUsage);
  options = {};
  options.all_ends = true;
  CHECK(kind_of([&] { devices.search(some_texts, some_texts, options, ignore); }) == Kind::kUsage);
  options = {};
  options.both_strands = true;
  CHECK(kind_of([&] { devices.search(proteins, some_texts, options, ignore); }) == Kind::kInput);
  CHECK(kind_of([&] { devices.search(some_texts, proteins, options, ignore); }) == Kind::kInput);
  CHECK(kind_of([&] { devices.search("missing.fa", some_texts, {}, ignore); }) == Kind::kInput);
}

}  // namespace
}  // namespace rhomb::face_tests
