// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/meetings.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cl/wfa/front.h"
#include "cl/wfa/launch.h"
#include "host/batch/threads.h"
#include "host/error.h"
#include "host/seq/packed.h"
#include "host/wfa/both_ways.h"
#include "host/wfa/course.h"
#include "host/wfa/internal.h"
#include "host/wfa/keeper.h"
#include "host/wfa/sums.h"

namespace rhomb::wfa {
namespace {

/// Places of buffers are numbered with 32 bits.
constexpr std::uint64_t kMostWords = 0xffffffff;

/// There is room for the launches of so many pairs from the beginning.
constexpr std::size_t kMostAhead = 1024;

/// So many diagonals of all pairs a compute unit keep a GPU busy.
constexpr int kFilled = 512;

/// Diagonals of a row, at most: costs end where both wavefronts have half of the distance.
std::int64_t widest_row(const MeetingTask& task) {
  return std::min<std::int64_t>(task.most + 3, std::ssize(task.a) + std::ssize(task.b) + 1);
}

class Meetings {
 public:
  Meetings(ocl::Device& device, const Plan& plan, const MeetingsProblem& problem)
      : device_(device),
        plan_(problem.most_kept > 0 ? keeping_plan(plan, 2 * kKeptSteps) : plan),
        problem_(problem),
        kernels_(device, plan_) {
    const double begin = now();
    if (problem.most_kept > 0) {
      keeper_.emplace(device, problem.most_kept, rows_expected());
      keeper_->make_room(std::ssize(problem.tasks));
    }
    std::uint64_t rows = 0;
    for (const MeetingTask& task : problem.tasks) {
      const std::int64_t widest = widest_row(task);
      const auto m = std::ssize(task.a), n = std::ssize(task.b);
      Pair& pair = pairs_.emplace_back(Course(m, n, task.most, plan.batch, task.about));
      pair.rows = static_cast<std::uint32_t>(rows);
      pair.row = static_cast<std::uint32_t>(widest);
      Front first;
      if (keeper_) {
        pair.kept = keeper_->begin(m, n, first);
      } else {
        rows += 6 * static_cast<std::uint64_t>(widest);
      }
      pair.course.begin(first, task.most, 0);
    }
    if (rows > kMostWords)
      throw MemoryError("rows of wavefronts of so many pairs are more than the kernels can number");
    rows_ = device.buffer<std::int32_t>(rows);
    load();
    transfer_ = now() - begin - cutting_;
  }

  MeetingsAnswer run() {
    MeetingsAnswer answer;
    answer.transfer = transfer_;
    const trace::Scope scope(problem_.trace, trace::Work::kCompute);
    const double start = now();
    begin_rows();
    bool told = true;  // the last round was for something
    while (!answer.given_up && std::ranges::any_of(pairs_, &Pair::goes_on)) {
      if (told) told = enqueue();
      // What a round tells is known later: two are under way.
      if (told && rounds_.size() < 2) continue;
      take();
      told = true;
      if (problem_.give_up)
        answer.given_up = problem_.give_up(progress(now() - start - kernels_.building()));
    }
    rounds_.clear();
    for (Pair& pair : pairs_) {
      answer.distances.push_back(pair.course.distance());
      answer.cells += pair.course.cells();
      if (!keeper_) continue;
      if (pair.course.distance()) keeper_->keep(pair.course.after(), pair.kept);
      answer.kept.push_back(std::move(pair.kept));
    }
    answer.build = kernels_.building() + cutting_;
    answer.compute = now() - start - kernels_.building();
    return answer;
  }

 private:
  struct Pair {
    explicit Pair(Course of) : course(std::move(of)) {}
    bool goes_on() const { return !course.done(); }

    Course course;
    std::uint32_t rows = 0, row = 0;  // where its rows begin, and diagonals that one has room for;
    Kept kept;                        // if it has no rows of its own
  };
  /// The status of all pairs behind some launches, and which stretches were asked for.
  struct Round {
    std::vector<std::size_t> stretches;
    std::optional<ocl::Pending<std::int32_t>> status;
  };
  static constexpr std::size_t kNothing = ~std::size_t{0};

  /// Texts, first rows and statuses.
  void load() {
    const trace::Scope scope(problem_.trace, trace::Work::kPack);
    const std::size_t threads = batch::threads_of(problem_.threads);
    const std::span<const MeetingTask> tasks = problem_.tasks;
    // A text of many is packed by one thread, and one of few by several.
    const std::size_t each =
        std::max<std::size_t>(1, threads / std::max<std::size_t>(1, tasks.size()));
    const auto words = [&](std::string_view text) {
      return 2 * (text.size() / 32 + 1 + seq::Planes::kFrontWords + seq::Planes::kBackWords) *
             static_cast<std::size_t>(plan_.planes);
    };
    std::uint64_t most = 0, at = 0;
    for (const MeetingTask& task : tasks) most += words(task.a) + words(task.b);
    if (most > kMostWords)
      throw MemoryError("texts of so many pairs are more than the kernels can number");
    texts_ = device_.buffer<std::uint32_t>(most);
    std::vector<WfaMeeting> meetings;
    std::vector<BothWays> held;  // until they are copied
    const bool apart = plan_.stages.front().lanes > 1;
    Cutter cutter(problem_.there != nullptr ? *problem_.there : TextsThere(), plan_.planes, apart);
    const auto cut = [&](std::string_view text) {
      return problem_.there != nullptr && cutter.has(text);
    };
    batch::in_order(
        tasks.size(), threads,
        [&](std::size_t i) {
          const std::string_view a = tasks[i].a, b = tasks[i].b;
          return std::pair(cut(a) ? BothWays() : pack_pattern(a, *problem_.code, plan_, each),
                           cut(b) ? BothWays() : pack_text(b, *problem_.code, plan_, each));
        },
        [&](std::pair<BothWays, BothWays> both) {
          const MeetingTask& task = tasks[meetings.size()];
          WfaMeeting meeting{};
          const auto place = [&](std::string_view text, int fill, BothWays packed,
                                 std::uint32_t& forward, std::uint32_t& reverse) {
            const bool there = cut(text);
            forward = static_cast<std::uint32_t>(at);
            reverse = there ? static_cast<std::uint32_t>(cutter.words(text)) : packed.reverse;
            at += there ? 2 * std::uint64_t{reverse} : packed.words.size();
            if (at > most) throw Error(Kind::kInternal, "packed texts are longer than foreseen");
            if (there) {
              cutter.add(text, false, fill, forward);
              cutter.add(text, true, fill, forward + reverse);
              return;
            }
            held.push_back(std::move(packed));
            device_.write_later(texts_, forward, std::span<const std::uint32_t>(held.back().words));
          };
          place(task.a, kFillOfPattern, std::move(both.first), meeting.a, meeting.a_reverse);
          place(task.b, fill_of_text(plan_), std::move(both.second), meeting.b, meeting.b_reverse);
          meeting.m = static_cast<std::uint32_t>(task.a.size());
          meeting.n = static_cast<std::uint32_t>(task.b.size());
          // Cost 0: the prefixes, and the empty suffixes, both on diagonal 0. They match no
          // further.
          const Pair& pair = pairs_[meetings.size()];
          meeting.begin = offset(pair, pair.course.newest(), 0);
          meeting.row = offset(pair, pair.course.newest(), 1) - meeting.begin;
          meeting.prefix = static_cast<std::int32_t>(task.prefix);
          meetings.push_back(meeting);
        });
    cutting_ = cutter.run(device_, texts_);
    meetings_ = device_.upload(std::span<const WfaMeeting>(meetings));  // waits for the texts, too
    std::vector<std::int32_t> status;
    for (const MeetingTask& task : tasks)
      for (std::size_t s = 0; s < Course::kStretches; ++s)
        std::ranges::copy(open_status(task.most), std::back_inserter(status));
    status_ = device_.upload(std::span<const std::int32_t>(status));
  }

  void begin_rows() {
    const Stage& stage = plan_.stages.front();
    (void)kernels_[stage];  // its program is tested
    const ocl::Kernel begin = device_.kernel(plan_.file, "wfa_begin", stage.defines);
    const auto group = static_cast<std::size_t>(stage.group);
    const std::size_t groups = (pairs_.size() + group - 1) / group;
    begin(ocl::Range{groups * group, 1, group, 1}, rows(), meetings_,
          static_cast<std::uint32_t>(pairs_.size()));
  }

  ocl::Buffer<std::int32_t>& rows() { return keeper_ ? keeper_->buffer() : rows_; }
  std::uint32_t offset(const Pair& pair, const Front& front, std::uint32_t way) const {
    return keeper_ ? keeper_->offset(front.place, way)
                   : pair.rows + (2 * front.place + way) * pair.row;
  }

  /// Diagonals of the rows that all pairs will keep, if it is known what they cost about; else 0.
  double rows_expected() const {
    double all = 0;
    for (const MeetingTask& task : problem_.tasks) {
      if (task.about == 0) return 0;
      all += diagonals_kept(plan_, task.about);
    }
    return all;
  }

  /// All launches of a round have their rows in one buffer.
  void make_room(const Stage& stage) {
    std::int64_t most = 0;
    double left = 0;
    for (const Pair& pair : pairs_) {
      const Course& course = pair.course;
      if (course.done()) continue;
      left += course.diagonals_left(std::min(stage.steps, kKeptSteps));
      const int launches = course.launches(stage.steps);
      const std::int64_t row = std::min<std::int64_t>(
          course.newest().size() + 2 * std::int64_t{stage.steps} * (launches + 1), pair.row);
      // What is written, and what is read, which may be elsewhere.
      most += row * ((stage.steps > kKeptSteps ? 2 : 1) * launches + 3);
    }
    keeper_->expect(left);
    keeper_->make_room(most);
  }

  /// Narrow wavefronts of many pairs fill a device as a wide one of a single pair does. Then close
  /// texts gain nothing by a stage of their own.
  const Stage& stage() const {
    std::int64_t width = 0, dense = 0;
    bool very_long = false;
    for (const Pair& pair : pairs_)
      if (pair.goes_on()) {
        const Matches matches = pair.course.matches();
        width += pair.course.newest().size();
        dense += matches.dense ? pair.course.newest().size() : 0;
        very_long = very_long || matches.very_long;  // it is waited for
      }
    const bool filled = width > std::int64_t{kFilled} * device_.limits().compute_units;
    return stage_for(plan_, width, {!filled && 2 * dense > width, very_long});
  }

  /// The next launches of all pairs; false where none wants any before it is told of earlier ones.
  bool enqueue() {
    const Stage& stage = this->stage();
    std::vector<std::vector<WfaLaunch>> together;  // one of each pair in a launch
    std::vector<std::uint32_t> groups;
    Round round;
    round.stretches.assign(pairs_.size(), kNothing);
    if (keeper_) make_room(stage);
    const std::size_t buffers = keeper_ ? keeper_->buffers() : 0;
    bool any = false;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      Pair& pair = pairs_[i];
      if (!pair.goes_on()) continue;
      std::size_t next = 0;
      const auto at = [&](const Front& front, std::uint32_t way) {
        return offset(pair, front, way);
      };
      const bool wants = pair.course.propose(
          [&](const Front&) -> const Stage& { return stage; },
          [&](const Stage&, const Front& from, const Front& facing, Front to, std::int64_t steps,
              int number) {
            Front half;
            const bool halfway = keeper_ && steps > kKeptSteps;
            if (halfway) {
              half = pair.course.next(from, kKeptSteps);
              keeper_->place(half, from, facing);
            }
            if (keeper_) keeper_->place(to, from, facing);
            if (next == together.size()) {
              together.emplace_back();
              groups.push_back(0);
            }
            const std::uint32_t row = keeper_ ? keeper_->row() : pair.row;
            WfaLaunch launch = launch_of(from, facing, to, steps, number, row, at);
            launch.status = static_cast<std::uint32_t>(
                WFA_STATUS * (Course::kStretches * i + pair.course.stretch()));
            launch.meeting = static_cast<std::uint32_t>(i);
            if (halfway) {
              launch.mid = at(half, 0);
              launch.mid_lo = static_cast<std::int32_t>(half.lo);
              launch.mid_hi = static_cast<std::int32_t>(half.hi);
              launch.mid_steps = kKeptSteps;
              halves_[to.place] = half;
            }
            launch.group = groups[next];
            groups[next] += groups_of(stage, to, steps);
            together[next++].push_back(launch);
            return to;
          });
      if (wants) round.stretches[i] = pair.course.stretch();
      any = any || wants;
    }
    if (!any) return false;
    if (keeper_ && keeper_->buffers() != buffers)
      throw Error(Kind::kInternal, "rows of wavefronts are wider than foreseen");
    auto first = static_cast<std::uint32_t>(put(together));
    const auto group = static_cast<std::size_t>(stage.group);
    for (std::size_t l = 0; l < together.size(); ++l) {
      const auto count = static_cast<std::uint32_t>(together[l].size());
      kernels_[stage](ocl::Range{groups[l] * group, 2, group, 1}, texts_, texts_, rows(), meetings_,
                      launches_, first, count, status_);
      first += count;
    }
    round.status = device_.read_later(status_, 0, status_.size());
    rounds_.push_back(std::move(round));
    return true;
  }

  /// Has launches written to the device, and says where. Those of the rounds that are under way may
  /// still be read.
  std::size_t put(std::span<const std::vector<WfaLaunch>> together) {
    std::size_t count = 0;
    for (const auto& some : together) count += some.size();
    constexpr std::size_t kRounds = 3;
    if (kRounds * count > staged_.size()) {
      const std::size_t all =
          kRounds * std::max(2 * count, std::min(pairs_.size(), kMostAhead) *
                                            static_cast<std::size_t>(plan_.batch));
      staged_ = device_.pinned<WfaLaunch>(all);
      launches_ = device_.buffer<WfaLaunch>(all);
    }
    turn_ = (turn_ + 1) % kRounds;
    const std::size_t at = turn_ * (staged_.size() / kRounds);
    auto end = staged_.data() + at;
    for (const auto& some : together) end = std::ranges::copy(some, end).out;
    device_.write_later(launches_, at, std::span<const WfaLaunch>(staged_.data() + at, end));
    return at;
  }

  void take() {
    Round& round = rounds_.front();
    const std::vector<std::int32_t>& status = round.status->wait();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      Course& course = pairs_[i].course;
      if (course.done() || round.stretches[i] != course.stretch()) continue;
      const std::size_t at = WFA_STATUS * (Course::kStretches * i + course.stretch());
      course.take(status_of(std::span(status).subspan(at), device_.info().name));
      if (!keeper_ || round.stretches[i] == course.stretch()) continue;
      for (const Front& front : course.passed()) {
        if (const auto half = halves_.find(front.place); half != halves_.end())
          keeper_->keep(half->second, pairs_[i].kept);
        keeper_->keep(front, pairs_[i].kept);
      }
    }
    rounds_.pop_front();
  }

  Progress progress(double seconds) const {
    Progress all;
    all.seconds = seconds;
    for (const Pair& pair : pairs_) {
      all.cells += pair.course.cells();
      all.part += pair.goes_on() ? 0 : 1.0 / static_cast<double>(pairs_.size());
    }
    return all;
  }

  ocl::Device& device_;
  const Plan plan_;
  const MeetingsProblem& problem_;
  std::vector<Pair> pairs_;
  std::optional<Keeper> keeper_;  ///< of rows that stay, and those that are written on the way to
  std::unordered_map<std::uint32_t, Front> halves_;  ///< the row in a place
  ocl::Buffer<std::uint32_t> texts_;
  ocl::Buffer<std::int32_t> rows_;    ///< of each pair: three places, two directions each
  ocl::Buffer<std::int32_t> status_;  ///< of each pair and stretch
  ocl::Buffer<WfaMeeting> meetings_;
  ocl::Pinned<WfaLaunch> staged_;    ///< launches of three rounds, on the host
  ocl::Buffer<WfaLaunch> launches_;  ///< and on the device
  std::size_t turn_ = 0;
  StageKernels kernels_;
  std::deque<Round> rounds_;
  double transfer_ = 0;
  double cutting_ = 0;  ///< to have the program that cuts texts
};

}  // namespace

std::future<void> make_ready(ocl::Device& device, const seq::Code& code, std::size_t threads) {
  return engine::make_meanwhile(device, threads, [&code](ocl::Device& beside) {
    const Plan plan = plan_meetings(code, beside.limits(), {});
    // Few pairs become as wide as those for the last two stages.
    const std::size_t stages = plan.stages.size();
    for (const Stage& stage : std::span(plan.stages).first(stages > 2 ? stages - 2 : stages))
      (void)tested_kernel(beside, plan, stage);
    (void)Cutter::tested_kernel(beside, plan.planes, plan.stages.front().lanes > 1);
  });
}

bool fits(const MeetingTask& task) {
  return 6 * static_cast<std::uint64_t>(widest_row(task)) <= kMostWords;
}

std::uint64_t meeting_text_bytes(const Plan& plan, const MeetingTask& task) {
  const std::uint64_t spare = seq::Planes::kFrontWords + seq::Planes::kBackWords + 1;
  return 8 * static_cast<std::uint64_t>(plan.planes) *
         ((task.a.size() + task.b.size()) / 32 + 2 * spare);
}

std::uint64_t meeting_bytes(const Plan& plan, const MeetingTask& task, bool keeps) {
  return meeting_text_bytes(plan, task) +
         (keeps ? static_cast<std::uint64_t>(bytes_kept(plan, task.most))
                : 24 * static_cast<std::uint64_t>(widest_row(task)));
}

MeetingsAnswer meet(ocl::Device& device, const Plan& plan, const MeetingsProblem& problem) {
  return Meetings(device, plan, problem).run();
}

}  // namespace rhomb::wfa
