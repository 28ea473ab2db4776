// SPDX-License-Identifier: Apache-2.0
// rhomb bench regress: the records of a baseline measured again, and which of them became slower.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "host/distance/distance.h"
#include "host/error.h"
#include "tools/bench/asked.h"
#include "tools/bench/bench.h"
#include "tools/bench/grid.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// What seems slower is measured so often in all.
constexpr int kAttempts = 3;

Help regress_bench_help() {
  return {
      "rhomb bench regress [options] BASELINE",
      R"(Measures the records of BASELINE again and compares. BASELINE is what rhomb bench grid, strips,
wavefront, scaling, rate or peers printed with --format json; the key asked says what was measured. Files
must have the names that they had. Records of other programs are skipped. Exit code 0 if nothing is
slower; 6 if something is slower, cannot be measured any more or has another distance, and the error
names its line; 3 if BASELINE is damaged; 2 if it is of another device.

For each there is a record with the columns of every benchmark, ratio being seconds / baseline_seconds, and
  baseline_seconds
  noise       the largest of --noise and the spreads (slowest / fastest run - 1) of both measurements
  verdict     same; or faster or slower, where ratio is beyond 1 + noise either way
  attempts    how often it was measured: what seems slower is measured up to three times, and the
              fastest counts
  line        in BASELINE
and align, compute, passes, cells, cells_per_second, runs and spread as rhomb bench grid has them.
The output in JSON is a baseline in turn.
)",
      R"(  rhomb bench grid --format json -o before.json
  rhomb bench regress before.json --format table
  rhomb bench regress before.json --noise 0.1 --runs 9 --format json -o after.json
)"};
}

Group regress_bench_group() {
  return {"Run",
          {{"noise", "X", "the least change that counts, 0.05 being 5% (default: 0.05)"},
           {"runs", "N", "measured runs for each record (default: as many as in BASELINE)"},
           {"limit", "TIME",
            "the longest a run may take (default: 10 times as long as before, and 10 s)"},
           {"any-device", "", "BASELINE may be of another device"}}};
}

/// A record that an earlier benchmark printed, to be measured again.
struct BaselineRow {
  long line = 0;  ///< of the file, 1-based
  Asked asked;
  std::string device;
  std::optional<std::int64_t> distance;
  double seconds = 0;
  double spread = 1;  ///< slowest / fastest run
};

BaselineRow row_of(const Json& object) {
  BaselineRow row;
  row.asked = asked_of(object.at("asked"));
  row.device = object.at("device").get<std::string>();
  const Json& distance = object.at("distance");
  if (!distance.is_null()) row.distance = distance.get<std::int64_t>();
  row.seconds = object.at("seconds").get<double>();
  row.spread = object.at("spread").get<double>();
  if (!(row.seconds > 0)) throw UsageError("seconds: not above 0");
  if (!(row.spread >= 1)) throw UsageError("spread: not at least 1");
  return row;
}

std::vector<BaselineRow> read(std::istream& input, const std::string& name) {
  std::vector<BaselineRow> rows;
  std::string text;
  for (long line = 1; std::getline(input, text); ++line) {
    if (text.empty()) continue;
    try {
      const Json object = Json::parse(text);
      if (object.at("program") != "rhomb") continue;  // a peer
      if (!object.contains("asked"))
        throw UsageError(
            "there is no key asked, so the record cannot be measured again: it is of an "
            "older rhomb, of standard input, or of a benchmark without it");
      rows.push_back(row_of(object));
      rows.back().line = line;
    } catch (const Json::parse_error& error) {
      throw InputError(name, "", line,
                       text_of("damaged at byte ", std::to_string(error.byte),
                               ", not a record of rhomb bench --format json"));
    } catch (const Json::exception& error) {
      throw InputError(name, "", line,
                       text_of("not a record of rhomb bench --format json: ", error.what()));
    } catch (const UsageError& error) {
      throw InputError(name, "", line, error.what());
    }
  }
  if (input.bad()) throw InputError(name, "", 0, "cannot be read");
  if (rows.empty()) throw InputError(name, "", 0, "there is no record of rhomb to measure again");
  return rows;
}

/// The records of rhomb in a file of JSON, one object per line. Throws InputError, which names the
/// line, if one is damaged or does not say what was asked for; and if there is none.
std::vector<BaselineRow> read_baseline(const std::string& file) {
  if (file == "-") return read(std::cin, "standard input");
  std::ifstream input(file);
  if (!input) throw InputError(file, "", 0, std::strerror(errno));
  return read(input, file);
}

void check_device(const std::vector<BaselineRow>& rows, const Session& session,
                  const std::string& file, const CommandLine& line) {
  if (line.has("any-device") || session.info() == nullptr) return;
  for (const BaselineRow& row : rows)
    if (row.device != session.info()->name && row.device != "host")
      throw UsageError(text_of(file, ", line ", std::to_string(row.line), " is of '", row.device,
                               "', this device is '", session.info()->name,
                               "'; choose another with --device, or compare nevertheless with "
                               "--any-device",
                               line.pointer()));
}

/// A measurement beside its baseline.
struct Verdict {
  double ratio = 1;
  double noise = 0;

  Verdict(const BaselineRow& before, const Measured& now, double least)
      : ratio(now.seconds / before.seconds),
        noise(std::max({least, before.spread - 1, now.spread - 1})) {}

  bool slower() const { return std::log(ratio) > std::log1p(noise); }
  bool faster() const { return std::log(ratio) < -std::log1p(noise); }
  std::string word() const { return slower() ? "slower" : faster() ? "faster" : "same"; }
};

class Regression {
 public:
  Regression(Session& session, Progress& progress, const CommandLine& line)
      : session_(session),
        progress_(progress),
        runs_(line.count("runs", 0, 1)),
        least_(parse_number(line.text("noise", "0.05"), "--noise")) {
    if (line.has("limit")) limit_ = parse_duration(line.text("limit"), "--limit");
  }

  /// Nothing, with a note, if it cannot be measured any more.
  std::optional<Json> measure(const BaselineRow& before) {
    const Asked& asked = before.asked;
    if (pair_asked_ != asked.pair) {
      pair_ = {};
      pair_ = source_.make(asked.pair);
      pair_asked_ = asked.pair;
    }
    const std::string name = text_of("line ", std::to_string(before.line), " (", way_of(asked),
                                     ", ", asked.pair.name(), ")");
    try {
      return compared(before, name);
    } catch (const TooSlow&) {
      failures_.push_back(text_of(name, ": a run takes longer than ",
                                  human_seconds(limit_of(before)), ", before ",
                                  significant(before.seconds), " s"));
    } catch (const Error& error) {
      if (error.kind() != Kind::kUsage && error.kind() != Kind::kMemory) throw;
      failures_.push_back(name + " can no longer be measured: " + error.what());
    }
    progress_.note("rhomb: " + failures_.back());
    return std::nullopt;
  }

  /// What is worse than before, one text for each record.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  double limit_of(const BaselineRow& before) const {
    return limit_.value_or(10 * before.seconds + 10);
  }

  Json compared(const BaselineRow& before, const std::string& name) {
    Asked asked = before.asked;
    if (runs_ > 0) asked.runs = runs_;
    const Runner runner{session_, progress_, asked.runs, limit_of(before)};
    Measured best = runner.measure(pair_, asked.method, name, asked.align);
    check_distance(before, best, name);
    int attempts = 1;
    for (; attempts < kAttempts && Verdict(before, best, least_).slower(); ++attempts) {
      const Measured again = runner.measure(pair_, asked.method, name + ", again", asked.align);
      if (again.seconds < best.seconds) best = again;
    }
    const Verdict verdict(before, best, least_);
    Json record = record_of(best.answer, pair_, best.seconds);
    record["ratio"] = rounded(fixed(verdict.ratio, 3));
    record["baseline_seconds"] = before.seconds;
    record["noise"] = verdict.noise;
    record["verdict"] = verdict.word();
    record["attempts"] = attempts;
    record["line"] = before.line;
    record["align"] = asked.align;
    add_columns(best, record);
    if (asked.pair.repeatable()) record["asked"] = json_of(asked);
    if (verdict.slower())
      failures_.push_back(text_of(name, " takes ", fixed(verdict.ratio, 2), " times as long"));
    return record;
  }

  static void check_distance(const BaselineRow& before, const Measured& now,
                             const std::string& name) {
    if (now.answer.distance == before.distance) return;
    const auto said = [](const std::optional<std::int64_t>& distance) {
      return distance ? std::to_string(*distance) : std::string("more than the limit");
    };
    throw CheckError(text_of(name, ": the distance is ", said(now.answer.distance),
                             ", the baseline says ", said(before.distance),
                             "; unless a file has changed, please report this"));
  }

  Session& session_;
  Progress& progress_;
  int runs_;  // 0: those of the baseline
  double least_;
  std::optional<double> limit_;
  PairSource source_;
  Sample pair_;
  std::optional<PairAsked> pair_asked_;
  std::vector<std::string> failures_;
};

/// "10 same, 1 faster, 1 slower"
std::string summary(const std::vector<Json>& records) {
  std::vector<std::string> counts;
  for (const std::string verdict : {"same", "faster", "slower"}) {
    const auto is_it = [&](const Json& record) { return record.at("verdict") == verdict; };
    if (const auto count = std::ranges::count_if(records, is_it); count > 0)
      counts.push_back(text_of(std::to_string(count), " ", verdict));
  }
  return joined(counts);
}

/// The first few, and how many there are besides; the table has them all.
std::string list_of(const std::vector<std::string>& failures) {
  constexpr std::size_t kShown = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(failures.size(), kShown); ++i)
    list += (i == 0 ? "" : "; ") + failures[i];
  if (failures.size() > kShown)
    list += text_of("; and ", std::to_string(failures.size() - kShown), " more");
  return list;
}

}  // namespace

int bench_regress(int argc, const char* const* argv) {
  CommandLine line(regress_bench_help(),
                   {regress_bench_group(), device_group(), output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  const std::string file = line.files(1).front();
  Bench bench(line);
  const auto before = read_baseline(file);
  Session& session = bench.open(std::ranges::any_of(
      before, [](const BaselineRow& row) { return needs_device(row.asked.method); }));
  check_device(before, session, file, line);

  Regression regression(session, bench.progress, line);
  std::vector<Json> records;
  for (const BaselineRow& one : before)
    if (auto record = regression.measure(one)) records.push_back(std::move(*record));
  bench.write(records);
  if (!records.empty()) bench.progress.note(text_of("rhomb: ", summary(records)));
  const auto& failures = regression.failures();
  if (failures.empty()) return 0;
  throw CheckError(text_of(std::to_string(failures.size()), " of ", std::to_string(before.size()),
                           failures.size() == 1 ? " records is" : " records are", " worse than in ",
                           file, ": ", list_of(failures)));
}

}  // namespace rhomb::cli
