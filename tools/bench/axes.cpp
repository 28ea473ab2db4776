// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/axes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

const std::vector<std::string> kEngines = {"auto", "strips", "corridor", "wavefront", "reference"};

using Method = std::pair<std::string, std::string>;  // engine, variant

std::vector<std::string> variants_of(const std::string& engine) {
  if (engine == "reference") return {engine};
  return variant_names(engine);
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> parse_engines(const CommandLine& line, const MethodAxes& axes) {
  if (axes.fixed || !line.has("engine"))
    return line.has("variant") && !axes.fixed ? std::vector<std::string>{} : axes.engines;
  auto engines = split(line.text("engine"), ',');
  for (const auto& name : engines)
    if (!has(kEngines, name))
      throw UsageError(text_of("--engine: there is no '", name, "'", did_you_mean(name, kEngines),
                               "; choose from ", joined(kEngines), line.pointer()));
  if (engines.empty()) throw UsageError("--engine: none is given" + line.pointer());
  return engines;
}

/// The variants that may be named beside these engines.
std::vector<std::string> known_variants(const std::vector<std::string>& engines) {
  if (engines.empty() || has(engines, "auto")) return variant_names();
  std::vector<std::string> known;
  for (const auto& engine : engines)
    for (const auto& name : variants_of(engine))
      if (!has(known, name)) known.push_back(name);
  return known;
}

std::vector<std::string> parse_variants(const CommandLine& line, const MethodAxes& axes,
                                        const std::vector<std::string>& engines) {
  const auto known = known_variants(engines);
  const std::string given = line.text("variant");
  if (given == "all") return known;
  auto names = split(given, ',');
  for (const auto& name : names)
    if (!has(known, name))
      throw UsageError(text_of("--variant: there is no '", name, "'", did_you_mean(name, known),
                               "; choose from ", joined(known)));
  if (names.empty() && axes.every) {
    names = known;
    std::erase(names, "reference");
  }
  return names;
}

std::vector<Method> parse_names(const CommandLine& line, const MethodAxes& axes) {
  const auto engines = parse_engines(line, axes);
  const auto names = parse_variants(line, axes, engines);
  std::vector<Method> methods;
  std::vector<std::string> rest = names;
  const auto add = [&methods](const std::string& engine, const std::string& variant) {
    const Method method(engine, variant);
    if (std::ranges::find(methods, method) == methods.end()) methods.push_back(method);
  };
  for (const auto& engine : engines) {
    const auto own = engine == "auto" ? std::vector<std::string>{} : variants_of(engine);
    bool named = false;
    for (const auto& name : names) {
      if (!has(own, name)) continue;
      add(engine, name);
      std::erase(rest, name);
      named = true;
    }
    if (!named) add(engine, "");
  }
  for (const auto& name : rest)
    add(has(variant_names("strips"), name)     ? "strips"
        : has(variant_names("corridor"), name) ? "corridor"
                                               : "wavefront",
        name);
  return methods;
}

/// The options of these groups that were given, as arguments of a program.
std::vector<std::string> given_arguments(const CommandLine& line, const Group& group) {
  std::vector<std::string> arguments;
  for (const Flag& flag : group.flags)
    for (const auto& value : line.texts(flag.name))
      arguments.push_back(flag.value.empty() ? text_of("--", flag.name)
                                             : text_of("--", flag.name, "=", value));
  return arguments;
}

/// Each divergence with each length: `pair` with these.
std::vector<PairAsked> random_pairs(const CommandLine& line, const PairAxes& axes, PairAsked pair,
                                    std::int64_t PairAsked::*length,
                                    const std::vector<std::int64_t>& lengths) {
  pair.seed = static_cast<std::uint64_t>(line.size("seed").value_or(1));
  const auto structural = pair.random() && !axes.structural.empty()
                              ? parse_lengths(line, "structural", axes.structural, 0)
                              : std::vector<std::int64_t>{0};
  std::vector<PairAsked> pairs;
  for (const auto& text : split(line.text("divergence", axes.divergences), ',')) {
    pair.divergence = parse_divergence(text, "--divergence");
    for (const std::int64_t count : structural) {
      if (count > 0 && !pair.divergence) continue;  // texts that have nothing in common
      pair.structural = count;
      for (const std::int64_t one : lengths) {
        pair.*length = one;
        if (std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(pair);
      }
    }
  }
  if (pairs.empty())
    throw UsageError("--divergence: none is given that has such copies" + line.pointer());
  return pairs;
}

}  // namespace

/// "K=4/8,WG=64" is K=4,WG=64 and K=8,WG=64.
std::vector<tune::Config> configs_of(const std::string& text) {
  std::vector<std::string> made = {""};
  for (const auto& piece : split(text, ',')) {
    const auto begin = piece.find('=') + 1;
    auto values = split(piece.substr(begin), '/');
    if (values.empty()) values.emplace_back();
    std::vector<std::string> longer;
    for (const auto& head : made)
      for (const auto& value : values)
        longer.push_back(text_of(head, head.empty() ? "" : ",", piece.substr(0, begin), value));
    made = longer;
  }
  std::vector<tune::Config> configs;
  for (const auto& one : made) configs.push_back(tune::Config::parse(one));
  return configs;
}

std::vector<Flag> flags_of(const PairAxes& axes) {
  std::vector<Flag> flags = {
      {"length", "L,...",
       text_of("of both random texts, as 100k or 1M (default: ", axes.lengths, ")"), FileUse::kNone,
       "lengths"},
      {"divergence", "X,...",
       text_of("edits per position of the copy, or unrelated: texts that have nothing in common "
               "(default: ",
               axes.divergences, ")"),
       FileUse::kNone, "divergences"},
      {"seed", "N", "of the random texts and edits (default: 1)"}};
  if (!axes.structural.empty())
    flags.push_back({"structural", "N,...",
                     text_of("structural variants of the copy: stretches of 1k to 100k bases, in "
                             "turn inserted, deleted, duplicated and inverted (default: ",
                             axes.structural, ")")});
  if (axes.prefixes)
    flags.push_back({"prefix", "L,...", "of files: only so many symbols of each sequence"});
  return flags;
}

std::vector<PairAsked> parse_random_pairs(const CommandLine& line, const PairAxes& axes) {
  return random_pairs(line, axes, {}, &PairAsked::length,
                      parse_lengths(line, "length", axes.lengths, axes.least));
}

std::vector<PairAsked> parse_pairs(const CommandLine& line, const PairAxes& axes) {
  const auto refuse = [&line](const char* option, const char* why) {
    if (line.has(option)) throw UsageError(text_of("--", option, why, line.pointer()));
  };
  if (line.files().empty()) {
    refuse("prefix", " is for files, not for random pairs");
    return parse_random_pairs(line, axes);
  }
  refuse("length", " is for random pairs, not for files");
  if (!axes.structural.empty()) refuse("structural", " is for random pairs, not for files");
  parse_input(line);  // complains now
  PairAsked pair;
  pair.files = line.files();
  pair.input = given_arguments(line, input_group());
  const auto lengths =
      line.has("prefix") ? parse_lengths(line, "prefix", "") : std::vector<std::int64_t>{0};
  if (axes.prefixes && pair.copied() && line.has("divergence"))
    return random_pairs(line, axes, pair, &PairAsked::prefix, lengths);
  line.files(2);
  refuse("divergence", " is for random pairs and for copies of one file, not for two files");
  refuse("seed", " is for random pairs and for copies of one file, not for two files");
  std::vector<PairAsked> pairs;
  for (const std::int64_t length : lengths) {
    pair.prefix = length;
    pairs.push_back(pair);
  }
  return pairs;
}

std::vector<Flag> flags_of(const MethodAxes& axes) {
  std::vector<Flag> flags;
  if (!axes.fixed)
    flags.push_back({"engine", "NAME,...",
                     text_of("auto, strips, corridor, wavefront, reference (default: ",
                             joined(axes.engines), ", or those of the variants)")});
  flags.push_back({"variant", "NAME,...",
                   axes.every ? "which, in the order wanted, or all (default: all but a reference)"
                              : "variants of the engines, or all"});
  flags.push_back({"config", "K=V,...",
                   "force tunables, as in WG=128,K=4; several values as K=4/8; repeatable"});
  return flags;
}

std::vector<DistanceOptions> parse_methods(const CommandLine& line, const MethodAxes& axes,
                                           Progress& progress) {
  std::vector<tune::Config> configs;
  for (const auto& text : line.texts("config"))
    for (const auto& config : configs_of(text)) configs.push_back(config);
  if (configs.empty()) configs.emplace_back();
  std::vector<DistanceOptions> methods;
  std::vector<std::string> notes;
  for (const auto& [engine, variant] : parse_names(line, axes))
    for (const auto& config : configs) {
      DistanceOptions method;
      method.engine = engine;
      method.variant = variant;
      method.config = config;
      method.ambiguous = parse_ambiguous(line);
      method.max_distance = line.size("max-distance");
      try {
        check_method(method);
        methods.push_back(method);
      } catch (const UsageError& error) {
        const std::string note =
            text_of(variant.empty() ? engine : variant, " is left out: ", error.what());
        if (has(notes, note)) continue;
        progress.note("rhomb: " + note);
        notes.push_back(note);
      }
    }
  if (methods.empty()) throw UsageError(notes.back() + line.pointer());
  return methods;
}

std::vector<Asked> product(const std::vector<PairAsked>& pairs,
                           const std::vector<DistanceOptions>& methods, int runs, bool align) {
  std::vector<Asked> all;
  for (const PairAsked& pair : pairs)
    for (const DistanceOptions& method : methods) {
      all.push_back({pair, method, runs});
      if (align) all.push_back({pair, method, runs, true});
    }
  return all;
}

}  // namespace rhomb::cli
