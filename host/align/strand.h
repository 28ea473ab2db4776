// SPDX-License-Identifier: Apache-2.0
// strand: one pair as the parts of align() see it, what they find, and the function that has them
// find it. Only for host/align.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <string_view>

#include "host/align/align.h"
#include "host/align/codes.h"
#include "host/align/trace.h"
#include "host/batch/threads.h"
#include "host/engine/pair.h"
#include "host/wfa/fronts.h"

namespace rhomb::align {

/// The pair as the parts see it: the shorter text in the rows, no common suffix, which any optimal
/// alignment may begin its walk back with. (Not so the prefix: gaps may belong into it.)
struct Turned {
  seq::Code code;
  Problem problem;
  CodeKind codes;
  std::int64_t suffix = 0;
  std::shared_future<Codes> coded;  // made beside the search for the distance

  std::int64_t rows() const { return static_cast<std::int64_t>(problem.a.size()); }
  std::int64_t columns() const { return static_cast<std::int64_t>(problem.b.size()); }
};

/// Makes that of a problem. `turned` says in its codes whether the problem's texts have changed
/// places already.
void turn(const Problem& problem, Turned& turned);

/// What encoded() makes of texts of a code.
CodeKind kind_of(const seq::Code& code, bool turned);

/// Both texts as codes, which are not needed before there is a distance. Bytes that say it already
/// are those of the problem.
Codes encoded(const Turned& turned);

/// The rest of a path that has come to place `entry` of the first row.
Cigar along_first_row(const Turned& turned, std::int64_t entry);

/// What a run found, and the path if it left what leads to it.
struct Found {
  std::optional<std::int64_t> distance;
  std::string engine, variant, device;
  double cells = 0;
  Timing timing;
  double found_at = 0;  ///< the distance
  std::optional<Traced> traced;
  std::future<void> leaving;  ///< what another thread gives back meanwhile

  /// To give back much memory takes a while, so another thread does.
  template <class T>
  void let_go(T gone, std::size_t threads) {
    leaving = std::async(batch::beside(threads),
                         [held = std::optional<T>(std::move(gone))]() mutable { held.reset(); });
  }
};

/// What pieces that share launches leave of one of them.
struct Left {
  std::int64_t distance = 0;
  double cells = 0;  ///< of all, with the first of them
  wfa::Kept rows;
  std::optional<wfa::Begun> begun;  ///< of these, if that was asked for with others'
};

/// align_pair() of one strand, gaps left. `left`: of a pair that shared launches.
AlignAnswer align_strand(ocl::Device* device, std::string_view query, std::string_view target,
                         const AlignOptions& options, const AlignTuning& tuning,
                         const OtherDevices& others, std::optional<Left> left = std::nullopt);

}  // namespace rhomb::align
