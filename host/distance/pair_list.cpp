// SPDX-License-Identifier: Apache-2.0
#include "host/distance/pair_list.h"

namespace rhomb {
namespace {

std::vector<std::string_view> views_of(const seq::Batch& sequences) {
  std::vector<std::string_view> views;
  views.reserve(sequences.size());
  for (const seq::Sequence& sequence : sequences) views.push_back(sequence.symbols);
  return views;
}

}  // namespace

PairList PairList::by_order(const seq::Batch& queries, const seq::Batch& targets) {
  return {views_of(queries), views_of(targets), PairOrder::one_to_one(queries.size()), false};
}

PairList PairList::all(const seq::Batch& queries, const seq::Batch& targets) {
  return {views_of(queries), views_of(targets),
          PairOrder::each_with_each(queries.size(), targets.size()), &queries == &targets};
}

BlockTexts texts_of(const PairList& list, const std::vector<std::size_t>& pairs, bool known,
                    std::size_t threads) {
  BlockTexts block;
  block.numbers.resize(pairs.size());
  const bool one_to_one = list.pairs.is_one_to_one();
  known |= one_to_one && pairs.size() == list.pairs.size();  // then they are all of the list
  auto &queries = block.own_queries_, &targets = block.own_targets_;
  if (known || one_to_one) {
    if (!known) {
      queries.resize(pairs.size());
      targets.resize(pairs.size());
    }
    batch::in_parts(pairs.size(), batch::parts_of_pairs(pairs.size(), threads),
                    [&](std::size_t, std::size_t first, std::size_t last) {
                      for (std::size_t i = first; i < last; ++i) {
                        const PairNumbers at = list.pairs[pairs[i]];
                        const auto number = static_cast<std::uint32_t>(i);
                        block.numbers[i] = known ? at : PairNumbers{number, number};
                        if (known) continue;
                        queries[i] = list.queries[at.query];
                        targets[i] = list.targets[at.target];
                      }
                    });
  } else {
    const auto number_in = [](std::vector<std::uint32_t>& numbers,
                              std::vector<std::string_view>& texts,
                              const std::vector<std::string_view>& all, std::uint32_t text) {
      if (numbers[text] == 0) {  // or the number, and one more
        texts.push_back(all[text]);
        numbers[text] = static_cast<std::uint32_t>(texts.size());
      }
      return numbers[text] - 1;
    };
    std::vector<std::uint32_t> of_queries(list.queries.size()), of_targets(list.targets.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto [query, target] = list.pairs[pairs[i]];
      block.numbers[i] = {number_in(of_queries, queries, list.queries, query),
                          number_in(of_targets, targets, list.targets, target)};
    }
  }
  block.queries = known ? list.queries : queries;
  block.targets = known ? list.targets : targets;
  return block;
}

}  // namespace rhomb
