// SPDX-License-Identifier: Apache-2.0
#include "host/align/align.h"

#include <algorithm>
#include <future>
#include <limits>
#include <utility>

#include "host/align/by_pieces.h"
#include "host/align/fronts.h"
#include "host/align/halves.h"
#include "host/align/reference.h"
#include "host/align/slab.h"
#include "host/align/trace.h"
#include "host/align/waves.h"
#include "host/batch/threads.h"
#include "host/corridor/corridor.h"
#include "host/distance/close.h"
#include "host/distance/distance.h"
#include "host/distance/methods.h"
#include "host/distance/pieces.h"
#include "host/engine/choose.h"
#include "host/search/occurrence.h"
#include "host/seq/packed.h"

namespace rhomb {
namespace {

using align::Found;
using align::Left;
using align::Turned;

/// A thread is worth its while for so many symbols.
constexpr std::size_t kShareOfThread = std::size_t{1} << 19;

/// So many cells the plain alignment takes 200 MB for, and half a second.
constexpr double kPlainCells = 5e7;

void encode(std::string_view text, const std::array<std::uint8_t, 256>& code, std::size_t threads,
            std::vector<std::uint8_t>& codes) {
  codes.resize(text.size());
  const std::size_t parts = std::min(batch::threads_of(threads), text.size() / kShareOfThread + 1);
  batch::in_parts(text.size(), parts, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) codes[i] = code[static_cast<unsigned char>(text[i])];
  });
}

/// Both texts as codes, which are not needed before there is a distance.
align::Codes encoded(const Turned& turned) {
  align::Codes codes = turned.codes;
  encode(turned.problem.a, turned.code.a, turned.problem.threads, codes.rows);
  encode(turned.problem.b, turned.code.b, turned.problem.threads, codes.columns);
  return codes;
}

/// The rest of a path that has come to place `entry` of the first row.
Cigar along_first_row(const Turned& turned, std::int64_t entry) {
  Cigar rest;
  rest.add(turned.codes.by_column(), entry);
  return rest;
}

/// Distance and path by the host alone, in a band that grows until all cheapest paths are inside.
struct ByHost {
  std::int64_t distance = 0;
  std::vector<Cigar> backwards;
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
    const align::Slab slab(turned.coded.get(), region, memory);
    made.cells += slab.cells();
    made.distance = slab.cost(n);
    if (made.distance <= region.threshold || region.threshold >= n) {
      if (made.distance > max_distance.value_or(n)) return made;
      align::Path path = slab.walk(n);
      made.backwards = {std::move(path.backwards), along_first_row(turned, path.entry)};
      return made;
    }
    region.threshold = std::min(made.distance, n);
  }
}

/// Bytes of the host without the rows that slabs keep: texts, their codes, the codes reversed where
/// what leads to the end is walked through, too, and the texts reversed where gaps are on the
/// right; and two runs an edit, backwards in pieces, which grow by doubling, and in one piece.
double fixed_bytes(double symbols, std::int64_t distance, bool both_ways, bool gaps_right) {
  return symbols * (2 + (both_ways ? 1 : 0) + (gaps_right ? 1 : 0)) +
         6 * sizeof(Cigar::Run) * static_cast<double>(distance);
}

/// Memory of the host, and what it is enough for.
class Room {
 public:
  Room(const AlignTuning& tuning, const AlignOptions& options, std::size_t symbols)
      : tuning_(tuning), options_(options), symbols_(static_cast<double>(symbols)) {}

  const AlignTuning& tuning() const { return tuning_; }

  /// For paths that so many threads look for; 0: all. Throws MemoryError.
  align::TraceOptions options(std::int64_t distance, std::size_t threads = 0) const {
    // Codes that are reversed besides are no reason to refuse what fits without them.
    const double fixed = fixed_bytes(symbols_, distance, false, options_.gaps_right);
    std::size_t memory = tuning_.memory;
    if (options_.memory > 0) {
      if (fixed > static_cast<double>(options_.memory))
        throw MemoryError("the alignment needs about " +
                          std::to_string(static_cast<std::int64_t>(fixed)) +
                          " bytes of the host's memory, more than the limit of " +
                          std::to_string(options_.memory));
      memory = std::min(memory, options_.memory - static_cast<std::size_t>(fixed));
    }
    align::TraceOptions made;
    made.threads = options_.threads;
    made.memory = memory / (threads > 0 ? threads : batch::threads_of(options_.threads));
    made.piece = tuning_.piece;
    made.pair_cells = tuning_.pair_cells;
    return made;
  }

  /// Whether the host walks through a whole pair by wavefronts that begin at its first symbols.
  bool at_once(std::int64_t rows, std::int64_t columns, std::int64_t distance) const {
    return std::max(align::Waves::numbers(rows, columns, distance), 0.0) < tuning_.most_numbers;
  }

 private:
  const AlignTuning& tuning_;
  const AlignOptions& options_;
  const double symbols_;  // of both texts
};

void take(Found& found, const Answer& answer, const Method& method, const ocl::Device* device) {
  if (answer.given_up) throw Error(Kind::kStopped, "the run was stopped");
  found.engine = method.engine;
  found.variant = method.variant;
  found.device = device != nullptr ? device->info().name : "host";
  found.distance = answer.distance;
  found.found_at = now();
  found.cells += answer.cells;
  found.timing.build += answer.build;
  found.timing.transfer += answer.transfer;
  found.timing.compute += answer.compute;
}

std::optional<Cigar> as_pair(ocl::Device& device, const Turned& whole, const align::Point& from,
                             const align::Point& to, std::int64_t about, const Room& room,
                             const tune::Config& config);

/// The strips, which keep rows on the device. `problem` has a guess. Nothing where there is no room
/// for rows, or where the matrix is too small for two halves.
std::optional<Found> find_by_strips(ocl::Device& device, const Turned& turned,
                                    const Problem& problem, const Room& room,
                                    const tune::Config& config) {
  const strip::Plan plan = strip::variants().front().plan(problem, device.limits(), config);
  if (plan.size.lower == 0) return std::nullopt;
  const std::int64_t rows = room.tuning().slab_rows > 0 ? room.tuning().slab_rows
                                                        : strip::usual_rows_apart(device.limits());
  std::uint32_t apart = strip::lanes_apart(plan, device.limits(), rows);
  auto reversed = std::async(batch::beside(problem.threads), [&] {
    return align::reversed(turned.coded.get(), plan.size.padding);
  });
  std::optional<strip::Halves> halves;
  std::optional<strip::Crossed> crossed;
  while (!crossed) {
    try {
      halves.emplace(device, plan, problem, apart);
      crossed = halves->solve();
    } catch (const Error& error) {
      // Others use the device's memory, too: fewer rows then, or none.
      if (apart == 0 || !out_of_memory(error)) throw;
      halves.reset();
      apart = 8 * apart < plan.size.upper ? 8 * apart : 0;
    }
  }
  Found found;
  take(found, crossed->answer, method_named(kStrips), &device);
  if (!found.distance) return found;
  const trace::Scope scope(problem.trace, trace::Work::kWalk);
  align::TraceOptions options = room.options(*found.distance);
  options.as_pair = [&](const align::Point& from, const align::Point& to, std::int64_t about) {
    halves.reset();  // all of its rows have been read
    return as_pair(device, turned, from, to, about, room, plan.config);
  };
  found.traced = align::trace_halves(*halves, plan, crossed->crossing, *found.distance, problem,
                                     turned.coded.get(), reversed.get(), options);
  return found;
}

/// What lies between two points of a pair, backwards, if that is a good deal less than the pair.
std::optional<Cigar> as_pair(ocl::Device& device, const Turned& whole, const align::Point& from,
                             const align::Point& to, std::int64_t about, const Room& room,
                             const tune::Config& config) {
  const std::int64_t rows = to.row - from.row, columns = to.place - from.place;
  if (rows + columns > (whole.rows() + whole.columns()) / 4 * 3) return std::nullopt;
  Problem problem = whole.problem;
  problem.a = problem.a.substr(static_cast<std::size_t>(from.row), static_cast<std::size_t>(rows));
  problem.b =
      problem.b.substr(static_cast<std::size_t>(from.place), static_cast<std::size_t>(columns));
  problem.chain = {};
  problem.max_distance.reset();
  problem.progress = {};
  Turned part;
  part.codes.turned = whole.codes.turned;
  align::turn(problem, part);
  part.coded = std::async(std::launch::deferred, [&] { return encoded(part); });
  part.problem.guess = about + about / 16;
  Cigar backwards;
  backwards.add(Edit::kMatch, part.suffix);
  const auto append = [&](std::span<const Cigar> parts, std::int64_t entry) {
    for (const Cigar& one : parts) backwards.append(one);
    backwards.append(along_first_row(part, entry));
    return backwards;
  };
  if (part.problem.a.empty()) return append({}, part.columns());
  try {
    if (const auto found = find_by_strips(device, part, part.problem, room, config))
      return append(found->traced->backwards, found->traced->entry);
    return append(by_host(part, std::nullopt, room.options(about).memory).backwards,
                  0);             // few rows
  } catch (const tune::Unfit&) {  // the settings are for larger pairs
  } catch (const std::bad_alloc&) {
  } catch (const Error& error) {
    if (!left_to_others(error)) throw;
  }
  return std::nullopt;
}

/// The corridor, without a device that of the host. Its best path so far goes to `problem` where it
/// gives up: then nothing.
std::optional<Found> find_by_corridor(ocl::Device* device, const Turned& turned, Problem& problem,
                                      std::int64_t expected, const Room& room,
                                      const tune::Config& config) {
  Problem sketched = problem;
  sketched.guess = expected;
  const std::string variant(device != nullptr ? "" : corridor::kHostCorridor);
  const Method method = method_named(kCorridor, variant);
  try {
    const corridor::Plan plan =
        find_variant(corridor::variants(), method.variant)
            .plan(sketched, device != nullptr ? device->limits() : ocl::Limits(), config);
    const corridor::Kept kept = corridor::solve_keeping(device, plan, sketched);
    if (kept.answer.passed_on) {
      if (kept.answer.at_most) problem.guess = kept.answer.at_most;
      return std::nullopt;
    }
    Found found;
    take(found, kept.answer, method, device);
    if (!found.distance) return found;
    const trace::Scope scope(problem.trace, trace::Work::kWalk);
    found.traced = align::trace(turned.coded.get(), kept.rows, turned.rows(), turned.columns(),
                                *found.distance, room.options(*found.distance));
    return found;
  } catch (const Error& error) {
    if (!out_of_memory(error)) throw;
  } catch (const std::bad_alloc&) {  // its bounds are in the host's memory
  }
  return std::nullopt;
}

/// The path of wavefronts that met, if the memory for what is read of their rows suffices.
void walk_fronts(wfa::Fronts kept, ocl::Device& device, const Turned& turned, const Room& room,
                 const align::Codes& reversed, Found& found) {
  const trace::Scope scope(turned.problem.trace, trace::Work::kWalk);
  std::optional<wfa::Fronts> fronts = std::move(kept);
  align::TraceOptions tracing = room.options(*found.distance);
  tracing.as_pair = [&](const align::Point& from, const align::Point& to, std::int64_t about) {
    fronts.reset();  // all of its rows have been read
    return as_pair(device, turned, from, to, about, room, room.tuning().strips);
  };
  try {
    found.traced =
        align::trace_fronts(*fronts, *found.distance, turned.coded.get(), reversed, tracing);
  } catch (const Error& error) {  // the rows have left no memory for what is read of them
    if (!out_of_memory(error)) throw;
  }
}

/// Wavefronts, as long as `choice` lets them run and memory suffices. They keep rows, unless the
/// host walks through the pair at once.
std::optional<Found> find_by_wavefronts(ocl::Device& device, const Turned& turned,
                                        const Problem& rest, const Choice& choice, const Room& room,
                                        const tune::Config& config) {
  const Method method = method_named(kWavefront);
  const bool at_once = choice.sketch.distance > 0 &&
                       room.at_once(turned.rows(), turned.columns(), choice.sketch.distance);
  const auto prefix = static_cast<std::int64_t>(turned.problem.a.size() - rest.a.size());
  std::future<align::Codes> reversed;
  if (!at_once)
    reversed = std::async(batch::beside(rest.threads),
                          [&] { return align::reversed(turned.coded.get()); });
  std::optional<wfa::Fronts> fronts;
  const Tried tried = try_wavefronts(
      [&](const Problem& patient) {
        if (at_once) return method.solve(&device, patient, config);
        const wfa::Plan plan = wfa::variants().front().plan(patient, device.limits(), config);
        const std::uint64_t most = device.limits().global_bytes / 2;
        if (wfa::bytes_kept(plan, choice.sketch.distance) > static_cast<double>(most))
          throw MemoryError("the wavefronts' rows need more memory than the device has");
        wfa::Met met = wfa::meet_keeping(device, plan, patient, prefix, most);
        fronts = std::move(met.fronts);
        return met.answer;
      },
      turned.problem, choice);
  if (tried.go_on) return std::nullopt;
  Found found;
  take(found, tried.answer, method, &device);
  if (fronts) walk_fronts(*std::move(fronts), device, turned, room, reversed.get(), found);
  return found;
}

/// What wavefronts have left of a pair whose launches were shared.
Found find_by_rows(ocl::Device& device, const Turned& turned, const Room& room, Left left) {
  const Method method = method_named(kWavefront, std::string(wfa::kFusedBatch));
  Found found;
  found.engine = method.engine;
  found.variant = method.variant;
  found.device = device.info().name;
  found.distance = left.distance;
  found.cells = left.cells;
  found.found_at = now();
  if (!room.at_once(turned.rows(), turned.columns(), left.distance))
    walk_fronts(wfa::Fronts(device, std::move(left.rows)), device, turned, room,
                align::reversed(turned.coded.get()), found);
  return found;
}

/// The engine that is asked for, or that distance() would choose, so that it leaves rows; nothing
/// where that is one that does not.
std::optional<Found> find_whole(ocl::Device& device, const Turned& turned, const Rates& rates,
                                const AlignOptions& options, const Room& room,
                                const tune::Store& store) {
  using Start = Choice::Start;
  const AlignTuning& tuning = room.tuning();
  if (options.check || options.max_distance) return std::nullopt;
  const auto asked = method_of(options);
  const bool asked_pieces = asked && asked->variant == kPieces;
  if (asked && !asked_pieces && asked->variant != method_named(asked->engine).variant)
    return std::nullopt;
  Problem problem = turned.problem;
  const Problem rest = trimmed(problem);
  if (easy_answer(rest)) return std::nullopt;
  const std::future<void> ready = corridor::make_ready(device, rest);
  trace::Scope choosing(problem.trace, trace::Work::kChoose);
  Choice choice = choose(rest, device.limits(), rates);
  choosing.end();
  const std::int64_t distance = choice.sketch.distance;
  const auto by_pieces = [&] {
    Problem sketched = rest;
    sketched.guess = distance;
    sketched.chain = choice.sketch.chain;
    return align::find_by_pieces(device, turned, sketched, rates, options, tuning, store);
  };
  if ((asked ? asked_pieces : tuning.pieces.value_or(choice.cut_to_align)) &&
      !choice.sketch.chain.empty())
    if (auto found = by_pieces()) return found;
  if (asked_pieces) return std::nullopt;
  choose_to_align(choice);
  if (choice.start == Start::kProbe) choice.start = Start::kWave;
  if (asked) {
    choice.start = asked->engine == kWavefront  ? Start::kWave
                   : asked->engine == kCorridor ? Start::kCorridor
                                                : Start::kStrips;
    choice.patience = std::numeric_limits<double>::infinity();
    choice.possible = true;  // where memory does not suffice, they run again and keep nothing
  }
  const auto setting = [&](std::string_view engine, const tune::Config& forced) {
    if (!forced.values().empty()) return forced;
    if (asked && asked->engine == engine && !options.config.values().empty()) return options.config;
    std::optional<std::int64_t> expected;
    if (distance > 0) expected = distance;
    Problem guessed = rest;
    guessed.chain = choice.sketch.chain;
    guessed.guess = engine == kStrips ? choice.threshold : expected;
    return tuned_config(device.info(), method_named(engine), guessed, expected, store);
  };
  if (choice.start == Start::kWave) {
    if (!choice.possible) return std::nullopt;
    auto found =
        find_by_wavefronts(device, turned, rest, choice, room, setting(kWavefront, tuning.waves));
    if (found || asked) return found;
  }
  // One pass of the strips is enough where a path is known.
  problem.guess = tuning.at_most.value_or(choice.threshold);
  // The prefix that both have was left out.
  std::vector<Anchor> chain = choice.sketch.chain;
  const auto prefix = static_cast<std::int64_t>(problem.a.size() - rest.a.size());
  for (Anchor& anchor : chain) {
    anchor.i += prefix;
    anchor.j += prefix;
  }
  problem.chain = chain;
  if (choice.start == Start::kCorridor) {
    if (chain.empty()) return std::nullopt;
    if (auto found =
            find_by_corridor(&device, turned, problem, distance, room, setting(kCorridor, {})))
      return found;
    if (!asked && tuning.pieces.value_or(choice.cut_then))
      if (auto found = by_pieces()) return found;
  }
  return find_by_strips(device, turned, problem, room, setting(kStrips, tuning.strips));
}

/// By the host, where a method of its own is asked for that leaves rows.
std::optional<Found> find_by_host(const Turned& turned, const AlignOptions& options,
                                  const Room& room) {
  const auto asked = method_of(options);
  if (!asked || asked->variant != corridor::kHostCorridor || options.max_distance)
    return std::nullopt;
  Problem problem = turned.problem;
  Sketch sketch;
  corridor::look(problem, sketch);
  if (problem.chain.empty()) return std::nullopt;
  return find_by_corridor(nullptr, turned, problem, *problem.guess, room, options.config);
}

}  // namespace

void align::turn(const Problem& problem, Turned& turned) {
  turned.problem = problem;
  std::string_view& a = turned.problem.a;
  std::string_view& b = turned.problem.b;
  while (!a.empty() && !b.empty() && problem.code->match(a.back(), b.back())) {
    a.remove_suffix(1);
    b.remove_suffix(1);
    ++turned.suffix;
  }
  turned.code = *problem.code;
  if (a.size() > b.size()) {
    turned.codes.turned = !turned.codes.turned;
    std::swap(a, b);
    std::swap(turned.code.a, turned.code.b);
  }
  turned.codes.planes = turned.code.planes;
  turned.codes.sets = turned.code.matching == seq::Matching::kSets;
  turned.problem.code = &turned.code;
}

AlignAnswer align::align_strand(ocl::Device* device, std::string_view query,
                                std::string_view target, const AlignOptions& options,
                                const AlignTuning& tuning, std::optional<Left> left) {
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
  turned.coded = std::async(batch::beside(options.threads), [&] { return encoded(turned); });
  const Room room(tuning, options, query.size() + target.size());
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
    ByHost made = by_host(turned, options.max_distance, room.options(n).memory);
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
        found = find_by_rows(*device, turned, room, *std::move(left));
      else if (device != nullptr)
        found = find_whole(*device, turned, rates, options, room, store);
      else
        found = find_by_host(turned, options, room);
    } catch (const SelfTestError&) {  // distance() finds what computes instead, or says so
    }
    if (!found && tuning.or_nothing) return answer;
    if (!found) {
      DistanceOptions asked = options;
      asked.store = &store;
      const DistanceAnswer answered = rhomb::distance(device, query, target, asked);
      found = Found{answered.distance,
                    answered.engine,
                    answered.variant,
                    answered.device,
                    answered.cells,
                    answered.timing,
                    now(),
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
      if (!made && device != nullptr && !room.at_once(m, n, distance)) {
        Problem known = turned.problem;
        known.guess = distance;
        known.max_distance.reset();
        known.progress = {};
        try {
          if (auto again = find_by_strips(*device, turned, known, room, room.tuning().strips)) {
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
      made->backwards.push_back(along_first_row(turned, made->entry));
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
                       const AlignOptions& options, const AlignTuning& tuning) {
  const double start = now();
  check_method(options);
  if (!options.keeping.folder.empty()) throw UsageError("alignments save no checkpoints");
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
  AlignAnswer answer = align::align_strand(device, query, target, options, tuning);
  if (options.gaps_right) answer.cigar.reverse();
  answer.strand = strand;
  answer.timing.total = now() - start;
  return answer;
}

Facts explain_alignment(const ocl::DeviceInfo* device, std::string_view query,
                        std::string_view target, const AlignOptions& options) {
  Facts facts = explain_distance(device, query, target, options, {}, true);
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
  const double fixed = fixed_bytes(static_cast<double>(query.size() + target.size()), distance,
                                   !one_way && !by_host, options.gaps_right);
  facts.set("host_bytes", static_cast<std::int64_t>(fixed));
  facts.add("host_bytes_at_most",
            static_cast<std::int64_t>(fixed + static_cast<double>(AlignTuning{}.memory)));
  return facts;
}

}  // namespace rhomb
