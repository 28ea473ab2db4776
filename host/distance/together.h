// SPDX-License-Identifier: Apache-2.0
// Together: pairs of which devices compute many at a time, faster than one after the other. Each is
// first tried with wavefronts (host/wfa/pairs.h), up to a distance for which these are worth their
// time; what is further apart goes to the strips that search has (cl/search/batch.h), with whole
// texts, or is computed alone where it is too long for them. On a CPU a thousand pairs and more go
// through bands instead of wavefronts (bands.h), as wide as some of them need, if that is quicker.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/batch/devices.h"
#include "host/batch/run.h"
#include "host/batch/threads.h"
#include "host/distance/bands.h"
#include "host/distance/distance.h"
#include "host/distance/pair_list.h"
#include "host/search/search.h"
#include "host/seq/sequence.h"
#include "host/wfa/pairs.h"

namespace rhomb {

/// Whether the host answers all pairs before a device would have compiled anything, or can where
/// there is none.
bool answered_at_once(const PairList& list, const DistanceOptions& options);

/// Pairs that are computed in one go: no more of them and of symbols, and for about so many
/// seconds.
struct BlockLimits {
  std::size_t pairs = std::size_t{1} << 20;
  std::size_t symbols = std::size_t{1} << 28;
  double seconds = 0.5;
};

class Together {
  /// A queue of a device, and the pairs that it computes in one go.
  struct Lane {
    std::size_t device = 0, queue = 0;
    std::optional<wfa::PairsBatch> wavefronts;
    std::optional<search::AsyncBatch> strips;
    std::optional<BandsBatch> bands;
    std::size_t end = 0;                   // all pairs before are computed with these, or earlier
    double cells = 0;                      // of all their matrices
    std::vector<std::size_t> pairs, rest;  // to be tried; for strips, or alone
    bool trying = false;                   // wavefronts or bands are on their way
    bool banded = false;                   // bands
    std::int64_t tried = 0;                // wavefronts: for distances up to this
    double share = 0;                      // bands: to this part of the longer text
    int rounds = 0;                        // the second with longer rows, or wider bands
    Timing timing;
    tune::Config tried_config, strips_config, bands_config;

    template <class Answer>
    void add(const Answer& answer) {
      timing.build += answer.build;
      timing.transfer += answer.transfer;
      timing.compute += answer.compute;
    }
  };

 public:
  /// Memory of devices and of the host that one after another uses.
  class Memory {
    friend class Together;
    std::vector<Lane> lanes_;
  };

  /// Divides the pairs: those that devices like these compute together, and others. There are none
  /// of the former without a device, where another method is asked for, or where there are too few.
  /// With variant strips-batch or wavefront-batch there are all but those with an empty text.
  /// `options` stay as they are.
  Together(std::vector<batch::DeviceChoice> devices, PairList list, const DistanceOptions& options,
           const BlockLimits& most = {});
  /// Divides them for a device, which may be null, and computes nothing.
  Together(const ocl::DeviceInfo* device, PairList list, const DistanceOptions& options);

  /// To be used instead of new one, before anything is computed: of another one with these devices.
  void use(Memory memory) { lanes_ = std::move(memory.lanes_); }
  /// What it has, once nothing is computed any more.
  Memory memory() {
    Memory memory;
    memory.lanes_ = std::move(lanes_);
    return memory;
  }

  const PairOrder& pairs() const { return list_.pairs; }
  bool takes(std::size_t pair) const { return count_ > 0 && fits(list_.pairs[pair]); }
  std::size_t count() const { return count_; }  ///< of pairs that are taken
  /// Whether a pair's distance is known.
  bool ready(std::size_t pair) const;
  /// Whether all are.
  bool all_ready() const {
    return count_ == list_.pairs.size() && computed_ == count_ && !some_alone_;
  }

  /// Computes a pair that is taken, and those before and some behind it; to be called in ascending
  /// order. It is ready() then, unless memory did not suffice, or it turned out that the pair is
  /// better computed alone. Throws as distance() does.
  void compute(std::size_t pair);
  /// Whether a pair that is taken turned out to be better computed alone.
  bool left(std::size_t pair) const;
  /// The distance of a pair that is taken and ready(); nothing if it is larger than asked for.
  std::optional<std::int64_t> distance_of(std::size_t pair) const;
  /// The answer to a pair that is taken and ready(), not checked; the times are its share. May be
  /// called by several threads.
  DistanceAnswer found(std::size_t pair) const;
  /// Both in one, and checked if that is asked for; what is not ready() is computed alone, with the
  /// others' help as distance() has it.
  DistanceAnswer answer(std::size_t pair, const OtherDevices& others = {});

  /// What explain_distance() says of other pairs; where nothing is computed.
  Facts explain(std::size_t pair);

 private:
  void divide(const ocl::Limits& limits);
  /// Of the first block as often as there may be blocks at a time: with what is tried first alone,
  /// and at most.
  void foresee();
  double cells(PairNumbers pair) const;
  /// Seconds that a pair takes alone; and if others are computed alone beside it, of which a device
  /// may have many in each launch (several.h), as measured on an H100.
  double alone(PairNumbers pair) const;
  double beside(PairNumbers pair) const;
  /// Whether a pair is of those that are computed together at all: no text is empty or very long.
  bool fits(PairNumbers pair) const;
  /// Whether another pair, before this one, has the same texts.
  bool again(PairNumbers pair) const { return list_.square && pair.query > pair.target; }
  /// Where a pair's distance is, one of both with the same texts.
  std::size_t place(std::size_t pair) const;
  /// The largest distance for which wavefronts are worth their time; 0: they are not tried.
  std::int64_t worth(PairNumbers pair) const;
  bool gains_by_strips(PairNumbers pair) const;
  ocl::Device& device_of(const Lane& lane) { return devices_[lane.device].open(); }
  /// Of that device, which need not be open.
  const ocl::Limits& limits_of(const Lane& lane) const {
    return devices_[lane.device].info->limits;
  }
  trace::Trace* trace_of(const Lane& lane);

  /// Calls each(0), each(1), ... each(count - 1), in several threads.
  template <class Each>
  void for_pairs(std::size_t count, const Each& each) const;

  void begin();
  void cut(Lane& lane);
  void start(Lane& lane);
  void next(Lane& lane);
  void pass_on(Lane& lane, const SelfTestError& error, const char* instead);
  void leave();
  void leave_alone(std::span<const std::size_t> pairs);
  void pack(Lane& lane);
  bool gains_by_bands(Lane& lane);
  std::size_t longer_text(std::size_t pair) const;
  double share_for_bands(Lane& lane);
  std::vector<std::uint32_t> sampled(Lane& lane, const std::vector<std::size_t>& some,
                                     double share);
  std::int64_t band(std::size_t pair, double share) const;
  void try_bands(Lane& lane);
  void take_bands(Lane& lane);
  BlockTexts load_texts(Lane& lane, const std::vector<std::size_t>& pairs,
                        wfa::PairsProblem& problem);
  void try_wavefronts(Lane& lane);
  void take_wavefronts(Lane& lane);
  /// What strips are told of pairs.
  struct StripsOf {
    BlockTexts texts;
    std::vector<search::Task> tasks;
    search::Problem problem;  // of these
  };
  StripsOf strips_of(const std::vector<std::size_t>& pairs) const;
  void start_strips(Lane& lane);
  void take_strips(Lane& lane);
  void finish();

  /// Values of distances_ that are none, and the bits of those that wavefronts and bands found.
  static constexpr std::uint32_t kByWavefronts = 0x80000000, kByBands = 0x40000000,
                                 kLarger = 0x3fffffff, kAlone = 0x3ffffffe;
  /// Bands have a program of their own, which is worth it for so many pairs. They are no wider than
  /// this part of the longer text.
  static constexpr std::size_t kForBands = 1024;
  static constexpr double kWidestBand = 0.4;

  const PairList list_;
  const DistanceOptions& options_;
  const BlockLimits most_;
  std::vector<batch::DeviceChoice> devices_;
  ocl::Limits limits_;  // of the first
  double cells_a_second_ = 0;
  double longest_ = 0;      // seconds that a pair may take in a bit of the strips
  double worth_ = 0;        // square of the distance that is worth it, by cells of the matrix
  bool strips_ = true;      // all rows may be used, unless
  bool wavefronts_ = true;  // one is asked for,
  bool bands_ = true;       // these on a CPU
  std::optional<double> share_ = std::nullopt;  // of the longer text, for bands; 0: no bands
  bool crowded_ = false;                        // memory did not suffice
  bool some_alone_ = false;                     // some pairs are left()
  std::size_t count_ = 0;                       // of pairs that are taken
  std::string division_;                // how many which row gets, in words, once somebody asks
  batch::Memory memory_, most_memory_;  // as foresee() says

  seq::Code code_;
  std::vector<std::uint32_t> distances_;  // see place(); as far as they are computed
  std::size_t cut_ = 0, computed_ = 0;    // pairs before are in blocks; are computed
  double block_cells_ = 0;                // that the next one may have
  std::vector<Lane> lanes_;
  /// Of each device: all texts, where pairs share them.
  std::vector<std::pair<std::optional<wfa::PackedTexts>, std::optional<wfa::PackedTexts>>> packed_;
  std::size_t started_ = 0, finished_ = 0;  // blocks
  double since_ = 0;                        // when the last block was finished

  /// What is the same for all pairs that a lane computed in one go.
  struct Share {
    std::size_t end = 0;  // as Lane::end
    Timing each;          // seconds a cell
    std::string device;
    tune::Config wavefronts, strips, bands;
    double band = 0;  // as Lane::share
  };
  std::vector<Share> shares_;
};

}  // namespace rhomb
