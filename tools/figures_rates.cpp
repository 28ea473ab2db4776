// SPDX-License-Identifier: Apache-2.0
// Figures 12 and 13: the highest rates side by side, and rates against similarity, sections 4.4
// and 5 of the paper.
#include <algorithm>
#include <cmath>
#include <optional>

#include "tools/bench/paper_numbers.h"
#include "tools/cli/text.h"
#include "tools/dots.h"
#include "tools/figures.h"
#include "tools/plot.h"

namespace rhomb::cli {
namespace {

DistanceOptions strips() {
  DistanceOptions method;
  method.engine = "strips";
  method.variant = "strips";
  return method;
}

/// The whole pair if a run of it fits into `seconds`, else the longest prefix that does, found by
/// longer and longer ones.
std::optional<Measurement> longest_run(Study& study, const DistanceOptions& method,
                                       double seconds) {
  const TimeShare share(seconds);
  if (!study.trials.learn(method, seconds / 50)) return std::nullopt;
  std::optional<Measurement> best;
  std::int64_t length = 0, most = study.trials.whole();
  while (!best || share.left() > 0.1 * seconds) {
    // What is known of short prefixes is not true of very long ones.
    constexpr std::int64_t kGrowth = 4;
    const std::int64_t fits = std::min(most, study.trials.longest({method}, 0.4 * share.left()));
    const std::int64_t next =
        std::min(fits, kGrowth * std::max(study.trials.longest_known(method), length));
    if (best && (length >= most || (next < length + length / 2 && next < most))) break;
    const double part = share.left() / (next == fits ? 2 : 10);
    // Should it take much longer than foreseen, there is time for a shorter one.
    auto row = study.trials.measure(method, study.trials.prefix(next), part,
                                    std::max(0.7 * share.left(), 0.5));
    if (row) {
      length = next;
      best = std::move(row);
    } else if (best || share.left() < 0.1 * seconds || next < 1000) {
      break;
    } else {
      most = rounded_down(next * 2 / 3);
    }
  }
  return best;
}

/// "1,500,000 bases"
std::string texts_of(const Measurement& row) {
  std::string text;
  for (const auto& [name, value] : row.more)
    if (name == "texts") text = value.get<std::string>();
  return text.starts_with("first ") ? text.substr(6) : text;
}

/// How many times as fast as baseline diamond is on the same texts; a row is added for it if there
/// is none of the same.
std::optional<std::string> gain_of_all(Study& study, std::vector<Measurement>& rows) {
  const Measurement* const first = fastest_row(rows, "baseline");
  const Measurement* const last = fastest_row(rows, "diamond");
  if (first == nullptr || last == nullptr) return std::nullopt;
  const double base = gcups_of(*first);
  const std::string name = texts_of(*first);
  if (texts_of(*last) == name) return text_of(fixed(gcups_of(*last) / base, 1), " (", name, ")");
  auto row =
      study.trials.measure(study.fastest("diamond"),
                           study.trials.prefix(std::max(first->query_length, first->target_length)),
                           0, 2 * first->seconds + 1);
  if (!row) return std::nullopt;
  row->more.insert(row->more.begin(), {{"figure", "12"}});
  rows.push_back(*row);
  return text_of(fixed(gcups_of(*row) / base, 1), " (", name, ")");
}

/// A copy of a prefix of the first text.
TrialText copy_of(const Study& study, std::int64_t length, double rate) {
  const TrialText text = study.trials.prefix(length);
  const std::string& symbols = text.sample.query.symbols;
  return {{text.sample.query, {"edited", edited_text(symbols, rate, 1)}},
          text_of("copy of the ", text.name == "whole pair" ? "first text" : text.name, ", edits ",
                  short_tick(rate))};
}

/// How long copies with many edits take, of which a pair of near texts says nothing.
void learn_copies(Study& study, const DistanceOptions& method, double enough) {
  for (std::int64_t length = 2000; length < 2 * study.trials.whole(); length *= 2) {
    const auto row = study.trials.measure(method, copy_of(study, length, 0.5), 0, 10 * enough + 1);
    if (!row || row->seconds > enough) return;
  }
}

std::string similarity_tick(double value) { return fixed(value * 100, 0) + "%"; }

std::optional<double> similarity_of(const Measurement& row) {
  if (!row.distance) return std::nullopt;
  return 1 -
         static_cast<double>(*row.distance) /
             static_cast<double>(std::max({row.query_length, row.target_length, std::int64_t{1}}));
}

/// Copies of the first text with edits at these rates.
std::vector<double> edit_rates(const Study& study) {
  if (!study.gpu()) return {0.5, 0.2, 0.05, 0.01, 0.001};
  return {0.8, 0.5, 0.35, 0.2, 0.1, 0.05, 0.02, 0.01, 0.003, 0.001, 0.0003};
}

}  // namespace

Figure figure_12(Study& study, double seconds) {
  const TimeShare share(seconds);
  Figure figure{"12", "The highest rate of each variant", {}, {}, {}, {}, {}, {}};
  figure.about =
      "Each variant with the fastest configuration found above (its defaults where none was), on "
      "the whole pair where that was foreseen to fit the time, else on the longest prefix that "
      "was, named below it. Rates grow with the length, so that those of prefixes of different "
      "lengths do not compare, nor with the paper's, which are of the whole pair on an RTX 3090. "
      "fused and strips are rhomb's own.";
  std::vector<DistanceOptions> methods = {study.fastest("fused"), strips()};
  for (const auto& name : {"diamond", "group", "tiled-local", "tiled-register", "tiled-global",
                           "prefetch", "batched", "dynamic", "baseline"})
    methods.push_back(study.fastest(name));  // the faster ones first: they leave time to others

  DotChart chart;
  chart.title = "Figure 12: the highest rate of each variant";
  chart.subtitle = study.trials.device().name + " beside an RTX 3090";
  chart.x = {"GCUPS, whole run", short_tick};
  chart.value = "rhomb";
  chart.beside = "paper";
  for (std::size_t i = 0; i < methods.size(); ++i) {
    auto row = longest_run(study, methods[i], share.of(methods.size() - i));
    if (!row) continue;
    row->more.insert(row->more.begin(), {{"figure", "12"}});
    figure.rows.push_back(*row);
  }
  std::ranges::reverse(figure.rows);
  for (auto method = methods.rbegin(); method != methods.rend(); ++method) {
    const Measurement* const row = fastest_row(figure.rows, method->variant);
    const auto paper = paper_best(method->variant);
    if (row == nullptr && !paper) continue;
    DotRow dots{method->variant, row != nullptr ? texts_of(*row) : "not measured", {}, {}};
    if (row != nullptr) dots.value = gcups_of(*row);
    if (paper) dots.beside = paper->gcups;
    chart.rows.push_back(dots);
  }
  figure.texts = "the whole pair or prefixes of it, see each row";
  figure.pictures = {{"figure12", svg(chart)}};
  if (const auto gain = gain_of_all(study, figure.rows))
    figure.facts.push_back({"diamond / baseline", "3.4", *gain});
  return figure;
}

Figure figure_13(Study& study, double seconds) {
  const TimeShare share(seconds);
  Figure figure{"13", "Rate against similarity", {}, {}, {}, {}, {}, {}};
  figure.about =
      "Copies of the first sequence with random edits (a third each substitutions, insertions and "
      "deletions) at several rates, and the pair itself (squares). Similarity is 1 - distance / "
      "longer length. The work of wavefronts grows with the square of the distance while GCUPS "
      "counts the whole matrix, which is why the rate rises so steeply. Grey: the pairs of the "
      "paper's table 3, each of its own length, on an RTX 3090.";
  const std::vector<DistanceOptions> methods = {study.fastest("diamond"), study.fastest("fused"),
                                                DistanceOptions{}};
  std::vector<std::optional<Measurement>> pairs;
  std::vector<DistanceOptions> can;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    pairs.push_back(longest_run(study, methods[i],
                                0.45 * share.left() / static_cast<double>(methods.size() - i)));
    if (pairs.back()) can.push_back(methods[i]);
  }
  for (const auto& method : can) learn_copies(study, method, seconds / 100);
  const auto rates = edit_rates(study);
  std::int64_t length = study.trials.whole();
  const auto takes = [&] {
    double sum = 0;
    for (const double rate : rates)
      for (const auto& method : can)
        sum += study.trials.foreseen(
            method, std::llround(std::min(0.5, 0.9 * rate) * static_cast<double>(length)));
    return sum;
  };
  while (length > 1000 && takes() > 0.5 * share.left()) length = rounded_down(length * 4 / 5);
  const TrialText whole = study.trials.prefix(length);
  figure.texts = whole.name == "whole pair" ? "copies of the first text"
                                            : text_of("copies of the ", whole.name);

  Plot plot;
  plot.narrow = true;
  plot.title = "Figure 13: rate against similarity";
  plot.subtitle = where(study, {{}, figure.texts});
  plot.x = {"similarity", similarity_tick, true};
  plot.x.step = 0.1;
  plot.x.least = 0.4;
  plot.x.most = 1;
  plot.y = {"GCUPS, whole run", short_tick};
  PlotSeries paper{"", draw::kNoColour, Stroke::kNone, {}};
  for (const auto& pair : paper_table())
    paper.points.push_back({pair.similarity, pair.gcups, Mark::kRing,
                            text_of(pair.query, " / ", pair.target, ": ", rate_text(pair.gcups),
                                    " GCUPS on an RTX 3090")});
  plot.series.push_back(paper);
  plot.keys = {{Mark::kSquare, "the pair itself"}, {Mark::kRing, "paper, RTX 3090"}};

  std::vector<PlotSeries> curves, marks;
  const auto add = [&](PlotSeries& series, Measurement row, Mark mark, const Json& edits) {
    const auto similarity = similarity_of(row);
    row.more.insert(row.more.begin(), {{"figure", "13"},
                                       {"choice", series.name},
                                       {"edits", edits},
                                       {"similarity", similarity ? Json(*similarity) : Json()}});
    series.points.push_back(
        {similarity.value_or(0), gcups_of(row), mark,
         text_of(series.name, ", ", fixed(100 * similarity.value_or(0), 2), "% similar, ",
                 with_commas(row.query_length), " bases: ", rate_text(gcups_of(row)), " GCUPS")});
    figure.rows.push_back(std::move(row));
  };
  std::size_t left = methods.size() * rates.size();
  for (std::size_t i = 0; i < methods.size(); ++i) {
    curves.push_back({name_of(methods[i]), i, Stroke::kSolid, {}});
    marks.push_back({name_of(methods[i]), i, Stroke::kNone, {}});
    if (pairs[i]) add(marks[i], *pairs[i], Mark::kSquare, Json());
  }
  for (const double rate : rates) {
    const TrialText text = copy_of(study, length, rate);
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const double part = share.of(left--);
      if (!pairs[i]) continue;
      if (auto row = study.trials.measure(methods[i], text, part,
                                          std::clamp(5 * part, 1.0, share.left() + 1)))
        add(curves[i], *row, Mark::kDisc, rate);
    }
  }
  for (std::size_t i = 0; i < methods.size(); ++i) {
    plot.series.push_back(curves[i]);
    marks[i].name.clear();  // the curve's
    plot.series.push_back(marks[i]);
    if (pairs[i])
      figure.facts.push_back({text_of(name_of(methods[i]), ", GCUPS on the pair, ",
                                      pairs[i]->more.front().second.get<std::string>()),
                              i == 0 ? "496 (table 3, row 4)" : "",
                              rate_text(gcups_of(*pairs[i]))});
  }
  figure.pictures = {{"figure13", svg(plot)}};
  return figure;
}

}  // namespace rhomb::cli
