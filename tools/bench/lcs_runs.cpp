// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/lcs_runs.h"

#include <algorithm>
#include <utility>

#include "host/error.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr std::size_t kSmall = 50'000, kMiddle = 188'000, kLarge = 720'000;  // the paper's
constexpr std::string_view kNoTime = "no time was left in --budget";
constexpr std::string_view kPeer = "plain";

std::string name_of(const LcsRow& row) {
  const std::string values = row.config.text();
  return text_of(row.variant, values.empty() ? "" : " ", values, ", alphabet ",
                 std::to_string(row.alphabet), ", ",
                 with_commas(static_cast<std::int64_t>(row.subjects)), " subjects");
}

}  // namespace

std::vector<Json> rows_of(const std::vector<LcsRow>& rows, const std::string& device,
                          unsigned cores) {
  std::vector<Json> all;
  for (const LcsRow& row : rows) {
    const auto peer = std::ranges::find_if(rows, [&](const LcsRow& other) {
      return other.program == kPeer && other.alphabet == row.alphabet;
    });
    const bool own = row.program == "rhomb";
    std::optional<double> times;
    if (row.measured() && peer != rows.end()) times = row.gcups() / peer->gcups();
    const auto number = [&](std::optional<double> value) {
      return row.measured() && value && *value > 0 ? Json(*value) : Json();
    };
    Json line;
    line["figure"] = row.figure;
    line["program"] = row.program;
    line["variant"] = row.variant;
    line["config"] = row.config.text();
    line["device"] = own ? device : "host";
    line["alphabet"] = row.alphabet;
    line["m"] = row.length;
    line["n"] = row.length;
    line["subjects"] = row.subjects;
    line["runs"] = row.runs;
    line["seconds"] = number(row.kernel);
    line["gcups"] = number(row.gcups());
    line["seconds_whole"] = number(row.whole);
    line["gcups_whole"] = number(row.gcups_whole());
    line["cores"] = !own ? Json(1) : cores > 0 ? Json(cores) : Json();
    line["times_peer"] = number(times);
    line["times_peer_core"] = own && cores == 0 ? Json()
                              : times           ? number(*times / (own ? cores : 1))
                                                : Json();
    line["note"] = row.why;
    all.push_back(std::move(line));
  }
  return all;
}

LcsRuns::LcsRuns(Session& session, Progress& progress, int runs, std::size_t length,
                 std::optional<std::size_t> subjects)
    : session_(session),
      progress_(progress),
      runs_(runs),
      length_(length),
      middle_(subjects.value_or(kMiddle)),
      given_(subjects.has_value()) {}

std::vector<std::size_t> LcsRuns::sizes() const {
  const auto part = [this](std::size_t count) {
    return std::max<std::size_t>(1, middle_ * count / kMiddle);
  };
  return {part(kSmall), middle_, part(kLarge)};
}

void LcsRuns::prepare(int alphabet, std::size_t subjects) {
  if (work_ && work_->alphabet() == alphabet && work_->size() >= subjects) return;
  progress_.start(text_of("random subjects, alphabet ", std::to_string(alphabet)));
  work_.reset();  // before there are others
  work_ = std::make_unique<LcsWork>(alphabet, length_, subjects);
  expected_.clear();
  progress_.finish();
}

/// The first set, and on a CPU how large it is.
void LcsRuns::start(const std::vector<std::string>& figures) {
  if (!given_ && !gpu()) {
    constexpr std::size_t kFew = 256;
    constexpr double kSeconds = 0.3;
    prepare(4, kFew);
    lcs::Problem problem = work_->problem(kFew);
    problem.time_kernel = true;
    const auto& slowest = find_variant(lcs::variants(), "crochemore");
    double seconds = 1;  // of a subject, without what else the machine does now and then
    for (int run = 0; run < 3; ++run)
      seconds = std::min(seconds, lcs::solve(session_.open(), slowest, problem).kernel / kFew);
    middle_ = std::clamp<std::size_t>(static_cast<std::size_t>(kSeconds / seconds), 1000, kMiddle);
  }
  const bool large = std::ranges::find(figures, "9") != figures.end() ||
                     std::ranges::find(figures, "11") != figures.end();
  prepare(4, large ? sizes().back() : middle_);
}

void LcsRuns::check(const LcsRow& row, const std::vector<std::uint32_t>& lengths) {
  for (std::size_t i = 0; i < std::min(lengths.size(), expected_.size()); ++i)
    if (lengths[i] != expected_[i])
      throw CheckError(text_of(name_of(row), ": subject ", std::to_string(i), " has ",
                               std::to_string(lengths[i]), "; others say ",
                               std::to_string(expected_[i]), "; please report this"));
  if (lengths.size() <= expected_.size()) return;
  const bool first = expected_.empty();
  expected_ = lengths;
  if (!first) return;
  // The first lengths of an alphabet are compared with the reference on a few.
  const std::size_t few = std::min<std::size_t>(lengths.size(), length_ > 1000 ? 4 : 50);
  const auto reference = lcs::solve(nullptr, lcs::variants().back(), work_->problem(few)).lengths;
  for (std::size_t i = 0; i < few; ++i)
    if (reference[i] != lengths[i])
      throw CheckError(text_of(name_of(row), ": subject ", std::to_string(i), " has ",
                               std::to_string(lengths[i]), "; the reference says ",
                               std::to_string(reference[i]), "; please report this"));
}

/// Measures the row as often as asked for and as there is time, but once.
void LcsRuns::add(LcsRow row, const TimeShare& share) {
  row.length = length_;
  row.alphabet = work_->alphabet();
  progress_.start(name_of(row));
  const auto& variant = find_variant(lcs::variants(), row.variant);
  std::vector<double> kernel, whole;
  try {
    lcs::Problem problem = work_->problem(row.subjects);
    problem.time_kernel = true;
    while (static_cast<int>(kernel.size()) < runs_ && (kernel.empty() || share.left() > 0)) {
      const lcs::Answer answer = lcs::solve(session_.open(), variant, problem, row.config);
      kernel.push_back(answer.kernel);
      whole.push_back(answer.compute + answer.transfer);
      check(row, answer.lengths);
      row.config = answer.config;
    }
    row.runs = static_cast<int>(kernel.size());
    row.kernel = median(kernel);
    row.whole = median(whole);
  } catch (const tune::Unfit& why) {
    row.why = why.what();
  } catch (const MemoryError& why) {
    row.why = why.what();
  } catch (const ocl::DeviceError& why) {
    if (!variant.uses_cuda()) throw;
    row.why = why.what();
  }
  rows_.push_back(row);
  progress_.finish();
}

void LcsRuns::run_defaults(const std::string& figure, std::size_t subjects,
                           const TimeShare& share) {
  for (const lcs::Variant& variant : lcs::variants()) {
    if (variant.name == "reference") continue;
    LcsRow row{figure,  "rhomb",  std::string(variant.name),
               {},      {},       work_->alphabet(),
               length_, subjects, 0,
               0,       {},       {}};
    if (share.left() <= 0) {
      row.why = kNoTime;
      rows_.push_back(row);
    } else {
      add(row, share);
    }
  }
}

/// On a sample, from the first subject on, for which all answers are known.
void LcsRuns::run_peer(const std::string& figure) {
  constexpr double kSeconds = 0.3;
  progress_.start(text_of(kPeer, ", alphabet ", std::to_string(work_->alphabet())));
  PlainLcs plain(work_->query());
  const double begin = now();
  static_cast<void>(plain.length(work_->subject(0)));
  const double each = now() - begin;
  LcsRow row{figure, std::string(kPeer), {}, {}, {}, work_->alphabet(), length_, 0, runs_, 0, {},
             {}};
  row.subjects = std::clamp<std::size_t>(static_cast<std::size_t>(kSeconds / std::max(each, 1e-9)),
                                         1, expected_.size());
  std::vector<double> seconds;
  std::vector<std::uint32_t> lengths(row.subjects);
  for (int run = 0; run < runs_; ++run) {
    const double start = now();
    for (std::size_t i = 0; i < row.subjects; ++i) lengths[i] = plain.length(work_->subject(i));
    seconds.push_back(now() - start);
    check(row, lengths);
  }
  row.kernel = median(seconds);
  rows_.push_back(row);
  progress_.finish();
}

/// Figure 8: where the alphabet strings are, whether copies hide behind launches, group sizes.
void LcsRuns::run_ways(double seconds) {
  struct Way {
    const char* variant;
    const char* way;
    std::vector<std::pair<std::string, int>> values;
  };
  const Way ways[] = {
      {"strips-lcs", "overlap", {}},
      {"strips-lcs", "no overlap", {{"QUEUES", 1}}},
      {"crochemore", "local, overlap", {{"STORE", 1}}},
      {"crochemore", "local", {{"STORE", 1}, {"QUEUES", 1}}},
      {"crochemore", "constant", {{"STORE", 0}, {"QUEUES", 1}}},
      {"allison-dix", "local, overlap", {{"STORE", 1}}},
      {"allison-dix", "local", {{"STORE", 1}, {"QUEUES", 1}}},
      {"allison-dix", "constant", {{"STORE", 0}, {"QUEUES", 1}}},
  };
  const TimeShare share(seconds);
  const std::vector<int> groups = gpu() ? std::vector{128, 256, 64, 512} : std::vector{1, 16, 64};
  for (const int group : groups)
    for (const Way& way : ways) {
      LcsRow row{"8", "rhomb", way.variant, way.way, {}, 4, length_, middle_, 0, 0, {}, {}};
      for (const auto& [name, value] : way.values) row.config.set(name, value);
      row.config.set("WG", group);
      if (share.left() > 0) {
        add(row, share);
      } else {
        row.why = kNoTime;
        rows_.push_back(row);
      }
    }
}

void LcsRuns::measure(const std::vector<std::string>& figures, double seconds) {
  const auto wants = [&](const char* figure) {
    return std::ranges::find(figures, figure) != figures.end();
  };
  const TimeShare share(seconds);
  start(figures);
  run_defaults("9", middle_, share);
  if (expected_.empty()) throw tune::Unfit(rows_.front().why);
  run_peer("11");
  if (wants("9") || wants("11"))
    for (const std::size_t size : sizes())
      if (size != middle_) run_defaults("9", size, share);
  if (wants("8")) run_ways((wants("10") ? 0.55 : 1) * share.left());
  if (!wants("10")) return;
  for (const int alphabet : {8, 12, 16, 20, 26}) {
    if (share.left() <= 0) {
      for (const auto& variant : lcs::variants())
        if (variant.name != "reference")
          rows_.push_back({"10",
                           "rhomb",
                           std::string(variant.name),
                           {},
                           {},
                           alphabet,
                           length_,
                           middle_,
                           0,
                           0,
                           {},
                           std::string(kNoTime)});
      continue;
    }
    prepare(alphabet, middle_);
    run_defaults("10", middle_, share);
    if (!expected_.empty()) run_peer("11");
  }
}

}  // namespace rhomb::cli
