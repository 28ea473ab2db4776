// SPDX-License-Identifier: Apache-2.0
#include "host/strip/halves.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "cl/strip/band.h"
#include "cl/strip/launch.h"
#include "host/batch/threads.h"
#include "host/error.h"
#include "host/strip/banded_run.h"
#include "host/strip/internal.h"

template <>
inline constexpr bool rhomb::ocl::kPadded<StripKept> = sizeof(StripKept) != 112;

namespace rhomb::strip {
namespace {

/// A thread is worth its while for so many kept rows.
constexpr std::size_t kRowsOfThread = 512;

/// Kept rows that a GPU's guides are begun for at once, each.
constexpr std::size_t kRowsOfSegment = 192;

constexpr const char* kSlabs = "strip/slabs.cl";
/// Groups a compute unit that keep steps.
constexpr std::size_t kFollowGroups = 8;
/// Rounds of guides, at most.
constexpr std::int32_t kRounds = 6;

/// Words that a GPU has room for when it is asked for rows, at least.
constexpr std::size_t kRoomRead = std::size_t{1} << 18;

/// Columns that a path goes for each row, in the mean.
double mean_of(const Plan& plan) {
  return static_cast<double>(plan.size.n) / static_cast<double>(plan.size.m);
}

/// Columns of a window for each of its rows (SPREAD of slabs.cl): some slabs' paths go further than
/// the mean.
std::size_t spread_of(const Plan& plan) {
  const double mean = mean_of(plan);
  return mean < 1.75 ? 2 : mean < 3.5 ? 4 : 8;
}

ocl::Defines slab_defines(const Plan& plan, std::size_t words) {
  return {{"WORDS", std::to_string(words)},
          {"SPREAD", std::to_string(spread_of(plan))},
          {"PLANES", std::to_string(plan.planes)},
          {"SETS", plan.sets ? "1" : "0"}};
}

}  // namespace

struct Halves::Run {
  Run(ocl::Device& of, const Plan& plan, const Problem& problem, std::uint32_t apart,
      std::optional<std::uint32_t> only)
      : device(of),
        kernel(of.kernel(plan.program.file, plan.program.kernel, plan.program.defines)),
        built(now()),
        run(of, plan, problem, kernel, apart, only),
        packed(now()),
        rows(of.kernel(plan.program.file, "strip_rows", plan.program.defines)) {}

  ocl::Device& device;
  BandedRun<ocl::Device>::Kernel kernel;
  double built;
  BandedRun<ocl::Device> run;
  double packed;
  // To read rows; `asked` is written to `parts` while others are enqueued.
  ocl::Kernel rows;
  std::vector<std::uint64_t> asked;
  ocl::Buffer<std::uint64_t> parts;
  ocl::Buffer<std::uint32_t> copied;
  ocl::Pinned<std::uint32_t> there;
};

Halves::Halves(ocl::Device& device, const Plan& plan, const Problem& problem, std::uint32_t apart,
               ocl::Device* helper)
    : plan_(plan), problem_(problem), apart_(apart), runs_(helper != nullptr ? 2 : 1) {
  ensure_tested(device, plan);
  batch::in_parts(runs_.size(), runs_.size(), [&](std::size_t i, std::size_t, std::size_t) {
    std::optional<std::uint32_t> only;
    if (helper != nullptr) only = i;
    runs_[i] = std::make_unique<Run>(i == 0 ? device : *helper, plan, problem, apart, only);
  });
}
Halves::Halves(Halves&&) noexcept = default;
Halves::~Halves() = default;

std::size_t Halves::slab_words() const {
  return apart_ * static_cast<std::size_t>(plan_.shape.rows()) / 32;
}

bool Halves::can_follow() const {
  const std::size_t words = slab_words();
  return words > 0 && words <= STRIP_SLAB_GROUP;
}

std::vector<std::future<void>> Halves::make_ready() const {
  std::vector<std::future<void>> made;
  if (can_follow())
    for (const std::unique_ptr<Run>& of : runs_)
      made.push_back(engine::make_meanwhile(
          of->device, problem_.threads,
          [defines = slab_defines(plan_, slab_words())](ocl::Device& beside) {
            (void)beside.kernel(kSlabs, "strip_maps", defines);
          }));
  return made;
}

Crossed Halves::solve() {
  const trace::Scope scope(problem_.trace, trace::Work::kCompute);
  const Run& first = *runs_.front();
  Edges edges;
  Crossed crossed;
  crossed.answer = passes(
      plan_, problem_, [&](const Band& band, const Report& report) -> std::optional<std::int64_t> {
        band_ = band;
        // Only the first one reports.
        std::atomic<bool> given_up = false;
        batch::in_parts(runs_.size(), runs_.size(), [&](std::size_t i, std::size_t, std::size_t) {
          try {
            const bool done = runs_[i]->run.run(
                band, [&](double part) { return given_up || (i == 0 && report(part)); });
            if (!done) given_up = true;
          } catch (...) {
            given_up = true;
            throw;
          }
        });
        if (given_up) return std::nullopt;
        edges = {first.run.edges().upper, run_of(1).run.edges().lower};
        return least_sum(edges.upper, edges.lower, plan_.size.n);
      });
  crossed.answer.transfer = first.packed - first.built;
  crossed.answer.compute = now() - first.packed;
  if (crossed.answer.distance) {
    const std::string_view columns = plan_.swapped ? problem_.a : problem_.b;
    const auto [from, to] =
        least_places(edges.upper, edges.lower, plan_.size.n, *crossed.answer.distance,
                     static_cast<std::int64_t>(columns.size()));
    crossed.crossing = {plan_.size.upper * plan_.shape.rows(), from, to};
  }
  return crossed;
}

Halves::Half Halves::half(std::size_t direction) const {
  const std::int64_t lanes = direction == 0 ? plan_.size.upper : plan_.size.lower;
  const std::int64_t rows = plan_.shape.rows();
  Half half;
  half.end = lanes * rows;
  if (apart_ > 0)
    for (std::int64_t lane = apart_; lane < lanes; lane += apart_) half.rows.push_back(lane * rows);
  return half;
}

/// What follow() has enqueued.
struct Halves::Followed {
  ocl::Buffer<std::uint32_t> steps;
  ocl::Buffer<std::uint16_t> maps;
  ocl::Buffer<std::int32_t> moved, starts, ways;
  ocl::Buffer<std::uint32_t> path;
  std::size_t slabs = 0, path_words = 0;
  std::optional<ocl::Pending<std::int32_t>> ways_read;
  std::optional<ocl::Pending<std::uint32_t>> path_read;
};

std::optional<Halves::Followed> Halves::follow(Run& of, const ocl::Buffer<std::int32_t>& places,
                                               const StripKept& told) const {
  ocl::Device& device = of.device;
  if (!can_follow()) return std::nullopt;
  const std::size_t words = slab_words(), spread = spread_of(plan_);
  Followed made;
  made.slabs = half(0).rows.size() + 1;
  made.path_words = STRIP_PATH_WORDS(words, spread);
  const std::size_t wg = STRIP_SLAB_ITEMS(words), windows = wg / words;
  const std::size_t jobs = (3 * made.slabs + windows - 1) / windows;
  const std::size_t groups =
      std::min(jobs, kFollowGroups * static_cast<std::size_t>(device.limits().compute_units));
  const ocl::Defines defines = slab_defines(plan_, words);
  const std::size_t steps = groups * STRIP_SLAB_STEPS(words, spread);
  const std::size_t exits_of_all = 3 * made.slabs * STRIP_SLAB_EXITS(words);
  // Drivers that hand memory out late would only say so when it is used.
  if (4 * (of.run.kept().size() + steps) + 2 * exits_of_all > device.limits().global_bytes / 4 * 3)
    return std::nullopt;
  try {
    made.steps = device.buffer<std::uint32_t>(steps);
    made.maps = device.buffer<std::uint16_t>(exits_of_all);
  } catch (const Error& error) {
    if (error.kind() != Kind::kMemory) throw;
    return std::nullopt;
  }
  made.ways = device.filled<std::int32_t>(4 * made.slabs * STRIP_WAY_INTS, -1);
  made.path = device.buffer<std::uint32_t>(made.slabs * made.path_words);
  made.moved = device.filled<std::int32_t>(6 * made.slabs, 0);
  made.starts = device.filled<std::int32_t>((kRounds + 1) * STRIP_START_INTS, 0);
  const auto& run = of.run;
  const auto kernel = [&](const char* name) { return device.kernel(kSlabs, name, defines); };
  const auto maps = kernel("strip_maps"), ways = kernel("strip_ways"),
             again = kernel("strip_again");
  const ocl::Range all{jobs * wg, 1, wg, 1}, some{groups * wg, 1, wg, 1};
  for (std::int32_t round = 0; round < kRounds; ++round) {
    if (round > 0)
      again({std::size_t{STRIP_STARTS} * STRIP_SLAB_GROUP, 1, STRIP_SLAB_GROUP, 1}, run.kept(),
            places, made.moved, made.starts, round, told);
    maps(all, run.pattern(), run.text(), run.kept(), places, made.moved, made.starts, made.maps,
         round, told);
    ways({2 * of.run.directions() * STRIP_WAYS_GROUP, 1, STRIP_WAYS_GROUP, 1}, places, made.moved,
         made.maps, made.ways, made.starts, round, told);
  }
  kernel("strip_paths")(some, run.pattern(), run.text(), run.kept(), places, made.moved, made.steps,
                        made.ways, made.path, told);
  made.ways_read = device.read_later(made.ways, 0, made.ways.size());
  made.path_read = device.read_later(made.path, 0, made.path.size());
  return made;
}

std::array<Halves::Guide, 2> Halves::guide(const std::array<Exits, 2>& exits, std::int64_t distance,
                                           bool follow, bool turned, std::size_t rows_each) {
  std::array<Guide, 2> guides;
  if (apart_ > 0)
    batch::in_parts(runs_.size(), runs_.size(), [&](std::size_t i, std::size_t, std::size_t) {
      guide_of(*runs_[i], exits, distance, follow, turned, rows_each, guides);
    });
  return guides;
}

void Halves::guide_of(Run& of, const std::array<Exits, 2>& exits, std::int64_t distance,
                      bool follow, bool turned, std::size_t rows_each,
                      std::array<Guide, 2>& guides) {
  ocl::Device& device = of.device;
  const std::size_t kept = static_cast<std::size_t>(plan_.size.upper) / apart_;
  StripKept told{};
  told.below = band_.below;
  told.above = band_.above;
  told.columns = plan_.size.n;
  told.kept = static_cast<std::int64_t>(layout_of(plan_.size, plan_.shape, plan_.planes).last);
  for (const std::size_t direction : {0u, 1u}) {
    told.exits[2 * direction] = exits[direction].first;
    told.exits[2 * direction + 1] = exits[direction].last;
  }
  told.lanes_0 = static_cast<std::uint32_t>(plan_.size.upper);
  told.lanes_1 = static_cast<std::uint32_t>(plan_.size.lower);
  told.first_direction = of.run.first_direction();
  told.directions = of.run.directions();
  told.rows = static_cast<std::uint32_t>(plan_.shape.rows());
  told.apart = apart_;
  told.pitch = static_cast<std::uint32_t>(of.run.pitch());
  told.pattern_reverse = of.run.pattern_reverse();
  told.text_plane = of.run.text_plane();
  told.spare = static_cast<std::uint32_t>(STRIP_TEXT_SPARE(plan_.shape.group_lanes()));
  told.turned = turned;
  // Where rows of a much longer text's matrix cost one more each column, a drift of its mean is the
  // best if the tilt is what drift_cost() lacks of one there.
  const auto mean = static_cast<float>(mean_of(plan_));
  told.tilt =
      std::min(static_cast<float>(distance) / static_cast<float>(plan_.size.m + plan_.size.n),
               1.0f / (mean * mean));
  const std::size_t group = STRIP_GUIDE_GROUP(plan_.shape.block);
  const auto kernel = device.kernel(plan_.program.file, "strip_guide", plan_.program.defines);
  constexpr std::size_t words = 2 * STRIP_GUIDE_WORDS;
  auto copied = device.buffer<std::uint32_t>(2 * kept * words);
  auto found = device.buffer<std::int32_t>(4 * kept);
  if (rows_each == 0) rows_each = device.limits().gpu ? kRowsOfSegment : kept;
  const std::size_t segments = (kept + rows_each - 1) / rows_each;
  for (const std::int32_t join : {0, 1})
    if (join == 0 || segments > 1)
      kernel({of.run.directions() * (join == 0 ? segments : 1) * group, 1, group, 1}, of.run.kept(),
             copied, found, static_cast<std::int32_t>(segments), join, told);
  // Their memory is made while the kernel runs, and new memory takes about as long.
  auto places_read = device.read_later(found, 0, 4 * kept);
  auto words_read = device.read_later(copied, 0, 2 * kept * words);
  std::optional<Followed> followed;
  if (follow) followed = this->follow(of, found, told);
  const std::vector<std::int32_t>& places = places_read.wait();
  const auto all = std::make_shared<std::vector<std::uint32_t>>(words_read.get());

  const std::size_t end = of.run.first_direction() + of.run.directions();
  for (std::size_t direction = of.run.first_direction(); direction < end; ++direction) {
    const std::vector<std::int64_t> rows = half(direction).rows;
    Guide& guide = guides[direction];
    guide.words = {all, all->data()};
    guide.rows.resize(rows.size());
    guide.places.resize(rows.size());
    const std::size_t parts =
        std::min(batch::threads_of(problem_.threads), rows.size() / kRowsOfThread + 1);
    batch::in_parts(rows.size(), parts, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t number = direction * kept + k;
        const std::int64_t first = places[2 * number + 1];
        guide.places[k] = places[2 * number];
        guide.rows[k] =
            row_of(rows[k], first, first + STRIP_GUIDE_WORDS, all->data() + number * words);
      }
    });
  }
  // What was copied is not proved by what comes of it, so some of it is compared.
  for (std::size_t direction = of.run.first_direction(); direction < end; ++direction) {
    const std::vector<KeptRow>& rows = guides[direction].rows;
    if (rows.empty()) continue;
    const std::size_t middle = rows.size() / 2;
    const Wanted same{direction, middle, rows[middle].first, rows[middle].last() - 1};
    if (read({&same, 1}).front().words != rows[middle].words)
      throw CheckError(
          "rows that the device copied are not those that it kept: this device or "
          "its driver computes wrongly");
  }
  if (followed) take(*followed, told, guides);
}

void Halves::take(Followed& followed, const StripKept& told, std::array<Guide, 2>& guides) const {
  const std::vector<std::int32_t>& all = followed.ways_read->wait();
  if (told.first_direction == 0) {
    guides[0].paths = followed.path_read->get();
    guides[0].path_words = followed.path_words;
  }
  const std::size_t end = told.first_direction + told.directions;
  for (std::size_t direction = told.first_direction; direction < end; ++direction) {
    Guide& guide = guides[direction];
    guide.ways.resize(guide.rows.size() + 1);
    batch::each(guide.ways.size() - direction, kRowsOfThread, problem_.threads, [&](std::size_t i) {
      const std::size_t slab = direction + i;
      for (const std::size_t side : {0u, 1u}) {
        const std::int32_t* const way_of =
            all.data() + ((2 * direction + side) * followed.slabs + slab) * STRIP_WAY_INTS;
        Way& way = guide.ways[slab][side];
        way.exit = way_of[0];
        way.entry = way_of[1];
        way.steps = static_cast<std::size_t>(std::max(0, way_of[4]));
        if (way.entry < -1 || way.steps > 16 * followed.path_words)
          throw CheckError(
              "the device has found two ways through a slab: this device or its driver "
              "computes wrongly");
        way.low = way_of[2];
        way.high = way_of[3];
      }
    });
  }
}

KeptRow Halves::row_of(std::int64_t above, std::int64_t first, std::int64_t end,
                       std::uint32_t* words) const {
  const std::int64_t lane = above / plan_.shape.rows() - 1;
  const std::int64_t band_begin = band_first(lane, plan_.shape.rows(), band_.below);
  const std::int64_t band_behind = band_end(lane, plan_.shape.rows(), band_.above, plan_.size.n);
  first = std::clamp<std::int64_t>(first, band_begin, band_behind - 1);
  end = std::clamp<std::int64_t>(end, first + 1, band_behind);
  KeptRow row;
  row.row = above;
  row.first = 32 * first;
  row.more_before = first > band_begin;
  row.more_behind = end < band_behind;
  row.words = {words, static_cast<std::size_t>(2 * (end - first))};
  return row;
}

std::vector<KeptRow> Halves::read(std::span<const Wanted> wanted) {
  std::vector<KeptRow> made(wanted.size());
  if (runs_.size() == 1) {
    read_of(*runs_.front(), wanted, made);
    return made;
  }
  for (const std::unique_ptr<Run>& of : runs_) {
    std::vector<Wanted> own;
    for (const Wanted& one : wanted)
      if (one.direction == of->run.first_direction()) own.push_back(one);
    if (own.empty()) continue;
    std::vector<KeptRow> rows(own.size());
    read_of(*of, own, rows);
    auto row = rows.begin();
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i].direction == of->run.first_direction()) made[i] = std::move(*row++);
  }
  return made;
}

void Halves::read_of(Run& of, std::span<const Wanted> wanted, std::span<KeptRow> made) const {
  const std::int64_t rows = plan_.shape.rows();
  std::size_t words = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Wanted& one = wanted[i];
    const std::int64_t lanes = (static_cast<std::int64_t>(one.number) + 1) * apart_;
    made[i] = row_of(lanes * rows, one.first / 32, one.last / 32 + 1, nullptr);
    words += made[i].words.size();
  }
  // All at once: a read that waits takes longer than what it reads, and even to ask for many takes
  // a while.
  std::vector<std::uint64_t>& parts = of.asked;
  parts.clear();
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    parts.push_back(of.run.kept_at(wanted[i].direction, static_cast<std::int64_t>(wanted[i].number),
                                   made[i].first / 32));
    parts.push_back(at);
    at += made[i].words.size();
  }
  parts.insert(parts.end(), {0, at});
  ocl::Device& device = of.device;
  if (of.parts.size() < parts.size()) of.parts = device.buffer<std::uint64_t>(parts.size());
  // To give pinned memory back waits for all that others have the device do.
  if (of.there.size() < words) {
    const std::size_t room = device.limits().gpu ? std::max(kRoomRead, 2 * words) : words;
    of.copied = device.buffer<std::uint32_t>(room);
    of.there = device.pinned<std::uint32_t>(room);
  }
  device.write_later<std::uint64_t>(of.parts, 0, parts);
  const std::size_t group = STRIP_GUIDE_GROUP(plan_.shape.block);
  of.rows({made.size() * group, 1, group, 1}, of.run.kept(), of.parts, of.copied);
  const std::span<std::uint32_t> all(of.there.data(), words);
  device.read_later(of.copied, 0, all);
  device.fence().wait();
  const auto memory = std::make_shared_for_overwrite<std::uint32_t[]>(words);
  std::ranges::copy(all, memory.get());
  at = 0;
  for (KeptRow& row : made) {
    const std::size_t size = row.words.size();
    row.words = {std::shared_ptr<std::uint32_t[]>(memory, memory.get() + at), size};
    at += size;
  }
}

std::uint32_t lanes_apart(const Plan& plan, const ocl::Limits& limits, std::int64_t rows) {
  const Band widest = plan.band(plan.threshold);
  const std::uint64_t room =
      std::min(limits.global_bytes / 2 > plan.bytes ? limits.global_bytes / 2 - plan.bytes
                                                    : std::uint64_t{0},
               limits.alloc_bytes - limits.alloc_bytes / 8);
  auto apart = static_cast<std::uint32_t>(
      std::max<std::int64_t>(1, (2 * rows / plan.shape.rows() + 1) / 2));  // the nearest
  for (; apart < plan.size.upper; apart *= 2)
    if (4 * (layout_of(plan.size, plan.shape, plan.planes).last + kept_words(plan, widest, apart)) <
        room)
      return apart;
  return 0;
}

// Few rows take long to walk through, many long to write, where the device is a CPU.
std::int64_t usual_rows_apart(const ocl::Limits& limits) { return limits.gpu ? 256 : 1024; }

std::uint64_t bytes_keeping(const Plan& plan, const ocl::Limits& limits) {
  const std::uint32_t apart = lanes_apart(plan, limits, usual_rows_apart(limits));
  if (apart == 0) return plan.bytes;
  // Once more what they are kept behind: it grows when the band is known.
  const std::uint64_t last = layout_of(plan.size, plan.shape, plan.planes).last;
  return plan.bytes + 4 * (last + kept_words(plan, plan.band(plan.threshold), apart));
}

}  // namespace rhomb::strip
