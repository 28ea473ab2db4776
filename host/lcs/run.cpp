// SPDX-License-Identifier: Apache-2.0
#include "host/lcs/run.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "host/engine/another.h"
#include "host/lcs/rank.h"
#include "host/lcs/setting.h"
#include "host/lcs/subsequence.h"

namespace rhomb::lcs {
namespace {

/// Symbols of queries that go over a block together: the device has up to 64 bytes of each.
constexpr std::size_t kSetSymbols = std::size_t{4} << 20;

/// The first block is small; more than the most gains nothing.
constexpr std::size_t kFirstBlock = std::size_t{4} << 20, kMostBlock = std::size_t{128} << 20;

/// Ends a run that nobody waits for any more.
struct Stopped {};

/// Packing and copying take three bytes a symbol besides the symbol itself.
std::size_t cost_of(const seq::Sequence& target, std::size_t queries) {
  return 4 * target.symbols.size() + target.name.size() + sizeof target +
         2 * sizeof(std::string_view) + queries * sizeof(std::uint32_t);
}

/// The beginnings of a few targets, to learn whether the programs for a query pass their
/// self-tests.
void try_some(ocl::Device* device, const Variant& variant, Problem problem) {
  std::vector<std::string_view> some;
  for (const std::string_view target :
       problem.targets.first(std::min<std::size_t>(problem.targets.size(), 32)))
    some.push_back(target.substr(0, 256));
  problem.targets = some;
  problem.queries = problem.queries.first(1);
  problem.progress = {};
  lcs::solve(device, variant, problem, {});
}

}  // namespace

std::vector<std::vector<std::string_view>> query_sets(std::span<const seq::Sequence> queries) {
  std::vector<std::vector<std::string_view>> sets;
  std::size_t symbols = 0;
  for (const seq::Sequence& query : queries) {
    symbols += query.symbols.size();
    if (sets.empty() || symbols > kSetSymbols) {
      sets.emplace_back();
      symbols = query.symbols.size();
    }
    sets.back().emplace_back(query.symbols);
  }
  return sets;
}

std::vector<std::string_view> Block::views() const {
  std::vector<std::string_view> views;
  views.reserve(targets.size());
  for (const seq::Sequence& target : targets) views.emplace_back(target.symbols);
  return views;
}

Run::Run(std::span<const seq::Sequence> queries, Source targets, Options options)
    : options_(std::move(options)), queries_(queries), sets_(query_sets(queries)), workers_([this] {
        if (reader_) reader_->stop();
      }) {
  for (const auto& set : sets_) query_symbols_ += symbols_of(set);
  std::array<bool, 256> present{};
  for (const seq::Sequence& query : queries) seq::mark_symbols(present, query.symbols);
  query_alphabet_ = seq::symbols_of(present);
  totals_.device = batch::names_of(options_.devices);
  reader_.emplace(
      batch::BlockSizes{options_.memory, std::max<std::size_t>(1, options_.devices.size()) + 3,
                        kFirstBlock, kMostBlock},
      [this, source = std::move(targets)](batch::Reader<Block>& reader) { read(reader, source); },
      [this](Block& block) {
        block.code = seq::make_code(query_alphabet_, seq::symbols_of(present_), options_.ambiguous);
      });
}

/// In the reader's thread.
void Run::read(batch::Reader<Block>& reader, const Source& source) {
  const trace::Scope scope(options_.trace, trace::Work::kRead, source.name);
  seq::Sequence target;
  while (source.next(target)) {
    Block* const block = reader.room_for(cost_of(target, queries_.size()), source.part_read());
    if (block == nullptr) return;
    seq::mark_symbols(present_, target.symbols);
    block->symbols += static_cast<double>(target.symbols.size());
    block->targets.push_back(std::move(target));
  }
}

bool Run::on_host(const Block& block) const {
  return options_.free_choice() && block.alone() && query_symbols_ * block.symbols <= batch::kSmall;
}

std::optional<Block> Run::largest() {
  auto block = reader_->largest();
  if (!block) check();
  return block;
}

std::uint64_t Run::host_bytes(const Block& block) const {
  constexpr std::size_t kOwn = 2 * sizeof(void*);  // of memory that a long text has alone
  std::size_t held = block.targets.size() *
                     (sizeof(seq::Sequence) + kOwn + queries_.size() * sizeof block.lengths[0]);
  for (const seq::Sequence& target : block.targets)
    held += target.symbols.size() + target.name.size();
  return static_cast<std::uint64_t>(static_cast<double>(held) * reader_->at_a_time() +
                                    query_symbols_);
}

std::optional<Block> Run::next() {
  if (!std::exchange(started_, true))
    workers_.start(std::max<std::size_t>(1, options_.devices.size()),
                   [this](std::size_t number) { work(number); });
  auto block = workers_.next();
  options_.check_stop();
  if (!block) return std::nullopt;
  const std::uint64_t checked = options_.check ? lcs::check(queries_, *block, options_.threads) : 0;
  const std::lock_guard lock(mutex_);
  totals_.checked += checked;
  ++totals_.blocks;
  totals_.targets += block->targets.size();
  totals_.symbols += block->symbols;
  return block;
}

void Run::work(std::size_t number) try {
  const Variant* variant = options_.variant;
  ocl::Device* device = nullptr;
  while (auto block = reader_->next(true)) {
    if (on_host(*block)) {
      variant = &variants().back();
      const std::lock_guard lock(mutex_);
      totals_.device = "host";
    }
    if (device == nullptr && (variant == nullptr || variant->uses_opencl())) {
      if (options_.devices.empty())
        throw UsageError("this needs an OpenCL device, or the variant 'reference'");
      device = &options_.devices[number].open();
    }
    solve(device, variant, *block);
    if (!workers_.put(std::move(*block))) return;
  }
  if (device != nullptr) device->record();
} catch (const Stopped&) {
}

void Run::solve(ocl::Device* device, const Variant*& variant, Block& block) {
  const trace::Scope scope(options_.trace, trace::Work::kPair,
                           "block " + std::to_string(block.number + 1));
  const std::vector<std::string_view> texts = block.views();
  Problem problem;
  problem.targets = texts;
  problem.code = &block.code;
  problem.threads = options_.threads;
  problem.trace = options_.trace;
  double before = 0;  // symbols of the queries that are done
  for (const auto& set : sets_) {
    problem.queries = set;
    if (variant == nullptr) variant = &choose(problem, device->limits(), options_.config);
    solve(device, *variant, problem, before, block);
    before += symbols_of(set);
  }
}

/// One set of queries, `before` symbols behind the first.
void Run::solve(ocl::Device* device, const Variant& variant, Problem& problem, double before,
                Block& block) {
  const double symbols = symbols_of(problem.queries);
  double reported = 0;  // cells
  problem.progress = [&](const rhomb::Progress& now) {
    report(block, (before + now.part * symbols) / query_symbols_, now.cells - reported);
    reported = now.cells;
  };
  const ocl::DeviceInfo* const info = device != nullptr ? &device->info() : nullptr;
  const Variant* computing = &variant;
  const auto by = [&](const Variant& one) {
    computing = &one;
    return lcs::solve(device, one, problem,
                      tuned_config(options_.store, info, one, problem, options_.config).config);
  };
  Answer answer = engine::with_another(
      {device, !options_.free_choice(), [&] { return symbols * block.symbols; }}, variants(),
      [&] { return by(variant); }, by,
      [&](const Variant& other) { try_some(device, other, problem); });
  report(block, (before + symbols) / query_symbols_, answer.cells - reported);
  if (block.lengths.empty())
    block.lengths = std::move(answer.lengths);
  else
    block.lengths.insert(block.lengths.end(), answer.lengths.begin(), answer.lengths.end());

  const std::lock_guard lock(mutex_);
  totals_.add_times(answer);
  totals_.computed_by(computing->name);
  if (block.number == 0 && before == 0) totals_.config = answer.config;
}

/// Part of the block that is done, and cells that are newly so. Throws Stopped.
void Run::report(const Block& block, double part, double cells) {
  if (workers_.stopped()) throw Stopped();
  options_.check_stop();
  const std::lock_guard lock(mutex_);
  totals_.cells += cells;
  if (!options_.progress) return;
  reported_ = std::max(reported_, block.begins + part * (block.ends - block.begins));
  rhomb::Progress progress;
  progress.part = reported_;
  progress.cells = totals_.cells;
  options_.progress(progress);
}

Totals lcs(std::span<const seq::Sequence> queries, Source targets, const Options& options,
           const std::function<void(const Found&)>& take) {
  Run run(queries, std::move(targets), options);
  Ranking ranking(queries.size(), options.top.value_or(0), options.subsequence);
  std::deque<Tracer> tracers;  // of each query, with the last block's code
  seq::Code code;
  const auto prepare = [&](const seq::Code& with) {
    code = with;
    tracers.clear();
    if (options.subsequence)
      for (const seq::Sequence& query : queries) tracers.emplace_back(query.symbols, code);
  };
  const auto tell = [&](Found found, std::string_view target) {
    if (options.subsequence)
      found.subsequence =
          symbols(queries[found.query].symbols, tracers[found.query].matches(target));
    take(found);
  };
  while (const auto block = run.next()) {
    prepare(block->code);
    if (options.top)
      ranking.add(block->first, block->targets, block->lengths, options.least);
    else
      for (std::size_t i = 0; i < block->targets.size(); ++i)
        for (std::size_t query = 0; query < queries.size(); ++query) {
          const seq::Sequence& target = block->targets[i];
          if (const std::uint32_t length = block->length(query, i); length >= options.least)
            tell({query,
                  target.name,
                  static_cast<std::int64_t>(target.symbols.size()),
                  length,
                  0,
                  {}},
                 target.symbols);
        }
    run.release(*block);
  }
  run.check();
  if (options.top)
    for (std::size_t query = 0; query < queries.size(); ++query) {
      std::size_t rank = 0;
      for (const Ranked& each : ranking.best(query)) {
        const auto& [target, length, uses] = ranking.target(each);
        tell({query, target.name, length, each.length, ++rank, {}}, target.symbols);
      }
    }
  return run.totals();
}

}  // namespace rhomb::lcs
