// SPDX-License-Identifier: Apache-2.0
#include "host/align/align.h"

#include <algorithm>
#include <utility>

#include "host/align/reference.h"
#include "host/align/trace.h"
#include "host/align/waves.h"
#include "host/batch/threads.h"
#include "host/corridor/corridor.h"
#include "host/distance/distance.h"
#include "host/distance/methods.h"
#include "host/engine/choose.h"
#include "host/search/occurrence.h"
#include "host/seq/packed.h"

namespace rhomb {
namespace {

/// So many cells the plain alignment takes 200 MB for, and half a second.
constexpr double kPlainCells = 5e7;

/// Bytes of the host for codes, runs and what has been read back, without the rows that slabs keep.
double fixed_bytes(std::size_t m, std::size_t n, std::int64_t distance, bool reversed) {
  const auto symbols = static_cast<double>(m) + static_cast<double>(n);
  // Two runs an edit, backwards in pieces and in one piece, in vectors that grow by doubling.
  return symbols * (reversed ? 2 : 1) + 4 * sizeof(Cigar::Run) * static_cast<double>(distance);
}

/// The pair as the parts see it: the shorter text in the rows, no common suffix, which any optimal
/// alignment may begin its walk back with. (Not so the prefix: gaps may belong into it.)
struct Turned {
  seq::Code code;
  Problem problem;
  align::Codes codes;
  std::int64_t suffix = 0;
};

void encode(std::string_view text, const std::array<std::uint8_t, 256>& code, std::size_t threads,
            std::vector<std::uint8_t>& codes) {
  codes.resize(text.size());
  batch::in_parts(text.size(), batch::parts_of(text.size(), threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i)
                      codes[i] = code[static_cast<unsigned char>(text[i])];
                  });
}

void turn(const Problem& problem, Turned& turned) {
  turned.problem = problem;
  std::string_view& a = turned.problem.a;
  std::string_view& b = turned.problem.b;
  while (!a.empty() && !b.empty() && problem.code->match(a.back(), b.back())) {
    a.remove_suffix(1);
    b.remove_suffix(1);
    ++turned.suffix;
  }
  turned.code = *problem.code;
  turned.codes.turned = a.size() > b.size();
  if (turned.codes.turned) {
    std::swap(a, b);
    std::swap(turned.code.a, turned.code.b);
  }
  turned.codes.planes = turned.code.planes;
  turned.codes.sets = turned.code.matching == seq::Matching::kSets;
  encode(a, turned.code.a, problem.threads, turned.codes.rows);
  encode(b, turned.code.b, problem.threads, turned.codes.columns);
  turned.problem.code = &turned.code;
}

/// Distance and path by the host alone, in a band that grows until all cheapest paths are inside.
struct ByHost {
  std::int64_t distance = 0;
  Cigar backwards;
  double cells = 0;
};

ByHost by_host(const Turned& turned, std::optional<std::int64_t> max_distance, std::size_t memory) {
  const auto m = static_cast<std::int64_t>(turned.problem.a.size());
  const auto n = static_cast<std::int64_t>(turned.problem.b.size());
  ByHost made;
  align::Region region;
  region.rows = m;
  region.top = {0};
  region.first_exit = region.last_exit = n;
  region.threshold = std::max<std::int64_t>({n - m, n / 16, 64});
  for (;;) {
    const align::Slab slab(turned.codes, region, memory);
    made.cells += slab.cells();
    made.distance = slab.cost(n);
    if (made.distance <= region.threshold || region.threshold >= n) {
      if (made.distance > max_distance.value_or(n)) return made;
      align::Path path = slab.walk(n);
      made.backwards = std::move(path.backwards);
      made.backwards.add(turned.codes.turned ? Edit::kInsert : Edit::kDelete, path.entry);
      return made;
    }
    region.threshold = std::min(made.distance, n);
  }
}

/// What a run found, and what it left for the path.
struct Found {
  std::optional<std::int64_t> distance;
  std::string engine, variant, device;
  double cells = 0;
  Timing timing;
  std::vector<KeptRow> rows;              ///< of the corridor
  std::optional<align::Boundary> middle;  ///< of the strips
};

void take(Found& found, const Answer& answer, const Method& method, const ocl::Device& device) {
  if (answer.given_up) throw Error(Kind::kStopped, "the run was stopped");
  found.engine = method.engine;
  found.variant = method.variant;
  found.device = device.info().name;
  found.distance = answer.distance;
  found.cells += answer.cells;
  found.timing.build += answer.build;
  found.timing.transfer += answer.transfer;
  found.timing.compute += answer.compute;
}

/// The engine that distance() would choose, so that it leaves rows; nothing where that is one that
/// does not.
std::optional<Found> find_whole(ocl::Device& device, const Turned& turned, const Rates& rates,
                                const AlignOptions& options, const tune::Store& store) {
  if (method_of(options) || options.check || options.max_distance) return std::nullopt;
  Problem problem = turned.problem;
  const Problem rest = trimmed(problem);
  if (easy_answer(rest)) return std::nullopt;
  trace::Scope choosing(problem.trace, trace::Work::kChoose);
  const Choice choice = choose(rest, device.limits(), rates);
  choosing.end();
  problem.guess = choice.threshold;
  Found found;
  if (choice.start == Choice::Start::kCorridor) {
    Problem sketched = problem;
    sketched.guess = choice.sketch.distance;
    const Method method = method_named(kCorridor);
    const auto& variant = corridor::variants().front();
    const tune::Config config =
        tuned_config(device.info(), method, sketched, sketched.guess, store);
    try {
      const corridor::Plan plan = variant.plan(sketched, device.limits(), config);
      corridor::Kept kept = corridor::solve_keeping(device, plan, sketched);
      if (!kept.answer.passed_on) {
        take(found, kept.answer, method, device);
        found.rows = std::move(kept.rows);
        return found;
      }
      found.cells = kept.answer.cells;
      found.timing.compute = kept.answer.compute;
      if (kept.answer.at_most) problem.guess = kept.answer.at_most;
    } catch (const Error& error) {
      if (!out_of_memory(error)) throw;
    } catch (const std::bad_alloc&) {  // its bounds are in the host's memory
    }
  } else if (choice.start != Choice::Start::kStrips) {
    return std::nullopt;
  }
  const strip::Plan plan = strip::variants().front().plan(problem, device.limits(), {});
  if (plan.size.lower == 0) return std::nullopt;
  strip::Crossed crossed = strip::cross_all(device, plan, problem);
  take(found, crossed.answer, method_named(kStrips), device);
  strip::Crossing& row = crossed.crossing;
  found.middle = align::Boundary{row.row, row.first, std::move(row.before), std::move(row.after)};
  return found;
}

void check_memory(double bytes, const AlignOptions& options) {
  if (options.memory > 0 && bytes > static_cast<double>(options.memory))
    throw MemoryError(
        "the alignment needs about " + std::to_string(static_cast<std::int64_t>(bytes)) +
        " bytes of the host's memory, more than the limit of " + std::to_string(options.memory));
}

AlignAnswer align_strand(ocl::Device* device, std::string_view query, std::string_view target,
                         const AlignOptions& options, const align::DivideOptions& divide) {
  const double start = now();
  AlignAnswer answer;
  Problem problem = problem_of(query, target, options);
  check_problem(problem);
  const seq::Code code = seq::make_code(query, target, options.ambiguous);
  problem.code = &code;
  Turned turned;
  turn(problem, turned);
  align::DivideOptions within = divide;
  const auto room = [&](std::int64_t distance) {
    const double fixed = fixed_bytes(query.size(), target.size(), distance, options.gaps_right);
    check_memory(fixed, options);
    if (options.memory > 0)
      within.memory = std::min(within.memory, options.memory - static_cast<std::size_t>(fixed));
  };
  answer.parts = 1;
  const auto finish = [&](Cigar backwards, std::int64_t distance) {
    answer.distance = distance;
    Cigar all;
    all.add(Edit::kMatch, turned.suffix);
    all.append(backwards);
    all.reverse();
    all.verify(query, target, code, distance, options.threads);
    answer.cigar = std::move(all);
  };
  const auto along_first_row = [&](align::Path& path) {
    path.backwards.add(turned.codes.turned ? Edit::kInsert : Edit::kDelete, path.entry);
    return std::move(path.backwards);
  };
  const auto m = static_cast<std::int64_t>(turned.problem.a.size());
  const auto n = static_cast<std::int64_t>(turned.problem.b.size());
  const auto limit = options.max_distance.value_or(n);
  if (m == 0 || aligned_at_once(query.size(), target.size(), options)) {
    answer.engine = kReference;
    answer.variant = method_named(kReference).variant;
    answer.device = "host";
    room(n);
    ByHost made = by_host(turned, options.max_distance, within.memory);
    answer.cells = made.cells;
    if (made.distance <= limit) finish(std::move(made.backwards), made.distance);
  } else {
    const tune::Store loaded = options.store != nullptr ? tune::Store() : tune::Store::load();
    const tune::Store& store = options.store != nullptr ? *options.store : loaded;
    const Rates rates =
        device != nullptr ? known_rates(device->info(), store) : usual_rates(ocl::Limits{});
    std::optional<Found> kept;
    if (device != nullptr) kept = find_whole(*device, turned, rates, options, store);
    if (!kept) {
      DistanceOptions asked = options;
      asked.store = &store;
      const DistanceAnswer found = rhomb::distance(device, query, target, asked);
      kept = Found{found.distance,
                   found.engine,
                   found.variant,
                   found.device,
                   found.cells,
                   found.timing,
                   {},
                   {}};
    }
    answer.engine = kept->engine;
    answer.variant = kept->variant;
    answer.device = kept->device;
    answer.cells = kept->cells;
    answer.timing = kept->timing;
    answer.distance_seconds = now() - start;
    if (kept->distance) {
      const std::int64_t distance = *kept->distance;
      room(distance);
      const trace::Scope scope(problem.trace, trace::Work::kWalk);
      const double begin = now();
      // The first row is enough where that is soon done.
      if (kept->rows.empty() && !kept->middle && !within.most_rows &&
          align::Waves::numbers(m, n, distance) < within.most_numbers)
        kept->rows = {KeptRow{}};
      if (!kept->rows.empty()) {
        align::Traced made = align::trace(turned.codes, kept->rows, {m, n, distance},
                                          {options.threads, within.memory / 2, 0});
        answer.cells += made.cells;
        answer.parts = made.parts;
        finish(along_first_row(made.path), distance);
      } else {
        align::Divided made = align::divide(device, rates, turned.problem, turned.codes, distance,
                                            std::move(kept->middle), within);
        answer.cells += made.device_cells + made.host_cells;
        answer.parts = made.parts;
        finish(std::move(made.backwards), distance);
      }
      answer.timing.compute += now() - begin;
    }
  }
  if (options.check && answer.distance &&
      static_cast<double>(query.size()) * static_cast<double>(target.size()) <= kPlainCells &&
      reference::alignment(query, target, code) != answer.cigar)
    throw CheckError("check failed: the plain algorithm has another alignment; please report this");
  answer.timing.total = now() - start;
  return answer;
}

}  // namespace

bool aligned_at_once(std::size_t query, std::size_t target, const AlignOptions& options) {
  const auto method = method_of(options);
  return answered_at_once(query, target, options) || (method && method->engine == kReference);
}

AlignAnswer align_pair(ocl::Device* device, std::string_view query, std::string_view target,
                       const AlignOptions& options, const align::DivideOptions& divide) {
  const double start = now();
  check_method(options);
  std::string turned;
  char strand = '+';
  if (options.both_strands) {
    turned = search::reverse_complement(query, target);
    DistanceOptions asked = options;
    asked.check = false;
    const auto forward = rhomb::distance(device, query, target, asked).distance;
    if (forward) asked.max_distance = std::max<std::int64_t>(*forward, 1) - 1;
    const auto backward = rhomb::distance(device, turned, target, asked).distance;
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
  AlignAnswer answer = align_strand(device, query, target, options, divide);
  if (options.gaps_right) answer.cigar.reverse();
  answer.strand = strand;
  answer.timing.total = now() - start;
  return answer;
}

Facts explain_alignment(const ocl::DeviceInfo* device, std::string_view query,
                        std::string_view target, const AlignOptions& options) {
  Facts facts = explain_distance(device, query, target, options);
  std::int64_t distance = static_cast<std::int64_t>(std::max(query.size(), target.size()));
  for (const auto& [name, value] : facts.all())
    if (name == "estimated_distance")
      distance = std::min(distance, std::int64_t{std::stoll(value)});
  facts.add("alignment", aligned_at_once(query.size(), target.size(), options) || device == nullptr
                             ? "by the host alone"
                             : "the device divides the matrix at rows that all cheapest paths "
                               "cross; the host walks through the parts");
  facts.add("host_bytes_about",
            static_cast<std::int64_t>(
                fixed_bytes(query.size(), target.size(), distance, options.gaps_right) +
                static_cast<double>(align::DivideOptions{}.memory)));
  return facts;
}

}  // namespace rhomb
