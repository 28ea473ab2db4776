// SPDX-License-Identifier: Apache-2.0
// What the rows of the search's table share among themselves; not for users of the library.
#pragma once

#include <cstdint>

#include "host/search/search.h"

namespace rhomb::search {

/// Fills Plan::order and Plan::shapes: the tasks by the shape of their query, within a shape by
/// length. `shape_of` gives each query length a number; `make` a Shape for a number and the range
/// of lengths that it has (first, count and rows are filled in).
void plan_shapes(
    Plan& plan, const Problem& problem, const std::function<int(std::uint32_t rows)>& shape_of,
    const std::function<Shape(int, std::uint32_t shortest, std::uint32_t longest)>& make);

/// The lengths of the queries that have tasks, each once, ascending.
std::vector<std::uint32_t> query_lengths(const Problem& problem);

/// Makes sure that the known-answer test of the shape's program has passed on `device`, now or in
/// an earlier process. Throws CheckError when it gives a wrong answer.
void ensure_tested(ocl::Device& device, const Row& row, const Plan& plan, const Shape& shape);

/// Throws Unfit unless a group of the device can have so many work-items.
void check_group(int group, const ocl::Limits& limits);

/// run() of all rows that compute on an OpenCL device.
Answer run_on_device(ocl::Device* device, const Plan& plan, const Problem& problem);

const Row& strips_batch_row();
const Row& reference_row();

}  // namespace rhomb::search
