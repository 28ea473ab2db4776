// SPDX-License-Identifier: Apache-2.0
// What the answers to a unit's tasks say of its queries.
//
// A target is cut into pieces. So that a piece knows what ends in it, it begins earlier, by as much
// as an occurrence can take, and what ends there does not count. An end on the border of two pieces
// is found by both.
#include <algorithm>
#include <random>

#include "host/engine/reference.h"
#include "host/search/occurrence.h"
#include "host/search/run.h"

namespace rhomb::search {
namespace {

constexpr double kSample = 2e8;  ///< cells of the check of a unit

}  // namespace

Problem Unit::problem() const {
  const std::size_t strands = options_->strands();
  Problem problem;
  problem.queries = std::span(block->views).subspan(first * strands, (end - first) * strands);
  problem.texts = targets_.subspan(targets_before_, targets_count_);
  problem.tasks = tasks_;
  problem.code = &block->code;
  problem.threads = options_->threads;
  problem.trace = options_->trace;
  return problem;
}

std::span<const Task> Unit::tasks_of(std::size_t query) const {
  const auto [from, to] =
      std::ranges::equal_range(tasks_, query - first, {},
                               [&](const Task& task) { return task.query / options_->strands(); });
  return std::span(from, to);
}

Candidate Unit::best_of(std::size_t query) const {
  Candidate best = before_ && query == first ? *before_ : Candidate{};
  const auto tasks = tasks_of(query);
  for (const Task& task : tasks) {
    const Best& found = answer.best[static_cast<std::size_t>(&task - tasks_.data())];
    const bool reversed = task.query % options_->strands() == 1;
    if (found.distance < best.distance ||
        (found.distance == best.distance && found.distance != Best::kNone && !reversed &&
         best.reversed))
      best = {reversed, targets_before_ + task.text, task.begin + found.end, found.distance};
  }
  return best;
}

void Unit::all_of(std::size_t query, std::vector<Hit>& hits) const {
  std::optional<Finder> finders[2];  // of both strands
  std::vector<End> ends;             // in one target, on one strand
  const auto take = [&](const Task& last) {
    const bool reversed = last.query % options_->strands() == 1;
    if (options_->wanted == Wanted::kRuns) ends = best_of_runs(ends);
    for (const End& one : ends)
      hits.push_back({query, reversed, targets_before_ + last.text, 0, one.at, one.distance, {}});
    ends.clear();
  };
  const auto tasks = tasks_of(query);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const Task& task = tasks[t];
    if (t > 0 && (tasks[t - 1].text != task.text || tasks[t - 1].query != task.query))
      take(tasks[t - 1]);
    const Best& best = answer.best[static_cast<std::size_t>(&task - tasks_.data())];
    if (best.distance > *options_->most) continue;
    const bool reversed = task.query % options_->strands() == 1;
    auto& finder = finders[reversed];
    if (!finder) finder.emplace(view(query, reversed), block->code);
    for (const End& one :
         finder->ends(target_of(task).substr(task.begin, task.length), *options_->most)) {
      const std::size_t at = task.begin + one.at;
      if (one.at >= task.skip && (ends.empty() || ends.back().at < at))
        ends.push_back({at, one.distance});
    }
  }
  if (!tasks.empty()) take(tasks.back());
  std::ranges::stable_sort(hits, [](const Hit& a, const Hit& b) {
    return std::pair(a.target, a.end) < std::pair(b.target, b.end);
  });
}

std::uint64_t Unit::check() const {
  const Problem problem = this->problem();
  std::mt19937_64 random(number);
  const std::size_t all = problem.tasks.size();
  const bool few = answer.cells <= kSample;
  double cells = 0;
  std::uint64_t checked = 0;
  for (std::size_t i = 0; i < all && (few || cells < kSample); ++i) {
    const std::size_t which = few ? i : random() % all;
    const Task& task = problem.tasks[which];
    const std::string_view query = problem.queries[task.query];
    const auto [distance, end] = reference::best_occurrence(
        query, problem.texts[task.text].substr(task.begin, task.length), *problem.code, task.skip);
    cells += static_cast<double>(query.size()) * task.length;
    ++checked;
    const Best& found = answer.best[which];
    if (distance == found.distance && end == found.end) continue;
    throw CheckError("check failed: query " + std::string(name_of(task)) + " has distance " +
                     std::to_string(found.distance) + " at " + std::to_string(found.end) +
                     " of its piece " + std::to_string(which) + ", but it is " +
                     std::to_string(distance) + " at " + std::to_string(end));
  }
  return checked;
}

std::vector<Hit> Unit::hits(std::size_t i) const {
  std::vector<Hit> hits;
  if (options_->wanted != Wanted::kBest) {
    all_of(i, hits);
  } else if (!goes_on_ || i + 1 < end) {
    const Candidate best = best_of(i);
    if (best.distance < Best::kNone && best.distance <= options_->most.value_or(~0u))
      hits.push_back({i, best.reversed, best.target, 0, best.end, best.distance, {}});
  }
  std::optional<Finder> finders[2];
  for (Hit& hit : hits) {
    auto& finder = finders[hit.reversed];
    if (!finder) finder.emplace(view(i, hit.reversed), block->code);
    hit.begin = finder->start(targets_[hit.target], {hit.end, hit.distance});
  }
  if (options_->most) std::erase_if(hits, [](const Hit& hit) { return hit.begin == hit.end; });
  if (options_->cigar)
    for (Hit& hit : hits)
      hit.cigar =
          finders[hit.reversed]->cigar(targets_[hit.target].substr(hit.begin, hit.end - hit.begin));
  return hits;
}

}  // namespace rhomb::search
