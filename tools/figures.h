// SPDX-License-Identifier: Apache-2.0
// Figures: the paper's experiments, measured anew in limited time, each as a table, pictures, and
// words.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/bench/bench.h"
#include "tools/bench/trials.h"

namespace rhomb::cli {

struct Picture {
  std::string name;  ///< of its file, without ".svg"
  std::string svg;
};

/// Something that the paper says in numbers, beside ours.
struct Fact {
  std::string what;
  std::string paper;
  std::string ours;
};

/// One experiment, done.
struct Figure {
  std::string number;  ///< in the paper
  std::string title;
  std::string about;  ///< what it shows, in a few sentences
  std::string texts;  ///< on which it was measured: "first 400,000 bases of each"
  std::vector<Picture> pictures;
  std::vector<Fact> facts;
  std::vector<std::string> notes;  ///< what was left out, and why
  std::vector<Measurement> rows;
  double seconds = 0;  ///< it took so long
};

/// What the experiments share.
struct Study {
  Trials& trials;
  /// The fastest configuration of a variant so far, and its rate.
  struct Best {
    tune::Config config;
    double gcups = 0;
  };
  std::map<std::string, Best> best = {};

  bool gpu() const { return trials.device().limits.gpu; }
  /// Keeps the fastest of the rows that ran on these texts for each variant.
  void remember(const std::vector<Measurement>& rows);
  /// The variant with the fastest configuration known, else with its defaults.
  DistanceOptions fastest(const std::string& variant) const;
};

/// An experiment of the paper. `run` takes about `seconds`.
struct Experiment {
  std::string number;
  std::string idea;
  double share;  ///< of the time for all
  Figure (*run)(Study& study, double seconds);
};
const std::vector<Experiment>& experiments();

Figure figure_4(Study& study, double seconds);
Figure figure_5(Study& study, double seconds);
Figure figure_7(Study& study, double seconds);
Figure figure_10(Study& study, double seconds);
Figure figure_12(Study& study, double seconds);
Figure figure_13(Study& study, double seconds);

/// The time of a figure, as it is used up.
class TimeShare {
 public:
  explicit TimeShare(double seconds) : end_(now() + seconds) {}
  double left() const { return end_ - now(); }
  /// What one of the `runs` that are still to come may take.
  double of(std::size_t runs) const {
    return left() > 0 ? left() / static_cast<double>(std::max<std::size_t>(runs, 1)) : 0;
  }

 private:
  double end_;
};

/// A variant of the wavefronts with some tunables forced.
DistanceOptions wavefront(const std::string& variant, const tune::Config& config = {});
/// The variants with one launch a cost that can run, after a look at how long they take.
std::vector<DistanceOptions> stepped(Study& study, double enough);
double gcups_of(const Measurement& row);
/// ", WG=128, T=3" without the tunables named.
std::string config_text(const tune::Config& config);
/// Those of the numbers of work-items that the device takes in a group.
std::vector<int> fitting(const Study& study, std::vector<int> groups);
/// Those worth trying.
std::vector<int> group_sizes(const Study& study);
/// Every second value; the first and the last stay.
std::vector<int> thinned(const std::vector<int>& values);
/// "first 400,000 bases of each, NVIDIA H200"
std::string where(const Study& study, const TrialText& text);
/// Sets the ratio of all rows: the highest rate / theirs.
void set_ratios(std::vector<Measurement>& rows);
/// The row of a variant with the highest rate; null if there is none.
const Measurement* fastest_row(const std::vector<Measurement>& rows, std::string_view variant);
/// The rates of the variants that the paper has a number for, side by side.
std::vector<Fact> best_facts(const std::vector<Measurement>& rows,
                             const std::vector<std::string>& variants);

}  // namespace rhomb::cli
