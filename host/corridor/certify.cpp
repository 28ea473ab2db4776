// SPDX-License-Identifier: Apache-2.0
#include "host/corridor/certify.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <future>

#include "host/batch/threads.h"
#include "host/error.h"

namespace rhomb::corridor {
namespace {

/// Unrelated symbols cost about this much each, or more where there are more letters than four. Too
/// low a number makes more windows than there need be, too high a number makes more rounds.
constexpr double kUnrelated = 0.4;
constexpr double kSafety = 1.5;
/// Words must be so many times as many as the probable path pays for, for a path far from it to pay
/// more.
constexpr double kWordsSafety = 1.08;
/// Symbols of a word that tells anything, at least.
constexpr double kShortWord = 9;

/// Bounds rise about so steeply on either side of the probable path.
constexpr double kSlope = 1.7;
/// A thread is worth its while for so many words of windows, and to make so many windows.
constexpr double kWindowWords = 1 << 14;
constexpr std::size_t kWindows = 1 << 10;
/// Chunks beside the probable path where the first path may be, at most.
constexpr int kPathMargin = 6;
/// Where bounds must reach further, they do so in so many blocks before and behind, too.
constexpr int kAlong = 4;
/// Bounds of chunks and boundaries that are kept at most, four numbers each: 256 MiB.
constexpr double kMostBounds = 1 << 24;

/// Numbers 0 to 1 by block, the first blocks of any share spread evenly (van der Corput).
double rank_of(int block) {
  double rank = 0, part = 0.5;
  for (auto rest = static_cast<unsigned>(block); rest != 0; rest >>= 1, part /= 2)
    if (rest & 1) rank += part;
  return rank;
}

class Run {
 public:
  Run(const Grid& grid, const std::vector<Range>& path, const Compute& compute,
      const CertifyOptions& options)
      : grid_(grid), path_(path), compute_(compute), options_(options), costs_(grid.blocks) {
    const auto of = [](std::int64_t diagonal) {
      return Range{chunk_of(diagonal), chunk_of(diagonal) + 1};
    };
    path_.front() = hull(path_.front(), of(0));
    path_.back() = hull(path_.back(), of(grid.end()));
    for (int s = 0; s <= grid.blocks; ++s) {
      const Range both =
          hull(path_[index(std::max(s - 1, 0))], path_[index(std::min(s, grid.blocks - 1))]);
      near_.push_back({both.first - options.near, both.end + options.near});
    }
  }

  Certificate result() && {
    if (!hopeful(gaps())) return std::move(found_);
    look_for_words(first_cost_of_words(grid_, options_));
    if (!near_windows() || !first_path() || !hopeful(found_.best - along_) || !narrow())
      return std::move(found_);
    for (;;) {
      std::int64_t path = found_.best;  // no path that is as cheap as the threshold: this one then
      found_.rows.clear();
      if (!corridor_.empty()) {
        const auto cost = segments(corridor_, options_.every);
        if (!cost) break;
        path = *cost;
      }
      if (path <= corridor_.threshold) found_.distance = path;
      if (found_.distance || corridor_.threshold >= options_.most) break;
      // What no path of this cost leaves must hold the distance, so there is no third time.
      set_corridor(std::min(path, options_.most));
    }
    return std::move(found_);
  }

 private:
  bool stop(const std::string& why) {
    found_.given_up = true;
    found_.why = why;
    return false;
  }
  bool ask(double part) {
    return !options_.give_up || !options_.give_up(found_.lower, found_.best, part) ||
           stop("the run was stopped");
  }

  /// Windows for parts of blocks. What they say ends at 32 `margin`.
  bool windows(const std::vector<std::pair<int, Range>>& wanted, int margin) {
    std::vector<std::pair<int, Range>> pieces;
    for (const auto& [block, range] : wanted)
      for (std::int64_t from = range.first; from < range.end; from += options_.piece)
        pieces.emplace_back(block, Range{from, std::min(range.end, from + options_.piece)});
    std::vector<Band> bands(pieces.size());
    batch::each(pieces.size(), kWindows, options_.threads, [&](std::size_t i) {
      bands[i] = window(pieces[i].first, pieces[i].second, margin);
    });
    double cells = 0;
    for (const Band& band : bands) cells += band.cells(grid_);
    if (too_many(cells)) return stop("too many cells for windows");
    compute_(bands);
    const trace::Scope telling(options_.trace, trace::Work::kWindows);
    ++found_.rounds;
    found_.window_cells += cells;
    std::vector<WindowCosts> told(bands.size());
    const double words = cells / static_cast<double>(kChunk * grid_.rows);
    batch::in_parts(bands.size(),
                    std::min(batch::threads_of(options_.threads),
                             static_cast<std::size_t>(words / kWindowWords) + 1),
                    [&](std::size_t, std::size_t first, std::size_t last) {
                      for (std::size_t i = first; i < last; ++i) told[i] = costs_of(bands[i]);
                    });
    for (std::size_t i = 0; i < bands.size(); ++i)
      costs_.add(bands[i].block, told[i].first, std::move(told[i].cost));
    return true;
  }
  bool too_many(double cells) const {
    return options_.most_cells > 0 && cells > options_.most_cells;
  }

  bool near_windows() {
    std::vector<std::pair<int, Range>> wanted;
    for (int s = 0; s < grid_.blocks; ++s) wanted.emplace_back(s, path_[index(s)]);
    if (!windows(wanted, options_.margin)) return false;
    // What the blocks cost along the path, gaps left out.
    for (int s = 0; s < grid_.blocks; ++s) {
      std::int32_t least = grid_.rows;
      for (const Costs::Run& run : costs_.of(s))
        for (std::int64_t c = run.first; c < run.range().end; ++c)
          if (c >= path_[index(s)].first && c < path_[index(s)].end)
            least = std::min(least, run.cost[static_cast<std::size_t>(c - run.first)]);
      along_ += least;
    }
    // The best path costs about that at least, and windows reach as far as paths of its cost do
    // where there cannot be more words than edits.
    const auto rows = static_cast<double>(grid_.m), edits = static_cast<double>(along_);
    const double share = std::min(1.0, edits / (kUnrelated * rows));
    const bool by_words = options_.seeds && kWordsSafety * kShortWord * edits < rows;
    if (!by_words && too_many(share * edits * rows)) return stop("the texts are too unlike");
    return true;
  }

  std::optional<std::int64_t> segments(const Corridor& corridor, int every = 0) {
    if (too_many(static_cast<double>(corridor.chunks()) * kChunk * grid_.rows)) {
      stop("the corridor has too many cells");
      return std::nullopt;
    }
    SegmentOptions options;
    options.segments = options_.segments;
    options.every = every;
    options.most_kept = options_.most_kept;
    options.threads = options_.threads;
    options.most_cells = options_.most_cells;
    options.disturb = options_.disturb;
    options.give_up = [&](double part) { return !ask(part); };
    SegmentRun run = run_segments(grid_, corridor, compute_, options);
    found_.rows = std::move(run.rows);
    found_.memory = std::move(run.memory);
    ++found_.runs;
    found_.segments = run.segments;
    found_.repeated += run.repeated;
    found_.segment_cells += run.cells;
    if (!run.cost && !found_.given_up) stop("segments do not agree");
    return run.cost;
  }

  /// The best path in a band along the probable one: a bound of the distance.
  bool first_path() {
    Corridor band;
    const std::int64_t wider = std::min(options_.margin, kPathMargin);
    for (const Range& range : path_) band.block.push_back({range.first - wider, range.end + wider});
    // Where it crosses boundaries there is less room, for segments to agree soon.
    band.at.push_back(path_.front());
    for (std::size_t s = 1; s < path_.size(); ++s)
      band.at.push_back({std::max(path_[s - 1].first, path_[s].first) - 1,
                         std::min(path_[s - 1].end, path_[s].end) + 1});
    band.at.push_back(path_.back());
    const auto cost = segments(band);
    if (!cost) return false;
    found_.best = *cost;
    return ask(0.2);
  }

  /// Bounds reach as far from the probable path as paths can be, unless that takes too much memory.
  void set_corridor(std::int64_t threshold) {
    const trace::Scope bounding(options_.trace, trace::Work::kBounds);
    const Range all = reachable(grid_, threshold);
    Bounds bounds(grid_, costs_, threshold, options_.threads);
    for (;;) {
      corridor_ = bounds.corridor(near_);
      Near wider = near_;
      double chunks = 0;
      for (int s = 0; s <= grid_.blocks; ++s) {
        const Range &at = corridor_.at[index(s)], &mine = near_[index(s)];
        const bool below = at.first < mine.first && mine.first > all.first;
        const bool above = at.end > mine.end && mine.end < all.end;
        if (at.empty() || (!below && !above)) continue;
        for (int x = std::max(0, s - kAlong); x <= std::min(grid_.blocks, s + kAlong); ++x) {
          Range& range = wider[index(x)];
          if (below) range.first = std::min(range.first, mine.first - mine.size());
          if (above) range.end = std::max(range.end, mine.end + mine.size());
        }
      }
      for (const Range& range : wider)
        chunks +=
            static_cast<double>(std::min(range.end, all.end) - std::max(range.first, all.first));
      if (wider == near_ || chunks > kMostBounds) break;
      near_ = std::move(wider);
    }
    found_.lower = std::max(found_.lower, corridor_.lower);
    found_.threshold = threshold;
    found_.mean_width = static_cast<double>(corridor_.chunks()) * kChunk / grid_.blocks;
    found_.widest = corridor_.widest() * kChunk;
  }

  /// Long gaps of the probable path.
  std::int64_t gaps() const {
    std::int64_t sum = 0;
    for (const Range& range : path_)
      if (range.size() > 2 * options_.margin) sum += kChunk * range.size();
    return sum;
  }

  /// Whether the corridor will probably be narrow, if blocks cost so much less together than the
  /// path does. They know nothing of long gaps.
  bool hopeful(std::int64_t less) {
    return options_.most_cells == 0 ||
           static_cast<double>(less) / kSlope * static_cast<double>(grid_.m) <
               options_.most_cells / 4 ||
           stop("the path has long gaps");
  }

  /// Begins to look for words in all that a path of this cost can reach.
  void look_for_words(std::int64_t threshold) {
    const auto [seen, radius] = words_at(grid_, options_, threshold);
    if (!options_.seeds || seen.empty()) return;
    std::vector<Range> hidden;
    for (const Range& range : path_) hidden.push_back({range.first - 1, range.end + 1});
    looked_for_ = threshold;
    words_ = std::async(batch::beside(options_.threads), options_.seeds, seen, std::move(hidden),
                        radius);
  }

  /// Adds what words tell of all that a path of this cost can reach. Whether that is more than the
  /// probable path pays.
  bool find_words(std::int64_t threshold) {
    if (!words_.valid() || looked_for_ < threshold) look_for_words(threshold);
    if (!words_.valid()) return false;
    Seeds seeds = words_.get();
    const bool enough =
        static_cast<double>(seeds.words()) > kWordsSafety * static_cast<double>(along_);
    costs_.set_seeds(std::move(seeds));
    return enough;
  }

  /// Windows where paths could still leave the probable one, until the corridor is narrow or
  /// narrowing it further would take longer than computing it.
  bool narrow() {
    const std::int64_t threshold =
        options_.threshold.value_or(std::min(found_.best, options_.most));
    const double unrelated = kUnrelated * grid_.rows;
    // A path that is not the probable one pays nothing in blocks that are not looked at where it
    // is. In others it pays for unrelated texts, or to come near the probable path and to go away
    // again: about its distance from there. What it pays must be more than the probable one does
    // for all blocks, so the nearer, the more blocks are looked at; and some as far as paths can
    // go.
    const double each = kSafety * static_cast<double>(along_) / grid_.blocks;
    double share = each / unrelated;
    const Range possible = reachable(grid_, threshold);
    std::vector<std::pair<int, Range>> wanted;
    const bool by_words = find_words(threshold);
    for (int s = 0; !by_words && s < grid_.blocks; ++s) {
      Range range = possible;
      if (const double rank = rank_of(s); rank > 0 && rank >= share) {
        const auto wide = static_cast<std::int64_t>(each / rank / kChunk) + 1;
        range = {std::max(range.first, path_[index(s)].first - wide),
                 std::min(range.end, path_[index(s)].end + wide)};
      }
      for (const Range& part : costs_.unknown(s, range)) wanted.emplace_back(s, part);
    }
    const int margin = std::max(options_.margin, static_cast<int>(unrelated / kChunk) + 1);
    if (!wanted.empty() && !windows(wanted, margin)) return false;
    for (;;) {
      share = std::max(2 * share, 1.0 / 64);
      if (!ask(0.5)) return false;
      set_corridor(threshold);
      if (corridor_.empty()) return true;
      const double cells = static_cast<double>(corridor_.chunks()) * kChunk * grid_.rows;
      if (cells <= (by_words ? 4 : 0.25) * found_.window_cells) return true;
      wanted.clear();
      double more = 0;
      bool left = false;
      for (int s = 0; s < grid_.blocks; ++s) {
        const Range open = hull(corridor_.at[index(s)], corridor_.at[index(s) + 1]);
        for (const Range& part : costs_.unknown(s, open)) {
          left = true;
          if (rank_of(s) >= share) continue;
          wanted.emplace_back(s, part);
          more += static_cast<double>(part.size()) * kChunk * grid_.rows;
        }
      }
      if (!left || more >= cells / 2) return true;
      if (!wanted.empty() && !windows(wanted, margin)) return false;
    }
  }

  const Grid& grid_;
  std::vector<Range> path_;
  const Compute& compute_;
  const CertifyOptions& options_;
  Costs costs_;
  Near near_;
  std::int64_t looked_for_ = -1;  ///< words on all diagonals that a path of this cost can reach
  std::future<Seeds> words_;
  std::int64_t along_ = 0;
  Corridor corridor_;
  Certificate found_;
};

}  // namespace

WordsAt words_at(const Grid& grid, const CertifyOptions& options, std::int64_t threshold) {
  // Windows go as far as words cannot tell apart the probable path from what is beside it.
  const std::int64_t radius = std::max(1, options.margin / 2 - 1);
  Range seen = reachable(grid, threshold);
  if (seen.empty()) return {};
  seen.first -= radius + 1;
  seen.end += radius + 1;
  return {seen, radius};
}

std::int64_t first_cost_of_words(const Grid& grid, const CertifyOptions& options) {
  const std::int64_t expected = std::max(options.expected, std::abs(grid.end())) + 64;
  return std::min(expected + expected / 4, options.most);
}

Certificate certify(const Grid& grid, const std::vector<Range>& path, const Compute& compute,
                    const CertifyOptions& options) {
  return Run(grid, path, compute, options).result();
}

}  // namespace rhomb::corridor
