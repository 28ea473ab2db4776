// SPDX-License-Identifier: Apache-2.0
#include "tools/distance/rows.h"

#include <array>
#include <charconv>

#include "tools/cli/compared.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

std::string json_row(const seq::Pair& pair, const DistanceAnswer& answer,
                     const DistanceOptions& method) {
  const std::size_t m = pair.query.symbols.size(), n = pair.target.symbols.size();
  Json object;
  object["query"] = pair.query.name;
  object["query_length"] = m;
  object["target"] = pair.target.name;
  object["target_length"] = n;
  object["distance"] = answer.distance ? Json(*answer.distance) : Json();
  object["similarity"] =
      answer.distance ? Json(rounded(similarity_of(m, n, *answer.distance))) : Json();
  object["engine"] = answer.engine;
  object["variant"] = answer.variant;
  object["device"] = answer.device;
  object["seconds"] = rounded(significant(answer.timing.total));
  object["gcups"] = rounded(gcups_of(m, n, answer.timing.total));
  if (method.max_distance) object["max_distance"] = *method.max_distance;
  object["config"] = json_of(answer.config);
  object["passes"] = answer.passes;
  object["cells"] = json_count(answer.cells);
  for (const auto& [name, value] : answer.certificate.all())
    object["certificate"][name] = value.find_first_not_of("0123456789.e+-") == std::string::npos
                                      ? Json::parse(value)
                                      : Json(value);
  if (method.check) object["checked"] = answer.checked;
  object["timing"] = json_of(answer.timing);
  return json_line(object);
}

}  // namespace

std::string DistanceRows::header() const {
  if (format_ == Format::kJson) return "";
  return "#query\tquery_length\ttarget\ttarget_length\tdistance\tsimilarity\tengine\tvariant\t"
         "device\tseconds\tgcups\n";
}

void DistanceRows::append(std::string& text, const seq::Pair& pair,
                          const DistanceAnswer& answer) const {
  if (format_ == Format::kJson)
    text += json_row(pair, answer, method_);
  else
    append_tsv(text, pair, answer);
}

void DistanceRows::append_tsv(std::string& text, const seq::Pair& pair,
                              const DistanceAnswer& answer) const {
  const std::size_t m = pair.query.symbols.size(), n = pair.target.symbols.size();
  const auto add = [&](std::string_view what, char end = '\t') {
    text += what;
    text += end;
  };
  const auto add_number = [&](auto number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
    add({digits.begin(), end});
  };
  const auto add_name = [&](std::string_view name) {
    add_field(text, name);
    text += '\t';
  };
  add_name(pair.query.name);
  add_number(m);
  add_name(pair.target.name);
  add_number(n);
  if (!answer.distance) text += '>';
  add_number(answer.distance ? *answer.distance : *method_.max_distance);
  add(answer.distance ? similarity_of(m, n, *answer.distance) : "NA");
  add_name(answer.engine);
  add_name(answer.variant);
  add_name(answer.device);
  add(significant(answer.timing.total));
  add(gcups_of(m, n, answer.timing.total), '\n');
}

}  // namespace rhomb::cli
