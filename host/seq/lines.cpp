// SPDX-License-Identifier: Apache-2.0
#include "host/seq/lines.h"

namespace rhomb::seq {

bool Lines::refill() {
  if (begin_ > 0) std::memmove(block_.get(), block_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (before_waiting_) before_waiting_();
  const auto count = stream_.read(block_.get() + end_, kBlock - end_);
  end_ += count;
  bytes_read_ += static_cast<std::int64_t>(count);
  return count > 0;
}

void Lines::skip_byte_order_mark() {
  while (end_ - begin_ < 3 && refill()) {
  }
  if (std::string_view(block_.get() + begin_, end_ - begin_).starts_with("\xef\xbb\xbf"))
    begin_ += 3;
}

const Lines::Piece* Lines::next_across_blocks() {
  for (;;) {
    const auto known = end_ - begin_;  // bytes without a line end
    if (known == kBlock) {
      // All of the block is one line: hand it out, less what may be part of the line end.
      auto text = trimmed({block_.get() + begin_, known});
      if (text.empty()) text = {block_.get() + begin_, known};
      piece_ = {text, line_, column_, false};
      begin_ += text.size();
      column_ += static_cast<std::int64_t>(text.size());
      return &piece_;
    }
    if (!refill()) {
      if (known == 0 && column_ == 0) return nullptr;
      return whole_line(known, 0);  // no line end at the end of the file
    }
    const char* fresh = block_.get() + known;
    if (const auto* end = static_cast<const char*>(std::memchr(fresh, '\n', end_ - known)))
      return whole_line(static_cast<std::size_t>(end - block_.get()), 1);
  }
}

}  // namespace rhomb::seq
