// SPDX-License-Identifier: Apache-2.0
// Pairs of texts that engines get wrong when they get something wrong, and the device to try them
// on. Everything random comes from a seed, so that a pair can be had again by its number.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/ocl/device.h"
#include "host/seq/alphabet.h"
#include "tests/support/random.h"

namespace rhomb::test {

/// The device all device tests share: RHOMB_DEVICE, or the library's choice. It is never destroyed,
/// because at the end of the program its driver may have gone before it. With
/// RHOMB_TEST_UNOPTIMIZED PoCL compiles without optimization.
inline ocl::Device& device() {
  static ocl::Device& shared =
      *[] {
        const char* wanted = std::getenv("RHOMB_DEVICE");
        const auto info = ocl::choose_device(wanted ? wanted : "", ocl::list_devices());
        if (std::getenv("RHOMB_TEST_UNOPTIMIZED") != nullptr &&
            info.platform.find("Portable Computing Language") != std::string::npos)
          setenv("RHOMB_BUILD_OPTIONS", "-cl-opt-disable", 1);
        return std::make_unique<ocl::Device>(info);
      }()
           .release();
  return shared;
}

/// Two texts and what they are, for messages.
struct Pair {
  std::string what;
  std::string a;
  std::string b;
};

/// `alphabet_size` symbols: letters where they suffice, else all bytes from 0 on.
inline char first_of(int alphabet_size) { return alphabet_size <= 26 ? 'A' : '\0'; }

/// Codes of all symbols of the alphabet, so that each alphabet needs one program a configuration.
inline seq::Code whole_code(int alphabet_size) {
  std::string symbols;
  for (int i = 0; i < alphabet_size; ++i) symbols += static_cast<char>(first_of(alphabet_size) + i);
  return seq::make_code(symbols, "");
}

/// Distances and texts for messages, and distances to compare.
inline std::string shown(std::optional<std::int64_t> distance) {
  return distance ? std::to_string(*distance) : std::string("nothing");
}
inline std::string shown(const std::string& text) {
  if (text.size() > 400) return "(long)";
  return '"' + text + '"';
}

/// The symbols of `text`, 'A' and so on, as nucleotides: mostly certain ones, with one ambiguous
/// one in `one_in` among them.
inline std::string as_nucleotides(Rng& rng, std::string text, std::size_t one_in) {
  constexpr std::string_view kAmbiguous = "NRYSWKMBDHVnry";
  for (char& symbol : text)
    symbol = rng() % one_in == 0 ? kAmbiguous[random_below(rng, kAmbiguous.size())]
                                 : "ACGTUacgt"[(symbol - 'A') % 9];
  return text;
}

/// Makes the texts differ at both ends, so that there is no common prefix or suffix to strip.
inline void part_ends(Pair& pair, int alphabet_size) {
  if (pair.a.empty() || pair.b.empty()) return;
  const char first = first_of(alphabet_size);
  const auto next = [&](char symbol) {
    const int rank = static_cast<unsigned char>(symbol - first);  // char may have a sign
    return static_cast<char>(first + (rank + 1) % alphabet_size);
  };
  if (pair.a.front() == pair.b.front()) pair.b.front() = next(pair.b.front());
  if (pair.a.back() == pair.b.back()) pair.b.back() = next(pair.b.back());
}

/// How a random pair comes about: the recipes below.
struct Recipe {
  std::string_view name;
  /// Texts of about `length` symbols; `rate` is how much is edited, where something is.
  Pair (*make)(Rng& rng, std::size_t length, double rate, int alphabet);
};

/// Calls add() with close and other pairs about one length; gaps may often stand in several places.
template <class Add>
void each_pair_about(Rng& rng, std::size_t m, int alphabet, const Add& add) {
  const char first = first_of(alphabet);
  const std::string text = random_text(rng, m, alphabet, first);
  add(text, mutate(rng, text, 0.02, alphabet, first));
  add(mutate(rng, text, 0.1, alphabet, first), text);
  add(mutate(rng, text, 0.3, alphabet, first), mutate(rng, text, 0.3, alphabet, first));
  add(text, random_text(rng, random_below(rng, 2 * m + 2), alphabet, first));
  add(text, text.substr(0, random_below(rng, m + 1)));
  add(text.substr(random_below(rng, m + 1)), text);
  add(std::string(m, first), std::string(random_below(rng, 2 * m + 2), first));
  add(text, random_text(rng, random_below(rng, 40), alphabet, first) + text);
  add(text.substr(0, random_below(rng, std::min<std::size_t>(m + 1, 3))), text);
  std::string repeated;
  while (repeated.size() < m) repeated += text.substr(0, 1 + m % 7);
  add(repeated, mutate(rng, repeated, 0.1, alphabet, first));
}

namespace recipe {

inline std::string text(Rng& rng, std::size_t length, int alphabet) {
  return random_text(rng, length, alphabet, first_of(alphabet));
}
inline std::string edited(Rng& rng, std::string_view from, double rate, int alphabet) {
  return mutate(rng, from, rate, alphabet, first_of(alphabet));
}

/// A random piece of `of`, at most `longest` symbols: position and length.
inline std::pair<std::size_t, std::size_t> piece(Rng& rng, std::string_view of,
                                                 std::size_t longest) {
  const auto at = random_below(rng, of.size() + 1);
  return {at, random_below(rng, std::min(longest, of.size() - at) + 1)};
}
inline std::string repeated(std::string_view unit, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += unit;
  return text;
}

inline Pair unrelated(Rng& rng, std::size_t length, double, int alphabet) {
  return {"", text(rng, length, alphabet), text(rng, random_below(rng, length + 1), alphabet)};
}
inline Pair mutated(Rng& rng, std::size_t length, double rate, int alphabet) {
  const auto a = text(rng, length, alphabet);
  return {"", a, edited(rng, a, rate, alphabet)};
}
inline Pair replaced(Rng& rng, std::size_t length, double rate, int alphabet) {
  Pair pair{"", text(rng, length, alphabet), ""};
  pair.b = pair.a;
  std::bernoulli_distribution here(rate);
  for (char& c : pair.b)
    if (here(rng)) c = random_symbol(rng, alphabet, first_of(alphabet));
  return pair;
}
inline Pair moved(Rng& rng, std::size_t length, double rate, int alphabet) {
  const auto a = text(rng, length, alphabet);
  const auto [at, size] = piece(rng, a, length / 2);
  std::string rest = a.substr(0, at) + a.substr(at + size);
  rest.insert(random_below(rng, rest.size() + 1), a.substr(at, size));
  return {"", a, edited(rng, rest, rate / 10, alphabet)};
}
inline Pair turned_block(Rng& rng, std::size_t length, double rate, int alphabet) {
  auto a = text(rng, length, alphabet);
  auto b = edited(rng, a, rate / 10, alphabet);
  const auto [at, size] = piece(rng, b, length / 2);
  std::reverse(b.begin() + static_cast<std::ptrdiff_t>(at),
               b.begin() + static_cast<std::ptrdiff_t>(at + size));
  return {"", std::move(a), std::move(b)};
}
inline Pair reversed(Rng& rng, std::size_t length, double, int alphabet) {
  const auto a = text(rng, length, alphabet);
  return {"", a, {a.rbegin(), a.rend()}};
}
inline Pair rotated(Rng& rng, std::size_t length, double, int alphabet) {
  const auto a = text(rng, length, alphabet);
  const auto by = random_below(rng, length + 1);
  return {"", a, a.substr(by) + a.substr(0, by)};
}
inline Pair long_repeat(Rng& rng, std::size_t length, double rate, int alphabet) {
  const auto unit = text(rng, 1 + length / 5, alphabet);
  return {"", repeated(unit, 2 + random_below(rng, 3)),
          edited(rng, repeated(unit, 1 + random_below(rng, 4)), rate / 10, alphabet)};
}
inline Pair tandem(Rng& rng, std::size_t length, double rate, int alphabet) {
  const auto unit = text(rng, 1 + random_below(rng, 7), alphabet);
  const auto most = 1 + length / unit.size();
  const auto before = text(rng, random_below(rng, 9), alphabet);
  const auto after = text(rng, random_below(rng, 9), alphabet);
  return {
      "", before + repeated(unit, random_below(rng, most)) + after,
      edited(rng, before + repeated(unit, random_below(rng, most)) + after, rate / 10, alphabet)};
}
inline Pair runs(Rng& rng, std::size_t length, double, int alphabet) {
  Pair pair;
  while (pair.a.size() < length) {
    const char symbol = random_symbol(rng, alphabet, first_of(alphabet));
    const auto size = 1 + random_below(rng, 1 + length / 4);
    pair.a.append(size, symbol);
    pair.b.append(size + random_below(rng, 5) - std::min<std::size_t>(size, 2), symbol);
  }
  return pair;
}
inline Pair prefix(Rng& rng, std::size_t length, double, int alphabet) {
  const auto a = text(rng, length, alphabet);
  return {"", a, a.substr(0, random_below(rng, length + 1))};
}
inline Pair suffix(Rng& rng, std::size_t length, double, int alphabet) {
  const auto a = text(rng, length, alphabet);
  return {"", a, a.substr(random_below(rng, length + 1))};
}
inline Pair inside(Rng& rng, std::size_t length, double rate, int alphabet) {
  const auto a = text(rng, length, alphabet);
  const auto [at, size] = piece(rng, a, length);
  return {"", a, edited(rng, a.substr(at, size), rate / 10, alphabet)};
}
inline Pair inserted(Rng& rng, std::size_t length, double rate, int alphabet) {
  const auto a = text(rng, length - length / 3, alphabet);
  auto b = edited(rng, a, rate / 10, alphabet);
  b.insert(random_below(rng, b.size() + 1), text(rng, length / 3, alphabet));
  return {"", a, b};
}
inline Pair disjoint(Rng& rng, std::size_t length, double, int alphabet) {
  const int half = std::max(1, alphabet / 2);
  const char first = first_of(alphabet);
  const auto second = static_cast<char>(first + half);
  return {"", random_text(rng, length, half, first),
          random_text(rng, random_below(rng, length + 1), half, second)};
}
inline Pair unequal(Rng& rng, std::size_t length, double, int alphabet) {
  const auto b = text(rng, length, alphabet);
  const auto size = std::min<std::size_t>(length, random_below(rng, 12));
  if (rng() % 2 == 0) return {"", text(rng, size, alphabet), b};
  std::string a;  // a subsequence of b
  for (std::size_t i = 0; i < size; ++i) a += b[i * length / size];
  return {"", a, b};
}

}  // namespace recipe

inline constexpr Recipe kRecipes[] = {{"unrelated", recipe::unrelated},
                                      {"mutated", recipe::mutated},
                                      {"mutated", recipe::mutated},
                                      {"replaced", recipe::replaced},
                                      {"block moved", recipe::moved},
                                      {"block turned", recipe::turned_block},
                                      {"reversed", recipe::reversed},
                                      {"rotated", recipe::rotated},
                                      {"long repeat", recipe::long_repeat},
                                      {"tandem repeat", recipe::tandem},
                                      {"runs", recipe::runs},
                                      {"prefix", recipe::prefix},
                                      {"suffix", recipe::suffix},
                                      {"inside", recipe::inside},
                                      {"block inserted", recipe::inserted},
                                      {"no symbol in common", recipe::disjoint},
                                      {"very unequal", recipe::unequal}};

/// Pair number `number` of a seed: a random recipe with texts of up to `longest` symbols, more
/// often short than long, over `alphabet` symbols.
inline Pair random_pair(std::uint64_t seed, std::uint64_t number, std::size_t longest,
                        int alphabet) {
  Rng rng(seed * 1'000'003 + number);
  const auto& recipe = kRecipes[random_below(rng, std::size(kRecipes))];
  const double part = static_cast<double>(random_below(rng, 1001)) / 1000;
  const auto length = static_cast<std::size_t>(static_cast<double>(longest) * part * part);
  // 0.1% to 60%, evenly on a logarithmic scale.
  const double rate = 0.001 * std::pow(600, static_cast<double>(random_below(rng, 101)) / 100);
  Pair pair = recipe.make(rng, length, rate, alphabet);
  if (rng() % 4 != 0 && recipe.make != recipe::prefix && recipe.make != recipe::suffix)
    part_ends(pair, alphabet);
  if (rng() % 2 == 0) std::swap(pair.a, pair.b);
  pair.what = std::string(recipe.name) + ", pair " + std::to_string(number) + ", " +
              std::to_string(pair.a.size()) + " x " + std::to_string(pair.b.size()) + ", " +
              std::to_string(alphabet) + " symbols, rate " + std::to_string(rate);
  return pair;
}

/// Pairs without chance in their shape: empty, equal, nothing in common, one much longer, and
/// matches of thousands of symbols between differences. Four symbols.
inline std::vector<Pair> shaped_pairs(Rng& rng) {
  const auto text = [&](std::size_t length) { return random_text(rng, length, 4); };
  const auto some = text(100), wide = text(3000), wider = text(5000), tenth = text(10);
  std::vector<Pair> pairs = {
      {"both empty", "", ""},
      {"one empty", "", "A"},
      {"one empty", some, ""},
      {"one symbol, equal", "A", "A"},
      {"one symbol, different", "A", "B"},
      {"one symbol against two", "A", "BA"},
      {"two symbols exchanged", "AB", "BA"},
      {"identical", some, some},
      {"one symbol repeated", std::string(64, 'A'), std::string(65, 'A')},
      {"one symbol repeated", std::string(200, 'A'), "A"},
      {"repeats of one and two", std::string(130, 'A'), recipe::repeated("AB", 65)},
      {"shifted by one", recipe::repeated("AB", 50), recipe::repeated("BA", 50)},
      {"prefix", some, some.substr(0, 37)},
      {"suffix", some.substr(37), some},
      {"1 x 700, found", "C", text(699) + "C"},
      {"1 x 700, not found", "D", std::string(700, 'A')},
      {"10 x 1000, spread", tenth, recipe::repeated(text(99) + tenth[0], 10)},
  };
  // Long matches on the main diagonal, and on others: the second text lost and gained blocks.
  Pair sparse{"a difference each 1000 symbols", wider, wider};
  for (std::size_t i = 0; i < wider.size(); i += 1000) sparse.b[i] = sparse.b[i] == 'A' ? 'B' : 'A';
  pairs.push_back(sparse);
  pairs.push_back({"long matches on several diagonals", "A" + wider + wide + "C",
                   "B" + text(40) + wider + text(9) + wide.substr(33) + "D"});
  pairs.push_back(
      {"a long repeat, twice and once", "A" + wide + wide + "B", "C" + wide + text(21) + "D"});
  for (const std::size_t from : {31u, 32u, 33u, 63u, 64u, 65u, 1023u, 1024u, 1025u})
    pairs.push_back({"a match of " + std::to_string(from), "AB" + wide.substr(0, from) + "AA",
                     "C" + wide.substr(0, from) + "DC"});
  return pairs;
}

/// Pairs whose lengths and distances lie about `border`: a word, a group, a tile.
inline std::vector<Pair> border_pairs(Rng& rng, std::size_t border) {
  std::vector<Pair> pairs;
  for (std::size_t length = border - 1; length <= border + 1; ++length) {
    const auto text = random_text(rng, length, 4);
    pairs.push_back({"unrelated", text, random_text(rng, length, 4)});
    pairs.push_back({"mutated", text, mutate(rng, text, 0.1, 4)});
    pairs.push_back({"one longer", random_text(rng, length, 4), random_text(rng, length + 1, 4)});
    pairs.push_back({"no symbol in common", std::string(length, 'A'), std::string(border, 'C')});
    for (Pair& pair : pairs) part_ends(pair, 4);
  }
  for (Pair& pair : pairs) pair.what += ", about " + std::to_string(border);
  return pairs;
}

}  // namespace rhomb::test
