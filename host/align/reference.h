// SPDX-License-Identifier: Apache-2.0
// The plain way to the canonical alignment, obviously right, for short texts.
#pragma once

#include <string_view>

#include "host/seq/cigar.h"

namespace rhomb::reference {

/// The canonical one of all alignments of least unit cost: the one that a walk back from both ends
/// finds if it takes, wherever it is on a cheapest path, a pair of symbols before a symbol of the
/// query alone, and that before a symbol of the target alone. So each gap lies as far to the left
/// as it can. O(|query| |target|) time and memory, four bytes a cell.
Cigar alignment(std::string_view query, std::string_view target, const seq::Code& code);

}  // namespace rhomb::reference
