// SPDX-License-Identifier: Apache-2.0
// The runs of rhomb bench paper-search: configurations of the rows, and edlib, on the tasks of a
// pool, all answers compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/search/search.h"
#include "tools/bench/search_pool.h"
#include "tools/cli/json.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/figures.h"

namespace rhomb::cli {

/// What became of a configuration.
struct SearchRow {
  std::string figure;
  std::string program = "rhomb";
  std::string variant;
  tune::Config config;
  std::uint32_t m = 0, n = 0;
  std::size_t pairs = 0;
  int runs = 0;
  double kernel = 0;             ///< seconds of the launches, the data in place; the median
  std::optional<double> copies;  ///< with copies, the median
  std::string why;               ///< it was not measured; else empty

  bool measured() const { return why.empty(); }
  double cells() const { return static_cast<double>(pairs) * m * n; }
  double gcups() const { return measured() && kernel > 0 ? cells() / kernel / 1e9 : 0; }
  double gcups_copies() const {
    return measured() && copies && *copies > 0 ? cells() / *copies / 1e9 : 0;
  }
};

/// The rows as they are printed. `cores` are those of rhomb's device; 0 for a GPU.
std::vector<Json> rows_of(const std::vector<SearchRow>& rows, const std::string& device,
                          unsigned cores);

/// All that is measured for queries of one length, in limited time.
class SearchRuns {
 public:
  /// `pairs` tasks; nothing: 20 million on a GPU, on a CPU those of about a second.
  SearchRuns(Session& session, Progress& progress, const SearchMaterial& material, int runs,
             std::optional<std::size_t> pairs);

  /// Every row with its defaults, edlib, and the figures' sweeps, as far as there is time; then the
  /// best of each row with copies.
  void measure(std::uint32_t m, const std::vector<std::string>& figures, double seconds);

  const std::vector<SearchRow>& rows() const { return rows_; }
  bool gpu() const { return session_.info()->limits.gpu; }

 private:
  struct Wish {
    std::string figure, variant;
    tune::Config config;
  };

  void start(SearchPool& pool);
  SearchRow run(SearchPool& pool, const Wish& wish, double seconds, bool copies);
  void time(SearchRow& row, SearchPool& pool, const search::Variant& variant, bool copies);
  void check(const SearchRow& row, const std::vector<search::Best>& best) const;
  void check_reference(const SearchPool& pool) const;
  void run_peers(const SearchPool& pool);
  void run_best(SearchPool& pool, double seconds);
  std::vector<Wish> wishes(const std::vector<std::string>& figures) const;

  Session& session_;
  Progress& progress_;
  const SearchMaterial& material_;
  int runs_;
  std::optional<std::size_t> pairs_;
  search::Flight flight_;
  std::optional<search::Kept> kept_;
  std::vector<search::Best> expected_;  // of the tasks of the pool
  std::vector<SearchRow> rows_;
};

}  // namespace rhomb::cli
