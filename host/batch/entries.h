// SPDX-License-Identifier: Apache-2.0
// Entries: queries read in blocks, to be compared with targets that are in memory, or each with one
// of its own.
#pragma once

#include <cstddef>
#include <string>

#include "host/batch/reader.h"
#include "host/batch/run.h"
#include "host/batch/texts.h"

namespace rhomb::batch {

/// A query, and the target that it is compared with where each has one of its own.
struct Entry {
  std::string query_name, query, target_name, target;
};

/// Queries that were read together, and their own targets.
struct EntryBlock : Block {
  Texts names, queries, target_names, targets;
  double symbols = 0;  ///< of the queries
  double cells = 0;    ///< of the queries with their own targets

  void reserve(const EntryBlock& before, double times) {
    names.reserve(before.names, times);
    queries.reserve(before.queries, times);
    target_names.reserve(before.target_names, times);
    targets.reserve(before.targets, times);
  }
  std::size_t held() const {  ///< bytes of memory, while no more entries come
    return names.bytes() + queries.bytes() + target_names.bytes() + targets.bytes() +
           (queries.size() + targets.size()) * sizeof(std::string_view);
  }
};

/// The first block is small; more than the most gains nothing. Five are in memory at a time: one
/// that is read, some on their way, one that is printed. Half the memory is for what comes of them.
inline BlockSizes entry_blocks(std::size_t memory) {
  return {memory / 2, 5, std::size_t{1} << 20, std::size_t{64} << 20};
}

/// In the reader's thread: adds all entries. `cost_of(entry)` gives the bytes that one stands for,
/// or throws; `pairs`: queries have their own targets.
template <class Records, class Cost>
void read_entries(Reader<Records>& reader, const Source<Entry>& source, bool pairs,
                  const Cost& cost_of) {
  Entry entry;
  while (source.next(entry)) {
    Records* const block = reader.room_for(cost_of(entry), source.part_read());
    if (block == nullptr) return;
    block->symbols += static_cast<double>(entry.query.size());
    block->names.add(entry.query_name);
    block->queries.add(entry.query);
    if (!pairs) continue;
    block->cells +=
        static_cast<double>(entry.query.size()) * static_cast<double>(entry.target.size());
    block->target_names.add(entry.target_name);
    block->targets.add(entry.target);
  }
}

}  // namespace rhomb::batch
