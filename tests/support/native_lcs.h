// SPDX-License-Identifier: Apache-2.0
// The headers of the lcs kernels as the host's compiler takes them: one lane a work-item. Included
// once for each shape, in a namespace of its own, so it has no guard:
//
//   NATIVE                 name of the namespace
//   K, S, PLANES, SETS     cl/lcs/step.h, for strips; or
//   W, ALLISON, PLANES     cl/lcs/row.h; they and NATIVE are undefined at the end
//
// Include everything else before: these are short names.
#undef RHOMB_CL_CELL_H
#undef RHOMB_CL_LCS_STEP_H
#undef RHOMB_CL_LCS_STRIPS_H
#undef RHOMB_CL_LCS_ROW_H
#undef RHOMB_CL_LCS_ROWS_H
#undef SLOT_ONES
#undef SLOT_LEFT
#undef SLOT_MOVED
#undef ROW_STREAMS
#undef ROW_START
#define LANES 1

#include "cl/common.h"
#include "cl/lcs/lanes.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
namespace NATIVE {
#ifdef W
#include "cl/lcs/rows.h"
#else
#include "cl/lcs/strips.h"
#endif
}  // namespace NATIVE
#pragma GCC diagnostic pop

#undef LANES
#undef K
#undef S
#undef W
#undef ALLISON
#undef PLANES
#undef SETS
#undef NATIVE
