// SPDX-License-Identifier: Apache-2.0
// Together: pairs of which a device computes many at a time, faster than one after the other, by
// the strips that search has (cl/search/batch.h), with whole texts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/distance/distance.h"
#include "host/search/search.h"
#include "host/seq/sequence.h"

namespace rhomb {

/// Numbers of a pair's texts.
struct PairNumbers {
  std::uint32_t query = 0, target = 0;
};

/// Texts, and which of them are compared. The sequences stay as they are while it is used.
struct PairList {
  std::vector<std::string_view> queries, targets;
  std::vector<PairNumbers> pairs;
  /// The targets are the queries, and each is compared with each, row by row: half of it says all.
  bool square = false;

  /// The first with the first, and so on; as many of both.
  static PairList by_order(const seq::Batch& queries, const seq::Batch& targets);
  /// Each with each. It is square if both are the same object.
  static PairList all(const seq::Batch& queries, const seq::Batch& targets);
};

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
 public:
  /// Divides the pairs: those that a device like this one computes together, and others. There are
  /// none of the former without a device, where another method is asked for, or where there are too
  /// few; with variant strips-batch all but those with an empty text.
  /// `options` stay as they are.
  Together(const ocl::DeviceInfo* device, PairList list, const DistanceOptions& options,
           const BlockLimits& most = {});

  const std::vector<PairNumbers>& pairs() const { return list_.pairs; }
  bool takes(std::size_t pair) const { return !taken_.empty() && taken_[pair]; }
  std::size_t count() const { return count_; }                     ///< of pairs that are taken
  bool ready(std::size_t pair) const { return computed_ > pair; }  ///< answer() will not compute

  /// Computes a pair that is taken, and those before and some behind it, on the device that it was
  /// divided for; to be called in ascending order. It is ready() then, unless memory did not
  /// suffice. Throws as distance() does.
  void compute(ocl::Device& device, std::size_t pair);
  /// The answer to a pair that is taken and ready(), not checked; the times are its share. May be
  /// called by several threads.
  DistanceAnswer found(std::size_t pair) const;
  /// Both in one, and checked if that is asked for. Where memory does not suffice pairs are
  /// computed one after the other.
  DistanceAnswer answer(ocl::Device& device, std::size_t pair);

  /// What explain_distance() says of other pairs.
  Facts explain(std::size_t pair) const;

 private:
  /// Pairs that are computed in one go.
  struct Block {
    std::size_t end = 0;             // all pairs before are computed with it, or earlier
    std::vector<std::size_t> pairs;  // in step with the tasks
    std::vector<std::string_view> queries, targets;
    std::vector<search::Task> tasks;
  };

  double cells(std::size_t pair) const;
  /// Whether another pair, before this one, has the same texts.
  bool again(std::size_t pair) const;
  void cut(Block& block);
  void start(ocl::Device& device);
  void finish(ocl::Device& device);

  const PairList list_;
  const DistanceOptions& options_;
  const BlockLimits most_;
  double cells_a_second_ = 0;
  bool forced_ = false;   // they are not to be computed in another way
  bool crowded_ = false;  // memory did not suffice
  std::vector<bool> taken_;
  std::size_t count_ = 0;

  seq::Code code_;
  std::vector<std::uint32_t> distances_;  // of each pair, as far as they are computed
  std::size_t cut_ = 0, computed_ = 0;    // pairs before are in blocks; are computed
  std::array<std::optional<search::AsyncBatch>, 2> batches_;
  std::array<Block, 2> blocks_;
  std::size_t started_ = 0, finished_ = 0;  // blocks
  double since_ = 0;                        // when the last block was finished

  /// What is the same for all pairs of a block.
  struct Share {
    std::size_t end = 0;  // as Block::end
    Timing each;          // seconds a cell
    tune::Config config;
  };
  std::vector<Share> shares_;
  std::string device_;  // its name
};

}  // namespace rhomb
