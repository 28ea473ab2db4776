// SPDX-License-Identifier: Apache-2.0
// Subjects are packed unit by unit: 32 symbols become a few words. Units of up to 16 neighbouring
// lanes are packed together, because their words stand side by side, in one line of the cache.
#include "host/lcs/pack.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <thread>

namespace rhomb::lcs {
namespace {

using Table = std::array<std::uint8_t, 256>;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kLanesTogether = 16;
constexpr std::uint64_t kUnitsPerThread = 1u << 14;
constexpr std::uint64_t kMostThreads = 32;

/// Codes of eight symbols in the bytes of a number, first symbol lowest.
std::uint64_t eight_codes(const char* text, const Table& code) {
  const auto* symbol = reinterpret_cast<const unsigned char*>(text);
  std::uint64_t codes = 0;
  for (unsigned i = 0; i < 8; ++i) codes |= std::uint64_t{code[symbol[i]]} << (8 * i);
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
void unit_planes(const char* text, const Table& code, std::uint32_t* out) {
  std::uint32_t words[kPlanes] = {};
  for (unsigned i = 0; i < 32; i += 8) {
    const std::uint64_t codes = eight_codes(text + i, code);
    for (unsigned p = 0; p < kPlanes; ++p) words[p] |= gather_plane(codes, p) << (24 - i);
  }
  std::copy_n(words, kPlanes, out);
}

/// 32 symbols as codes of kBits bits, first symbol lowest.
template <unsigned kBits>
void unit_codes(const char* text, const Table& code, std::uint32_t* out) {
  constexpr unsigned kSymbols = 32 / kBits;
  const auto* symbol = reinterpret_cast<const unsigned char*>(text);
  for (unsigned w = 0; w < kBits; ++w) {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < kSymbols; ++i)
      word |= std::uint32_t{code[symbol[kSymbols * w + i]]} << (kBits * i);
    out[w] = word;
  }
}

using Unit = void (*)(const char*, const Table&, std::uint32_t*);
constexpr Unit kUnitPlanes[] = {unit_planes<1>, unit_planes<2>, unit_planes<3>, unit_planes<4>,
                                unit_planes<5>, unit_planes<6>, unit_planes<7>, unit_planes<8>};

/// How the units of a plan's subjects are packed.
struct Packing {
  Unit unit;          ///< packs 32 symbols
  Table code;         ///< of the subjects
  unsigned words;     ///< of a unit of one subject
  unsigned subjects;  ///< of a lane
};

/// Unit `number` of `subject`; zeros behind its end, which is the code that matches no set.
void pack_unit(const Packing& packing, std::string_view subject, std::size_t number,
               std::uint32_t* words) {
  const std::size_t first = 32 * number;
  if (first + 32 <= subject.size()) {
    packing.unit(subject.data() + first, packing.code, words);
    return;
  }
  std::fill_n(words, packing.words, 0u);
  if (first >= subject.size()) return;
  // Codes of a table that is the identity: those of the rest of the text, then zeros.
  static const Table identity = [] {
    Table made{};
    for (unsigned c = 0; c < 256; ++c) made[c] = static_cast<std::uint8_t>(c);
    return made;
  }();
  char rest[32] = {};
  for (std::size_t i = first; i < subject.size(); ++i)
    rest[i - first] = static_cast<char>(packing.code[static_cast<unsigned char>(subject[i])]);
  packing.unit(rest, identity, words);
}

/// Up to kLanesTogether lanes of a tile.
struct Part {
  const LcsTile* tile;
  std::uint32_t lane, lanes;
};

/// Lanes with one subject each.
void pack_single(const Packing& packing, const Problem& problem, const Chunk& chunk,
                 const Part& part, std::uint32_t* text) {
  const std::size_t width = part.tile->width;
  std::array<std::string_view, kLanesTogether> subjects;
  for (std::uint32_t i = 0; i < part.lanes; ++i) {
    const std::uint32_t number = chunk.subjects[part.tile->first + part.lane + i];
    if (number != Chunk::kNobody) subjects[i] = problem.subjects[number];
  }
  std::uint32_t* out = text + std::size_t{part.tile->base} * packing.words + part.lane;
  for (std::size_t unit = 0; unit < part.tile->units; ++unit, out += width * packing.words)
    for (std::uint32_t i = 0; i < part.lanes; ++i) {
      std::uint32_t words[8];
      pack_unit(packing, subjects[i], unit, words);
      for (unsigned w = 0; w < packing.words; ++w) out[w * width + i] = words[w];
    }
}

/// Lanes with several subjects each: slots of S columns of all of them share a word.
void pack_shared(const Packing& packing, const Problem& problem, const Chunk& chunk,
                 const Part& part, std::uint32_t* text) {
  const std::size_t width = part.tile->width;
  const unsigned count = packing.subjects, planes = packing.words, slot = 32 / count;
  std::uint32_t* base = text + std::size_t{part.tile->base} * planes * count + part.lane;
  for (std::uint32_t lane = 0; lane < part.lanes; ++lane)
    for (std::size_t unit = 0; unit < part.tile->units; ++unit) {
      std::uint32_t shared[8][8] = {};  // for each S columns a word of each plane
      for (unsigned g = 0; g < count; ++g) {
        const std::uint32_t number =
            chunk.subjects[std::size_t{part.tile->first + part.lane + lane} * count + g];
        if (number == Chunk::kNobody) continue;
        std::uint32_t words[8];
        pack_unit(packing, problem.subjects[number], unit, words);
        for (unsigned c = 0; c < count; ++c)
          for (unsigned p = 0; p < planes; ++p)
            shared[c][p] |= (words[p] >> (32 - slot - slot * c) & ((1u << slot) - 1)) << (slot * g);
      }
      std::uint32_t* out = base + unit * width * planes * count + lane;
      for (unsigned c = 0; c < count; ++c)
        for (unsigned p = 0; p < planes; ++p) out[(c * planes + p) * width] = shared[c][p];
    }
}

}  // namespace

void pack_chunk(const Plan& plan, const Problem& problem, const Chunk& chunk,
                std::span<std::uint32_t> text, std::span<std::uint32_t> lengths) {
  const trace::Scope scope(problem.trace, trace::Work::kPack);
  for (std::size_t i = 0; i < chunk.subjects.size(); ++i)
    lengths[i] = chunk.subjects[i] == Chunk::kNobody
                     ? 0
                     : static_cast<std::uint32_t>(problem.subjects[chunk.subjects[i]].size());

  Packing packing{};
  packing.code = problem.code->b;
  packing.subjects = static_cast<unsigned>(plan.subjects_of_lane());
  packing.words = static_cast<unsigned>(plan.text_words()) / packing.subjects;
  packing.unit = plan.words == 0      ? kUnitPlanes[plan.planes - 1]
                 : packing.words == 2 ? unit_codes<2>
                 : packing.words == 4 ? unit_codes<4>
                                      : unit_codes<8>;

  std::vector<Part> parts;
  for (const LcsTile& tile : chunk.tiles)
    for (std::uint32_t lane = 0; lane < tile.width; lane += kLanesTogether)
      parts.push_back({&tile, lane, std::min(kLanesTogether, tile.width - lane)});
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < parts.size(); i = next++)
      (packing.subjects == 1 ? pack_single : pack_shared)(packing, problem, chunk, parts[i],
                                                          text.data());
  };
  const std::uint64_t worth = chunk.units * packing.subjects / kUnitsPerThread;
  const std::uint64_t cores =
      std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  std::vector<std::jthread> threads;
  for (std::uint64_t i = 1; i < std::min<std::uint64_t>({worth, cores, parts.size()}); ++i)
    threads.emplace_back(work);
  work();
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
