// SPDX-License-Identifier: Apache-2.0
// What the variants of gaps share among themselves; not for users of the library.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "host/batch/run.h"
#include "host/engine/program.h"
#include "host/gaps/gaps.h"

namespace rhomb::gaps {

/// The symbols that occur in the problem, and what they score.
Symbols symbols_of(const Problem& problem);

/// Of all tasks: the sum of m n.
double cells_of(const Problem& problem);

/// Where texts begin that are written one after another, and the end. Throws UsageError where that
/// is not a number of 32 bits.
std::vector<std::uint32_t> starts_of(std::span<const std::string_view> texts);
/// Their symbols' numbers, in several threads; out has room for all.
void encode(std::span<const std::string_view> texts, std::span<const std::uint32_t> starts,
            const Symbols& symbols, std::span<std::uint8_t> out, std::size_t threads);

/// What a batch takes, on the device and of the host's pinned memory; `grown`: after others.
batch::Memory batch_memory(const Plan& plan, const Problem& problem, bool grown);

/// What kernels have for the scores of the problem's symbols, found as the macro SCORES says.
std::vector<std::int32_t> table_of(const Problem& problem, const Symbols& symbols, int scores);
/// What all launches of a shape are told.
GapsLaunch launch_of(const Problem& problem, const Symbols& symbols, const Range& range);
/// The tasks of a shape's slots, of texts that begin there.
void fill_tasks(const Shape& shape, const Problem& problem, std::span<const std::uint32_t> queries,
                std::span<const std::uint32_t> targets, std::span<GapsTask> out);

/// `runs` as a kernel has written them (cl/gaps/task.h).
Alignment alignment_of(std::span<const std::uint32_t> runs);

/// Of the scores of all layers the best, with the fewest gaps.
Best best_of(std::span<const GapsAnswer> layers);

/// Scores as they are kept: a pair's - 2 extend, a gap's open - extend.
int kept_pair(const Scoring& scoring, int score);
int kept_gap(const Scoring& scoring);

/// Makes sure that the known-answer test of the shape's program has passed on `device`, now or in
/// an earlier process. Throws CheckError when it gives a wrong answer.
void ensure_tested(ocl::Device& device, const Variant& variant, const Plan& plan,
                   const Shape& shape, const Problem& problem);
/// Likewise of a program of the paper's.
void ensure_tested(ocl::Device& device, const Variant& variant, const Plan& plan,
                   const ocl::Defines& defines, const Problem& problem);

/// Where kernels of gaps-lanes keep scores of alignments of up to m and n symbols, in `columns`, in
/// words of so many bits; false where they might not fit.
bool fits(const Problem& problem, const Symbols& symbols, std::int64_t columns, std::int64_t m,
          std::int64_t n, int bits, Range& range);

/// A kernel of gaps-lanes that was compiled ahead of time: its macros, as cl/gaps/lanes.h has them.
struct CompiledShape {
  int gaps = 0, span = 1, cols = 1, scores = 1;
  bool wide = false;
  int trace = 0;
  bool operator==(const CompiledShape&) const = default;
};

/// plan() of gaps-lanes; with `compiled`, of these shapes alone.
Plan plan_lanes(const Problem& problem, const ocl::Limits& limits, const tune::Config& config,
                std::span<const CompiledShape> compiled);
/// run() of gaps-lanes.
Answer run_lanes(ocl::Device* device, const Plan& plan, const Problem& problem);

const Variant& lanes_variant();
const Variant& cuda_lanes_variant();        ///< with RHOMB_HAVE_CUDA: cuda/gaps_table.cpp
std::span<const Variant> paper_variants();  ///< single-a, single-b, single-h, multi-a, ...
const Variant& reference_variant();

}  // namespace rhomb::gaps
