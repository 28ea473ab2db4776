// SPDX-License-Identifier: Apache-2.0
// BatchAligner: alignments of many pairs that a device finds together: wavefronts say what their
// distances are (host/wfa/pairs.h), up to one for which that is worth its time, and others what the
// paths are (host/align/paths.h). The host turns these into runs, and goes through each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/align/paths.h"
#include "host/batch/run.h"
#include "host/engine/facts.h"
#include "host/rhomb.h"
#include "host/wfa/pairs.h"

namespace rhomb::align {

/// Pairs on end and what a device found of them.
struct AlignedPart {
  /// Numbers in place of a distance: none was found; it is larger than the one asked for.
  static constexpr std::uint32_t kOpen = ~0u, kLarger = ~0u - 1;

  bool found(std::size_t i) const { return i < distances.size() && distances[i] != kOpen; }
  /// The alignment of a pair that is found(), verified. May be called by several threads. Throws
  /// CheckError.
  AlignAnswer answer(std::size_t i, const seq::Pair& pair, bool gaps_right) const;

  std::vector<std::uint32_t> distances;  // of each pair
  std::vector<std::uint32_t> first;      // of its edits
  std::span<const std::uint32_t> edits;
  seq::Code code;
  std::string device;
  Timing each;  // for a symbol
};

/// What devices found of pairs, of which each has some on end; good until the call of align() after
/// the next.
class AlignedBatch {
 public:
  bool found(std::size_t i) const {
    const std::size_t part = part_of(i);
    return part < parts_.size() && parts_[part].found(i - firsts_[part]);
  }
  /// As that of the part.
  AlignAnswer answer(std::size_t i, const seq::Pair& pair, bool gaps_right) const {
    const std::size_t part = part_of(i);
    return parts_[part].answer(i - firsts_[part], pair, gaps_right);
  }

 private:
  friend class BatchAligner;
  std::size_t part_of(std::size_t i) const {
    std::size_t part = 0;
    while (part + 1 < firsts_.size() && firsts_[part + 1] <= i) ++part;
    return part;
  }

  std::vector<AlignedPart> parts_;
  std::vector<std::size_t> firsts_;  // pairs, of each part
};

class BatchAligner {
 public:
  /// `options` stay as they are. As many threads of the host would align the pairs otherwise.
  BatchAligner(const AlignOptions& options, std::size_t threads);
  ~BatchAligner();

  /// Whether the options leave anything to devices that align pairs together.
  bool possible() const;
  using PairOf = std::function<seq::Pair(std::size_t)>;

  /// Whether a device should align pairs together: where that is possible(), and the variant
  /// is asked for or the host would take so many seconds for them. Pure.
  bool worthwhile(std::size_t count, const PairOf& pair_of, double seconds) const;
  /// Seconds of the host that are worth it to open a device.
  static constexpr double kOpening = 0.1;
  /// The largest distance that each of the pairs is tried for by a device with these limits; 0: it
  /// is not. Pure.
  std::vector<std::uint32_t> choose(std::size_t count, const PairOf& pair_of,
                                    const ocl::Limits& limits) const;

  /// The distances that these pairs will probably have, as far as they are tried: as large parts of
  /// the longer text as some of them have, of which the largest counts. Pure.
  std::vector<std::uint32_t> foresee(std::span<const seq::Pair> pairs,
                                     std::span<const std::uint32_t> upto) const;
  /// What a device and the host take for pairs with such distances, at most; 0: those that are not
  /// tried. `shared`: these are each with each, else they are read one after another. Pure.
  batch::Memory memory(std::span<const seq::Pair> pairs, std::span<const std::uint32_t> distances,
                       bool shared, const ocl::Limits& limits) const;
  /// What explain_alignment() says of other pairs, of one of `count` that is tried up to a
  /// distance, where all take so much memory, probably and at most.
  Facts explain(const seq::Pair& pair, std::uint32_t upto, std::size_t count,
                const batch::Memory& probable, const batch::Memory& most,
                const ocl::Limits& limits) const;

  /// Aligns pairs up to the distances that choose() has for them, on all of the devices at the same
  /// time. Those that are further apart, and all of a device whose memory does not suffice (then no
  /// more are possible()), are left open. `shared`: pairs have texts in common. One thread at a
  /// time; with the same devices each time, or some of the first of them.
  AlignedBatch align(std::span<ocl::Device* const> devices, std::span<const seq::Pair> pairs,
                     std::span<const std::uint32_t> upto, bool shared);

 private:
  struct Lane;

  /// What the variant was asked for with.
  tune::Config config() const { return asked_for_ ? options_.config : tune::Config{}; }
  /// Nothing is found where the device cannot.
  AlignedPart align_or_not(ocl::Device& device, Lane& lane, std::span<const seq::Pair> pairs,
                           std::span<const std::uint32_t> upto, bool shared);
  AlignedPart align_part(ocl::Device& device, Lane& lane, std::span<const seq::Pair> pairs,
                         std::span<const std::uint32_t> upto, bool shared);

  bool asked_for_ = false;             // by variant
  std::atomic<bool> crowded_ = false;  // memory did not suffice
  const AlignOptions& options_;
  std::size_t threads_;
  std::vector<Lane> lanes_;  // two of each device, which take turns
  std::size_t turn_ = 0;
};

}  // namespace rhomb::align
