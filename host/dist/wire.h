// SPDX-License-Identifier: Apache-2.0
// Wire: messages between two processes, as pieces that whatever carries them may damage, lose or
// mix up without that going unseen: each has a number and a checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/error.h"
#include "host/ocl/hash.h"

namespace rhomb::dist {

/// What one process tells another; `kind` is the program's business.
struct Message {
  std::uint32_t kind = 0;
  std::string text;  ///< any bytes
};

/// One process's end of it.
class Wire {
 public:
  static constexpr std::size_t kPiece = std::size_t{4} << 20;

  /// `other`: who is at the other end, for errors.
  explicit Wire(std::string other) : other_(std::move(other)) {}

  /// Calls each(piece) with what is to be carried to the other end, in this order, for a message.
  template <class Each>
  void cut(const Message& message, const Each& each) {
    std::string_view rest = message.text;
    do {
      const std::string_view some = rest.substr(0, kPiece);
      rest.remove_prefix(some.size());
      Head head{0, sent_++, rest.size(), message.kind};
      std::string piece;
      piece.reserve(sizeof head + some.size());
      piece.append(sizeof head, '\0').append(some);
      std::memcpy(piece.data(), &head, sizeof head);
      head.checksum = sum(piece);
      std::memcpy(piece.data(), &head, sizeof head);
      each(std::move(piece));
    } while (!rest.empty());
  }

  /// Takes the next piece from the other end; the message, once it is whole. Throws CheckError for
  /// a piece that is damaged, or not the next one.
  std::optional<Message> join(std::string_view piece) {
    Head head{};
    const bool whole = piece.size() >= sizeof head;
    if (whole) std::memcpy(&head, piece.data(), sizeof head);
    if (!whole || head.checksum != sum(piece) || head.sequence != received_)
      throw CheckError("message " + std::to_string(received_) + " from " + other_ +
                       " came damaged or out of order");
    ++received_;
    piece.remove_prefix(sizeof head);
    joined_.kind = static_cast<std::uint32_t>(head.kind);
    if (joined_.text.empty()) joined_.text.reserve(piece.size() + head.to_come);
    joined_.text += piece;
    if (head.to_come != 0) return std::nullopt;
    return std::exchange(joined_, {});
  }

 private:
  struct Head {
    std::uint64_t checksum, sequence;  // the checksum is of all that follows it
    std::uint64_t to_come;             // bytes of the message, in pieces behind this one
    std::uint64_t kind;
  };
  static std::uint64_t sum(std::string_view piece) {
    return ocl::hash_of(piece.substr(sizeof(Head::checksum)))[0];
  }

  std::string other_;
  std::uint64_t sent_ = 0, received_ = 0;
  Message joined_;
};

}  // namespace rhomb::dist
