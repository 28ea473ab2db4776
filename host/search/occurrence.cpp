// SPDX-License-Identifier: Apache-2.0
// The matrix D has a row a query symbol and a column a text symbol. A column is kept as the signs
// of its vertical differences, a bit a row: bit i of plus is set where D[i+1][j] - D[i][j] = 1, of
// minus where it is -1.
#include "host/search/occurrence.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

namespace rhomb::search {

std::vector<End> best_of_runs(std::span<const End> ends) {
  std::vector<End> best;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (i == 0 || ends[i].at != ends[i - 1].at + 1)
      best.push_back(ends[i]);
    else if (ends[i].distance < best.back().distance)
      best.back() = ends[i];
  }
  return best;
}

Finder::Finder(std::string_view query, const seq::Code& code)
    : query_(query),
      code_(code),
      words_((query.size() + 63) / 64),
      top_(static_cast<unsigned>((query.size() - 1) % 64)) {}

void Finder::make_profile(Profile wanted) {
  if (made_ == wanted) return;
  made_ = wanted;
  const bool reversed = wanted == Profile::kReversed;
  const std::size_t codes = std::size_t{1} << code_.planes;
  profile_.assign(words_ * codes, 0);
  for (std::size_t i = 0; i < query_.size(); ++i) {
    const char symbol = query_[reversed ? query_.size() - 1 - i : i];
    const std::size_t a = code_.a[static_cast<unsigned char>(symbol)];
    const Word bit = Word{1} << (i % 64);
    if (code_.matching == seq::Matching::kEqual) {
      profile_[words_ * a + i / 64] |= bit;
    } else {
      for (std::size_t b = 0; b < codes; ++b)
        if ((a & b) != 0) profile_[words_ * b + i / 64] |= bit;
    }
  }
}

void Finder::begin() {
  plus_.assign(words_, ~Word{0});
  minus_.assign(words_, 0);
}

int Finder::step(const Word* match, int in) {
  int out = in;
  for (std::size_t w = 0; w < words_; ++w) {
    const Word plus = plus_[w], minus = minus_[w];
    const Word down = out < 0 ? Word{1} : 0, up = out > 0 ? Word{1} : 0;
    const Word equal = match[w] | down;
    const Word vertical = match[w] | minus;
    const Word horizontal = (((equal & plus) + plus) ^ plus) | equal;
    Word rises = minus | ~(horizontal | plus);
    Word falls = plus & horizontal;
    const unsigned last = w + 1 == words_ ? top_ : 63;
    out = static_cast<int>(rises >> last & 1) - static_cast<int>(falls >> last & 1);
    rises = rises << 1 | up;
    falls = falls << 1 | down;
    plus_[w] = falls | ~(vertical | rises);
    minus_[w] = rises & vertical;
  }
  return out;
}

std::vector<End> Finder::ends(std::string_view text, std::uint32_t most) {
  make_profile(Profile::kForward);
  begin();
  std::vector<End> found;
  auto score = static_cast<std::int64_t>(query_.size());
  for (std::size_t j = 0;; ++j) {
    if (score <= most) found.push_back({j, static_cast<std::uint32_t>(score)});
    if (j == text.size()) return found;
    score += step(match_of(text[j]), 0);
  }
}

std::size_t Finder::start(std::string_view text, const End& end) {
  make_profile(Profile::kReversed);
  begin();
  // Both are read backwards, from the end on, the text's symbols each costing one. A part cannot be
  // longer than the query by more than the distance.
  const std::size_t most = std::min<std::size_t>(end.at, query_.size() + end.distance);
  auto score = static_cast<std::int64_t>(query_.size());
  std::size_t longest = score == end.distance ? 0 : most + 1;
  for (std::size_t j = 1; j <= most; ++j) {
    score += step(match_of(text[end.at - j]), 1);
    if (score == end.distance) longest = j;
  }
  if (longest > most) throw std::logic_error("no occurrence with that distance ends there");
  return end.at - longest;
}

std::string Finder::cigar(std::string_view part) {
  make_profile(Profile::kForward);
  begin();
  std::vector<Word> plus(plus_), minus(minus_);  // of all columns
  for (const char symbol : part) {
    step(match_of(symbol), 1);
    plus.insert(plus.end(), plus_.begin(), plus_.end());
    minus.insert(minus.end(), minus_.begin(), minus_.end());
  }
  // D[i][j]: the top row's value and the differences down to there.
  const auto value = [&](std::size_t i, std::size_t j) {
    auto sum = static_cast<std::int64_t>(j);
    const Word* up = plus.data() + words_ * j;
    const Word* down = minus.data() + words_ * j;
    for (std::size_t w = 0; 64 * w < i; ++w) {
      const Word mask = i - 64 * w >= 64 ? ~Word{0} : (Word{1} << (i - 64 * w)) - 1;
      sum += std::popcount(up[w] & mask) - std::popcount(down[w] & mask);
    }
    return sum;
  };
  std::string kinds;  // backwards
  std::size_t i = query_.size(), j = part.size();
  for (std::int64_t here = value(i, j); i > 0 || j > 0;) {
    const bool match = i > 0 && j > 0 && code_.match(query_[i - 1], part[j - 1]);
    std::int64_t next = 0;
    if (i > 0 && j > 0 && (next = value(i - 1, j - 1)) + (match ? 0 : 1) == here) {
      kinds += match ? '=' : 'X';
      --i, --j;
    } else if (i > 0 && (next = value(i - 1, j)) + 1 == here) {
      kinds += 'I';
      --i;
    } else {
      next = here - 1;
      kinds += 'D';
      --j;
    }
    here = next;
  }
  std::string runs;
  for (std::size_t at = kinds.size(); at > 0;) {
    const char kind = kinds[at - 1];
    std::size_t count = 0;
    while (at > 0 && kinds[at - 1] == kind) --at, ++count;
    runs += std::to_string(count) + kind;
  }
  return runs;
}

std::string reverse_complement(std::string_view text, std::string_view target) {
  static constexpr std::array<char, 256> kComplement = [] {
    constexpr std::string_view kFrom = "ACGTURYSWKMBDHVNacgturyswkmbdhvn";
    constexpr std::string_view kTo = "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn";
    std::array<char, 256> table{};
    for (std::size_t c = 0; c < 256; ++c) table[c] = static_cast<char>(c);
    for (std::size_t i = 0; i < kFrom.size(); ++i)
      table[static_cast<unsigned char>(kFrom[i])] = kTo[i];
    return table;
  }();
  const auto has = [](std::string_view symbols, std::string_view any) {
    return symbols.find_first_of(any) != std::string_view::npos;
  };
  const std::string_view decides = has(text, "UuTt") ? text : target;
  const bool rna = has(decides, "Uu") && !has(decides, "Tt");
  std::string turned(text.rbegin(), text.rend());
  for (char& symbol : turned) {
    if (rna && (symbol == 'A' || symbol == 'a'))
      symbol = symbol == 'A' ? 'U' : 'u';
    else
      symbol = kComplement[static_cast<unsigned char>(symbol)];
  }
  return turned;
}

}  // namespace rhomb::search
