// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "host/engine/reference.h"
#include "host/error.h"

namespace rhomb::cli {
namespace {

std::string written(double value, std::chars_format format, int precision) {
  std::array<char, 400> buffer;
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision);
  return {buffer.data(), result.ptr};
}

/// The power of 1000 that a last letter stands for, 1 for a digit, 0 for anything else.
double unit(char letter) {
  switch (letter) {
    case 'k':
    case 'K':
      return 1e3;
    case 'm':
    case 'M':
      return 1e6;
    case 'g':
    case 'G':
      return 1e9;
    default:
      return (letter >= '0' && letter <= '9') ? 1 : 0;
  }
}

bool is_number(std::string_view text) {
  double value = 0;
  if (text.starts_with('>')) text.remove_prefix(1);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return (code == std::errc() && end == text.data() + text.size()) || text == "-" || text == "NA";
}

}  // namespace

std::int64_t parse_size(std::string_view text, std::string_view what) {
  const auto refuse = [&](const std::string& why) -> UsageError {
    return UsageError(std::string(what) + ": '" + std::string(text) + "' " + why);
  };
  const std::string wanted = "is not a size; give a whole number, perhaps as 10k, 3M or 2G";
  const double factor = text.empty() ? 0 : unit(text.back());
  if (factor == 0 || text.starts_with('-')) throw refuse(wanted);
  const std::string_view digits = factor == 1 ? text : text.substr(0, text.size() - 1);
  const char* const last = digits.data() + digits.size();
  std::int64_t whole = 0;
  const auto [end, code] = std::from_chars(digits.data(), last, whole);
  if (code == std::errc() && end == last && whole >= 0) {
    if (static_cast<double>(whole) * factor >= 9e18) throw refuse("is too large");
    return whole * static_cast<std::int64_t>(factor);
  }
  double value = 0;  // "1.5M"
  const auto [real_end, real_code] =
      std::from_chars(digits.data(), last, value, std::chars_format::fixed);
  if (code == std::errc::result_out_of_range) throw refuse("is too large");
  if (real_code != std::errc() || real_end != last) throw refuse(wanted);
  value = std::round(value * factor * 1e6) / 1e6;
  if (value != std::floor(value)) throw refuse(wanted);
  if (value >= 9e18) throw refuse("is too large");
  return static_cast<std::int64_t>(value);
}

double parse_number(std::string_view text, std::string_view what) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !(value >= 0) ||
      !std::isfinite(value))
    throw UsageError(std::string(what) + ": '" + std::string(text) +
                     "' is not a number of 0 or more, such as 0.01");
  return value;
}

double parse_duration(std::string_view text, std::string_view what) {
  std::string_view number = text;
  double unit = 1;
  if (!text.empty() && std::string_view("smh").find(text.back()) != std::string_view::npos) {
    unit = text.back() == 's' ? 1 : text.back() == 'm' ? 60 : 3600;
    number.remove_suffix(1);
  }
  return unit * parse_number(number, what);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

std::string joined(const std::vector<std::string>& pieces) {
  std::string text;
  for (const auto& piece : pieces) text += (text.empty() ? "" : ", ") + piece;
  return text;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  auto least = static_cast<std::int64_t>(std::max<std::size_t>(word.size() / 3, 1)) + 1;
  for (const auto& candidate : candidates) {
    auto distance = reference::edit_distance(word, candidate);
    if (word.size() >= 3 && candidate.starts_with(word)) distance = 1;
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : " (did you mean '" + best + "'?)";
}

std::string fixed(double value, int digits) {
  // By integers, where these have all digits: five times as fast.
  constexpr std::array<long double, 16> kPowers = {1e0L,  1e1L,  1e2L,  1e3L, 1e4L,  1e5L,
                                                   1e6L,  1e7L,  1e8L,  1e9L, 1e10L, 1e11L,
                                                   1e12L, 1e13L, 1e14L, 1e15L};
  if (digits < 0 || digits > 15 || !(value >= 0 && value < 1e9))
    return written(value, std::chars_format::fixed, digits);
  const long double scaled = value * kPowers[static_cast<std::size_t>(digits)];
  if (scaled >= 1e18L) return written(value, std::chars_format::fixed, digits);
  // What a product of 64 bits cannot tell from a tie.
  if (std::abs(scaled - std::floor(scaled) - 0.5L) < 1e-3L)
    return written(value, std::chars_format::fixed, digits);
  auto rest = static_cast<std::uint64_t>(std::llrint(scaled));
  std::array<char, 24> text;
  char* at = text.data() + text.size();
  for (int i = 0; i <= digits || rest > 0; ++i, rest /= 10) {
    if (i == digits && digits > 0) *--at = '.';
    *--at = static_cast<char>('0' + rest % 10);
  }
  return {at, text.data() + text.size()};
}

std::string significant(double value) {
  if (!(std::abs(value) > 0) || !std::isfinite(value)) return value == 0 ? "0" : "NA";
  const int before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fixed(value, std::clamp(6 - before, 0, 15));
}

double rounded(const std::string& text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() ? value : 0;
}

std::string with_commas(std::int64_t value) {
  const std::string digits = std::to_string(value < 0 ? -value : value);
  std::string text(value < 0 ? "-" : "");
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string human(double value) {
  constexpr std::array<std::string_view, 5> kUnits = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  for (; std::abs(value) >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  const int digits = unit == 0 || std::abs(value) >= 99.5 ? 0 : std::abs(value) >= 9.95 ? 1 : 2;
  return fixed(value, digits) + std::string(kUnits[unit]);
}

std::string human_bytes(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes >= std::uint64_t{1} << 30) {
    const double gib = value / (1 << 30);
    return fixed(gib, gib < 10 ? 1 : 0) + " GiB";
  }
  if (bytes >= std::uint64_t{1} << 20) return fixed(value / (1 << 20), 0) + " MiB";
  return fixed(value / (1 << 10), 0) + " KiB";
}

std::string human_seconds(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "a long time";
  if (seconds < 9.95) return fixed(seconds, 1) + " s";
  const auto whole = std::llround(seconds);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

void add_field(std::string& line, std::string_view text) {
  const std::size_t begin = line.size();
  line += text.empty() ? "-" : text;
  for (std::size_t i = begin; i < line.size(); ++i)
    if (static_cast<unsigned char>(line[i]) < 0x20 || line[i] == 0x7f) line[i] = '_';
}

std::string field(std::string_view text) {
  std::string clean;
  add_field(clean, text);
  return clean;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  std::vector<bool> numbers;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (c == widths.size()) {
        widths.push_back(0);
        numbers.push_back(true);
      }
      widths[c] = std::max(widths[c], rows[r][c].size());
      if (r > 0 && !is_number(rows[r][c])) numbers[c] = false;
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string spaces(widths[c] - row[c].size(), ' ');
      line += (c ? "  " : "") + (numbers[c] ? spaces + row[c] : row[c] + spaces);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string tabbed(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& text : fields) {
    if (&text != &fields.front()) line += '\t';
    line += text;
  }
  return line + '\n';
}

std::string tsv(const std::vector<std::vector<std::string>>& rows) {
  std::string text = "#";
  for (const auto& row : rows) text += tabbed(row);
  return text;
}

}  // namespace rhomb::cli
