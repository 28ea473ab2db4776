// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/cli/json.h"
#include "tools/cli/messages.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

// Seconds before something is shown first, and between two times.
constexpr double kFirst[] = {1.0, 2.0, 0.0, 0.0};
constexpr double kEvery[] = {0.2, 5.0, 1.0, 0.0};

double whole_begin = 0, whole_end = 1;  // of the run, see within()
bool part_of_whole = false;

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col : 80;
}

double seconds_left(const rhomb::Progress& progress, double elapsed) {
  const double part = progress.part - progress.resumed;
  return part > 0 ? elapsed * (1 - progress.part) / part : -1;
}

}  // namespace

Progress::Progress(ProgressKind kind) : kind_(kind), start_(Clock::now()) {
  if (kind_ == ProgressKind::kAuto && isatty(STDERR_FILENO) == 0) kind_ = ProgressKind::kNone;
}

void Progress::start(const std::string& label) {
  const std::lock_guard lock(mutex_);
  clear();
  label_ = label.empty() ? label : field(label);
  start_ = Clock::now();
  next_ = kFirst[static_cast<std::size_t>(kind_)];
  rate_ = seen_at_ = seen_cells_ = 0;
}

void Progress::within(double begin, double end) {
  whole_begin = begin;
  whole_end = end;
  part_of_whole = true;
}

void Progress::whole() {
  within(0, 1);
  part_of_whole = false;
}

bool Progress::is_part() { return part_of_whole; }

void Progress::update(const wfa::Progress& told) {
  wfa::Progress progress = told;
  for (double* const part : {&progress.part, &progress.resumed})
    *part = whole_begin + *part * (whole_end - whole_begin);
  if (kind_ == ProgressKind::kNone) return;
  const std::lock_guard lock(mutex_);
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  if (elapsed < next_) return;
  if (seen_at_ == 0 && progress.resumed > 0) {
    seen_at_ = elapsed;
    seen_cells_ = progress.cells;  // an earlier run's
  } else if (elapsed > seen_at_) {
    const double now = std::max(progress.cells - seen_cells_, 0.0) / (elapsed - seen_at_);
    // Smoothed over about a second.
    const double weight = rate_ > 0 ? 1 - std::exp(seen_at_ - elapsed) : 1;
    rate_ += weight * (now - rate_);
    seen_at_ = elapsed;
    seen_cells_ = progress.cells;
  }
  next_ = elapsed + kEvery[static_cast<std::size_t>(kind_)];
  if (kind_ == ProgressKind::kAuto) {
    show(line(progress, elapsed));
  } else {
    note(kind_ == ProgressKind::kJson ? object(progress, elapsed) : line(progress, elapsed));
  }
}

void Progress::say(const std::string& words, const Json& object) {
  const std::lock_guard lock(mutex_);
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  if (kind_ == ProgressKind::kNone || elapsed < next_) return;
  next_ = kind_ == ProgressKind::kAuto ? 0 : elapsed + kEvery[static_cast<std::size_t>(kind_)];
  if (kind_ == ProgressKind::kAuto)
    show("rhomb: " + words);
  else
    note(kind_ == ProgressKind::kJson ? json_line(object) : "rhomb: " + words);
}

void Progress::show(const std::string& text) {
  std::fputs(("\r" + text.substr(0, terminal_width() - 1) + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  clear();
  if (kind_ != ProgressKind::kJson || is_part()) return;
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  Json object;
  object["event"] = "done";
  if (said_rank() >= 0) object["rank"] = said_rank();
  object["label"] = label_;
  object["elapsed"] = rounded(fixed(elapsed, 3));
  note(json_line(object));
}

void Progress::note(std::string_view lines) {
  const std::lock_guard lock(mutex_);
  clear();
  if (lines.starts_with('{')) {
    std::fputs(std::string(lines).c_str(), stderr);
    return;
  }
  constexpr std::string_view kName = "rhomb: ";
  for (std::string_view line : split(lines, '\n'))
    cli::say(line.starts_with(kName) ? line.substr(kName.size()) : line);
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

std::string Progress::line(const wfa::Progress& progress, double elapsed) const {
  std::string text = "rhomb: ";
  // Names may be long, and what stands behind them matters more.
  const bool whole = kind_ != ProgressKind::kAuto || label_.size() <= 40;
  if (!label_.empty()) text += text_of(whole ? label_ : label_.substr(0, 37) + "...", ": ");
  text += fixed(100 * std::clamp(progress.part, 0.0, 1.0), 1) + "%";
  const double left = seconds_left(progress, elapsed);
  if (left >= 0) text += text_of(", ", human_seconds(left), " left");
  text += text_of(", ", human(rate_), " cells/s");
  if (progress.cost > 0) text += text_of(", distance over ", with_commas(progress.cost));
  if (progress.cost > 0 && progress.expected > 0)
    text += text_of(" of perhaps ", with_commas(progress.expected));
  text += text_of(", ", human_seconds(elapsed), " so far");
  if (progress.saved >= 0) text += text_of(", saved ", human_seconds(progress.saved), " ago");
  return text;
}

std::string Progress::object(const wfa::Progress& progress, double elapsed) const {
  Json object;
  object["event"] = "progress";
  if (said_rank() >= 0) object["rank"] = said_rank();
  object["label"] = label_;
  object["part"] = rounded(fixed(std::clamp(progress.part, 0.0, 1.0), 6));
  object["cost"] = progress.cost;
  object["expected"] = progress.expected;
  object["cells"] = json_count(progress.cells);
  object["rate"] = rounded(significant(rate_));
  object["elapsed"] = rounded(fixed(elapsed, 3));
  const double left = seconds_left(progress, elapsed);
  object["left"] = left < 0 ? Json() : Json(rounded(fixed(left, 3)));
  if (progress.saved >= 0) object["saved"] = rounded(fixed(progress.saved, 3));
  return json_line(object);
}

}  // namespace rhomb::cli
