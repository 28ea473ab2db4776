// SPDX-License-Identifier: Apache-2.0
// The runs of rhomb bench paper-lcs: configurations of the rows, and the peer, all lengths
// compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/lcs_work.h"
#include "tools/cli/json.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/figures.h"

namespace rhomb::cli {

struct LcsRow {
  std::string figure;
  std::string program = "rhomb";
  std::string variant;
  std::string way;  ///< "constant", "local", "local, overlap": as figure 8 has it; else empty
  tune::Config config;
  int alphabet = 4;
  std::size_t length = 0;  ///< of the query and each subject
  std::size_t subjects = 0;
  int runs = 0;
  double kernel = 0;            ///< seconds of the launches, the data in place; the median
  std::optional<double> whole;  ///< packing and copying too, the median
  std::string why;              ///< it was not measured; else empty

  bool measured() const { return why.empty(); }
  double cells() const {
    return static_cast<double>(length) * static_cast<double>(length) *
           static_cast<double>(subjects);
  }
  double gcups() const { return measured() && kernel > 0 ? cells() / kernel / 1e9 : 0; }
  double gcups_whole() const {
    return measured() && whole && *whole > 0 ? cells() / *whole / 1e9 : 0;
  }
};

/// The rows as they are printed. `cores` are those of rhomb's device; 0 for a GPU.
std::vector<Json> rows_of(const std::vector<LcsRow>& rows, const std::string& device,
                          unsigned cores);

class LcsRuns {
 public:
  /// `subjects` of the middle set; nothing: the paper's 188,000 on a GPU, on a CPU those that
  /// crochemore takes a third of a second for.
  LcsRuns(Session& session, Progress& progress, int runs, std::size_t length,
          std::optional<std::size_t> subjects);

  /// The defaults, then the figures' sweeps as far as there is time.
  void measure(const std::vector<std::string>& figures, double seconds);

  const std::vector<LcsRow>& rows() const { return rows_; }
  /// The sets of the paper, 50,000, 188,000 and 720,000 subjects, as large as they are here.
  std::vector<std::size_t> sizes() const;
  std::size_t middle() const { return middle_; }
  bool gpu() const { return session_.info()->limits.gpu; }

 private:
  void start(const std::vector<std::string>& figures);
  void prepare(int alphabet, std::size_t subjects);
  void add(LcsRow row, const TimeShare& share);
  void check(const LcsRow& row, const std::vector<std::uint32_t>& lengths);
  void run_defaults(const std::string& figure, std::size_t subjects, const TimeShare& share);
  void run_peer(const std::string& figure);
  void run_ways(double seconds);

  Session& session_;
  Progress& progress_;
  int runs_;
  std::size_t length_, middle_;
  bool given_;
  std::unique_ptr<LcsWork> work_;
  std::vector<std::uint32_t> expected_;  // of the subjects of work_, as far as they are known
  std::vector<LcsRow> rows_;
};

}  // namespace rhomb::cli
