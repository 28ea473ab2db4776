// SPDX-License-Identifier: Apache-2.0
// The search's headers of the kernels as the host's compiler takes them: lanes that need no other.
// Included once for each shape, in a namespace of its own, so it has no guard:
//
//   NATIVE                     name of the namespace
//   W, HEAD, PLANES, SETS      cl/search/coop.h; they and NATIVE are undefined at the end
//
// Include everything else before: W is a short name.
#undef RHOMB_CL_PLANES_H
#undef RHOMB_CL_CELL_H
#undef RHOMB_CL_TEAM_H
#undef RHOMB_CL_SEARCH_STEP_H
#undef RHOMB_CL_SEARCH_ENDS_H
#undef RHOMB_CL_SEARCH_COOP_H
#undef PLANES_FOUND
#undef PLANES_MISMATCH
#define WG 32
#define TEAM 1
#define R 32
#define VIA 0
#define PROFILE 0

#include "cl/common.h"
#include "cl/search/task.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
namespace NATIVE {
#include "cl/search/coop.h"
}  // namespace NATIVE
#pragma GCC diagnostic pop

#undef LANES
#undef WG
#undef R
#undef W
#undef HEAD
#undef VIA
#undef PROFILE
#undef PLANES
#undef SETS
#undef NATIVE
