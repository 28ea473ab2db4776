// SPDX-License-Identifier: Apache-2.0
// Many pairs at a time by wavefronts, for those that are close: the variant wavefront-batch.
//
// What a pair costs grows with the square of its distance, which nobody knows before. So each pair
// has a largest cost that it is worth, and what is further apart is left to others.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "host/batch/staging.h"
#include "host/wfa/wfa.h"

namespace rhomb::wfa {

/// The variant's name.
inline constexpr std::string_view kWavefrontBatch = "wavefront-batch";

/// A pair of texts, by their numbers.
struct PairTask {
  std::uint32_t a = 0, b = 0;
  std::uint32_t most = 0;  ///< distances up to this are wanted; at most most_of()
  /// The largest distance for which all this is worth its time: a pair that seems to be twice as
  /// far apart is given up early. 0: none is.
  std::uint32_t worth = 0;
};

/// Texts on a device, for many batches.
class PackedTexts {
 public:
  /// Packs `texts` with `code` and copies them, on the queue in use. Throws UsageError where they
  /// have 2^32 symbols or more together, ocl::DeviceError, MemoryError.
  PackedTexts(ocl::Device& device, std::span<const std::string_view> texts,
              const std::array<std::uint8_t, 256>& code, int planes, std::size_t threads);
  /// None yet.
  PackedTexts();
  ~PackedTexts();
  PackedTexts(PackedTexts&&) noexcept;
  PackedTexts& operator=(PackedTexts&&) noexcept;

  /// Other texts in the same memory, which nothing may use any more; the copy is only enqueued.
  void pack(ocl::Device& device, std::span<const std::string_view> texts,
            const std::array<std::uint8_t, 256>& code, int planes, std::size_t threads);

  std::size_t length(std::uint32_t text) const;  ///< symbols

  struct Words;  // host/wfa/words.h
  const Words& words() const { return *words_; }

 private:
  friend class PairsBatch;
  std::unique_ptr<Words> words_;
};

/// Bytes that PackedTexts take on a device, and at most as many of the host's pinned memory; and
/// likewise what each task of a PairsBatch takes.
std::uint64_t packed_bytes(std::span<const std::string_view> texts, int planes);
std::uint64_t pair_task_bytes();

struct PairsProblem {
  std::span<const std::string_view> a, b;  ///< texts; not needed with those that are packed
  const PackedTexts* packed_a = nullptr;   ///< with code.a, and
  const PackedTexts* packed_b = nullptr;   ///< with code.b, on the device that computes
  std::span<const PairTask> tasks;
  const seq::Code* code = nullptr;
  std::size_t threads = 0;
  trace::Trace* trace = nullptr;
};

/// What a pair's distance is, in place of one.
inline constexpr std::uint32_t kBeyond = 0x7fffffff;   ///< larger than PairTask::most
inline constexpr std::uint32_t kGivenUp = 0x7ffffffe;  ///< not known: see PairTask::worth

struct PairsAnswer {
  std::vector<std::uint32_t> distances;  ///< one a task, or kBeyond, or kGivenUp
  double compute = 0;                    ///< seconds, as in rhomb::Answer
  double build = 0;
  double transfer = 0;
  tune::Config config;
};

/// A plan for distances up to `most`, whatever the pairs. Pure. Throws tune::Unfit.
Plan plan_pairs(const seq::Code& code, std::int64_t most, const ocl::Limits& limits,
                const tune::Config& config);

/// The largest distance that batches with this plan find.
std::int64_t most_of(const Plan& plan);

/// The largest distance for which rows fit into local memory; and that for which a device still has
/// as many groups at a time as it can.
std::int64_t most_in_local_memory(const ocl::Limits& limits);
std::int64_t most_when_full(const ocl::Limits& limits);

/// Cells that a distance takes, in both directions.
double pairs_cells(std::int64_t distance);

/// Cells a second, about: what a device reaches, and what a group does.
double pairs_cells_a_second(const ocl::Limits& limits);

/// Batches one after another on a queue of a device, each begun and left to itself. Between its
/// calls the device's queue 0 is in use.
class PairsBatch {
 public:
  PairsBatch(ocl::Device& device, std::size_t queue);
  ~PairsBatch();  ///< waits for what is under way
  PairsBatch(PairsBatch&&) noexcept;
  PairsBatch& operator=(PairsBatch&&) noexcept;

  /// Builds and tests the program, packs, enqueues all, and returns. Texts and tasks may go then;
  /// what is packed, and the trace, stay until finish(). Throws as solve() does.
  void start(const Plan& plan, const PairsProblem& problem);
  PairsAnswer finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhomb::wfa
