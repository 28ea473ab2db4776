// SPDX-License-Identifier: Apache-2.0
// DistanceRun: any number of pairs, read while others are compared; the answers come out in order.
//
// What has been read by the time that the device is free becomes a block. Of a block the device
// computes many pairs at a time (Together), the host short ones with all its threads, and what
// remains goes one after the other. A block is handed out in parts, so that nobody waits for long
// pairs that stand behind his own; while its last part is looked at, the next one is computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/batch/pairs.h"
#include "host/distance/together.h"
#include "host/tune/store.h"

namespace rhomb {

/// How a run gets devices, where it turns out to need them, and what was measured on devices.
struct DeviceAccess {
  /// At least one. All share pairs that are computed together; the first one computes the others.
  std::function<std::vector<batch::DeviceChoice>()> devices;
  std::function<const tune::Store&()> store;
  /// Other processes that may help with a pair; null: none.
  strip::Team* team = nullptr;
  bool open = false;  ///< one of them is, already
};

/// All but the first of these, to help it.
OtherDevices others_of(std::vector<batch::DeviceChoice> devices);

/// Which pair, from 0, and of how many, if that is known.
struct PairPlace {
  std::uint64_t number = 0;
  std::optional<std::uint64_t> count;
};

struct DistanceRunOptions : DistanceOptions {
  /// Before and after a pair is computed alone, or with others behind it; may be empty. Called by
  /// any thread, but by one at a time.
  std::function<void(const PairPlace&, const seq::Pair&)> begin = {};
  std::function<void()> end = {};
};

class DistanceRun {
 public:
  /// Pairs of a source. Starts to read.
  DistanceRun(batch::PairSource pairs, DistanceRunOptions options, DeviceAccess access);
  /// Each query with each target, row by row. They stay as they are.
  DistanceRun(const seq::Batch& queries, const seq::Batch& targets, DistanceRunOptions options,
              DeviceAccess access);
  ~DistanceRun();
  DistanceRun(const DistanceRun&) = delete;
  DistanceRun& operator=(const DistanceRun&) = delete;

 private:
  struct Block;

 public:
  /// Pairs one after another and their answers. Good until the next one is asked for; may be looked
  /// at by several threads.
  class Part {
   public:
    std::size_t size() const { return end_ - first_; }
    std::uint64_t number() const;  ///< of the first pair, from 0
    seq::Pair pair(std::size_t i) const;
    DistanceAnswer answer(std::size_t i) const;
    /// That of a pair that was computed by itself; null for others.
    const DistanceAnswer* alone(std::size_t i) const;
    /// The distance only, which is quicker.
    std::optional<std::int64_t> distance(std::size_t i) const;

   private:
    friend class DistanceRun;
    const Block* block_ = nullptr;
    std::size_t first_ = 0, end_ = 0;
  };

  /// The next pairs; nothing at the end. Throws what distance() throws, and what is wrong with the
  /// source, after the pairs before it.
  std::optional<Part> next();
  /// Seconds that reading took until the first pairs were there.
  double read_seconds() const { return read_seconds_; }

 private:
  std::unique_ptr<Block> read(std::uint64_t number, Together::Memory memory,
                              batch::PairFlow::Block used);
  void open();
  ocl::Device* device();
  void divide(Block& block, PairList list);
  void answer_some(Block& block);
  bool short_for_host(const seq::Pair& pair) const;
  std::int64_t tried_on_host(const Block& block, const PairList& list) const;
  template <class Work>
  void told(const Block& block, std::size_t pair, const Work& work) const;
  OtherDevices others();
  void answer_alone(Block& block, std::size_t pair);
  bool answer_several(Block& block, std::size_t first);
  void share_launches(std::span<const std::pair<std::string_view, std::string_view>> pairs,
                      std::vector<std::optional<DistanceAnswer>>& answers);
  void answer_on_host(Block& block, const std::vector<std::size_t>& pairs);

  DistanceRunOptions options_;
  DeviceAccess access_;
  bool reference_ = false;  // is asked for
  const tune::Store nothing_;
  std::vector<batch::DeviceChoice> devices_;  // once they are needed
  double read_seconds_ = 0;
  std::optional<batch::PairFlow> flow_;
  std::unique_ptr<Block> current_;
  batch::PairFlow::Block used_;                    // memory for the next ones
  std::future<std::unique_ptr<Block>> following_;  // last: it uses the others
};

}  // namespace rhomb
