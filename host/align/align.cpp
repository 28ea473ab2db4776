// SPDX-License-Identifier: Apache-2.0
#include "host/align/align.h"

#include <algorithm>
#include <future>
#include <utility>
#include <vector>

#include "host/align/reference.h"
#include "host/align/room.h"
#include "host/align/whole.h"
#include "host/distance/close.h"
#include "host/distance/distance.h"
#include "host/distance/methods.h"
#include "host/search/occurrence.h"

namespace rhomb {
namespace {

using align::Found;
using align::Left;
using align::Turned;

/// So many cells the plain alignment takes 200 MB for, and half a second.
constexpr double kPlainCells = 5e7;

}  // namespace

AlignAnswer align::align_strand(ocl::Device* device, std::string_view query,
                                std::string_view target, const AlignOptions& options,
                                const AlignTuning& tuning, const OtherDevices& others,
                                std::optional<Left> left) {
  const double start = now();
  AlignAnswer answer;
  Problem problem = problem_of(query, target, options);
  problem.trace = options.trace != nullptr || device == nullptr ? options.trace : device->trace();
  check_problem(problem);
  trace::Scope looking(problem.trace, trace::Work::kSymbols);
  const seq::Code code = tuning.code
                             ? *tuning.code
                             : seq::make_code(query, target, options.ambiguous, options.threads);
  looking.end();
  problem.code = &code;
  Turned turned;
  turn(problem, turned);
  turned.coded = std::async(batch::beside(options.threads), [&] { return align::encoded(turned); });
  const align::Room room(tuning, options, others, query.size() + target.size());
  answer.parts = 1;
  const auto finish = [&](std::vector<Cigar> backwards, std::int64_t distance) {
    answer.distance = distance;
    Cigar suffix;
    suffix.add(Edit::kMatch, turned.suffix);
    backwards.insert(backwards.begin(), std::move(suffix));
    answer.cigar = Cigar::reversed(backwards, options.threads);
    answer.cigar.verify(query, target, code, distance, options.threads);
  };
  const auto m = static_cast<std::int64_t>(turned.problem.a.size());
  const auto n = static_cast<std::int64_t>(turned.problem.b.size());
  const auto limit = options.max_distance.value_or(n);
  if (m == 0 || aligned_at_once(query.size(), target.size(), options)) {
    answer.engine = kReference;
    answer.variant = method_named(kReference).variant;
    answer.device = "host";
    align::ByHost made = align::by_host(turned, options.max_distance, room.options(n).memory);
    answer.cells = made.cells;
    if (made.distance <= limit) finish(std::move(made.backwards), made.distance);
  } else {
    const tune::Store loaded = options.store != nullptr ? tune::Store() : tune::Store::load();
    const tune::Store& store = options.store != nullptr ? *options.store : loaded;
    const Rates rates = tuning.rates        ? *tuning.rates
                        : device != nullptr ? known_rates(device->info(), store)
                                            : usual_rates(ocl::Limits{});
    std::optional<Found> found;
    try {
      if (left)
        found = align::find_by_rows(*device, turned, room, *std::move(left));
      else if (device != nullptr)
        found = align::find_whole(*device, turned, rates, options, room, store);
      else
        found = align::find_by_host(turned, options, room);
    } catch (const SelfTestError&) {  // distance() finds what computes instead, or says so
    }
    if (!found && tuning.or_nothing) return answer;
    if (!found) {
      DistanceOptions asked = options;
      asked.store = &store;
      const DistanceAnswer answered = rhomb::distance(device, query, target, asked, others);
      found = Found{answered.distance,
                    answered.engine,
                    answered.variant,
                    answered.device,
                    answered.cells,
                    answered.timing,
                    now(),
                    {},
                    {}};
    }
    answer.engine = found->engine;
    answer.variant = found->variant;
    answer.device = found->device;
    answer.cells = found->cells;
    answer.timing = found->timing;
    answer.distance_seconds = found->found_at - start;
    if (found->distance) {
      const std::int64_t distance = *found->distance;
      std::optional<align::Traced> made = std::move(found->traced);
      const trace::Scope scope(problem.trace, trace::Work::kWalk);
      if (!made && device != nullptr && !align::walked_at_once(room.tuning(), m, n, distance)) {
        Problem known = turned.problem;
        known.guess = distance;
        known.max_distance.reset();
        known.progress = {};
        try {
          if (auto again =
                  align::find_by_strips(*device, turned, known, room, room.tuning().strips)) {
            answer.cells += again->cells;
            made = std::move(again->traced);
          }
        } catch (const SelfTestError& error) {  // a slab of all rows then
          device->warn(error, "the host finds the alignment alone");
        } catch (const Error& error) {
          if (!out_of_memory(error)) throw;
        }
      }
      if (!made)
        made = align::trace(turned.coded.get(), std::vector{KeptRow{}}, m, n, distance,
                            room.options(distance, 1));
      answer.cells += made->cells;
      answer.parts = made->parts;
      made->backwards.push_back(align::along_first_row(turned, made->entry));
      finish(std::move(made->backwards), distance);
      answer.timing.compute += now() - found->found_at;
    }
  }
  if (options.check && answer.distance &&
      static_cast<double>(query.size()) * static_cast<double>(target.size()) <= kPlainCells &&
      reference::alignment(query, target, code) != answer.cigar)
    throw CheckError("check failed: the plain algorithm has another alignment; please report this");
  if (device != nullptr) device->record();
  answer.timing.total = now() - start;
  return answer;
}

bool aligned_at_once(std::size_t query, std::size_t target, const AlignOptions& options) {
  const auto method = method_of(options);
  return answered_at_once(query, target, options) || (method && method->engine == kReference);
}

std::optional<AlignAnswer> align_if_close(std::string_view query, std::string_view target,
                                          const AlignOptions& options) {
  if (options.both_strands) return std::nullopt;  // one of them is far
  const auto way = host_way(query, target, options);
  if (!way) return std::nullopt;
  const auto by = [&](const HostWay& one) {
    AlignTuning tuning;
    tuning.or_nothing = one.engine == kCorridor;
    return solve_by_host(options, one, [&](const AlignOptions& asked) {
      return align_pair(nullptr, query, target, asked, tuning);
    });
  };
  auto answer = by(*way);
  if (!answer || !answer->engine.empty()) return answer;
  return way->most > 0 ? by(host_wavefronts(way->most)) : std::nullopt;
}

AlignAnswer align_pair(ocl::Device* device, std::string_view query, std::string_view target,
                       const AlignOptions& options, const AlignTuning& tuning,
                       const OtherDevices& others) {
  const double start = now();
  check_method(options);
  if (!options.keeping.folder.empty()) throw UsageError("alignments save no checkpoints");
  std::string turned;
  char strand = '+';
  if (options.both_strands) {
    turned = search::reverse_complement(query, target);
    DistanceOptions asked = options;
    asked.check = false;
    const auto forward = rhomb::distance(device, query, target, asked, others).distance;
    if (forward) asked.max_distance = std::max<std::int64_t>(*forward, 1) - 1;
    const auto backward = rhomb::distance(device, turned, target, asked, others).distance;
    if (backward && (!forward || *backward < *forward)) {
      query = turned;
      strand = '-';
    }
  }
  std::string a, b;
  if (options.gaps_right) {  // leftmost in the reversed texts
    a.assign(query.rbegin(), query.rend());
    b.assign(target.rbegin(), target.rend());
    query = a;
    target = b;
  }
  AlignAnswer answer = align::align_strand(device, query, target, options, tuning, others);
  if (options.gaps_right) answer.cigar.reverse();
  answer.strand = strand;
  answer.timing.total = now() - start;
  return answer;
}

Facts explain_alignment(const ocl::DeviceInfo* device, std::string_view query,
                        std::string_view target, const AlignOptions& options,
                        std::span<const ocl::DeviceInfo> others) {
  Facts facts = explain_distance(device, query, target, options, others, true);
  const auto longer = static_cast<std::int64_t>(std::max(query.size(), target.size()));
  const std::int64_t distance =
      std::min(longer, facts.number("estimated_distance").value_or(longer));
  const bool by_host = aligned_at_once(query.size(), target.size(), options) || device == nullptr;
  facts.add("alignment", by_host ? "by the host alone"
                                 : "the device keeps rows of the matrix; the host walks through "
                                   "what lies between them");
  // Where there is no room for rows, the host computes all of them.
  if (const auto keeping = facts.number("device_bytes_with_kept_rows");
      keeping && !by_host && static_cast<std::uint64_t>(*keeping) < device->limits.global_bytes)
    facts.set("device_bytes", *keeping);
  const bool one_way = facts.text("engine") == kCorridor && facts.text("variant") != kPieces;
  const double fixed = align::fixed_bytes(static_cast<double>(query.size() + target.size()),
                                          distance, !one_way && !by_host, options.gaps_right);
  facts.set("host_bytes", static_cast<std::int64_t>(fixed));
  facts.add("host_bytes_at_most",
            static_cast<std::int64_t>(fixed + static_cast<double>(AlignTuning{}.memory)));
  return facts;
}

}  // namespace rhomb
