// SPDX-License-Identifier: Apache-2.0
// The matrix D has a row a query symbol and a column a text symbol. A column is kept as the signs
// of its vertical differences, a bit a row: bit i of plus is set where D[i+1][j] - D[i][j] = 1, of
// minus where it is -1.
#include "host/search/occurrence.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <tuple>
#include <utility>

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
  first_ = 0;
  end_ = words_;
}

int Finder::step(const Word* match, int in, Word* level) {
  int out = in;
  for (std::size_t w = first_; w < end_; ++w) {
    const Word plus = plus_[w], minus = minus_[w];
    const Word down = out < 0 ? Word{1} : 0, up = out > 0 ? Word{1} : 0;
    const Word equal = match[w] | down;
    const Word vertical = match[w] | minus;
    const Word horizontal = (((equal & plus) + plus) ^ plus) | equal;
    if (level != nullptr) level[w] = horizontal | minus;
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

std::uint32_t Finder::distance(std::string_view text) {
  make_profile(Profile::kForward);
  const auto [shorter, longer] = std::minmax({query_.size(), text.size()});
  for (std::size_t band = std::max({longer - shorter, longer / 16, std::size_t{64}});; band *= 2)
    if (const std::size_t found = within(text, band); found <= band || band >= longer)
      return static_cast<std::uint32_t>(found);
}

/// The least cost of paths through words with a cell on one of the diagonals from -band to band,
/// which has the last cell. What comes from above and from below these goes straight on, each
/// symbol at a cost of one, which is a path, too.
std::size_t Finder::within(std::string_view text, std::size_t band) {
  begin();
  const std::size_t m = query_.size();
  const auto words_to = [&](std::size_t row) { return (std::min(m, row) + 63) / 64; };
  end_ = words_to(band);
  auto score = static_cast<std::int64_t>(std::min(m, 64 * end_));  // in the last of their rows
  for (std::size_t j = 0; j < text.size(); ++j) {
    if (j >= band) first_ = (j - band) / 64;
    for (const std::size_t end = words_to(j + 1 + band); end_ < end; ++end_)
      score += static_cast<std::int64_t>(std::min<std::size_t>(64, m - 64 * end_));
    score += step(match_of(text[j]), 1);
  }
  return static_cast<std::size_t>(score);
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

/// An alignment that is walked from its end, and has come to row i and column j.
struct Finder::Path {
  std::string_view part;
  std::size_t i, j;
  Cigar edits;  // backwards
};

/// Walks back from column `end` to column `begin`, which plus_ and minus_ hold. `room`: words of
/// memory that may be used.
void Finder::trace(Path& path, std::size_t begin, std::size_t end, std::size_t room) {
  const std::size_t columns = end - begin;
  if (columns > 1 && 2 * words_ * columns > room) {
    // Half of the room for columns that are kept, the rest for those between two of them. Two are
    // kept at least: the stretches become shorter each time, however little room there is.
    const std::size_t parts = std::clamp<std::size_t>(room / 4 / words_, 2, columns);
    const auto first_of = [&](std::size_t part) { return begin + columns * part / parts; };
    std::vector<std::pair<std::vector<Word>, std::vector<Word>>> kept{{plus_, minus_}};
    for (std::size_t part = 1; part < parts; ++part) {
      for (std::size_t j = first_of(part - 1); j < first_of(part); ++j)
        step(match_of(path.part[j]), 1);
      kept.emplace_back(plus_, minus_);
    }
    room -= std::min(room, 2 * words_ * parts);
    for (std::size_t part = parts; part-- > 0;) {
      std::tie(plus_, minus_) = kept[part];
      trace(path, first_of(part), first_of(part + 1), room);
    }
    return;
  }
  std::vector<Word> level(words_ * columns), up(words_ * columns);
  for (std::size_t j = begin; j < end; ++j) {
    const std::size_t at = words_ * (j - begin);
    step(match_of(path.part[j]), 1, level.data() + at);
    std::ranges::copy(plus_, up.begin() + static_cast<std::ptrdiff_t>(at));
  }
  while (path.j > begin && path.i > 0) {
    const std::size_t at = words_ * (path.j - 1 - begin) + (path.i - 1) / 64;
    const auto set = [&](const std::vector<Word>& bits) {
      return (bits[at] >> ((path.i - 1) % 64) & 1) != 0;
    };
    const bool match = code_.match(query_[path.i - 1], path.part[path.j - 1]);
    // Along a diagonal values stay or grow by one: where a pair that does not match has the value
    // of the one before it, a better way comes from above or from the left.
    if (match || !set(level)) {
      path.edits.add(match ? Edit::kMatch : Edit::kMismatch, 1);
      --path.i, --path.j;
    } else if (set(up)) {
      path.edits.add(Edit::kInsert, 1);
      --path.i;
    } else {
      path.edits.add(Edit::kDelete, 1);
      --path.j;
    }
  }
  path.edits.add(Edit::kDelete, static_cast<std::int64_t>(path.j - std::min(path.j, begin)));
  path.j = std::min(path.j, begin);
}

Cigar Finder::cigar(std::string_view part, std::size_t memory) {
  make_profile(Profile::kForward);
  begin();
  Path path{part, query_.size(), part.size(), {}};
  trace(path, 0, part.size(), memory / sizeof(Word));
  path.edits.add(Edit::kInsert, static_cast<std::int64_t>(path.i));
  path.edits.reverse();
  return std::move(path.edits);
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
