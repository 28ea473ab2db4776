// SPDX-License-Identifier: Apache-2.0
// Tasks of the search, and what the reference says of them.
#pragma once

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/search/search.h"
#include "tests/support/catch.h"

namespace rhomb::test {

/// Queries, texts and tasks that live together.
struct Tasks {
  std::vector<std::string> queries, texts;
  std::vector<search::Task> tasks;
  bool whole = false;  ///< search::Problem::whole
  std::vector<std::string_view> query_views, text_views;

  void add(std::string query, std::string text, std::uint32_t begin = 0, std::uint32_t skip = 0) {
    const auto number = static_cast<std::uint32_t>(queries.size());
    const auto length = static_cast<std::uint32_t>(text.size());
    begin = std::min(begin, length);
    queries.push_back(std::move(query));
    texts.push_back(std::move(text));
    tasks.push_back({number, number, begin, length - begin, skip});
  }

  /// All of them; good until something is added.
  search::Problem problem(const seq::Code& code) {
    query_views.assign(queries.begin(), queries.end());
    text_views.assign(texts.begin(), texts.end());
    search::Problem made;
    made.queries = query_views;
    made.texts = text_views;
    made.tasks = tasks;
    made.code = &code;
    made.whole = whole;
    return made;
  }
};

inline std::string shown(const search::Best& best) {
  return std::to_string(best.distance) + " at " + std::to_string(best.end);
}

/// Solves all tasks by `row` and compares; the number of wrong answers, the first few told.
inline int wrong_answers(ocl::Device* device, const search::Variant& row,
                         const tune::Config& config, Tasks& tasks, const seq::Code& code) {
  const auto problem = tasks.problem(code);
  const auto got = search::solve(device, row, problem, config);
  const auto expected =
      search::solve(nullptr, find_variant(search::variants(), "reference"), problem);
  REQUIRE(got.best.size() == tasks.tasks.size());
  CHECK(got.cells == expected.cells);
  int wrong = 0;
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    if (got.best[i] == expected.best[i] || ++wrong > 3) continue;
    const search::Task& task = tasks.tasks[i];
    std::cerr << row.name << " " << config.text() << ", task " << i << ": " << shown(got.best[i])
              << " instead of " << shown(expected.best[i]) << ", query of "
              << tasks.queries[task.query].size() << ", piece of " << task.length << ", skip "
              << task.skip << '\n';
  }
  return wrong;
}

}  // namespace rhomb::test
