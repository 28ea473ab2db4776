// SPDX-License-Identifier: Apache-2.0
// wfa/tiles.h -- the diamonds that the tiled kernels cut the wavefronts into; shared with host/wfa
// (Castells-Rufas 2023, 4.2.2).
//
// Cells are (k, r), diagonal and cost. The tile with centre K of the band that begins at cost R has
// the columns R to R + 2 T - 1; column R + c holds the diagonals |k - K| <= tile_reach(c): first
// one, then up to 2 T - 1, then one again, 2 T * T cells in all. Band number i begins at R = i * T
// and has its centres at R, R +- 2 T, ...: each band fills the gaps of the one before, and the
// tiles of a band need nothing of each other.
//
// What a band leaves behind is kept in two rows: `last` has the newest cell of each diagonal,
// `before` the one of a cost less. Before a band, diagonal K + e of a tile has been computed up to
// column |e| - 1. A tile reads both rows on its 2 T - 1 diagonals and one more on each side, and
// writes its own diagonals in place: its neighbours read only the ones between them, which nobody
// writes in this band.
//
// Rows start unreached, but for `before` of diagonal 1, which holds position 0: seen from there the
// first cell, (0, 0), is a step down to position 0. A tile that is never computed leaves older
// cells in the rows. They are cells of smaller costs, so nothing ever reaches too far because of
// it.
//
//   T   tile length: side of a diamond, in cells    tuned
#ifndef RHOMB_CL_WFA_TILES_H
#define RHOMB_CL_WFA_TILES_H

#include "common.h"

// Diagonals on each side of the centre in column c of a tile of length t.
FN int tile_reach(int t, int c) { return c < t ? c : 2 * t - 1 - c; }

// What the kernels tell the host.
#define TILES_ANSWER 0  // WFA_OPEN until the last diagonal reaches the end, then the distance
#define TILES_BOUND 1   // an upper bound of the distance
#define TILES_DONE 2    // tiles computed so far, modulo 2^32

#endif
