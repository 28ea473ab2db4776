// SPDX-License-Identifier: Apache-2.0
#include "host/engine/sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "host/batch/threads.h"

namespace rhomb {
namespace {

struct Word {
  std::uint64_t hash;
  std::uint32_t at;
  std::uint32_t meets;  ///< where the other text has it; or one of these:
};
constexpr std::uint32_t kNot = ~0u, kAlone = kNot - 1;  // no candidate; not in the other text

/// The words of both texts, in their order, as the threads have found them.
using Sample = std::vector<std::array<std::vector<Word>, 2>>;

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

/// Places that are looked at together. What is done with them has no branches that depend on the
/// text, which no processor could foresee.
constexpr std::size_t kPlaces = 2048;

/// The numbers of those of `count` places whose next 8 symbols have one of 32 hashes: sums of 16
/// bits, which compilers make for many places at once. Returns how many there are.
std::size_t look_at_eight(const unsigned char* at, std::size_t count,
                          std::array<std::uint16_t, kPlaces + 8>& found) {
  constexpr std::size_t kMarks = 64;
  std::array<std::uint16_t, kPlaces + 6> two;  // of so many symbols
  std::array<std::uint16_t, kPlaces + 4> four;
  std::array<std::uint8_t, kPlaces> marks{};
  for (std::size_t i = 0; i < count + 6; ++i)
    two[i] = static_cast<std::uint16_t>(at[i] * 0x9e37u + at[i + 1] * 0x79b9u);
  for (std::size_t i = 0; i < count + 4; ++i)
    four[i] = static_cast<std::uint16_t>(two[i] + two[i + 2] * 0xd135u);
  for (std::size_t i = 0; i < count; ++i)
    marks[i] = static_cast<std::uint16_t>(four[i] + four[i + 4] * 0xef95u) < 1u << 11;
  std::size_t size = 0;
  for (std::size_t from = 0; from < count; from += kMarks) {
    std::uint64_t left = 0;
    for (std::size_t eighth = 0; eighth < kMarks; eighth += 8) {
      const std::uint64_t bytes =
          eight(reinterpret_cast<const char*>(marks.data() + from + eighth));
      left |= bytes * 0x0102040810204080u >> 56 << eighth;
    }
    // Mostly there are no more than four.
    do {
      for (int i = 0; i < 4; ++i, left &= left - 1) {
        found[size] = static_cast<std::uint16_t>(
            from + static_cast<std::size_t>(__builtin_ctzll(left | std::uint64_t{1} << 63)));
        size += left != 0;
      }
    } while (left != 0);
  }
  return size;
}

/// The words of k symbols (8 to 24) of which the first 16 have a hash below `limit`, of those that
/// begin at [first, last), in the text's order. If they are few, of those words whose first 8
/// symbols have one of 32 hashes, and all the more of these: a look at 8 symbols tells for most.
std::vector<Word> sampled(std::string_view text, int k, std::uint64_t limit, std::size_t first,
                          std::size_t last) {
  constexpr std::uint64_t kFew = std::uint64_t{1} << 58;
  const int second = std::min(k, 16) - 8, third = k - 8;
  const bool few = limit < kFew;
  std::vector<Word> words;
  const double expected = std::ldexp(static_cast<double>(limit), -64);
  words.reserve(64 + static_cast<std::size_t>(1.1 * expected * static_cast<double>(last - first)));
  if (few) limit *= 32;
  std::array<std::uint16_t, kPlaces + 8> looked;
  std::array<std::pair<std::uint64_t, std::uint16_t>, kPlaces + 1> below;
  std::iota(looked.begin(), looked.end(), std::uint16_t{0});
  for (std::size_t from = first; from < last; from += kPlaces) {
    const char* const place = text.data() + from;
    std::size_t count = std::min(kPlaces, last - from), found = 0;
    if (few) count = look_at_eight(reinterpret_cast<const unsigned char*>(place), count, looked);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t begin = eight(place + looked[i]) * 0xd1342543de82ef95u;
      const std::uint64_t hash = mixed(begin + eight(place + looked[i] + second));
      below[found] = {hash, looked[i]};
      found += hash < limit;
    }
    for (std::size_t i = 0; i < found; ++i) {
      const auto [hash, at] = below[i];
      words.push_back({mixed(hash ^ mixed(eight(place + at + third))),
                       static_cast<std::uint32_t>(from + at), kNot});
    }
  }
  return words;
}

/// All of both texts'. Long texts are cut into parts, a thread each.
Sample sampled(const std::array<std::string_view, 2>& texts, int k, std::uint64_t limit,
               std::size_t threads) {
  const auto length = static_cast<std::size_t>(k);
  std::array<std::size_t, 2> starts{};
  for (std::size_t t = 0; t < 2; ++t)
    starts[t] = texts[t].size() < length ? 0 : texts[t].size() - length + 1;
  const std::size_t all = starts[0] + starts[1];
  const std::size_t parts = std::clamp<std::size_t>(all >> 18, 1, batch::threads_of(threads));
  Sample sample(parts);
  batch::in_parts(all, parts, [&](std::size_t part, std::size_t first, std::size_t last) {
    for (std::size_t t = 0, begin = 0; t < 2; begin += starts[t++]) {
      const std::size_t from = std::clamp(first, begin, begin + starts[t]) - begin;
      const std::size_t to = std::clamp(last, begin, begin + starts[t]) - begin;
      sample[part][t] = sampled(texts[t], k, limit, from, to);
    }
  });
  return sample;
}

/// Words by their hashes: linear probing, at most two thirds full.
class Table {
 public:
  explicit Table(std::size_t words)
      : mask_(std::bit_ceil(words + words / 2 + 2) - 1), words_(mask_ + 1) {}

  /// The word of this hash, or the null pointer where it belongs.
  Word*& of(std::uint64_t hash) {
    std::size_t place = hash & mask_;
    while (words_[place] != nullptr && words_[place]->hash != hash) place = (place + 1) & mask_;
    return words_[place];
  }

 private:
  std::size_t mask_;
  std::vector<Word*> words_;
};

/// What the samples have in common, by places in the first text: its words that are once there, and
/// at most once in the second text, kNowhere if they are not. Threads share the words by their
/// hashes, each with a table of its own; to touch new memory takes longer than all else.
constexpr std::int64_t kNowhere = -1;
std::vector<Anchor> common(Sample& sample, std::size_t threads) {
  std::size_t count = 0;
  for (const auto& part : sample) count += part[0].size();
  const std::size_t parts = std::clamp<std::size_t>(count >> 11, 1, batch::threads_of(threads));
  batch::in_parts(parts, parts, [&](std::size_t part, std::size_t, std::size_t) {
    const auto mine = [&](const Word& word) { return (word.hash >> 32) * parts >> 32 == part; };
    std::size_t own = 0;
    for (const auto& [a, b] : sample)
      own += static_cast<std::size_t>(std::ranges::count_if(a, mine));
    Table table(own);
    for (auto& [a, b] : sample)
      for (Word& word : a) {
        if (!mine(word)) continue;
        Word*& first = table.of(word.hash);
        if (first != nullptr) {
          first->meets = kNot;
        } else {
          first = &word;
          word.meets = kAlone;
        }
      }
    for (const auto& [a, b] : sample)
      for (const Word& word : b)
        if (mine(word))
          if (Word* const same = table.of(word.hash); same != nullptr)
            same->meets = same->meets == kAlone ? word.at : kNot;
  });
  std::vector<Anchor> found;
  found.reserve(count);
  for (const auto& part : sample)
    for (const Word& word : part[0])
      if (word.meets != kNot)
        found.push_back({word.at, word.meets == kAlone ? kNowhere : std::int64_t{word.meets}});
  return found;
}

/// Symbols of a word: chance makes few such words meet in texts so long.
int word_length(double longest) {
  return 9 + static_cast<int>(std::log(longest + 1) / std::log(4.0) * 0.8);
}

/// What samples of both texts have in common, `rate` of their words.
std::vector<Anchor> sampled_common(std::string_view a, std::string_view b, int k, double rate,
                                   std::size_t threads) {
  const auto limit =
      rate >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(rate * 18446744073709551615.0);
  Sample sample = sampled({a, b}, k, limit, threads);
  return common(sample, threads);
}

/// The longest chain that advances in both texts (patience sorting).
std::vector<Anchor> chain_of(const std::vector<Anchor>& anchors) {
  constexpr std::uint32_t kNone = ~0u;
  std::vector<std::uint32_t> tails, before(anchors.size());
  tails.reserve(anchors.size());
  for (std::uint32_t x = 0; x < anchors.size(); ++x) {
    const std::int64_t j = anchors[x].j;
    if (j == kNowhere) continue;
    const bool last = tails.empty() || anchors[tails.back()].j < j;  // mostly
    const auto place = last ? tails.end()
                            : std::ranges::lower_bound(
                                  tails, j, {}, [&](std::uint32_t y) { return anchors[y].j; });
    before[x] = place == tails.begin() ? kNone : *(place - 1);
    if (place == tails.end())
      tails.push_back(x);
    else
      *place = x;
  }
  std::vector<Anchor> chain(tails.size());
  std::uint32_t x = tails.empty() ? kNone : tails.back();
  for (auto link = chain.rbegin(); link != chain.rend(); ++link, x = before[x]) *link = anchors[x];
  return chain;
}

/// Edits a symbol between unrelated texts over an alphabet as skewed as this one: 0.51 for four
/// equally frequent letters, more for more.
double unrelated(std::string_view text) {
  std::array<double, 256> count{};
  // 16,384 symbols of long texts: stretches, since what takes time is to get them from memory.
  constexpr std::size_t kStretch = 64;
  for (std::size_t i = 0; i < text.size(); i += std::max(kStretch, text.size() / 256))
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
  return chain_of(sampled_common(a, b, word_length(longest), rate, threads));
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
  const std::vector<Anchor> candidates = sampled_common(a, b, k, rate, threads);
  sketch.chain = chain_of(candidates);

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
    while (candidate < candidates.size() && candidates[candidate].i <= to.i) ++candidate;
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
