// SPDX-License-Identifier: Apache-2.0
// path: where a good path probably runs. It says where windows go first, never what is right.
#pragma once

#include <span>
#include <vector>

#include "host/corridor/grid.h"
#include "host/engine/sketch.h"

namespace rhomb::corridor {

/// By block the chunks that the path probably stays in, by the words that both texts have in common
/// (engine/sketch.h): from the lowest to the highest diagonal between the last such word before the
/// block and the first one behind it, and wider where these are far apart. Ranges of blocks side by
/// side overlap; the first has diagonal 0, the last the one on which paths end.
std::vector<Range> probable_path(const Grid& grid, std::span<const Anchor> words);

}  // namespace rhomb::corridor
