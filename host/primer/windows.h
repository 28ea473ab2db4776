// SPDX-License-Identifier: Apache-2.0
// Windows: how near windows of alpha come to parts of the texts, computed by the strips of the
// search (cl/search/batch.h). Alpha and texts stay on the device; what goes over is a few numbers
// for each window and part.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "host/batch/run.h"
#include "host/primer/primer.h"
#include "host/search/search.h"

namespace rhomb::primer {

/// The window alpha[begin, end) in symbols from .. to of a text. Occurrences that end before `skip`
/// symbols of these do not count; a multiple of 32.
struct Piece {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t text = 0, from = 0, to = 0;
  std::uint32_t skip = 0;
  std::uint32_t tag = 0, probe = 0;  ///< the caller's own
  std::uint32_t region = 0;
  std::uint32_t kind = 0;  ///< of program and columns; set by Windows
};

/// All texts for the window alpha[begin, end), cut into pieces of about `size` symbols, but what
/// overlaps the window's own place, which is a piece of its own. Ends of occurrences with less than
/// `k` differences are in one piece, those on a border in two.
template <class Each>
void for_pieces(const Problem& problem, std::uint32_t begin, std::uint32_t end, std::uint32_t k,
                std::uint32_t size, const Each& each) {
  const auto before = static_cast<std::uint32_t>(
      std::min<std::uint64_t>((std::uint64_t{end} - begin + k + 30) / 32 * 32, 1u << 31));
  size = std::max(size / 32 * 32, 2 * std::min(before, 1u << 29));
  for (std::uint32_t text = 0; text < problem.texts.size(); ++text) {
    const auto n = static_cast<std::uint32_t>(problem.texts[text].size());
    std::uint32_t stop = n, go = n;
    if (problem.self && problem.self->text == text) {
      stop = problem.self->begin + begin;
      go = problem.self->begin + end;
      each(Piece{begin, end, text, stop - std::min(stop, before), go + std::min(n - go, before)});
    }
    for (const auto& [first, last] : {std::pair{0u, stop}, std::pair{go, n}})
      for (std::uint32_t at = first; at < last; at += std::min(size, last - at)) {
        const std::uint32_t from = at - std::min(at - first, before);
        each(Piece{begin, end, text, from, at + std::min(size, last - at), at - from});
      }
  }
}

/// Where the ends of occurrences are in a piece: bit i stands for those in 1 << mark_shift()
/// columns from i << mark_shift() on, both borders included.
using Marks = std::uint32_t;
inline std::uint32_t mark_shift(const Piece& piece) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width((piece.to - piece.from) | 1u));
  return std::max(bits, 10u) - 5;
}

/// What Windows take on a device, and of the host's pinned memory, for a sequence of so many
/// symbols; about.
batch::Memory windows_memory(std::size_t symbols, std::span<const std::string_view> texts,
                             const seq::Code& code);

/// Windows on a device. Pieces that have symbols of their own windows (Problem::self) are computed
/// on the host.
class Windows {
 public:
  /// Makes the pieces of item `i`.
  using Make = std::function<void(std::uint32_t i, std::vector<Piece>& pieces)>;
  /// The least distance of the piece's window and a part of its text, and the end of the first such
  /// part in the text (kFirstEnd), or all ends of parts with less than Problem::k differences
  /// (kMarks: Marks; 0 where they are not known, if there are some at all).
  using Take = std::function<void(const Piece&, std::uint32_t distance, std::uint32_t where)>;
  /// All pieces of items first .. last - 1 were handed over.
  using Done = std::function<void(std::uint32_t first, std::uint32_t last)>;
  enum class Where : std::uint8_t { kFirstEnd, kMarks };

  /// Throws ocl::DeviceError, MemoryError.
  Windows(ocl::Device& device, const Problem& problem, Where where);
  ~Windows();
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  /// Pieces that go to the device at a time, about.
  static constexpr std::size_t kPieces = std::size_t{1} << 18;

  /// Enqueues the pieces of some items, 0 and on; `until`: how many those up to each item have
  /// together, more or less. There are two slots, 0 and 1: what one of them has started is computed
  /// while the host is busy with the other. The slot is free. `make` is called as in run().
  void start(std::size_t slot, std::span<const std::size_t> until, const Make& make);
  /// Waits for a slot's pieces and hands over each of them, as in run(). Then the slot is free.
  void finish(std::size_t slot, const Take& take, const Done& done = {});

  /// Computes the pieces of items 0 .. count - 1 and hands over each of them. `about` says how many
  /// an item has, more or less. `make` and `take` are called by several threads, but for an item by
  /// one at a time; Piece::tag is its number.
  void run(std::uint32_t count, const std::function<std::size_t(std::uint32_t i)>& about,
           const Make& make, const Take& take);

  /// Of the host, at most.
  std::size_t threads() const { return threads_; }

  double cells() const { return cells_; }
  double build() const { return build_; }        ///< seconds
  double transfer() const { return transfer_; }  ///< seconds, for packing and copying the texts

 private:
  struct Part;
  struct Slot;
  struct Program {
    search::Plan plan;
    ocl::Kernel kernel;
  };

  const Program& program_for(std::uint32_t shape);
  std::uint32_t shape_of(std::uint32_t rows) const;
  static void test(ocl::Device& device, const search::Plan& plan, std::uint32_t shape);
  void fill(Slot& slot, std::uint32_t first, std::span<const std::size_t> until, const Make& make);
  void launch(Slot& slot);

  ocl::Device& device_;
  const Problem& problem_;
  Where where_;
  std::optional<std::uint32_t> only_;  // in a test: the shape that all pieces get
  std::size_t threads_;
  double cells_ = 0, build_ = 0, transfer_ = 0;
  std::unique_ptr<search::ResidentTexts> alpha_, own_texts_;
  const search::ResidentTexts* texts_;
  std::map<std::uint32_t, Program> programs_;  // by their shapes
  std::array<std::unique_ptr<Slot>, 2> slots_;
};

}  // namespace rhomb::primer
