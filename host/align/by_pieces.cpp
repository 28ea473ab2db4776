// SPDX-License-Identifier: Apache-2.0
#include "host/align/by_pieces.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "host/align/room.h"
#include "host/batch/threads.h"
#include "host/corridor/corridor.h"
#include "host/distance/methods.h"
#include "host/distance/pieces.h"
#include "host/distance/side_by_side.h"
#include "host/error.h"
#include "host/wfa/meetings.h"

namespace rhomb::align {
namespace {

/// Bytes of the host for what is beside the paths of pieces, while one goes through them.
constexpr double kMostToBegin = 1 << 26;

class Pieces {
 public:
  /// `sketched` is the pair without what both begin with.
  Pieces(ocl::Device& device, const Turned& turned, const Problem& sketched,
         const corridor::Cutting& cutting, std::size_t at_once, const Rates& rates,
         const AlignOptions& options, const AlignTuning& tuning, const tune::Store& store)
      : turned_(turned),
        sketched_(sketched),
        there_(texts_there(sketched, cutting)),
        options_(options),
        pieces_(pieces_of(sketched, cutting.cuts.cells, device.limits(), rates)),
        parts_(parts_of(pieces_, device.limits(), rates, at_once > 1 && turned.code.same_tables(),
                        true)),
        at_once_(at_once),
        of_piece_(options),
        tuning_(tuning),
        answers_(pieces_.size()) {
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      if (pieces_[p].answer.distance) parts_.push_back({{p}, 0});
      all_ += static_cast<double>(pieces_[p].rows + pieces_[p].columns);
      edits_ += static_cast<double>(pieces_[p].problem.max_distance.value_or(0));
    }
    of_piece_.engine = "auto";
    of_piece_.variant.clear();
    of_piece_.config = {};
    of_piece_.store = &store;
    of_piece_.threads = threads_of_each(options.threads, at_once);
    of_piece_.memory = options.memory / at_once;
    of_piece_.progress = {};
    tuning_.pieces = false;
    tuning_.rates = rates;
    // Pieces with fewer symbols would be as fast, but each number of planes is another program.
    tuning_.code = turned.code;
    if (turned.codes.turned) std::swap(tuning_.code->a, tuning_.code->b);
    tuning_.memory = tuning.memory / at_once;
  }

  void run(ocl::Device& device) {
    const auto left =
        side_by_side(device, parts_.size(), std::min(at_once_, parts_.size()),
                     [&](ocl::Device& own, std::size_t part) {
                       const auto& some = parts_[part].pieces;
                       if (some.size() > 1) return meet(own, some);
                       const auto edits = pieces_[some[0]].problem.max_distance.value_or(0);
                       solve(own, some[0], with_share(static_cast<double>(edits) / edits_));
                     });
    for (const std::size_t part : left)
      for (const std::size_t p : parts_[part].pieces)
        if (!answers_[p].distance) solve_alone(device, p);
  }

  /// All of them put together.
  void take(Found& found) {
    found.distance = 0;
    found.traced.emplace();
    for (auto answer = answers_.rbegin(); answer != answers_.rend(); ++answer) {
      *found.distance += *answer->distance;
      found.cells += answer->cells;
      found.traced->parts += answer->parts;
      answer->cigar.reverse();
      found.traced->backwards.push_back(std::move(answer->cigar));
    }
  }

 private:
  /// The texts of a piece, query and target.
  std::pair<std::string_view, std::string_view> texts(std::size_t p) const {
    const rhomb::Piece& piece = pieces_[p];
    const std::size_t prefix = turned_.problem.a.size() - sketched_.a.size();
    const auto part = [&](std::string_view text, std::int64_t from, std::int64_t symbols) {
      // What all begin with belongs to the first one.
      const std::size_t begin = p == 0 ? 0 : static_cast<std::size_t>(from) + prefix;
      return text.substr(begin, static_cast<std::size_t>(from + symbols) + prefix - begin);
    };
    std::pair both{part(turned_.problem.a, piece.i, piece.rows),
                   part(turned_.problem.b, piece.j, piece.columns)};
    if (turned_.codes.turned) std::swap(both.first, both.second);
    return both;
  }

  /// For a piece with such a share of the edits: as many of the threads, if that is more than each
  /// has.
  AlignOptions with_share(double share) const {
    AlignOptions one = of_piece_;
    const auto all = static_cast<double>(batch::threads_of(options_.threads));
    one.threads = std::max(one.threads, static_cast<std::size_t>(share * all));
    return one;
  }

  /// Those whose wavefronts share launches: all distances first.
  void meet(ocl::Device& device, const std::vector<std::size_t>& some) {
    std::vector<wfa::MeetingTask> tasks;
    for (const std::size_t p : some) {
      Problem piece = turned_.problem;
      std::tie(piece.a, piece.b) = texts(p);
      Turned own;
      turn(piece, own);
      const std::string_view a = own.problem.a, b = own.problem.b;
      const wfa::MeetingTask of_distance = pieces_[p].task();
      tasks.push_back({a, b, of_distance.most,
                       static_cast<std::int64_t>(a.size() - trimmed(own.problem).a.size()),
                       of_distance.about});
    }
    wfa::MeetingsProblem problem;
    problem.tasks = tasks;
    problem.code = turned_.problem.code;
    problem.there = &there_;
    problem.most_kept = device.limits().global_bytes / 2;
    problem.threads = of_piece_.threads;
    problem.trace = turned_.problem.trace;
    problem.give_up = sketched_.give_up;
    const std::future<void> ready = wfa::Fronts::make_ready(device, problem.threads);
    const wfa::Plan plan = wfa::plan_meetings(*problem.code, device.limits(), {});
    wfa::MeetingsAnswer found = wfa::meet(device, plan, problem);
    if (found.given_up) throw Error(Kind::kStopped, "the run was stopped");
    double cost = 1;
    std::vector<std::size_t> order(some.size());
    for (std::size_t i = 0; i < some.size(); ++i) {
      check(some[i], found.distances[i]);
      cost += static_cast<double>(*found.distances[i]);
      order[i] = i;
    }
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t i) { return *found.distances[i]; });
    auto begun = begin(device, found, order);
    const auto left = side_by_side(
        device, some.size(), std::min(at_once_, some.size()), [&](ocl::Device& own, std::size_t x) {
          const std::size_t i = order[x];
          solve(own, some[i], with_share(static_cast<double>(*found.distances[i]) / cost),
                {{*found.distances[i], i == 0 ? found.cells : 0, std::move(found.kept[i]),
                  std::move(begun[i])}});
        });
    for (const std::size_t x : left) solve_alone(device, some[order[x]]);
  }

  /// What the walks through rows of these begin with, in one go: where each asks by itself, they
  /// wait for each other. Those that cost most come first in `order`.
  std::vector<std::optional<wfa::Begun>> begin(ocl::Device& device,
                                               const wfa::MeetingsAnswer& found,
                                               std::span<const std::size_t> order) const {
    std::vector<std::size_t> some;
    std::vector<wfa::Kept> kept;
    std::vector<std::int64_t> distances;
    double bytes = 0;
    for (const std::size_t i : order) {
      const std::int64_t distance = *found.distances[i];
      if (walked_at_once(tuning_, found.kept[i].rows, found.kept[i].columns, distance)) continue;
      const double more = wfa::Fronts::bytes_to_begin(distance);
      if (bytes + more > kMostToBegin) continue;
      bytes += more;
      some.push_back(i);
      kept.push_back(found.kept[i]);
      distances.push_back(distance);
    }
    std::vector<std::optional<wfa::Begun>> begun(order.size());
    if (some.empty()) return begun;
    try {
      auto together = wfa::Fronts(device, std::move(kept)).begin(distances, options_.threads);
      for (std::size_t x = 0; x < some.size(); ++x) begun[some[x]] = std::move(together[x]);
    } catch (const Error& error) {  // the rows have left little memory
      if (!out_of_memory(error)) throw;
    }
    return begun;
  }

  /// One that the others left too little memory for.
  void solve_alone(ocl::Device& device, std::size_t p) {
    AlignOptions alone = of_piece_;
    alone.memory = options_.memory;
    solve(device, p, alone);
  }

  void solve(ocl::Device& device, std::size_t p, const AlignOptions& options,
             std::optional<Left> left = std::nullopt) {
    const auto [query, target] = texts(p);
    AlignTuning tuning = tuning_;
    tuning.at_most = pieces_[p].problem.max_distance;
    AlignAnswer& answer = answers_[p] =
        align_strand(&device, query, target, options, tuning, {}, std::move(left));
    check(p, answer.distance);
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    done_ += static_cast<double>(pieces_[p].rows + pieces_[p].columns);
    Progress progress;
    progress.seconds = now() - start_;
    progress.part = done_ / all_;
    options_.progress(progress);
  }

  void check(std::size_t p, std::optional<std::int64_t> distance) const {
    check_piece(pieces_[p].rows, pieces_[p].columns, distance, *pieces_[p].problem.max_distance);
  }

  const Turned& turned_;
  const Problem& sketched_;
  const wfa::TextsThere there_;
  const AlignOptions& options_;
  const std::vector<rhomb::Piece> pieces_;
  std::vector<rhomb::Part> parts_;
  const std::size_t at_once_;
  AlignOptions of_piece_;
  AlignTuning tuning_;
  std::vector<AlignAnswer> answers_;
  const double start_ = now();
  double all_ = 0, edits_ = 1;  // symbols; edits at most, and one
  std::mutex mutex_;            // for progress
  double done_ = 0;
};

}  // namespace

std::optional<Found> find_by_pieces(ocl::Device& device, const Turned& turned,
                                    const Problem& sketched, const Rates& rates,
                                    const AlignOptions& options, const AlignTuning& tuning,
                                    const tune::Store& store) {
  const double start = now(), built = device.clock().build;
  const Method method = method_named(kCorridor, std::string(kPieces));
  tune::Config config = tuning.cuts.values().empty() ? options.config : tuning.cuts;
  if (config.values().empty())
    config = tuned_config(device.info(), method, sketched, sketched.guess, store);
  const auto [at_once, windows] = pieces_setting(config, device.limits());
  std::future<void> ready;
  if (at_once > 1) ready = wfa::make_ready(device, *sketched.code, sketched.threads);
  corridor::Cutting cutting =
      corridor::find_cuts(device, sketched, config, rates, {.all = true, .windows = windows});
  if (cutting.cuts.given_up) throw Error(Kind::kStopped, "the run was stopped");
  if (cutting.cuts.cells.size() < 2) return std::nullopt;
  if (at_once == 1) cutting.texts = nullptr;
  Pieces pieces(device, turned, sketched, cutting, at_once, rates, options, tuning, store);
  pieces.run(device);
  Found found;
  found.engine = method.engine;
  found.variant = method.variant;
  found.device = device.info().name;
  found.cells = cutting.cuts.computed;
  found.timing.transfer = cutting.transfer;
  found.timing.build = device.clock().build - built;
  pieces.take(found);
  found.found_at = now();
  found.timing.compute = found.found_at - start - found.timing.build - found.timing.transfer;
  return found;
}

}  // namespace rhomb::align
