// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/asked.h"

#include <algorithm>
#include <map>

#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// A command line with nothing but the options and files of an input.
CommandLine input_line(const PairAsked& pair) {
  std::vector<const char*> arguments = {"input"};
  for (const auto& text : pair.input) arguments.push_back(text.c_str());
  arguments.push_back("--");
  for (const auto& text : pair.files) arguments.push_back(text.c_str());
  // A copy is made of the only file; reading takes two.
  if (pair.copied()) arguments.push_back(pair.files.front().c_str());
  CommandLine line({"rhomb bench [options] A B", "", ""}, {input_group()});
  line.parse(static_cast<int>(arguments.size()), arguments.data());
  return line;
}

Json divergence_json(Divergence divergence) {
  return divergence ? Json(*divergence) : Json("unrelated");
}

Divergence divergence_of(const Json& value) {
  return parse_divergence(value.is_string() ? value.get<std::string>() : value.dump(),
                          "divergence");
}

}  // namespace

bool PairAsked::repeatable() const { return std::ranges::find(files, "-") == files.end(); }

std::string PairAsked::series() const {
  const std::string edits =
      divergence ? Json(rounded(significant(*divergence * 100))).dump() + "%" : "unrelated";
  // A whole number of percent is written without a fraction.
  const auto end = edits.find(".0%");
  const std::string far = end == std::string::npos ? edits : edits.substr(0, end) + "%";
  if (random())
    return structural == 0 ? far
                           : text_of(far, ", ", with_commas(structural), " structural variants");
  return copied() ? text_of("copies of ", files.front(), ", ", far) : joined(files);
}

std::string PairAsked::name() const {
  const std::int64_t symbols = random() ? length : prefix;
  return symbols > 0 ? text_of(series(), ", ", with_commas(symbols), " bases") : series();
}

Sample PairSource::make(const PairAsked& pair) {
  if (pair.random()) return random_sample(pair.length, pair.divergence, pair.seed, pair.structural);
  if (known_.files != pair.files || known_.input != pair.input) {
    whole_ = {};
    whole_ = read_sample(input_line(pair));
    known_ = pair;
  }
  if (pair.prefix == 0 && !pair.copied()) {
    known_ = {};
    return std::move(whole_);
  }
  const auto part = [&pair](const seq::Sequence& text) {
    return pair.prefix == 0
               ? text
               : seq::Sequence{text.name,
                               text.symbols.substr(0, static_cast<std::size_t>(pair.prefix))};
  };
  Sample made{part(whole_.query), {}};
  if (!pair.copied())
    made.target = part(whole_.target);
  else if (pair.divergence)
    made.target = {"edited", edited_text(made.query.symbols, *pair.divergence, pair.seed)};
  else
    made.target =
        random_sample(static_cast<std::int64_t>(made.query.symbols.size()), std::nullopt, pair.seed)
            .target;
  return made;
}

std::string way_of(const Asked& asked) {
  const DistanceOptions& method = asked.method;
  const std::string config = method.config.text();
  return text_of(method.variant.empty() ? method.engine : method.variant, config.empty() ? "" : " ",
                 config, asked.align ? " align" : "");
}

Json json_of(const Asked& asked) {
  Json object;
  const PairAsked& pair = asked.pair;
  if (pair.random()) {
    object["length"] = pair.length;
    if (pair.structural > 0) object["structural"] = pair.structural;
  } else {
    object["files"] = pair.files;
    object["input"] = pair.input;
    if (pair.prefix > 0) object["prefix"] = pair.prefix;
  }
  if (pair.files.size() < 2) {
    object["divergence"] = divergence_json(pair.divergence);
    object["seed"] = pair.seed;
  }
  object["engine"] = asked.method.engine;
  object["variant"] = asked.method.variant;
  object["config"] = json_of(asked.method.config);
  if (asked.method.max_distance) object["max_distance"] = *asked.method.max_distance;
  object["runs"] = asked.runs;
  if (asked.align) object["align"] = true;
  return object;
}

Asked asked_of(const Json& object) {
  Asked asked;
  PairAsked& pair = asked.pair;
  if (object.contains("files")) {
    pair.files = object.at("files").get<std::vector<std::string>>();
    pair.input = object.at("input").get<std::vector<std::string>>();
    if (object.contains("prefix")) pair.prefix = parse_length(object.at("prefix").dump(), "prefix");
    const CommandLine line = input_line(pair);
    line.files(2);
    parse_input(line);
    asked.method.ambiguous = parse_ambiguous(line);
  } else {
    pair.length = parse_length(object.at("length").dump(), "length");
    if (object.contains("structural"))
      pair.structural = parse_length(object.at("structural").dump(), "structural");
  }
  if (pair.files.size() < 2) {
    pair.divergence = divergence_of(object.at("divergence"));
    pair.seed = object.at("seed").get<std::uint64_t>();
  }
  asked.method.engine = object.at("engine").get<std::string>();
  asked.method.variant = object.at("variant").get<std::string>();
  asked.method.config = tune::Config(object.at("config").get<std::map<std::string, int>>());
  if (object.contains("max_distance"))
    asked.method.max_distance = object.at("max_distance").get<std::int64_t>();
  asked.runs = object.at("runs").get<int>();
  if (asked.runs < 1) throw UsageError("runs: less than one");
  asked.align = object.value("align", false);
  check_method(asked.method);
  return asked;
}

}  // namespace rhomb::cli
