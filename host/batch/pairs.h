// SPDX-License-Identifier: Apache-2.0
// Records and pairs of records that a thread reads while others work with those before.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
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
};

/// Bytes of memory that a record of a pair takes, about: with its view, where it is, and room that
/// vectors have.
inline std::size_t bytes_of(const seq::SequenceView& record) {
  return 3 * sizeof(record) + record.name.size() + record.symbols.size();
}

/// Records one after another in one piece of memory, but for large ones.
class RecordTexts {
 public:
  /// Symbols of a large record are taken out of it.
  void add(seq::Sequence& record) {
    const std::size_t symbols = record.symbols.size();
    if (bytes_ > kFew && !roomy_) {  // the first ones tell what there will be of names and symbols
      all_.reserve(all_.size() * (kAtATime + kFew) / bytes_ + 2 * std::min(symbols, kLarge));
      roomy_ = true;
    }
    const std::size_t at = all_.size();
    all_ += record.name;
    symbols <= kLarge ? void(all_ += record.symbols) : large_.push_back(std::move(record.symbols));
    places_.push_back(
        {at, record.name.size(), symbols <= kLarge ? symbols : kLarge + large_.size()});
    bytes_ += sizeof(Place) + record.name.size() + symbols;
  }
  std::size_t size() const { return places_.size(); }
  /// Good as long as no record is added.
  seq::SequenceView operator[](std::size_t i) const {
    const Place& place = places_[i];
    const std::string_view name(all_.data() + place.at, place.name);
    if (place.symbols > kLarge) return {name, large_[place.symbols - kLarge - 1]};
    return {name, {name.data() + name.size(), place.symbols}};
  }
  /// Makes `into` that record, whose symbols may be gone here afterwards.
  void take(std::size_t i, seq::Sequence& into) {
    const auto [name, symbols] = (*this)[i];
    into.name.assign(name);
    if (symbols.size() > kLarge) {
      into.symbols = std::move(large_[places_[i].symbols - kLarge - 1]);
      return;
    }
    // Memory that `into` has is used again, unless it is much more than needed.
    if (into.symbols.capacity() > symbols.size() + kSpare) std::string().swap(into.symbols);
    into.symbols.assign(symbols);
  }
  bool full() const { return bytes_ > kAtATime; }
  /// Bytes of memory that they stand for.
  std::size_t bytes() const { return bytes_; }
  /// Leaves no records, but the memory of short ones.
  void clear() {
    places_.clear();
    all_.clear();
    large_.clear();
    bytes_ = 0;
  }

 private:
  static constexpr std::size_t kAtATime = std::size_t{1} << 18;  // bytes
  static constexpr std::size_t kFew = std::size_t{1} << 12;
  static constexpr std::size_t kLarge = std::size_t{1} << 16, kSpare = 256;
  struct Place {
    std::size_t at = 0, name = 0;  // where the name begins, its length; the symbols follow
    std::size_t symbols = 0;       // how many; of a large one kLarge + 1 + its number in large_
  };

  std::string all_;
  std::vector<Place> places_;
  std::vector<std::string> large_;  // symbols
  std::size_t bytes_ = 0;
  bool roomy_ = false;  // so that records seldom move
};

/// Makes RecordTexts, whose memory is used again once nobody has them any more.
class RecordPool {
 public:
  std::shared_ptr<RecordTexts> empty() {
    auto texts = free_->take();
    if (!texts) texts = std::make_unique<RecordTexts>();
    return {texts.release(), [free = std::weak_ptr(free_)](RecordTexts* used) {
              std::unique_ptr<RecordTexts> owned(used);
              if (const auto pool = free.lock()) pool->put(std::move(owned));
            }};
  }

 private:
  struct Free {
    std::mutex mutex;
    std::vector<std::unique_ptr<RecordTexts>> texts;

    std::unique_ptr<RecordTexts> take() {
      const std::lock_guard lock(mutex);
      if (texts.empty()) return nullptr;
      auto last = std::move(texts.back());
      texts.pop_back();
      return last;
    }
    void put(std::unique_ptr<RecordTexts> used) noexcept {
      used->clear();
      try {
        const std::lock_guard lock(mutex);
        texts.push_back(std::move(used));
      } catch (const std::bad_alloc&) {  // then it is deleted
      }
    }
  };
  std::shared_ptr<Free> free_ = std::make_shared<Free>();  // what was made may live longer
};

/// Has add() put what the source gives into texts, and gives these away where they are full, before
/// the source may wait (each time where that is not known), and at the end, also that with an
/// error; until give() says that no more are wanted.
template <class Record, class Add, class Give>
void gather(const Source<Record>& source, const Add& add, const Give& give) {
  const bool known = static_cast<bool>(source.before_waiting);
  RecordPool pool;
  std::shared_ptr<RecordTexts> texts = pool.empty();
  bool wanted = true;
  const auto flush = [&] {
    if (texts->size() > 0) wanted = give(std::exchange(texts, pool.empty()));
  };
  const auto end = [&] {
    if (known) source.before_waiting({});  // flush() does not outlive this
    flush();
  };
  if (known) source.before_waiting(flush);
  try {
    Record next;  // of its own: texts may be given away while it is read
    while (wanted && source.next(next)) {
      add(next, *texts);
      if (!known || texts->full()) flush();
    }
  } catch (...) {
    end();
    throw;
  }
  end();
}

using Pieces = std::vector<std::shared_ptr<const RecordTexts>>;

/// Some pairs, and what they are pairs of.
struct SomePairs {
  std::vector<seq::Pair> pairs;
  Pieces held;

  void clear() {
    pairs.clear();
    held.clear();
  }
};
/// Gives pairs, some at a time, until there are no more or give() says that none are wanted. What
/// is given is of no interest afterwards.
using PairSource = std::function<void(const std::function<bool(SomePairs&)>& give)>;

/// Pairs that come one after another.
inline PairSource one_by_one(Source<SequencePair> source) {
  return [source = std::move(source)](const auto& give) {
    SomePairs some;
    gather(
        source,
        [](SequencePair& pair, RecordTexts& texts) {
          texts.add(pair.query);
          texts.add(pair.target);
        },
        [&](std::shared_ptr<RecordTexts> texts) {
          some.clear();
          for (std::size_t i = 0; i + 1 < texts->size(); i += 2)
            some.pairs.push_back({(*texts)[i], (*texts)[i + 1]});
          some.held.push_back(std::move(texts));
          return give(some);
        });
  };
}

/// Pairs in blocks that are as large as they come fast. While a device is opened, a fifth of a
/// second, half a million of short ones come: blocks for the device while rows of those before are
/// made. What they are pairs of is handed over, not moved.
class PairFlow {
 public:
  explicit PairFlow(PairSource source)
      : flow_({kMostWaiting, 0.02, kAtATime}, [this, source = std::move(source)](const auto& give) {
          std::uint64_t given = 0;
          source([&](SomePairs& some) {
            std::size_t bytes = 0;
            for (const seq::Pair& pair : some.pairs)
              bytes += bytes_of(pair.query) + bytes_of(pair.target);
            {
              const std::lock_guard lock(mutex_);
              held_.push_back({given += some.pairs.size(), std::move(some.held)});
            }
            return give(some.pairs, bytes);
          });
        }) {}

  /// Of pairs that wait to be taken, and of a block, as bytes_of() has them.
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 28;
  static constexpr std::size_t kAtATime = std::size_t{1} << 27;
  /// What of pairs that stand for so many bytes is in memory at a time, at most: those that wait,
  /// and blocks that rows are made of, that are computed, and that are kept for their memory.
  static double most_held(double bytes) {
    return std::min(bytes, static_cast<double>(kMostWaiting + 3 * kAtATime));
  }

  /// Pairs, and what they are pairs of.
  struct Block {
    std::vector<seq::Pair> pairs;
    std::vector<Pieces> held;
  };
  /// Makes `block` all pairs that are there, at least one unless it is the end; whether more may
  /// come. What it was before is of no interest, but memory is used again.
  bool take(Block& block) {
    block.held.clear();
    auto taken = flow_.take(std::move(block.pairs));
    block.pairs = std::move(taken.records);
    taken_ += block.pairs.size();
    const std::lock_guard lock(mutex_);
    for (; !held_.empty() && held_.front().end <= taken_; held_.pop_front())
      block.held.push_back(std::move(held_.front().pieces));
    return taken.more;
  }
  /// As those of Flow.
  bool ended() { return flow_.ended(); }
  bool ends_within(std::size_t bytes, std::size_t alone) { return flow_.ends_within(bytes, alone); }
  void check() const { flow_.check(); }
  double seconds() const { return flow_.seconds(); }

 private:
  struct Held {
    std::uint64_t end = 0;  // of the pairs that need them, of all that were given
    Pieces pieces;
  };

  std::uint64_t taken_ = 0;
  std::mutex mutex_;  // of what follows
  std::deque<Held> held_;
  Flow<seq::Pair> flow_;  // last: its thread uses the others
};

/// The records of one file, one after another, read ahead: where two files are read in turns, both
/// are read at the same time. Threads on different cores hand memory over that is in few pieces.
class ReadAhead {
 public:
  explicit ReadAhead(Source<seq::Sequence> source, trace::Trace* trace = nullptr)
      : flow_({std::size_t{1} << 22, 0},
              [this, source = std::move(source), trace](const auto& give) {
                const trace::Scope scope(trace, trace::Work::kRead, source.name);
                gather(
                    source,
                    [&](seq::Sequence& record, RecordTexts& texts) {
                      part_ = source.part_read();
                      texts.add(record);
                    },
                    [&](std::shared_ptr<RecordTexts> texts) {
                      const std::size_t bytes = texts->bytes();
                      return give(texts, bytes);
                    });
              }) {}

  /// The next record, good while its piece() is held; false at the end. Throws what the source
  /// throws, after the records before.
  bool next(seq::SequenceView& into) {
    if (!there()) return false;
    into = (*piece_)[at_++];
    return true;
  }
  /// The same, good for ever.
  bool next(seq::Sequence& into) {
    if (!there()) return false;
    piece_->take(at_++, into);
    return true;
  }
  /// What the record that came last is in, and whether it is the last one there.
  std::shared_ptr<const RecordTexts> piece() const { return piece_; }
  bool ends_piece() const { return !piece_ || at_ == piece_->size(); }
  /// See Source.
  void before_waiting(std::function<void()> call) { before_waiting_ = std::move(call); }
  /// How much has been read, 0 to 1. May be called by any thread.
  double part() const { return part_; }

 private:
  using Records = Flow<std::shared_ptr<RecordTexts>>;

  /// Whether there is a next record; waits until that is known.
  bool there() {
    while (ends_piece()) {
      if (!piece_ || ++in_taken_ == taken_.records.size()) {
        piece_ = nullptr;
        if (!taken_.more) {
          flow_.check();
          return false;
        }
        if (before_waiting_) before_waiting_();
        taken_ = flow_.take();
        in_taken_ = 0;
      }
      at_ = 0;
      if (in_taken_ < taken_.records.size()) piece_ = std::move(taken_.records[in_taken_]);
    }
    return true;
  }

  Records::Taken taken_;
  std::size_t in_taken_ = 0;            // which of its pieces is at hand
  std::shared_ptr<RecordTexts> piece_;  // that one
  std::size_t at_ = 0;                  // the next record in it
  std::function<void()> before_waiting_;
  std::atomic<double> part_ = 0;
  Records flow_;  // last: its thread uses the others
};

}  // namespace rhomb::batch
