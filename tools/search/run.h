// SPDX-License-Identifier: Apache-2.0
// SearchRun: blocks of queries go through a device, several at a time: while one is computed,
// others are packed and copied.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/search/search.h"
#include "host/tune/store.h"
#include "tools/search/blocks.h"
#include "tools/search/hits.h"
#include "tools/search/options.h"

namespace rhomb::cli {

/// A block that was computed.
struct SearchDone {
  std::unique_ptr<SearchWork> work;
  search::Answer answer;
};

/// What a run came to.
struct SearchTotals {
  double queries = 0, symbols = 0, cells = 0;
  double compute = 0, build = 0, transfer = 0;
  std::size_t blocks = 0;
  tune::Config config;  ///< of the last block
};

class SearchRun {
 public:
  /// `info` and `device` are null for rows that compute elsewhere, `device` also where nothing is
  /// to be computed; `texts` are empty for pairs, `store` is null where settings are not to be
  /// used. All stay as they are meanwhile.
  SearchRun(const SearchOptions& asked, const ocl::DeviceInfo* info, ocl::Device* device,
            const tune::Store* store, SearchBlocks& blocks, std::span<const seq::Sequence> texts,
            trace::Trace* trace);

  /// The next block in the file's order; nothing at its end.
  std::optional<SearchDone> next();
  const SearchTotals& totals() const { return totals_; }

  /// The work that a block is, as next() makes it.
  std::unique_ptr<SearchWork> work_of(SearchBlock block);
  /// Queries that a block should have at most, so that its tasks find room.
  static std::size_t most_queries(const SearchOptions& asked, double text_symbols);

 private:
  struct Slot {
    std::unique_ptr<search::Flight> flight;
    std::unique_ptr<SearchWork> work;
  };
  bool start_next();
  bool keep_texts(const SearchWork& work);
  std::uint32_t piece_of(const SearchBlock& block) const;

  const SearchOptions& asked_;
  ocl::Device* device_;
  bool gpu_;
  const tune::Store* store_;
  SearchBlocks& blocks_;
  std::vector<std::string_view> texts_;
  double text_symbols_ = 0;
  std::string text_alphabet_;  // the symbols of all texts
  trace::Trace* trace_;
  seq::Code code_;  // of the block before
  std::optional<search::Kept> kept_;
  std::uint32_t kept_piece_ = 0;
  std::deque<Slot> free_, busy_;
  std::unique_ptr<SearchWork> waiting_;  // for texts of another code
  SearchTotals totals_;
};

}  // namespace rhomb::cli
