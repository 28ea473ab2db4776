// SPDX-License-Identifier: Apache-2.0
#include "host/gaps/run.h"

#include <algorithm>
#include <deque>
#include <random>
#include <utility>

#include "host/batch/threads.h"
#include "host/engine/another.h"
#include "host/engine/solve.h"
#include "host/gaps/internal.h"
#include "host/gaps/reference.h"
#include "host/tune/setting.h"

namespace rhomb::gaps {
namespace {

/// Tasks of a unit: enough for a GPU to be busy for a while.
constexpr std::size_t kMostTasks = std::size_t{1} << 20;

/// Host memory that an entry takes: its symbols, once more as the device has them, names, views.
std::size_t cost_of(const Entry& entry) {
  return 2 * (entry.query.size() + entry.target.size()) + entry.query_name.size() +
         entry.target_name.size() + 8 * sizeof(std::string_view);
}

/// The beginnings of a few targets, to learn whether the programs for these queries pass their
/// self-tests.
void try_some(ocl::Device* device, const Variant& variant, Problem problem) {
  std::vector<std::string_view> some;
  std::vector<Task> tasks;
  for (const Task& task : problem.tasks.first(std::min<std::size_t>(problem.tasks.size(), 32))) {
    tasks.push_back({task.query, static_cast<std::uint32_t>(some.size())});
    some.push_back(problem.targets[task.target].substr(0, 256));
  }
  problem.targets = some;
  problem.tasks = tasks;
  solve(device, variant, problem, {});
}

/// Host memory that a task takes: as given, ordered and for the device, and what comes of it.
std::size_t task_bytes(const Options& options) {
  const auto layers = static_cast<std::size_t>(options.rules.gaps) + 1;
  return 160 + 16 * layers + (options.align ? 160 + 24 * layers : 0);
}

}  // namespace

TunedPlan plan_tuned(const tune::Store* store, const ocl::DeviceInfo* device,
                     const Variant& variant, const Problem& problem, const tune::Config& asked) {
  const ocl::Limits limits = variant.uses_cuda() ? variant.cuda_device().limits
                             : device != nullptr ? device->limits
                                                 : ocl::Limits{};
  TunedPlan made{engine::plan(variant, problem, limits, asked), {}};
  const int planes = made.plan.symbols.all.size() <= 4 ? 2 : 8;
  tune::Looked looked = tune::look_up(store, device, "gaps", variant,
                                      tune::middle_length(problem.queries), planes, asked);
  if (looked.setting && !looked.setting->trial.config.values().empty()) {
    const tune::Trial& trial = looked.setting->trial;
    const bool alike = std::ranges::all_of(problem.queries, [&](std::string_view query) {
      return static_cast<std::int64_t>(query.size()) == trial.task.length;
    });
    constexpr int kTuned = 2;  // gaps that settings are measured with
    try {
      if (std::abs(problem.rules.gaps - kTuned) > 1)
        looked.match = "none; they are measured with " + std::to_string(kTuned) + " gaps";
      else if (alike)
        made.plan = engine::plan(variant, problem, limits, trial.config);
      else
        looked.match = "none; the one there is for queries of " +
                       std::to_string(trial.task.length) + " symbols, these have other lengths";
    } catch (const tune::Unfit& error) {
      looked.match = std::string("none; the one for such queries does not fit: ") + error.what();
    } catch (const UsageError&) {
      looked.match = "none; the one for such queries is of another version";
    }
  }
  made.match = std::move(looked.match);
  return made;
}

Problem Unit::problem(bool align) const {
  Problem problem;
  problem.queries = queries_;
  problem.targets = targets_;
  problem.tasks = tasks;
  problem.scoring = options_->scoring;
  problem.rules = options_->rules;
  problem.align = align;
  problem.threads = options_->threads;
  problem.trace = options_->trace;
  problem.progress = [options = options_](const Progress&) { options->check_stop(); };
  return problem;
}

std::uint64_t Unit::check() const {
  constexpr double kSample = 1e8;  // cells of all layers
  const auto texts_of = [&](const Found& one) {
    return std::pair(queries_[one.query - first_], targets_[one.target - first_target_]);
  };
  const auto cells_of = [&](const Found& one) {
    const auto [query, target] = texts_of(one);
    return static_cast<double>(query.size()) * static_cast<double>(target.size()) *
           (options_->rules.gaps + 1);
  };
  double all = 0;
  for (const Found& one : found) all += cells_of(one);
  std::mt19937_64 random(number);
  std::vector<std::size_t> sample;
  double cells = 0;
  for (std::size_t i = 0; i < found.size() && (all <= kSample || cells < kSample); ++i) {
    sample.push_back(all <= kSample ? i : random() % found.size());
    cells += cells_of(found[sample.back()]);
  }
  const auto shown = [&](const Best& best) {
    return best.found() ? options_->scoring->text(best.score) + " at " + std::to_string(best.end) +
                              " with " + std::to_string(best.gaps) + " gaps"
                        : std::string("nothing");
  };
  const auto compare = [&](std::size_t i) {
    const Found& one = found[sample[i]];
    const auto [query, target] = texts_of(one);
    const Best expected = reference::best(query, target, *options_->scoring, options_->rules);
    if (!(one.best == expected))
      throw CheckError("check failed: query " + std::string(block->names[one.query]) + ", target " +
                       std::to_string(one.target + 1) + ": " + shown(one.best) + ", but it is " +
                       shown(expected) + "; please report this with the input");
  };
  batch::dealt(sample.size(), batch::threads_of(options_->threads), compare);
  return sample.size();
}

/// What of the answer is wanted becomes `found`; its alignments follow.
void Unit::choose() {
  const bool filters = options_->top || options_->least;
  std::size_t query = 0, begin = 0;  // of the query's in `found`
  const auto rank = [&] {
    if (!options_->top) return;
    const auto from = found.begin() + static_cast<std::ptrdiff_t>(begin);
    std::ranges::stable_sort(from, found.end(), std::ranges::greater{},
                             [](const Found& one) { return one.best.score; });
    if (found.size() - begin > *options_->top) found.resize(begin + *options_->top);
  };
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].query != query) {
      rank();
      query = tasks[i].query;
      begin = found.size();
    }
    const Best& best = answer.best[i];
    if (filters && (!best.found() || (options_->least && best.score < *options_->least))) continue;
    found.push_back({first_ + tasks[i].query, first_target_ + tasks[i].target, best, {}});
    if (!answer.alignments.empty()) found.back().alignment = std::move(answer.alignments[i]);
  }
  rank();
  answer.best = {};
  answer.alignments = {};
}

Run::Run(Source queries, std::span<const seq::Sequence> targets, Options options)
    : options_(std::move(options)) {
  Problem rules;
  rules.scoring = options_.scoring;
  rules.rules = options_.rules;
  check_problem(rules);
  for (const seq::Sequence& target : targets) {
    targets_.emplace_back(target.symbols);
    target_symbols_ += static_cast<double>(target.symbols.size());
  }
  host_ = options_.free_choice();  // so far
  asked_ = !host_;
  if (options_.variant == nullptr) options_.variant = &variants().front();
  const Variant& chosen = *options_.variant;
  totals_.device = options_.names(chosen);
  totals_.variant = chosen.name;
  slots_ = chosen.uses_opencl() ? 3 : 1;
  const std::size_t units = batch::most_units(options_.workers(chosen), slots_);
  most_tasks_ =
      std::clamp<std::size_t>(options_.memory / 2 / units / task_bytes(options_), 1, kMostTasks);
  const auto read = [this, targets, source = std::move(queries)](batch::Reader<Block>& reader) {
    const trace::Scope scope(options_.trace, trace::Work::kRead, source.name);
    for (const seq::Sequence& target : targets) check_symbols("", target.name, target.symbols);
    batch::read_entries(reader, source, targets.empty(), [&](const Entry& entry) {
      check_symbols(source.name, entry.query_name, entry.query);
      check_symbols(source.name, entry.target_name, entry.target);
      return cost_of(entry);
    });
  };
  units_.emplace(batch::entry_blocks(options_.memory), units,
                 decltype(units_)::value_type::Steps{
                     read, [](Block&) {}, [this](Block& block) { open(block); },
                     [this](Unit& unit) { cut(unit); }, [this](Unit& unit) { make_tasks(unit); }});
}

Run::~Run() = default;

void Run::check_symbols(const std::string& file, const std::string& name,
                        std::string_view symbols) const {
  bool all = true;
  for (const char symbol : symbols)
    all &= options_.scoring->known[static_cast<unsigned char>(symbol)];
  if (all) return;
  const auto wrong = std::ranges::find_if(symbols, [&](char symbol) {
    return !options_.scoring->known[static_cast<unsigned char>(symbol)];
  });
  throw InputError(file, name, 0,
                   "the symbol '" + std::string(1, *wrong) + "' at position " +
                       std::to_string(wrong - symbols.begin() + 1) + " has no score in " +
                       options_.scoring->name);
}

void Run::open(Block& block) {
  block.query_views = block.queries.views();
  block.target_views = block.targets.views();
  query_ = target_ = 0;
  const double cells = (targets_.empty() ? block.cells : block.symbols * target_symbols_) *
                       (options_.rules.gaps + 1);
  host_ = host_ && block.alone() && cells <= batch::kSmall;
}

/// The next unit of the current block: whole queries with all targets as long as there is room, or
/// a part of one query's targets.
void Run::cut(Unit& unit) {
  const Block& block = *unit.block;
  const bool pairs = targets_.empty();
  const std::size_t count = pairs ? 1 : targets_.size();
  unit.options_ = &options_;
  unit.first_ = query_;
  unit.first_target_ = pairs ? query_ : target_;
  const std::size_t whole = std::max<std::size_t>(1, most_tasks_ / count);
  if (target_ > 0 || count > most_tasks_) {
    const std::size_t end = std::min(count, target_ + most_tasks_);
    unit.targets_ = std::span(targets_).subspan(target_, end - target_);
    unit.end_ = query_ + 1;
    unit.goes_on_ = end < count;
    target_ = unit.goes_on_ ? end : 0;
    if (!unit.goes_on_) ++query_;
  } else {
    unit.end_ = std::min(block.queries.size(), query_ + whole);
    query_ = unit.end_;
    unit.targets_ = pairs ? std::span<const std::string_view>(block.target_views)
                                .subspan(unit.first_, unit.end_ - unit.first_)
                          : std::span<const std::string_view>(targets_);
  }
  unit.queries_ = std::span<const std::string_view>(block.query_views)
                      .subspan(unit.first_, unit.end_ - unit.first_);
  unit.last = query_ == block.queries.size();
}

void Run::make_tasks(Unit& unit) const {
  const bool pairs = targets_.empty();
  unit.tasks.reserve(unit.queries_.size() * (pairs ? 1 : unit.targets_.size()));
  for (std::uint32_t query = 0; query < unit.queries_.size(); ++query)
    if (pairs)
      unit.tasks.push_back({query, query});
    else
      for (std::uint32_t target = 0; target < unit.targets_.size(); ++target)
        unit.tasks.push_back({query, target});
}

/// What a thread does on a device.
struct Run::Worker {
  Worker(const Run& run, std::size_t number)
      : options(run.options_),
        asked(run.asked_),
        variant(run.variant()),
        device(options.open(variant, number)),
        second(device) {
    for (std::size_t queue = 0; queue < run.slots_; ++queue) batches.emplace_back(device, queue);
    computing.resize(batches.size());
  }

  std::size_t slots() const { return batches.size(); }

  /// Starts a batch, and says which variant computes it.
  std::string_view begin(AsyncBatch& batch, const Problem& problem) const {
    const auto by = [&](const Variant& one) {
      trace::Scope planning(options.trace, trace::Work::kPack, "order of tasks");
      Plan plan = plan_tuned(options.store, device != nullptr ? &device->info() : nullptr, one,
                             problem, options.config)
                      .plan;
      planning.end();
      batch.start(one, std::move(plan), problem);
      return one.name;
    };
    return engine::with_another(
        {device, asked, [&] { return cells_of(problem) * (problem.rules.gaps + 1); }}, variants(),
        [&] { return by(variant); }, by,
        [&](const Variant& other) { try_some(device, other, problem); });
  }

  /// Whether all alignments are computed at once, because all are wanted.
  bool at_once() const { return options.align && !options.top && !options.least; }

  bool start(std::size_t slot, const Unit& unit, bool) {
    computing[slot] = begin(batches[slot], unit.problem(at_once()));
    return true;
  }

  void finish(std::size_t slot, Unit& unit) {
    unit.answer = batches[slot].finish();
    unit.variant = computing[slot];
    unit.choose();
    if (options.align && !at_once()) align(unit);
  }

  /// Alignments of what was chosen by scores.
  void align(Unit& unit) {
    std::vector<Task> tasks;
    for (const Found& found : unit.found)
      tasks.push_back({static_cast<std::uint32_t>(found.query - unit.first_query()),
                       static_cast<std::uint32_t>(found.target - unit.first_target())});
    if (tasks.empty()) return;
    Problem problem = unit.problem(true);
    problem.tasks = tasks;
    begin(second, problem);
    Answer answer = second.finish();
    for (std::size_t i = 0; i < tasks.size(); ++i)
      unit.found[i].alignment = std::move(answer.alignments[i]);
    unit.answer.compute += answer.compute;
    unit.answer.build += answer.build;
    unit.answer.transfer += answer.transfer;
  }

  void done() {
    if (device != nullptr) device->record();
  }

  const Options& options;
  const bool asked;  // for a variant or tunables
  const Variant& variant;
  ocl::Device* const device;
  std::vector<AsyncBatch> batches;
  std::vector<std::string_view> computing;  // the variant in each
  AsyncBatch second;
};

std::optional<Unit> Run::largest() {
  auto unit = units_->largest();
  if (!unit) check();
  return unit;
}

batch::Memory Run::memory(const Unit& unit, const Plan& plan) const {
  const Block& block = *unit.block;
  batch::Memory memory;
  if (!host_ && !variant().on_host) {
    const bool at_once = options_.align && !options_.top && !options_.least;
    const double slots = plan.shapes.empty() ? 1 : static_cast<double>(slots_);
    memory.add(batch_memory(plan, unit.problem(at_once), units_->all() > slots),
               std::min(slots, units_->all()), static_cast<double>(options_.workers(variant())));
  }
  // Of an alignment the runs are in memory of their own.
  const std::size_t runs = 2 * static_cast<std::size_t>(options_.rules.gaps) + 1;
  const std::size_t each = sizeof(Task) + sizeof(Found) +
                           (options_.align ? 2 * sizeof(void*) + runs * sizeof(OpRun) : 0);
  memory.host += units_->held(block.held(), unit.tasks.size() * each) +
                 static_cast<std::uint64_t>(target_symbols_);
  return memory;
}

/// With `top`, a query that goes on in the next unit is told with that.
void Run::merge(Unit& unit) {
  if (!options_.top) return;
  if (!held_.empty()) {
    const auto end = std::ranges::find_if(
        unit.found, [&](const Found& one) { return one.query != unit.first_query(); });
    std::ranges::move(unit.found.begin(), end, std::back_inserter(held_));
    unit.found.erase(unit.found.begin(), end);
    std::ranges::stable_sort(held_, std::ranges::greater{},
                             [](const Found& one) { return one.best.score; });
    if (held_.size() > *options_.top) held_.resize(*options_.top);
    unit.found.insert(unit.found.begin(), std::make_move_iterator(held_.begin()),
                      std::make_move_iterator(held_.end()));
    held_.clear();
  }
  if (unit.goes_on_) {
    // It is the only query of the unit.
    held_ = std::move(unit.found);
    unit.found.clear();
  }
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
  merge(*unit);
  totals_.add(*unit);
  totals_.pairs += static_cast<double>(unit->tasks.size());
  if (unit->last) totals_.queries += static_cast<double>(unit->block->queries.size());
  return unit;
}

void Run::release(const Unit& unit) {
  if (options_.progress) options_.progress({0, 0, totals_.cells, unit.block->ends});
  units_->release(unit);
}

Totals gaps(Source queries, std::span<const seq::Sequence> targets, const Options& options,
            const std::function<void(const Aligned&)>& take) {
  Run run(std::move(queries), targets, options);
  while (const auto unit = run.next()) {
    const Block& block = *unit->block;
    for (const Found& found : unit->found) {
      const bool own = targets.empty();
      const std::string_view query = block.queries[found.query];
      const std::string_view target =
          own ? block.targets[found.target] : std::string_view(targets[found.target].symbols);
      std::optional<Replayed> replayed;
      if (options.align && found.best.found())
        replayed = prove(found.alignment, found.best, query, target, *options.scoring,
                         options.rules, true);
      take({block.names[found.query],
            own ? block.target_names[found.target] : std::string_view(targets[found.target].name),
            query.size(), target.size(), found, replayed ? &*replayed : nullptr});
    }
    run.release(*unit);
  }
  run.check();
  return run.totals();
}

}  // namespace rhomb::gaps
