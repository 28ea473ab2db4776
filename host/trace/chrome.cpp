// SPDX-License-Identifier: Apache-2.0
#include "host/trace/chrome.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace rhomb::trace {
namespace {

constexpr std::size_t kPiece = 1 << 16;

/// `text` as a JSON string. Names may hold anything: what is no UTF-8 is replaced.
std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The thread number of a lane; 0 would be the idle thread in Perfetto.
std::string thread_of(std::size_t lane) { return std::to_string(lane + 1); }

/// Microseconds with all digits of the nanoseconds.
std::string micros(Nanos time) {
  char text[32];
  const Nanos size = time < 0 ? -time : time;
  std::snprintf(text, sizeof text, "%s%lld.%03d", time < 0 ? "-" : "",
                static_cast<long long>(size / 1000), static_cast<int>(size % 1000));
  return text;
}

std::string pair_of(std::uint64_t x, std::uint64_t y) {
  return "[" + std::to_string(x) + "," + std::to_string(y) + "]";
}

std::string args_of(const Command& command) {
  if (command.kind != Command::Kind::kLaunch)
    return R"({"bytes":)" + std::to_string(command.count) + "}";
  return R"({"launch":)" + std::to_string(command.count) + R"(,"global":)" +
         pair_of(command.global_x, command.global_y) + R"(,"group":)" +
         pair_of(command.group_x, command.group_y) + "}";
}

class Writer {
 public:
  Writer(const Trace& trace, const std::function<void(std::string_view)>& write)
      : trace_(trace), write_(write), ends_(trace.lanes().size(), -(Nanos{1} << 62)) {}

  void lanes() {
    meta("process_name", 0, R"("name":"rhomb")");
    for (std::size_t lane = 0; lane < trace_.lanes().size(); ++lane) {
      // The host and below it the queues, then what other threads did.
      const bool queue = trace_.lanes()[lane].queue;
      meta("thread_name", lane, R"("name":)" + json_text(trace_.lanes()[lane].label));
      meta("thread_sort_index", lane,
           R"("sort_index":)" + std::to_string(lane == 0 || queue ? lane : 1000 + lane));
    }
  }
  void phase(const Phase& phase) {
    std::string name = name_of(phase.work);
    if (phase.of != 0) name += " " + trace_.text(phase.of);
    slice(json_text(name), "host", phase.lane, phase.begin,
          phase.end < 0 ? trace_.now() : phase.end, "{}");
  }
  void command(const Command& command) {
    const auto& syncs = trace_.lanes()[command.lane].syncs;
    // A queue in order runs one command at a time. What overlaps by the steps of a device's clock
    // would be drawn as if one were part of the other.
    Nanos& reached = ends_[command.lane];
    const Nanos begin = std::max(on_host(syncs, command.begin), reached);
    reached = std::max(on_host(syncs, command.end), begin);
    const bool launch = command.kind == Command::Kind::kLaunch;
    slice(json_text(launch ? trace_.text(command.name) : name_of(command.kind)),
          launch ? "launch" : "memory", command.lane, begin, reached, args_of(command));
  }
  void text(std::string_view more) {
    piece_ += more;
    if (piece_.size() < kPiece) return;
    write_(piece_);
    piece_.clear();
  }
  void flush() { write_(piece_); }

 private:
  void event(const std::string& fields) {
    text(first_ ? "\n" : ",\n");
    first_ = false;
    text("{" + fields + "}");
  }
  void meta(const char* what, std::size_t lane, const std::string& arg) {
    event(R"("ph":"M","name":")" + std::string(what) + R"(","pid":1,"tid":)" + thread_of(lane) +
          R"(,"args":{)" + arg + "}");
  }
  void slice(const std::string& name, const char* category, std::uint32_t lane, Nanos begin,
             Nanos end, const std::string& args) {
    event(R"("ph":"X","name":)" + name + R"(,"cat":")" + category + R"(","pid":1,"tid":)" +
          thread_of(lane) + R"(,"ts":)" + micros(begin) + R"(,"dur":)" + micros(end - begin) +
          R"(,"args":)" + args);
  }

  const Trace& trace_;
  const std::function<void(std::string_view)>& write_;
  std::vector<Nanos> ends_;  ///< of each lane's last command
  std::string piece_;
  bool first_ = true;
};

}  // namespace

void write_chrome(const Trace& trace, const std::vector<std::pair<std::string, std::string>>& notes,
                  const std::function<void(std::string_view)>& write) {
  Writer writer(trace, write);
  writer.text(R"({"displayTimeUnit":"ns","otherData":{)");
  for (const auto& [name, value] : notes)
    writer.text((&name == &notes.front().first ? "" : ",") + json_text(name) + ":" +
                json_text(value));
  writer.text(R"(},"traceEvents":[)");
  writer.lanes();
  for (const Phase& phase : trace.phases()) writer.phase(phase);
  for (const Command& command : trace.commands()) writer.command(command);
  writer.text("\n]}\n");
  writer.flush();
}

}  // namespace rhomb::trace
