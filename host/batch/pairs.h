// SPDX-License-Identifier: Apache-2.0
// Records and pairs of records that a thread reads while others work with those before.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
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
};
using PairSource = Source<SequencePair>;

/// Bytes of memory that a record takes, about.
inline std::size_t bytes_of(const seq::Sequence& record) {
  return sizeof(seq::Sequence) + record.name.size() + record.symbols.size() + 32;
}

/// Pairs in blocks that are as large as they come fast.
class PairFlow : public Flow<SequencePair> {
 public:
  explicit PairFlow(PairSource source)
      : Flow({}, [source = std::move(source)](const Give& give) {
          SequencePair pair;
          while (source.next(pair)) {
            const std::size_t bytes = bytes_of(pair.query) + bytes_of(pair.target);
            if (!give(pair, bytes)) return;
          }
        }) {}
};

/// The records of one file, one after another, read ahead: where two files are read in turns, both
/// are read at the same time.
class ReadAhead {
 public:
  explicit ReadAhead(Source<seq::Sequence> source, trace::Trace* trace = nullptr)
      : flow_({std::size_t{4} << 20, 0.001},
              [this, source = std::move(source), trace](const auto& give) {
                const trace::Scope scope(trace, trace::Work::kRead, source.name);
                seq::Sequence record;
                while (source.next(record)) {
                  part_ = source.part_read();
                  const std::size_t bytes = bytes_of(record);
                  if (!give(record, bytes)) return;
                }
              }) {}

  /// False at the end. Throws what the source throws, after the records before.
  bool next(seq::Sequence& into) {
    if (at_ == taken_.records.size()) {
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
    std::swap(into, taken_.records[at_++]);
    return true;
  }
  /// How much has been read, 0 to 1. May be called by any thread.
  double part() const { return part_; }

 private:
  using Records = Flow<seq::Sequence>;

  Records::Taken taken_;
  std::size_t at_ = 0;
  std::atomic<double> part_ = 0;
  Records flow_;  // last: its thread uses the others
};

}  // namespace rhomb::batch
