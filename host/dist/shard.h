// SPDX-License-Identifier: Apache-2.0
// Shard: one part of the records that several processes share without knowing of each other.
//
// Records are cut into as many ranges, in their order, as there are parts, of about equally many
// symbols: which range a record is in depends on the records alone. So what the parts print, one
// after another, is what one run prints.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "../error.h"

namespace rhomb {

/// Part `part`, from 0, of `parts`.
struct Shard {
  std::size_t part = 0, parts = 1;

  /// Of "2/5", which counts parts from 1. Throws UsageError.
  static Shard parse(std::string_view text) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const auto number = [&](std::string_view digits) {
      std::size_t read = 0;
      const char* const end = digits.data() + digits.size();
      const auto [stop, error] = std::from_chars(digits.data(), end, read);
      if (slash == text.size() || error != std::errc{} || stop != end)
        throw UsageError("'" + std::string(text) + "' is not I/N, as in 2/5");
      return read;
    };
    const Shard shard{number(text.substr(0, slash)) - 1,
                      number(text.substr(std::min(slash + 1, text.size())))};
    shard.check();
    return shard;
  }

  bool whole() const { return parts == 1; }
  /// Throws UsageError where there is no such part.
  void check() const {
    if (part >= parts)
      throw UsageError("there is no part " + std::to_string(part + 1) + " of " +
                       std::to_string(parts));
  }
};

/// Says of each record, one after another, whether it is of the shard.
class ShardCut {
 public:
  /// What a record of so many symbols counts.
  static double weight(std::size_t symbols) { return static_cast<double>(symbols) + 1; }

  /// `total`: the weights of all records.
  ShardCut(Shard shard, double total) : shard_(shard), total_(total) {}

  bool takes(std::size_t symbols) {
    const bool mine = here() == static_cast<double>(shard_.part);
    before_ += weight(symbols);
    return mine;
  }
  /// Whether no later record can be of the shard. Never so for the last part, which thus reads all
  /// records to their end and finds what is wrong there.
  bool past() const {
    return shard_.part + 1 < shard_.parts && here() > static_cast<double>(shard_.part);
  }

 private:
  /// The range that the next record is in.
  double here() const {
    return shard_.whole() ? 0 : std::floor(before_ * static_cast<double>(shard_.parts) / total_);
  }

  Shard shard_;
  double total_;
  double before_ = 0;
};

/// The range [first, end) of the records, each with `symbols`, that a shard has.
struct ShardRange {
  std::size_t first = 0, end = 0;
};

template <class Record>
ShardRange range_of(Shard shard, const std::vector<Record>& records) {
  double total = 0;
  for (const Record& record : records) total += ShardCut::weight(record.symbols.size());
  ShardCut cut(shard, total);
  ShardRange range;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!cut.takes(records[i].symbols.size())) continue;
    if (range.end == 0) range.first = i;
    range.end = i + 1;
  }
  return range;
}

/// Leaves of `records` but those of a range.
template <class Record>
void keep(std::vector<Record>& records, const ShardRange& range) {
  records.resize(range.end);
  records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(range.first));
}

}  // namespace rhomb
