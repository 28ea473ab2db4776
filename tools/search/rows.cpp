// SPDX-License-Identifier: Apache-2.0
#include "tools/search/rows.h"

#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

std::string SearchRows::header() const {
  if (asked_.format != Format::kTsv) return "";
  return text_of("#query\tquery_length\ttarget\ttarget_length\tstart\tend\tstrand\tdistance",
                 asked_.cigar ? "\tcigar" : "", "\n");
}

void SearchRows::append(std::string& out, const search::Hit& hit, const Named& query,
                        const Named& target) const {
  const char* strand = hit.reversed ? "-" : "+";
  if (asked_.format == Format::kJson) {
    Json object;
    object["query"] = query.name;
    object["query_length"] = query.length;
    object["target"] = target.name;
    object["target_length"] = target.length;
    object["start"] = hit.begin;
    object["end"] = hit.end;
    object["strand"] = strand;
    object["distance"] = hit.distance;
    if (asked_.cigar) object["cigar"] = hit.cigar.text();
    out += json_line(object);
    return;
  }
  const auto add = [&](std::string_view value) {
    out += value;
    out += '\t';
  };
  const auto number = [&](std::size_t value) { add(std::to_string(value)); };
  add(field(query.name));
  number(query.length);
  if (asked_.format == Format::kTsv) {
    add(field(target.name));
    number(target.length);
    number(hit.begin);
    number(hit.end);
    add(strand);
    number(hit.distance);
    if (asked_.cigar) add(hit.cigar.text());
  } else {
    const Cigar::Counts counts = hit.cigar.counts();
    number(0);
    number(query.length);
    add(strand);
    add(field(target.name));
    number(target.length);
    number(hit.begin);
    number(hit.end);
    number(static_cast<std::size_t>(counts.matches));
    number(static_cast<std::size_t>(counts.matches + counts.mismatches + counts.inserted +
                                    counts.deleted));
    add("255");
    add(text_of("NM:i:", std::to_string(hit.distance)));
    add(text_of("cg:Z:", hit.cigar.text()));
  }
  out.back() = '\n';
}

}  // namespace rhomb::cli
