// SPDX-License-Identifier: Apache-2.0
// Subjects are packed unit by unit: 32 symbols become a few words. Units of up to 16 neighbouring
// lanes are packed together, because their words stand side by side, in one line of the cache.
#include "host/lcs/pack.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace rhomb::lcs {
namespace {

using Words = std::vector<std::uint32_t>;
using Pairs = std::vector<std::uint16_t>;

constexpr std::uint32_t kLanesTogether = 16;
constexpr std::uint64_t kUnitsPerThread = 1u << 14;
constexpr std::uint64_t kMostThreads = 32;

/// Codes of eight symbols in the bytes of a number, first symbol lowest.
std::uint64_t eight_codes(const char* text, const Pairs& pairs) {
  std::uint64_t codes = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned first = static_cast<unsigned char>(text[2 * i]);
    const unsigned second = static_cast<unsigned char>(text[2 * i + 1]);
    codes |= std::uint64_t{pairs[first | second << 8]} << (16 * i);
  }
  return codes;
}

/// Bit `plane` of eight codes, first symbol at the top. The product adds the eight single bits,
/// each shifted to its place in the top byte; no two meet, so nothing carries.
std::uint32_t gather_plane(std::uint64_t codes, unsigned plane) {
  const std::uint64_t bits = codes >> plane & 0x0101010101010101u;
  return static_cast<std::uint32_t>(bits * 0x8040201008040201u >> 56);
}

/// 32 symbols as a word of each plane, first symbol at the top.
template <unsigned kPlanes>
void unit_planes(const char* text, const Pairs& pairs, std::uint32_t* out) {
  std::uint32_t words[kPlanes] = {};
  for (unsigned i = 0; i < 32; i += 8) {
    const std::uint64_t codes = eight_codes(text + i, pairs);
    for (unsigned p = 0; p < kPlanes; ++p) words[p] |= gather_plane(codes, p) << (24 - i);
  }
  std::copy_n(words, kPlanes, out);
}

/// Eight codes of kBits bits each, first lowest: halves the gaps between them.
template <unsigned kBits>
std::uint64_t without_gaps(std::uint64_t codes) {
  if (kBits < 8)
    codes = (codes | codes >> (8 - kBits)) & 0x0001000100010001u * ((1u << 2 * kBits) - 1);
  if (kBits < 8)
    codes = (codes | codes >> (16 - 2 * kBits)) & 0x0000000100000001u * ((1u << 4 * kBits) - 1);
  if (kBits < 8)
    codes = (codes | codes >> (32 - 4 * kBits)) & ((std::uint64_t{1} << 8 * (kBits % 8)) - 1);
  return codes;
}

/// 32 symbols as codes of kBits bits, first symbol lowest.
template <unsigned kBits>
void unit_codes(const char* text, const Pairs& pairs, std::uint32_t* out) {
  std::uint64_t packed[kBits / 2] = {};
  for (unsigned i = 0; i < 32; i += 8)
    packed[kBits * i / 64] |= without_gaps<kBits>(eight_codes(text + i, pairs)) << kBits * i % 64;
  for (unsigned w = 0; w < kBits; ++w)
    out[w] = static_cast<std::uint32_t>(packed[w / 2] >> (32 * (w % 2)));
}

constexpr void (*kUnitPlanes[])(const char*, const Pairs&, std::uint32_t*) = {
    unit_planes<1>, unit_planes<2>, unit_planes<3>, unit_planes<4>,
    unit_planes<5>, unit_planes<6>, unit_planes<7>, unit_planes<8>};

std::size_t thread_count(const Plan& plan) {
  std::uint64_t units = 0;
  for (const Chunk& chunk : plan.chunks)
    units += chunk.units * static_cast<std::uint64_t>(plan.subjects_of_lane());
  const std::uint64_t cores =
      std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  return std::clamp<std::uint64_t>(units / kUnitsPerThread, 1, cores);
}

}  // namespace

void pack_lengths(const Problem& problem, const Chunk& chunk, std::span<std::uint32_t> lengths) {
  for (std::size_t i = 0; i < chunk.subjects.size(); ++i)
    lengths[i] = chunk.subjects[i] == Chunk::kNobody
                     ? 0
                     : static_cast<std::uint32_t>(problem.subjects[chunk.subjects[i]].size());
}

/// Up to kLanesTogether lanes of a tile.
struct Packer::Part {
  const LcsTile* tile;
  std::uint32_t lane, lanes;
};

Packer::Packer(const Plan& plan, const Problem& problem)
    : problem_(problem),
      code_(problem.code->b),
      pairs_(1u << 16),
      subjects_(static_cast<unsigned>(plan.subjects_of_lane())),
      workers_(thread_count(plan)) {
  words_ = static_cast<unsigned>(plan.text_words()) / subjects_;
  unit_ = plan.words == 0 ? kUnitPlanes[plan.planes - 1]
          : words_ == 2   ? unit_codes<2>
          : words_ == 4   ? unit_codes<4>
                          : unit_codes<8>;
  for (std::size_t pair = 0; pair < pairs_.size(); ++pair)
    pairs_[pair] = static_cast<std::uint16_t>(code_[pair & 0xff] | code_[pair >> 8] << 8);
}

void Packer::pack(const Chunk& chunk, std::size_t first, std::size_t end,
                  std::span<std::uint32_t> text) {
  const trace::Scope scope(problem_.trace, trace::Work::kPack);
  std::vector<Part> parts;
  for (std::size_t i = first; i < end; ++i)
    for (std::uint32_t lane = 0; lane < chunk.tiles[i].width; lane += kLanesTogether)
      parts.push_back(
          {&chunk.tiles[i], lane, std::min(kLanesTogether, chunk.tiles[i].width - lane)});
  workers_.run(parts.size(), [&](std::size_t i) {
    const Part& part = parts[i];
    const std::size_t units = part.tile->base - chunk.tiles[first].base;
    std::uint32_t* out = text.data() + units * subjects_ * words_ + part.lane;
    if (subjects_ == 1)
      pack_single(chunk, part, out);
    else
      pack_shared(chunk, part, out);
  });
}

/// Unit `number` of `subject`; zeros behind its end, which is the code that matches no set.
void Packer::pack_unit(std::string_view subject, std::size_t number, std::uint32_t* words) const {
  const std::size_t first = 32 * number;
  if (first + 32 <= subject.size()) return unit_(subject.data() + first, pairs_, words);
  std::fill_n(words, words_, 0u);
  if (first >= subject.size()) return;
  // The unit of a text that repeats its first symbol, but for the bits behind the end.
  char rest[32];
  std::memset(rest, subject[first], sizeof rest);
  const std::size_t count = subject.size() - first;
  std::memcpy(rest, subject.data() + first, count);
  unit_(rest, pairs_, words);
  if (unit_ == unit_codes<2> || unit_ == unit_codes<4> || unit_ == unit_codes<8>) return;
  for (unsigned w = 0; w < words_; ++w) words[w] &= ~(~0u >> count);
}

/// Lanes with one subject each.
void Packer::pack_single(const Chunk& chunk, const Part& part, std::uint32_t* out) const {
  const std::size_t width = part.tile->width;
  std::array<std::string_view, kLanesTogether> subjects;
  for (std::uint32_t i = 0; i < part.lanes; ++i) {
    const std::uint32_t number = chunk.subjects[part.tile->first + part.lane + i];
    if (number != Chunk::kNobody) subjects[i] = problem_.subjects[number];
  }
  for (std::size_t unit = 0; unit < part.tile->units; ++unit, out += width * words_)
    for (std::uint32_t i = 0; i < part.lanes; ++i) {
      std::uint32_t words[8];
      pack_unit(subjects[i], unit, words);
      for (unsigned w = 0; w < words_; ++w) out[w * width + i] = words[w];
    }
}

/// Lanes with several subjects each: slots of S columns of all of them share a word.
void Packer::pack_shared(const Chunk& chunk, const Part& part, std::uint32_t* out) const {
  const std::size_t width = part.tile->width;
  const unsigned slot = 32 / subjects_;
  for (std::size_t unit = 0; unit < part.tile->units; ++unit, out += width * words_ * subjects_)
    for (std::uint32_t lane = 0; lane < part.lanes; ++lane) {
      std::uint32_t shared[8][8] = {};  // for each S columns a word of each plane
      for (unsigned g = 0; g < subjects_; ++g) {
        const std::uint32_t number =
            chunk.subjects[std::size_t{part.tile->first + part.lane + lane} * subjects_ + g];
        if (number == Chunk::kNobody) continue;
        std::uint32_t words[8];
        pack_unit(problem_.subjects[number], unit, words);
        for (unsigned c = 0; c < subjects_; ++c)
          for (unsigned p = 0; p < words_; ++p)
            shared[c][p] |= (words[p] >> (32 - slot - slot * c) & ((1u << slot) - 1)) << (slot * g);
      }
      for (unsigned c = 0; c < subjects_; ++c)
        for (unsigned p = 0; p < words_; ++p) out[(c * words_ + p) * width + lane] = shared[c][p];
    }
}

Words pack_rows(const Plan& plan, const Problem& problem) {
  const auto planes = static_cast<std::size_t>(plan.planes);
  const auto k = static_cast<std::size_t>(plan.k), strips = static_cast<std::size_t>(plan.strips);
  Words words(static_cast<std::size_t>(plan.blocks) * k * (planes + 1));
  for (std::size_t i = 0; i < problem.query.size(); ++i) {
    const std::size_t block = i / (strips * k), strip = i / k % strips;
    std::uint32_t slots = 0;  // the strip's bit in each slot
    for (std::size_t bit = strip; bit < 32; bit += strips) slots |= 1u << bit;
    std::uint32_t* row = words.data() + (block * k + i % k) * (planes + 1);
    const unsigned code = problem.code->a[static_cast<unsigned char>(problem.query[i])];
    for (std::size_t p = 0; p < planes; ++p)
      if (code >> p & 1) row[p] |= slots;
    row[planes] |= slots;
  }
  return words;
}

Words alphabet_strings(const Plan& plan, const Problem& problem) {
  const std::size_t codes = std::size_t{1} << plan.planes;
  Words strings(static_cast<std::size_t>(plan.blocks * plan.words) * codes);
  for (std::size_t i = 0; i < problem.query.size(); ++i) {
    const unsigned code = problem.code->a[static_cast<unsigned char>(problem.query[i])];
    std::uint32_t* word = strings.data() + i / 32 * codes;
    const std::uint32_t bit = 1u << i % 32;
    if (!plan.sets) {
      // A symbol that matches nothing may have a code that no subject has.
      if (code < codes) word[code] |= bit;
      continue;
    }
    for (std::size_t other = 1; other < codes; ++other)
      if ((code & other) != 0) word[other] |= bit;
  }
  return strings;
}

}  // namespace rhomb::lcs
