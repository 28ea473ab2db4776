// SPDX-License-Identifier: Apache-2.0
// wfa/cut.h -- what host/wfa and wfa/cut.cl tell each other.
#ifndef RHOMB_CL_WFA_CUT_H
#define RHOMB_CL_WFA_CUT_H

#include "common.h"

// A part of a text, as planes of its own. Words are those of a plane, with the spare ones.
typedef struct {
  u32 first;          // its first word among those of all parts
  u32 words;          // how many it has
  u32 to;             // where its planes go
  u32 of;             // the text: 0 or 1
  u32 begin, length;  // its symbols
  u32 backwards;      // 1: the last one comes first
  u32 fill;           // bits of positions beside them
} WfaCut;

#endif
