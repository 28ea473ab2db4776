// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/asked.h"

#include <algorithm>
#include <map>

#include "tools/cli/options.h"
#include "tools/cli/text.h"
#include "tools/scale.h"

namespace rhomb::cli {
namespace {

/// A command line with nothing but the options and files of an input.
CommandLine input_line(const PairAsked& pair) {
  std::vector<const char*> arguments = {"input"};
  for (const auto& text : pair.input) arguments.push_back(text.c_str());
  arguments.push_back("--");
  for (const auto& text : pair.files) arguments.push_back(text.c_str());
  CommandLine line({"rhomb bench [options] A B", "", ""}, {input_group()});
  line.parse(static_cast<int>(arguments.size()), arguments.data());
  return line;
}

}  // namespace

bool PairAsked::repeatable() const { return std::ranges::find(files, "-") == files.end(); }

std::string PairAsked::name() const {
  if (!random()) return joined(files);
  return text_of(divergence_title(divergence), ", ", with_commas(length), " bases");
}

Sample PairAsked::make() const {
  if (random()) return random_sample(length, divergence, seed);
  return read_sample(input_line(*this));
}

std::string divergence_name(Divergence divergence) {
  return divergence ? Json(*divergence).dump() : "unrelated";
}

std::string divergence_title(Divergence divergence) {
  return divergence ? short_tick(*divergence * 100) + "%" : "unrelated";
}

std::string way_of(const DistanceOptions& method) {
  const std::string config = method.config.text();
  return text_of(method.variant.empty() ? method.engine : method.variant, config.empty() ? "" : " ",
                 config);
}

std::vector<std::string> given_arguments(const CommandLine& line,
                                         const std::vector<Group>& groups) {
  std::vector<std::string> arguments;
  for (const Group& group : groups)
    for (const Flag& flag : group.flags) {
      const std::string name = flag.name.substr(flag.name.find(',') + 1);
      for (const auto& value : line.texts(name))
        arguments.push_back(flag.value.empty() ? text_of("--", name)
                                               : text_of("--", name, "=", value));
    }
  return arguments;
}

Json json_of(const Asked& asked) {
  Json object;
  const PairAsked& pair = asked.pair;
  if (pair.random()) {
    object["length"] = pair.length;
    object["divergence"] = pair.divergence ? Json(*pair.divergence) : Json("unrelated");
    object["seed"] = pair.seed;
  } else {
    object["files"] = pair.files;
    object["input"] = pair.input;
  }
  object["engine"] = asked.method.engine;
  object["variant"] = asked.method.variant;
  object["config"] = json_of(asked.method.config);
  if (asked.method.max_distance) object["max_distance"] = *asked.method.max_distance;
  object["runs"] = asked.runs;
  return object;
}

Asked asked_of(const Json& object) {
  Asked asked;
  PairAsked& pair = asked.pair;
  if (object.contains("files")) {
    pair.files = object.at("files").get<std::vector<std::string>>();
    pair.input = object.at("input").get<std::vector<std::string>>();
    const CommandLine line = input_line(pair);
    line.files(2);
    parse_input(line);
    asked.method.ambiguous = parse_ambiguous(line);
  } else {
    const Json& divergence = object.at("divergence");
    pair.length = parse_length(object.at("length").dump(), "length", 1);
    pair.divergence = parse_divergence(
        divergence.is_string() ? divergence.get<std::string>() : divergence.dump(), "divergence");
    pair.seed = object.at("seed").get<std::uint64_t>();
  }
  asked.method.engine = object.at("engine").get<std::string>();
  asked.method.variant = object.at("variant").get<std::string>();
  asked.method.config = tune::Config(object.at("config").get<std::map<std::string, int>>());
  if (object.contains("max_distance"))
    asked.method.max_distance = object.at("max_distance").get<std::int64_t>();
  asked.runs = object.at("runs").get<int>();
  if (asked.runs < 1) throw UsageError("runs: less than one");
  check_method(asked.method);
  return asked;
}

}  // namespace rhomb::cli
