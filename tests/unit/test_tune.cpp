// SPDX-License-Identifier: Apache-2.0
// What `rhomb tune` rests on: lines that are never trusted when damaged, the walk through a space,
// and which setting fits.
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/lcs/lcs.h"
#include "host/search/search.h"
#include "host/strip/several.h"
#include "host/strip/strip.h"
#include "host/tune/seal.h"
#include "host/tune/search.h"
#include "host/tune/store.h"
#include "host/tune/trial.h"
#include "host/wfa/meetings.h"
#include "host/wfa/pairs.h"
#include "host/wfa/wfa.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace rhomb::tune_tests {
namespace {

using test::contains;
using tune::Config;
using tune::Outcome;
using tune::Search;
using tune::Store;
using tune::Strategy;
using tune::Trial;

const tune::Space kSpace = {
    {"K", {4, 1, 2, 8, 16}, ""}, {"WG", {128, 64, 256}, ""}, {"F", {0, 1}, ""}};

/// Least at K=8, WG=64, F=1, and larger with each step away from there; WG=256 cannot be used.
std::optional<double> seconds(const Config& config) {
  if (config.get("WG", 0) == 256) return std::nullopt;
  return 1 + std::abs(std::log2(config.get("K", 1)) - 3) + (config.get("WG", 0) == 64 ? 0 : 0.5) +
         (config.get("F", 0) == 1 ? 0 : 0.25);
}

/// All that a search proposes, each told what came out.
std::vector<Config> walk(Search& search) {
  std::vector<Config> all;
  while (auto config = search.next()) {
    all.push_back(*config);
    search.told(*config, seconds(*config));
  }
  return all;
}

std::string kept_file(const std::string& name) {
  const std::string path = test::home_folder() + "/tune/" + name;
  std::filesystem::remove_all(std::filesystem::path(path).parent_path());
  return path;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

Trial setting(const std::string& device, std::int64_t length, double divergence, int k,
              const std::string& driver = "1") {
  Trial trial;
  trial.task = {"strips", "strips", length, divergence};
  trial.machine = {device, driver, 2};
  trial.kernels = "0123456789abcdef";
  trial.config = Config({{"K", k}});
  trial.used = Config({{"K", k}, {"WG", 64}});
  trial.seconds = 0.5;
  trial.spread = 1.25;
  trial.cells = 1e12;
  trial.distance = 12345;
  return trial;
}

ocl::DeviceInfo device_named(const std::string& name, const std::string& driver = "1") {
  ocl::DeviceInfo info;
  info.name = name;
  info.driver = driver;
  info.limits.compute_units = 2;
  return info;
}

TEST_CASE("every search walks the whole space, nothing twice", "[tune][host]") {
  for (const Strategy strategy : {Strategy::kFull, Strategy::kRandom, Strategy::kHill})
    for (const unsigned seed : {1u, 2u, 3u}) {
      Search search(kSpace, strategy, seed);
      CHECK(search.size() == 30);
      CHECK(search.left() == 30);
      std::set<std::string> seen;
      for (const Config& config : walk(search)) {
        CHECK(config.values().size() == 3);
        CHECK_NOTHROW(config.check_names(kSpace));
        CHECK(seen.insert(config.text()).second);
      }
      CHECK(seen.size() == 30);
      CHECK(search.left() == 0);
      CHECK_FALSE(search.next());
    }
}

TEST_CASE("a search never proposes what it was told of", "[tune][host]") {
  for (const Strategy strategy : {Strategy::kFull, Strategy::kRandom, Strategy::kHill}) {
    Search all(kSpace, Strategy::kFull, 1);
    const auto configs = walk(all);
    Search search(kSpace, strategy, 7);
    for (std::size_t i = 0; i < configs.size(); i += 2)
      search.told(configs[i], seconds(configs[i]));
    CHECK(search.left() == 15);
    // Not a choice of the space: where a plan's own choice lies, and an older version's tunables.
    search.told(Config::parse("K=32,WG=128,F=0"), 0.1);
    search.told(Config::parse("Q=1"), std::nullopt);
    auto rest = walk(search);
    // From a plan's own choice one steps with all but one of its values.
    std::erase_if(rest, [](const Config& config) { return config.get("K", 0) == 32; });
    CHECK(rest.size() == 15);
    CHECK(search.left() == 0);
    for (const Config& config : rest)
      for (std::size_t i = 0; i < configs.size(); i += 2) CHECK(config.text() != configs[i].text());
  }
  Search nothing({}, Strategy::kHill, 1);
  CHECK(nothing.size() == 1);
  CHECK(walk(nothing).size() == 1);
  Search large({{"A", std::vector<int>(1000, 1), ""}, {"B", {1, 2}, ""}}, Strategy::kRandom, 1);
  CHECK(walk(large).size() == 2);  // equal values are one
}

TEST_CASE("hill climbing finds a summit sooner than chance", "[tune][host]") {
  tune::Space space;
  std::vector<int> values;
  for (int i = 0; i < 12; ++i) values.push_back(i);
  for (const char* const name : {"A", "B", "C", "D"}) space.push_back({name, values, ""});
  const auto cost = [](const Config& config) {
    double sum = 1;
    for (const auto& [name, value] : config.values()) sum += std::abs(value - 7);
    return sum;
  };
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    Search search(space, Strategy::kHill, seed);
    search.told(Config::parse("A=0,B=0,C=0"), 30);  // D did not matter there
    int tried = 0;
    for (double least = INFINITY; least > 1; ++tried) {
      const auto config = search.next();
      REQUIRE(config);
      search.told(*config, cost(*config));
      least = std::min(least, cost(*config));
    }
    CHECK(tried < 1000);  // of 20,736
  }
}

TEST_CASE("a sealed line is refused whatever byte of it is damaged", "[tune][host]") {
  const std::string object = R"({"kind":"x","text":"a \"b\" \\ \u00e9","n":[1,2]})";
  const std::string line = tune::sealed(object);
  REQUIRE(tune::opened(line) == object);
  for (std::size_t i = 0; i < line.size(); ++i) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128}) {
      std::string damaged = line;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      INFO("byte " << i << ", flip " << flip);
      CHECK_FALSE(tune::opened(damaged));
    }
    CHECK_FALSE(tune::opened(line.substr(0, i)));
    CHECK_FALSE(tune::opened(line.substr(i + 1)));
    CHECK_FALSE(tune::opened(line.substr(0, i) + line.substr(i + 1)));
    CHECK_FALSE(tune::opened(line.substr(0, i) + "0" + line.substr(i)));
  }
  for (const std::string text : {"", "{}", "{", "\n", R"({"sum":"0123456789abcdef"})"})
    CHECK_FALSE(tune::opened(text));
  CHECK_FALSE(tune::opened(line + "\r"));
  CHECK_FALSE(tune::opened(line + line));
}

TEST_CASE("lines are added behind what is there, torn or not", "[tune][host]") {
  const std::string path = kept_file("below/lines.jsonl");
  REQUIRE(tune::append_line(path, "one"));
  REQUIRE(tune::append_line(path, "two\nthree"));
  CHECK(lines_of(path) == std::vector<std::string>{"one", "two", "three"});
  std::ofstream(path, std::ios::app) << "to";  // another program, or a full disk
  REQUIRE(tune::append_line(path, "four"));
  CHECK(lines_of(path) == std::vector<std::string>{"one", "two", "three", "to", "four"});
  CHECK_FALSE(tune::append_line(path + "/none", "five"));
}

TEST_CASE("a line that does not fit is not there in part", "[tune][host]") {
  const std::string path = kept_file("full/lines.jsonl");
  REQUIRE(tune::append_line(path, "one"));
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10, before.rlim_max};  // bytes a file
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const bool added = tune::append_line(path, "two, of more than six bytes");
  const int why = errno;
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK_FALSE(added);
  CHECK(why == ENOSPC);
  CHECK(lines_of(path) == std::vector<std::string>{"one"});
  CHECK(std::filesystem::file_size(path) == 4);
}

TEST_CASE("a trial is read as it was written", "[tune][host]") {
  Trial trial = setting("Fancy \"GPU\" \\ \u00b5 \t\n<&>", 1000000, 0.05, 8, "1.2\n3");
  for (const std::string kind : {"trial", "setting"}) {
    const std::string line = tune::line_of(trial, kind);
    CHECK(line.find('\n') == std::string::npos);
    const auto object = tune::opened(line);
    REQUIRE(object);
    const auto read = tune::trial_of(*object, kind);
    REQUIRE(read);
    CHECK(read->task == trial.task);
    CHECK(read->machine == trial.machine);
    CHECK(read->kernels == trial.kernels);
    CHECK(read->config.values() == trial.config.values());
    CHECK(read->used.values() == trial.used.values());
    CHECK(read->outcome == Outcome::kMeasured);
    CHECK(read->seconds == trial.seconds);
    CHECK(read->spread == trial.spread);
    CHECK(read->cells == trial.cells);
    CHECK(read->distance == trial.distance);
    CHECK(tune::line_of(*read, kind) == line);
    CHECK_FALSE(tune::trial_of(*object, kind == "trial" ? "setting" : "trial"));
  }
  for (const Outcome outcome :
       {Outcome::kUnfit, Outcome::kWrong, Outcome::kFailed, Outcome::kSlow}) {
    trial.outcome = outcome;
    trial.why = "build log:\n  error: \"x\" \x01\x7f, not UTF-8: \xff\xc3(";
    const auto object = tune::opened(tune::line_of(trial, "trial"));
    REQUIRE(object);
    const auto read = tune::trial_of(*object, "trial");
    REQUIRE(read);
    CHECK(read->outcome == outcome);
    CHECK(read->why.starts_with("build log:\n  error: \"x\" \x01\x7f, not UTF-8: "));
  }
  for (const std::string text : {"", "[]", "{}", "{\"kind\":\"trial\"}", "null"})
    CHECK_FALSE(tune::trial_of(text, "trial"));
}

TEST_CASE("the nearest setting", "[tune][host]") {
  const auto line = [](const Trial& trial) { return tune::line_of(trial, "setting") + "\n"; };
  const auto nearest = [](const Store& store, const ocl::DeviceInfo& device, std::int64_t length,
                          std::optional<double> divergence = std::nullopt) {
    const auto found = store.nearest("strips", "strips", device, length, divergence);
    return found ? found->trial.config.get("K", 0) : 0;
  };
  const auto mine = device_named("Gadget 3000 X");

  Store store;
  store.add(line(setting("Gadget 3000", 1000000, 0.5, 1)), true, "shipped");
  CHECK(nearest(store, mine, 1000000) == 1);  // by the beginning of the name
  CHECK(nearest(store, device_named("Gadget 300"), 1000000) == 0);
  store.add(line(setting("Gadget 3000", 1000000, 0.5, 2)), false, "user");
  CHECK(nearest(store, mine, 1000000) == 1);  // the user's are for the whole name
  store.add(line(setting("Gadget 3000 X", 1000000, 0.5, 3, "0")), false, "user");
  CHECK(nearest(store, mine, 1000000) == 3);  // another driver before shipped
  store.add(line(setting("Gadget 3000 X", 1500000, 0.5, 4)), false, "user");
  CHECK(nearest(store, mine, 1000000) == 4);  // own before another driver, even if further
  CHECK(nearest(store, device_named("Gadget 3000 X", "0"), 1000000) == 3);
  auto units = mine;
  units.limits.compute_units = 4;
  CHECK(nearest(store, units, 1500000) == 4);  // a part of the device: as with another driver

  // Lengths and divergences within a factor of 2.
  CHECK(nearest(store, mine, 3000000) == 4);
  CHECK(nearest(store, mine, 3000100) == 0);
  CHECK(nearest(store, mine, 750000) == 4);
  CHECK(nearest(store, mine, 749000) == 3);
  CHECK(nearest(store, mine, 499000) == 0);
  CHECK(nearest(store, mine, 1500000, 0.25) == 4);
  CHECK(nearest(store, mine, 1500000, 0.24) == 0);
  store.add(line(setting("Gadget 3000 X", 1500000, 0.1, 5)), false, "user");
  CHECK(nearest(store, mine, 1500000, 0.13) == 5);
  CHECK(nearest(store, mine, 1500000, 0.4) == 4);
  store.add(line(setting("Gadget 3000 X", 1500000, 0.1, 6)), false, "user");
  CHECK(nearest(store, mine, 1500000, 0.1) == 6);  // the newer of two
  CHECK_FALSE(store.nearest("strips", "strips-full", mine, 1500000, std::nullopt));
  CHECK_FALSE(store.nearest("wavefront", "strips", mine, 1500000, std::nullopt));
  const auto found = store.nearest("strips", "strips", mine, 1500000, 0.5);
  REQUIRE(found);
  CHECK(found->match == "measured on this device, at 1500000 symbols and divergence 0.5");
  CHECK(store.lines().size() == 6);
  CHECK(store.warnings().empty());

  // Each engine has its own, by its queries' length, whatever the divergence.
  Trial query = setting("Gadget 3000 X", 200, 0.05, 7);
  query.task.engine = "search";
  query.task.variant = "strips-batch";
  store.add(line(query), false, "user");
  const auto searched = [&](std::string_view engine, std::int64_t length) {
    return store.nearest(engine, "strips-batch", mine, length, std::nullopt).has_value();
  };
  CHECK(searched("search", 200));
  CHECK(searched("search", 100));
  CHECK(searched("search", 400));
  CHECK_FALSE(searched("search", 99));
  CHECK_FALSE(searched("lcs", 200));
  CHECK_FALSE(searched("strips", 200));
  CHECK_FALSE(store.nearest("search", "coop", mine, 200, std::nullopt));
}

TEST_CASE("records: one's own, then the longest name that was shipped", "[tune][host]") {
  const auto line = [](const std::string& device, double value, const std::string& driver) {
    return tune::line_of(tune::Record{"rates", {device, driver, 2}, {{"x", value}}}) + "\n";
  };
  const auto mine = device_named("Gadget 3000 X");
  Store store;
  store.add(line("Gadget", 1, "") + line("Gadget 3000", 2, "") + line("Gad", 3, ""), true, "s");
  store.add(line("Gadget 3000 X", 4, "0"), false, "u");  // another driver
  auto found = store.find("rates", mine);
  REQUIRE(found);
  CHECK((found->shipped && found->record.values.at("x") == 2));
  store.add(line("Gadget 3000 X", 5, "1") + line("Gadget 3000 X", 6, "1"), false, "u");
  found = store.find("rates", mine);
  REQUIRE(found);
  CHECK((!found->shipped && found->record.values.at("x") == 6));
  CHECK_FALSE(store.find("ceilings", mine));
  CHECK(store.lines().size() == 6);
}

TEST_CASE("damaged lines of a store are told and not used", "[tune][host]") {
  const auto mine = device_named("Gadget");
  const std::string good = tune::line_of(setting("Gadget", 1000, 0.5, 1), "setting");
  const std::string better = tune::line_of(setting("Gadget", 1000, 0.5, 2), "setting");
  for (std::size_t i = 0; i < better.size(); ++i) {
    std::string damaged = better;
    damaged[i] = damaged[i] == '7' ? '3' : '7';
    Store store;
    store.add(good + "\n\n" + damaged + "\n", false, "some/store.jsonl");
    INFO(damaged);
    REQUIRE(store.warnings().size() == 1);
    CHECK(store.warnings().front() == "some/store.jsonl: line 3 is damaged and was left out");
    CHECK(store.lines().size() == 1);
    CHECK(store.nearest("strips", "strips", mine, 1000, 0.5)->trial.config.get("K", 0) == 1);
  }
  // Sealed, but of no kind that is known; and evidence, which is no setting.
  Store store;
  store.add(tune::sealed(R"({"kind":"poem"})") + "\n" + tune::sealed("[]") + "\n", false, "a");
  CHECK(store.warnings().size() == 2);
  store.add(tune::line_of(setting("Gadget", 1000, 0.5, 1), "trial"), false, "b");
  CHECK(store.warnings().size() == 2);
  CHECK(store.lines().empty());
}

TEST_CASE("numbers that do not fit make a line of a store a damaged one", "[tune][host]") {
  const auto lines_of = [](const std::string& units, const std::string& value) {
    Store store;
    store.add(tune::sealed(R"({"kind":"rates","device":"cpu","compute_units":)" + units +
                           R"(,"values":{"x":)" + value + "}}"),
              false, "a");
    CHECK(store.lines().size() + store.warnings().size() == 1);
    return store.lines().size();
  };
  CHECK(lines_of("4294967295", "1e300") == 1);
  for (const char* units : {"4294967296", "-1", "1.3e+10", "2.5", "1e300", "-1e300", "\"2\"", "[]",
                            "18446744073709551616"})
    CHECK(lines_of(units, "1") == 0);
  std::string line = *tune::opened(tune::line_of(setting("Gadget", 1000, 0.5, 1), "setting"));
  CHECK(tune::Line::parse(line));
  line.replace(line.find("\"K\":1"), 5, "\"K\":3e9");
  CHECK_FALSE(tune::Line::parse(line));
}

TEST_CASE("the user's store is read with its damage, and lines are added", "[tune][host]") {
  const std::string usual = std::getenv("XDG_DATA_HOME");  // other tests' as well
  const std::string own = test::home_folder() + "/tune-data";
  setenv("XDG_DATA_HOME", own.c_str(), 1);
  std::filesystem::remove_all(own);
  CHECK(Store::load().warnings().empty());
  const auto mine = device_named("Gadget of the test");
  REQUIRE(tune::remember(tune::line_of(setting(mine.name, 1000, 0.5, 7), "setting")));
  std::ofstream(tune::store_path(), std::ios::app) << "{\"kind\":\"setting\"";
  REQUIRE(tune::remember(tune::line_of(setting(mine.name, 1000, 0.5, 8), "setting")));
  const Store store = Store::load();
  REQUIRE(store.warnings().size() == 1);
  CHECK_THAT(store.warnings().front(), contains("store.jsonl: line 2 is damaged"));
  CHECK(store.nearest("strips", "strips", mine, 1000, 0.5)->trial.config.get("K", 0) == 8);
  setenv("XDG_DATA_HOME", usual.c_str(), 1);
}

TEST_CASE("what is shipped is whole", "[tune][host]") {
  for (const auto& shipped : tune::shipped_stores()) {
    Store store;
    store.add(shipped.text, true, std::string(shipped.path));
    INFO(shipped.path);
    CHECK(store.warnings().empty());
    CHECK(!store.lines().empty());
  }
}

TEST_CASE("rates of Intel's driver for CPUs are shipped, and are not those of its GPUs",
          "[tune][host]") {
  Store store;
  for (const auto& shipped : tune::shipped_stores())
    store.add(shipped.text, true, std::string(shipped.path));
  ocl::DeviceInfo device;
  for (const char* const name : {"Intel(R) Xeon(R) Processor", "Intel(R) Core(TM) i7-8700 CPU"}) {
    device.name = name;
    CHECK(store.find("rates", device));
  }
  device.name = "Intel(R) UHD Graphics 770";
  CHECK(!store.find("rates", device));
}

TEST_CASE("every row was measured on the devices that settings are shipped for", "[tune][host]") {
  Store store;
  for (const auto& shipped : tune::shipped_stores())
    store.add(shipped.text, true, std::string(shipped.path));
  ocl::DeviceInfo device;
  // PoCL's CPUs have another name from version 4 on.
  for (const char* const name : {"NVIDIA H200", "pthread-skylake-avx512-Intel(R) Xeon(R) Processor",
                                 "cpu-znver3-AMD EPYC 7763"}) {
    device.name = name;
    INFO(name);
    CHECK(store.find("rates", device));
    const std::int64_t pair = device.name == "NVIDIA H200" ? 1'000'000 : 100'000;
    const auto measured = [&](const char* engine, const auto& rows, std::int64_t length) {
      for (const auto& row : rows)
        // Those for many pairs and for several devices go by their plans.
        if (!row.space.empty() && !row.uses_cuda() && row.name != wfa::kWavefrontBatch &&
            row.name != wfa::kFusedBatch && row.name != strip::kFlowBatch &&
            row.name != "strips-blocks") {
          INFO(engine << " " << row.name);
          CHECK(store.nearest(engine, row.name, device, length, std::nullopt));
        }
    };
    measured("strips", strip::variants(), pair);
    measured("wavefront", wfa::variants(), pair);
    measured("search", search::variants(), 200);
    measured("lcs", lcs::variants(), 4000);
  }
}

}  // namespace
}  // namespace rhomb::tune_tests
