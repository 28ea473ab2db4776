// SPDX-License-Identifier: Apache-2.0
// text_of_file, next_line: a file and its lines. Not by streams: these end, as at the end of the
// file, where memory does not suffice.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rhomb {

/// The bytes of a file, or of standard input ("-"); nothing where they cannot be read, and errno
/// says why.
inline std::optional<std::string> text_of_file(const std::string& path) {
  struct Open {
    explicit Open(const std::string& path)
        : number(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~Open() {
      if (number > STDIN_FILENO) ::close(number);
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    int number;
  };
  const Open file(path);
  if (file.number < 0) return std::nullopt;
  constexpr std::size_t kLeast = std::size_t{1} << 16;
  std::string text;
  for (std::size_t size = 0;;) {
    if (text.size() - size < kLeast) text.resize(std::max(2 * size, 2 * kLeast));
    const ssize_t count = ::read(file.number, text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    size += static_cast<std::size_t>(count);
    if (count > 0) continue;
    text.resize(size);
    return text;
  }
}

/// Takes the first line of `rest`, which is not empty, away from it; its end is left out.
inline std::string_view next_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

}  // namespace rhomb
