// SPDX-License-Identifier: Apache-2.0
// Progress: what a long run says on standard error while it lasts.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "host/wfa/wfa.h"
#include "tools/cli/json.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// Shows the progress of one run after another. An updating line vanishes at the end of its run.
/// May be used by several threads.
class Progress {
 public:
  explicit Progress(ProgressKind kind);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A run begins; `label` says which ("pair 2 of 10").
  void start(const std::string& label);
  void update(const wfa::Progress& progress);
  /// The run is over.
  void finish();

  /// All runs from now on are this part of the whole one, from 0 to 1: their ends are not told.
  static void within(double begin, double end);
  /// They are no more.
  static void whole();
  static bool is_part();

  /// What is going on where there are no cells to count, in words and as an object of JSON.
  void say(const std::string& words, const Json& object);
  /// Wipes the updating line.
  void clear();

  /// What is said on standard error whatever is shown there: lines, "rhomb: ..." in front or not,
  /// or an object of JSON with its line end.
  void note(std::string_view lines);

 private:
  using Clock = std::chrono::steady_clock;

  void show(const std::string& text);
  std::string line(const wfa::Progress& progress, double elapsed) const;
  std::string object(const wfa::Progress& progress, double elapsed) const;

  std::recursive_mutex mutex_;
  ProgressKind kind_;  // never kAuto without a terminal
  std::string label_;
  Clock::time_point start_;
  double next_ = 0;     // seconds after start_ when something is shown again
  double rate_ = 0;     // cells a second, smoothed
  double seen_at_ = 0;  // of the last update, for the rate
  double seen_cells_ = 0;
  bool shown_ = false;  // the updating line is on the screen
};

}  // namespace rhomb::cli
