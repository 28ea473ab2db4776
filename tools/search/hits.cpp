// SPDX-License-Identifier: Apache-2.0
// A text is cut into pieces. So that a piece knows what ends in it, it begins earlier, by as much
// as an occurrence can take, and what ends there does not count. An end on the border of two pieces
// is found by both.
#include "tools/search/hits.h"

#include <algorithm>

#include "host/search/occurrence.h"

namespace rhomb::cli {

std::uint32_t longest_occurrence(std::size_t m, std::optional<std::uint32_t> most) {
  // With more differences than symbols there is always something nearer.
  const std::size_t differences = std::min<std::size_t>(m, most.value_or(~0u));
  return static_cast<std::uint32_t>((m + differences + 31) / 32 * 32);
}

SearchWork::SearchWork(SearchBlock block, const SearchOptions& asked,
                       std::span<const std::string_view> texts, std::uint32_t piece,
                       const seq::Code& code)
    : block_(std::move(block)), asked_(asked), code_(code), texts_(texts) {
  queries_.reserve(block_.queries.size() + block_.turned.size());
  block_.queries.append_to(queries_);
  block_.turned.append_to(queries_);
  const bool pairs = texts.empty();
  if (pairs) {
    block_.texts.append_to(candidates_);
    texts_ = candidates_;
  }
  first_.reserve(queries_.size() + 1);
  std::size_t pieces = pairs ? 1 : 0;  // of a query
  if (!pairs)
    for (const std::string_view text : texts_) pieces += text.size() / piece + 1;
  tasks_.reserve(queries_.size() * pieces);
  for (std::size_t view = 0; view < queries_.size(); ++view) {
    first_.push_back(tasks_.size());
    const auto number = static_cast<std::uint32_t>(view);
    if (pairs) {
      const std::size_t text = query_of(view);
      tasks_.push_back({number, static_cast<std::uint32_t>(text), 0,
                        static_cast<std::uint32_t>(texts_[text].size()), 0});
      continue;
    }
    const std::uint32_t before = longest_occurrence(queries_[view].size(), asked.most);
    for (std::size_t text = 0; text < texts_.size(); ++text) {
      const auto length = static_cast<std::uint32_t>(texts_[text].size());
      for (std::uint32_t at = 0; at == 0 || at < length; at += std::min(piece, ~0u - at)) {
        const std::uint32_t begin = at - std::min(before, at);
        const std::uint32_t end = at + std::min(piece, length - at);
        tasks_.push_back(
            {number, static_cast<std::uint32_t>(text), begin, end - begin, at - begin});
      }
    }
  }
  first_.push_back(tasks_.size());
}

search::Problem SearchWork::problem() const {
  search::Problem problem;
  problem.queries = queries_;
  problem.texts = texts_;
  problem.tasks = tasks_;
  problem.code = &code_;
  return problem;
}

void SearchWork::best_hit(std::size_t i, std::span<const search::Best> best,
                          std::vector<Hit>& hits) const {
  Found found;
  for (std::size_t view = i; view < queries_.size(); view += size())
    for (std::size_t t = first_[view]; t < first_[view + 1]; ++t)
      if (best[t].distance < found.best.distance) found = {view, &tasks_[t], best[t]};
  if (found.task == nullptr || found.best.distance > asked_.most.value_or(~0u)) return;
  Hit hit;
  hit.query = i;
  hit.turned = turned(found.view);
  hit.text = found.task->text;
  hit.end = found.task->begin + found.best.end;
  hit.distance = found.best.distance;
  hits.push_back(std::move(hit));
}

void SearchWork::all_hits(std::size_t view, std::span<const search::Best> best,
                          std::vector<Hit>& hits) const {
  std::optional<search::Finder> finder;
  std::vector<search::End> ends;  // in one text
  const auto take = [&](std::size_t text) {
    if (asked_.wanted == Wanted::kRuns) ends = search::best_of_runs(ends);
    for (const search::End& end : ends) {
      Hit hit;
      hit.query = query_of(view);
      hit.turned = turned(view);
      hit.text = text;
      hit.end = end.at;
      hit.distance = end.distance;
      hits.push_back(std::move(hit));
    }
    ends.clear();
  };
  for (std::size_t t = first_[view]; t < first_[view + 1]; ++t) {
    const search::Task& task = tasks_[t];
    if (t > first_[view] && tasks_[t - 1].text != task.text) take(tasks_[t - 1].text);
    if (best[t].distance > *asked_.most) continue;
    if (!finder) finder.emplace(queries_[view], code_);
    const auto piece = texts_[task.text].substr(task.begin, task.length);
    for (const search::End& end : finder->ends(piece, *asked_.most)) {
      const std::size_t at = task.begin + end.at;
      if (end.at >= task.skip && (ends.empty() || ends.back().at < at))
        ends.push_back({at, end.distance});
    }
  }
  take(tasks_[first_[view + 1] - 1].text);
}

std::vector<Hit> SearchWork::hits(std::size_t i, std::span<const search::Best> best) const {
  std::vector<Hit> hits;
  if (asked_.wanted == Wanted::kBest) {
    best_hit(i, best, hits);
  } else {
    for (std::size_t view = i; view < queries_.size(); view += size()) all_hits(view, best, hits);
    std::ranges::stable_sort(hits, [](const Hit& a, const Hit& b) {
      return std::pair(a.text, a.end) < std::pair(b.text, b.end);
    });
  }
  std::optional<search::Finder> finders[2];  // of both strands
  for (Hit& hit : hits) {
    const std::string_view query = queries_[i + (hit.turned ? size() : 0)];
    auto& finder = finders[hit.turned];
    if (!finder) finder.emplace(query, code_);
    hit.begin = finder->start(texts_[hit.text], {hit.end, hit.distance});
  }
  if (asked_.cigar || asked_.format == SearchFormat::kPaf)
    for (Hit& hit : hits)
      hit.cigar =
          finders[hit.turned]->cigar(texts_[hit.text].substr(hit.begin, hit.end - hit.begin));
  return hits;
}

}  // namespace rhomb::cli
