// SPDX-License-Identifier: Apache-2.0
// reference: plain dynamic programming on the CPU, obviously right, used wherever an answer is
// checked: by tests, by the self-test of a program, by --check and by `--variant reference`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "host/seq/alphabet.h"

namespace rhomb::reference {

/// Unit-cost edit distance of `a` and `b` (Wagner and Fischer 1974), two symbols being equal when
/// `code` says so. O(|a| |b|) time, O(min) memory. `tick` is called now and then with the part of
/// the matrix done (0..1); what it throws ends the computation.
std::int64_t edit_distance(std::string_view a, std::string_view b, const seq::Code& code,
                           const std::function<void(double)>& tick = {});

/// The same with every byte equal only to itself.
std::int64_t edit_distance(std::string_view a, std::string_view b);

/// The distance if it is at most `bound`, else nothing (Ukkonen 1985: only the diagonals that a
/// path of cost `bound` can touch are computed). O(bound * min) time.
std::optional<std::int64_t> edit_distance_within(std::string_view a, std::string_view b,
                                                 const seq::Code& code, std::int64_t bound,
                                                 const std::function<void(double)>& tick = {});

/// The least edit distance of the whole `query` and any part of `text`, and the end of the first
/// such part: the symbols before it (Sellers 1980). Ends before `skip` symbols do not count; (-1,
/// 0) where none does. O(|query| |text|) time.
std::pair<std::int64_t, std::int64_t> best_occurrence(std::string_view query, std::string_view text,
                                                      const seq::Code& code, std::int64_t skip = 0);

/// Length of the longest common subsequence of `a` and `b`, two symbols being equal when `code`
/// says so. O(|a| |b|) time, O(|b|) memory.
std::uint32_t lcs_length(std::string_view a, std::string_view b, const seq::Code& code);

}  // namespace rhomb::reference
