// SPDX-License-Identifier: Apache-2.0
#include "host/strip/texts.h"

#include <algorithm>
#include <tuple>

#include "cl/common.h"
#include "cl/strip/band.h"
#include "cl/strip/launch.h"
#include "host/batch/threads.h"
#include "host/seq/packed.h"

namespace rhomb::strip {

void append_apart(UnsetVector<std::uint32_t>& out, std::span<const std::uint32_t> interleaved,
                  std::size_t planes, std::size_t words, std::size_t spare, std::size_t threads) {
  const std::size_t begin = out.size(), plane = words + 2 * spare;
  out.resize(begin + planes * plane);
  std::uint32_t* const to = out.data() + begin;
  for (std::size_t p = 0; p < planes; ++p) {
    std::fill_n(to + p * plane, spare, 0u);
    std::fill_n(to + (p + 1) * plane - spare, spare, 0u);
  }
  const std::uint32_t* const from = interleaved.data() + seq::Planes::kFrontWords * planes;
  batch::in_parts(words, batch::parts_of_pairs(words, threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t p = 0; p < planes; ++p)
                      for (std::size_t w = first; w < last; ++w)
                        to[p * plane + spare + w] = ::turned(from[w * planes + p]);
                  });
}

Texts pack(const Plan& plan, const Problem& problem) {
  const trace::Scope scope(problem.trace, trace::Work::kPack);
  const auto planes = static_cast<std::size_t>(plan.planes);
  const int fill = plan.sets ? 1 : 0;  // matches itself
  const auto& [a, b, code_a, code_b] =
      plan.swapped ? std::tie(problem.b, problem.a, problem.code->b, problem.code->a)
                   : std::tie(problem.a, problem.b, problem.code->a, problem.code->b);
  Texts texts;
  texts.pattern =
      seq::pack_both_ways(a, code_a, plan.planes, fill, problem.threads, plan.size.padding);
  texts.pattern_reverse = static_cast<std::uint32_t>(texts.pattern.size() / 2);

  const seq::Planes columns =
      seq::pack_planes(b, code_b, plan.planes, fill, problem.threads, plan.size.padding);
  const auto words = static_cast<std::size_t>(plan.size.words());
  const auto spare = static_cast<std::size_t>(STRIP_TEXT_SPARE(plan.shape.group_lanes()));
  texts.text_plane = layout_of(plan.size, plan.shape, plan.planes).plane;
  texts.text.reserve(2 * planes * texts.text_plane);
  append_apart(texts.text, columns.words, planes, words, spare, problem.threads);
  append_apart(texts.text, seq::reversed_words(columns, problem.threads), planes, words, spare,
               problem.threads);
  return texts;
}

Layout layout_of(const Size& size, const Shape& shape, int planes) {
  const auto p = static_cast<std::size_t>(planes);
  const auto k = static_cast<std::size_t>(shape.k);
  const auto group_lanes = static_cast<std::size_t>(shape.group_lanes());
  const std::size_t groups = (static_cast<std::size_t>(size.upper) + group_lanes - 1) / group_lanes;
  const auto spare = static_cast<std::size_t>(STRIP_TEXT_SPARE(shape.group_lanes()));
  const std::size_t plane = static_cast<std::size_t>(size.words()) + 2 * spare;
  Layout layout;
  layout.plane = static_cast<std::uint32_t>(plane);
  layout.groups = static_cast<std::uint32_t>(groups);
  layout.stride = static_cast<std::uint32_t>(groups * group_lanes);
  layout.values = STRIP_VALUES(k, p);
  layout.score = STRIP_SCORE(k);
  layout.state = 2 * layout.values * layout.stride;
  // A group looks one word ahead of those that are for it.
  layout.ring = 8 * groups * static_cast<std::size_t>(shape.slab) + 2;
  layout.last = 4 * plane;
  const std::size_t rows =
      static_cast<std::size_t>(size.m) / 32 + seq::Planes::kFrontWords + seq::Planes::kBackWords;
  layout.pattern = 2 * p * rows;
  layout.text = 2 * p * plane;
  return layout;
}

StripLaunch launch_of(const Plan& plan, const Layout& layout) {
  StripLaunch launch{};
  launch.columns = plan.size.n;
  launch.text_plane = layout.plane;
  launch.stride = layout.stride;
  launch.groups = layout.groups;
  launch.lanes_0 = static_cast<std::uint32_t>(plan.size.upper);
  launch.lanes_1 = static_cast<std::uint32_t>(plan.size.lower);
  launch.directions = plan.size.lower > 0 ? 2 : 1;
  launch.round = 2 * plan.shape.slab;
  return launch;
}

std::size_t kept_pitch(const Plan& plan, const Band& band) {
  const std::int64_t columns = band.below + band.above + plan.shape.rows() + 64;
  return static_cast<std::size_t>(std::min(columns / 32 + 1, plan.size.words() + 1));
}

std::size_t kept_words(const Plan& plan, const Band& band, std::uint32_t apart) {
  return 4 * (static_cast<std::size_t>(plan.size.upper) / apart) * kept_pitch(plan, band);
}

Edge edge_of(const Plan& plan, const Band& band, std::int64_t lanes, Words last,
             const Words& scores) {
  Edge edge;
  edge.words = std::move(last);
  edge.first = band_first(lanes - 1, plan.shape.rows(), band.below);
  edge.end = band_end(lanes - 1, plan.shape.rows(), band.above, plan.size.n);
  // Down the first columns: each lane begins with dv = +1 all down, then the row below it leads to
  // where the next one begins.
  edge.start = lanes * plan.shape.rows();
  for (const std::uint32_t score : scores) edge.start += static_cast<std::int32_t>(score);
  return edge;
}

Edge empty_edge(const Size& size) {
  Edge edge;
  edge.end = size.words();
  for (std::int64_t w = 0; w < edge.end; ++w) {
    edge.words.push_back(~0u);
    edge.words.push_back(0);
  }
  return edge;
}

bool goes_on(const Plan& plan, PassPlace& place, std::int64_t cost, double cells) {
  place.cost = cost;
  place.cells += cells;
  if (!plan.banded || cost <= place.threshold || place.threshold >= plan.max_distance) return false;
  // The cost is that of a path, so no more than this can be needed.
  place.threshold = std::min(cost, plan.max_distance);
  ++place.number;
  return true;
}

Answer passes(const Plan& plan, const Problem& problem, const Pass& pass,
              const std::optional<PassPlace>& from,
              const std::function<void(const PassPlace&)>& begins) {
  const double start = now();
  PassPlace place = from.value_or(PassPlace{1, plan.threshold, 0, 0});
  Answer answer;
  for (bool again = true; again;) {
    answer.passes = static_cast<int>(place.number);
    const Band band = plan.band(place.threshold);
    const trace::Scope scope(problem.trace, trace::Work::kPass);
    const double cells = Schedule(plan.size, plan.shape, band).cells();
    double done = 0;
    if (begins) begins(place);
    const auto found = pass(band, [&](double part) {
      done = part;
      return report(problem, {0, place.cost, place.cells + part * cells, part, now() - start});
    });
    if (!found) {
      answer.cells = place.cells + done * cells;
      answer.given_up = true;
      return answer;
    }
    again = goes_on(plan, place, *found, cells);
    answer.cells = place.cells;
  }
  if (place.cost <= plan.max_distance) answer.distance = place.cost;
  return answer;
}

}  // namespace rhomb::strip
