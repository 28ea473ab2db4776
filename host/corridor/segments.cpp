// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/segments.h"

#include <algorithm>
#include <utility>

#include "host/batch/threads.h"
#include "host/error.h"

namespace rhomb::corridor {
namespace {

/// A thread is worth its while for so many segments.
constexpr std::size_t kWorthThread = 256;

/// Blocks [first, end).
struct Part {
  int first = 0, end = 0;
};

/// Before a segment that begins at `block`, so many blocks that have about as many rows as the
/// corridor has diagonals there.
int lead_in(const Grid& grid, const Corridor& corridor, int block) {
  std::int64_t widest = 0;
  for (int lead = 1; lead <= block; ++lead) {
    widest = std::max(widest, kChunk * corridor.at[index(block - lead + 1)].size());
    if (std::int64_t{lead} * grid.rows >= widest) return lead;
  }
  return block;
}

/// Cuts the blocks in parts of about the same number. The window of a part is as wide as its widest
/// block, so where widths differ much it is cut too.
std::vector<Part> cut(const Grid& grid, const Corridor& corridor, int parts) {
  const int most = std::max(1, (grid.blocks + parts - 1) / parts);
  std::vector<Part> made;
  std::int64_t least = 0, widest = 0;
  for (int s = 0; s < grid.blocks; ++s) {
    const std::int64_t size = corridor.block[index(s)].size() + 1;
    const bool alike = std::max(widest, size) <= 2 * std::min(least, size) + 8;
    // A part is as long as what comes before it, at least.
    if (made.empty() || !alike ||
        (made.back().end - made.back().first >= most &&
         made.back().end - made.back().first >= lead_in(grid, corridor, s))) {
      made.push_back({s, s});
      least = widest = size;
    }
    least = std::min(least, size);
    widest = std::max(widest, size);
    made.back().end = s + 1;
  }
  return made;
}

Band band_of(const Corridor& corridor, const Part& part) {
  Band band;
  band.block = part.first;
  for (int s = part.first; s < part.end; ++s) {
    const Range& range = corridor.block[index(s)];
    band.left.push_back(static_cast<std::int32_t>(range.first));
    band.words = std::max(band.words, static_cast<int>(range.size()) + 1);
  }
  return band;
}

/// A row whose costs are all the same.
Edge level(const Range& range) {
  return {range, 0, Words(static_cast<std::size_t>(2 * range.size()))};
}

}  // namespace

SegmentRun run_segments(const Grid& grid, const Corridor& corridor, const Compute& compute,
                        const SegmentOptions& options) {
  const std::vector<Part> parts = cut(grid, corridor, options.segments);
  const std::size_t count = parts.size();
  SegmentRun run;
  run.segments = static_cast<int>(count);
  const auto boundary = [&](std::size_t p) { return corridor.at[index(parts[p].first)]; };

  // What each segment begins with: the first one with the costs of gaps from diagonal 0, the others
  // with the last row before them.
  const auto each = [&](std::size_t of, const auto& work) {
    batch::each(of, kWorthThread, options.threads, work);
  };
  std::vector<Band> bands(count - 1);
  each(count - 1, [&](std::size_t i) {
    const int end = parts[i + 1].first, first = end - lead_in(grid, corridor, end);
    bands[i] = band_of(corridor, {first, end});
    begin_with(bands[i], level(corridor.at[index(first)]));
  });
  compute(bands);
  std::vector<Edge> starts(count);
  each(count - 1, [&](std::size_t i) { starts[i + 1] = edge_of(bands[i], boundary(i + 1), 0); });
  for (std::size_t p = 1; p < count && options.disturb; ++p)
    options.disturb(static_cast<int>(p), starts[p].words);

  std::vector<Band> segments(count);
  std::vector<std::int64_t> begins(count);  // cost at the left end of the first window
  each(count, [&](std::size_t p) {
    segments[p] = band_of(corridor, parts[p]);
    begins[p] = begin_with(segments[p], starts[p]);
  });
  double words = 0;  // of a row every 32
  for (const Band& band : segments) words += static_cast<double>(band.steps(grid)) * band.words;
  const int every =
      options.every > 0
          ? std::max(options.every,
                     static_cast<int>(std::min(8 * words / options.most_kept, 1e6)) + 1)
          : 0;
  for (Band& band : segments) band.every = every;
  for (const std::vector<Band>* const some : {&bands, &segments})
    for (const Band& band : *some) run.cells += band.cells(grid);
  compute(segments);
  for (;;) {
    // Those whose row was not what the one before ended with begin with that, all at once. The
    // first of them is right then.
    std::vector<std::uint8_t> agree(count, 1);
    each(count - 1, [&](std::size_t i) {
      Edge start = edge_of(segments[i], boundary(i + 1), 0);
      if (start.words == starts[i + 1].words) return;
      agree[i + 1] = 0;
      starts[i + 1] = std::move(start);
    });
    std::vector<std::size_t> wrong;
    for (std::size_t p = 1; p < count; ++p)
      if (agree[p] == 0) wrong.push_back(p);
    if (wrong.empty()) break;
    run.repeated += static_cast<int>(wrong.size());
    if (options.most_cells > 0 && run.cells > options.most_cells) return run;
    if (options.give_up &&
        options.give_up(static_cast<double>(wrong.front()) / static_cast<double>(count)))
      return run;
    std::vector<Band> again;
    for (const std::size_t p : wrong) {
      starts[p].value = 0;
      again.push_back(band_of(corridor, parts[p]));
      again.back().every = every;
      begins[p] = begin_with(again.back(), starts[p]);
      run.cells += again.back().cells(grid);
    }
    compute(again);
    for (std::size_t i = 0; i < wrong.size(); ++i) segments[wrong[i]] = std::move(again[i]);
  }

  // Costs relative to each segment's first row add up.
  std::int64_t value = 0;  // at the left end of the row that segment p begins with
  const std::int64_t last = chunk_of(grid.end());
  std::vector<std::size_t> first_row(count);
  std::size_t rows = 0;
  for (std::size_t p = 0; p < count; ++p) {
    begins[p] += value - std::exchange(starts[p].value, value);
    first_row[p] = rows;
    rows += 1 + segments[p].kept.size();
    if (p + 1 < count)
      value = edge_of(segments[p], boundary(p + 1), begins[p]).value;
    else
      run.cost = edge_of(segments[p], {last, last + 1}, begins[p]).at(grid.end());
  }
  run.rows.resize(rows);
  run.memory.resize(count);
  each(count, [&](std::size_t p) {
    Band& segment = segments[p];
    const std::int64_t row = std::int64_t{parts[p].first} * grid.rows;
    KeptRow* made = &run.rows[first_row[p]];
    run.memory[p] = std::move(segment.memory);
    *made++ = {row, row + kChunk * starts[p].range.first, starts[p].value,
               std::move(starts[p].words)};
    std::int64_t below = row;
    for (Band::Row& kept : segment.kept) {
      below += kChunk * every;
      // The window is that of the block above it.
      const std::int64_t left =
          segment.left[static_cast<std::size_t>((below - row - 1) / grid.rows)];
      *made++ = {below, below + kChunk * left, begins[p] + kept.score, std::move(kept.words)};
    }
    segment = {};  // many give their memory back sooner than one
  });
  // The last segment keeps rows of what the grid appends, too.
  while (run.rows.size() > 1 && run.rows.back().row >= grid.m - grid.padding) run.rows.pop_back();
  return run;
}

}  // namespace rhomb::corridor
