// SPDX-License-Identifier: Apache-2.0
// SearchBlocks: the queries or pairs of a file, read in blocks by a thread of its own while others
// are computed. However large the file is, no more is in memory than was allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/batch/handover.h"
#include "tools/cli/options.h"
#include "tools/search/options.h"

namespace rhomb::cli {

/// Many short texts in one piece of memory.
class Texts {
 public:
  void add(std::string_view text) {
    all_ += text;
    ends_.push_back(all_.size());
  }
  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(all_).substr(begin, ends_[i] - begin);
  }
  /// All of them, one after another.
  std::string_view all() const { return all_; }
  void append_to(std::vector<std::string_view>& views) const {
    for (std::size_t i = 0; i < size(); ++i) views.push_back((*this)[i]);
  }

 private:
  std::string all_;
  std::vector<std::size_t> ends_;
};

/// Queries that go through a device together, and with --pairs their candidates.
struct SearchBlock {
  std::size_t number = 0;  ///< from 0, in the order of the file
  Texts names, queries;
  Texts turned;  ///< reverse complements, with --both-strands
  Texts text_names, texts;
  std::string query_symbols, text_symbols;  ///< that occur up to here, each once
  double symbols = 0;                       ///< of the queries
  double ends = 0;                          ///< part of the file, 0 to 1
  std::size_t bytes = 0;                    ///< of memory that it stands for
};

class SearchBlocks {
 public:
  struct Options {
    InputOptions input;
    bool pairs = false;
    bool both_strands = false;
    std::string text_symbols;           ///< of all texts, each once; empty with pairs
    std::size_t memory = 0;             ///< bytes for blocks, until they are released
    std::size_t most_queries = 100000;  ///< of a block
  };

  SearchBlocks(std::string path, Options options);
  ~SearchBlocks();
  SearchBlocks(const SearchBlocks&) = delete;
  SearchBlocks& operator=(const SearchBlocks&) = delete;

  /// The next block, or nothing at the end: of the file, or in front of an error. Nothing too if
  /// none has been read yet, unless it is to wait, which must not be done before others are
  /// released.
  std::optional<SearchBlock> next(bool wait) { return handover_.take(wait); }
  void release(const SearchBlock& block) { handover_.release(block.bytes); }
  /// Throws what went wrong with the file, if anything has.
  void check() const { handover_.check(); }
  bool failed() const { return handover_.failed(); }

 private:
  void run();

  std::string path_;
  Options options_;
  std::size_t room_;  // bytes of a block
  batch::Handover<SearchBlock> handover_;
  std::thread thread_;
};

}  // namespace rhomb::cli
