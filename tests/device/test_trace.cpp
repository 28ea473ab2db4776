// SPDX-License-Identifier: Apache-2.0
// Traces: how idle time is counted, the lanes and what stands in them, the file, and what a device
// records.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/distance/distance.h"
#include "host/ocl/device.h"
#include "host/trace/chrome.h"
#include "host/trace/trace.h"
#include "tests/support/catch.h"

namespace rhomb::trace_tests {
namespace {

using trace::Command;
using trace::Nanos;
using trace::Scope;
using trace::Trace;
using trace::Work;

Command command(std::uint32_t stretch, Nanos begin, Nanos end,
                Command::Kind kind = Command::Kind::kLaunch) {
  Command made;
  made.stretch = stretch;
  made.begin = begin;
  made.end = end;
  made.kind = kind;
  return made;
}

trace::Usage usage_of(const std::vector<Command>& commands) {
  trace::Usage usage;
  for (const Command& each : commands) usage.add(each);
  return usage;
}

nlohmann::json written(const Trace& trace) {
  std::string text;
  trace::write_chrome(trace, {{"program", "a \"test\""}},
                      [&text](std::string_view piece) { text += piece; });
  return nlohmann::json::parse(text);  // throws where it is no JSON
}

/// The events whose field `name` is `value`.
std::vector<nlohmann::json> events(const nlohmann::json& file, const char* name,
                                   const nlohmann::json& value) {
  std::vector<nlohmann::json> found;
  for (const auto& event : file["traceEvents"])
    if (event.contains(name) && event[name] == value) found.push_back(event);
  return found;
}

/// A device that records into `trace`, or one that does not.
ocl::Device device_with(Trace* trace) {
  const char* wanted = std::getenv("RHOMB_DEVICE");
  ocl::DeviceOptions options;
  options.trace = trace;
  return ocl::Device(ocl::choose_device(wanted ? wanted : "", ocl::list_devices()), options);
}

std::string text_of(std::size_t length, unsigned seed) {
  std::string text(length, ' ');
  for (char& c : text) {
    seed = seed * 1103515245u + 12345u;
    c = "ACGT"[seed >> 16 & 3];
  }
  return text;
}

/// Two texts of which the second has every 50th symbol changed.
std::pair<std::string, std::string> close_texts(std::size_t length) {
  std::string a = text_of(length, 1), b = a;
  for (std::size_t i = 25; i < length; i += 50) b[i] = b[i] == 'A' ? 'C' : 'A';
  return {a, b};
}

TEST_CASE("idle time is what no command covers", "[trace]") {
  CHECK(usage_of({}).idle_share() == 0);
  CHECK(usage_of({command(0, 0, 100)}).span() == 0);  // of no stretch

  const auto plain = usage_of({command(1, 100, 200), command(1, 250, 300), command(1, 300, 400)});
  CHECK(plain.launches() == 3);
  CHECK(plain.span() == 300);
  CHECK(plain.busy() == 250);
  CHECK(std::abs(plain.idle_share() - 1.0 / 6) < 1e-12);
  CHECK(plain.longest_gap().length == 50);
  CHECK(plain.longest_gap().before.begin == 100);

  // What overlaps, or lies within another, counts once; a gap follows what ended last.
  const auto overlapping = usage_of({command(1, 0, 100), command(1, 10, 20), command(1, 90, 150),
                                     command(1, 170, 180, Command::Kind::kRead)});
  CHECK(overlapping.launches() == 3);
  CHECK(overlapping.span() == 180);
  CHECK(overlapping.busy() == 160);
  CHECK(overlapping.longest_gap().length == 20);
  CHECK(overlapping.longest_gap().before.begin == 90);
}

TEST_CASE("time between stretches of computing is not idle", "[trace]") {
  const auto usage =
      usage_of({command(0, 0, 10), command(1, 100, 200), command(1, 210, 300), command(0, 400, 500),
                command(3, 1000, 1100), command(3, 1100, 1150)});
  CHECK(usage.launches() == 4);
  CHECK(usage.span() == 350);
  CHECK(usage.busy() == 340);
  CHECK(usage.longest_gap().length == 10);
}

TEST_CASE("a device's time is on the host's clock what the syncs say", "[trace]") {
  CHECK(trace::on_host({}, 7) == 7);
  const std::vector<trace::Sync> one{{1000, 50}};
  CHECK(trace::on_host(one, 900) == -50);
  CHECK(trace::on_host(one, 1010) == 60);
  const std::vector<trace::Sync> two{{1000, 50}, {2000, 1250}};  // the device's clock is slower
  CHECK(trace::on_host(two, 990) == 40);
  CHECK(trace::on_host(two, 1500) == 650);
  CHECK(trace::on_host(two, 2000) == 1250);
  CHECK(trace::on_host(two, 2100) == 1350);
}

TEST_CASE("computing goes on in stretches", "[trace]") {
  Trace trace;
  CHECK(trace.stretch() == 0);
  std::uint32_t first = 0;
  {
    const Scope computing(&trace, Work::kCompute);
    first = trace.stretch();
    CHECK(first != 0);
    { const Scope waiting(&trace, Work::kWait); }
    CHECK(trace.stretch() == first);
    {
      const Scope building(&trace, Work::kBuild, "wfa/fused.cl");
      CHECK(trace.stretch() == 0);
      const Scope testing(&trace, Work::kTest);
      CHECK(trace.stretch() == 0);
    }
    CHECK(trace.stretch() > first);
  }
  CHECK(trace.stretch() == 0);

  const Scope nowhere(nullptr, Work::kCompute, "costs nothing");
  CHECK(trace.stretch() == 0);
}

TEST_CASE("phases lie within each other, a lane for each thread", "[trace]") {
  Trace trace;
  {
    const Scope outer(&trace, Work::kPair, "a and b");
    Scope inner(&trace, Work::kPack);
    inner.end();
    inner.end();  // once is enough
    std::thread([&trace] { const Scope other(&trace, Work::kRead, "b.fa"); }).join();
  }
  REQUIRE(trace.phases().size() == 3);
  REQUIRE(trace.lanes().size() == 2);
  CHECK(trace.lanes()[0].label == "host");
  CHECK(trace.lanes()[1].label == "host, thread 2");
  const auto& outer = trace.phases()[0];
  const auto& inner = trace.phases()[1];
  CHECK(trace.text(outer.of) == "a and b");
  CHECK(outer.begin <= inner.begin);
  CHECK(inner.begin <= inner.end);
  CHECK(inner.end <= outer.end);
  CHECK(trace.phases()[2].lane == 1);
}

TEST_CASE("what is not kept is counted", "[trace]") {
  Trace trace(4);
  const std::uint32_t queue = trace.add_queue("queue");
  for (int i = 0; i < 10; ++i) {
    Command each = command(1, 10 * i, 10 * i + 5);
    each.lane = queue;
    trace.add(each);
    const Scope scope(&trace, Work::kWait);
  }
  CHECK(trace.commands().size() == 4);
  CHECK(trace.phases().size() == 2);
  CHECK(trace.left_out() == 6 + 8);
  CHECK(trace.lanes()[queue].usage.launches() == 10);
  CHECK(trace.lanes()[queue].usage.busy() == 50);
}

TEST_CASE("the queues of a device are busy together", "[trace]") {
  trace::Trace trace;
  const int first = 0, second = 0;  // their addresses tell devices apart
  const std::uint32_t queues[] = {trace.add_queue("a", &first), trace.add_queue("b", &first),
                                  trace.add_queue("c", &second)};
  const auto add = [&](std::uint32_t queue, std::uint32_t stretch, trace::Nanos begin,
                       trace::Nanos end) {
    Command made = command(stretch, begin, end);
    made.lane = queue;
    trace.add(made);
  };
  add(queues[0], 1, 100, 200);
  add(queues[0], 2, 300, 400);
  CHECK(trace.usage_of(&first).span() ==
        200);  // one queue alone: between stretches is no idle time
  add(queues[1], 3, 150, 260);
  add(queues[1], 0, 260, 290);
  add(queues[2], 1, 1000, 1010);
  const auto both = trace.usage_of(&first);
  CHECK(both.launches() == 3);
  CHECK(both.span() == 300);
  CHECK(both.busy() == 260);
  CHECK(both.longest_gap().length == 40);
  CHECK(trace.usage_of(&second).span() == 10);
  CHECK(trace.usage_of(nullptr).span() == 0);
}

TEST_CASE("the file is JSON with named lanes", "[trace]") {
  Trace trace;
  const std::uint32_t queue = trace.add_queue("queue of a \"device\"");
  trace.add_sync(queue, {1'000'000, 5000});
  Command launch = command(1, 1'000'000, 1'002'345);
  launch.lane = queue;
  launch.count = 7;
  launch.global_x = 4096;
  launch.group_x = 128;
  launch.name = trace.name("wfa_fused");
  trace.add(launch);
  // Begins before the launch ends by that clock, which an in-order queue does not do.
  Command read = command(1, 1'002'300, 1'003'000, Command::Kind::kRead);
  read.lane = queue;
  read.count = 8;
  trace.add(read);
  { const Scope scope(&trace, Work::kRead, "not \xff UTF-8, \"quoted\"\n.fa"); }
  const Scope open(&trace, Work::kPair);  // goes on

  const nlohmann::json file = written(trace);
  CHECK(file["otherData"]["program"] == "a \"test\"");
  std::vector<std::string> names;
  for (const auto& event : events(file, "name", "thread_name")) {
    CHECK(event["ph"] == "M");
    names.push_back(event["args"]["name"]);
  }
  CHECK(names == std::vector<std::string>{"host", "queue of a \"device\""});
  CHECK(events(file, "name", "process_name").size() == 1);

  const auto launches = events(file, "name", "wfa_fused");
  REQUIRE(launches.size() == 1);
  CHECK(launches[0]["ph"] == "X");
  CHECK(launches[0]["ts"] == 5.0);
  CHECK(launches[0]["dur"] == 2.345);
  CHECK(launches[0]["args"]["launch"] == 7);
  CHECK(launches[0]["args"]["global"] == std::vector<int>{4096, 1});
  CHECK(launches[0]["args"]["group"] == std::vector<int>{128, 1});
  const auto reads = events(file, "name", "read");
  REQUIRE(reads.size() == 1);
  CHECK(reads[0]["ts"] == 7.345);
  CHECK(reads[0]["dur"] == 0.655);
  CHECK(reads[0]["args"]["bytes"] == 8);
  CHECK(reads[0]["tid"] == launches[0]["tid"]);
  CHECK(events(file, "name", "pair").size() == 1);
  for (const auto& event : events(file, "ph", "X")) CHECK(event["dur"] >= 0);
}

TEST_CASE("a traced run has its launches in order and the same distance", "[trace][device]") {
  const auto [a, b] = close_texts(20000);
  ocl::Device plain = device_with(nullptr);
  CHECK(plain.trace() == nullptr);
  for (const char* engine : {"wavefront", "strips"}) {
    DYNAMIC_SECTION(engine) {
      DistanceOptions options;
      options.engine = engine;
      const auto expected = distance(&plain, a, b, options).distance;

      Trace trace;
      ocl::Device device = device_with(&trace);
      const Nanos begin = trace.now();
      CHECK(distance(&device, a, b, options).distance == expected);
      const Nanos end = trace.now();

      REQUIRE(trace.lanes().size() > 1);
      std::uint64_t launches = 0;
      Nanos reached = 0;
      for (const Command& each : trace.commands()) {
        REQUIRE(trace.lanes()[each.lane].queue);
        CHECK(each.begin >= reached);
        reached = each.end;
        if (each.kind == Command::Kind::kLaunch) {
          CHECK(each.count == ++launches);
          CHECK(!trace.text(each.name).empty());
          CHECK(each.global_x % each.group_x == 0);
        }
        // The clocks were compared to far better than this, but the machine may be busy.
        const auto& syncs = trace.lanes()[each.lane].syncs;
        CHECK(trace::on_host(syncs, each.begin) > begin - 100'000'000);
        CHECK(trace::on_host(syncs, each.end) < end + 100'000'000);
      }
      CHECK(launches > 0);

      for (const Work work : {Work::kSymbols, Work::kPack, Work::kUpload, Work::kCompute}) {
        INFO(name_of(work));
        CHECK(std::ranges::any_of(trace.phases(),
                                  [&](const trace::Phase& phase) { return phase.work == work; }));
      }
      for (const trace::Phase& phase : trace.phases()) CHECK(phase.end >= phase.begin);
      for (const trace::Lane& lane : trace.lanes()) {
        if (!lane.queue) continue;
        CHECK(lane.syncs.size() == 1);
        CHECK(lane.usage.launches() > 0);
        CHECK(lane.usage.busy() > 0);
        CHECK(lane.usage.busy() <= lane.usage.span());
        CHECK(lane.usage.span() <= end - begin);
      }
      CHECK(events(written(trace), "cat", "launch").size() == launches);
    }
  }
}

TEST_CASE("times of a long run are collected on the way", "[trace][device]") {
  Trace trace;
  ocl::Device device = device_with(&trace);
  auto from = device.filled<int>(16, 1);
  auto to = device.filled<int>(16, 2);
  for (int i = 0; i < 6000; ++i) device.copy(from, 0, to, 0, 16);
  CHECK(trace.commands().size() >= 2000);
  CHECK(device.read(to, 0, 16) == std::vector<int>(16, 1));
  device.record();
  CHECK(trace.commands().size() == 6003);
  CHECK(trace.commands()[0].kind == Command::Kind::kFill);
  CHECK(trace.commands()[5000].kind == Command::Kind::kCopy);
  CHECK(trace.commands()[6002].kind == Command::Kind::kRead);
  CHECK(trace.commands()[6002].count == 64);
  CHECK(trace.left_out() == 0);
}

TEST_CASE("the host alone is traced as well", "[trace]") {
  Trace trace;
  DistanceOptions options;
  options.engine = "reference";
  options.trace = &trace;
  CHECK(distance(nullptr, "GATTACA", "CATTAGA", options).distance == 2);
  CHECK(std::ranges::any_of(
      trace.phases(), [](const trace::Phase& phase) { return phase.work == Work::kCompute; }));
  CHECK(trace.commands().empty());
}

}  // namespace
}  // namespace rhomb::trace_tests
