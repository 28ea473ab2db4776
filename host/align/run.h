// SPDX-License-Identifier: Apache-2.0
// AlignRun: the alignments of any number of pairs, read while others are aligned.
//
// What has been read by the time that the device is free becomes a block. Of a block the device
// aligns close pairs together (host/align/batch.h), and while threads of the host go through what
// it found, it is at the next one. Those threads align other short pairs, each one at a time. Long
// ones have the device one after the other, or a GPU some at a time: each leaves most of it idle,
// and all of it while the host walks. Several devices share a block, and have long pairs at the
// same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/align/align.h"
#include "host/align/batch.h"
#include "host/align/inversions.h"
#include "host/batch/lanes.h"
#include "host/batch/pairs.h"
#include "host/batch/threads.h"
#include "host/distance/close.h"
#include "host/distance/run.h"
#include "host/distance/side_by_side.h"

namespace rhomb {

struct AlignRunOptions : AlignOptions {
  /// Before and after a pair that is aligned while no other is, which may take long; may be empty.
  std::function<void(const PairPlace&, const seq::Pair&)> begin = {};
  std::function<void()> end = {};
};

class AlignRun {
 public:
  AlignRun(AlignRunOptions options, DeviceAccess access)
      : options_(std::move(options)),
        access_(std::move(access)),
        threads_(batch::threads_of(options_.threads)),
        together_(options_, threads_) {
    if (options_.store == nullptr) options_.store = &nothing_;
    by_thread_ = options_;
    by_thread_.threads = 1;
    by_thread_.progress = {};
    by_thread_.trace = nullptr;
    on_host_ = by_thread_;
    on_host_.engine = "reference";
    on_host_.variant = {};
    on_host_.config = {};
  }
  AlignRun(const AlignRun&) = delete;
  AlignRun& operator=(const AlignRun&) = delete;

  /// Aligns pairs of a source. make(place, pair, answer) makes what is wanted of an alignment, in
  /// any thread; take(made) gets it in this one, in the order of the pairs, and rest() is called
  /// there after some of them. Throws what align_pair() throws; what is wrong with the source after
  /// the pairs before it.
  template <class Make, class Take, class Rest>
  void pairs(batch::PairSource source, const Make& make, const Take& take, const Rest& rest) {
    batch::PairFlow flow(std::move(source));
    bool more = true;
    const auto next = [&](std::unique_ptr<Block> used) -> std::unique_ptr<Block> {
      if (!more) return nullptr;
      // A device is opened meanwhile, unless that is all.
      if (together_.possible() && !opened() && !flow.ended()) {
        const std::lock_guard lock(mutex_);
        open_to_share();
      }
      auto block = used ? std::move(used) : std::make_unique<Block>();
      more = flow.take(*block);
      if (number_ == 0) read_seconds_ = flow.seconds();
      block->all = std::nullopt;
      if (!more) block->all = number_ + block->pairs.size();
      find(*block, more);
      return block;
    };
    align_blocks(next, make, take, rest);
    flow.check();
  }

  /// Each query with each target, row by row.
  template <class Make, class Take, class Rest>
  void all(const seq::Batch& queries, const seq::Batch& targets, const Make& make, const Take& take,
           const Rest& rest) {
    const std::size_t count = queries.size() * targets.size();
    std::size_t at = 0;
    const auto next = [&](std::unique_ptr<Block> used) -> std::unique_ptr<Block> {
      if (at == count) return nullptr;
      auto block = used ? std::move(used) : std::make_unique<Block>();
      block->all = count;
      block->pairs.clear();
      std::size_t symbols = 0;
      for (; at < count && block->pairs.size() < kMostPairs && symbols < kMostSymbols; ++at) {
        block->pairs.push_back({queries[at / targets.size()], targets[at % targets.size()]});
        symbols +=
            block->pairs.back().query.symbols.size() + block->pairs.back().target.symbols.size();
      }
      find(*block, at < count);
      return block;
    };
    align_blocks(next, make, take, rest);
  }

  /// How many of these pairs are aligned as one block, the first one that there will be: of `all`
  /// each with each, or of some that a source gives faster than they are aligned.
  static std::size_t first_block(std::span<const seq::Pair> pairs, bool all) {
    std::size_t count = 0, bytes = 0, symbols = 0;
    for (; count < pairs.size(); ++count) {
      if (all ? count == kMostPairs || symbols >= kMostSymbols : bytes >= batch::PairFlow::kAtATime)
        break;
      const auto& [query, target] = pairs[count];
      symbols += query.symbols.size() + target.symbols.size();
      bytes += batch::bytes_of(query) + batch::bytes_of(target);
    }
    return count;
  }

  /// Where threads of the host probably align all these pairs, of which there are several, before a
  /// device would be open: up to which distance each; else 0.
  static std::int64_t most_by_host(std::span<const seq::Pair> pairs, const AlignOptions& options,
                                   const align::BatchAligner& together) {
    // To align takes about twelve times as long as the distance, and all cells are kept: 20 MB.
    constexpr double kPart = 1.0 / 12;
    constexpr std::int64_t kMost = 3000;
    if (options.both_strands || options.memory > 0 || pairs.size() > kMostClosePairs) return 0;
    // For pairs that threads align, whatever they are like, no device is opened anyway.
    const std::size_t count = pairs.size(), threads = batch::threads_of(options.threads);
    const auto pair_of = [&](std::size_t i) { return pairs[i]; };
    if (!together.worthwhile(count, pair_of, align::BatchAligner::kOpening) &&
        std::ranges::all_of(
            pairs, [&](const seq::Pair& pair) { return shared(pair, count, options, threads); }))
      return 0;
    const auto texts_of = [&](std::size_t i) {
      return std::pair(pairs[i].query.symbols, pairs[i].target.symbols);
    };
    const PairList list = PairList::by_order(count, texts_of, threads);
    return std::min(most_of_close(list, options, kPart).value_or(0), kMost);
  }

  /// Devices::inversions() of an alignment: for make().
  std::vector<Inversion> inversions(std::string_view query, std::string_view target,
                                    const Cigar& cigar) {
    const std::lock_guard lock(mutex_);
    DeviceAccess access = access_;
    access.open |= !devices_.empty();
    return align::find_inversions(query, target, cigar, options_, access);
  }
  /// Seconds that reading took until the first pairs were there.
  double read_seconds() const { return read_seconds_; }

 private:
  /// Of a block of pairs of each with each.
  static constexpr std::size_t kMostPairs = std::size_t{1} << 17;
  static constexpr std::size_t kMostSymbols = std::size_t{1} << 27;

  struct Block : batch::PairFlow::Block {
    std::uint64_t number = 0;          // of its first pair
    std::optional<std::uint64_t> all;  // of pairs, if that is known
    align::AlignedBatch found;
    std::int64_t by_host = 0;  // up to this distance threads of the host align all of them

    PairPlace place(std::size_t i) const { return {number + i, all}; }
  };
  /// Pairs that a thread aligns one after another, or one that is aligned alone.
  struct Part {
    std::size_t first = 0, end = 0;
    bool alone = false;
  };

  /// Whether a GPU has such a pair at the same time as others.
  static bool small_for_gpu(const seq::Pair& pair) {
    constexpr double kMostCells = 2.5e11;  // 5 ms of a GPU
    return static_cast<double>(pair.query.symbols.size()) *
               static_cast<double>(pair.target.symbols.size()) <=
           kMostCells;
  }
  /// Those that share pairs: beside a GPU, GPUs.
  std::vector<batch::DeviceChoice> devices_alike() const {
    auto found = access_.devices();
    if (found.front().info->limits.gpu)
      std::erase_if(found, [](const auto& choice) { return !choice.info->limits.gpu; });
    return found;
  }
  /// The devices that have long pairs at the same time: a GPU, or several devices.
  std::vector<batch::DeviceChoice> devices_beside() {
    if (threads_ < 2 || options_.memory > 0 || !needs_opencl(options_)) return {};
    const std::lock_guard lock(mutex_);
    try {
      auto found = devices_alike();
      if (found.size() == 1 && !found.front().info->limits.gpu) found.clear();
      return found;
    } catch (const Error& error) {  // whoever needs it will say so
      if (error.kind() != Kind::kDevice) throw;
      return {};
    }
  }
  std::unique_ptr<ocl::Device> open_beside(const batch::DeviceChoice& choice) {
    const std::lock_guard lock(mutex_);
    if (devices_.empty()) open(access_.devices().front());
    return choice.open().beside();
  }

  /// Whether threads of the host align such a pair while others do so with other pairs.
  static bool shared(const seq::Pair& pair, std::size_t count, const AlignOptions& options,
                     std::size_t threads) {
    constexpr double kMostCells = 2e8;  // a third of a second where nothing is alike
    const std::size_t m = pair.query.symbols.size(), n = pair.target.symbols.size();
    const double cells = static_cast<double>(m) * static_cast<double>(n);
    const double bytes = cells / 4 + 64 * static_cast<double>(m + n);
    if (options.memory > 0 &&
        bytes * static_cast<double>(threads) > static_cast<double>(options.memory))
      return false;
    if (aligned_at_once(m, n, options)) return cells <= kMostCells;
    return options.engine == "auto" && options.variant.empty() && !options.check &&
           !options.both_strands && count > 1 && cells <= kMostCells;
  }

  /// Has the device align what it does together; `more` pairs may come.
  void find(Block& block, bool more) {
    // What a device takes to be opened, or a few launches.
    constexpr double kOpening = align::BatchAligner::kOpening, kLaunches = 0.001;
    block.number = std::exchange(number_, number_ + block.pairs.size());
    block.found = {};
    block.by_host = 0;
    if (block.all == block.pairs.size() && !opened() && !access_.open)
      block.by_host = most_by_host(block.pairs, options_, together_);
    if (block.by_host > 0) return;
    const auto pair_of = [&](std::size_t i) { return block.pairs[i]; };
    const double worth = opened() ? kLaunches : more ? kOpening / 5 : kOpening;
    if (!together_.worthwhile(block.pairs.size(), pair_of, worth)) return;
    const std::lock_guard lock(mutex_);
    open_to_share();
    if (devices_.empty()) return;
    const auto upto = together_.choose(block.pairs.size(), pair_of, devices_.front()->limits());
    // To open another one takes as long as the first.
    const bool much = together_.worthwhile(block.pairs.size(), pair_of, 2 * kOpening);
    if (much) open_others();
    const std::span all(devices_);
    block.found = together_.align(much ? all : all.first(1), block.pairs, upto, block.held.empty());
  }

  template <class Next, class Make, class Take, class Rest>
  void align_blocks(const Next& next, const Make& make, const Take& take, const Rest& rest) {
    std::unique_ptr<Block> block = next(nullptr), used;
    while (block) {
      auto following =
          std::async(batch::beside(options_.threads),
                     [&next, used = std::move(used)]() mutable { return next(std::move(used)); });
      align(*block, make, take, rest);
      block->held.clear();
      used = std::move(block);
      block = following.get();
    }
  }

  template <class Make, class Take, class Rest>
  void align(const Block& block, const Make& make, const Take& take, const Rest& rest) {
    constexpr double kPartCells = 1e6, kCellsOfSymbol = 50;
    std::vector<Part> parts;
    double cells = 0;
    for (std::size_t i = 0; i < block.pairs.size(); ++i) {
      const seq::Pair& pair = block.pairs[i];
      const bool found = block.found.found(i);
      const bool alone =
          !found && block.by_host == 0 && !shared(pair, block.pairs.size(), options_, threads_);
      if (alone || parts.empty() || parts.back().alone || cells > kPartCells) {
        parts.push_back({i, i, alone});
        cells = 0;
      }
      parts.back().end = i + 1;
      const auto m = static_cast<double>(pair.query.symbols.size());
      const auto n = static_cast<double>(pair.target.symbols.size());
      cells += found ? kCellsOfSymbol * (m + n) : m * n;
    }
    if (!lanes_ && std::ranges::count_if(parts, &Part::alone) > 1)
      if (const auto devices = devices_beside(); !devices.empty())
        lanes_.emplace(devices, [this](const auto& choice) { return open_beside(choice); });
    const auto goes_beside = [&](const Part& part) {
      return part.alone && (lanes_->devices() > 1 || small_for_gpu(block.pairs[part.first]));
    };
    const bool some_beside = lanes_ && std::ranges::count_if(parts, goes_beside) > 1;
    using Made = decltype(make(PairPlace{}, seq::Pair{}, std::declval<AlignAnswer&>()));
    const auto align_part = [&](std::size_t number) {
      const Part& part = parts[number];
      std::vector<Made> made;
      if (some_beside && goes_beside(part)) try {
          made.push_back(align_beside(block, part.first, make));
        } catch (const std::bad_alloc&) {  // what needs more than others leave comes later
        } catch (const Error& error) {
          if (!out_of_memory(error)) throw;
        }
      for (std::size_t i = part.first; i < part.end && !part.alone; ++i) {
        check_stop();
        AlignAnswer answer = block.found.found(i) ? found(block, i)
                             : block.by_host > 0  ? close(block, i)
                                                  : on_host(block.pairs[i]);
        made.push_back(make(block.place(i), block.pairs[i], answer));
      }
      return made;
    };
    std::size_t taken = 0;
    batch::in_order(parts.size(), threads_, align_part, [&](std::vector<Made> made) {
      const Part& part = parts[taken++];
      if (part.alone && made.empty()) made.push_back(align_alone(block, part.first, make));
      for (Made& one : made) take(std::move(one));
      rest();
    });
  }

  AlignAnswer on_host(const seq::Pair& pair) const {
    return align_pair(nullptr, pair.query.symbols, pair.target.symbols, on_host_);
  }

  /// By this thread, or by a device where that turns out to be too far.
  AlignAnswer close(const Block& block, std::size_t i) {
    const std::string_view query = block.pairs[i].query.symbols;
    const std::string_view target = block.pairs[i].target.symbols;
    if (aligned_at_once(query.size(), target.size(), options_)) return on_host(block.pairs[i]);
    const auto solve = [&](const AlignOptions& asked) {
      return align_pair(nullptr, query, target, asked);
    };
    const HostWay way = host_wavefronts(block.by_host);
    if (auto answer = solve_by_host(by_thread_, way, solve)) return *std::move(answer);
    const std::lock_guard lock(mutex_);
    return align_by_all(query, target);
  }

  /// What the device found, checked by the host if that is asked for.
  AlignAnswer found(const Block& block, std::size_t i) const {
    AlignAnswer answer = block.found.answer(i, block.pairs[i], options_.gaps_right);
    if (options_.check && on_host(block.pairs[i]).cigar != answer.cigar)
      throw CheckError("check failed: the host has another alignment; please report this");
    return answer;
  }

  /// While others align other pairs.
  template <class Make>
  auto align_beside(const Block& block, std::size_t i, const Make& make) {
    const seq::Pair& pair = block.pairs[i];
    AlignAnswer answer;
    {
      const bool whole = !small_for_gpu(pair);
      batch::Lanes::Lane lane = lanes_->take(whole);
      check_stop();
      const trace::Scope scope(options_.trace, trace::Work::kPair, names_of(pair));
      AlignOptions asked = options_;
      asked.threads = threads_of_each(threads_, whole ? lanes_->devices() : batch::Lanes::kOfGpu);
      asked.progress = {};
      answer = align_pair(lane.device(), pair.query.symbols, pair.target.symbols, asked);
    }
    return make(block.place(i), pair, answer);
  }

  template <class Make>
  auto align_alone(const Block& block, std::size_t i, const Make& make) {
    check_stop();
    const seq::Pair& pair = block.pairs[i];
    const std::string_view query = pair.query.symbols, target = pair.target.symbols;
    if (options_.begin) options_.begin(block.place(i), pair);
    trace::Scope scope(options_.trace, trace::Work::kPair, names_of(pair));
    std::unique_lock lock(mutex_);
    std::optional<AlignAnswer> close;  // where a device was opened for this pair alone
    if (devices_.empty() && !access_.open && block.all == 1)
      close = align_if_close(query, target, options_);
    AlignAnswer answer = close ? *std::move(close) : align_by_all(query, target);
    lock.unlock();
    scope.end();
    if (options_.end) options_.end();
    return make(block.place(i), pair, answer);
  }

  /// A pair that has all devices, if it needs any.
  AlignAnswer align_by_all(std::string_view query, std::string_view target) {
    ocl::Device* const device = device_for(query.size(), target.size());
    return align_pair(device, query, target, options_, {},
                      device != nullptr ? others_of(access_.devices()) : OtherDevices());
  }
  /// The one that is open, or is opened for such a pair; null if that needs none.
  ocl::Device* device_for(std::size_t m, std::size_t n) {
    if (devices_.empty() && needs_opencl(options_) && !aligned_at_once(m, n, options_))
      open(access_.devices().front());
    return devices_.empty() ? nullptr : devices_.front();
  }
  bool opened() {
    const std::lock_guard lock(mutex_);
    return !devices_.empty();
  }
  /// Opens one, if there is one, for pairs that the host could align as well.
  void open_to_share() {
    if (!devices_.empty() || without_) return;
    const bool asked_for = !options_.variant.empty();
    try {
      without_ = !asked_for && ocl::list_devices().empty();
      if (!without_) open(access_.devices().front());
    } catch (const Error& error) {
      if (asked_for || error.kind() != Kind::kDevice) throw;
      without_ = true;
    }
  }
  void open(const batch::DeviceChoice& choice) {
    auto opened = std::async(std::launch::async, [&] { return &choice.open(); });
    batch::start_threads(threads_);
    devices_.push_back(opened.get());
    options_.store = &access_.store();
  }

  /// Of many pairs each has some. Those that cannot be opened are done without.
  void open_others() {
    if (std::exchange(others_opened_, true)) return;
    std::vector<std::future<ocl::Device*>> opened;
    const auto found = devices_alike();
    for (const batch::DeviceChoice& choice : std::span(found).subspan(1))
      opened.push_back(std::async(std::launch::async, [&] { return &choice.open(); }));
    for (auto& other : opened) try {
        devices_.push_back(other.get());
      } catch (const Error& error) {
        if (error.kind() != Kind::kDevice) throw;
      }
  }

  void check_stop() const {
    if (options_.stop.stop_requested()) throw Error(Kind::kStopped, "the run was stopped");
  }

  AlignRunOptions options_;
  AlignOptions by_thread_;  // a pair by one of them
  AlignOptions on_host_;    // and whatever it is like
  DeviceAccess access_;
  std::size_t threads_;
  align::BatchAligner together_;
  const tune::Store nothing_;
  std::mutex mutex_;                   // of the device, and of what is changed with it
  std::vector<ocl::Device*> devices_;  // that are open: the first one, and others for short pairs
  bool others_opened_ = false;
  std::optional<batch::Lanes> lanes_;  // for pairs beside each other
  bool without_ = false;               // there is none, or it cannot be opened
  std::uint64_t number_ = 0;           // of pairs that have been read
  double read_seconds_ = 0;
};

}  // namespace rhomb
