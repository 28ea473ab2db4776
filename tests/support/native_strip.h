// SPDX-License-Identifier: Apache-2.0
// The strips' headers of the kernels as the host's compiler takes them: one lane a work-item, one
// work-item a group. Included once for each shape, in a namespace of its own, so it has no guard:
//
//   NATIVE            name of the namespace
//   K, PLANES, SETS   cl/strip/step.h, cl/planes.h; they and NATIVE are undefined at the end
//
// Include everything else before: K is a short name.
#undef RHOMB_CL_PLANES_H
#undef RHOMB_CL_CELL_H
#undef RHOMB_CL_TEAM_H
#undef RHOMB_CL_STRIP_STEP_H
#undef RHOMB_CL_STRIP_STATE_H
#undef RHOMB_CL_STRIP_FLOW_H
#undef RHOMB_CL_STRIP_GROUP_H
#undef PLANES_FOUND
#undef PLANES_MISMATCH
#undef STRIP_PIECE
#define LANES 1
#define WG 1
#define TEAM 1

#include "cl/common.h"
#include "cl/strip/band.h"
#include "cl/strip/launch.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
namespace NATIVE {
#include "cl/strip/flow.h"
}  // namespace NATIVE
#pragma GCC diagnostic pop

#undef LANES
#undef WG
#undef K
#undef PLANES
#undef SETS
#undef NATIVE
