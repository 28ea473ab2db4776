// SPDX-License-Identifier: Apache-2.0
// Fields: numbers and texts one after another in a message, as a process writes them and another
// one of the same program, on a computer of the same kind, reads them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "host/error.h"

namespace rhomb::dist {

class FieldsOut {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> FieldsOut& add(const T& value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  FieldsOut& add_text(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    text_ += text;
    return *this;
  }
  /// There will be so many bytes, about.
  FieldsOut& reserve(std::size_t bytes) {
    text_.reserve(bytes);
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Reads what FieldsOut wrote, in the same order. Throws CheckError where there is less.
class FieldsIn {
 public:
  explicit FieldsIn(std::string_view text) : text_(text) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }
  bool empty() const { return text_.empty(); }
  std::string_view get_text() { return bytes(get<std::uint64_t>()); }

 private:
  std::string_view bytes(std::uint64_t count) {
    if (count > text_.size()) throw CheckError("a message is shorter than it says");
    const std::string_view some = text_.substr(0, count);
    text_.remove_prefix(count);
    return some;
  }

  std::string_view text_;
};

}  // namespace rhomb::dist
