// SPDX-License-Identifier: Apache-2.0
#include "host/strip/several.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cl/strip/launch.h"
#include "host/batch/threads.h"
#include "host/engine/speed.h"
#include "host/strip/internal.h"

namespace rhomb::strip {
namespace {

/// Seconds of a launch, at least: a run may be stopped between two, but at the end of each more and
/// more of the device is idle.
constexpr double kLaunch = 0.25;

/// Where a launch need not stop for any group.
constexpr std::int32_t kAllWords = 1 << 30;

class Several {
 public:
  Several(ocl::Device& device, std::span<const Plan> plans, std::span<const Problem> problems,
          std::size_t threads, trace::Trace* trace)
      : device_(device),
        plans_(plans),
        problems_(problems),
        threads_(threads),
        trace_(trace),
        kernel_(device.kernel(plans[0].program.file, plans[0].program.kernel,
                              plans[0].program.defines)) {
    StripOne next{};
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const Layout layout = layout_of(plans[i].size, plans[i].shape, plans[i].planes);
      layouts_.push_back(layout);
      ones_.push_back(next);
      places_.push_back({1, plans[i].threshold, 0, 0});
      ones_.back().launch = launch_of(plans[i], layout);
      ones_.back().launch.slab = kAllWords;
      next.pattern += layout.pattern;
      next.text += layout.text;
      next.state += layout.state;
      next.ring += layout.ring / 2;
      next.last += layout.last + 2 * std::uint64_t{layout.stride};  // and scores
    }
    ones_.push_back(next);  // the end
    load();
    state_ = device.buffer<std::uint32_t>(next.state);
    last_ = device.buffer<std::uint32_t>(next.last);
    ring_ = device.filled<std::uint32_t>(2 * next.ring, ~0u);
    tickets_ = device.buffer<std::uint32_t>(1);
  }

  SeveralAnswer run(const std::function<bool(const Progress&)>& give_up) {
    const trace::Scope scope(trace_, trace::Work::kCompute);
    const double start = now();
    SeveralAnswer answer;
    answer.answers.resize(plans_.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < plans_.size(); ++i) open.push_back(i);
    std::size_t done = 0;
    while (!open.empty()) {
      const trace::Scope pass(trace_, trace::Work::kPass);
      std::vector<Launch> launches = enqueue(open);
      for (Launch& launch : launches) {
        take(launch, answer.answers);
        done += launch.pairs.size();
        Progress progress;
        progress.seconds = now() - start;
        progress.part = static_cast<double>(done) / static_cast<double>(done + open.size());
        for (const PassPlace& place : places_) progress.cells += place.cells;
        if (give_up && give_up(progress)) {
          answer.given_up = true;
          return answer;
        }
      }
      std::erase_if(open, [&](std::size_t i) { return places_[i].number == 0; });
    }
    answer.compute = now() - start;
    return answer;
  }

 private:
  /// Pairs that share a launch, and what it leaves of all from the first one to the last.
  struct Launch {
    std::vector<std::size_t> pairs;
    ocl::Buffer<StripOne> ones;
    ocl::Buffer<std::uint32_t> blocks;
    std::optional<ocl::Pending<std::uint32_t>> last;
  };

  void load() {
    const trace::Scope scope(trace_, trace::Work::kPack);
    UnsetVector<std::uint32_t> pattern(ones_.back().pattern), text(ones_.back().text);
    batch::in_parts(plans_.size(), std::min(plans_.size(), batch::threads_of(threads_)),
                    [&](std::size_t, std::size_t first, std::size_t end) {
                      for (std::size_t i = first; i < end; ++i) {
                        Problem problem = problems_[i];
                        problem.threads = plans_.size() > 1 ? 1 : threads_;
                        problem.trace = nullptr;
                        const Texts texts = pack(plans_[i], problem);
                        ones_[i].launch.pattern_reverse = texts.pattern_reverse;
                        std::ranges::copy(texts.pattern, pattern.data() + ones_[i].pattern);
                        std::ranges::copy(texts.text, text.data() + ones_[i].text);
                      }
                    });
    pattern_ = device_.upload<std::uint32_t>(pattern);
    text_ = device_.upload<std::uint32_t>(text);
  }

  Band band(std::size_t i) const { return plans_[i].band(places_[i].threshold); }

  /// A pass of all open pairs.
  std::vector<Launch> enqueue(std::span<const std::size_t> open) {
    const double most = kLaunch * engine::guessed_cells_a_second(device_.limits());
    std::vector<Launch> launches;
    double cells = most;
    for (const std::size_t i : open) {
      if (cells >= most) {
        launches.emplace_back();
        cells = 0;
      }
      launches.back().pairs.push_back(i);
      cells += Schedule(plans_[i].size, plans_[i].shape, band(i)).cells();
    }
    for (Launch& launch : launches) enqueue(launch);
    return launches;
  }

  void enqueue(Launch& launch) {
    const Shape& shape = plans_[0].shape;
    const auto together = static_cast<std::uint32_t>(shape.block / shape.group);
    struct Block {
      std::int64_t when;  // its groups must begin at the latest, before the end of all
      std::uint32_t pair, number;
    };
    std::vector<StripOne> ones;
    std::vector<Block> blocks;
    for (const std::size_t i : launch.pairs) {
      const auto pair = static_cast<std::uint32_t>(ones.size());
      StripOne& one = ones.emplace_back(ones_[i]);
      one.launch.below = band(i).below;
      one.launch.above = band(i).above;
      const Schedule schedule(plans_[i].size, plans_[i].shape, band(i));
      const std::uint32_t directions = one.launch.lanes_1 > 0 ? 2 : 1;
      for (std::uint32_t group = 0, number = 0; group < one.launch.groups; group += together)
        for (std::uint32_t direction = 0; direction < directions; ++direction)
          blocks.push_back(
              {schedule.starts(group) - schedule.ends(schedule.groups() - 1), pair, number++});
    }
    std::ranges::stable_sort(blocks, {}, &Block::when);
    std::vector<std::uint32_t> places;
    for (const Block& block : blocks) places.insert(places.end(), {block.pair, block.number});
    launch.ones = device_.upload<StripOne>(ones);
    launch.blocks = device_.upload<std::uint32_t>(places);
    device_.fill(tickets_, 0u);
    const auto block = static_cast<std::size_t>(shape.block);
    kernel_({blocks.size() * block, 1, block, 1}, pattern_, text_, state_, ring_, last_, tickets_,
            launch.ones, launch.blocks);
    const StripOne &first = ones_[launch.pairs.front()], &end = ones_[launch.pairs.back() + 1];
    launch.last = device_.read_later(last_, first.last, end.last - first.last);
  }

  /// What a launch has found of its pairs. Those that need no other pass have no place any more.
  void take(Launch& launch, std::vector<Answer>& answers) {
    const std::vector<std::uint32_t>& last = launch.last->wait();
    const trace::Scope scope(trace_, trace::Work::kJoin);
    const StripOne& begin = ones_[launch.pairs.front()];
    batch::in_parts(launch.pairs.size(), std::min(launch.pairs.size(), batch::threads_of(threads_)),
                    [&](std::size_t, std::size_t first, std::size_t end) {
                      for (std::size_t k = first; k < end; ++k) {
                        const std::size_t i = launch.pairs[k];
                        const Plan& plan = plans_[i];
                        const Layout& layout = layouts_[i];
                        const auto edge = [&](std::size_t direction, std::int64_t lanes) {
                          const auto words_of = [&](std::size_t from, std::size_t count) {
                            const auto at = last.begin() + static_cast<std::ptrdiff_t>(
                                                               ones_[i].last - begin.last + from);
                            return Words(at, at + static_cast<std::ptrdiff_t>(count));
                          };
                          return edge_of(plan, band(i), lanes,
                                         words_of(2 * direction * layout.plane, 2 * layout.plane),
                                         words_of(layout.last + direction * layout.stride,
                                                  static_cast<std::size_t>(lanes - 1)));
                        };
                        const Edge upper = edge(0, plan.size.upper);
                        const Edge lower =
                            plan.size.lower > 0 ? edge(1, plan.size.lower) : empty_edge(plan.size);
                        answers[i].passes = static_cast<int>(places_[i].number);
                        const double cells = Schedule(plan.size, plan.shape, band(i)).cells();
                        const bool again =
                            goes_on(plan, places_[i], least_sum(upper, lower, plan.size.n), cells);
                        answers[i].cells = places_[i].cells;
                        if (again) continue;
                        if (places_[i].cost <= plan.max_distance)
                          answers[i].distance = places_[i].cost;
                        places_[i].number = 0;
                      }
                    });
  }

  ocl::Device& device_;
  std::span<const Plan> plans_;
  std::span<const Problem> problems_;
  std::size_t threads_;
  trace::Trace* trace_;
  ocl::Kernel kernel_;
  std::vector<Layout> layouts_;
  std::vector<StripOne> ones_;     // of each pair, and the end
  std::vector<PassPlace> places_;  // number 0: done
  ocl::Buffer<std::uint32_t> pattern_, text_, state_, last_, ring_, tickets_;
};

}  // namespace

SeveralAnswer solve_several(ocl::Device& device, std::span<const Plan> plans,
                            std::span<const Problem> problems, std::size_t threads,
                            trace::Trace* trace,
                            const std::function<bool(const Progress&)>& give_up) {
  const double begin = now();
  ensure_tested(device, plans[0]);
  const double built = now();
  Several several(device, plans, problems, threads, trace);
  const double loaded = now();
  SeveralAnswer answer = several.run(give_up);
  answer.build = built - begin;
  answer.transfer = loaded - built;
  return answer;
}

}  // namespace rhomb::strip
