// SPDX-License-Identifier: Apache-2.0
// Trials: runs of variants on a pair's prefixes in limited time. They learn from short prefixes how
// long a run takes, and so know the longest one that fits.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/bench.h"
#include "tools/bench/measure.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

/// Two texts that are compared, and how the tables call them.
struct TrialText {
  Sample sample;
  std::string name;         ///< "first 400,000 bases", "whole pair"; one name, one pair of texts
  std::int64_t prefix = 0;  ///< so many bases of the pair; 0: other texts
};

/// Seconds of a run to distance d: so much a launch, of which there are about d, and so much a
/// cell, of which there are about d * d. Short runs only tell what every run takes.
class CostLine {
 public:
  void add(double distance, double seconds);
  /// Nothing is known: 0.
  double seconds(double distance) const;
  bool empty() const { return points_.empty() && least_ == 0; }
  double longest() const { return points_.empty() ? 0 : points_.rbegin()->first; }

 private:
  std::map<double, double> points_;  // least seconds by distance
  double least_ = 0;                 // of runs that are too short to tell more
};

class Trials {
 public:
  /// Nothing runs longer than until `end`, by now().
  Trials(const Sample& pair, Session& session, Progress& progress, seq::Ambiguous ambiguous,
         double end)
      : pair_(pair), session_(session), progress_(progress), ambiguous_(ambiguous), end_(end) {}

  const ocl::DeviceInfo& device() const { return *session_.info(); }
  /// The longer length of the pair.
  std::int64_t whole() const;
  /// The first `length` bases of each, at most all of them.
  TrialText prefix(std::int64_t length) const;

  /// Runs `method` on `text`, after the program has been built: once, and again while that takes no
  /// more than `allowance` seconds in all, at most three times; `watch` sees the progress of each
  /// run. Nothing, with a note, if the variant is absent or does not fit, or a run takes longer
  /// than `limit`. Throws CheckError if the distance is not that of earlier runs on this text.
  std::optional<Measurement> measure(const DistanceOptions& method, const TrialText& text,
                                     double allowance, double limit,
                                     const std::function<void(const rhomb::Progress&)>& watch = {});

  /// Runs `method` on longer and longer prefixes until one takes `enough` seconds. False, with a
  /// note, if it cannot run at all.
  bool learn(const DistanceOptions& method, double enough);
  /// Seconds that a run of a method will take, which was learnt.
  double foreseen(const DistanceOptions& method, std::int64_t distance) const;
  /// The distance of the prefixes of a length, about.
  std::int64_t distance_at(std::int64_t length) const;
  /// The longest prefix on which the method has run.
  std::int64_t longest_known(const DistanceOptions& method) const;
  /// The longest prefix, of a round length, on which one run of each method takes no more than
  /// `seconds`; a method may stand there several times.
  std::int64_t longest(const std::vector<DistanceOptions>& methods, double seconds) const;

  /// What it takes to build a program that was never used before, about.
  double build_seconds() const { return builds_.empty() ? 0 : median(builds_); }

  /// Something was left out: said at once, and kept.
  void note(const std::string& what);
  /// The notes since the last call.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  bool there(const DistanceOptions& method);
  void warm(const DistanceOptions& method);

  const Sample& pair_;
  Session& session_;
  Progress& progress_;
  seq::Ambiguous ambiguous_;
  double end_;
  std::map<std::string, CostLine> costs_;           // by method
  std::map<std::int64_t, std::int64_t> distances_;  // of prefixes by length, at least
  std::map<std::string, Measurement> agreed_;       // the first row on each text
  std::map<std::string, bool> warmed_;              // programs
  std::vector<double> builds_;
  std::vector<std::string> notes_;
};

/// The number with its first two digits: 412,345 becomes 410,000.
std::int64_t rounded_down(std::int64_t value);

/// "diamond", or "automatic choice".
std::string name_of(const DistanceOptions& method);

}  // namespace rhomb::cli
