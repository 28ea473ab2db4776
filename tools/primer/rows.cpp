// SPDX-License-Identifier: Apache-2.0
#include "tools/primer/rows.h"

#include "host/primer/thermo.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// One digit after the point, NA for nothing.
std::string shown(const std::optional<double>& value) { return value ? fixed(*value, 1) : "NA"; }

Json json_of(const std::optional<double>& value) {
  return value ? Json(rounded(fixed(*value, 1))) : Json();
}

}  // namespace

std::string PrimerRows::header() const {
  if (asked_.format != PrimerFormat::kTsv) return "";
  if (asked_.run.window) return "#query\tstart\tend\tdistance\n";
  return text_of("#query\tstart\tend\tlength\tsequence\tgc\ttm",
                 asked_.witness ? "\twitness_target\twitness_start\twitness_end\twitness_strand\t"
                                  "witness_distance\twitness_cigar"
                                : "",
                 "\n");
}

bool PrimerRows::wanted(std::string_view sequence) const {
  if (asked_.gc && !asked_.gc->has(primer::gc_percent(sequence))) return false;
  return !asked_.tm || asked_.tm->has(primer::melting_temperature(sequence, asked_.conditions));
}

void PrimerRows::append(std::string& out, const seq::Sequence& query, std::uint32_t start,
                        std::uint32_t end, const primer::Nearest* site) const {
  const std::string_view sequence = std::string_view(query.symbols).substr(start, end - start);
  const std::string place =
      text_of(field(query.name), "\t", std::to_string(start), "\t", std::to_string(end));
  if (asked_.format == PrimerFormat::kBed) {
    out += text_of(place, "\t", field(query.name), ":", std::to_string(start), "-",
                   std::to_string(end), "\t0\t+\n");
    return;
  }
  const auto gc = primer::gc_percent(sequence);
  const auto tm = primer::melting_temperature(sequence, asked_.conditions);
  if (asked_.format == PrimerFormat::kFasta) {
    out += text_of(">", field(query.name), ":", std::to_string(start), "-", std::to_string(end),
                   " length=", std::to_string(end - start), " gc=", shown(gc), " tm=", shown(tm),
                   "\n", sequence, "\n");
    return;
  }
  if (asked_.format == PrimerFormat::kTsv) {
    out += text_of(place, "\t", std::to_string(end - start), "\t", sequence, "\t", shown(gc), "\t",
                   shown(tm));
    if (site != nullptr)
      out += text_of("\t", field(site->target), "\t", std::to_string(site->begin), "\t",
                     std::to_string(site->end), "\t", site->reversed ? "-" : "+", "\t",
                     std::to_string(site->distance), "\t", site->cigar.text());
    out += '\n';
    return;
  }
  Json object;
  object["query"] = query.name;
  object["start"] = start;
  object["end"] = end;
  object["length"] = end - start;
  object["sequence"] = sequence;
  object["gc"] = json_of(gc);
  object["tm"] = json_of(tm);
  if (site != nullptr) {
    object["witness_target"] = site->target;
    object["witness_start"] = site->begin;
    object["witness_end"] = site->end;
    object["witness_strand"] = site->reversed ? "-" : "+";
    object["witness_distance"] = site->distance;
    object["witness_cigar"] = site->cigar.text();
  }
  out += json_line(object);
}

void PrimerRows::append_run(std::string& out, const seq::Sequence& query, std::uint32_t first,
                            std::uint32_t last, std::uint32_t value) const {
  const std::string name = field(query.name), number = std::to_string(value);
  if (asked_.format == PrimerFormat::kBedgraph) {
    out +=
        text_of(name, "\t", std::to_string(first), "\t", std::to_string(last), "\t", number, "\n");
    return;
  }
  for (std::uint32_t j = first; j < last; ++j) {
    const std::uint32_t end = j + *asked_.run.window;
    if (asked_.format == PrimerFormat::kTsv) {
      out += text_of(name, "\t", std::to_string(j), "\t", std::to_string(end), "\t", number, "\n");
      continue;
    }
    Json object;
    object["query"] = query.name;
    object["start"] = j;
    object["end"] = end;
    object["distance"] = value;
    out += json_line(object);
  }
}

}  // namespace rhomb::cli
