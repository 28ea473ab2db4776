// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

#include "host/error.h"
#include "tools/cli/input.h"
#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

char random_base(std::mt19937_64& rng) { return "ACGT"[rng() >> 62]; }

std::string random_text(std::int64_t length, std::mt19937_64& rng) {
  std::string text(static_cast<std::size_t>(length), 'A');
  for (char& base : text) base = random_base(rng);
  return text;
}

std::string edited_copy(const std::string& text, double divergence, std::mt19937_64& rng) {
  std::string edited;
  edited.reserve(text.size() + text.size() / 8);
  // Of 2^53 equally likely numbers, those below the threshold mean an edit.
  const auto threshold = static_cast<std::uint64_t>(divergence * 9007199254740992.0);
  for (const char base : text) {
    if ((rng() >> 11) >= threshold) {
      edited += base;
      continue;
    }
    switch (rng() % 3) {
      case 0: {
        char other = random_base(rng);
        while (other == base) other = random_base(rng);
        edited += other;
        break;
      }
      case 1:
        edited += random_base(rng);
        edited += base;
        break;
      default:
        break;  // a deletion
    }
  }
  return edited;
}

}  // namespace

Divergence parse_divergence(std::string_view text, std::string_view what) {
  if (text == "unrelated") return std::nullopt;
  const double divergence = parse_number(text, what);
  if (divergence > 1)
    throw UsageError(text_of(what, ": at most 1, that is an edit at each position; or the word ",
                             "unrelated, for texts that have nothing in common"));
  return divergence;
}

std::int64_t parse_length(std::string_view text, std::string_view what, std::int64_t least,
                          std::int64_t most) {
  const std::int64_t length = parse_size(text, what);
  if (length < least || length > most)
    throw UsageError(text_of(what, ": '", text, "' is not between ", with_commas(least), " and ",
                             with_commas(most)));
  return length;
}

std::vector<std::int64_t> parse_lengths(const CommandLine& line, const std::string& option,
                                        const std::string& usual, std::int64_t least,
                                        std::int64_t most) {
  std::vector<std::int64_t> lengths;
  for (const auto& text : split(line.text(option, usual), ','))
    lengths.push_back(parse_length(text, "--" + option, least, most));
  if (lengths.empty()) throw UsageError(text_of("--", option, ": none is given", line.pointer()));
  std::ranges::sort(lengths);
  return lengths;
}

std::string rearranged(const std::string& text, std::int64_t count, std::uint64_t seed) {
  constexpr double kShortest = 1e3, kLongestStretch = 1e5;
  std::mt19937_64 rng(seed);
  const auto uniform = [&rng] { return static_cast<double>(rng() >> 11) / 9007199254740992.0; };
  const auto complement = [](char base) {
    const auto at = std::string_view("ACGT").find(base);
    return at == std::string_view::npos ? base : "TGCA"[at];
  };
  std::string made;
  made.reserve(text.size() + text.size() / 8);
  const auto size = static_cast<std::int64_t>(text.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = size * i / count, share = size * (i + 1) / count - begin;
    const double drawn = kShortest * std::pow(kLongestStretch / kShortest, uniform());
    const std::int64_t length = std::min(static_cast<std::int64_t>(drawn), share / 2);
    const auto before =
        static_cast<std::int64_t>(uniform() * static_cast<double>(share - length + 1));
    const auto part = [&](std::int64_t from, std::int64_t to) {
      return std::string_view(text).substr(static_cast<std::size_t>(begin + from),
                                           static_cast<std::size_t>(to - from));
    };
    const std::string_view stretch = part(before, before + length);
    made += part(0, before);
    switch (i % 4) {
      case 0:
        made += random_text(length, rng);
        made += stretch;
        break;
      case 1:
        break;  // deleted
      case 2:
        made += stretch;
        made += stretch;
        break;
      default:
        std::transform(stretch.rbegin(), stretch.rend(), std::back_inserter(made), complement);
    }
    made += part(before + length, share);
  }
  return count > 0 ? made : text;
}

Sample random_sample(std::int64_t length, Divergence divergence, std::uint64_t seed,
                     std::int64_t structural) {
  std::mt19937_64 rng(seed);
  Sample sample{{"random", random_text(length, rng)}, {divergence ? "edited" : "another", {}}};
  sample.target.symbols =
      divergence ? edited_copy(structural > 0 ? rearranged(sample.query.symbols, structural, rng())
                                              : sample.query.symbols,
                               *divergence, rng)
                 : random_text(length, rng);
  return sample;
}

std::string edited_text(const std::string& text, double divergence, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  return edited_copy(text, divergence, rng);
}

Sample read_sample(const CommandLine& line) {
  const auto& files = line.files(2);
  const InputOptions input = parse_input(line);
  Inputs inputs = Reading(files[0], files[1], input).get();
  const auto pairs = make_pairs(inputs, files[0], files[1], input);
  if (pairs.size() > 1)
    throw UsageError("the files have " + std::to_string(pairs.size()) +
                     " pairs of records, a benchmark takes one; choose it with --record NAME, or "
                     "join the records with --concat");
  return {inputs.a.front(), inputs.second().front()};
}

}  // namespace rhomb::cli
