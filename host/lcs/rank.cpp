// SPDX-License-Identifier: Apache-2.0
#include "host/lcs/rank.h"

#include <algorithm>

namespace rhomb::lcs {
namespace {

bool before(const Ranked& a, const Ranked& b) { return a.before(b); }

}  // namespace

std::optional<Ranked> Top::take(const Ranked& offered) {
  std::optional<Ranked> gone;
  if (heap_.size() == most_) {
    std::ranges::pop_heap(heap_, before);
    gone = heap_.back();
    heap_.pop_back();
  }
  heap_.push_back(offered);
  std::ranges::push_heap(heap_, before);
  return gone;
}

std::vector<Ranked> Top::sorted() const {
  std::vector<Ranked> best = heap_;
  std::ranges::sort(best, before);
  return best;
}

Ranking::Ranking(std::size_t queries, std::size_t most, bool symbols)
    : symbols_(symbols), tops_(queries, Top(most)) {}

void Ranking::add(std::uint64_t first, std::span<const seq::Sequence> targets,
                  std::span<const std::uint32_t> lengths, std::uint32_t least) {
  for (std::size_t query = 0; query < tops_.size(); ++query)
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const Ranked offered{lengths[query * targets.size() + i], first + i};
      if (offered.length < least || !tops_[query].would_take(offered)) continue;
      const seq::Sequence& sequence = targets[i];
      const auto [kept, fresh] = kept_.try_emplace(offered.target);
      if (fresh) {
        kept->second.sequence.name = sequence.name;
        if (symbols_) kept->second.sequence.symbols = sequence.symbols;
        kept->second.length = static_cast<std::int64_t>(sequence.symbols.size());
      }
      ++kept->second.uses;
      const auto gone = tops_[query].take(offered);
      if (!gone) continue;
      const auto other = kept_.find(gone->target);
      if (--other->second.uses == 0) kept_.erase(other);
    }
}

}  // namespace rhomb::lcs
