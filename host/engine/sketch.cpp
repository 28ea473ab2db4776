// SPDX-License-Identifier: Apache-2.0
#include "host/engine/sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <future>
#include <vector>

#include "host/batch/threads.h"

namespace rhomb {
namespace {

struct Word {
  std::uint64_t hash;
  std::uint32_t at;
};

/// Words sampled of a text: about so many times the root of its length, and so many at least.
constexpr double kOfRoot = 16, kFewest = 1 << 14;

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  return x;
}

std::uint64_t eight(const char* at) {
  std::uint64_t symbols;
  std::memcpy(&symbols, at, sizeof symbols);
  return symbols;
}

/// Of the 8 symbols that begin at each of `count` places: 16 bits. A sum, which compilers make of
/// many places at once.
void look_at_eight(const unsigned char* at, std::size_t count, std::uint16_t* bits) {
  for (std::size_t i = 0; i < count; ++i)
    bits[i] = static_cast<std::uint16_t>(
        at[i] * 0x9e37u + at[i + 1] * 0x79b9u + at[i + 2] * 0x7f4bu + at[i + 3] * 0xd134u +
        at[i + 4] * 0x2543u + at[i + 5] * 0xde83u + at[i + 6] * 0xef95u + at[i + 7] * 0x5851u);
}

/// The words of k symbols (8 to 24) of which the first 16 have a hash below `limit`, of those that
/// begin at [first, last), in the text's order. If they are few, of those words whose first 8
/// symbols have one of 32 hashes, and all the more of these: a look at 8 symbols tells for most.
std::vector<Word> sampled(std::string_view text, int k, std::uint64_t limit, std::size_t first,
                          std::size_t last) {
  constexpr std::uint64_t kFew = std::uint64_t{1} << 58;
  constexpr std::size_t kPlaces = 2048;
  const int second = std::min(k, 16) - 8, third = k - 8;
  const bool few = limit < kFew;
  if (few) limit *= 32;
  std::vector<Word> words;
  std::array<std::uint16_t, kPlaces> bits{}, chosen;
  for (std::size_t from = first; from < last; from += kPlaces) {
    const std::size_t count = std::min(kPlaces, last - from);
    const char* const place = text.data() + from;
    if (few) look_at_eight(reinterpret_cast<const unsigned char*>(place), count, bits.data());
    std::size_t found = 0;  // without a branch that nobody can foresee
    for (std::size_t i = 0; i < count; ++i) {
      chosen[found] = static_cast<std::uint16_t>(i);
      found += bits[i] >> 11 == 0;
    }
    for (std::size_t x = 0; x < found; ++x) {
      const char* const word = place + chosen[x];
      const std::uint64_t begin = eight(word) * 0xd1342543de82ef95u;
      const std::uint64_t hash = mixed(begin + eight(word + second));
      if (hash >= limit) continue;
      words.push_back(
          {mixed(hash ^ mixed(eight(word + third))), static_cast<std::uint32_t>(from + chosen[x])});
    }
  }
  return words;
}

/// All of a text's, in its order. Long texts are cut into parts, a thread each.
std::vector<Word> sampled(std::string_view text, int k, std::uint64_t limit, std::size_t threads) {
  std::vector<Word> words;
  if (text.size() < static_cast<std::size_t>(k)) return words;
  const std::size_t starts = text.size() - static_cast<std::size_t>(k) + 1;
  const std::size_t most = std::min<std::size_t>(batch::threads_of(threads), 8);
  const std::size_t parts = std::clamp<std::size_t>(starts >> 18, 1, most);
  std::vector<std::future<std::vector<Word>>> others;
  for (std::size_t p = 1; p < parts; ++p)
    others.push_back(std::async(std::launch::async, [=] {
      return sampled(text, k, limit, starts * p / parts, starts * (p + 1) / parts);
    }));
  words = sampled(text, k, limit, 0, starts / parts);
  for (auto& other : others) {
    const std::vector<Word> more = other.get();
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

/// What the samples have in common, by places in the first text.
struct Common {
  std::vector<Anchor> anchors;           ///< words that occur once in either sample
  std::vector<std::int64_t> candidates;  ///< words of the first that could be: once there, and at
                                         ///< most once in the second
};

/// Where a word is in either sample, and how often: 0, 1 or 2 for more.
struct Entry {
  std::uint64_t hash;
  std::uint32_t at_b;
  std::uint8_t in_a, in_b;
};

/// The entries of a sample's words by their hashes: linear probing, at most half full.
class Table {
 public:
  explicit Table(std::size_t words) : mask_(std::bit_ceil(2 * words + 1) - 1) {
    entries_.resize(mask_ + 1);
  }

  /// The place of a word's entry, or of the free one where it belongs.
  std::uint32_t place(std::uint64_t hash) const {
    std::size_t place = hash & mask_;
    while (entries_[place].in_a != 0 && entries_[place].hash != hash) place = (place + 1) & mask_;
    return static_cast<std::uint32_t>(place);
  }
  Entry& operator[](std::uint32_t place) { return entries_[place]; }

 private:
  std::size_t mask_;
  std::vector<Entry> entries_;
};

void count_one_more(std::uint8_t& count) { count = static_cast<std::uint8_t>(count == 0 ? 1 : 2); }

/// Threads share the words by their hashes, each with a table of its own.
Common common(const std::vector<Word>& a, const std::vector<Word>& b, std::size_t threads) {
  constexpr std::int64_t kNot = -2, kAlone = -1;  // no candidate; not in b
  std::vector<std::int64_t> meets(a.size(), kNot);
  const std::size_t parts = std::clamp<std::size_t>(a.size() >> 12, 1, batch::threads_of(threads));
  batch::in_parts(parts, parts, [&](std::size_t part, std::size_t, std::size_t) {
    const auto mine = [&](const Word& word) { return (word.hash >> 32) * parts >> 32 == part; };
    Table table(static_cast<std::size_t>(std::count_if(a.begin(), a.end(), mine)));
    std::vector<std::pair<std::size_t, std::uint32_t>> places;  // of a's words
    for (std::size_t x = 0; x < a.size(); ++x) {
      if (!mine(a[x])) continue;
      places.emplace_back(x, table.place(a[x].hash));
      Entry& entry = table[places.back().second];
      entry.hash = a[x].hash;
      count_one_more(entry.in_a);
    }
    for (const Word& word : b) {
      if (!mine(word)) continue;
      Entry& entry = table[table.place(word.hash)];
      if (entry.in_a == 0) continue;
      entry.at_b = word.at;
      count_one_more(entry.in_b);
    }
    for (const auto& [x, place] : places)
      if (const Entry& entry = table[place]; entry.in_a == 1 && entry.in_b <= 1)
        meets[x] = entry.in_b == 1 ? std::int64_t{entry.at_b} : kAlone;
  });
  Common found;
  for (std::size_t x = 0; x < a.size(); ++x) {
    if (meets[x] == kNot) continue;
    found.candidates.push_back(a[x].at);
    if (meets[x] != kAlone) found.anchors.push_back({a[x].at, meets[x]});
  }
  return found;
}

/// Symbols of a word: chance makes few such words meet in texts so long.
int word_length(double longest) {
  return 9 + static_cast<int>(std::log(longest + 1) / std::log(4.0) * 0.8);
}

/// What samples of both texts have in common, `rate` of their words.
Common sampled_common(std::string_view a, std::string_view b, int k, double rate,
                      std::size_t threads) {
  const auto limit =
      rate >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(rate * 18446744073709551615.0);
  const std::size_t half = batch::half_of(threads);
  auto words_a = std::async(batch::beside(threads), [&] { return sampled(a, k, limit, half); });
  const std::vector<Word> words_b = sampled(b, k, limit, half);
  return common(words_a.get(), words_b, threads);
}

/// The longest chain that advances in both texts (patience sorting).
std::vector<Anchor> chain_of(const std::vector<Anchor>& anchors) {
  std::vector<std::size_t> tails, before(anchors.size());
  constexpr auto kNone = static_cast<std::size_t>(-1);
  for (std::size_t x = 0; x < anchors.size(); ++x) {
    const bool last = tails.empty() || anchors[tails.back()].j < anchors[x].j;  // mostly
    const auto place = last ? tails.end()
                            : std::lower_bound(tails.begin(), tails.end(), anchors[x].j,
                                               [&](std::size_t tail, std::int64_t j) {
                                                 return anchors[tail].j < j;
                                               });
    before[x] = place == tails.begin() ? kNone : *(place - 1);
    if (place == tails.end())
      tails.push_back(x);
    else
      *place = x;
  }
  std::vector<Anchor> chain;
  for (std::size_t x = tails.empty() ? kNone : tails.back(); x != kNone; x = before[x])
    chain.push_back(anchors[x]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// Edits a symbol between unrelated texts over an alphabet as skewed as this one: 0.51 for four
/// equally frequent letters, more for more.
double unrelated(std::string_view text) {
  std::array<double, 256> count{};
  // 65,536 symbols of long texts: stretches, since what takes time is to get them from memory.
  constexpr std::size_t kStretch = 64;
  for (std::size_t i = 0; i < text.size(); i += std::max(kStretch, text.size() / 1024))
    for (const char symbol : text.substr(i, kStretch))
      count[static_cast<unsigned char>(symbol)] += 1;
  double total = 0, same = 0;
  for (const double c : count) total += c;
  for (const double c : count) same += c / total * c / total;
  // Measured for 2, 4, 20 and 256 equally frequent symbols: 0.29, 0.51, 0.79, 0.94.
  return 1.02 * (1 - std::pow(same, 0.5));
}

}  // namespace

std::vector<Anchor> common_chain(std::string_view a, std::string_view b, double sample,
                                 std::size_t threads) {
  if (a.empty() || b.empty()) return {};
  const auto longest = static_cast<double>(std::max(a.size(), b.size()));
  const double rate = std::min(1.0, sample / longest);
  return chain_of(sampled_common(a, b, word_length(longest), rate, threads).anchors);
}

Sketch sketch_distance(std::string_view a, std::string_view b, std::size_t threads) {
  Sketch sketch;
  sketch.distance = static_cast<std::int64_t>(a.size() + b.size());
  if (a.empty() || b.empty()) return sketch;
  const auto m = static_cast<double>(a.size()), n = static_cast<double>(b.size());
  const double longest = std::max(m, n);
  const double most = unrelated(a.size() < b.size() ? a : b);
  const int k = word_length(longest);
  const double rate = std::min(1.0, std::max(kFewest, kOfRoot * std::sqrt(longest)) / longest);
  const Common both = sampled_common(a, b, k, rate, threads);
  sketch.chain = chain_of(both.anchors);

  // Pieces of the chain with about 48 words expected each.
  const double piece = 48 / rate;
  double cost = 0, covered = 0, gaps = 0;
  Anchor from{0, 0};
  std::size_t found = 0, candidate = 0;
  const auto add = [&](const Anchor& to) {
    const double di = static_cast<double>(to.i - from.i), dj = static_cast<double>(to.j - from.j);
    const double shorter = std::min(di, dj);
    // Of the words that the first text has up to here, those that would be found if the texts were
    // the same; repeats are not. Where it is the longer one, a part of them has nothing to meet.
    const std::size_t first = candidate;
    while (candidate < both.candidates.size() && both.candidates[candidate] <= to.i) ++candidate;
    const double share = di > 0 ? shorter / di : 1;
    const double expected = std::max(static_cast<double>(candidate - first) * share, 0.5);
    const double survive = std::min(1.0, static_cast<double>(found) / expected);
    const double differ = survive > 0 ? 1 - std::pow(survive, 1.0 / k) : 1;
    // Texts that differ in a third of the symbols cost as much as unrelated ones, and a word or two
    // unrelated ones have in common.
    const double doubt = found < 3 ? 1 : std::clamp((differ - 0.26) / 0.12, 0.0, 1.0);
    const double edits = std::min(differ + doubt * (most - differ), most);
    cost += std::abs(di - dj) + edits * shorter;
    gaps += std::abs(di - dj);
    if (doubt < 1) covered += std::max(di, dj);
    from = to;
    found = 0;
  };
  for (const Anchor& anchor : sketch.chain) {
    ++found;
    if (static_cast<double>(std::min(anchor.i - from.i, anchor.j - from.j)) >= piece) add(anchor);
  }
  add({static_cast<std::int64_t>(m), static_cast<std::int64_t>(n)});
  // Without any regard to what they have in common.
  const double plain = std::abs(m - n) + most * std::min(m, n);
  sketch.distance = static_cast<std::int64_t>(std::max(std::min(cost, plain), std::abs(m - n)));
  sketch.gaps = static_cast<std::int64_t>(gaps);
  sketch.covered = std::min(1.0, covered / longest);
  return sketch;
}

}  // namespace rhomb
