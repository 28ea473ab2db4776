// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/grid.h"

#include <algorithm>

#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

std::int64_t length_of(const PairAsked& pair) { return pair.random() ? pair.length : pair.prefix; }

}  // namespace

double Foresight::seconds(const PairAsked& pair, const std::string& who, double least) const {
  const auto last = known_.find({pair.series(), who});
  if (last == known_.end() || last->second.length <= 0 || last->second.seconds < least) return 0;
  const double growth = static_cast<double>(length_of(pair)) / last->second.length;
  return last->second.seconds * growth * growth;
}

void Foresight::learn(const PairAsked& pair, const std::string& who, double seconds) {
  known_[{pair.series(), who}] = {static_cast<double>(length_of(pair)), seconds};
}

bool Foresight::stopped(const PairAsked& pair, const std::string& who) const {
  const auto last = known_.find({pair.series(), who});
  return last != known_.end() && last->second.seconds <= 0;
}

void add_columns(const Measured& measured, Json& record) {
  record.update({{"compute", measured.compute},
                 {"passes", measured.answer.passes},
                 {"cells", json_count(measured.answer.cells)},
                 {"cells_per_second", measured.cells_per_second()},
                 {"runs", measured.runs},
                 {"spread", measured.spread}});
}

void Grid::note(const std::string& what) {
  if (notes_.insert(what).second) runner_.progress.note("rhomb: " + what);
}

void Grid::leave_out(const Asked& asked, const std::string& why) {
  const std::string way = way_of(asked.method);
  if (!asked.pair.sized()) return note(text_of(way, " is left out: ", why));
  foresight_.stop(asked.pair, way);
  note(text_of(way, ", ", asked.pair.random() ? "divergence " : "", asked.pair.series(),
               ": lengths from ", with_commas(length_of(asked.pair)), " on are left out, ", why));
}

std::optional<Json> Grid::record_of(const Asked& asked, const Sample& pair) {
  const std::string way = way_of(asked.method);
  // One run to warm up and one that counts. What was short says nothing: most of it was overhead.
  const double foreseen = 2 * foresight_.seconds(asked.pair, way, 0.1);
  if (foreseen > runner_.limit) {
    leave_out(asked, text_of("two runs would take up to ", human_seconds(foreseen),
                             ", longer than --limit, ", human_seconds(runner_.limit)));
    return std::nullopt;
  }
  try {
    const std::string which = asked.pair.sized() ? ", " + asked.pair.name() : "";
    const Measured measured = runner_.measure(pair, asked.method, way + which);
    foresight_.learn(asked.pair, way, measured.seconds);
    Json record = cli::record_of(measured.answer, pair, measured.seconds);
    if (rules_.columns) record.update(rules_.columns(pair, measured));
    const DistanceOptions& method = asked.method;
    record["series"] = asked.pair.series();
    record["choice"] = method.variant.empty() ? method.engine : method.variant;
    add_columns(measured, record);
    if (runner_.timeline > 0) record["timeline"] = measured.timeline;
    if (asked.pair.repeatable()) record["asked"] = json_of(asked);
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

void Grid::complete(std::span<Json> records) const {
  if (records.empty()) return;
  const auto seconds = [](const Json& record) { return record.at("seconds").get<double>(); };
  const Json other =
      rules_.to_first ? records.front() : *std::ranges::min_element(records, {}, seconds);
  for (Json& record : records) set_ratio(record, other);
  check_agreement(records);
}

std::vector<Json> Grid::measure(const std::vector<Asked>& all) {
  std::vector<Json> records;
  std::size_t first = 0;
  std::optional<PairAsked> current;
  Sample pair;
  for (const Asked& asked : all) {
    if (foresight_.stopped(asked.pair, way_of(asked.method))) continue;
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
  return records;
}

}  // namespace rhomb::cli
