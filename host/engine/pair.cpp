// SPDX-License-Identifier: Apache-2.0
#include "host/engine/pair.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "host/error.h"
#include "host/seq/packed.h"

namespace rhomb {

void check_problem(const Problem& problem) {
  if (problem.max_distance && *problem.max_distance < 0)
    throw UsageError("the largest distance must not be negative");
  const auto check_length = [](const char* which, std::string_view text) {
    if (text.size() > kMostSymbols)
      throw UsageError(std::string("the ") + which + " text has " + std::to_string(text.size()) +
                       " symbols, more than 2^31 - 1");
  };
  check_length("first", problem.a);
  check_length("second", problem.b);
}

bool report(const Problem& problem, const Progress& progress) {
  if (problem.progress) problem.progress(progress);
  return problem.give_up && problem.give_up(progress);
}

namespace {

enum class End { kFirst, kLast };

/// Takes off what both texts have in common at one end.
void take_off(Problem& problem, End end) {
  const seq::Code& code = *problem.code;
  // Equal bytes match unless they are ambiguous and match nothing; different ones may match too
  // (U and T, sets that share a base). So runs of equal bytes are stripped fast where that is
  // allowed, and single symbols in between by their codes.
  const bool by_bytes = code.matching == seq::Matching::kEqual && code.same_tables();
  std::string_view &a = problem.a, &b = problem.b;
  const auto alike = [&]() -> std::size_t {
    const std::size_t same = !by_bytes            ? 0
                             : end == End::kFirst ? seq::common_prefix(a, b)
                                                  : seq::common_suffix(a, b);
    if (same > 0 || a.empty() || b.empty()) return same;
    return end == End::kFirst ? code.match(a.front(), b.front()) : code.match(a.back(), b.back());
  };
  const std::size_t before = a.size();
  while (const std::size_t symbols = alike())
    for (std::string_view* const text : {&a, &b})
      end == End::kFirst ? text->remove_prefix(symbols) : text->remove_suffix(symbols);
  if (a.size() < before) problem.chain = {};  // places in it were the whole texts'
}

}  // namespace

Problem trimmed(const Problem& problem) {
  Problem rest = problem;
  take_off(rest, End::kFirst);
  take_off(rest, End::kLast);
  return rest;
}

Problem without_suffix(const Problem& problem) {
  Problem rest = problem;
  take_off(rest, End::kLast);
  return rest;
}

std::int64_t distance_limit(const Problem& problem) {
  const auto longest = static_cast<std::int64_t>(std::max(problem.a.size(), problem.b.size()));
  return std::min(problem.max_distance.value_or(longest), longest);
}

void spend(Answer& on, const Answer& more) {
  on.cells += more.cells;
  on.compute += more.compute;
  on.build += more.build;
  on.transfer += more.transfer;
}

std::optional<Answer> easy_answer(const Problem& trimmed) {
  const auto m = static_cast<std::int64_t>(trimmed.a.size());
  const auto n = static_cast<std::int64_t>(trimmed.b.size());
  const std::int64_t limit = trimmed.max_distance.value_or(std::max(m, n));
  Answer answer;
  // One side used up: the rest of the other is inserted. Lengths further apart than the limit: no
  // path is cheaper than their difference.
  if (m == 0 || n == 0) {
    if (std::max(m, n) <= limit) answer.distance = std::max(m, n);
    return answer;
  }
  if (std::abs(n - m) > limit || limit == 0) return answer;
  return std::nullopt;
}

}  // namespace rhomb
