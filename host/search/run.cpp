// SPDX-License-Identifier: Apache-2.0
#include "host/search/run.h"

#include <algorithm>
#include <array>
#include <utility>

#include "host/batch/threads.h"
#include "host/search/occurrence.h"
#include "host/search/setting.h"
#include "host/seq/symbols.h"

namespace rhomb::search {
namespace {

/// Blocks in memory at a time: one being read, some on their way, one being printed.
constexpr std::size_t kBlocks = 5;
constexpr std::size_t kFirstBlock = std::size_t{1} << 20, kMostBlock = std::size_t{64} << 20;

/// What a query stands for: its symbols, which may have room for as many more, and packed once
/// more; places and views.
std::size_t cost_of(std::size_t symbols, std::size_t names) {
  return 5 * symbols / 2 + 2 * names + 6 * sizeof(std::string_view);
}

/// Host memory that a task takes: itself, as the device has it, answers.
constexpr std::size_t kTaskBytes = 112;
constexpr std::size_t kMostTasks = std::size_t{4} << 20;

/// Symbols of a piece: long ones spend less on what comes before, short ones make many tasks, which
/// a GPU needs.
constexpr std::uint32_t kShortest = 512, kLongest = 32768;
constexpr double kTasksOfGpu = 1 << 20, kTasksOfCpu = 1 << 12;

/// Texts stay on a device for pieces up to this length.
constexpr std::uint32_t kResidentPiece = 1 << 20;

/// Cells that the host goes through before a program is built, or a device opened.
constexpr double kSmall = 1e6;

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
    : options_(std::move(options)), workers_([this] { stop(); }) {
  std::array<bool, 256> present{};
  for (const seq::Sequence& target : targets) {
    targets_.emplace_back(target.symbols);
    target_symbols_ += static_cast<double>(target.symbols.size());
    longest_target_ = std::max(longest_target_, target.symbols.size());
    seq::mark_symbols(present, target.symbols);
  }
  target_alphabet_ = seq::symbols_of(present);
  host_ = options_.variant == nullptr && options_.config.values().empty();  // so far
  if (options_.variant == nullptr) options_.variant = &variants().front();
  const bool opencl = options_.variant->uses_opencl();
  gpu_ = options_.variant->uses_cuda();
  // A position is a number of 32 bits; eight planes are the most that a text takes.
  std::uint64_t most = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 22);
  for (const batch::DeviceChoice& device : options_.devices) {
    gpu_ = gpu_ || device.info->limits.gpu;
    most = std::min<std::uint64_t>(
        most, std::max<std::uint64_t>(device.info->limits.alloc_bytes, 2 * kResidentPiece) -
                  kResidentPiece);
    totals_.device += (totals_.device.empty() ? "" : ", ") + device.info->name;
  }
  if (options_.variant->uses_cuda()) totals_.device = options_.variant->cuda_device().name;
  if (totals_.device.empty()) totals_.device = "host";
  totals_.variant = options_.variant->name;
  parts_ = parts_of_texts(targets_, most);
  slots_ = !opencl ? 1 : gpu_ ? 3 : 2;
  most_units_ = slots_ * std::max<std::size_t>(1, options_.devices.size()) + 2;
  most_tasks_ =
      std::clamp<std::size_t>(options_.memory / 2 / most_units_ / kTaskBytes, 1, kMostTasks);
  reader_.emplace(
      batch::BlockSizes{options_.memory / 2, kBlocks, kFirstBlock, kMostBlock},
      [this, source = std::move(queries)](batch::Reader<Block>& reader) { read(reader, source); },
      [this](Block& block) { close(block); });
}

Run::~Run() = default;

const Variant* Run::find_host() { return &variants().back(); }

/// In the reader's thread.
void Run::read(batch::Reader<Block>& reader, const Source& source) {
  const trace::Scope scope(options_.trace, trace::Work::kRead, source.name);
  Entry entry;
  while (source.next(entry)) {
    const std::size_t symbols = options_.strands() * entry.query.size() + entry.target.size();
    Block* const block =
        reader.room_for(cost_of(symbols, entry.query_name.size() + entry.target_name.size()),
                        source.part ? source.part() : 0);
    if (block == nullptr) return;
    if (options_.both_strands)
      block->reversed.add(reverse_complement(
          entry.query, targets_.empty() ? std::string_view(entry.target) : target_alphabet_));
    block->symbols += static_cast<double>(entry.query.size());
    block->names.add(entry.query_name);
    block->queries.add(entry.query);
    if (!targets_.empty()) continue;
    block->cells +=
        static_cast<double>(entry.query.size()) * static_cast<double>(entry.target.size());
    block->target_names.add(entry.target_name);
    block->targets.add(entry.target);
  }
}

void Run::close(Block& block) {
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

/// Makes the next block the one that units are cut from; only one thread at a time.
bool Run::take_block(bool wait) {
  auto read = reader_->next(wait);
  if (!read) return false;
  Block& block = [&]() -> Block& {
    const std::lock_guard lock(mutex_);
    return blocks_.emplace_back(std::move(*read));
  }();
  current_ = &block;
  query_ = target_ = 0;
  for (std::size_t i = 0; i < block.queries.size(); ++i) {
    block.views.push_back(block.queries[i]);
    if (options_.both_strands) block.views.push_back(block.reversed[i]);
  }
  block.own_targets = block.targets.views();
  block.piece = piece_of(block);
  const double cells = (targets_.empty() ? block.cells : block.symbols * target_symbols_) *
                       static_cast<double>(options_.strands());
  if (block.number == 0) host_ = host_ && !block.more && cells <= kSmall;
  return true;
}

/// The next unit of the current block, without its tasks.
void Run::cut(Unit& unit) {
  const Block& block = *current_;
  const bool pairs = targets_.empty();
  const auto count = pairs ? 1 : targets_.size();
  const auto part_of = [&](std::size_t target) {
    return static_cast<std::size_t>(std::ranges::upper_bound(parts_, target) - parts_.begin()) - 1;
  };
  unit.number = units_++;
  unit.block = &block;
  unit.options_ = &options_;
  unit.first = query_;
  unit.first_target_ = target_;
  unit.part_ = pairs ? 0 : part_of(target_);
  std::size_t tasks = 0;
  for (;;) {
    // The end of the part, or a query that may go on in the next one.
    const std::size_t stop = pairs ? 1 : parts_[unit.part_ + 1];
    while (target_ < stop) {
      const std::size_t more =
          options_.strands() * (pairs ? 1 : pieces_of(targets_[target_].size(), block.piece));
      if (tasks > 0 && tasks + more > most_tasks_) break;
      tasks += more;
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
  if (unit.last) current_ = nullptr;
}

/// The next unit, with its tasks; nothing at the end, or if it should not wait and there is none
/// yet.
std::optional<Unit> Run::take(bool wait) {
  Unit unit;
  {
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
  }
  make_tasks(unit);
  return unit;
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

/// What a thread needs for a device.
struct Run::Worker {
  struct Slot {
    AsyncBatch batch;
    std::optional<Unit> unit;
  };

  Worker(const Options& its_options, ocl::Device* its_device)
      : options(its_options), device(its_device) {}

  /// Makes sure that the device has the targets in the unit's code. False if units on their way
  /// still need them in another.
  bool keep(const Unit& unit, std::span<const std::string_view> targets,
            std::span<const std::size_t> parts) {
    if (targets.empty() || device == nullptr) return true;
    std::uint32_t longest = 0;
    for (const Task& task : unit.problem().tasks) longest = std::max(longest, task.length);
    if (!resident.empty() && resident.front().fits(unit.block->code) && longest <= piece)
      return true;
    if (!busy.empty()) return false;
    piece = std::max(longest, kResidentPiece);
    resident.clear();
    for (std::size_t part = 0; part + 1 < parts.size(); ++part)
      resident.emplace_back(*device, targets.subspan(parts[part], parts[part + 1] - parts[part]),
                            unit.block->code, piece);
    return true;
  }

  void start(Unit&& unit, const Variant& variant) {
    Slot slot = std::move(free.front());
    free.pop_front();
    Problem problem = unit.problem();
    problem.resident = resident.empty() ? nullptr : &resident[unit.part_];
    trace::Scope planning(options.trace, trace::Work::kPack, "order of tasks");
    Plan plan = plan_tuned(options.store, device != nullptr ? &device->info() : nullptr, variant,
                           problem, options.config)
                    .plan;
    planning.end();
    slot.batch.start(variant, std::move(plan), problem);
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
    return unit;
  }

  const Options& options;
  ocl::Device* device;
  std::deque<ResidentTexts> resident;  // a part each
  std::uint32_t piece = 0;             // that they were packed for
  std::deque<Slot> free, busy;
};

void Run::work(std::size_t number) {
  std::optional<Unit> unit = take(true);
  if (!unit) return;
  const Variant& chosen = variant();
  if (chosen.uses_opencl() && options_.devices.empty())
    throw UsageError("variant '" + totals_.variant + "' needs an OpenCL device");
  Worker worker(options_, chosen.uses_opencl() ? &options_.devices[number].open() : nullptr);
  for (std::size_t queue = 0; queue < slots_; ++queue)
    worker.free.push_back({AsyncBatch(worker.device, queue), std::nullopt});
  for (;;) {
    while (!worker.free.empty()) {
      if (!unit) unit = take(worker.busy.empty());
      if (!unit || !worker.keep(*unit, targets_, parts_)) break;
      worker.start(std::move(*unit), chosen);
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

std::optional<Unit> Run::next() {
  if (options_.stop.stop_requested()) throw Error(Kind::kStopped, "the search was stopped");
  if (!std::exchange(started_, true))
    workers_.start(
        options_.variant->uses_opencl() ? std::max<std::size_t>(1, options_.devices.size()) : 1,
        [this](std::size_t number) { work(number); });
  auto unit = workers_.next();
  if (!unit) return std::nullopt;
  if (host_) {
    totals_.variant = find_host()->name;
    totals_.device = "host";
  }
  if (options_.check) totals_.checked += unit->check();
  if (best_) unit->before_ = std::exchange(best_, std::nullopt);
  if (unit->goes_on_ && options_.wanted == Wanted::kBest) best_ = unit->best_of(unit->end - 1);
  totals_.cells += unit->answer.cells;
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

Totals search(Source queries, std::span<const seq::Sequence> targets, const Options& options,
              const std::function<void(const Occurrence&)>& take,
              const std::function<void(const Progress&)>& progress) {
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
    if (progress) progress({0, 0, run.totals().cells, block.ends});
    run.release(*unit);
  }
  run.check();
  return run.totals();
}

}  // namespace rhomb::search
