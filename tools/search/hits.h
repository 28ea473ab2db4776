// SPDX-License-Identifier: Apache-2.0
// What a block of queries is compared with, and what comes out of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/search/search.h"
#include "host/seq/sequence.h"
#include "tools/search/blocks.h"
#include "tools/search/options.h"

namespace rhomb::cli {

/// An occurrence of a query.
struct Hit {
  std::size_t query = 0;  ///< in its block
  bool turned = false;    ///< on the strand -
  std::size_t text = 0;
  std::size_t begin = 0, end = 0;  ///< in the text, 0-based, the end not included
  std::uint32_t distance = 0;
  std::string cigar;  ///< if one was asked for
};

/// A block and its tasks. Queries come one after another, on both strands; the tasks of each follow
/// each other, in the order of texts and places.
class SearchWork {
 public:
  /// `texts`: what all queries are compared with; nothing where each has a candidate. Pieces are of
  /// `piece` symbols, and as many before as an occurrence may take.
  SearchWork(SearchBlock block, const SearchOptions& asked, std::span<const std::string_view> texts,
             std::uint32_t piece, const seq::Code& code);

  const SearchBlock& block() const { return block_; }
  const seq::Code& code() const { return code_; }
  search::Problem problem() const;
  /// How many queries, strands not counted.
  std::size_t size() const { return block_.queries.size(); }

  /// The occurrences of query `i`, from the answers to all tasks. For several threads at once.
  std::vector<Hit> hits(std::size_t i, std::span<const search::Best> best) const;

 private:
  struct Found {
    std::size_t view = 0;  ///< of queries_
    const search::Task* task = nullptr;
    search::Best best;
  };
  void best_hit(std::size_t i, std::span<const search::Best> best, std::vector<Hit>& hits) const;
  void all_hits(std::size_t view, std::span<const search::Best> best, std::vector<Hit>& hits) const;
  std::size_t query_of(std::size_t view) const { return view % block_.queries.size(); }
  bool turned(std::size_t view) const { return view >= block_.queries.size(); }

  SearchBlock block_;
  const SearchOptions& asked_;
  seq::Code code_;
  std::vector<std::string_view> queries_;  ///< those of the block, then their reverse complements
  std::vector<std::string_view> candidates_;
  std::span<const std::string_view> texts_;
  std::vector<search::Task> tasks_;
  std::vector<std::size_t> first_;  ///< task of each of queries_, and behind the last
};

/// Symbols that an occurrence of a query of `m` with at most `most` differences takes at most, as a
/// multiple of 32.
std::uint32_t longest_occurrence(std::size_t m, std::optional<std::uint32_t> most);

}  // namespace rhomb::cli
