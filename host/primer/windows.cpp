// SPDX-License-Identifier: Apache-2.0
#include "host/primer/windows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "cl/search/task.h"
#include "host/batch/staging.h"
#include "host/batch/threads.h"
#include "host/engine/program.h"
#include "host/engine/selftest.h"
#include "host/engine/speed.h"
#include "host/primer/internal.h"
#include "host/primer/self.h"
#include "host/search/internal.h"

namespace rhomb::primer {
namespace {

/// Pieces that a thread of the host is worth.
constexpr std::size_t kPiecesOfThread = std::size_t{1} << 12;
constexpr double kLaunch = 0.1;  ///< seconds that a launch should take
/// Words of scratch memory that a launch may have, and that there are from the first one on.
constexpr double kMostScratch = 1 << 26;
constexpr std::size_t kLeastScratch = std::size_t{1} << 22;
/// Pieces that there is room for from the first launch on, then for all that a launch has.
constexpr std::size_t kFewPieces = std::size_t{1} << 13;
constexpr std::size_t kRoom = Windows::kPieces / 8 * 9;
constexpr std::uint32_t kAlphaPiece = 1024;  ///< symbols of the sequence in a piece

/// Strips of K rows, in slots of so many bits of a word.
struct Shape {
  int slot, rows;
};

/// Few shapes, because each is a program that takes a driver seconds to compile, the first time.
/// The last one takes windows of any length.
constexpr std::array<Shape, 10> kShapes = {
    {{8, 4}, {8, 8}, {8, 16}, {8, 32}, {16, 24}, {16, 32}, {32, 20}, {32, 24}, {32, 32}, {32, 32}}};

/// Registers for symbols and differences; compilers keep about so many.
int most_rows(int planes) { return std::clamp(150 / (2 + planes), 2, 32); }

std::uint32_t shape_for(std::uint32_t rows, int most) {
  std::uint32_t shape = 0;
  while (shape + 1 < kShapes.size() &&
         static_cast<std::uint32_t>(kShapes[shape].slot * std::min(kShapes[shape].rows, most)) <
             rows)
    ++shape;
  return shape;
}

/// Where few windows of a shape are compared the time is that of one work-item, which goes with its
/// rows: the shape for such and longer windows that has the fewest.
constexpr std::size_t kFewOfGpu = std::size_t{1} << 15, kFewOfCpu = 64;
std::uint32_t quickest(std::uint32_t shape, int most) {
  const auto rows = [&](std::uint32_t i) { return std::min(kShapes[i].rows, most); };
  for (std::uint32_t i = shape + 1; i + 1 < kShapes.size(); ++i)
    if (rows(i) < rows(shape)) shape = i;
  return shape;
}

/// Columns that a work-item's tasks should agree in, more or less: eight classes for each power of
/// two.
constexpr std::uint32_t kClasses = 256;
std::uint32_t columns_class(std::uint32_t columns) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(columns | 8u)) - 4;
  return bits * 8 + ((columns | 8u) >> bits & 7u);
}

/// Calls work(part) for all of a slot, by as many threads as `count` pieces are worth.
template <class Slot, class Work>
void each_part(Slot& slot, std::size_t count, const Work& work) {
  const std::size_t threads =
      std::clamp<std::size_t>(count / kPiecesOfThread, 1, slot.parts.size());
  batch::in_parts(slot.parts.size(), threads,
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) work(slot.parts[i]);
                  });
}

}  // namespace

/// What one thread of the host has made.
struct Windows::Part {
  std::uint32_t begin = 0, end = 0;          // items
  std::vector<Piece> pieces, own;            // for the device, and for the host
  std::vector<Near> near;                    // of the latter
  std::vector<std::uint32_t> count;          // pieces of each kind; then where the next one goes
  std::size_t first = 0;                     // number of its first piece
  std::vector<std::uint32_t> rows, columns;  // the most of each shape
  std::vector<double> cells;
};

/// Pieces on their way, and the memory that they are copied by.
struct Windows::Slot {
  std::size_t queue = 0;
  std::vector<Part> parts;
  bool busy = false;
  batch::Staged<ocl::Device, SearchTask> tasks;
  ocl::Pinned<SearchAnswer> answers;
  ocl::Buffer<SearchAnswer> answers_there;
  ocl::Buffer<std::uint32_t> scratch;
  ocl::Fence done;
};

namespace {

/// A piece may be all of a text, and others are read as far as the longest.
std::uint32_t longest_of(std::span<const std::string_view> texts) {
  std::size_t longest = 32;
  for (const std::string_view text : texts) longest = std::max(longest, text.size());
  return static_cast<std::uint32_t>(longest);
}

}  // namespace

std::unique_ptr<search::ResidentTexts> keep_texts(ocl::Device& device,
                                                  std::span<const std::string_view> texts,
                                                  const seq::Code& code) {
  return std::make_unique<search::ResidentTexts>(device, texts, code, longest_of(texts));
}

batch::Memory windows_memory(std::size_t symbols, std::span<const std::string_view> texts,
                             const seq::Code& code) {
  double pieces = 0;  // of all texts, of a start
  for (const std::string_view text : texts) pieces += 1 + static_cast<double>(text.size()) / 64;
  const bool few = std::min(pieces, 1024.0) * static_cast<double>(symbols) <= kFewPieces;
  const std::uint64_t room = 2 * (few ? kFewPieces : kRoom);  // of both slots
  const std::uint64_t tasks = room * (sizeof(SearchTask) + sizeof(SearchAnswer));
  const std::string alpha(symbols, 'A');
  const std::vector<std::string_view> own{alpha};
  return {search::resident_bytes(texts, code, longest_of(texts)) +
              search::resident_bytes(own, code, kAlphaPiece) + tasks,
          tasks + room * sizeof(Piece) / 2 * 3};  // lists of pieces grow by doubling
}

Windows::Windows(ocl::Device& device, const Problem& problem, Where where)
    : device_(device),
      problem_(problem),
      where_(where),
      threads_(batch::threads_of(problem.threads)),
      texts_(problem.resident) {
  const double begin = now();
  seq::Code of_alpha = *problem.code;
  of_alpha.b = of_alpha.a;
  const std::vector<std::string_view> alpha{problem.alpha};
  alpha_ = std::make_unique<search::ResidentTexts>(device, alpha, of_alpha, kAlphaPiece);
  if (texts_ == nullptr) {
    own_texts_ = keep_texts(device, problem.texts, *problem.code);
    texts_ = own_texts_.get();
  } else if (!texts_->fits(*problem.code)) {
    throw UsageError("the texts on the device have other codes");
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i] = std::make_unique<Slot>();
    slots_[i]->queue = i;
  }
  transfer_ = now() - begin;
}

Windows::~Windows() {
  for (const auto& slot : slots_) batch::settle(device_, slot->queue);
}

std::uint32_t Windows::shape_of(std::uint32_t rows) const {
  return only_ ? *only_ : shape_for(rows, most_rows(problem_.code->planes));
}

const Windows::Program& Windows::program_for(std::uint32_t number) {
  if (const auto known = programs_.find(number); known != programs_.end()) return known->second;
  const int planes = problem_.code->planes;
  const bool chain = number + 1 == kShapes.size();
  const Shape shape{kShapes[number].slot, std::min(kShapes[number].rows, most_rows(planes))};
  const double begin = now();
  const auto& limits = device_.limits();
  search::Plan plan;
  const bool marks = where_ == Where::kMarks;
  plan.file = marks ? "primer/windows.cl" : "search/batch.cl";
  plan.kernel = marks ? "primer_windows" : "search_batch";
  plan.planes = planes;
  plan.sets = problem_.code->matching == seq::Matching::kSets;
  plan.lanes = engine::usual_lanes(limits, {});
  search::Shape made;
  made.group =
      plan.lanes > 1 ? 1 : static_cast<int>(std::min<std::size_t>(limits.max_work_group, 64));
  made.tasks = made.group * plan.lanes * 32 / shape.slot;
  made.shortest = 1;
  made.longest = static_cast<std::uint32_t>((chain ? 4 : 1) * shape.slot * shape.rows);
  made.scratch = chain ? 2 : 0;
  const auto set = [&](const char* name, int value) {
    made.defines.emplace_back(name, std::to_string(value));
  };
  set("WG", made.group);
  set("LANES", plan.lanes);
  set("SLOT", shape.slot);
  set("K", shape.rows);
  set("HEAD", shape.rows - 1);
  set("MIXED", 1);
  set("CHAIN", chain);
  set("PLANES", plan.planes);
  set("SETS", plan.sets);
  // With few and many strips, in one pass and in two, with rows above the window and without.
  std::vector<int> strips{shape.slot, 1, shape.slot / 2 + 1};
  if (chain) strips.insert(strips.begin(), {2 * shape.slot, shape.slot + 1});
  for (const int count : strips)
    for (const int above : {0, shape.rows / 2, shape.rows - 1})
      made.tested.push_back(static_cast<std::uint32_t>(count * shape.rows - above));
  plan.shapes = {made};
  if (!marks)
    search::ensure_tested(device_, plan, made);
  else if (!only_)
    selftest::ensure_passed(device_, plan.file, made.defines, [&] { test(device_, plan, number); });
  auto kernel = device_.kernel(plan.file, plan.kernel, made.defines);
  build_ += now() - begin;
  return programs_.emplace(number, Program{std::move(plan), std::move(kernel)}).first->second;
}

void Windows::run(std::uint32_t count, const std::function<std::size_t(std::uint32_t)>& about,
                  const Make& make, const Take& take) {
  std::size_t slot = 0;
  std::vector<std::size_t> until;
  for (std::uint32_t first = 0, last = 0; first < count; first = last) {
    until.clear();
    for (std::size_t pieces = 0; last < count && (last == first || pieces < kPieces); ++last)
      until.push_back(pieces += about(last));
    // While one slot is computed the other one is filled.
    fill(*slots_[slot], first, until, make);
    launch(*slots_[slot]);
    slot = 1 - slot;
    finish(slot, take);
  }
  finish(1 - slot, take);
}

void Windows::start(std::size_t slot, std::span<const std::size_t> until, const Make& make) {
  fill(*slots_[slot], 0, until, make);
  launch(*slots_[slot]);
}

/// The pieces of some items, made by several threads.
void Windows::fill(Slot& slot, std::uint32_t first, std::span<const std::size_t> until,
                   const Make& make) {
  check_stop(problem_);
  const trace::Scope scope(problem_.trace, trace::Work::kPack, "windows");
  const std::size_t threads = std::min(until.size(), threads_);
  const std::size_t all = until.back();
  slot.parts.resize(std::clamp<std::size_t>(all / kPiecesOfThread, 1, threads));
  batch::in_parts(
      all, slot.parts.size(), [&](std::size_t number, std::size_t from, std::size_t to) {
        const auto item = [&](std::size_t pieces) {
          return first + static_cast<std::uint32_t>(std::ranges::lower_bound(until, pieces) -
                                                    until.begin());
        };
        Part& part = slot.parts[number];
        part.begin = number == 0 ? first : item(from);
        part.end = number + 1 < slot.parts.size()
                       ? item(to)
                       : first + static_cast<std::uint32_t>(until.size());
        part.pieces.clear();
        part.own.clear();
        part.count.assign(kShapes.size() * kClasses, 0);
        part.rows.assign(kShapes.size(), 0);
        part.columns.assign(kShapes.size(), 0);
        part.cells.assign(kShapes.size(), 0);
        std::uint32_t shape = 0, rows = 0;  // of the last piece
        for (std::uint32_t i = part.begin; i < part.end; ++i) {
          const auto before = static_cast<std::ptrdiff_t>(part.pieces.size());
          make(i, part.pieces);
          const auto made = part.pieces.begin() + before;
          if (problem_.self) {
            const auto own = std::stable_partition(
                made, part.pieces.end(),
                [&](const Piece& piece) { return !meets_itself(problem_, piece); });
            part.own.insert(part.own.end(), own, part.pieces.end());
            part.pieces.erase(own, part.pieces.end());
          }
          for (auto piece = made; piece != part.pieces.end(); ++piece) {
            const std::uint32_t columns = piece->to - piece->from;
            if (const std::uint32_t now = piece->end - piece->begin; now != rows) {
              rows = now;
              shape = shape_of(rows);
              part.rows[shape] = std::max(part.rows[shape], rows);
            }
            piece->kind = shape * kClasses + columns_class(columns);
            ++part.count[piece->kind];
            part.columns[shape] = std::max(part.columns[shape], columns);
            part.cells[shape] += static_cast<double>(rows) * columns;
          }
        }
      });
}

void Windows::launch(Slot& slot) {
  // By programs, and within these by columns.
  struct Group {
    std::uint32_t shape;
    std::size_t first, count;
    std::uint32_t rows, columns;
    double cells;
  };
  std::vector<Group> groups;
  std::size_t count = 0;
  for (Part& part : slot.parts) {
    part.first = count;
    count += part.pieces.size();
  }
  std::uint32_t place = 0;
  const int most = most_rows(problem_.code->planes);
  for (std::uint32_t shape = 0; shape < kShapes.size(); ++shape) {
    Group group{shape, place, 0, 0, 0, 0};
    for (const Part& part : slot.parts) {
      group.rows = std::max(group.rows, part.rows[shape]);
      group.columns = std::max(group.columns, part.columns[shape]);
      group.cells += part.cells[shape];
    }
    if (group.rows == 0) continue;  // there are none
    for (std::size_t kind = shape * kClasses; kind < (shape + 1) * kClasses; ++kind)
      for (Part& part : slot.parts) place += std::exchange(part.count[kind], place);
    group.count = place - group.first;
    const auto few = device_.limits().gpu ? kFewOfGpu : kFewOfCpu;
    if (group.count <= few && !only_) group.shape = quickest(shape, most);
    if (!groups.empty() && groups.back().shape == group.shape) {
      const Group& last = groups.back();
      group = {group.shape,
               last.first,
               last.count + group.count,
               std::max(last.rows, group.rows),
               std::max(last.columns, group.columns),
               last.cells + group.cells};
      groups.pop_back();
    }
    groups.push_back(group);
  }
  if (count > 0) {
    for (const Group& group : groups) program_for(group.shape);
    const batch::OnQueue use(device_, slot.queue);
    // Memory that stays in place takes drivers long to make, so it grows at most once, as a rule.
    const std::size_t room = count <= kFewPieces ? kFewPieces : std::max(count, kRoom);
    if (slot.answers.size() < count) slot.tasks.load(device_, room);
    const auto tasks_here = slot.tasks.load(device_, count);
    if (slot.answers.size() < count) {
      batch::fit<SearchAnswer>(device_, slot.answers, room);
      batch::fit<SearchAnswer>(device_, slot.answers_there, room);
    }
    const auto starts = texts_->starts();
    const std::uint32_t alpha = alpha_->starts()[0];
    each_part(slot, count, [&](Part& part) {
      for (std::size_t i = 0; i < part.pieces.size(); ++i) {
        const Piece& piece = part.pieces[i];
        tasks_here[part.count[piece.kind]++] = {alpha + piece.begin,
                                                piece.end - piece.begin,
                                                starts[piece.text] + piece.from,
                                                piece.to - piece.from,
                                                piece.skip,
                                                mark_shift(piece),
                                                static_cast<std::uint32_t>(part.first + i)};
      }
    });

    const trace::Scope scope(problem_.trace, trace::Work::kCompute);
    slot.tasks.send(device_);
    const double speed = engine::guessed_cells_a_second(device_.limits());
    for (const Group& group : groups) {
      const Program& program = program_for(group.shape);
      const search::Shape& shape = program.plan.shapes.front();
      cells_ += group.cells;
      const auto tasks = static_cast<std::size_t>(shape.tasks);
      // Chains keep a row's differences for all of a launch.
      const std::size_t words = shape.scratch * (group.columns / 32 + 4);
      double some = kLaunch * speed / (group.cells / static_cast<double>(group.count));
      if (words > 0) some = std::min(some, kMostScratch / static_cast<double>(words));
      const std::size_t each =
          tasks * static_cast<std::size_t>(std::clamp(some / static_cast<double>(tasks), 1.0, 1e6));
      const std::size_t widest = (std::min(each, group.count) + tasks - 1) / tasks * tasks;
      if (const std::size_t wanted = std::max<std::size_t>(1, widest * words);
          slot.scratch.size() < wanted) {
        // Launches that use what there was keep it.
        slot.scratch = device_.buffer<std::uint32_t>(
            words > 0 ? std::max(std::bit_ceil(wanted), kLeastScratch) : wanted);
      }
      for (std::size_t at = 0; at < group.count; at += each) {
        const std::size_t chunk = std::min(each, group.count - at);
        const std::size_t items = (chunk + tasks - 1) / tasks;
        const auto size = static_cast<std::size_t>(shape.group);
        program.kernel(ocl::Range{items * size, 1, size, 1}, alpha_->words(), texts_->words(),
                       slot.tasks.there, slot.answers_there, slot.scratch,
                       SearchLaunch{static_cast<std::uint32_t>(group.first + at),
                                    static_cast<std::uint32_t>(chunk), problem_.k - 1,
                                    static_cast<std::uint32_t>(items * tasks)});
      }
    }
    device_.read_later<SearchAnswer>(slot.answers_there, 0, slot.answers.all().first(count));
    slot.done = device_.fence();
  }
  slot.busy = true;

  // The host's own ones, while the device is at work.
  std::vector<std::pair<Part*, std::size_t>> own;
  for (Part& part : slot.parts) {
    part.near.resize(part.own.size());
    for (std::size_t i = 0; i < part.own.size(); ++i) {
      const Piece& piece = part.own[i];
      own.emplace_back(&part, i);
      cells_ += static_cast<double>(piece.end - piece.begin) * (piece.to - piece.from);
    }
  }
  if (own.empty()) return;
  batch::in_parts(own.size(), std::min(own.size(), threads_),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      const auto& [part, at] = own[i];
                      part->near[at] = nearest_end(problem_, part->own[at]);
                    }
                  });
}

void Windows::finish(std::size_t number, const Take& take, const Done& done) {
  Slot& slot = *slots_[number];
  if (!std::exchange(slot.busy, false)) return;
  {
    const trace::Scope scope(problem_.trace, trace::Work::kCompute);
    slot.done.wait();
  }
  slot.done = {};
  const trace::Scope scope(problem_.trace, trace::Work::kFetch, "windows");
  const bool marks = where_ == Where::kMarks;
  std::size_t count = 0;
  for (const Part& part : slot.parts) count += part.pieces.size();
  each_part(slot, count, [&](Part& part) {
    for (std::size_t i = 0; i < part.pieces.size(); ++i) {
      const SearchAnswer& answer = slot.answers[part.first + i];
      take(part.pieces[i], answer.distance, marks ? answer.end : part.pieces[i].from + answer.end);
    }
    for (std::size_t i = 0; i < part.own.size(); ++i)
      take(part.own[i], part.near[i].distance, marks ? 0 : part.near[i].end);
    if (done) done(part.begin, part.end);
  });
}

}  // namespace rhomb::primer
