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
#include "host/engine/fault.h"
#include "host/engine/guarded.h"
#include "host/error.h"
#include "host/wfa/both_ways.h"
#include "host/wfa/course.h"
#include "host/wfa/internal.h"
#include "host/wfa/keeper.h"
#include "host/wfa/sums.h"

namespace rhomb::wfa {
namespace {

/// The engine whose rows are in a checkpoint.
constexpr const char* kRows = "wavefront";

std::uint32_t sum_of(std::span<const std::uint32_t> row, std::uint32_t sum = 0) {
  for (const std::uint32_t value : row) sum += value;
  return sum;
}

class Meeting {
 public:
  /// `most_kept`: bytes of the rows that are kept, at most; 0: none are. `reached`: the rows that
  /// were saved last, by this run or an earlier one.
  Meeting(ocl::Device& device, const Plan& plan, const Problem& problem, std::uint64_t most_kept,
          std::optional<dist::State>& reached)
      : device_(device),
        plan_(plan),
        problem_(problem),
        m_(static_cast<std::int64_t>(problem.a.size())),
        n_(static_cast<std::int64_t>(problem.b.size())),
        course_(m_, n_, plan.max_distance, std::min(plan.batch, WFA_SUMS / 4)),
        reached_(reached),
        sums_(device.info().name),
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
    if (problem.checkpoint != nullptr) guarded_ = {Guarded(first.words), Guarded(text.words)};
    meeting_ = {0,
                0,
                first.reverse,
                text.reverse,
                static_cast<std::uint32_t>(m_),
                static_cast<std::uint32_t>(n_),
                0,
                0,
                0};
    if (most_kept == 0) {
      capacity_ = plan.first_row;
      rows_ = device.buffer<std::int32_t>(6 * static_cast<std::size_t>(capacity_));
    } else {
      keeper_.emplace(device, most_kept, diagonals_kept(plan, problem.guess.value_or(0)));
      Front first;
      kept_ = keeper_->begin(m_, n_, first);
    }
    status_ = device.buffer<std::int32_t>(WFA_STATUS_ALONE);
    transfer_ = now() - begin;
  }

  /// `prefix`: symbols that both texts begin with; what they end with is not the same.
  Answer run(std::int64_t prefix = 0) {
    Answer answer;
    answer.transfer = transfer_;
    kernels_[stage_for(plan_, 1, course_.matches())];
    const trace::Scope scope(problem_.trace, trace::Work::kCompute);
    start_ = now() - kernels_.building();  // builds of wider stages are not computing either

    // Cost 0: the prefix, and the empty suffixes, both on diagonal 0. They match no further.
    const std::array<std::int32_t, 1> origin{static_cast<std::int32_t>(prefix) - WFA_BIAS};
    const std::array<std::int32_t, 1> end{-WFA_BIAS};
    device_.write(rows(), offset(0, 0), std::span<const std::int32_t>(origin));
    device_.write(rows(), offset(0, 1), std::span<const std::int32_t>(end));

    first_sum_ = static_cast<std::uint32_t>(origin[0]) + static_cast<std::uint32_t>(end[0]);

    resume();
    go_on();
    check_texts();
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
    if (!reached_ || reached_->engine != kRows) return course_.begin({}, plan_.max_distance, 0);
    const dist::State* const state = &*reached_;
    const Front front{state->number("cost"), state->number("lo"), state->number("hi"), 0};
    if (state->number("rows") != m_ || state->number("columns") != n_ || front.cost < 0 ||
        front.lo > front.hi || front.lo < -m_ || front.hi > n_ || state->arrays.size() != 2 ||
        state->arrays[0].size() != static_cast<std::size_t>(front.size()) ||
        state->arrays[1].size() != state->arrays[0].size())
      throw InputError("checkpoint", "", 0, "has rows that the wavefronts have not");
    reserve(front.size());
    first_sum_ = 0;
    for (const std::uint32_t direction : {0u, 1u}) {
      const std::vector<std::uint32_t>& kept = state->arrays[direction];
      std::vector<std::int32_t> row;
      for (const std::uint32_t value : kept) row.push_back(static_cast<std::int32_t>(value));
      device_.write(rows_, offset(0, direction), std::span<const std::int32_t>(row));
      first_sum_ = sum_of(kept, first_sum_);
    }
    resumed_part_ = -1;  // what the first report says
    course_.begin(front, state->number("bound"), static_cast<double>(state->number("cells")));
  }

  /// Hands the rows `front` over, which launches have found not to overlap, unless one of those
  /// that are under way finds that others do: then false. Waits for all of them. Throws FaultError
  /// if what would be saved, or the texts, are not what the device was given or has computed.
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
    std::uint32_t sum = 0;
    for (const std::uint32_t direction : {0u, 1u}) {
      std::vector<std::uint32_t>& kept = state.arrays.emplace_back();
      for (const std::int32_t value : device_.read(rows_, offset(front.place, direction),
                                                   static_cast<std::size_t>(front.size())))
        kept.push_back(static_cast<std::uint32_t>(value));
      sum = sum_of(kept, sum);
    }
    const Course::Status told = sums_.check(device_.read(status_, 0, WFA_STATUS_ALONE), launched_);
    if (told[0] != WFA_OPEN) return false;
    if (sum != sums_.of(static_cast<std::size_t>(launched_)))
      throw_fault("a row of wavefronts that was read", device_.info().name);
    check_texts();
    reached_ = state;
    problem_.checkpoint->save(std::move(state));
    return true;
  }

  /// Throws FaultError if the device has other texts than it was given; in runs that are saved.
  void check_texts() {
    if (problem_.checkpoint == nullptr) return;
    for (const bool second : {false, true}) {
      const ocl::Buffer<std::uint32_t>& text = second ? b_ : a_;
      if (!guarded_[second].are_in(device_, text, 0, text.size()))
        throw_fault(second ? "the second text" : "the first text", device_.info().name);
    }
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
    const bool last_look = facing.place != from.place;
    if (number == 0) open(from, last_look ? &facing : nullptr);
    launched_ = number;
    // Who looks for an overlap of two rows has read all of one only: the other one is gone on from
    // once more, into the place that is free.
    if (last_look) enqueue(stage, facing, facing, to, from.cost - facing.cost, Sums::kFacing);
    enqueue(stage, from, facing, to, steps, number);
    return to;
  }

  void enqueue(const Stage& stage, const Front& from, const Front& facing, const Front& to,
               std::int64_t steps, int number) {
    const auto group = static_cast<std::size_t>(stage.group);
    const std::uint32_t row = keeper_ ? keeper_->row() : static_cast<std::uint32_t>(capacity_);
    const auto at = [&](const Front& one, std::uint32_t way) { return offset(one.place, way); };
    kernels_[stage](ocl::Range{groups_of(stage, to, steps) * group, 2, group, 1}, a_, b_, rows(),
                    meeting_, launch_of(from, facing, to, steps, number, row, at), status_);
  }

  /// Before the launches of a stretch, the first of which reads `from`, and `facing` too if that is
  /// another one. They are rows of the stretch before: those before and behind the overlap.
  void open(const Front& from, const Front* facing) {
    const auto known = [&](const Front& front) {
      const std::size_t met = course_.passed().size();
      return sums_.of(front.cost == course_.after().cost ? met : met - 1);
    };
    if (course_.stretch() > 0) first_sum_ = known(from);
    const auto facing_sum = facing == nullptr ? std::nullopt : std::optional(known(*facing));
    const std::vector<std::int32_t> status = sums_.open(course_.bound(), first_sum_, facing_sum);
    device_.write(status_, 0, std::span<const std::int32_t>(status));
  }

  void go_on() {
    while (!course_.done() && !given_up_) {
      const std::size_t stretch = course_.stretch();
      struct Read {
        ocl::Pending<std::int32_t> status;
        int launched;
      };
      std::vector<Read> reads;
      while (course_.stretch() == stretch && !course_.done() && !given_up_) {
        const auto stage_of = [&](const Front& from) -> const Stage& {
          return stage_for(plan_, from.size(), course_.matches());
        };
        if (course_.propose(stage_of, [&](const auto&... all) { return launch(all...); }))
          reads.push_back({device_.read_later(status_, 0, WFA_STATUS_ALONE), launched_});
        if (reads.size() < 2 && !course_.last()) continue;
        const Course::Status status =
            sums_.check(reads.front().status.wait(), reads.front().launched);
        reads.erase(reads.begin());
        course_.take(status);
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
  std::optional<dist::State>& reached_;
  Sums sums_;
  std::uint32_t first_sum_ = 0;  ///< of the row that a stretch begins with
  int launched_ = 0;             ///< number of the newest launch
  WfaMeeting meeting_ = {};
  ocl::Buffer<std::uint32_t> a_;
  ocl::Buffer<std::uint32_t> b_;
  std::array<Guarded, 2> guarded_;    ///< both, in runs that are saved
  ocl::Buffer<std::int32_t> rows_;    ///< three places, two directions each
  ocl::Buffer<std::int32_t> status_;  ///< see wfa/launch.h
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

/// A run, from the rows that were saved last on if the device has not kept others.
template <class Run>
Answer meet_in_spite_of_faults(const Problem& problem, const Run& run) {
  std::optional<dist::State> reached;
  if (problem.checkpoint != nullptr) reached = problem.checkpoint->start();
  Faults faults;
  for (;;) {
    try {
      Answer answer = run(reached);
      faults.tell(answer.certificate);
      return answer;
    } catch (const FaultError& fault) {
      faults.add(fault);
    }
  }
}

}  // namespace

Answer run_meeting(ocl::Device* device, const Plan& plan, const Problem& problem) {
  return meet_in_spite_of_faults(problem, [&](std::optional<dist::State>& reached) {
    return Meeting(*device, plan, problem, 0, reached).run();
  });
}

Met meet_keeping(ocl::Device& device, const Plan& plan, const Problem& problem, std::int64_t prefix,
                 std::uint64_t most_bytes) {
  const Plan narrow = keeping_plan(plan);
  Met met;
  met.answer = meet_in_spite_of_faults(problem, [&](std::optional<dist::State>& reached) {
    Meeting meeting(device, narrow, problem, std::max<std::uint64_t>(most_bytes, 1), reached);
    Answer answer = meeting.run(prefix);
    if (answer.distance) met.fronts.emplace(meeting.kept());
    return answer;
  });
  return met;
}

}  // namespace rhomb::wfa
