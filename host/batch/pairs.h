// SPDX-License-Identifier: Apache-2.0
// Records and pairs of records that a thread reads while others work with those before.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/batch/flow.h"
#include "host/batch/run.h"
#include "host/seq/sequence.h"

namespace rhomb::batch {

/// A query, and the target that it is compared with.
struct SequencePair {
  seq::Sequence query, target;
  seq::Pair view() const { return {&query, &target}; }
  void swap(SequencePair& other) noexcept {
    query.name.swap(other.query.name);
    query.symbols.swap(other.query.symbols);
    target.name.swap(other.target.name);
    target.symbols.swap(other.target.symbols);
  }
};
using PairSource = Source<SequencePair>;

/// Bytes of memory that a record takes, about.
inline std::size_t bytes_of(const seq::Sequence& record) {
  return sizeof(seq::Sequence) + record.name.size() + record.symbols.size() + 32;
}

/// Calls add() until it says that there is no more, and flush() now and then: when full() says so,
/// before the source may wait, or each time where that is not known, and at the end, also that with
/// an error.
template <class Record, class Add, class Full, class Flush>
void gather(const Source<Record>& source, const Add& add, const Full& full, const Flush& flush) {
  const bool known = static_cast<bool>(source.before_waiting);
  const auto end = [&] {
    if (known) source.before_waiting({});  // flush() does not outlive this
    flush();
  };
  if (known) source.before_waiting(flush);
  try {
    while (add())
      if (!known || full()) flush();
  } catch (...) {
    end();
    throw;
  }
  end();
}

/// Some pairs, the first `count` of these.
struct SomePairs {
  std::vector<SequencePair> pairs;
  std::size_t count = 0;
};

/// Pairs in blocks that are as large as they come fast. While a device is opened, a fifth of a
/// second, half a million of short ones come. They are handed over some at a time, not moved.
class PairFlow {
 public:
  explicit PairFlow(PairSource source)
      : flow_({kMostBytes, 0.02, 1}, [source = std::move(source)](const auto& give) {
          SomePairs some;
          SequencePair next;  // of its own: those are flushed while it is read
          std::size_t bytes = 0;
          bool wanted = true;
          gather(
              source,
              [&] {
                if (!wanted || !source.next(next)) return false;
                bytes += bytes_of(next.query) + bytes_of(next.target);
                // No more of them than come at a time.
                if (some.count == some.pairs.size())
                  some.pairs.resize(std::clamp<std::size_t>(4 * some.count, 1, kAtATime));
                some.pairs[some.count++].swap(next);
                return true;
              },
              [&] { return some.count == kAtATime || bytes > kAtATime << 10; },
              [&] {
                if (some.count > 0) wanted = give(some, bytes);
                some.count = bytes = 0;
              });
        }) {}

  /// Of pairs that wait to be taken, as bytes_of() has them.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 28;
  /// What of pairs that stand for so many bytes, `count` of them, is in memory at a time, at most:
  /// those that are read, waiting, worked with, and kept for their memory.
  static double most_held(double bytes, double count) {
    const double each = sizeof(SequencePair) + sizeof(seq::Pair);
    return std::min(bytes, 4.0 * kMostBytes) * (1 + each / std::max(1.0, bytes / count));
  }

  /// Pairs, and what they are pairs of.
  struct Block {
    std::vector<seq::Pair> pairs;
    std::vector<SomePairs> records;
  };
  /// Makes `block` all pairs that are there, at least one unless it is the end; whether more may
  /// come. What it was before is of no interest, but memory of short pairs is used again.
  bool take(Block& block) {
    std::erase_if(block.records, [](const SomePairs& some) { return some.count < kAtATime; });
    auto taken = flow_.take(std::move(block.records));
    block.records = std::move(taken.records);
    block.pairs.clear();
    for (const SomePairs& some : block.records)
      for (std::size_t i = 0; i < some.count; ++i) block.pairs.push_back(some.pairs[i].view());
    return taken.more;
  }
  /// As those of Flow.
  bool ended() { return flow_.ended(); }
  bool ends_within(std::size_t bytes) { return flow_.ends_within(bytes); }
  void check() const { flow_.check(); }
  double seconds() const { return flow_.seconds(); }

 private:
  static constexpr std::size_t kAtATime = 256;
  Flow<SomePairs> flow_;
};

/// Records one after another in one piece of memory, but for large ones.
class RecordTexts {
 public:
  void add(seq::Sequence& record) {
    const bool large = record.symbols.size() > kLarge;
    sizes_.push_back({record.name.size(), large ? kElsewhere : record.symbols.size()});
    bytes_ += sizeof(Sizes) + record.name.size() + record.symbols.size();
    all_ += record.name;
    large ? large_.push_back(std::move(record)) : void(all_ += record.symbols);
  }
  /// The next one, which is taken out; false if there is none.
  bool next(seq::Sequence& into) {
    if (next_ == sizes_.size()) return false;
    const auto [name, symbols] = sizes_[next_++];
    const std::string_view rest = std::string_view(all_).substr(at_);
    at_ += name;
    if (symbols == kElsewhere) {
      into = std::move(large_[next_large_++]);
      return true;
    }
    at_ += symbols;
    // Memory that `into` has is used again, unless it is much more than needed.
    if (into.symbols.capacity() > symbols + kSpare) std::string().swap(into.symbols);
    into.name.assign(rest.substr(0, name));
    into.symbols.assign(rest.substr(name, symbols));
    return true;
  }
  /// That they stand for; 0 if there are none.
  std::size_t bytes() const { return bytes_; }
  void clear() {
    sizes_.clear();
    all_.clear();
    large_.clear();
    bytes_ = next_ = next_large_ = at_ = 0;
  }

 private:
  static constexpr std::size_t kLarge = std::size_t{1} << 16, kSpare = 256;
  static constexpr std::size_t kElsewhere = ~std::size_t{0};
  struct Sizes {
    std::size_t name = 0, symbols = 0;
  };

  std::string all_;
  std::vector<Sizes> sizes_;
  std::vector<seq::Sequence> large_;
  std::size_t bytes_ = 0;
  std::size_t next_ = 0, next_large_ = 0, at_ = 0;  // record, and where it is
};

/// The records of one file, one after another, read ahead: where two files are read in turns, both
/// are read at the same time. Threads on different cores hand memory over that is in few pieces.
class ReadAhead {
 public:
  explicit ReadAhead(Source<seq::Sequence> source, trace::Trace* trace = nullptr)
      : flow_({std::size_t{1} << 22, 0, 0},
              [this, source = std::move(source), trace](const auto& give) {
                const trace::Scope scope(trace, trace::Work::kRead, source.name);
                seq::Sequence record;
                RecordTexts records;
                bool wanted = true;
                gather(
                    source,
                    [&] {
                      if (!wanted || !source.next(record)) return false;
                      part_ = source.part_read();
                      records.add(record);
                      return true;
                    },
                    [&] { return records.bytes() > kAtATime; },
                    [&] {
                      if (records.bytes() > 0) wanted = give(records, records.bytes());
                      records.clear();
                    });
              }) {}

  /// False at the end. Throws what the source throws, after the records before.
  bool next(seq::Sequence& into) {
    while (at_ == taken_.records.size() || !taken_.records[at_].next(into)) {
      if (at_ < taken_.records.size()) {
        ++at_;
        continue;
      }
      if (before_waiting_) before_waiting_();
      if (taken_.more)
        taken_ = flow_.take(std::move(taken_.records));
      else
        taken_.records.clear();
      at_ = 0;
      if (taken_.records.empty()) {
        flow_.check();
        return false;
      }
    }
    return true;
  }
  /// See Source.
  void before_waiting(std::function<void()> call) { before_waiting_ = std::move(call); }
  /// How much has been read, 0 to 1. May be called by any thread.
  double part() const { return part_; }

 private:
  static constexpr std::size_t kAtATime = std::size_t{1} << 18;  // bytes
  using Records = Flow<RecordTexts>;

  Records::Taken taken_;
  std::size_t at_ = 0;  // of what was taken
  std::function<void()> before_waiting_;
  std::atomic<double> part_ = 0;
  Records flow_;  // last: its thread uses the others
};

}  // namespace rhomb::batch
