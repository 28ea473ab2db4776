// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/search_pool.h"

#include <algorithm>
#include <array>
#include <utility>

#include "host/batch/threads.h"
#include "host/error.h"
#include "tools/bench/samples.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr std::size_t kCandidates = 20;  ///< of a query
constexpr std::size_t kMostQueries = 250'000;
constexpr unsigned kWord = 12;  ///< symbols of the words that places share
constexpr std::uint32_t kNoWord = ~0u;

/// Mixes numbers: the same for the same ones (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr std::string_view kBases = "ACGT";

std::uint32_t word_at(std::string_view text, std::size_t place) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < kWord; ++i) {
    const std::size_t code = kBases.find(text[place + i]);
    if (code == std::string_view::npos) return kNoWord;
    word = word << 2 | static_cast<std::uint32_t>(code);
  }
  return word;
}

std::string reversed(const std::string& text) {
  std::string other(text.rbegin(), text.rend());
  for (char& base : other) {
    const std::size_t code = kBases.find(base);
    if (code != std::string_view::npos) base = kBases[3 - code];
  }
  return other;
}

}  // namespace

SearchMaterial::SearchMaterial(const seq::Batch& reads, const seq::Batch& texts) {
  for (const auto& one : texts) text_ += one.symbols;
  if (text_.size() > 0xffff0000u) throw UsageError("TEXT has 2^32 symbols or more");
  for (const auto& read : reads) forward_.push_back(read.symbols);
  std::ranges::sort(forward_, std::ranges::greater{}, &std::string::size);
  for (const auto& read : forward_) reverse_.push_back(reversed(read));

  std::array<bool, 256> seen{};
  const auto see = [&](const std::string& symbols) {
    for (const char symbol : symbols) seen[static_cast<unsigned char>(symbol)] = true;
  };
  for (const char base : kBases) seen[static_cast<unsigned char>(base)] = true;
  see(text_);
  for (const auto& read : forward_) see(read);
  std::string symbols;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i]) symbols += static_cast<char>(i);
  code_ = seq::make_code(symbols, symbols);

  if (forward_.empty()) return;
  word_starts_.assign((std::size_t{1} << 2 * kWord) + 1, 0);
  const std::size_t words = text_.size() < kWord ? 0 : text_.size() - kWord + 1;
  for (std::size_t i = 0; i < words; ++i)
    if (const auto word = word_at(text_, i); word != kNoWord) ++word_starts_[word + 1];
  for (std::size_t i = 1; i < word_starts_.size(); ++i) word_starts_[i] += word_starts_[i - 1];
  word_places_.resize(word_starts_.back());
  std::vector<std::uint32_t> next(word_starts_.begin(), word_starts_.end() - 1);
  for (std::size_t i = 0; i < words; ++i)
    if (const auto word = word_at(text_, i); word != kNoWord)
      word_places_[next[word]++] = static_cast<std::uint32_t>(i);
}

bool SearchMaterial::has_reads(std::uint32_t m) const {
  return !forward_.empty() && forward_.front().size() >= m;
}

SearchMaterial::Window SearchMaterial::window(std::uint32_t m, std::uint64_t number) const {
  // The reads stand by their lengths: the first ones are long enough.
  const auto end = std::ranges::partition_point(
      forward_, [m](const std::string& read) { return read.size() >= m; });
  const auto count = static_cast<std::uint64_t>(end - forward_.begin());
  const auto read = static_cast<std::size_t>(mixed(m, 2 * number) % count);
  const std::size_t most = forward_[read].size() - m;
  const std::size_t begin = mixed(m, 2 * number + 1) % (most + 1);
  return {std::string_view(forward_[read]).substr(begin, m),
          std::string_view(reverse_[read]).substr(most - begin, m)};
}

std::vector<std::uint32_t> SearchMaterial::places(std::string_view query, unsigned& votes) const {
  constexpr std::size_t kTried = 24;      // words of the query
  constexpr std::uint32_t kRepeats = 16;  // a word that stands in more places says little
  constexpr std::int64_t kNear = 32;      // places that are one
  std::vector<std::int64_t> found;
  const std::size_t last = query.size() < kWord ? 0 : query.size() - kWord;
  for (std::size_t i = 0; i < kTried; ++i) {
    const std::size_t at = last * i / (kTried - 1);
    const auto word = query.size() < kWord ? kNoWord : word_at(query, at);
    if (word == kNoWord || word_starts_[word + 1] - word_starts_[word] > kRepeats) continue;
    for (std::uint32_t p = word_starts_[word]; p < word_starts_[word + 1]; ++p)
      found.push_back(std::int64_t{word_places_[p]} - static_cast<std::int64_t>(at));
  }
  std::ranges::sort(found);
  std::vector<std::pair<unsigned, std::int64_t>> groups;
  for (std::size_t i = 0; i < found.size();) {
    std::size_t end = i;
    while (end < found.size() && found[end] - found[i] < kNear) ++end;
    groups.emplace_back(static_cast<unsigned>(end - i), found[i]);
    i = end;
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &decltype(groups)::value_type::first);
  votes = groups.empty() ? 0 : groups.front().first;
  std::vector<std::uint32_t> starts;
  for (const auto& [shared, place] : groups) {
    if (starts.size() == kCandidates) break;
    starts.push_back(static_cast<std::uint32_t>(std::max<std::int64_t>(place, 0)));
  }
  return starts;
}

void SearchPool::add_query(std::size_t number) {
  const auto size = material_.text().size();
  if (from_reads()) {
    const auto [forward, reverse] = material_.window(m_, number);
    unsigned ahead = 0, behind = 0;
    auto there = material_.places(forward, ahead);
    auto back = material_.places(reverse, behind);
    queries_[number] = ahead >= behind ? forward : reverse;
    places_[number] = ahead >= behind ? std::move(there) : std::move(back);
    return;
  }
  constexpr double kEdits = 0.05;
  const std::size_t spare = m_ / 8 + 32;  // more than deletions take
  const std::size_t begin = mixed(m_, number) % (size - m_ - spare + 1);
  std::string copy =
      edited_text(std::string(material_.text().substr(begin, m_ + spare)), kEdits, number);
  copy.resize(m_, 'A');
  copies_[number] = std::move(copy);
  queries_[number] = copies_[number];
  places_[number] = {static_cast<std::uint32_t>(begin)};
}

void SearchPool::grow(std::size_t tasks) {
  const std::size_t before = tasks_.size(), had = queries_.size(), size = material_.text().size();
  if (tasks <= before) return;
  if (size < m_ + m_ / 8 + 32 || size < n())
    throw UsageError(text_of("TEXT has ", std::to_string(size), " symbols, too few for queries of ",
                             std::to_string(m_)));
  const std::size_t queries =
      std::max(had, std::min(kMostQueries, (tasks + kCandidates - 1) / kCandidates));
  queries_.resize(queries);
  places_.resize(queries);
  if (!from_reads()) {
    copies_.resize(queries);  // short ones move
    for (std::size_t i = 0; i < had; ++i) queries_[i] = copies_[i];
  }
  batch::in_parts(queries - had, batch::parts_of(~std::size_t{0} >> 1),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) add_query(had + i);
                  });
  // Later queries than the last come round again, with other places.
  tasks_.resize(tasks);
  const std::uint32_t columns = n(), slack = (columns - m_) / 2;
  batch::in_parts(
      tasks - before, batch::parts_of(~std::size_t{0} >> 1),
      [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = before + first; i < before + last; ++i) {
          const std::size_t query = i / kCandidates % kMostQueries;
          const std::size_t round = i / kCandidates / kMostQueries;
          const auto& places = places_[query];
          const std::size_t which = i % kCandidates;
          const std::size_t place =
              round == 0 && which < places.size() ? places[which] : mixed(m_ + 7, i) % size;
          const std::size_t begin = place < slack ? 0 : place - slack;
          tasks_[i] = {static_cast<std::uint32_t>(query), 0,
                       static_cast<std::uint32_t>(std::min(begin, size - columns)), columns, 0};
        }
      });
  text_[0] = material_.text();
}

search::Problem SearchPool::problem(std::size_t count) const {
  search::Problem problem;
  problem.queries =
      std::span(queries_).first(std::min(queries_.size(), (count + kCandidates - 1) / kCandidates));
  problem.texts = text_;
  problem.tasks = std::span(tasks_).first(count);
  problem.code = &material_.code();
  return problem;
}

}  // namespace rhomb::cli
