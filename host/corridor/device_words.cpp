// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/device_words.h"

#include <algorithm>
#include <bit>

#include "cl/corridor/words.h"
#include "host/batch/threads.h"
#include "host/engine/selftest.h"

namespace rhomb::corridor {
namespace {

constexpr const char* kFile = "corridor/words.cl";
constexpr std::size_t kItems = 32;  // of a group

ocl::Defines defines_of(int planes) { return {{"PLANES", std::to_string(planes)}}; }

/// For each word of a tile, besides its table.
constexpr std::uint64_t kBytesOfWord = 8 + 4 * 4 + sizeof(WordHit) / 4;

WordSizes sizes_of(const Grid& grid, std::int64_t m, const WordSearch& search) {
  int blocks = 0;
  for (std::size_t tile = 0; tile + 1 < search.tiles.size(); ++tile)
    blocks = std::max(blocks, search.tiles[tile + 1] - search.tiles[tile]);
  const auto most = static_cast<i32>(std::min<std::int64_t>(search.most, grid.rows / search.k));
  const auto words = static_cast<u32>(blocks) * static_cast<u32>(most);
  return {grid.rows,
          static_cast<i32>(m),
          search.k,
          most,
          words,
          static_cast<u32>(std::bit_width(2 * words)),
          static_cast<i32>(search.seen.first),
          static_cast<i32>(search.seen.end)};
}

std::uint64_t bytes_of_tile(const WordSizes& sizes) {
  return kBytesOfWord * sizes.words + (sizeof(u32) << sizes.bits);
}

/// Tiles that are searched at a time.
std::size_t tiles_together(const WordSizes& sizes, std::size_t tiles, std::uint64_t bytes) {
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(bytes / bytes_of_tile(sizes), 1, tiles));
}

class Searcher {
 public:
  Searcher(ocl::Device& device, const Grid& grid, const DeviceTexts& texts, int planes,
           std::string_view a, const WordSearch& search, std::uint64_t most_bytes)
      : device_(device),
        texts_(texts),
        search_(search),
        sizes_(sizes_of(grid, static_cast<std::int64_t>(a.size()), search)),
        take_(kernel(planes, "words_take")),
        insert_(kernel(planes, "words_insert")),
        scan_(kernel(planes, "words_scan")),
        count_(kernel(planes, "words_count")),
        settle_(kernel(planes, "words_settle")) {
    for (std::size_t tile = 0; tile + 1 < search.tiles.size(); ++tile) {
      const auto [from, to] = search.columns(grid, a, tile);
      tiles_.push_back({search.tiles[tile], search.tiles[tile + 1] - search.tiles[tile],
                        static_cast<i32>(from),
                        static_cast<i32>(std::max(from, to - search.k + 1))});
    }
    together_ = tiles_together(sizes_, tiles_.size(), most_bytes);
    const std::size_t all = together_ * sizes_.words;
    keys_ = device.buffer<std::uint64_t>(all);
    first_ = device.buffer<std::uint32_t>(all);
    next_ = device.buffer<std::uint32_t>(all);
    copies_ = device.buffer<std::uint32_t>(all);
    hits_ = device.buffer<std::uint32_t>(all);
    table_ = device.buffer<std::uint32_t>(together_ << sizes_.bits);
    found_ = device.buffer<WordHit>(std::max<std::size_t>(all / 4, 1));
    std::vector<i32> hidden;
    for (const Range& range : search.hidden) {
      hidden.push_back(static_cast<i32>(range.first));
      hidden.push_back(static_cast<i32>(range.end));
    }
    hidden_ = device.upload(std::span<const i32>(hidden));
  }

  Seeds result(std::size_t threads) {
    Seeds seeds(search_);
    for (std::size_t tile = 0; tile < tiles_.size(); tile += together_)
      seeds.add(search(std::span(tiles_).subspan(tile, std::min(together_, tiles_.size() - tile)),
                       threads));
    return seeds;
  }

 private:
  ocl::Kernel kernel(int planes, const char* name) {
    return device_.kernel(kFile, name, defines_of(planes));
  }
  static ocl::Range range(std::size_t items, std::size_t tiles) {
    return {(items + kItems - 1) / kItems * kItems, tiles, kItems, 1};
  }

  FoundWords search(std::span<const WordTile> tiles, std::size_t threads) {
    const auto there = device_.upload(tiles);
    const ocl::Range words = range(sizes_.words, tiles.size());
    std::int64_t widest = 1;
    for (const WordTile& tile : tiles) widest = std::max(widest, std::int64_t{tile.to} - tile.from);
    const ocl::Range columns = range(static_cast<std::size_t>(widest), tiles.size());
    const int first = tiles.front().block;
    const auto blocks = static_cast<std::size_t>(tiles.back().block + tiles.back().blocks - first);

    device_.fill(table_, std::uint32_t{0});
    take_(words, texts_.rows, there, sizes_, keys_, first_, next_, copies_, hits_);
    insert_(words, sizes_, keys_, table_, first_, next_, copies_);
    std::uint32_t count = 0;
    for (;;) {
      auto counted = device_.filled<std::uint32_t>(1, 0);
      scan_(columns, texts_.columns, there, sizes_, keys_, table_, next_, copies_, hits_, hidden_,
            found_, counted, static_cast<std::uint32_t>(found_.size()));
      count = device_.read(counted, 0, 1).front();
      if (count <= found_.size()) break;
      found_ = {};
      found_ = device_.buffer<WordHit>(count);
      device_.fill(hits_, std::uint32_t{0});
    }
    const auto counts = device_.filled<std::uint32_t>(2 * blocks, 0);
    count_(words, there, sizes_, first_, copies_, hits_, counts, first);
    const std::vector<std::uint32_t> of_blocks = device_.read(counts, 0, counts.size());
    FoundWords found;
    std::vector<std::uint32_t> begins{0};
    for (std::size_t s = 0; s < blocks; ++s) {
      found.words.push_back(static_cast<std::int32_t>(of_blocks[2 * s]));
      found.hits.push_back(static_cast<std::int32_t>(of_blocks[2 * s + 1]));
      begins.push_back(begins.back() + of_blocks[2 * s + 1]);
    }
    if (begins.back() == 0) return found;
    const auto ends = device_.upload(std::span<const std::uint32_t>(begins));
    const auto chunks = device_.buffer<std::int32_t>(begins.back());
    settle_(range(count, 1), there, sizes_, hits_, found_, count, ends, chunks, first);
    found.chunks = device_.read(chunks, 0, chunks.size());
    batch::in_parts(blocks, batch::parts_of_pairs(found.chunks.size(), threads),
                    [&](std::size_t, std::size_t from, std::size_t to) {
                      for (std::size_t s = from; s < to; ++s)
                        std::sort(found.chunks.begin() + begins[s],
                                  found.chunks.begin() + begins[s + 1]);
                    });
    return found;
  }

  ocl::Device& device_;
  const DeviceTexts& texts_;
  const WordSearch& search_;
  const WordSizes sizes_;
  ocl::Kernel take_, insert_, scan_, count_, settle_;
  std::vector<WordTile> tiles_;
  std::size_t together_ = 1;  // tiles
  ocl::Buffer<std::uint64_t> keys_;
  ocl::Buffer<std::uint32_t> first_, next_, copies_, hits_, table_;
  ocl::Buffer<WordHit> found_;
  ocl::Buffer<i32> hidden_;
};

/// Repeated texts have words that are too frequent, edited ones occurrences of all others.
void test(ocl::Device& device, int planes) {
  const seq::Code code = selftest::spread_code(planes, false);
  selftest::Numbers numbers;
  std::string a = selftest::random_text(numbers, 5000, 1u << planes);
  a += a.substr(100, 700) + std::string(300, 'x') + a.substr(0, 1000);
  std::string b = selftest::edited(numbers, a, 30, 1u << planes);
  b += b.substr(0, 2000);
  const Grid grid(static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size()), 64);
  const std::vector<Range> hidden(index(grid.blocks), Range{-3, 2});
  const WordSearch search(grid, a, code, {-60, 90}, hidden, 1, 1);
  const DeviceTexts texts(device, pack(grid, code, a, b, 1));
  const Seeds expected = look_for_words(grid, a, b, code, search, 1);
  const Seeds got = look_for_words(device, grid, texts, planes, a, search, 1u << 20, 1);
  selftest::compare(got == expected ? 1 : 0, 1, "words that agree with the host's");
}

}  // namespace

std::uint64_t word_bytes(std::int64_t m) {
  // Words have four symbols at least, and tables four places for one at most.
  return (kBytesOfWord + 16) * static_cast<std::uint64_t>(m / 4 + 1);
}

std::uint64_t word_bytes(const Grid& grid, std::int64_t m, const WordSearch& search,
                         std::uint64_t bytes) {
  if (search.tiles.empty()) return 0;
  const WordSizes sizes = sizes_of(grid, m, search);
  return tiles_together(sizes, search.tiles.size() - 1, bytes) * bytes_of_tile(sizes);
}

Seeds look_for_words(ocl::Device& device, const Grid& grid, const DeviceTexts& texts, int planes,
                     std::string_view a, WordSearch search, std::uint64_t bytes,
                     std::size_t threads) {
  if (search.tiles.empty()) return Seeds(std::move(search));
  return Searcher(device, grid, texts, planes, a, search, bytes).result(threads);
}

void ensure_words_tested(ocl::Device& device, int planes) {
  selftest::ensure_passed(device, kFile, defines_of(planes), [&] { test(device, planes); });
}

}  // namespace rhomb::corridor
