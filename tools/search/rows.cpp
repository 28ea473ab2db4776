// SPDX-License-Identifier: Apache-2.0
#include "tools/search/rows.h"

#include <cctype>

#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

struct Counts {
  std::size_t matches = 0, all = 0;
};

Counts counts_of(std::string_view cigar) {
  Counts counts;
  std::size_t run = 0;
  for (const char c : cigar) {
    if (c >= '0' && c <= '9') {
      run = 10 * run + static_cast<std::size_t>(c - '0');
      continue;
    }
    counts.all += run;
    if (c == '=') counts.matches += run;
    run = 0;
  }
  return counts;
}

}  // namespace

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
    if (asked_.cigar) object["cigar"] = hit.cigar;
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
    if (asked_.cigar) add(hit.cigar);
  } else {
    const Counts counts = counts_of(hit.cigar);
    number(0);
    number(query.length);
    add(strand);
    add(field(target.name));
    number(target.length);
    number(hit.begin);
    number(hit.end);
    number(counts.matches);
    number(counts.all);
    add("255");
    add(text_of("NM:i:", std::to_string(hit.distance)));
    add(text_of("cg:Z:", hit.cigar));
  }
  out.back() = '\n';
}

}  // namespace rhomb::cli
