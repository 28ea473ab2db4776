// SPDX-License-Identifier: Apache-2.0
// tune_many: trials of the engines that take many texts at once. A configuration is planned, then
// checked against the reference on small problems that cross the borders of words and strips, then
// measured; all answers must be those of another row of the table, which is another algorithm, and
// of these a sample those of the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/lcs/lcs.h"
#include "host/search/search.h"
#include "host/tune/trial.h"

namespace rhomb::cli {

/// A run took longer than it may.
struct TooLong {};

/// How much a trial may take.
struct Effort {
  int runs = 1;
  double limit = 0;   ///< seconds of a run
  double enough = 0;  ///< one that takes longer is not run again
};

/// The trial's seconds and their spread. `seconds` is not empty.
void take_seconds(tune::Trial& trial, const std::vector<double>& seconds);

/// Texts one after another in one string, which keep their place.
class Texts {
 public:
  void add(std::string_view text);
  std::vector<std::string_view> views() const;

 private:
  std::string all_;
  std::vector<std::size_t> ends_;
};

/// Queries, each with a candidate that has one with differences in it, random ones around.
class SearchTrier {
 public:
  explicit SearchTrier(ocl::Device& device) : device_(device) {}
  /// Throws tune::Unfit, CheckError, TooLong, and what search::solve() throws.
  void try_out(tune::Trial& trial, const Effort& effort);

 private:
  /// What all configurations of a length are tried on.
  struct Case {
    std::vector<std::string_view> queries, texts;
    std::vector<search::Task> tasks;
    Texts query_memory, text_memory;
    std::vector<search::Best> expected;  ///< of the reference, for small cases
    search::Problem problem() const;
  };
  using Answers = std::vector<search::Best>;

  void prepare(const tune::Task& task);
  void check_small(const search::Variant& row, const tune::Config& used);
  void make_small(std::size_t m);
  void make_large(const tune::Task& task);
  const Answers& others(const search::Variant& row);

  ocl::Device& device_;
  std::int64_t length_ = 0;
  double divergence_ = -1;
  Case small_, large_;
  std::set<std::string> checked_;                             ///< what was right on small_
  std::vector<std::pair<std::size_t, search::Best>> sample_;  ///< of large_, by the reference
  std::map<std::string, Answers> others_;                     ///< of large_, by what tested row
};

/// A query and many subjects.
class LcsTrier {
 public:
  explicit LcsTrier(ocl::Device& device) : device_(device) {}
  /// Throws tune::Unfit, CheckError, TooLong, and what lcs::solve() throws.
  void try_out(tune::Trial& trial, const Effort& effort);

 private:
  struct Case {
    std::string query;
    std::vector<std::string_view> subjects;
    Texts memory;
    std::vector<std::uint32_t> expected;  ///< of the reference, for small cases
    lcs::Problem problem() const;
  };
  using Answers = std::vector<std::uint32_t>;

  void prepare(const tune::Task& task);
  void check_small(const lcs::Variant& row, const tune::Config& used);
  void make_small();
  void make_large(const tune::Task& task);
  const Answers& others(const lcs::Variant& row);

  ocl::Device& device_;
  std::int64_t length_ = 0;
  double divergence_ = -1;
  std::vector<Case> small_;
  std::set<std::string> checked_;  ///< what was right on small_
  Case large_;
  std::vector<std::pair<std::size_t, std::uint32_t>> sample_;
  std::map<std::string, Answers> others_;
};

}  // namespace rhomb::cli
