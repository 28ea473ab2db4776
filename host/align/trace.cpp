// SPDX-License-Identifier: Apache-2.0
#include "host/align/trace.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "host/align/slab.h"
#include "host/align/waves.h"
#include "host/batch/threads.h"
#include "host/error.h"

namespace rhomb::align {
namespace {

/// Seconds for a number of a wavefront, and for a column of a strip, which is gone through twice.
constexpr double kNumber = 3e-9, kColumn = 12e-9, kStripRows = 64;
/// Pieces of fewer slabs lose too much by beginning a slab early.
constexpr std::size_t kFewest = 8, kPiecesAThread = 8;

/// The cheapest place of a row.
std::int64_t cheapest(const KeptRow& row) {
  std::int64_t best = row.first, at = 0, least = 0;
  for (std::int64_t place = row.first; place < row.last(); ++place) {
    at += row.step(place);
    if (at < least) least = at, best = place + 1;
  }
  return best;
}

/// What one thread knows.
class Tracer {
 public:
  Tracer(const Codes& codes, std::span<const KeptRow> rows, const Exit& exit,
         const TraceOptions& options)
      : codes_(codes), rows_(rows), exit_(exit), options_(options), waves_(codes) {}

  std::size_t slabs() const { return rows_.size(); }

  /// Through slab `s`, from a place of its last row. Nothing where what its rows say cannot be: the
  /// place is on no cheapest path.
  std::optional<Path> walk(std::size_t s, std::int64_t place) {
    const bool last = s + 1 == rows_.size();
    const std::int64_t end = last ? exit_.row : rows_[s + 1].row;
    const std::int64_t cost = last ? exit_.cost : rows_[s + 1].at(place);
    if (place < 0) return std::nullopt;
    auto region = region_below(rows_[s], end - rows_[s].row, place, cost);
    if (!region) return std::nullopt;
    const auto width = static_cast<double>(region->top.size());
    const double strips = static_cast<double>(region->rows) / kStripRows;
    const double numbers = waves_.begin(*region);
    if (numbers * kNumber < strips * (width + kStripRows) * kColumn &&
        numbers * sizeof(std::int32_t) < static_cast<double>(options_.memory))
      return waves_.walk();
    const Slab slab(codes_, std::move(*region), options_.memory);
    cells_ += slab.cells();
    if (slab.cost(place) > cost) return std::nullopt;
    return slab.walk(place);
  }

  double cells() const { return cells_ + waves_.cells(); }

 private:
  const Codes& codes_;
  std::span<const KeptRow> rows_;
  const Exit exit_;
  const TraceOptions& options_;
  Waves waves_;
  double cells_ = 0;
};

/// Slabs [first, end), walked through from the last one up.
struct Piece {
  std::size_t first = 0, end = 0;
  std::vector<std::int64_t> exits;  // exits[i]: of slab end - 1 - i
  std::vector<Path> paths;          // as many as could be walked
  double cells = 0;
};

Piece walk_piece(Tracer tracer, std::span<const KeptRow> rows, const Exit& exit, std::size_t first,
                 std::size_t end) {
  Piece piece{first, end, {}, {}, 0};
  std::int64_t place = exit.place;
  if (end < rows.size()) {
    const auto early = tracer.walk(end, end + 1 < rows.size() ? cheapest(rows[end + 1]) : place);
    place = early ? early->entry : cheapest(rows[end]);
  }
  for (std::size_t s = end; s-- > first;) {
    auto path = tracer.walk(s, place);
    if (!path) break;
    piece.exits.push_back(place);
    place = path->entry;
    piece.paths.push_back(std::move(*path));
  }
  piece.cells = tracer.cells();
  return piece;
}

}  // namespace

Traced trace(const Codes& codes, std::span<const KeptRow> rows, const Exit& exit,
             const TraceOptions& options) {
  const std::size_t threads = batch::threads_of(options.threads);
  const std::size_t slabs = rows.size();
  std::size_t pieces = std::clamp<std::size_t>(slabs / kFewest, 1, kPiecesAThread * threads);
  if (threads == 1) pieces = 1;
  if (options.piece > 0) pieces = (slabs + options.piece - 1) / options.piece;
  Tracer again(codes, rows, exit, options);
  Traced made;
  made.parts = static_cast<int>(slabs);
  Path& whole = made.path;
  whole.entry = exit.place;
  batch::in_order(
      pieces, threads,
      [&](std::size_t p) {
        const std::size_t from_end = pieces - 1 - p;
        return walk_piece(Tracer(codes, rows, exit, options), rows, exit, slabs * from_end / pieces,
                          slabs * (from_end + 1) / pieces);
      },
      [&](const Piece& piece) {
        made.cells += piece.cells;
        bool same = false;
        for (std::size_t s = piece.end, i = 0; s-- > piece.first; ++i) {
          same = same || (i < piece.exits.size() && piece.exits[i] == whole.entry);
          if (same && i < piece.paths.size()) {
            whole.backwards.append(piece.paths[i].backwards);
            whole.entry = piece.paths[i].entry;
            continue;
          }
          const auto path = again.walk(s, whole.entry);
          if (!path)
            throw CheckError("rows of an alignment contradict each other; please report this");
          whole.backwards.append(path->backwards);
          whole.entry = path->entry;
        }
      });
  made.cells += again.cells();
  return made;
}

}  // namespace rhomb::align
