// SPDX-License-Identifier: Apache-2.0
// Figures 4 and 7: the variants with one launch a cost, section 4.1 of the paper.
#include <algorithm>
#include <cmath>

#include "tools/bench/paper_numbers.h"
#include "tools/cli/text.h"
#include "tools/dots.h"
#include "tools/figures.h"
#include "tools/plot.h"

namespace rhomb::cli {
namespace {

std::string series_name(std::int64_t length, std::int64_t whole) {
  return length >= whole ? "whole pair" : with_commas(length);
}

}  // namespace

Figure figure_4(Study& study, double seconds) {
  const TimeShare share(seconds);
  Figure figure{"4", "Work-items a group", {}, {}, {}, {}, {}, {}};
  figure.about =
      "One work-item computes one cell and one launch one column. How many work-items stand in a "
      "group does not change what is computed, only how the device is filled. Baseline launches "
      "m + n + 1 work-items for every column, dynamic as many as the column has cells, and batched "
      "looks for the end only after every hundredth launch.";
  const auto methods = stepped(study, seconds / 60);
  auto sizes = group_sizes(study);
  while (sizes.size() > 3 &&
         static_cast<double>(sizes.size()) * study.trials.build_seconds() > share.left() / 2)
    sizes = thinned(sizes);
  const double building = static_cast<double>(sizes.size()) * study.trials.build_seconds();
  const TrialText text = study.trials.prefix(study.trials.longest(
      methods, (share.left() - building) * 0.4 / static_cast<double>(sizes.size())));
  figure.texts = text.name;

  Plot plot;
  plot.narrow = true;
  plot.title = "Figure 4: rate against work-items a group";
  plot.subtitle = where(study, text);
  plot.x = {"work-items a group", whole_tick, true};
  plot.x.step = sizes.back() > 512 ? 256 : 128;
  plot.y = {"GCUPS, whole run", short_tick, true};
  for (std::size_t i = 0; i < methods.size(); ++i)
    plot.series.push_back({methods[i].variant, i, Stroke::kSolid, {}});
  std::size_t left = methods.size() * sizes.size();
  for (const int size : sizes)
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const double part = share.of(left--);
      DistanceOptions method = methods[i];
      method.config = tune::Config({{"WG", size}});
      auto row =
          study.trials.measure(method, text, part, std::max({5 * part, share.left() / 2, 0.5}));
      if (!row) continue;
      row->more.insert(row->more.begin(), {{"figure", "4"}, {"group", size}});
      plot.series[i].points.push_back({static_cast<double>(size), gcups_of(*row), Mark::kDisc,
                                       text_of(method.variant, ", ", std::to_string(size), ": ",
                                               rate_text(gcups_of(*row)), " GCUPS")});
      figure.rows.push_back(*row);
    }
  study.remember(figure.rows);
  figure.pictures = {{"figure4", svg(plot)}};
  figure.facts = best_facts(figure.rows, {"baseline", "dynamic", "batched"});
  return figure;
}

Figure figure_7(Study& study, double seconds) {
  const TimeShare share(seconds);
  Figure figure{"7", "Launches a read", {}, {}, {}, {}, {}, {}};
  figure.about =
      "The host reads the answer, which tells whether the end is reached, after every so many "
      "launches (batched; the tunable BATCH). More launches a read leave the device alone for "
      "longer, until the reads no longer count. Short texts need more: their launches are short.";
  const std::vector<int> batches = study.gpu() ? std::vector<int>{1, 3, 10, 30, 100, 300, 1000}
                                               : std::vector<int>{1, 10, 100, 1000};
  if (!study.trials.learn(study.fastest("batched"), seconds / 40)) return figure;
  study.trials.learn(study.fastest("dynamic"), seconds / 40);
  std::vector<DistanceOptions> runs(batches.size() - 1, study.fastest("batched"));
  runs.push_back(study.fastest("dynamic"));  // as slow as a read each launch
  const std::int64_t longest = study.trials.longest(runs, 0.45 * share.left());
  figure.texts = study.trials.prefix(longest).name + " and shorter";

  Plot plot;
  plot.narrow = true;
  plot.title = "Figure 7: rate against launches a read";
  plot.subtitle = text_of(study.trials.device().name, ", batched");
  plot.x = {"launches a read", short_tick};
  plot.y = {"GCUPS, whole run", short_tick};
  plot.colours = "Bases of each:";
  std::vector<std::int64_t> lengths = {longest};
  for (const int part : {3, 10, 30})
    if (const auto length = rounded_down(longest / part); length >= 300) lengths.push_back(length);
  std::size_t left = lengths.size() * batches.size();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const TrialText text = study.trials.prefix(lengths[i]);
    PlotSeries series{series_name(lengths[i], study.trials.whole()), i, Stroke::kSolid, {}};
    for (const int batch : batches) {
      const double part = share.of(left--);
      DistanceOptions method = study.fastest("batched");
      method.config.set("BATCH", batch);
      auto row =
          study.trials.measure(method, text, part, std::max({5 * part, share.left() / 2, 0.5}));
      if (!row) continue;
      row->more.insert(row->more.begin(), {{"figure", "7"}, {"launches_a_read", batch}});
      series.points.push_back({static_cast<double>(batch), gcups_of(*row), Mark::kDisc,
                               text_of(text.name, ", ", std::to_string(batch), ": ",
                                       rate_text(gcups_of(*row)), " GCUPS")});
      figure.rows.push_back(*row);
    }
    double most = 0;
    for (const auto& point : series.points) most = std::max(most, point.y);
    const auto enough = std::ranges::find_if(
        series.points, [&](const PlotPoint& point) { return point.y >= 0.95 * most; });
    if (enough != series.points.end())
      figure.facts.push_back({text_of("launches a read for 95% of the highest rate, ", text.name),
                              "100 is enough", fixed(enough->x, 0)});
    plot.series.push_back(series);
  }
  figure.pictures = {{"figure7", svg(plot)}};
  return figure;
}

}  // namespace rhomb::cli
