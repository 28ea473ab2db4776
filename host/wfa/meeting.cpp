// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/meeting.h"

#include <algorithm>
#include <array>
#include <future>
#include <optional>

#include "cl/wfa/front.h"
#include "cl/wfa/launch.h"
#include "host/batch/threads.h"
#include "host/dist/checkpoint.h"
#include "host/error.h"
#include "host/wfa/both_ways.h"
#include "host/wfa/course.h"
#include "host/wfa/internal.h"
#include "host/wfa/keeper.h"

namespace rhomb::wfa {
namespace {

/// The engine whose rows are in a checkpoint.
constexpr const char* kRows = "wavefront";

class Meeting {
 public:
  /// `most_kept`: bytes of the rows that are kept, at most; 0: none are.
  Meeting(ocl::Device& device, const Plan& plan, const Problem& problem, std::uint64_t most_kept)
      : device_(device),
        plan_(plan),
        problem_(problem),
        m_(static_cast<std::int64_t>(problem.a.size())),
        n_(static_cast<std::int64_t>(problem.b.size())),
        course_(m_, n_, plan.max_distance, plan.batch),
        kernels_(device, plan) {
    const double begin = now();
    trace::Scope packing(problem.trace, trace::Work::kPack);
    const std::size_t half = batch::half_of(problem.threads);
    auto pattern = std::async(batch::beside(problem.threads), [&] {
      const trace::Scope scope(problem.trace, trace::Work::kPack);
      return pack_pattern(problem.a, *problem.code, plan, half);
    });
    const BothWays text = pack_text(problem.b, *problem.code, plan, half);
    const BothWays first = pattern.get();
    packing.end();
    a_ = device.upload(std::span<const std::uint32_t>(first.words));
    b_ = device.upload(std::span<const std::uint32_t>(text.words));
    meeting_ = {0,
                0,
                first.reverse,
                text.reverse,
                static_cast<std::uint32_t>(m_),
                static_cast<std::uint32_t>(n_)};
    if (most_kept == 0) {
      capacity_ = plan.first_row;
      rows_ = device.buffer<std::int32_t>(6 * static_cast<std::size_t>(capacity_));
    } else {
      keeper_.emplace(device, most_kept);
      Front first;
      kept_ = keeper_->begin(m_, n_, first);
    }
    status_ = device.buffer<std::int32_t>(2);
    transfer_ = now() - begin;
  }

  /// `prefix`: symbols that both texts begin with; what they end with is not the same.
  Answer run(std::int64_t prefix = 0) {
    Answer answer;
    answer.transfer = transfer_;
    kernels_[stage_for(plan_, 1, false)];
    const trace::Scope scope(problem_.trace, trace::Work::kCompute);
    start_ = now() - kernels_.building();  // builds of wider stages are not computing either

    // Cost 0: the prefix, and the empty suffixes, both on diagonal 0. They match no further.
    const std::array<std::int32_t, 1> origin{static_cast<std::int32_t>(prefix) - WFA_BIAS};
    const std::array<std::int32_t, 1> end{-WFA_BIAS};
    device_.write(rows(), offset(0, 0), std::span<const std::int32_t>(origin));
    device_.write(rows(), offset(0, 1), std::span<const std::int32_t>(end));

    resume();
    go_on();
    if (problem_.checkpoint != nullptr) problem_.checkpoint->settle();
    if (course_.distance()) keep(course_.after());
    answer.given_up = given_up_;
    answer.distance = course_.distance();
    answer.cells = course_.cells();
    answer.compute = seconds();
    answer.build = kernels_.building();
    return answer;
  }

  /// The rows that were kept, once run() has found a distance.
  Fronts kept() { return Fronts(device_, std::move(kept_)); }

 private:
  void keep(const Front& front) {
    if (keeper_) keeper_->keep(front, kept_);
  }

  void reserve(std::int64_t size) {
    if (size <= capacity_) return;
    const std::int64_t wider = std::max(size, 2 * capacity_);
    if (wider > std::int64_t{0xffffffff} / 6)
      throw MemoryError("a wavefront of " + std::to_string(size) +
                        " diagonals is more than the kernels can number");
    auto rows = device_.buffer<std::int32_t>(6 * static_cast<std::size_t>(wider));
    for (std::size_t r = 0; r < 6; ++r)
      device_.copy(rows_, r * static_cast<std::size_t>(capacity_), rows,
                   r * static_cast<std::size_t>(wider), static_cast<std::size_t>(capacity_));
    rows_ = std::move(rows);
    capacity_ = wider;
  }

  /// The rows that an earlier run had reached, if one had; they are written to the first place.
  void resume() {
    const dist::Checkpoint* const kept = problem_.checkpoint;
    if (kept == nullptr || !kept->start() || kept->start()->engine != kRows)
      return course_.begin({}, plan_.max_distance, 0);
    const dist::State* const state = &*kept->start();
    const Front front{state->number("cost"), state->number("lo"), state->number("hi"), 0};
    if (state->number("rows") != m_ || state->number("columns") != n_ || front.cost < 0 ||
        front.lo > front.hi || front.lo < -m_ || front.hi > n_ || state->arrays.size() != 2 ||
        state->arrays[0].size() != static_cast<std::size_t>(front.size()) ||
        state->arrays[1].size() != state->arrays[0].size())
      throw InputError("checkpoint", "", 0, "has rows that the wavefronts have not");
    reserve(front.size());
    for (const std::uint32_t direction : {0u, 1u}) {
      const std::vector<std::uint32_t>& kept = state->arrays[direction];
      std::vector<std::int32_t> row;
      for (const std::uint32_t value : kept) row.push_back(static_cast<std::int32_t>(value));
      device_.write(rows_, offset(0, direction), std::span<const std::int32_t>(row));
    }
    resumed_part_ = -1;  // what the first report says
    course_.begin(front, state->number("bound"), static_cast<double>(state->number("cells")));
  }

  /// Hands the rows `front` over, which launches have found not to overlap, unless one of those
  /// that are under way finds that others do: then false. Waits for all of them.
  bool save(const Front& front) {
    dist::State state;
    state.engine = kRows;
    state.numbers = {{"rows", m_},
                     {"columns", n_},
                     {"cost", front.cost},
                     {"lo", front.lo},
                     {"hi", front.hi},
                     {"bound", course_.bound()},
                     {"cells", static_cast<std::int64_t>(course_.cells())}};
    for (const std::uint32_t direction : {0u, 1u}) {
      std::vector<std::uint32_t>& kept = state.arrays.emplace_back();
      for (const std::int32_t value : device_.read(rows_, offset(front.place, direction),
                                                   static_cast<std::size_t>(front.size())))
        kept.push_back(static_cast<std::uint32_t>(value));
    }
    const bool open = device_.read(status_, 0, 1)[0] == WFA_OPEN;
    if (open) problem_.checkpoint->save(std::move(state));
    return open;
  }

  ocl::Buffer<std::int32_t>& rows() { return keeper_ ? keeper_->buffer() : rows_; }

  std::uint32_t offset(std::uint32_t place, std::uint32_t direction) const {
    if (keeper_) return keeper_->offset(place, direction);
    return static_cast<std::uint32_t>((2 * place + direction) * capacity_);
  }

  Front launch(const Stage& stage, const Front& from, const Front& facing, Front to,
               std::int64_t steps, int number) {
    if (keeper_) {
      keeper_->expect(course_.diagonals_left(stage.steps));
      keeper_->place(to, from, facing);
    } else {
      reserve(to.size());
    }
    const auto group = static_cast<std::size_t>(stage.group);
    const std::uint32_t row = keeper_ ? keeper_->row() : static_cast<std::uint32_t>(capacity_);
    const auto at = [&](const Front& one, std::uint32_t way) { return offset(one.place, way); };
    kernels_[stage](ocl::Range{groups_of(stage, to, steps) * group, 2, group, 1}, a_, b_, rows(),
                    meeting_, launch_of(from, facing, to, steps, number, row, at), status_);
    return to;
  }

  void open_status() {
    const Course::Status open{
        WFA_OPEN, static_cast<std::int32_t>(std::min<std::int64_t>(course_.bound(), WFA_OPEN))};
    device_.write(status_, 0, std::span<const std::int32_t>(open));
  }

  void go_on() {
    while (!course_.done() && !given_up_) {
      const std::size_t stretch = course_.stretch();
      open_status();
      std::vector<ocl::Pending<std::int32_t>> reads;
      while (course_.stretch() == stretch && !course_.done() && !given_up_) {
        const auto stage_of = [&](const Front& from) -> const Stage& {
          return stage_for(plan_, from.size(), course_.dense());
        };
        if (course_.propose(stage_of, [&](const auto&... all) { return launch(all...); }))
          reads.push_back(device_.read_later(status_, 0, 2));
        if (reads.size() < 2 && !course_.last()) continue;
        const std::vector<std::int32_t> status = reads.front().wait();
        reads.erase(reads.begin());
        course_.take({status[0], status[1]});
        // Once rows have met the answer is a few launches away: that is not given up any more.
        if (stretch > 0 || course_.stretch() > 0 || course_.done()) continue;
        given_up_ = report(course_.known(), status[1]);
        // The last launch has read the row before the one that it wrote, and found no overlap, if
        // it does not say so; both are still there.
        dist::Checkpoint* const saved = problem_.checkpoint;
        if (saved != nullptr && (saved->due() || given_up_))
          given_up_ &= save(course_.newest_read());
      }
      if (!keeper_ || course_.stretch() == stretch) continue;
      // What the stretch has passed; what was launched later is not written.
      for (const Front& front : course_.passed()) keep(front);
      keeper_->end_behind(course_.after());
    }
  }

  /// Says how far the run is; true if it is to give up.
  bool report(const Front& front, std::int64_t bound) {
    if (!problem_.progress && !problem_.give_up) return false;
    Progress progress;
    progress.cost = 2 * front.cost;
    // Launches that turn out to have come after the meeting are taken back, but not here.
    progress.cells = reported_ = std::max(reported_, course_.cells());
    // Where the rows are apart by `gap` symbols, as much cost again for each symbol.
    const std::int64_t gap = bound - progress.cost;
    if (gap > 0 && gap < n_) {
      const double done = 1 - static_cast<double>(gap) / static_cast<double>(std::max(m_, n_));
      const double cost = static_cast<double>(progress.cost) / std::max(done, 1e-9);
      progress.expected = std::min(static_cast<std::int64_t>(cost), bound);
      const double part = static_cast<double>(progress.cost) / std::max(cost, 1.0);
      progress.part = std::min(1.0, part * part);
    }
    // Some drivers compile once more at the first launch, so time counts from the first report on.
    if (!reporting_from_) reporting_from_ = seconds();
    progress.seconds = seconds() - *reporting_from_;
    if (problem_.checkpoint != nullptr) progress.saved = problem_.checkpoint->age();
    if (resumed_part_ < 0) resumed_part_ = progress.part;
    progress.resumed = resumed_part_;
    return rhomb::report(problem_, progress);
  }

  /// Of computing so far.
  double seconds() const { return now() - start_ - kernels_.building(); }

  ocl::Device& device_;
  const Plan& plan_;
  const Problem& problem_;
  std::int64_t m_;
  std::int64_t n_;
  Course course_;
  WfaMeeting meeting_ = {};
  ocl::Buffer<std::uint32_t> a_;
  ocl::Buffer<std::uint32_t> b_;
  ocl::Buffer<std::int32_t> rows_;    ///< three places, two directions each
  ocl::Buffer<std::int32_t> status_;  ///< see wfa/fused.cl
  std::int64_t capacity_ = 0;         ///< diagonals that a row has room for
  std::optional<Keeper> keeper_;      ///< of rows that stay, instead
  Kept kept_;
  StageKernels kernels_;
  bool given_up_ = false;
  double reported_ = 0;
  double resumed_part_ = 0;
  double start_ = 0;
  std::optional<double> reporting_from_;
  double transfer_ = 0;
};

}  // namespace

Answer run_meeting(ocl::Device* device, const Plan& plan, const Problem& problem) {
  return Meeting(*device, plan, problem, 0).run();
}

Met meet_keeping(ocl::Device& device, const Plan& plan, const Problem& problem, std::int64_t prefix,
                 std::uint64_t most_bytes) {
  const Plan narrow = keeping_plan(plan);
  Meeting meeting(device, narrow, problem, std::max<std::uint64_t>(most_bytes, 1));
  Met met{meeting.run(prefix), std::nullopt};
  if (met.answer.distance) met.fronts.emplace(meeting.kept());
  return met;
}

}  // namespace rhomb::wfa
