// SPDX-License-Identifier: Apache-2.0
// The work of rhomb bench search, as Chacon et al. 2014 have it: queries of one length, cut from
// reads, and for each of them the places of a genome where it may occur.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/search/search.h"
#include "host/seq/sequence.h"

namespace rhomb::cli {

/// Reads and a genome, and where the words of 12 symbols stand in the genome.
class SearchMaterial {
 public:
  /// Without reads, queries are copies of pieces of the text with edits.
  SearchMaterial(const seq::Batch& reads, const seq::Batch& texts);

  std::string_view text() const { return text_; }
  const seq::Code& code() const { return code_; }
  /// Whether some read has `m` symbols.
  bool has_reads(std::uint32_t m) const;

  /// A piece of `m` symbols of a read, of both strands, the same for the same number.
  struct Window {
    std::string_view forward, reverse;
  };
  Window window(std::uint32_t m, std::uint64_t number) const;

  /// The places in the text that share words with `query`, the most of them first: about where it
  /// begins. `votes` is how many the first one shares.
  std::vector<std::uint32_t> places(std::string_view query, unsigned& votes) const;

 private:
  std::string text_;
  std::vector<std::string> forward_, reverse_;  // reads, longest first
  std::vector<std::uint32_t> word_starts_;      // of each word in word_places_
  std::vector<std::uint32_t> word_places_;
  seq::Code code_;
};

/// Queries of a length and their tasks. The first tasks do not change when there are more.
class SearchPool {
 public:
  SearchPool(const SearchMaterial& material, std::uint32_t m) : material_(material), m_(m) {}

  void grow(std::size_t tasks);
  std::size_t size() const { return tasks_.size(); }
  std::uint32_t m() const { return m_; }
  std::uint32_t n() const { return columns_of(m_); }
  bool from_reads() const { return material_.has_reads(m_); }

  /// The first `count` tasks.
  search::Problem problem(std::size_t count) const;
  std::string_view query_of(std::size_t task) const { return queries_[tasks_[task].query]; }
  std::string_view piece_of(std::size_t task) const {
    return material_.text().substr(tasks_[task].begin, tasks_[task].length);
  }
  const search::Task& task(std::size_t i) const { return tasks_[i]; }

  /// Symbols of the candidates: 1.2 m.
  static std::uint32_t columns_of(std::uint32_t m) { return m + m / 5; }

 private:
  void add_query(std::size_t number);

  const SearchMaterial& material_;
  std::uint32_t m_;
  std::string_view text_[1];
  std::vector<std::string> copies_;  // queries that are no part of a read
  std::vector<std::string_view> queries_;
  std::vector<std::vector<std::uint32_t>> places_;  // of each query, at most 20
  std::vector<search::Task> tasks_;
};

}  // namespace rhomb::cli
