// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/methods.h"

#include <algorithm>

#include "host/engine/choose.h"
#include "host/engine/variant.h"
#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// Cells a second of the reference, more than any core does.
constexpr double kReference = 2e9;

double strips_seconds(const DistanceOptions& method, Problem problem, const Choice& choice,
                      const Rates& rates, const ocl::Limits& limits) {
  problem.guess = choice.threshold;
  const auto& row = method.variant.empty() ? strip::variants().front()
                                           : find_variant(strip::variants(), method.variant);
  if (row.uses_cuda()) return 0;
  const strip::Plan plan = strip::plan(row, problem, limits, method.config);
  return strip_seconds(rates, plan, plan.band(plan.threshold));
}

}  // namespace

double model_seconds(const DistanceOptions& method, const ocl::DeviceInfo* device,
                     const Sample& pair) {
  const seq::Code code = seq::make_code(pair.query.symbols, pair.target.symbols, method.ambiguous);
  Problem problem;
  problem.a = pair.query.symbols;
  problem.b = pair.target.symbols;
  problem.code = &code;
  problem.max_distance = method.max_distance;
  problem = trimmed(problem);
  if (easy_answer(problem)) return 0;
  if (method.engine == "reference" || method.variant == "reference")
    return static_cast<double>(problem.a.size()) * static_cast<double>(problem.b.size()) /
           kReference;
  if (device == nullptr) return 0;
  const Rates rates = known_rates(*device);
  const Choice choice = choose(problem, device->limits, rates);
  if (method.engine == "wavefront") return choice.wave;
  if (method.engine == "strips") {
    try {
      return strips_seconds(method, problem, choice, rates, device->limits);
    } catch (const Error&) {
      return 0;  // a run will say why
    }
  }
  switch (choice.start) {
    case Choice::Start::kWave:
      return choice.wave;
    case Choice::Start::kProbe:
      return choice.patience + choice.strips;
    default:
      return choice.strips;
  }
}

void add_columns(const Measured& measured, Measurement& row) {
  const std::pair<const char*, Json> columns[] = {{"compute", measured.compute},
                                                  {"passes", measured.answer.passes},
                                                  {"cells", json_count(measured.answer.cells)},
                                                  {"cells_per_second", measured.cells_per_second()},
                                                  {"runs", measured.runs},
                                                  {"spread", measured.spread}};
  for (const auto& [name, value] : columns) row.more.emplace_back(name, value);
}

std::vector<Measurement> rows_of(const std::vector<GridPoint>& points) {
  std::vector<Measurement> rows;
  for (const GridPoint& point : points) rows.push_back(point.row);
  return rows;
}

void Grid::note(const std::string& what) {
  if (notes_.insert(what).second) runner_.progress.note("rhomb: " + what);
}

void Grid::leave_out(const Asked& asked, const std::string& why) {
  const std::string way = way_of(asked.method);
  if (!asked.pair.sized()) return note(text_of(way, " is left out: ", why));
  histories_[{asked.pair.series(), way}].stopped = true;
  const std::int64_t length = asked.pair.random() ? asked.pair.length : asked.pair.prefix;
  note(text_of(way, ", ", asked.pair.random() ? "divergence " : "", asked.pair.series(),
               ": lengths from ", with_commas(length), " on are left out, ", why));
}

std::optional<Measurement> Grid::row_of(const Asked& asked, const Sample& pair) {
  const std::string way = way_of(asked.method);
  History& history = histories_[{asked.pair.series(), way}];
  const double model = model_seconds(asked.method, runner_.session.info(), pair);
  // The model's word, as far as it was true of the last pair. A short one says nothing: there it is
  // about what the model does not know.
  const double foreseen = history.measured > 0.1 && history.model > 0
                              ? model * history.measured / history.model
                              : model;
  const auto than_limit = [&](double limit) {
    return text_of(", longer than --limit, ", human_seconds(limit));
  };
  if (2 * foreseen > runner_.limit) {  // one run to warm up and one that counts
    leave_out(asked, text_of("two runs would take about ", human_seconds(2 * foreseen),
                             than_limit(runner_.limit)));
    return std::nullopt;
  }
  if (foreseen > runner_.run_limit) {
    leave_out(asked, text_of("a run would take about ", human_seconds(foreseen),
                             than_limit(runner_.run_limit)));
    return std::nullopt;
  }
  try {
    const std::string which = asked.pair.sized() ? ", " + asked.pair.name() : "";
    const Measured measured = runner_.measure(pair, asked.method, way + which);
    history.model = model;
    history.measured = measured.seconds;
    Measurement row = measurement_of(measured, pair);
    if (rules_.columns) rules_.columns(asked, pair, measured, row);
    const DistanceOptions& method = asked.method;
    row.more.emplace_back("series", asked.pair.series());
    row.more.emplace_back("choice", method.variant.empty() ? method.engine : method.variant);
    add_columns(measured, row);
    if (runner_.timeline > 0) row.more.emplace_back("timeline", measured.timeline);
    if (asked.pair.repeatable()) row.asked = json_of(asked);
    return row;
  } catch (const TooSlow&) {
    leave_out(asked,
              text_of("a run takes longer than --limit, ", human_seconds(runner_.run_limit)));
  } catch (const MemoryError& error) {
    leave_out(asked, error.what());
  } catch (const Error& error) {
    // It does not fit; or a device that is not OpenCL's is absent, and nobody asked for it by name.
    const bool absent =
        error.kind() == Kind::kDevice && !needs_device(asked.method) && !rules_.named;
    if (error.kind() != Kind::kUsage && !absent) throw;
    if (absent || !asked.pair.sized())
      note(text_of(way, " is left out: ", error.what()));
    else
      note(text_of(way, ", ", asked.pair.name(), ", is left out: ", error.what()));
  }
  return std::nullopt;
}

void Grid::complete(std::vector<GridPoint>& points, std::size_t first) const {
  if (first == points.size()) return;
  const std::vector<GridPoint> some(points.begin() + static_cast<std::ptrdiff_t>(first),
                                    points.end());
  const auto rows = rows_of(some);
  const Measurement& other =
      rules_.to_first ? rows.front() : *std::ranges::min_element(rows, {}, &Measurement::seconds);
  for (std::size_t i = first; i < points.size(); ++i)
    points[i].row.ratio = ratio_of(points[i].row, other);
  check_agreement(rows);
}

std::vector<GridPoint> Grid::measure(const std::vector<Asked>& all) {
  std::vector<GridPoint> points;
  std::size_t first = 0;
  std::optional<PairAsked> current;
  Sample pair;
  for (const Asked& asked : all) {
    if (histories_[{asked.pair.series(), way_of(asked.method)}].stopped) continue;
    if (current != asked.pair) {
      complete(points, first);
      first = points.size();
      pair = {};  // its room may be needed
      pair = source_.make(asked.pair);
      current = asked.pair;
    }
    if (const auto row = row_of(asked, pair)) points.push_back({asked, *row});
  }
  complete(points, first);
  if (points.empty()) throw tune::Unfit("nothing could be measured within --limit");
  return points;
}

}  // namespace rhomb::cli
