// SPDX-License-Identifier: Apache-2.0
// Figure 5: the time of a launch as the wavefronts grow, section 4.1 of the paper.
#include <utility>

#include "tools/cli/text.h"
#include "tools/dots.h"
#include "tools/figures.h"
#include "tools/plot.h"

namespace rhomb::cli {
namespace {

/// The times of progress of a run; not more of them than a table can use.
class Trace {
 public:
  void add(std::int64_t column, double time) {
    if (!points_.empty() && static_cast<double>(column) <= points_.back().first) points_.clear();
    if (++seen_ % every_ == 0) points_.emplace_back(static_cast<double>(column), time);
    if (points_.size() < 8192) return;
    for (std::size_t i = 0; i < points_.size() / 2; ++i) points_[i] = points_[2 * i + 1];
    points_.resize(points_.size() / 2);
    every_ *= 2;
  }

  struct Bin {
    double from, to;  ///< columns
    double seconds;   ///< of a launch, mean
  };
  std::vector<Bin> bins(std::size_t most) const {
    std::vector<Bin> made;
    if (points_.size() < 2) return made;
    const std::size_t count = std::min(most, points_.size() - 1);
    const auto at = [&](std::size_t i) { return points_[i * (points_.size() - 1) / count]; };
    for (std::size_t i = 0; i < count; ++i) {
      const auto [from, begin] = at(i);
      const auto [to, end] = at(i + 1);
      made.push_back({from + 1, to, (end - begin) / (to - from)});
    }
    return made;
  }

 private:
  std::vector<std::pair<double, double>> points_;  // column, time
  std::size_t seen_ = 0, every_ = 1;
};

}  // namespace

Figure figure_5(Study& study, double seconds) {
  const TimeShare share(seconds);
  Figure figure{"5", "Time of a launch", {}, {}, {}, {}, {}, {}};
  figure.about =
      "Column d of the wavefronts has about 2 d + 1 cells, so that launches grow longer as a run "
      "proceeds. Reading the answer after each launch costs the same however small the launch is; "
      "that is the level at which the curves of baseline and dynamic begin, and batched shows what "
      "is left without it. Each point is the mean of the launches between two columns.";
  const auto methods = stepped(study, seconds / 20);
  const TrialText text = study.trials.prefix(study.trials.longest(methods, 0.7 * share.left()));
  figure.texts = text.name;

  Plot plot;
  plot.narrow = plot.small_marks = true;
  plot.title = "Figure 5: time of a launch against its column";
  plot.subtitle = where(study, text);
  plot.x = {"column", short_tick, true};
  plot.y = {"\u00b5s a launch", short_tick};
  for (std::size_t i = 0; i < methods.size(); ++i) {
    Trace trace;
    const auto row =
        study.trials.measure(methods[i], text, 0, 2 * share.left() + 1,
                             [&](const rhomb::Progress& state) { trace.add(state.cost, now()); });
    if (!row) continue;
    PlotSeries series{methods[i].variant, i, Stroke::kSolid, {}};
    const auto bins = trace.bins(60);
    if (bins.empty())
      study.trials.note(methods[i].variant + " is left out: it ended before the second read");
    for (const auto& bin : bins) {
      figure.rows.push_back(*row);
      figure.rows.back().more.insert(figure.rows.back().more.begin(),
                                     {{"figure", "5"},
                                      {"first_column", json_count(bin.from)},
                                      {"last_column", json_count(bin.to)},
                                      {"launch_us", bin.seconds * 1e6}});
      series.points.push_back(
          {(bin.from + bin.to) / 2, bin.seconds * 1e6, Mark::kDisc,
           text_of(methods[i].variant, ", columns ", fixed(bin.from, 0), " to ", fixed(bin.to, 0),
                   ": ", rate_text(bin.seconds * 1e6), " \u00b5s")});
    }
    if (!bins.empty())
      figure.facts.push_back({text_of(methods[i].variant, ", first and last launches"),
                              "curves only",
                              text_of(rate_text(bins.front().seconds * 1e6), " and ",
                                      rate_text(bins.back().seconds * 1e6), " \u00b5s")});
    plot.series.push_back(series);
  }
  figure.pictures = {{"figure5", svg(plot)}};
  return figure;
}

}  // namespace rhomb::cli
