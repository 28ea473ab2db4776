// SPDX-License-Identifier: Apache-2.0
// Text for people and back: sizes, numbers, near misses. Nothing here depends on the locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rhomb::cli {

/// Reads "250", "10k", "1.5M" or "2G" (powers of 1000, either case). `what` names the value in the
/// message of the UsageError that anything else ends in.
std::int64_t parse_size(std::string_view text, std::string_view what);

/// Reads a number of at least 0, "0.01". Throws UsageError like parse_size().
double parse_number(std::string_view text, std::string_view what);

/// Reads a duration in seconds: "90", "90s", "5m" or "1h". Throws UsageError like parse_size().
double parse_duration(std::string_view text, std::string_view what);

/// "a", "b" and "c" of "a,b,c"; empty pieces are dropped.
std::vector<std::string> split(std::string_view text, char separator);

/// All parts, one after another.
template <class... Parts>
std::string text_of(const Parts&... parts) {
  std::string text;
  (text.append(std::string_view(parts)), ...);
  return text;
}

/// "a, b, c"
std::string joined(const std::vector<std::string>& pieces);

/// The candidate that `word` probably means, or empty text if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// " (did you mean 'distance'?)", or empty text if no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// `value` with `digits` digits after the point: "0.996355".
std::string fixed(double value, int digits);

/// `value` with six significant digits and never an exponent: "0.0412345", "123456".
std::string significant(double value);

/// The number that fixed() or significant() wrote, for JSON.
double rounded(const std::string& text);

/// "12,345"
std::string with_commas(std::int64_t value);
/// The same of a count of any type.
template <class Number>
std::string count_of(Number value) {
  return with_commas(static_cast<std::int64_t>(value));
}

/// "3.25 G", "812 k", "17"
std::string human(double value);

/// "139 GiB"
std::string human_bytes(std::uint64_t bytes);

/// "0.8 s", "42 s", "3 min 5 s", "2 h 10 min"
std::string human_seconds(double seconds);

/// `text` as a TSV field: control characters become '_', empty text becomes '-'.
std::string field(std::string_view text);
/// Appends it to a line.
void add_field(std::string& line, std::string_view text);

/// The middle value, or the mean of the two middle ones. `values` is not empty.
double median(std::vector<double> values);

/// Columns of equal width, two spaces apart. Columns whose cells are all numbers stand right.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// A line of fields separated by tabs.
std::string tabbed(const std::vector<std::string>& fields);

/// Such lines, '#' before the first, the header.
std::string tsv(const std::vector<std::vector<std::string>>& rows);

}  // namespace rhomb::cli
