// SPDX-License-Identifier: Apache-2.0
#include "host/primer/run.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "host/batch/threads.h"
#include "host/engine/another.h"
#include "host/error.h"
#include "host/primer/internal.h"
#include "host/primer/run_block.h"
#include "host/search/occurrence.h"
#include "host/search/search.h"
#include "host/tune/setting.h"

namespace rhomb::primer {
namespace {

/// Starts of a unit, where several devices share a sequence; and the most symbols of sequences that
/// are joined to one.
constexpr std::uint32_t kUnit = 1 << 14;

/// Of all starts, each with so many symbols.
double cells_of(const Problem& problem, double each) {
  double symbols = 0;
  for (const std::string_view text : problem.texts) symbols += static_cast<double>(text.size());
  return (problem.last - problem.first) * each * symbols;
}

/// A few starts, to learn whether the programs for these texts pass their self-tests.
void try_some(ocl::Device* device, const Variant& variant, Problem problem) {
  problem.last = std::min(problem.last, problem.first + 32);
  if (!problem.least.empty()) problem.least = problem.least.first(problem.last - problem.first);
  problem.progress = {};
  solve(device, variant, problem);
}

}  // namespace

/// Starts that a device computes at a time: of one sequence, or all of several short ones. These
/// are joined to one text, because to ask a device often takes longer than to compute. A substring
/// that ends in another sequence than it begins is none; whether another is far enough from the
/// texts does not depend on what is behind it.
struct Run::Unit {
  std::size_t number = 0, record = 0, end = 0;  // sequences, the last one not included
  std::uint32_t first = 0, last = 0;            // starts in their text
  Answer answer;
  std::string_view variant;  // that computes it
};

void check_options(const Options& options, bool nearest) {
  const auto exclude = [](const std::string& one, const char* other) {
    throw UsageError(one + " and " + other + " exclude each other");
  };
  if (options.k && options.window) exclude("-k", "--length");
  if (options.k == 0u) throw UsageError("-k is at least 1: every text differs by 0");
  if (options.window == 0u) throw UsageError("--length is at least 1");
  if (options.shortest > options.longest)
    throw UsageError("--min-length is more than --max-length");
  if (!options.window) return;
  if (options.shortest > 0) exclude("--min-length", "--length");
  if (options.longest < kNone) exclude("--max-length", "--length");
  if (nearest) exclude("--witness", "--length");
  if (options.variant != nullptr && !compares_windows(*options.variant))
    exclude("--variant " + std::string(options.variant->name), "--length");
}

Run::Run(std::span<const seq::Sequence> alpha, std::function<Source()> open, Options options)
    : alpha_(alpha), open_(std::move(open)), options_(std::move(options)), results_(alpha.size()) {
  if (!options_.k) options_.k = 1;
  std::array<bool, 256> present{};
  double all = 0, before = 0;
  for (const seq::Sequence& record : alpha_) {
    seq::mark_symbols(present, record.symbols);
    all += static_cast<double>(record.symbols.size());
  }
  alphabet_ = seq::symbols_of(present);
  // The parts are of one size, whatever the records are.
  const auto parts = static_cast<double>(options_.shard.parts);
  const double begin = std::floor(all * static_cast<double>(options_.shard.part) / parts);
  const double end = std::floor(all * static_cast<double>(options_.shard.part + 1) / parts);
  for (std::size_t i = 0; i < alpha_.size(); ++i) {
    const auto m = static_cast<double>(alpha_[i].symbols.size());
    const double first = std::clamp(begin - before, 0.0, m),
                 last = std::clamp(end - before, 0.0, m);
    results_[i].first = static_cast<std::uint32_t>(first);
    results_[i].ends.resize(static_cast<std::size_t>(last - first), options_.window ? kNone : 0);
    if (options_.window) {
      const double windows = std::max(0.0, m - *options_.window + 1.0);
      results_[i].ends.resize(
          static_cast<std::size_t>(std::max(0.0, std::min(last, windows) - first)));
    }
    totals_.starts += results_[i].ends.size();
    before += m;
  }
  const Variant& chosen = options_.variant != nullptr ? *options_.variant : variants().front();
  totals_.variant = chosen.name;
  totals_.device = options_.names(chosen);
}

Run::~Run() = default;

/// Reads all texts, a block ahead of `take`.
void Run::read(const std::function<void(Block&)>& take) {
  const std::size_t strands = options_.both_strands ? 2 : 1;
  const Source source = open_();
  std::array<bool, 256> present{};
  // Places in packed texts are numbers of 32 bits, and eight planes are the most that a text takes.
  std::size_t most = (std::size_t{1} << 32) - (std::size_t{1} << 22);
  for (const batch::DeviceChoice& device : options_.devices)
    if (device.info != nullptr)
      most = std::min<std::size_t>(most, device.info->limits.alloc_bytes / 2);
  most = std::min(options_.memory, 2 * most);  // a block stands for two bytes a symbol
  batch::Reader<Block> reader(
      batch::BlockSizes{options_.memory, 2, most, most},
      [&](batch::Reader<Block>& into) {
        const trace::Scope scope(options_.trace, trace::Work::kRead, source.name);
        seq::Sequence record;
        while (source.next(record)) {
          Block* const block = into.room_for(
              2 * strands * record.symbols.size() + record.name.size(), source.part_read());
          if (block == nullptr) return;
          block->targets.push_back(std::exchange(record, {}));
        }
      },
      [&](Block& block) {
        for (const seq::Sequence& record : block.targets) {
          seq::mark_symbols(present, record.symbols);
          block.symbols += static_cast<double>(record.symbols.size());
          block.texts.emplace_back(record.symbols);
        }
        if (options_.both_strands) {
          for (const seq::Sequence& record : block.targets)
            block.reversed.push_back(search::reverse_complement(record.symbols, alphabet_));
          for (const std::string& text : block.reversed) {
            seq::mark_symbols(present, text);
            block.texts.emplace_back(text);
          }
        }
        block.code = seq::make_code(alphabet_, seq::symbols_of(present), options_.ambiguous);
      });
  while (auto block = reader.next(true)) {
    reader.check();  // without all texts nothing is known
    // Views of what was moved with the block.
    for (std::size_t i = 0; i < block->texts.size(); ++i)
      block->texts[i] = i < block->targets.size() ? block->targets[i].symbols
                                                  : block->reversed[i - block->targets.size()];
    take(*block);
    const std::size_t bytes = block->bytes;
    block.reset();
    reader.release(bytes);
  }
  reader.check();
}

/// Where the sequences are in this block that were in none before.
void Run::find_places(Block& block) {
  if (!options_.exclude_self) return;
  for (std::size_t i = 0; i < alpha_.size(); ++i) {
    for (std::size_t text = 0; text < block.texts.size() && !results_[i].placed; ++text) {
      const std::size_t at = block.texts[text].find(alpha_[i].symbols);
      if (at == std::string_view::npos) continue;
      block.places[i] = {static_cast<std::uint32_t>(text), static_cast<std::uint32_t>(at)};
      results_[i].placed = true;
    }
    if (!results_[i].placed && !block.more)
      throw InputError("", alpha_[i].name, 0,
                       "is no part of the texts, so it cannot be excluded from itself");
  }
}

/// Where the sequences end that are joined with `record`.
std::size_t Run::joined_end(std::size_t record) const {
  const auto all_starts = [&](std::size_t i) {
    const std::size_t m = alpha_[i].symbols.size(), window = options_.window.value_or(1);
    return results_[i].first == 0 && results_[i].ends.size() == (m < window ? 0 : m - window + 1);
  };
  std::size_t end = record + 1, symbols = alpha_[record].symbols.size();
  if (options_.exclude_self || !all_starts(record)) return end;
  while (end < alpha_.size() && all_starts(end) && symbols + alpha_[end].symbols.size() <= kUnit)
    symbols += alpha_[end++].symbols.size();
  return end;
}

/// All starts of the sequences from `record` to `end`, the text of which is in `joined` if there
/// are several.
Problem Run::problem_for(const Block& block, std::size_t record, std::size_t end,
                         std::string& joined) const {
  Problem problem;
  problem.alpha = alpha_[record].symbols;
  if (end - record > 1) {
    for (std::size_t i = record; i < end; ++i) joined += alpha_[i].symbols;
    problem.alpha = joined;
  }
  const Result& last = results_[end - 1];
  problem.first = results_[record].first;
  problem.last = static_cast<std::uint32_t>(problem.alpha.size() - alpha_[end - 1].symbols.size() +
                                            last.first + last.ends.size());
  problem.texts = block.texts;
  problem.k = *options_.k;
  problem.shortest = options_.shortest;
  problem.longest = options_.longest;
  if (const auto place = block.places.find(record); place != block.places.end())
    problem.self = place->second;
  problem.code = &block.code;
  problem.stop = options_.stop;
  problem.threads = options_.threads;
  problem.trace = options_.trace;
  return problem;
}

bool Run::on_host(const Block& block) const {
  if (options_.variant != nullptr) return options_.variant->on_host;
  const double each = options_.window ? *options_.window : 2.0 * *options_.k + 8;
  return options_.free_choice() && block.alone() &&
         static_cast<double>(totals_.starts) * each * block.symbols *
                 (options_.both_strands ? 2 : 1) <=
             batch::kSmall;
}

/// What computes, on the host or on a device.
const Variant& Run::variant(bool host) const {
  return host                          ? variants().back()
         : options_.variant != nullptr ? *options_.variant
                                       : variants().front();
}

std::pair<tune::Config, std::string> Run::setting(const Variant& variant, const Problem& problem,
                                                  const ocl::DeviceInfo* device) const {
  tune::Looked looked = tune::look_up(options_.store, device, "primer", variant, *options_.k,
                                      problem.code->planes, options_.config);
  if (!looked.setting) return {options_.config, std::move(looked.match)};
  const tune::Config& config = looked.setting->trial.config;
  try {
    plan(variant, problem, device->limits, config);
    return {config, std::move(looked.match)};
  } catch (const Error& error) {
    return {options_.config, std::string("none; the one for such K does not fit: ") + error.what()};
  }
}

void Run::tell(const Block& block, double part, double cells) {
  if (!options_.progress) return;
  const double ends = block.more ? block.ends : 1;
  told_ = std::max(told_, block.begins + (ends - block.begins) * part);
  options_.progress({0, 0, totals_.cells + cells, std::min(told_, 1.0)});
}

void Run::compute_unit(Unit& unit, const Block& block, ocl::Device* device,
                       const search::ResidentTexts* resident,
                       const std::function<void(const rhomb::Progress&)>& progress) {
  std::string joined;
  Problem problem = problem_for(block, unit.record, unit.end, joined);
  problem.first = unit.first;
  problem.last = unit.last;
  problem.resident = resident;
  problem.progress = progress;
  engine::Another how{device, !options_.free_choice(), {}};
  if (options_.window) {
    how.cells = [&] { return cells_of(problem, *options_.window); };
    const auto by = [&](ocl::Device* where) { return distances(where, problem, *options_.window); };
    unit.answer = engine::with_another(
        how, variants().last(1), [&] { return by(device); },
        [&](const Variant& host) {
          unit.variant = host.name;
          return by(nullptr);
        },
        [](const Variant&) {});
    return;
  }
  std::vector<std::uint32_t> least;
  if (block.number > 0) {
    least.resize(unit.last - unit.first);
    each_start(unit, [&](std::uint32_t& end, std::size_t i, std::uint32_t begin) {
      least[i] = end == kNone ? kNone : begin + end;
    });
    problem.least = least;
  }
  const auto by = [&](const Variant& one) {
    unit.variant = one.name;
    const auto [config, match] =
        setting(one, problem, device != nullptr ? &device->info() : nullptr);
    return solve(device, one, problem, config);
  };
  how.cells = [&] { return cells_of(problem, 2.0 * problem.k + 8); };
  unit.answer = engine::with_another(
      how, variants(), [&] { return by(variant(device == nullptr)); }, by,
      [&](const Variant& other) { try_some(device, other, problem); });
}

/// Calls each(end, i, begin) for the end of each start of the unit, of number i among these, in a
/// sequence that begins there in the unit's text.
template <class Each>
void Run::each_start(const Unit& unit, const Each& each) {
  std::uint32_t begin = 0;
  for (std::size_t record = unit.record; record < unit.end; ++record) {
    Result& result = results_[record];
    const std::uint32_t first = begin + result.first;
    const auto last = first + static_cast<std::uint32_t>(result.ends.size());
    for (std::uint32_t j = std::max(first, unit.first); j < std::min(last, unit.last); ++j)
      each(result.ends[j - first], std::size_t{j} - unit.first, begin);
    begin += static_cast<std::uint32_t>(alpha_[record].symbols.size());
  }
}

void Run::compute_block(Block& block, const std::function<void(std::size_t)>& done) {
  find_places(block);
  const bool host = on_host(block);
  const Variant& chosen = variant(host);
  const std::string_view by_choice = options_.window && !host ? dense_variant().name : chosen.name;
  const std::size_t devices = options_.workers(chosen);
  std::vector<Unit> units;
  for (std::size_t i = 0; i < alpha_.size();) {
    const std::size_t end = host ? i + 1 : joined_end(i);
    std::string joined;
    const Problem whole = problem_for(block, i, end, joined);
    const std::uint32_t size = devices > 1 ? kUnit : whole.last - whole.first;
    std::uint32_t first = whole.first;
    do {
      const std::uint32_t last = first + std::min(size, whole.last - first);
      units.push_back({units.size(), i, end, first, last, {}, by_choice});
      first = last;
    } while (first < whole.last);
    i = end;
  }
  double all = 0, finished = 0, cells = 0;  // starts; guarded by mutex_
  for (const Unit& unit : units) all += unit.last - unit.first;

  std::atomic<std::size_t> next = 0;
  std::atomic<bool> halted = false;
  batch::Workers<Unit> workers([&] { halted = true; });
  workers.start(devices, [&](std::size_t number) {
    ocl::Device* const device = options_.open(chosen, number);
    std::unique_ptr<search::ResidentTexts> resident;
    for (;;) {
      const std::size_t i = next++;
      if (halted || i >= units.size()) break;
      Unit unit = units[i];
      if (device != nullptr && resident == nullptr)
        resident = keep_texts(*device, block.texts, block.code);
      const double size = unit.last - unit.first;
      const auto progress = [&](const rhomb::Progress& now) {
        const std::lock_guard lock(mutex_);
        tell(block, (finished + now.part * size) / std::max(all, 1.0), cells + now.cells);
      };
      if (size > 0) compute_unit(unit, block, device, resident.get(), progress);
      {
        const std::lock_guard lock(mutex_);
        finished += size;
        cells += unit.answer.cells;
        tell(block, finished / std::max(all, 1.0), cells);
      }
      if (!workers.put(std::move(unit))) break;
    }
    if (device != nullptr) device->record();
  });
  while (auto unit = workers.next()) {
    const Answer& answer = unit->answer;
    each_start(*unit, [&](std::uint32_t& end, std::size_t i, std::uint32_t begin) {
      if (options_.window)
        end = std::min(end, answer.ends[i]);
      else
        end = answer.ends[i] == kNone ? kNone : answer.ends[i] - begin;
    });
    const std::lock_guard lock(mutex_);
    totals_.computed_by(unit->variant);
    totals_.add_times(answer);
    totals_.counted.comparisons += answer.counted.comparisons;
    totals_.counted.alpha_misses += answer.counted.alpha_misses;
    totals_.counted.beta_misses += answer.counted.beta_misses;
    if (!answer.config.values().empty()) totals_.config = answer.config;
    const bool last =
        unit->number + 1 == units.size() || units[unit->number + 1].record != unit->record;
    if (!last || block.more) continue;
    for (std::size_t record = unit->record; record < unit->end; ++record) {
      if (!options_.window)
        for (std::uint32_t& end : results_[record].ends)
          if (end > alpha_[record].symbols.size()) end = kNone;
      if (done) done(record);
    }
  }
  totals_.cells += cells;
  if (units.empty()) totals_.computed_by(by_choice);
  if (host) totals_.device = "host";
  totals_.targets += block.targets.size();
  totals_.symbols += block.symbols;
  ++totals_.blocks;
}

void Run::compute(const std::function<void(std::size_t)>& done) {
  told_ = 0;
  read([&](Block& block) { compute_block(block, done); });
  if (options_.check) check();
}

}  // namespace rhomb::primer
