// SPDX-License-Identifier: Apache-2.0
#include "host/search/run.h"

#include <algorithm>
#include <array>
#include <utility>

#include "host/batch/threads.h"
#include "host/engine/another.h"
#include "host/engine/speed.h"
#include "host/search/occurrence.h"
#include "host/search/setting.h"
#include "host/seq/symbols.h"

namespace rhomb::search {
namespace {

/// What an entry stands for: its symbols, which may have room for as many more, and packed once
/// more; places and views.
std::size_t cost_of(const Entry& entry, std::size_t strands) {
  const std::size_t symbols = strands * entry.query.size() + entry.target.size();
  return 5 * symbols / 2 + 2 * (entry.query_name.size() + entry.target_name.size()) +
         6 * sizeof(std::string_view);
}

/// Host memory that a task takes: itself, as the device has it, answers.
constexpr std::size_t kTaskBytes = 112;
constexpr std::size_t kMostTasks = std::size_t{4} << 20;

/// Seconds of a unit, as a CPU hardly reaches them: several times as many in truth. A run that is
/// to stop does so between units. (A GPU computes the most tasks in less.)
constexpr double kLongestUnit = 0.05;

/// Symbols of a piece: long ones spend less on what comes before, short ones make many tasks, which
/// a GPU needs.
constexpr std::uint32_t kShortest = 512, kLongest = 32768;
constexpr double kTasksOfGpu = 1 << 20, kTasksOfCpu = 1 << 12;

/// Texts stay on a device for pieces up to this length.
constexpr std::uint32_t kResidentPiece = 1 << 20;

double cells_of(const Problem& problem) {
  double cells = 0;
  for (const Task& task : problem.tasks)
    cells += static_cast<double>(problem.queries[task.query].size()) * task.length;
  return cells;
}

/// A few short pieces, to learn whether the programs for these queries pass their self-tests.
void try_some(ocl::Device* device, const Variant& variant, Problem problem) {
  constexpr std::uint32_t kSymbols = 256;
  std::vector<Task> some;
  for (const Task& task : problem.tasks.first(std::min<std::size_t>(problem.tasks.size(), 32)))
    some.push_back({task.query, task.text, task.begin, std::min(task.length, kSymbols), 0});
  problem.tasks = some;
  solve(device, variant, problem, {});
}

std::size_t pieces_of(std::size_t length, std::uint32_t piece) {
  return std::max<std::size_t>(1, (length + piece - 1) / piece);
}

}  // namespace

std::uint32_t longest_occurrence(std::size_t m, std::optional<std::uint32_t> most) {
  // With more differences than symbols there is always something nearer.
  const std::size_t differences = std::min<std::size_t>(m, most.value_or(~0u));
  return static_cast<std::uint32_t>((m + differences + 31) / 32 * 32);
}

std::vector<std::size_t> parts_of_texts(std::span<const std::string_view> texts,
                                        std::uint64_t most) {
  std::vector<std::size_t> parts{0};
  std::uint64_t symbols = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::uint64_t padded = (std::uint64_t{texts[i].size()} + 31) / 32 * 32;
    if (i > parts.back() && symbols + padded > most) {
      parts.push_back(i);
      symbols = 0;
    }
    symbols += padded;
  }
  parts.push_back(texts.size());
  return parts;
}

Run::Run(Source queries, std::span<const seq::Sequence> targets, Options options)
    : options_(std::move(options)) {
  std::array<bool, 256> present{};
  for (const seq::Sequence& target : targets) {
    targets_.emplace_back(target.symbols);
    target_symbols_ += static_cast<double>(target.symbols.size());
    longest_target_ = std::max(longest_target_, target.symbols.size());
    seq::mark_symbols(present, target.symbols);
  }
  target_alphabet_ = seq::symbols_of(present);
  host_ = options_.free_choice();  // so far
  asked_ = !host_;
  if (options_.variant == nullptr) options_.variant = &variants().front();
  const Variant& chosen = *options_.variant;
  gpu_ = chosen.uses_cuda();
  // A position is a number of 32 bits; eight planes are the most that a text takes.
  std::uint64_t most = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 22);
  for (const batch::DeviceChoice& device : options_.devices) {
    gpu_ = gpu_ || device.info->limits.gpu;
    if (!device.info->limits.gpu)
      most_cells_ =
          std::min(most_cells_, kLongestUnit * engine::guessed_cells_a_second(device.info->limits));
    most = std::min<std::uint64_t>(
        most, std::max<std::uint64_t>(device.info->limits.alloc_bytes, 2 * kResidentPiece) -
                  kResidentPiece);
  }
  totals_.device = options_.names(chosen);
  totals_.variant = chosen.name;
  parts_ = parts_of_texts(targets_, most);
  slots_ = !chosen.uses_opencl() ? 1 : gpu_ ? 3 : 2;
  const std::size_t units = batch::most_units(options_.workers(chosen), slots_);
  most_tasks_ = std::clamp<std::size_t>(options_.memory / 2 / units / kTaskBytes, 1, kMostTasks);
  const auto read = [this, source = std::move(queries)](batch::Reader<Block>& reader) {
    const trace::Scope scope(options_.trace, trace::Work::kRead, source.name);
    batch::read_entries(reader, source, targets_.empty(),
                        [this](const Entry& entry) { return cost_of(entry, options_.strands()); });
  };
  units_.emplace(batch::entry_blocks(options_.memory), units,
                 decltype(units_)::value_type::Steps{read, [this](Block& block) { close(block); },
                                                     [this](Block& block) { open(block); },
                                                     [this](Unit& unit) { cut(unit); },
                                                     [this](Unit& unit) { make_tasks(unit); }});
}

Run::~Run() = default;

/// In the reader's thread.
void Run::close(Block& block) {
  if (options_.both_strands)
    for (std::size_t i = 0; i < block.queries.size(); ++i)
      block.reversed.add(reverse_complement(
          block.queries[i], targets_.empty() ? block.targets[i] : target_alphabet_));
  query_alphabet_ = seq::symbols_in(query_alphabet_ + seq::symbols_in(block.queries.all()) +
                                    seq::symbols_in(block.reversed.all()));
  if (targets_.empty())
    target_alphabet_ = seq::symbols_in(target_alphabet_ + seq::symbols_in(block.targets.all()));
  block.code = seq::make_code(query_alphabet_, target_alphabet_, options_.ambiguous);
}

std::uint32_t Run::piece_of(const Block& block) const {
  std::size_t longest = 1;
  for (const std::string_view query : block.views) longest = std::max(longest, query.size());
  const std::uint64_t before = longest_occurrence(longest, options_.most);
  const double columns = target_symbols_ * static_cast<double>(block.views.size()) /
                         (gpu_ ? kTasksOfGpu : kTasksOfCpu);
  // All pieces of a target, on both strands, are in one unit.
  const std::uint64_t fewest = longest_target_ * options_.strands() / most_tasks_ + 32;
  const std::uint64_t least = std::max<std::uint64_t>({kShortest, 4 * before, fewest});
  const auto wanted = static_cast<std::uint64_t>(std::min<double>(columns, kLongest));
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::max(least, wanted), 1u << 31) /
                                    32 * 32);
}

void Run::open(Block& block) {
  query_ = target_ = 0;
  for (std::size_t i = 0; i < block.queries.size(); ++i) {
    block.views.push_back(block.queries[i]);
    if (options_.both_strands) block.views.push_back(block.reversed[i]);
  }
  block.own_targets = block.targets.views();
  block.piece = piece_of(block);
  const double cells = (targets_.empty() ? block.cells : block.symbols * target_symbols_) *
                       static_cast<double>(options_.strands());
  host_ = host_ && block.alone() && cells <= batch::kSmall;
}

/// The next unit of the current block, without its tasks.
void Run::cut(Unit& unit) {
  const Block& block = *unit.block;
  const bool pairs = targets_.empty();
  const auto count = pairs ? 1 : targets_.size();
  const auto part_of = [&](std::size_t target) {
    return static_cast<std::size_t>(std::ranges::upper_bound(parts_, target) - parts_.begin()) - 1;
  };
  unit.options_ = &options_;
  unit.first = query_;
  unit.first_target_ = target_;
  unit.part_ = pairs ? 0 : part_of(target_);
  std::size_t tasks = 0;
  double cells = 0;
  for (;;) {
    // The end of the part, or a query that may go on in the next one.
    const std::size_t stop = pairs ? 1 : parts_[unit.part_ + 1];
    while (target_ < stop) {
      const std::size_t more =
          options_.strands() * (pairs ? 1 : pieces_of(targets_[target_].size(), block.piece));
      const double more_cells =
          static_cast<double>(options_.strands() * block.queries[query_].size()) *
          static_cast<double>((pairs ? block.own_targets[query_] : targets_[target_]).size());
      if (tasks > 0 && (tasks + more > most_tasks_ || cells + more_cells > most_cells_)) break;
      tasks += more;
      cells += more_cells;
      ++target_;
    }
    if (target_ < count) break;
    target_ = 0;
    if (++query_ == block.queries.size() || parts_.size() > 2) break;
  }
  unit.goes_on_ = target_ > 0;
  unit.end = query_ + (unit.goes_on_ ? 1 : 0);
  unit.end_target_ = unit.goes_on_ ? target_ : count;
  unit.last = query_ == block.queries.size();
  unit.targets_ = pairs ? std::span(block.own_targets) : std::span(targets_);
  unit.targets_before_ = pairs ? unit.first : parts_[unit.part_];
  unit.targets_count_ = pairs ? unit.end - unit.first : parts_[unit.part_ + 1] - parts_[unit.part_];
  unit.tasks_.reserve(tasks);
}

void Run::make_tasks(Unit& unit) const {
  const trace::Scope scope(options_.trace, trace::Work::kPack, "tasks");
  const Block& block = *unit.block;
  const bool pairs = targets_.empty();
  for (std::size_t query = unit.first; query < unit.end; ++query) {
    const auto view = static_cast<std::uint32_t>((query - unit.first) * options_.strands());
    const std::uint32_t before = longest_occurrence(block.queries[query].size(), options_.most);
    const std::size_t first = pairs ? query : query == unit.first ? unit.first_target_ : 0;
    const std::size_t end = pairs                   ? query + 1
                            : query + 1 == unit.end ? unit.end_target_
                                                    : targets_.size();
    for (std::size_t target = first; target < end; ++target) {
      const auto text = static_cast<std::uint32_t>(target - unit.targets_before_);
      const auto length = static_cast<std::uint32_t>(unit.targets_[target].size());
      const std::uint32_t piece = pairs ? std::max(length, 1u) : block.piece;
      for (std::uint32_t strand = 0; strand < options_.strands(); ++strand)
        for (std::uint32_t at = 0; at == 0 || at < length; at += std::min(piece, ~0u - at)) {
          const std::uint32_t begin = at - std::min(before, at);
          const std::uint32_t stop = at + std::min(piece, length - at);
          unit.tasks_.push_back({view + strand, text, begin, stop - begin, at - begin});
        }
    }
  }
}

/// What a thread does on a device.
struct Run::Worker {
  Worker(const Run& its_run, std::size_t number)
      : run(its_run),
        options(run.options_),
        variant(run.variant()),
        device(options.open(variant, number)) {
    for (std::size_t queue = 0; queue < run.slots_; ++queue) batches.emplace_back(device, queue);
    computing.resize(batches.size());
  }

  std::size_t slots() const { return batches.size(); }

  bool start(std::size_t slot, const Unit& unit, bool alone) {
    if (!keep(unit, alone)) return false;
    Problem problem = unit.problem();
    problem.resident = resident.empty() ? nullptr : &resident[unit.part_];
    const auto begin = [&](const Variant& by) {
      trace::Scope planning(options.trace, trace::Work::kPack, "order of tasks");
      Plan plan = plan_tuned(options.store, device != nullptr ? &device->info() : nullptr, by,
                             problem, options.config)
                      .plan;
      planning.end();
      batches[slot].start(by, std::move(plan), problem);
      return by.name;
    };
    computing[slot] = engine::with_another(
        {device, run.asked_, [&] { return cells_of(problem); }}, variants(),
        [&] { return begin(variant); }, begin,
        [&](const Variant& other) { try_some(device, other, problem); });
    return true;
  }

  void finish(std::size_t slot, Unit& unit) {
    unit.answer = batches[slot].finish();
    unit.variant = computing[slot];
  }

  /// Makes sure that the device has the targets in the unit's code. False if units on their way
  /// still need them in another.
  bool keep(const Unit& unit, bool alone) {
    const std::span<const std::string_view> targets = run.targets_;
    if (targets.empty() || device == nullptr) return true;
    std::uint32_t longest = 0;
    for (const Task& task : unit.problem().tasks) longest = std::max(longest, task.length);
    if (!resident.empty() && resident.front().fits(unit.block->code) && longest <= piece)
      return true;
    if (!alone) return false;
    piece = std::max(longest, kResidentPiece);
    resident.clear();
    for (std::size_t part = 0; part + 1 < run.parts_.size(); ++part)
      resident.emplace_back(
          *device, targets.subspan(run.parts_[part], run.parts_[part + 1] - run.parts_[part]),
          unit.block->code, piece);
    return true;
  }

  void done() {
    if (device != nullptr) device->record();
  }

  const Run& run;
  const Options& options;
  const Variant& variant;
  ocl::Device* const device;
  std::deque<ResidentTexts> resident;  // a part each
  std::uint32_t piece = 0;             // that they were packed for
  std::vector<AsyncBatch> batches;
  std::vector<std::string_view> computing;  // the variant in each
};

std::optional<Unit> Run::largest() {
  auto unit = units_->largest();
  if (!unit) check();
  return unit;
}

batch::Memory Run::memory(const Unit& unit, const Plan& plan, const ocl::Limits& limits) const {
  const Block& block = *unit.block;
  batch::Memory memory;
  if (!host_ && variant().uses_opencl()) {
    Problem problem = unit.problem();
    if (!targets_.empty()) problem.texts = {};
    const auto slots = static_cast<double>(slots_);
    memory.add(batch_memory(plan, problem, limits, units_->all() > slots),
               std::min(slots, units_->all()), static_cast<double>(options_.workers(variant())));
    for (std::size_t part = 0; part + 1 < parts_.size() && !targets_.empty(); ++part)
      memory.device +=
          resident_bytes(std::span(targets_).subspan(parts_[part], parts_[part + 1] - parts_[part]),
                         block.code, kResidentPiece);
  }
  const std::size_t tasks =
      unit.tasks_.size() * (sizeof(Task) + sizeof(Best) + sizeof plan.order[0]);
  memory.host += units_->held(block.held(), tasks) + static_cast<std::uint64_t>(target_symbols_);
  return memory;
}

std::optional<Unit> Run::next() {
  options_.check_stop();
  units_->start(options_.workers(*options_.variant),
                [this](std::size_t number) { return Worker(*this, number); });
  auto unit = units_->next();
  if (!unit) return std::nullopt;
  totals_.computed_by(unit->variant);
  if (host_) totals_.device = "host";
  if (options_.check) totals_.checked += unit->check();
  if (best_) unit->before_ = std::exchange(best_, std::nullopt);
  if (unit->goes_on_ && options_.wanted == Wanted::kBest) best_ = unit->best_of(unit->end - 1);
  totals_.add(*unit);
  if (unit->last) totals_.queries += static_cast<double>(unit->block->queries.size());
  return unit;
}

void Run::release(const Unit& unit) {
  if (options_.progress) options_.progress({0, 0, totals_.cells, unit.block->ends});
  units_->release(unit);
}

Totals search(Source queries, std::span<const seq::Sequence> targets, const Options& options,
              const std::function<void(const Occurrence&)>& take) {
  Run run(std::move(queries), targets, options);
  while (const auto unit = run.next()) {
    const Block& block = *unit->block;
    batch::in_order(
        unit->end - unit->first, batch::threads_of(options.threads),
        [&](std::size_t i) { return unit->hits(unit->first + i); },
        [&](const std::vector<Hit>& hits) {
          for (const Hit& hit : hits)
            take({block.names[hit.query],
                  targets.empty() ? block.target_names[hit.target]
                                  : std::string_view(targets[hit.target].name),
                  block.queries[hit.query].size(),
                  targets.empty() ? block.targets[hit.target].size()
                                  : targets[hit.target].symbols.size(),
                  hit});
        });
    run.release(*unit);
  }
  run.check();
  return run.totals();
}

}  // namespace rhomb::search
