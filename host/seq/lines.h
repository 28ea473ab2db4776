// SPDX-License-Identifier: Apache-2.0
// Lines: a stream cut into lines, without ever holding more than one block of it.
//
// A line longer than the block comes in several pieces. Line ends ("\n", "\r\n") are removed, and
// with Trim::kBlanks the spaces and tabs before them as well; a byte that might belong to a line
// end is kept back until the next block shows whether it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "host/seq/stream.h"

namespace rhomb::seq {

/// What is removed before a "\n" or the end of the file.
enum class Trim {
  kLineEnd,  ///< one "\r"
  kBlanks,   ///< every "\r", space and tab
};

class Lines {
 public:
#ifdef RHOMB_READ_BLOCK  // small, for those who look for mistakes
  static constexpr std::size_t kBlock = RHOMB_READ_BLOCK;
#else
  static constexpr std::size_t kBlock = std::size_t{1} << 19;
#endif

  /// A line or a part of one; valid until the next call.
  struct Piece {
    std::string_view text;
    long line = 0;            ///< 1-based
    std::int64_t column = 0;  ///< 0-based position of `text` in the line
    bool ends = true;         ///< the line ends here

    bool starts() const { return column == 0; }
  };

  Lines(Stream stream, Trim trim)
      : stream_(std::move(stream)),
        trim_(trim),
        block_(std::make_unique_for_overwrite<char[]>(kBlock)) {}

  /// The next piece, or null at the end of the file.
  const Piece* next() {
    const char* begin = block_.get() + begin_;
    const auto* end = static_cast<const char*>(std::memchr(begin, '\n', end_ - begin_));
    return end ? whole_line(static_cast<std::size_t>(end - begin), 1) : next_across_blocks();
  }

  /// Has this called each time before the stream is read, which may wait.
  void before_waiting(std::function<void()> call) { before_waiting_ = std::move(call); }

  /// Removes a UTF-8 byte order mark, if the stream starts with one.
  void skip_byte_order_mark();

  /// Reads the rest of the stream, for the errors that are in it. Lines given out are gone then.
  void skip_all() {
    while (stream_.read(block_.get(), kBlock) > 0) {
    }
  }

  const Stream& stream() const { return stream_; }
  std::int64_t bytes_read() const { return bytes_read_; }

 private:
  const Piece* next_across_blocks();
  bool refill();

  // The rest of a line, `length` bytes, that `newline` (0 or 1) bytes of line end follow.
  const Piece* whole_line(std::size_t length, std::size_t newline) {
    piece_.text = trimmed({block_.get() + begin_, length});
    piece_.line = line_++;
    piece_.column = column_;
    piece_.ends = true;
    begin_ += length + newline;
    column_ = 0;
    return &piece_;
  }

  std::string_view trimmed(std::string_view text) const {
    if (trim_ == Trim::kLineEnd) {
      if (text.ends_with('\r')) text.remove_suffix(1);
    } else {
      while (!text.empty() && (text.back() == '\r' || text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    }
    return text;
  }

  Stream stream_;
  std::function<void()> before_waiting_;
  Trim trim_;
  Piece piece_;
  std::unique_ptr<char[]> block_;  // not filled with zeros: most files are small
  std::size_t begin_ = 0;          // the unread bytes of block_
  std::size_t end_ = 0;
  std::int64_t bytes_read_ = 0;
  long line_ = 1;
  std::int64_t column_ = 0;
};

}  // namespace rhomb::seq
