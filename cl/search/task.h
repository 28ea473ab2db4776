// SPDX-License-Identifier: Apache-2.0
// search/task.h -- what the kernels are told of a query and the piece of text it is looked for in;
// shared by kernels and host.
//
// Queries and texts lie in packed planes (planes.h, interleaved), each from a word of its own on; a
// piece of a text may begin anywhere.
#ifndef RHOMB_CL_SEARCH_TASK_H
#define RHOMB_CL_SEARCH_TASK_H

#include "common.h"

typedef struct {
  u32 query;    // its first symbol, among all packed queries
  u32 rows;     // its length m
  u32 text;     // first symbol of the piece, among all packed texts
  u32 columns;  // its length n
  u32 skip;     // occurrences that end before so many columns do not count; a multiple of 32
  u32 profile;  // first word of the query's profile, if profiles were made
  u32 answer;   // where the answer goes
} SearchTask;

// A query whose profile is made.
typedef struct {
  u32 query;    // its first symbol, among all packed queries
  u32 rows;     // its length m
  u32 words;    // of its column, each of 32 rows; 0: none is made
  u32 profile;  // first word of the profile
} SearchQuery;

// distance: least number of differences of the whole query and a part of the piece. end: the number
// of columns up to the end of the first such part, or marks (batch.h).
typedef struct {
  u32 distance, end;
} SearchAnswer;

// What a launch is told. The kernels of tasks all take the same: queries (or their profiles),
// texts, tasks, answers, scratch memory, and this.
typedef struct {
  u32 first, count;  // tasks
  u32 words;         // of a query's column, where each query of the launch has as many
  u32 lanes;         // that have scratch memory
} SearchLaunch;

// Before an end was found that counts.
#define SEARCH_NOTHING 0x7fffffff

#endif
