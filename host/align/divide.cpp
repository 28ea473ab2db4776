// SPDX-License-Identifier: Apache-2.0
#include "host/align/divide.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "host/batch/threads.h"
#include "host/strip/strip.h"

namespace rhomb::align {
namespace {

/// Cells a second that one thread of the host fills, twice over: to compute and to walk back.
constexpr double kHostCells = 7e9;

/// What cheapest paths cost between two rows, at most.
std::int64_t cost_between(const Boundary& top, const Boundary& bottom) {
  const auto on_path = [](const Boundary& row, std::size_t i) {
    return std::int64_t{row.before[i]} + row.after[i] == std::int64_t{row.before[0]} + row.after[0];
  };
  std::int32_t least = top.before[0], most = bottom.before[0];
  for (std::size_t i = 0; i < top.before.size(); ++i)
    if (on_path(top, i)) least = std::min(least, top.before[i]);
  for (std::size_t i = 0; i < bottom.before.size(); ++i)
    if (on_path(bottom, i)) most = std::max(most, bottom.before[i]);
  return most - least;
}

class Divider {
 public:
  Divider(ocl::Device* device, const Rates& rates, const Problem& problem,
          const DivideOptions& options)
      : device_(device),
        rates_(rates),
        problem_(problem),
        options_(options),
        threads_(static_cast<double>(batch::threads_of(problem.threads))) {}

  /// Divides what lies between two rows as long as that pays, from the top down.
  void divide(const Boundary& top, const Boundary& bottom) {
    const std::int64_t cost = cost_between(top, bottom);
    if (auto middle = divided(top, bottom, cost)) {
      divide(top, *middle);
      divide(*middle, bottom);
      return;
    }
    Region region;
    region.row = top.row;
    region.rows = bottom.row - top.row;
    region.column = top.first;
    region.top = top.before;
    region.first_exit = bottom.first;
    region.last_exit = bottom.last();
    region.threshold = cost;
    regions_.push_back(std::move(region));
  }

  std::vector<Region> take() { return std::move(regions_); }
  double cells() const { return cells_; }

 private:
  std::optional<Boundary> divided(const Boundary& top, const Boundary& bottom, std::int64_t cost) {
    const std::int64_t rows = bottom.row - top.row;
    if (device_ == nullptr || rows < 128 || rows <= options_.most_rows.value_or(0))
      return std::nullopt;
    Problem part = problem_;
    part.max_distance.reset();
    part.progress = {};
    part.a = problem_.a.substr(static_cast<std::size_t>(top.row), static_cast<std::size_t>(rows));
    part.b = problem_.b.substr(static_cast<std::size_t>(top.first),
                               static_cast<std::size_t>(bottom.last() - top.first));
    if (part.b.empty()) return std::nullopt;
    const strip::Part ends{top.before, bottom.after, cost};
    std::optional<strip::Plan> plan;
    try {
      plan = strip::plan_part(part, ends, device_->limits());
    } catch (const tune::Unfit&) {
      return std::nullopt;
    } catch (const MemoryError&) {
      return std::nullopt;
    }
    if (plan->size.lower == 0) return std::nullopt;
    if (!options_.most_rows) {
      const strip::Band band = plan->band(plan->threshold);
      const double width = std::min(static_cast<double>(band.below + band.above + 64),
                                    static_cast<double>(part.b.size()));
      // Slabs like this are computed at the same time.
      const double beside =
          std::min(threads_, static_cast<double>(problem_.a.size()) / static_cast<double>(rows));
      const double host = static_cast<double>(rows) * width / kHostCells / beside;
      if (strip_seconds(rates_, *plan, band) > host / 2) return std::nullopt;
    }
    strip::Crossing found = strip::cross(*device_, *plan, part, ends);
    if (found.given_up) throw Error(Kind::kStopped, "the run was stopped");
    cells_ += found.cells;
    if (found.least != bottom.before.front() + bottom.after.front())
      throw CheckError(
          "a part of an alignment does not cost what the whole says; please report this");
    return Boundary{top.row + found.row, top.first + found.first, std::move(found.before),
                    std::move(found.after)};
  }

  ocl::Device* device_;
  const Rates& rates_;
  const Problem& problem_;
  const DivideOptions& options_;
  double threads_;
  double cells_ = 0;
  std::vector<Region> regions_;
};

}  // namespace

Divided divide(ocl::Device* device, const Rates& rates, const Problem& problem, const Codes& codes,
               std::int64_t distance, std::optional<Boundary> middle,
               const DivideOptions& options) {
  const double start = now();
  const auto m = static_cast<std::int64_t>(problem.a.size());
  const auto n = static_cast<std::int64_t>(problem.b.size());
  const auto whole = static_cast<std::int32_t>(distance);
  const Boundary top{0, 0, {0}, {whole}}, bottom{m, n, {whole}, {0}};
  Divider divider(device, rates, problem, options);
  if (middle) {
    divider.divide(top, *middle);
    divider.divide(*middle, bottom);
  } else {
    divider.divide(top, bottom);
  }
  Divided made;
  made.device_cells = divider.cells();
  made.device_seconds = now() - start;
  std::vector<Region> regions = divider.take();
  made.parts = static_cast<int>(regions.size());

  // From the last slab to the first, at the same time; where a slab's exit is known only from the
  // slab below it, its walk waits for that one's.
  struct Walked {
    std::unique_ptr<Slab> slab;
    std::optional<Path> path;
  };
  const std::size_t threads = batch::threads_of(problem.threads);
  std::int64_t exit = n;
  batch::in_order(
      regions.size(), threads,
      [&](std::size_t i) {
        Region& region = regions[regions.size() - 1 - i];
        const bool known = region.first_exit == region.last_exit;
        Walked walked;
        walked.slab =
            std::make_unique<Slab>(codes, std::move(region), options.memory / (3 * threads));
        if (known) walked.path = walked.slab->walk(walked.slab->region().first_exit);
        return walked;
      },
      [&](Walked walked) {
        if (!walked.path) walked.path = walked.slab->walk(exit);
        exit = walked.path->entry;
        made.host_cells += walked.slab->cells();
        made.backwards.append(walked.path->backwards);
      });
  // Along the first row.
  made.backwards.add(codes.turned ? Edit::kInsert : Edit::kDelete, exit);
  made.host_seconds = now() - start - made.device_seconds;
  return made;
}

}  // namespace rhomb::align
