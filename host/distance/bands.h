// SPDX-License-Identifier: Apache-2.0
// Bands: the variant band-batch. Many pairs of about one length at a time, a pair a bit, each
// within a band of diagonals (cl/strip/bands.cl). A pair takes as much as its length times the
// width of the band, whatever its distance, and is answered if that is no larger than the band was
// made for.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "host/batch/run.h"
#include "host/engine/program.h"
#include "host/wfa/pairs.h"

namespace rhomb {

/// The variant's name.
inline constexpr std::string_view kBandBatch = "band-batch";

/// The texts and tasks are those of wavefronts for many pairs.
using BandsProblem = wfa::PairsProblem;
using BandsAnswer = wfa::PairsAnswer;  ///< a distance, which may exceed `most`, or wfa::kBeyond

struct BandsPlan {
  engine::Program program;
  tune::Config config;
  int lanes = 0, rows = 0, planes = 0;  ///< LANES, K and PLANES
  bool sets = false;                    ///< seq::Matching::kSets
  std::size_t pairs = 0;                ///< that a work-item has
  std::uint64_t kept = 0;               ///< bytes of all work-items, at most
  bool self_test = false;
};

/// For so many pairs. Pure. Throws tune::Unfit.
BandsPlan plan_bands(const seq::Code& code, std::size_t pairs, const ocl::Limits& limits,
                     const tune::Config& config);

/// What may be tuned.
const tune::Space& bands_space();

/// Seconds that a device takes for a pair of these lengths and distances up to `most`, if it has
/// many of them; as measured under PoCL.
double bands_seconds(std::size_t m, std::size_t n, double most, const ocl::Limits& limits);

/// Bytes that such a batch takes on a device besides the texts, for bands of so many diagonals, and
/// those of them that the host's pinned memory has, too.
batch::Memory bands_memory(const BandsPlan& plan, std::size_t pairs, std::int64_t wide,
                           const ocl::Limits& limits);

/// Batches one after another on a queue of a device, as wfa::PairsBatch.
class BandsBatch {
 public:
  BandsBatch(ocl::Device& device, std::size_t queue);
  ~BandsBatch();  ///< waits for what is under way
  BandsBatch(BandsBatch&&) noexcept;
  BandsBatch& operator=(BandsBatch&&) noexcept;

  /// Builds and tests the program, packs, enqueues all, and returns. Texts, none of them empty, and
  /// tasks may go then; what is packed, and the trace, stay until finish(). Throws as solve() does.
  void start(const BandsPlan& plan, const BandsProblem& problem);
  BandsAnswer finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhomb
