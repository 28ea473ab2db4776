// SPDX-License-Identifier: Apache-2.0
// wfa/front.h -- the wavefront cell and how rows of it are kept; shared with host/wfa.
//
// Diagonal k = j - i holds cells (i, j), i symbols of the pattern and j of the text consumed. A
// row of cost s keeps for each diagonal the furthest j that s edits reach. Positions are stored
// minus WFA_BIAS, so that texts of 2^31 - 1 symbols and rows that were never reached share an int.
//
// Values may run past the ends of the texts. That is harmless: it is as if both texts went on with
// symbols that do not match each other, and cell (m, n) does not depend on what follows it.
#ifndef RHOMB_CL_WFA_FRONT_H
#define RHOMB_CL_WFA_FRONT_H

#include "common.h"

#define WFA_BIAS 0x40000000
#define WFA_UNREACHED (-0x7fffffff - 1)

// Answer of a run that has not met its end yet.
#define WFA_OPEN 0x7fffffff

// The cell before its extension (Castells-Rufas 2023, equation 7, in column coordinates): an
// insertion from the diagonal below, a substitution, a deletion from the diagonal above.
FN i32 wfa_step(i32 below, i32 same, i32 above) {
  const i32 moved = (below > same ? below : same) + 1;
  return moved > above ? moved : above;
}

#endif
