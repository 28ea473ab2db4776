// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/baseline.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "host/error.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

BaselineRow row_of(const Json& object) {
  BaselineRow row;
  row.asked = asked_of(object.at("asked"));
  row.device = object.at("device").get<std::string>();
  const Json& distance = object.at("distance");
  if (!distance.is_null()) row.distance = distance.get<std::int64_t>();
  row.seconds = object.at("seconds").get<double>();
  row.spread = object.at("spread").get<double>();
  if (!(row.seconds > 0)) throw UsageError("seconds: not above 0");
  if (!(row.spread >= 1)) throw UsageError("spread: not at least 1");
  return row;
}

std::vector<BaselineRow> read(std::istream& input, const std::string& name) {
  std::vector<BaselineRow> rows;
  std::string text;
  for (long line = 1; std::getline(input, text); ++line) {
    if (text.empty()) continue;
    try {
      const Json object = Json::parse(text);
      if (object.at("program") != "rhomb") continue;  // a peer
      if (!object.contains("asked"))
        throw UsageError(
            "there is no key asked, so the row cannot be measured again: it is of an "
            "older rhomb, of standard input, or of a benchmark without it");
      rows.push_back(row_of(object));
      rows.back().line = line;
    } catch (const Json::parse_error& error) {
      throw InputError(name, "", line,
                       text_of("damaged at byte ", std::to_string(error.byte),
                               ", not a row of rhomb bench --format json"));
    } catch (const Json::exception& error) {
      throw InputError(name, "", line,
                       text_of("not a row of rhomb bench --format json: ", error.what()));
    } catch (const UsageError& error) {
      throw InputError(name, "", line, error.what());
    }
  }
  if (input.bad()) throw InputError(name, "", 0, "cannot be read");
  if (rows.empty()) throw InputError(name, "", 0, "there is no row of rhomb to measure again");
  return rows;
}

}  // namespace

std::vector<BaselineRow> read_baseline(const std::string& file) {
  if (file == "-") return read(std::cin, "standard input");
  std::ifstream input(file);
  if (!input) throw InputError(file, "", 0, std::strerror(errno));
  return read(input, file);
}

}  // namespace rhomb::cli
