// SPDX-License-Identifier: Apache-2.0
// LcsPrinter: what comes out of a run becomes rows, the symbols of the subsequences included. That
// is done by several threads of the host while devices are at the next blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "host/lcs/rank.h"
#include "host/lcs/run.h"
#include "host/lcs/subsequence.h"
#include "tools/cli/output.h"
#include "tools/lcs/options.h"
#include "tools/lcs/rows.h"

namespace rhomb::cli {

class LcsPrinter {
 public:
  /// The arguments stay as they are while the printer lives.
  LcsPrinter(const LcsOptions& asked, Format format, const seq::Batch& queries, Output& out);

  void begin() { out_.header(made_.header()); }
  /// The next block of the file, with lengths. Throws CheckError if a subsequence is not as long as
  /// the device says.
  void add(const lcs::Block& block);
  /// After the last block.
  void end();

  const RowPrinter& rows() const { return printer_; }

 private:
  void add_rows(const lcs::Block& block);
  void make_tracers();
  std::vector<std::size_t> cut(const lcs::Block& block) const;
  void append(std::string& text, std::size_t query, const seq::Sequence& target,
              std::string_view shown, std::uint32_t length, std::size_t rank);

  const LcsOptions& asked_;
  const seq::Batch& queries_;
  LcsRows made_;
  Output& out_;
  RowPrinter printer_;
  std::size_t room_;  // bytes of a tracer
  lcs::Ranking ranking_;
  seq::Code code_;                   // of the last block
  std::deque<lcs::Tracer> tracers_;  // of each query
};

}  // namespace rhomb::cli
