// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "host/engine/reference.h"
#include "tests/campaign/campaign.h"
#include "tests/support/peers.h"
#include "tests/support/words.h"

namespace rhomb::campaign {

bool tiny = false;

std::size_t draw_length(Rng& rng, std::size_t longest) {
  if (one_in(rng, 2)) {
    const std::size_t border = std::size_t{1} << below(rng, 14);
    const std::size_t length = border * (one_in(rng, 2) ? 1 : 1 + below(rng, 9)) + below(rng, 5);
    if (length >= 2 && length - 2 <= longest) return length - 2;
  }
  const double part = static_cast<double>(below(rng, 1001)) / 1000;
  return static_cast<std::size_t>(static_cast<double>(longest) * part * part);
}

tune::Config draw_config(Rng& rng, const tune::Space& space) {
  tune::Config config;
  if (!tiny && one_in(rng, 6)) return config;
  for (const tune::Param& param : space) {
    if (param.values.empty() || (!tiny && one_in(rng, 2))) continue;
    int value = any_of(rng, param.values);
    if (tiny && param.name == "WG") value = 1 << below(rng, 6);
    if (tiny) value = std::min(value, any_of(rng, param.values));
    if (one_in(rng, 10)) value += static_cast<int>(below(rng, 3)) - 1;
    config.set(param.name, value);
  }
  return config;
}

std::string Symbols::text() const {
  std::string made = std::to_string(letters) + " letters";
  if (nucleotides) made = "nucleotides";
  if (ambiguous == seq::Ambiguous::kMatch) made += ", ambiguous match";
  if (ambiguous == seq::Ambiguous::kMismatch) made += ", ambiguous mismatch";
  return made;
}

Symbols draw_symbols(Rng& rng) {
  Symbols symbols;
  const std::size_t kind = below(rng, 10);
  if (kind < 4) {
    symbols.letters = 3 + static_cast<int>(below(rng, 2));
  } else if (kind < 7) {
    constexpr int kLetters[] = {1,  2,  2,  5,  7,  8,   9,   16,  17,  20,
                                26, 32, 33, 64, 65, 100, 128, 129, 255, 256};
    symbols.letters = any_of(rng, kLetters);
  } else {
    symbols.nucleotides = true;
    symbols.letters = 9;
    constexpr seq::Ambiguous kAll[] = {seq::Ambiguous::kMatch, seq::Ambiguous::kMatch,
                                       seq::Ambiguous::kMismatch, seq::Ambiguous::kSymbol};
    symbols.ambiguous = any_of(rng, kAll);
  }
  if (symbols.nucleotides) {
    constexpr std::string_view kAll = "ACGTURYSWKMBDHVNacgturyswkmbdhvn";
    symbols.code = seq::make_code(kAll, kAll, symbols.ambiguous);
  } else {
    // Texts of one letter each that have none in common have two.
    symbols.code = test::whole_code(std::max(symbols.letters, 2));
  }
  return symbols;
}

namespace {

/// The letters of the recipes as the symbols have them; now and then with a run of N.
std::string dressed(Rng& rng, std::string text, const Symbols& symbols) {
  if (!symbols.nucleotides) return text;
  text = test::as_nucleotides(rng, std::move(text), one_in(rng, 2) ? 8 : 1000);
  if (one_in(rng, 4)) {
    const auto [at, size] = test::recipe::piece(rng, text, 1 + text.size() / 2);
    std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), size, 'N');
  }
  return text;
}

}  // namespace

std::string draw_text(Rng& rng, std::size_t length, const Symbols& symbols) {
  return dressed(rng, test::recipe::text(rng, length, symbols.letters), symbols);
}

std::string draw_edited(Rng& rng, std::string_view text, double rate, const Symbols& symbols) {
  if (!symbols.nucleotides) return test::recipe::edited(rng, text, rate, symbols.letters);
  std::string made = test::mutate(rng, text, rate, 4);  // letters A to D are all nucleotides
  return made;
}

std::pair<std::string, std::string> draw_pair(Rng& rng, std::size_t longest,
                                              const Symbols& symbols) {
  const std::size_t length = draw_length(rng, longest);
  const double rate = 0.001 * std::pow(600, static_cast<double>(below(rng, 101)) / 100);
  test::Pair pair = any_of(rng, test::kRecipes).make(rng, length, rate, symbols.letters);
  switch (below(rng, 12)) {
    case 0:
      pair.b = pair.a;
      break;
    case 1:
      pair.b.resize(std::min(draw_length(rng, longest), pair.b.size()));
      break;
    case 2:  // one symbol, or a few, apart
      pair.b = pair.a;
      for (std::size_t i = 1 + below(rng, 3); i > 0 && !pair.b.empty(); --i)
        pair.b[below(rng, pair.b.size())] =
            test::random_symbol(rng, symbols.letters, test::first_of(symbols.letters));
      break;
    case 3:
      if (one_in(rng, 4)) pair.b.clear();
      break;
    default:
      break;
  }
  if (symbols.nucleotides) {  // what is the same stays the same, mostly
    const std::uint64_t seed = rng();
    Rng first(seed), second(one_in(rng, 4) ? seed + 1 : seed);
    pair.a = dressed(first, std::move(pair.a), symbols);
    pair.b = dressed(second, std::move(pair.b), symbols);
  } else if (!one_in(rng, 4)) {
    test::part_ends(pair, symbols.letters);
  }
  if (one_in(rng, 2)) std::swap(pair.a, pair.b);
  return {std::move(pair.a), std::move(pair.b)};
}

Case draw_pairs(Rng& rng, std::size_t count, std::size_t longest, const Symbols& symbols) {
  Case made;
  for (std::size_t i = 0; i < count; ++i) {
    auto [a, b] = draw_pair(rng, longest, symbols);
    made.a.push_back(std::move(a));
    made.b.push_back(std::move(b));
  }
  return made;
}

namespace {

#ifdef RHOMB_HAVE_EDLIB
std::int64_t by_edlib(std::string_view a, std::string_view b, const seq::Code& code) {
  std::string x, y;  // codes, that ambiguity is edlib's too
  for (const char c : a) x += static_cast<char>(code.a[static_cast<unsigned char>(c)]);
  for (const char c : b) y += static_cast<char>(code.b[static_cast<unsigned char>(c)]);
  if (code.matching == seq::Matching::kEqual) return test::edlib_distance(x, y);
  std::vector<EdlibEqualityPair> equal;
  for (int u = 1; u < 16; ++u)
    for (int v = 1; v < 16; ++v)
      if (u != v && (u & v) != 0) equal.push_back({static_cast<char>(u), static_cast<char>(v)});
  if (x.empty() || y.empty()) return static_cast<std::int64_t>(x.size() + y.size());
  const auto result =
      edlibAlign(x.data(), static_cast<int>(x.size()), y.data(), static_cast<int>(y.size()),
                 edlibNewAlignConfig(-1, EDLIB_MODE_NW, EDLIB_TASK_DISTANCE, equal.data(),
                                     static_cast<int>(equal.size())));
  const int distance = result.editDistance;
  edlibFreeAlignResult(result);
  return distance;
}
#endif

}  // namespace

std::int64_t distance_of(std::string_view a, std::string_view b, const seq::Code& code) {
  const std::int64_t distance = test::distance_by_words(a, b, code);
  const auto agree = [&](const char* oracle, std::int64_t other) {
    if (other != distance)
      throw std::logic_error(std::string(oracle) + " says " + std::to_string(other) + ", words " +
                             std::to_string(distance));
  };
#ifdef RHOMB_HAVE_EDLIB
  agree("edlib", by_edlib(a, b, code));
#endif
  if (a.size() * b.size() <= 20'000) agree("reference", reference::edit_distance(a, b, code));
  return distance;
}

}  // namespace rhomb::campaign
