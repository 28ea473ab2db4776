// SPDX-License-Identifier: Apache-2.0
// Which texts are compared with which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "host/batch/threads.h"
#include "host/seq/sequence.h"

namespace rhomb {

/// Numbers of a pair's texts.
struct PairNumbers {
  std::uint32_t query = 0, target = 0;
};

/// Which texts are compared, in this order: the first with the first and so on, or each query with
/// each target, row by row. It takes no memory however many there are.
class PairOrder {
 public:
  class Iterator {
   public:
    Iterator(std::uint32_t columns, PairNumbers at) : columns_(columns), at_(at) {}
    PairNumbers operator*() const { return at_; }
    Iterator& operator++() {
      ++at_.target;
      if (columns_ == 0) {
        ++at_.query;
      } else if (at_.target == columns_) {
        at_.target = 0;
        ++at_.query;
      }
      return *this;
    }
    bool operator==(const Iterator& other) const {
      return at_.query == other.at_.query && at_.target == other.at_.target;
    }

   private:
    std::uint32_t columns_;
    PairNumbers at_;
  };

  static PairOrder one_to_one(std::size_t count) {
    PairOrder order;
    order.rows_ = static_cast<std::uint32_t>(count);
    return order;
  }
  static PairOrder each_with_each(std::size_t queries, std::size_t targets) {
    PairOrder order;
    order.rows_ = static_cast<std::uint32_t>(targets > 0 ? queries : 0);
    order.columns_ = static_cast<std::uint32_t>(targets);
    return order;
  }

  /// Whether no text is in two pairs.
  bool is_one_to_one() const { return columns_ == 0; }
  std::size_t size() const { return std::size_t{rows_} * (columns_ == 0 ? 1 : columns_); }
  PairNumbers operator[](std::size_t i) const {
    const auto number = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
    if (columns_ == 0) return {number(i), number(i)};
    return {number(i / columns_), number(i % columns_)};
  }
  Iterator at(std::size_t i) const { return {columns_, (*this)[i]}; }
  Iterator begin() const { return at(0); }
  Iterator end() const { return at(size()); }

  /// The sum of what of(pair) gives for all pairs, by several threads.
  template <class Of>
  auto sum(std::size_t threads, const Of& of) const {
    std::vector<decltype(of(PairNumbers{}))> sums(batch::parts_of_pairs(size(), threads));
    batch::in_parts(size(), sums.size(),
                    [&](std::size_t part, std::size_t first, std::size_t last) {
                      auto sum = sums[part];
                      auto pair = at(first);
                      for (std::size_t i = first; i < last; ++i, ++pair) sum += of(*pair);
                      sums[part] = sum;
                    });
    for (std::size_t part = 1; part < sums.size(); ++part) sums[0] += sums[part];
    return sums[0];
  }

 private:
  std::uint32_t rows_ = 0, columns_ = 0;  // of one to one: no columns
};

/// Texts, and which of them are compared. The sequences stay as they are while it is used.
struct PairList {
  std::vector<std::string_view> queries, targets;
  PairOrder pairs;
  /// The targets are the queries, and each is compared with each, row by row: half of it says all.
  bool square = false;

  /// The first with the first, and so on; as many of both.
  static PairList by_order(const seq::Batch& queries, const seq::Batch& targets);
  /// The same of the texts that texts_of(i) gives, a pair of them. No more than `threads` are used,
  /// 0 for as many as there are cores.
  template <class TextsOf>
  static PairList by_order(std::size_t count, const TextsOf& texts_of, std::size_t threads) {
    PairList list{std::vector<std::string_view>(count), std::vector<std::string_view>(count),
                  PairOrder::one_to_one(count), false};
    batch::in_parts(count, batch::parts_of_pairs(count, threads),
                    [&](std::size_t, std::size_t first, std::size_t last) {
                      for (std::size_t i = first; i < last; ++i)
                        std::tie(list.queries[i], list.targets[i]) = texts_of(i);
                    });
    return list;
  }
  /// Each with each. It is square if both are the same object.
  static PairList all(const seq::Batch& queries, const seq::Batch& targets);
};

/// The texts of some pairs, each once, and their numbers there.
struct BlockTexts {
  std::span<const std::string_view> queries, targets;
  std::vector<PairNumbers> numbers;  ///< of each pair

  BlockTexts() = default;
  BlockTexts(BlockTexts&&) = default;
  BlockTexts& operator=(BlockTexts&&) = default;

 private:
  friend BlockTexts texts_of(const PairList&, const std::vector<std::size_t>&, bool, std::size_t);
  std::vector<std::string_view> own_queries_, own_targets_;  // if they are not those of the list
};

/// Those of these pairs of the list, each of which is there once. `known`: the texts and their
/// numbers are those of the list.
BlockTexts texts_of(const PairList& list, const std::vector<std::size_t>& pairs, bool known,
                    std::size_t threads);

}  // namespace rhomb
