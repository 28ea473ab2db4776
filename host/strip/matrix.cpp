// SPDX-License-Identifier: Apache-2.0
#include "host/strip/matrix.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "cl/strip/band.h"
#include "host/seq/packed.h"

namespace rhomb::strip {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t kTextFront = 2;  // TEXT_FRONT of strip/pair.cl
constexpr std::size_t kTextBack = 4;

/// `text` followed by `padding` symbols of code `fill` in all planes.
seq::Planes padded(std::string_view text, const std::array<std::uint8_t, 256>& code, int planes,
                   int fill, std::int64_t padding) {
  seq::Planes packed = seq::pack_planes(text, code, planes, fill);
  packed.length += padding;
  const auto positions = seq::Planes::kFrontWords +
                         static_cast<std::size_t>((packed.length + 31) / 32) +
                         seq::Planes::kBackWords;
  packed.words.resize(positions * static_cast<std::size_t>(planes), fill ? ~0u : 0u);
  return packed;
}

std::uint32_t turned(std::uint32_t x) {
  x = (x >> 16) | (x << 16);
  x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  return ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
}

/// Appends the planes one after another, the first symbol of a word at its top.
void append_apart(Words& out, const Words& interleaved, std::size_t planes, std::size_t words) {
  const std::size_t per_plane = kTextFront + words + kTextBack;
  const std::size_t shift = seq::Planes::kFrontWords - kTextFront;
  for (std::size_t p = 0; p < planes; ++p)
    for (std::size_t w = 0; w < per_plane; ++w)
      out.push_back(turned(interleaved[(w + shift) * planes + p]));
}

}  // namespace

Matrix::Matrix(ocl::Device& device, const Plan& plan, const Problem& problem)
    : device_(device),
      plan_(plan),
      kernel_(device.kernel(plan.file, "strip_pair", plan.defines())) {
  const double begin = now();
  const auto planes = static_cast<std::size_t>(plan.planes);
  const int fill = plan.sets ? 1 : 0;  // matches itself
  const auto& [a, b, code_a, code_b] =
      plan.swapped ? std::tie(problem.b, problem.a, problem.code->b, problem.code->a)
                   : std::tie(problem.a, problem.b, problem.code->a, problem.code->b);
  {
    seq::Planes rows = padded(a, code_a, plan.planes, fill, plan.size.padding);
    const Words reversed = seq::reversed_words(rows);
    pattern_turn_ = static_cast<std::uint32_t>(rows.words.size());
    rows.words.insert(rows.words.end(), reversed.begin(), reversed.end());
    pattern_ = device.upload(std::span<const std::uint32_t>(rows.words));
  }
  {
    const seq::Planes columns = padded(b, code_b, plan.planes, fill, plan.size.padding);
    const auto words = static_cast<std::size_t>(plan.size.words());
    text_plane_ = static_cast<std::uint32_t>(kTextFront + words + kTextBack);
    Words both;
    both.reserve(2 * planes * text_plane_);
    append_apart(both, columns.words, planes, words);
    append_apart(both, seq::reversed_words(columns), planes, words);
    text_ = device.upload(std::span<const std::uint32_t>(both));
  }
  const auto group_lanes = static_cast<std::size_t>(plan.shape.group_lanes());
  const auto groups = (static_cast<std::size_t>(plan.size.upper) + group_lanes - 1) / group_lanes;
  const auto values = static_cast<std::size_t>(2 * plan.shape.k + 5 + plan.shape.k * plan.planes);
  stride_ = static_cast<std::uint32_t>(groups * group_lanes);
  state_ = device.buffer<std::uint32_t>(2 * values * stride_);
  ring_ = device.buffer<std::uint32_t>(8 * groups * static_cast<std::size_t>(plan.shape.slab));
  last_ = device.buffer<std::uint32_t>(4 * std::size_t{text_plane_});
  transfer_ = now() - begin;
}

std::int64_t Matrix::pass(const Band& band, const std::function<void(double)>& report) {
  Schedule schedule(plan_.size, plan_.shape, band);
  enqueue(schedule, band, report);
  cells_ += schedule.cells();
  return join(band);
}

void Matrix::enqueue(Schedule& schedule, const Band& band,
                     const std::function<void(double)>& report) {
  const Shape& shape = plan_.shape;
  const auto group = static_cast<std::size_t>(shape.group);
  std::optional<ocl::Pending<std::uint32_t>> before;
  for (std::int64_t launch = 0; launch < schedule.launches(); ++launch) {
    const Schedule::Active active = schedule.active(launch);
    if (active.count == 0) continue;
    const ocl::Range range{static_cast<std::size_t>(active.count) * group,
                           plan_.size.lower > 0 ? 2u : 1u, group, 1};
    const auto run = [&](const auto&... local) {
      kernel_(range, pattern_, pattern_turn_, text_, text_plane_, state_, stride_, ring_,
              static_cast<std::uint32_t>(schedule.groups()), last_,
              static_cast<std::uint32_t>(plan_.size.upper),
              static_cast<std::uint32_t>(plan_.size.lower), band.below, band.above, plan_.size.n,
              static_cast<std::int32_t>(launch * shape.slab), shape.slab,
              static_cast<std::int32_t>(shape.delay()), static_cast<std::uint32_t>(active.first),
              static_cast<std::uint32_t>(launch & 1), local...);
    };
    if (shape.lanes == 1)
      run(ocl::Local{8 * static_cast<std::size_t>(shape.slab)});
    else
      run();
    if ((launch + 1) % plan_.batch == 0) {
      // Wait for the batch before this one, so that the device always has one to do.
      auto mark = device_.read_later(state_, 0, 1);
      if (before) {
        before->wait();
        if (report)
          report(static_cast<double>(launch + 1 - plan_.batch) /
                 static_cast<double>(schedule.launches()));
      }
      before = std::move(mark);
    }
  }
}

std::int64_t Matrix::join(const Band& band) {
  const Size& size = plan_.size;
  const std::int64_t rows = plan_.shape.rows();
  const std::size_t values =
      static_cast<std::size_t>(2 * plan_.shape.k + 5 + plan_.shape.k * plan_.planes);
  const auto edge_of = [&](std::size_t turn, std::int64_t lanes) {
    Edge edge;
    edge.words = device_.read(last_, turn * 2 * text_plane_, 2 * std::size_t{text_plane_});
    edge.first = band_first(lanes - 1, rows, band.below);
    edge.end = band_end(lanes - 1, rows, band.above, size.n);
    // Down the first columns: each lane begins with dv = +1 all down, then the row below it leads
    // to where the next one begins.
    const auto scores = device_.read(state_, (turn * values + 2 * static_cast<std::size_t>(
                                                 plan_.shape.k) + 4) * stride_,
                                     static_cast<std::size_t>(lanes - 1));
    edge.start = lanes * rows;
    for (const std::uint32_t score : scores) edge.start += static_cast<std::int32_t>(score);
    return edge;
  };
  const Edge upper = edge_of(0, size.upper);
  if (size.lower > 0) return least_sum(upper, edge_of(1, size.lower), size.n);
  // No lower half: from any place of the last row the rest of the text is inserted.
  Edge rest;
  rest.end = size.words();
  for (std::int64_t w = 0; w < rest.end; ++w) {
    rest.words.push_back(~0u);
    rest.words.push_back(0);
  }
  return least_sum(upper, rest, size.n);
}

}  // namespace rhomb::strip
