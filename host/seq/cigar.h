// SPDX-License-Identifier: Apache-2.0
// Cigar: an alignment of two whole texts, as runs of the same edit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alphabet.h"
#include "unset.h"

namespace rhomb {

/// What stands one above the other; SAM's letters.
enum class Edit : char {
  kMatch = '=',     ///< a symbol of each, and they match
  kMismatch = 'X',  ///< a symbol of each, and they do not
  kInsert = 'I',    ///< a symbol of the query alone
  kDelete = 'D',    ///< a symbol of the target alone
};

class Cigar {
 public:
  struct Run {
    Edit edit;
    std::uint32_t length;  ///< symbols; 1 at least
    bool operator==(const Run&) const = default;
  };
  /// Both texts together have fewer symbols than a run can count.
  static_assert(sizeof(Run) == 8);

  /// Appends `length` of these edits; a run that continues the last one becomes part of it.
  void add(Edit edit, std::int64_t length) {
    if (length <= 0) return;
    if (runs_.empty() || runs_.back().edit != edit)
      runs_.push_back({edit, static_cast<std::uint32_t>(length)});
    else
      runs_.back().length += static_cast<std::uint32_t>(length);
  }
  /// Makes room for so many runs.
  void reserve(std::size_t runs) { runs_.reserve(runs); }
  void append(const Cigar& other) {
    if (other.empty()) return;
    add(other.runs_.front().edit, other.runs_.front().length);
    runs_.insert(runs_.end(), other.runs_.begin() + 1, other.runs_.end());
  }
  /// Turns it round: the alignment of the reversed texts.
  void reverse();
  /// What `parts` are, one after the other, turned round. So many threads at most; 0: as many as
  /// the host has cores.
  static Cigar reversed(std::span<const Cigar> parts, std::size_t threads = 1);

  /// From the first symbols on; no two neighbours have the same edit.
  auto begin() const { return runs_.begin(); }
  auto end() const { return runs_.end(); }
  std::size_t size() const { return runs_.size(); }  ///< runs
  bool empty() const { return runs_.empty(); }
  bool operator==(const Cigar&) const = default;

  /// "12=1X3D"; empty for two empty texts.
  std::string text() const;
  /// Edits that are no matches: the unit cost.
  std::int64_t cost() const;

  /// How often each edit stands in it: `events` are runs, the others symbols.
  struct Counts {
    std::int64_t matches = 0, mismatches = 0, inserted = 0, deleted = 0;
    std::int64_t mismatch_events = 0, insertions = 0, deletions = 0;  ///< events
    std::int64_t longest_match = 0, longest_mismatch = 0, longest_insertion = 0,
                 longest_deletion = 0;
    /// Matches of all columns, as BLAST has it; 1 where there are none.
    double identity() const;
    /// The same where a gap counts as one column.
    double gap_compressed_identity() const;
  };
  Counts counts() const;

  /// Goes through both texts. Throws CheckError unless this is an alignment of the whole `query`
  /// with the whole `target`, its matches match, its mismatches do not, and its cost is `cost`. So
  /// many threads at most; 0: as many as the host has cores.
  void verify(std::string_view query, std::string_view target, const seq::Code& code,
              std::int64_t cost, std::size_t threads = 1) const;

 private:
  UnsetVector<Run> runs_;
};

/// The unit cost of an alignment.
inline std::int64_t cost_of(const Cigar& cigar) { return cigar.cost(); }

}  // namespace rhomb
