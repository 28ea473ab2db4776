// SPDX-License-Identifier: Apache-2.0
#include "host/gaps/run.h"

#include <algorithm>
#include <deque>
#include <random>
#include <utility>

#include "host/batch/threads.h"
#include "host/engine/solve.h"
#include "host/gaps/internal.h"
#include "host/gaps/reference.h"
#include "host/tune/setting.h"

namespace rhomb::gaps {
namespace {

/// Blocks in memory at a time: one being read, some on their way, one being printed.
constexpr std::size_t kBlocks = 5;
constexpr std::size_t kFirstBlock = std::size_t{1} << 20, kMostBlock = std::size_t{64} << 20;

/// Cells of all layers that the host goes through before a program is built, or a device opened.
constexpr double kSmall = 1e6;

/// Tasks and cells of a unit: enough for a GPU to be busy for a while.
constexpr std::size_t kMostTasks = std::size_t{1} << 20;

/// Host memory that an entry takes: its symbols, once more as the device has them, names, views.
std::size_t cost_of(const Entry& entry) {
  return 2 * (entry.query.size() + entry.target.size()) + entry.query_name.size() +
         entry.target_name.size() + 8 * sizeof(std::string_view);
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
    return true;
  };
  batch::in_order(sample.size(), batch::threads_of(options_->threads), compare, [](bool) {});
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
    : options_(std::move(options)), records_(targets), workers_([this] { stop(); }) {
  Problem rules;
  rules.scoring = options_.scoring;
  rules.rules = options_.rules;
  check_problem(rules);
  for (const seq::Sequence& target : targets) {
    targets_.emplace_back(target.symbols);
    target_symbols_ += static_cast<double>(target.symbols.size());
  }
  host_ = options_.variant == nullptr && options_.config.values().empty();  // so far
  if (options_.variant == nullptr) options_.variant = &variants().front();
  for (const batch::DeviceChoice& device : options_.devices)
    if (device.info != nullptr)
      totals_.device += (totals_.device.empty() ? "" : ", ") + device.info->name;
  if (options_.variant->uses_cuda()) totals_.device = options_.variant->cuda_device().name;
  if (totals_.device.empty() || options_.variant->on_host) totals_.device = "host";
  totals_.variant = options_.variant->name;
  slots_ = options_.variant->uses_opencl() ? 3 : 1;
  most_units_ = slots_ * std::max<std::size_t>(1, options_.devices.size()) + 2;
  most_tasks_ = std::clamp<std::size_t>(options_.memory / 2 / most_units_ / task_bytes(options_), 1,
                                        kMostTasks);
  reader_.emplace(
      batch::BlockSizes{options_.memory / 2, kBlocks, kFirstBlock, kMostBlock},
      [this, source = std::move(queries)](batch::Reader<Block>& reader) { read(reader, source); },
      [](Block&) {});
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

/// In the reader's thread.
void Run::read(batch::Reader<Block>& reader, const Source& source) {
  const trace::Scope scope(options_.trace, trace::Work::kRead, source.name);
  for (const seq::Sequence& target : records_) check_symbols("", target.name, target.symbols);
  Entry entry;
  while (source.next(entry)) {
    check_symbols(source.name, entry.query_name, entry.query);
    Block* const block = reader.room_for(cost_of(entry), source.part ? source.part() : 0);
    if (block == nullptr) return;
    block->symbols += static_cast<double>(entry.query.size());
    block->names.add(entry.query_name);
    block->queries.add(entry.query);
    if (!targets_.empty()) continue;
    check_symbols(source.name, entry.target_name, entry.target);
    block->cells +=
        static_cast<double>(entry.query.size()) * static_cast<double>(entry.target.size());
    block->target_names.add(entry.target_name);
    block->targets.add(entry.target);
  }
}

/// Makes the next block the one that units are cut from; only one thread at a time.
bool Run::take_block(bool wait) {
  auto read = reader_->next(wait);
  if (!read) return false;
  Block& block = [&]() -> Block& {
    const std::lock_guard lock(mutex_);
    return blocks_.emplace_back(std::move(*read));
  }();
  // Views are into memory that has moved with the block.
  block.query_views = block.queries.views();
  block.target_views = block.targets.views();
  current_ = &block;
  query_ = target_ = 0;
  const double cells = (targets_.empty() ? block.cells : block.symbols * target_symbols_) *
                       (options_.rules.gaps + 1);
  if (block.number == 0) host_ = host_ && !block.more && cells <= kSmall;
  return true;
}

/// The next unit of the current block: whole queries with all targets as long as there is room, or
/// a part of one query's targets.
void Run::cut(Unit& unit) {
  const Block& block = *current_;
  const bool pairs = targets_.empty();
  const std::size_t count = pairs ? 1 : targets_.size();
  unit.number = units_++;
  unit.block = &block;
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
  if (unit.last) current_ = nullptr;
  for (std::uint32_t query = 0; query < unit.queries_.size(); ++query)
    if (pairs)
      unit.tasks.push_back({query, query});
    else
      for (std::uint32_t target = 0; target < unit.targets_.size(); ++target)
        unit.tasks.push_back({query, target});
}

/// The next unit; nothing at the end, or if it should not wait and there is none yet.
std::optional<Unit> Run::take(bool wait) {
  Unit unit;
  std::unique_lock cutting(cutting_, std::defer_lock);
  if (wait)
    cutting.lock();
  else if (!cutting.try_lock())
    return std::nullopt;
  {
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return stopped_ || outstanding_ < most_units_; };
    if (wait) changed_.wait(lock, ready);
    if (stopped_ || !ready()) return std::nullopt;
    ++outstanding_;
  }
  if (current_ == nullptr && !take_block(wait)) {
    const std::lock_guard lock(mutex_);
    --outstanding_;
    changed_.notify_all();
    return std::nullopt;
  }
  cut(unit);
  return unit;
}

/// What a thread needs for a device.
struct Run::Worker {
  struct Slot {
    AsyncBatch batch;
    std::optional<Unit> unit;
  };

  Worker(const Options& its_options, ocl::Device* its_device, const Variant& its_variant,
         std::size_t slots)
      : options(its_options), device(its_device), variant(its_variant), second(its_device) {
    for (std::size_t queue = 0; queue < slots; ++queue)
      free.push_back({AsyncBatch(device, queue), std::nullopt});
  }

  Plan plan(const Problem& problem) const {
    const trace::Scope planning(options.trace, trace::Work::kPack, "order of tasks");
    return plan_tuned(options.store, device != nullptr ? &device->info() : nullptr, variant,
                      problem, options.config)
        .plan;
  }

  /// Whether all alignments are computed at once, because all are wanted.
  bool at_once() const { return options.align && !options.top && !options.least; }

  void start(Unit&& unit) {
    Slot slot = std::move(free.front());
    free.pop_front();
    const Problem problem = unit.problem(at_once());
    slot.batch.start(variant, plan(problem), problem);
    slot.unit = std::move(unit);
    busy.push_back(std::move(slot));
  }

  Unit finish() {
    Slot slot = std::move(busy.front());
    busy.pop_front();
    slot.unit->answer = slot.batch.finish();
    Unit unit = std::move(*slot.unit);
    slot.unit.reset();
    free.push_back(std::move(slot));
    unit.choose();
    if (options.align && !at_once()) align(unit);
    return unit;
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
    second.start(variant, plan(problem), problem);
    Answer answer = second.finish();
    for (std::size_t i = 0; i < tasks.size(); ++i)
      unit.found[i].alignment = std::move(answer.alignments[i]);
    unit.answer.compute += answer.compute;
    unit.answer.build += answer.build;
    unit.answer.transfer += answer.transfer;
  }

  const Options& options;
  ocl::Device* device;
  const Variant& variant;
  std::deque<Slot> free, busy;
  AsyncBatch second;
};

void Run::work(std::size_t number) {
  std::optional<Unit> unit = take(true);
  if (!unit) return;
  const Variant& chosen = variant();
  if (chosen.uses_opencl() && options_.devices.empty())
    throw UsageError("variant '" + totals_.variant + "' needs an OpenCL device");
  Worker worker(options_, chosen.uses_opencl() ? &options_.devices[number].open() : nullptr, chosen,
                slots_);
  for (;;) {
    while (!worker.free.empty()) {
      if (!unit) unit = take(worker.busy.empty());
      if (!unit) break;
      worker.start(std::move(*unit));
      unit.reset();
    }
    if (worker.busy.empty() || !workers_.put(worker.finish())) break;
  }
  if (worker.device != nullptr && !workers_.stopped()) worker.device->record();
}

void Run::stop() {
  if (reader_) reader_->stop();
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

std::optional<Unit> Run::first() {
  auto unit = take(true);
  if (!unit) check();
  return unit;
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
  if (options_.stop.stop_requested()) throw Error(Kind::kStopped, "the run was stopped");
  if (!std::exchange(started_, true))
    workers_.start(
        options_.variant->uses_opencl() ? std::max<std::size_t>(1, options_.devices.size()) : 1,
        [this](std::size_t number) { work(number); });
  auto unit = workers_.next();
  if (!unit) return std::nullopt;
  if (host_) {
    totals_.variant = variants().back().name;
    totals_.device = "host";
  }
  if (options_.check) totals_.checked += unit->check();
  merge(*unit);
  totals_.cells += unit->answer.cells;
  totals_.pairs += static_cast<double>(unit->tasks.size());
  totals_.compute += unit->answer.compute;
  totals_.build += unit->answer.build;
  totals_.transfer += unit->answer.transfer;
  totals_.config = unit->answer.config;
  if (unit->last) {
    totals_.queries += static_cast<double>(unit->block->queries.size());
    totals_.symbols += unit->block->symbols;
    ++totals_.blocks;
  }
  return unit;
}

void Run::release(const Unit& unit) {
  const std::size_t bytes = unit.last ? unit.block->bytes : 0;
  {
    const std::lock_guard lock(mutex_);
    if (unit.last) blocks_.pop_front();
    --outstanding_;
    changed_.notify_all();
  }
  reader_->release(bytes);
}

Totals gaps(Source queries, std::span<const seq::Sequence> targets, const Options& options,
            const std::function<void(const Aligned&)>& take,
            const std::function<void(const Progress&)>& progress) {
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
    if (progress) progress({0, 0, run.totals().cells, block.ends});
    run.release(*unit);
  }
  run.check();
  return run.totals();
}

}  // namespace rhomb::gaps
