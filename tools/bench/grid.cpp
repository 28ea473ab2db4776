// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/grid.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

std::int64_t length_of(const PairAsked& pair) { return pair.random() ? pair.length : pair.prefix; }

/// The automatic choice is said to be wrong if it takes so many times as long as the fastest, and
/// so much longer.
constexpr double kSlower = 1.15, kNoise = 0.005;  // seconds

/// The exponent x of seconds ~ length^x, fitted by least squares to the logarithms of the records
/// of a series and choice that are at least a hundredth as long as the longest.
void add_exponents(std::span<Json> records) {
  std::map<std::array<Json, 3>, std::vector<Json*>> groups;
  for (Json& record : records)
    groups[{record.at("series"), record.at("choice"), record.at("align")}].push_back(&record);
  const auto length = [](const Json* record) { return record->at("length").get<double>(); };
  for (const auto& [what, group] : groups) {
    const double longest = length(*std::ranges::max_element(group, {}, length));
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const Json* record : group) {
      if (length(record) < longest / 100) continue;
      const double u = std::log(length(record)), v = std::log(record->at("seconds").get<double>());
      ++count;
      x += u;
      y += v;
      xx += u * u;
      xy += u * v;
    }
    const double spread = count * xx - x * x;
    const Json slope =
        spread > 1e-6 ? Json(rounded(fixed((count * xy - x * y) / spread, 3))) : Json(nullptr);
    for (Json* record : group) (*record)["exponent"] = slope;
  }
}

}  // namespace

double Foresight::seconds(const PairAsked& pair, const std::string& who, double least) const {
  const auto last = known_.find({pair.series(), who});
  if (last == known_.end() || last->second.length <= 0 || last->second.seconds < least) return 0;
  const double growth = static_cast<double>(length_of(pair)) / last->second.length;
  return last->second.seconds * std::pow(growth, last->second.exponent);
}

void Foresight::learn(const PairAsked& pair, const std::string& who, double seconds) {
  Last& last = known_[{pair.series(), who}];
  const Last next{static_cast<double>(length_of(pair)), seconds};
  const double growth = last.seconds > 0 ? std::log(next.length / last.length) : 0;
  const double exponent = growth > 0 ? std::log(seconds / last.seconds) / growth : 2;
  last = {next.length, seconds, std::clamp(exponent, 1.0, 2.0)};
}

bool Foresight::stopped(const PairAsked& pair, const std::string& who) const {
  const auto last = known_.find({pair.series(), who});
  return last != known_.end() && last->second.seconds <= 0;
}

void add_columns(const Measured& measured, Json& record) {
  record.update({{"compute", measured.compute},
                 {"passes", measured.answer.passes > 0 ? Json(measured.answer.passes) : Json()},
                 {"cells", json_count(measured.answer.cells)},
                 {"cells_per_second", measured.cells_per_second()},
                 {"runs", measured.runs},
                 {"spread", measured.spread}});
}

void Grid::note(const std::string& what) {
  if (notes_.insert(what).second) runner_.progress.note("rhomb: " + what);
}

void Grid::leave_out(const Asked& asked, const std::string& why) {
  const std::string way = way_of(asked);
  if (!asked.pair.sized()) return note(text_of(way, " is left out: ", why));
  foresight_.stop(asked.pair, way);
  note(text_of(way, ", ", asked.pair.random() ? "divergence " : "", asked.pair.series(),
               ": lengths from ", with_commas(length_of(asked.pair)), " on are left out, ", why));
}

std::optional<Json> Grid::record_of(const Asked& asked, const Sample& pair) {
  const std::string way = way_of(asked);
  // One run to warm up and one that counts. What was short says nothing: most of it was overhead.
  const double foreseen = 2 * foresight_.seconds(asked.pair, way, 0.1);
  if (foreseen > runner_.limit) {
    leave_out(asked, text_of("two runs would take up to ", human_seconds(foreseen),
                             ", longer than --limit, ", human_seconds(runner_.limit)));
    return std::nullopt;
  }
  try {
    const std::string which = asked.pair.sized() ? ", " + asked.pair.name() : "";
    const Measured measured = runner_.measure(pair, asked.method, way + which, asked.align);
    foresight_.learn(asked.pair, way, measured.seconds);
    Json record = cli::record_of(measured.answer, pair, measured.seconds);
    if (rules_.columns) record.update(rules_.columns(pair, measured));
    const DistanceOptions& method = asked.method;
    record["series"] = asked.pair.series();
    record["choice"] = method.variant.empty() ? method.engine : method.variant;
    record["align"] = asked.align;
    add_columns(measured, record);
    if (runner_.timeline > 0) record["timeline"] = measured.timeline;
    Session& session = runner_.session;
    const bool several = session.size() > 1 && measured.answer.device == session.info()->name;
    if (several) record["device"] = batch::names_of(session.choices());
    // rhomb bench regress has one device.
    if (asked.pair.repeatable() && !several) record["asked"] = json_of(asked);
    return record;
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

void Grid::complete(std::span<Json> records) {
  if (records.empty()) return;
  const auto seconds = [](const Json& record) { return record.at("seconds").get<double>(); };
  const Json other =
      rules_.to_first ? records.front() : *std::ranges::min_element(records, {}, seconds);
  for (Json& record : records) set_ratio(record, other);
  check_agreement(records);
  // Where the first is the automatic choice and others took part, it should be about the fastest.
  const Json& first = records.front();
  const Json& best = *std::ranges::min_element(records, {}, seconds);
  if (rules_.to_first && first.at("choice") == "auto" &&
      seconds(first) > std::max(kSlower * seconds(best), seconds(best) + kNoise))
    note(text_of(first.at("series").get<std::string>(), ", ",
                 with_commas(first.at("length").get<std::int64_t>()), " bases: auto took ",
                 fixed(seconds(first) / seconds(best), 2), " times as long as ",
                 best.at("choice").get<std::string>()));
}

std::vector<Json> Grid::measure(const std::vector<Asked>& all) {
  std::vector<Json> records;
  std::size_t first = 0;
  std::optional<PairAsked> current;
  Sample pair;
  for (const Asked& asked : all) {
    if (foresight_.stopped(asked.pair, way_of(asked))) continue;
    if (current != asked.pair) {
      complete(std::span(records).subspan(first));
      first = records.size();
      pair = {};  // its room may be needed
      pair = source_.make(asked.pair);
      current = asked.pair;
    }
    if (auto record = record_of(asked, pair)) records.push_back(std::move(*record));
  }
  complete(std::span(records).subspan(first));
  if (records.empty()) throw tune::Unfit("nothing could be measured within --limit");
  if (rules_.exponents) add_exponents(records);
  return records;
}

}  // namespace rhomb::cli
