// SPDX-License-Identifier: Apache-2.0
// Runs: what bands of a pair are computed on (a device, several, the host), and a run there. Only
// for host/corridor.
#pragma once

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "host/batch/threads.h"
#include "host/corridor/corridor.h"
#include "host/corridor/device_bands.h"
#include "host/corridor/device_words.h"
#include "host/corridor/host_bands.h"
#include "host/corridor/path.h"
#include "host/engine/solve.h"

namespace rhomb::corridor {

inline std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

inline Facts facts_of(const Certificate& found) {
  Facts facts;
  facts.add("lower_bound", found.lower);
  facts.add("threshold", found.threshold);
  facts.add("corridor_mean_width", number(found.mean_width));
  facts.add("corridor_widest", found.widest);
  facts.add("window_cells", number(found.window_cells));
  facts.add("segment_cells", number(found.segment_cells));
  facts.add("rounds", found.rounds);
  facts.add("segment_runs", found.runs);
  facts.add("segments", found.segments);
  facts.add("segments_repeated", found.repeated);
  if (found.given_up) facts.add("given_up", found.why);
  return facts;
}

inline Seeds look_for_words_on_host(const Grid& grid, const Problem& problem, const Range& seen,
                                    const std::vector<Range>& hidden, std::int64_t radius) {
  const trace::Scope looking(problem.trace, trace::Work::kWords);
  return look_for_words(grid, problem.a, problem.b, *problem.code,
                        WordSearch(grid, problem.a, *problem.code, seen, hidden, radius,
                                   batch::threads_of(problem.threads)),
                        problem.threads);
}

/// A problem on a device, and what is computed and looked for there.
class OnDevice {
 public:
  OnDevice(ocl::Device& device, const Plan& plan, const Problem& problem)
      : device_(device),
        plan_(plan),
        problem_(problem),
        begin_(now()),
        packing_(std::async(batch::beside(problem.threads),
                            [&] {
                              const trace::Scope scope(problem.trace, trace::Work::kPack);
                              return pack(plan.grid, *problem.code, problem.a, problem.b,
                                          problem.threads);
                            })),
        built_(tested(device, plan)),
        packed_(packing_.get()),
        texts_(std::make_shared<DeviceTexts>(device, packed_)),
        bands_(device, plan, *texts_, problem.threads) {}

  void compute(std::span<Band> bands) { bands_.compute(bands); }
  std::vector<std::int32_t> least_far(std::span<const FarWindow> windows, std::int64_t near) {
    return bands_.least_far(windows, near);
  }
  /// The texts in the host's memory, until nobody needs them.
  const PackedTexts& packed() const { return packed_; }
  void forget_packed() { packed_ = {}; }
  const std::shared_ptr<const DeviceTexts>& texts() const { return texts_; }

  LookForWords seeds() const {
    return [this](const Range& seen, const std::vector<Range>& hidden, std::int64_t radius) {
      return look_for(seen, hidden, radius);
    };
  }

  /// Seconds until the program was ready, and until now, of which the rest is for the texts.
  double build() const { return built_ - begin_; }
  double since_built() const { return now() - built_; }

 private:
  Seeds look_for(const Range& seen, const std::vector<Range>& hidden, std::int64_t radius) const {
    if (plan_.words) {
      try {
        const trace::Scope looking(problem_.trace, trace::Work::kWords);
        // Beside windows, which another thread enqueues.
        return look_for_words(
            *device_.beside(), plan_.grid, *texts_, plan_.planes, problem_.a,
            WordSearch(plan_.grid, problem_.a, *problem_.code, seen, hidden, radius, 1),
            plan_.word_bytes, problem_.threads);
      } catch (const MemoryError&) {
        // The host has room.
      }
    }
    return look_for_words_on_host(plan_.grid, problem_, seen, hidden, radius);
  }

  static double tested(ocl::Device& device, const Plan& plan) {
    ensure_tested(device, plan);
    return now();
  }

  ocl::Device& device_;
  const Plan& plan_;
  const Problem& problem_;
  const double begin_;
  std::future<PackedTexts> packing_;
  const double built_;
  PackedTexts packed_;
  const std::shared_ptr<const DeviceTexts> texts_;
  DeviceBands bands_;
};

/// The same on several devices. The first one looks for words; bands are divided by what each has
/// computed in a second before.
class OnDevices {
 public:
  /// `plan_for` plans for another device, blocks as `plan` has them.
  OnDevices(ocl::Device& device, const OtherDevices& others, const Plan& plan,
            const Problem& problem, const std::function<Plan(const ocl::Limits&)>& plan_for)
      : grid_(plan.grid),
        opening_(std::async(std::launch::async,
                            [&] {
                              std::vector<std::unique_ptr<Helper>> made;
                              std::set<const ocl::Device*> seen{&device};
                              for (ocl::Device* const one : others.open()) {
                                if (!seen.insert(one).second) continue;
                                made.push_back(std::make_unique<Helper>(
                                    *one, plan_for(one->limits()), weight_of(one->limits())));
                                ensure_tested(*one, made.back()->plan);
                              }
                              return made;
                            })),
        first_(device, plan, problem),
        rate_(weight_of(device.limits())),
        helpers_(opening_.get()) {
    for (const auto& helper : helpers_)
      helper->begin(first_.packed(), batch::half_of(problem.threads));
    first_.forget_packed();
  }

  void compute(std::span<Band> bands) {
    if (bands.size() <= helpers_.size()) return first_.compute(bands);
    double all = 0, rates = rate_, cells = 0;
    for (const Band& band : bands) all += band.cells(grid_);
    for (const auto& helper : helpers_) rates += helper->rate;
    std::size_t end = 0;
    const auto next = [&](double rate) {
      const std::size_t first = end;
      const double from = cells, until = from + all * rate / rates;
      while (end < bands.size() && cells + bands[end].cells(grid_) / 2 < until)
        cells += bands[end++].cells(grid_);
      return std::pair(bands.subspan(first, end - first), cells - from);
    };
    const auto timed = [](double& rate, double of_cells, const auto& work) {
      const double start = now();
      work();
      rate = std::max(of_cells, 1.0) / std::max(now() - start, 1e-6);
    };
    std::vector<double> measured(1 + helpers_.size());
    std::vector<std::future<void>> others;  // last: what they wait for uses the rest
    for (std::size_t i = 0; i < helpers_.size(); ++i)
      others.push_back(std::async(std::launch::async, [&, i, part = next(helpers_[i]->rate)] {
        timed(measured[i + 1], part.second, [&] { helpers_[i]->bands->compute(part.first); });
      }));
    const std::span<Band> own = bands.subspan(end);
    timed(measured[0], all - cells, [&] { first_.compute(own); });
    for (std::future<void>& other : others) other.get();
    rate_ = measured[0];
    for (std::size_t i = 0; i < helpers_.size(); ++i) helpers_[i]->rate = measured[i + 1];
  }

  LookForWords seeds() const { return first_.seeds(); }
  double build() const { return first_.build(); }
  double since_built() const { return first_.since_built(); }
  std::size_t count() const { return 1 + helpers_.size(); }

 private:
  struct Helper {
    ocl::Device& device;
    Plan plan;
    double rate;  // cells a second; at first only what they are in proportion to
    std::optional<DeviceTexts> texts = std::nullopt;
    std::optional<DeviceBands> bands = std::nullopt;

    Helper(ocl::Device& on, Plan its_plan, double its_rate)
        : device(on), plan(std::move(its_plan)), rate(its_rate) {}
    void begin(const PackedTexts& packed, std::size_t threads) {
      texts.emplace(device, packed);
      bands.emplace(device, plan, *texts, threads);
    }
  };

  const Grid& grid_;
  std::future<std::vector<std::unique_ptr<Helper>>> opening_;
  OnDevice first_;
  double rate_;
  std::vector<std::unique_ptr<Helper>> helpers_;
};

/// The same on the host.
class OnHost {
 public:
  OnHost(const Plan& plan, const Problem& problem)
      : plan_(plan),
        problem_(problem),
        begin_(now()),
        bands_(plan.grid, *problem.code, problem.a, problem.b, problem.threads) {}

  void compute(std::span<Band> bands) const { bands_.compute(bands); }
  LookForWords seeds() const {
    return [this](const Range& seen, const std::vector<Range>& hidden, std::int64_t radius) {
      return look_for_words_on_host(plan_.grid, problem_, seen, hidden, radius);
    };
  }
  static double build() { return 0; }
  double since_built() const { return now() - begin_; }

 private:
  const Plan& plan_;
  const Problem& problem_;
  const double begin_;
  const HostBands bands_;
};

template <class Where>
Kept solve_on(Where& where, const Plan& plan, const Problem& problem) {
  const std::vector<Range> path = probable_path(plan.grid, problem.chain);
  const double transfer = where.since_built();

  const trace::Scope scope(problem.trace, trace::Work::kCompute);
  const double start = now();
  bool stopped = false;
  CertifyOptions options = plan.options;
  options.threads = problem.threads;
  options.trace = problem.trace;
  if (!plan.without_words) options.seeds = where.seeds();
  options.give_up = [&](std::int64_t lower, std::int64_t best, double part) {
    stopped = report(problem, {std::max<std::int64_t>(lower - 1, 0), best, 0, part, now() - start});
    return stopped;
  };
  Certificate found = certify(
      plan.grid, path, [&](std::span<Band> some) { where.compute(some); }, options);
  Kept kept;
  Answer& answer = kept.answer;
  answer.distance = found.distance;
  answer.given_up = found.given_up;
  answer.passed_on = found.given_up && !stopped;
  if (answer.given_up && found.best > 0) answer.at_most = found.best;
  answer.cells = found.window_cells + found.segment_cells;
  answer.passes = found.runs;
  answer.certificate = facts_of(found);
  answer.build = where.build();
  answer.transfer = transfer;
  answer.compute = now() - start;
  if (!found.distance) return kept;
  kept.rows = std::move(found.rows);
  kept.memory = std::move(found.memory);
  return kept;
}

}  // namespace rhomb::corridor
