// SPDX-License-Identifier: Apache-2.0
// What the rows of the search's table share among themselves; not for users of the library.
#pragma once

#include <cstdint>

#include "cl/search/task.h"
#include "host/batch/run.h"
#include "host/engine/program.h"
#include "host/search/search.h"

namespace rhomb::search {

/// What a plan needs to know of all tasks together, found in one walk over them.
struct TaskStats {
  std::vector<std::uint32_t> lengths;  ///< of the queries that have tasks, each once, ascending
  std::uint32_t columns = 0;           ///< symbols of the longest piece
  bool alike = true;                   ///< queries and pieces are of one length each
  double symbols = 0;                  ///< of all pieces
  double cells = 0;                    ///< of all matrices
  std::vector<double> shares;          ///< of these cells, that queries of each length have
};

/// Throws UsageError for an empty query, a task outside its query or text, a skip that is no
/// multiple of 32, and where Problem::resident does not fit.
TaskStats stats_of(const Problem& problem);

/// Throws Unfit for Problem::whole, which `variant` cannot do.
void check_parts(std::string_view variant, const Problem& problem);

/// Fills Plan::order, shapes and cells: the tasks by the shape of their query, within a shape about
/// by length. `shape_of` gives each query length a number; `make` a Shape for a number and the
/// range of lengths that it has (columns, first and count are filled in).
void plan_shapes(
    Plan& plan, const Problem& problem, const TaskStats& all,
    const std::function<int(std::uint32_t rows)>& shape_of,
    const std::function<Shape(int, std::uint32_t shortest, std::uint32_t longest)>& make);

/// Makes sure that the known-answer test of the shape's program has passed on `device`, now or in
/// an earlier process. Throws CheckError when it gives a wrong answer.
void ensure_tested(ocl::Device& device, const Plan& plan, const Shape& shape);

/// Words of 32 rows that a column gets: as many as `rows` take, or some more, so that queries of
/// about the same length share a program. `exact` where there are few lengths.
int column_words(std::uint32_t rows, bool exact);
/// The shortest query that then gets so many.
std::uint32_t shortest_of(int words);

/// Shape::tested where the program takes all lengths from the shortest to the longest.
std::vector<std::uint32_t> lengths_between(std::uint32_t shortest, std::uint32_t longest);

/// Lengths that each get a program of their own, which fits them best; more share programs.
inline constexpr std::size_t kMostExact = 4;

/// Throws Unfit where the profiles of all queries, with columns as plan.shapes has them, are more
/// than a buffer of the device; else counts them in plan.bytes.
void check_profiles(Plan& plan, const Problem& problem, const ocl::Limits& limits);

/// Groups of work-items that so many tasks of a shape take.
std::size_t whole_groups(const Shape& shape, std::size_t tasks);

/// Calls each(first, count) for the tasks of a shape, none of which takes much longer than a launch
/// may.
void for_launches(const Shape& shape, const ocl::Limits& limits,
                  const std::function<void(std::size_t first, std::size_t count)>& each);

/// Words of scratch memory for the widest launch, at least one.
std::size_t scratch_words(const Plan& plan, const ocl::Limits& limits);

/// Spare words of 32 symbols behind the last text: shorter pieces are read as far as the longest
/// one of their work-item.
std::size_t text_back_words(const Plan& plan);

/// What kernels are told of the tasks, in the plan's order, given where queries and texts begin
/// (seq::pack_batch()) and, unless there are none, the queries' profiles.
void fill_tasks(const Plan& plan, const Problem& problem, std::span<const std::uint32_t> queries,
                std::span<const std::uint32_t> texts, std::span<const std::uint32_t> profiles,
                std::span<SearchTask> out);

/// run() of all rows that compute on an OpenCL device.
Answer run_on_device(ocl::Device* device, const Plan& plan, const Problem& problem);

const Variant& coop_variant();
const Variant& strips_batch_variant();
const Variant& task_local_variant();
const Variant& task_private_variant();
// Where the CUDA twins were compiled, RHOMB_HAVE_CUDA (cuda/search_table.cpp).
const Variant& cuda_strips_batch_variant();
const Variant& cuda_coop_variant();
const Variant& reference_variant();

}  // namespace rhomb::search
