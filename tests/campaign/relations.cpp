// SPDX-License-Identifier: Apache-2.0
// Answers that must fit each other: no oracle is needed, so texts may be long.
#include <algorithm>

#include "host/distance/distance.h"
#include "host/distance/methods.h"
#include "host/search/occurrence.h"
#include "tests/campaign/campaign.h"

namespace rhomb::campaign {
namespace {

std::string turned(const std::string& text) { return {text.rbegin(), text.rend()}; }

/// Another letter for each.
std::string renamed(const std::string& text, int letters) {
  std::string made = text;
  const char first = test::first_of(letters);
  for (char& symbol : made)
    symbol = static_cast<char>(first + (static_cast<unsigned char>(symbol - first) + 1) % letters);
  return made;
}

}  // namespace

Trial relations_trial(Rng& rng, Context& context) {
  constexpr std::size_t kLongest[] = {300, 3000, 20'000, 60'000};
  const std::size_t longest = draw_longest(rng, kLongest);
  constexpr int kLetters[] = {2, 4, 4, 4, 20};
  Symbols symbols;
  symbols.letters = any_of(rng, kLetters);
  symbols.code = test::whole_code(symbols.letters);
  DistanceOptions options;
  constexpr std::string_view kVariants[] = {"", "", "strips", "strips-blocks", "fused"};
  options.variant = any_of(rng, kVariants);
  if (longest > 20'000) options.variant = "";
  Trial trial;
  trial.what = "relations of " + symbols.text() + ", up to " + std::to_string(longest) +
               (options.variant.empty() ? "" : " by " + options.variant);
  trial.draw = [=](Rng& numbers) {
    Case made = draw_pairs(numbers, 1, longest, symbols);
    std::string third = draw_edited(numbers, made.a[0], 0.05, symbols);
    if (one_in(numbers, 2)) third = draw_pair(numbers, longest, symbols).first;
    made.a.push_back(third);
    made.b.push_back("");
    return made;
  };
  trial.check = [=, &context](const Case& one, Rng& numbers) -> Outcome {
    if (one.a.size() < 2) return {};
    const std::string &a = one.a[0], &b = one.b[0], &c = one.a[1];
    const auto distance = [&](std::string_view x, std::string_view y) {
      // Without an engine being named, short pairs would all be the host's.
      DistanceOptions asked = options;
      if (asked.variant.empty() && x.size() * y.size() < 1'000'000) asked.engine = "strips";
      return *context.devices->distance(x, y, asked).distance;
    };
    const std::int64_t d = distance(a, b);
    std::string wrong = differ("swapped", distance(b, a), d);
    if (wrong.empty()) wrong = differ("reversed", distance(turned(a), turned(b)), d);
    if (wrong.empty())
      wrong = differ("other letters",
                     distance(renamed(a, symbols.letters), renamed(b, symbols.letters)), d);
    if (wrong.empty())
      wrong = differ("with a common start and end",
                     distance(c.substr(0, 1000) + a + c, c.substr(0, 1000) + b + c), d);
    if (!wrong.empty()) return {wrong};
    const std::int64_t via = distance(a, c) + distance(c, b);
    if (via < d)
      return {"triangle: " + std::to_string(d) + " but by a third text " + std::to_string(via)};
    std::string edited = b;
    const std::size_t at = below(numbers, b.size() + 1);
    if (at < b.size() && one_in(numbers, 2))
      edited.erase(at, 1);
    else
      edited.insert(at, 1,
                    test::random_symbol(numbers, symbols.letters, test::first_of(symbols.letters)));
    if (const std::int64_t there = distance(a, edited); std::abs(there - d) > 1)
      return {"one edit: " + std::to_string(there) + " after " + std::to_string(d)};
    // A path goes through some place of any row: the alignment says which.
    const AlignAnswer aligned = context.devices->align(a, b);
    if (aligned.distance != d) return {differ("aligned", aligned.distance, std::optional(d))};
    const auto row = static_cast<std::int64_t>(below(numbers, a.size() + 1));
    std::int64_t i = 0, j = 0;
    for (const auto& [edit, length] : aligned.cigar)
      for (std::uint32_t k = 0; k < length && i < row; ++k) {
        i += edit == Edit::kDelete ? 0 : 1;
        j += edit == Edit::kInsert ? 0 : 1;
      }
    const auto cut = static_cast<std::size_t>(row), column = static_cast<std::size_t>(j);
    const std::int64_t parts =
        distance(std::string_view(a).substr(0, cut), std::string_view(b).substr(0, column)) +
        distance(std::string_view(a).substr(cut), std::string_view(b).substr(column));
    return {differ("split at row " + std::to_string(row), parts, d), 8};
  };
  return trial;
}

}  // namespace rhomb::campaign
