// SPDX-License-Identifier: Apache-2.0
// The little that names and messages need.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace rhomb::ocl {

/// `text` without the blanks and zeros at its ends.
inline std::string trimmed(std::string text) {
  constexpr std::string_view kBlank(" \t\r\n\0", 5);
  text.erase(0, std::min(text.find_first_not_of(kBlank), text.size()));
  text.erase(text.find_last_not_of(kBlank) + 1);
  return text;
}

/// `text` in lower case.
inline std::string folded(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// Whether `text`, in any case, has `folded_part` in it.
inline bool contains(const std::string& text, const std::string& folded_part) {
  return folded(text).find(folded_part) != std::string::npos;
}

}  // namespace rhomb::ocl
