// SPDX-License-Identifier: Apache-2.0
// Checkpoints: files that are whole give back what was saved; all others are refused by name.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host/dist/checkpoint.h"
#include "host/error.h"
#include "host/ocl/hash.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace rhomb::checkpoint_tests {
namespace {

namespace fs = std::filesystem;

const dist::Identity kIdentity{dist::text_hash("ACGT"), dist::text_hash("AGT"), "ambiguous symbol"};

dist::State some_state(std::size_t words = 40) {
  test::Rng random(7);
  dist::State state{"strips", {{"row", 3072}, {"start", -5}}, {{}, {}}};
  for (std::size_t i = 0; i < words; ++i)
    state.arrays[1].push_back(static_cast<std::uint32_t>(random()));
  return state;
}

bool same(const dist::State& a, const dist::State& b) {
  return a.engine == b.engine && a.numbers == b.numbers && a.arrays == b.arrays;
}

/// A folder that is gone at the end.
struct Folder {
  Folder() {
    auto name = (fs::temp_directory_path() / "rhomb-checkpoint-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp failed");
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  std::string of(const char* name) const { return path + "/" + name; }
  std::string text(const char* name) const {
    std::ifstream in(of(name), std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
  void write(const char* name, const std::string& text) const {
    std::ofstream(of(name), std::ios::binary) << text;
  }

  std::string path;
};

struct Told {
  std::vector<std::string> notes;
  Keeping keeping(const std::string& folder, bool resume) {
    Keeping keeping;
    keeping.folder = folder;
    keeping.resume = resume;
    keeping.note = [this](const std::string& what) { notes.push_back(what); };
    return keeping;
  }
};

TEST_CASE("A checkpoint gives back what was saved", "[checkpoint]") {
  for (const std::size_t words :
       {0u, 1u, 40u, (1u << 18) - 1, 1u << 18, (1u << 18) + 1, 700'000u}) {
    const dist::State state = some_state(words);
    const std::string text = dist::checkpoint_text(kIdentity, state);
    CHECK(same(dist::read_checkpoint(text, kIdentity, "file"), state));
  }
  CHECK(dist::text_hash("ACGT").size() == 32);
  CHECK_THROWS_AS(some_state().number("column"), InputError);
}

TEST_CASE("A checkpoint with any bit turned over or any byte missing is refused", "[checkpoint]") {
  const std::string good = dist::checkpoint_text(kIdentity, some_state());
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    INFO("bit " << bit);
    CHECK_THROWS_AS(dist::read_checkpoint(bad, kIdentity, "file"), InputError);
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    INFO(size << " bytes");
    CHECK_THROWS_AS(dist::read_checkpoint(good.substr(0, size), kIdentity, "file"), InputError);
  }
  CHECK_THROWS_WITH(dist::read_checkpoint(good + '\n', kIdentity, "file"),
                    test::contains("file: has something behind its end"));
  CHECK_THROWS_WITH(dist::read_checkpoint(good.substr(0, good.size() - 1), kIdentity, "file"),
                    test::contains("file: is cut off"));
}

TEST_CASE("A checkpoint of something else is refused", "[checkpoint]") {
  const std::string good = dist::checkpoint_text(kIdentity, some_state());
  const auto refused = [&](dist::Identity identity, const std::string& why) {
    CHECK_THROWS_WITH(dist::read_checkpoint(good, identity, "file"), test::contains(why));
  };
  refused({dist::text_hash("ACGA"), kIdentity.second, kIdentity.options},
          "file: is of other texts");
  refused({kIdentity.second, kIdentity.first, kIdentity.options}, "file: is of other texts");
  refused({kIdentity.first, kIdentity.second, "ambiguous match"},
          "file: was made with other options: ambiguous symbol; those of this run are: ambiguous "
          "match");
  std::string older = good;
  older.replace(older.find("\"version\":1"), 11, "\"version\":0");
  CHECK_THROWS_WITH(dist::read_checkpoint(older, kIdentity, "file"),
                    test::contains("file: has version 0 of the format; this program reads 1"));
  CHECK_THROWS_WITH(dist::read_checkpoint("what\nis\nthis\n", kIdentity, "file"),
                    test::contains("no checkpoint"));
  // A chunk of another checkpoint of the same run, as large and in the same place.
  dist::State other = some_state();
  other.numbers["row"] = 6144;
  const std::string another = dist::checkpoint_text(kIdentity, other);
  const std::size_t chunk = 24 + 160;
  CHECK_THROWS_WITH(dist::read_checkpoint(good.substr(0, good.size() - chunk) +
                                              another.substr(another.size() - chunk),
                                          kIdentity, "file"),
                    test::contains("file: is damaged in chunk 0"));
}

TEST_CASE("A checkpoint with numbers that do not fit is refused", "[checkpoint]") {
  const std::string good = dist::checkpoint_text(kIdentity, some_state());
  for (const char* number : {"1e300", "0.5", "18446744073709551615", "\"1\"", "null"}) {
    // With the checksum that belongs to the line.
    std::string first = good.substr(0, good.find('\n'));
    const std::size_t at = first.find("\"row\":") + 6;
    first.replace(at, first.find_first_of(",}", at) - at, number);
    const std::string text =
        first + "\n" + ocl::hex(XXH3_64bits_withSeed(first.data(), first.size(), 0)) + "\n";
    CHECK_THROWS_WITH(dist::read_checkpoint(text, kIdentity, "file"),
                      test::contains("file: is damaged in its first line"));
  }
}

TEST_CASE("A folder has two generations of checkpoints, and the last good one is used",
          "[checkpoint]") {
  const Folder folder;
  Told told;
  const auto state_at = [](std::int64_t row) {
    dist::State state = some_state();
    state.numbers["row"] = row;
    return state;
  };
  {
    dist::Checkpoint checkpoint(told.keeping(folder.path, true), kIdentity);
    CHECK(!checkpoint.start());
    CHECK_THAT(told.notes.back(), test::contains("has no checkpoint yet"));
    CHECK(checkpoint.age() < 0);
    for (const std::int64_t row : {1, 2, 3}) checkpoint.save(state_at(row));
    CHECK(checkpoint.settle());
    CHECK((checkpoint.age() >= 0 && checkpoint.age() < 60));
  }
  const auto row_of = [&] {
    const dist::Checkpoint checkpoint(told.keeping(folder.path, true), kIdentity);
    return checkpoint.start()->number("row");
  };
  CHECK(row_of() == 3);
  CHECK(told.notes.back() == "goes on from " + folder.of("checkpoint"));
  CHECK(!fs::exists(folder.of("checkpoint.new")));
  CHECK_THROWS_AS(dist::Checkpoint(told.keeping(folder.path, false), kIdentity), UsageError);

  // A run that ended between the two renamings.
  const std::string last = folder.text("checkpoint");
  fs::remove(folder.of("checkpoint"));
  CHECK(row_of() == 2);
  // A damaged one does not become the generation before.
  folder.write("checkpoint", last.substr(0, last.size() / 2));
  folder.write("checkpoint.new", "of a run that ended while it wrote");
  {
    std::optional<dist::Checkpoint> checkpoint;
    checkpoint.emplace(told.keeping(folder.path, true), kIdentity);
    CHECK(checkpoint->start()->number("row") == 2);
    CHECK_THAT(told.notes.end()[-2], test::contains(folder.of("checkpoint") + ": is cut off"));
    CHECK(told.notes.back() == "goes on from " + folder.of("checkpoint.before"));
    checkpoint->save(state_at(4));
    CHECK(checkpoint->settle());
    // Only one run at a time may save there.
    CHECK_THROWS_WITH(dist::Checkpoint(told.keeping(folder.path, true), kIdentity),
                      test::contains("another run saves in '" + folder.path));
    checkpoint.reset();
    CHECK(row_of() == 4);
    fs::remove(folder.of("checkpoint"));
    CHECK(row_of() == 2);
    folder.write("checkpoint", last);
    checkpoint.emplace(told.keeping(folder.path, true), kIdentity);
    checkpoint->save(state_at(5));
  }
  fs::remove(folder.of("checkpoint"));
  CHECK(row_of() == 3);  // `last`, which was the generation before

  folder.write("checkpoint", "");
  folder.write("checkpoint.before", last + "x");
  CHECK_THROWS_WITH(dist::Checkpoint(told.keeping(folder.path, true), kIdentity),
                    test::contains("checkpoint: is cut off, or no checkpoint; ") &&
                        test::contains("checkpoint.before: has something behind its end"));
}

TEST_CASE("What is wrong with a folder of checkpoints is said", "[checkpoint]") {
  const Folder folder;
  Told told;
  folder.write("file", "");
  CHECK_THROWS_AS(dist::Checkpoint(told.keeping(folder.of("file"), false), kIdentity), OutputError);
  CHECK_THROWS_AS(dist::Checkpoint(told.keeping(folder.of("none"), true), kIdentity), InputError);
  dist::Checkpoint checkpoint(told.keeping(folder.of("new/one"), false), kIdentity);
  CHECK(fs::is_directory(folder.of("new/one")));
  fs::remove_all(folder.of("new"));
  checkpoint.save(some_state());
  CHECK(!checkpoint.settle());
  CHECK_THAT(told.notes.back(), test::contains("nothing could be saved: "));
  CHECK(checkpoint.age() < 0);
  fs::create_directories(folder.of("new/one"));
  checkpoint.save(some_state());
  CHECK(checkpoint.settle());
}

TEST_CASE("Checkpoints are due after a time, and when somebody asks", "[checkpoint]") {
  const Folder folder;
  Told told;
  Keeping keeping = told.keeping(folder.path, true);
  bool asked = false;
  keeping.now = [&] { return std::exchange(asked, false); };
  {
    dist::Checkpoint rarely(keeping, kIdentity);
    CHECK(!rarely.due());
    asked = true;
    CHECK(rarely.due());
    CHECK(!rarely.due());
  }
  keeping.every = 0;
  CHECK(dist::Checkpoint(keeping, kIdentity).due());
}

}  // namespace
}  // namespace rhomb::checkpoint_tests
