// SPDX-License-Identifier: Apache-2.0
#include "host/strip/blocks.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "cl/strip/band.h"
#include "cl/strip/launch.h"
#include "host/engine/guarded.h"
#include "host/error.h"
#include "host/seq/packed.h"
#include "host/strip/border.h"
#include "host/strip/closure.h"
#include "host/strip/internal.h"
#include "host/strip/team.h"

namespace rhomb::strip {
namespace {

/// Planes of both texts, interleaved, for both directions.
struct Sides {
  std::array<UnsetVector<std::uint32_t>, 2> rows, columns;
};

Sides pack_sides(const Plan& plan, const Problem& problem, bool swapped, const Frame& frame) {
  const int fill = plan.sets ? 1 : 0;  // matches itself
  const auto& [a, b, code_a, code_b] =
      swapped ? std::tie(problem.b, problem.a, problem.code->b, problem.code->a)
              : std::tie(problem.a, problem.b, problem.code->a, problem.code->b);
  Sides sides;
  seq::Planes rows = seq::pack_planes(a, code_a, plan.planes, fill, problem.threads, frame.padding);
  sides.rows[1] = seq::reversed_words(rows, problem.threads);
  sides.rows[0] = std::move(rows.words);
  seq::Planes columns =
      seq::pack_planes(b, code_b, plan.planes, fill, problem.threads, frame.padding);
  sides.columns[1] = seq::reversed_words(columns, problem.threads);
  sides.columns[0] = std::move(columns.words);
  return sides;
}

/// A block of rows of a direction.
struct RowBlock {
  int direction = 0;
  std::int64_t begin = 0, end = 0;
  std::shared_ptr<Border> above, below;
};

/// One device, and the text of the direction that it is at.
class BlockRunner {
 public:
  BlockRunner(const BlockDevice& on, const Frame& frame, const Sides& sides, const Band& band)
      : device_(*on.device),
        plan_(on.plan),
        frame_(frame),
        sides_(sides),
        band_(band),
        kernel_(device_.kernel(plan_.program.file, plan_.program.kernel, plan_.program.defines)) {}

  /// `tell(part)`, now and then; true: the run is given up.
  void run(const RowBlock& block, const std::function<bool(double)>& tell);

 private:
  using U32 = ocl::Buffer<std::uint32_t>;

  void prepare(int direction);
  /// Throws FaultError if what a block has left cannot be right.
  void check(const RowBlock& block, const ClosureLanes& lanes, const Words& state,
             const Words& pattern, const U32& pattern_buffer);
  std::int64_t words() const { return (frame_.n + 31) / 32; }

  ocl::Device& device_;
  const Plan& plan_;
  const Frame& frame_;
  const Sides& sides_;
  Band band_;
  ocl::Kernel kernel_;
  std::array<U32, 2> text_;  // of both directions, once they are needed
  std::array<Guarded, 2> guarded_;
};

void BlockRunner::prepare(int direction) {
  U32& text = text_[static_cast<std::size_t>(direction)];
  if (text.size() > 0) return;
  const auto spare = static_cast<std::size_t>(STRIP_TEXT_SPARE(plan_.shape.group_lanes()));
  UnsetVector<std::uint32_t> apart;
  append_apart(apart, sides_.columns[static_cast<std::size_t>(direction)],
               static_cast<std::size_t>(plan_.planes), static_cast<std::size_t>(words()), spare,
               /*threads=*/1);
  text = device_.upload<std::uint32_t>(apart);
  guarded_[static_cast<std::size_t>(direction)] = Guarded(apart);
}

void BlockRunner::check(const RowBlock& block, const ClosureLanes& lanes, const Words& state,
                        const Words& pattern, const U32& pattern_buffer) {
  const auto fail = [&](const std::string& what) {
    throw_fault(what + " of the rows " + std::to_string(block.begin) + " to " +
                    std::to_string(block.end) + " of direction " + std::to_string(block.direction),
                device_.info().name);
  };
  const std::int64_t begin = lanes.first_word(lanes.first), above = lanes.end_word(lanes.first - 1);
  const std::int64_t taken = block.above->sum(begin, above);
  const std::int64_t left = block.below->sum(block.below->first(), block.below->end());
  if (closure_gap(lanes, state, taken, left) != 0) fail("the state");
  if (symbols_gap(lanes, state, pattern) != 0 ||
      device_.read(pattern_buffer, 0, pattern.size()) != pattern)
    fail("the text");
  const auto d = static_cast<std::size_t>(block.direction);
  const auto planes = static_cast<std::size_t>(lanes.planes), plane = text_[d].size() / planes;
  const std::size_t spare = (plane - static_cast<std::size_t>(words())) / 2;
  const auto from = static_cast<std::size_t>(begin);
  const std::size_t to =
      std::min(plane, static_cast<std::size_t>(lanes.last_word(lanes.end - 1)) + 2 * spare);
  for (std::size_t p = 0; p < planes; ++p)
    if (!guarded_[d].are_in(device_, text_[d], p * plane + from, p * plane + to))
      fail("the text of the columns");
}

// The rows are those of groups 1, 2, ...; group 0 does not run: what it would have put out, the
// host writes into the ring before each launch.
void BlockRunner::run(const RowBlock& block, const std::function<bool(double)>& tell) {
  prepare(block.direction);
  const Shape& shape = plan_.shape;
  const std::int64_t group_lanes = shape.group_lanes(), rows = shape.rows();
  const std::int64_t lanes = group_lanes + (block.end - block.begin) / rows;
  const std::int64_t groups = (lanes + group_lanes - 1) / group_lanes;
  const std::int64_t shift = block.begin - group_lanes * rows;
  const Band band{band_.below - shift, band_.above + shift};
  const auto starts = [&](std::int64_t group) {
    return band_first(group * group_lanes, rows, band.below) + group * shape.delay();
  };
  const auto ends = [&](std::int64_t group) {
    const std::int64_t last = std::min((group + 1) * group_lanes, lanes) - 1;
    return band_end(last, rows, band.above, frame_.n) + 2 * (group_lanes - 1) + 1 +
           group * shape.delay();
  };

  const auto planes = static_cast<std::size_t>(plan_.planes);
  const UnsetVector<std::uint32_t>& all_rows =
      sides_.rows[static_cast<std::size_t>(block.direction)];
  Words pattern((seq::Planes::kFrontWords + static_cast<std::size_t>(group_lanes * rows / 32)) *
                planes);
  const auto row_words = [&](std::int64_t row) {
    return static_cast<std::ptrdiff_t>(
        (seq::Planes::kFrontWords + static_cast<std::size_t>(row / 32)) * planes);
  };
  pattern.insert(pattern.end(), all_rows.begin() + row_words(block.begin),
                 all_rows.begin() + row_words(block.end));
  pattern.resize(pattern.size() + seq::Planes::kBackWords * planes);

  const auto k = static_cast<std::size_t>(shape.k);
  const auto stride = static_cast<std::size_t>(groups * group_lanes);
  const auto slab = static_cast<std::size_t>(shape.slab);
  const auto plane = static_cast<std::size_t>(words() + 2 * STRIP_TEXT_SPARE(shape.group_lanes()));
  const U32 pattern_buffer = device_.upload<std::uint32_t>(pattern);
  U32 state = device_.buffer<std::uint32_t>(STRIP_VALUES(k, planes) * stride);
  U32 ring = device_.buffer<std::uint32_t>(8 * static_cast<std::size_t>(groups) * slab + 2);
  U32 last = device_.buffer<std::uint32_t>(2 * plane);

  StripLaunch told{};
  told.below = band.below;
  told.above = band.above;
  told.columns = frame_.n;
  told.text_plane = static_cast<std::uint32_t>(plane);
  told.stride = static_cast<std::uint32_t>(stride);
  told.groups = static_cast<std::uint32_t>(groups);
  told.lanes_0 = static_cast<std::uint32_t>(lanes);
  told.directions = 1;
  told.slab = shape.slab;
  told.delay = static_cast<std::int32_t>(shape.delay());
  const auto group = static_cast<std::size_t>(shape.group);
  const std::size_t local = sizeof(std::uint32_t) * (shape.lanes == 1 ? 2 * slab : 1);

  // What was launched and is not yet waited for: words on their way in and out.
  struct Flight {
    std::deque<Words> fed;
    std::optional<ocl::Pending<std::uint32_t>> out;
    std::optional<ocl::Fence> fence;
  };
  Flight flying, before;
  std::uint64_t sequence = 0;
  std::int64_t known = block.below->first();  // words before were asked for
  const auto land = [&](Flight& flight) {
    if (flight.fence) flight.fence->wait();
    if (flight.out) block.below->put({sequence++, flight.out->wait()});
    flight = {};
  };
  const std::int64_t bottom_group = (lanes - 1) / group_lanes;
  const std::int64_t bottom_place = (lanes - 1) % group_lanes;
  const std::int64_t launches = (ends(groups - 1) + shape.slab - 1) / shape.slab;
  std::int64_t first = 1, stop = 1;
  int in_batch = 0;
  try {
    for (std::int64_t number = starts(1) / shape.slab; number < launches; ++number) {
      const std::int64_t time = number * shape.slab;
      while (first < groups && ends(first) <= time) ++first;
      while (stop < groups && starts(stop) < time + shape.slab) ++stop;
      if (first == 1 && stop > 1) {
        const std::int64_t begin = time - shape.delay();
        Words& fed = flying.fed.emplace_back(2 * slab);
        block.above->take(begin, begin + shape.slab, fed);
        const std::size_t side = static_cast<std::size_t>(groups) * slab * 4;
        device_.write_later<std::uint32_t>(ring, number % 2 == 0 ? side : 0, fed);
      }
      if (stop > first) {
        told.time = static_cast<std::int32_t>(time);
        told.first_group = static_cast<std::uint32_t>(first);
        kernel_({static_cast<std::size_t>(stop - first) * group, 1, group, 1}, pattern_buffer,
                text_[static_cast<std::size_t>(block.direction)], state, ring, last,
                ocl::Local{local}, told);
      }
      if (++in_batch < plan_.batch && number + 1 < launches) continue;
      in_batch = 0;
      const std::int64_t made =
          std::clamp(time + shape.slab - bottom_group * shape.delay() - 2 * bottom_place - 1, known,
                     block.below->end());
      if (made > known)
        flying.out = device_.read_later(last, 2 * static_cast<std::size_t>(known),
                                        2 * static_cast<std::size_t>(made - known));
      known = std::max(known, made);
      flying.fence = device_.fence();
      land(before);
      before = std::exchange(flying, {});
      if (tell(static_cast<double>(number + 1) / static_cast<double>(launches))) throw GivenUp{};
    }
    land(before);
  } catch (...) {
    device_.fence().wait();  // what is on its way uses memory of this function
    throw;
  }
  if (known != block.below->end())
    throw CheckError("a block of rows ended before its border did; please report this");

  const Words left = device_.read(state, 0, state.size());
  check(block, {shape, band, frame_.n, group_lanes, lanes, groups * group_lanes, plan_.planes},
        left, pattern, pattern_buffer);
  std::int64_t start = block.end - block.begin;
  for (std::int64_t lane = group_lanes; lane + 1 < lanes; ++lane)
    start +=
        static_cast<std::int32_t>(left[STRIP_SCORE(k) * stride + static_cast<std::size_t>(lane)]);
  start += block.above->start_at(band_first(group_lanes, rows, band.below));
  block.below->complete(start);
}

/// Blocks from `begin` to `end`, as large as the devices that have them in turns want.
std::vector<std::pair<std::int64_t, std::int64_t>> cut_rows(std::int64_t begin, std::int64_t end,
                                                            std::span<const BlockShare> shares) {
  std::vector<std::pair<std::int64_t, std::int64_t>> cuts;
  for (std::size_t i = 0; begin < end; ++i) {
    const std::int64_t rows = shares[i % shares.size()].block_rows;
    const std::int64_t to = std::min(end, begin + std::max(kBlockRows, rows));
    cuts.emplace_back(begin, to);
    begin = to;
  }
  return cuts;
}

}  // namespace

Frame Frame::of(std::int64_t m, std::int64_t n, double forward) {
  const std::int64_t units = (m + kBlockRows - 1) / kBlockRows;
  Frame frame;
  frame.m = units * kBlockRows;
  frame.padding = frame.m - m;
  frame.n = n + frame.padding;
  const auto upper = static_cast<std::int64_t>(static_cast<double>(units) * forward + 0.5);
  frame.rows[0] = kBlockRows * std::clamp<std::int64_t>(upper, 1, units);
  frame.rows[1] = frame.m - frame.rows[0];
  return frame;
}

std::array<Reached, 2> at_the_top(const Frame& frame) {
  std::array<Reached, 2> top;
  for (Reached& one : top) {
    one.edge.end = (frame.n + 31) / 32;
    for (std::int64_t w = 0; w < one.edge.end; ++w) {
      one.edge.words.push_back(~0u);  // each column costs one more
      one.edge.words.push_back(0);
    }
  }
  return top;
}

std::optional<std::int64_t> pass_in_blocks(std::span<const BlockDevice> devices,
                                           const Problem& problem, bool swapped, const Frame& frame,
                                           const Band& band, const std::array<Reached, 2>& from,
                                           const BlocksOptions& options, const Report& report) {
  const Sides sides = pack_sides(devices[0].plan, problem, swapped, frame);
  const std::int64_t row_words = (frame.n + 31) / 32;
  Team* const team = options.team;
  const int self = team != nullptr ? team->self() : 0;
  // A border as this process sees it; null for one that is between others.
  const auto border = [&](BorderName name, int writer, int reader, std::int64_t first,
                          std::int64_t end) -> std::shared_ptr<Border> {
    if (writer != self) return reader == self ? team->incoming(name, first, end) : nullptr;
    return reader == self ? std::make_shared<Border>(first, end)
                          : team->outgoing(name, first, end, reader);
  };

  // The first devices go forward, the others backward; a single one does both.
  const std::span<const BlockShare> shares = options.shares;
  const bool alone = shares.size() == 1;
  const std::size_t forward = alone ? 1 : (shares.size() + 1) / 2;
  std::vector<std::size_t> own;  // of all devices, those of this process
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i].process == self) own.push_back(i);
  std::vector<std::vector<RowBlock>> tasks(shares.size());
  std::array<std::shared_ptr<Border>, 2> bottoms;
  double done = static_cast<double>(from[0].row + from[1].row), all = done;  // rows
  for (const int direction : {0, 1}) {
    const auto d = static_cast<std::size_t>(direction);
    const std::size_t base = alone || direction == 0 ? 0 : forward;
    const auto mine = shares.subspan(base, alone            ? 1
                                           : direction == 0 ? forward
                                                            : shares.size() - forward);
    const auto cuts = cut_rows(from[d].row, frame.rows[d], mine);
    // Process 0 knows what is above the first block, and wants what is below the last one.
    const auto process = [&](std::size_t number) {
      return number < cuts.size() ? mine[number % mine.size()].process : 0;
    };
    const Edge& edge = from[d].edge;
    std::shared_ptr<Border> above;
    if (self == 0 && process(0) == 0) {
      above = std::make_shared<Border>(edge);
    } else {
      above = border({options.pass, direction, 0}, 0, process(0), edge.first, edge.end);
      if (self == 0) {
        above->put(
            {0, Words(edge.words.begin() + 2 * edge.first, edge.words.begin() + 2 * edge.end)});
        above->complete(edge.start);
      }
    }
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      const auto& [begin, end] = cuts[i];
      // The last lane's words; lanes of each device end at the block's end.
      const std::int64_t lane_rows = mine[i % mine.size()].lane_rows;
      const auto below =
          border({options.pass, direction, static_cast<std::int32_t>(i + 1)}, process(i),
                 process(i + 1), band_first(0, 1, band.below - (end - lane_rows)),
                 band_end(0, lane_rows, band.above + end - lane_rows, frame.n));
      tasks[base + i % mine.size()].push_back({direction, begin, end, above, below});
      all += static_cast<double>(end - begin);
      above = below;
    }
    bottoms[d] = above;
  }
  if (alone)  // in turns
    std::ranges::stable_sort(tasks[0], {}, &RowBlock::begin);

  std::mutex mutex;  // of all that follows, and `done`
  bool given_up = false;
  std::exception_ptr failed;
  const auto told = [&] {  // with the mutex
    const double others = team != nullptr ? team->done_elsewhere() : 0;
    given_up = given_up || report(done / all + others);
    return given_up || failed != nullptr;
  };
  const auto end_all = [&] {
    if (team != nullptr) team->give_up();
  };
  const auto work = [&](std::size_t number) {
    const std::size_t device = own[number];
    std::size_t next = 0;
    try {
      BlockRunner runner(devices[number], frame, sides, band);
      for (; next < tasks[device].size(); ++next) {
        RowBlock& block = tasks[device][next];
        const auto size = static_cast<double>(block.end - block.begin);
        double part_told = 0;
        runner.run(block, [&](double part) {
          const std::lock_guard lock(mutex);
          done += size * (part - part_told);
          part_told = part;
          return told();
        });
        if (options.reached) {
          Reached reached{block.end, block.below->edge(row_words)};
          const std::lock_guard lock(mutex);
          options.reached(block.direction, std::move(reached));
        }
        // Who computes the rows below has what is still needed.
        block.above.reset();
        block.below.reset();
      }
    } catch (...) {
      const std::exception_ptr why = std::current_exception();
      {
        const std::lock_guard lock(mutex);
        try {
          throw;
        } catch (const GivenUp&) {
        } catch (...) {
          if (!failed) failed = why;
        }
      }
      for (; next < tasks[device].size(); ++next) tasks[device][next].below->fail(why);
      end_all();
    }
  };
  {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 1; i < devices.size(); ++i) threads.emplace_back(work, i);
      work(0);
    } catch (...) {
      // A thread could not be started, and the others would wait for what it was to do.
      const std::exception_ptr why = std::current_exception();
      {
        const std::lock_guard lock(mutex);
        failed = why;
      }
      for (std::size_t i = 0; i < devices.size(); ++i)
        if (i == 0 || i > threads.size())
          for (const RowBlock& block : tasks[own[i]]) block.below->fail(why);
      end_all();
    }
  }
  if (team != nullptr && self == 0) {
    for (const auto& bottom : bottoms)
      while (!failed && !given_up && !bottom->ready())
        if (told()) end_all();
    team->wait_for_others();
  }
  if (failed) std::rethrow_exception(failed);
  if (given_up || self != 0) return std::nullopt;
  Edge lower;
  if (frame.rows[1] > 0) {
    lower = bottoms[1]->edge(row_words);
  } else {
    Size size;
    size.n = frame.n;
    lower = empty_edge(size);
  }
  return least_sum(bottoms[0]->edge(row_words), lower, frame.n);
}

}  // namespace rhomb::strip
