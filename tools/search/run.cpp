// SPDX-License-Identifier: Apache-2.0
#include "tools/search/run.h"

#include <algorithm>
#include <utility>

#include "tools/cli/setting.h"

namespace rhomb::cli {
namespace {

/// Symbols of a piece: long ones spend less on what comes before, short ones make many tasks, which
/// a GPU needs.
constexpr std::uint32_t kShortest = 512, kLongest = 32768;
constexpr double kTasksOfGpu = 1 << 20, kTasksOfCpu = 1 << 12;

/// Host memory that a task takes: itself, as the device has it, answers.
constexpr std::size_t kTaskBytes = 80;
constexpr std::size_t kMostTasks = 4 << 20;

/// Texts are kept for pieces up to this length.
constexpr std::uint32_t kKeptPiece = 1 << 20;

bool same(const seq::Code& a, const seq::Code& b) {
  return a.a == b.a && a.b == b.b && a.planes == b.planes && a.matching == b.matching;
}

}  // namespace

std::size_t SearchRun::most_queries(const SearchOptions& asked, double text_symbols) {
  const double pieces = std::max(1.0, text_symbols / kLongest) * asked.strands();
  const auto tasks = static_cast<double>(std::min(kMostTasks, asked.memory / 5 / kTaskBytes));
  return static_cast<std::size_t>(std::clamp(tasks / pieces, 1.0, 1e6));
}

SearchRun::SearchRun(const SearchOptions& asked, const ocl::DeviceInfo* info, ocl::Device* device,
                     const tune::Store* store, SearchBlocks& blocks,
                     std::span<const seq::Sequence> texts, trace::Trace* trace)
    : asked_(asked),
      device_(device),
      gpu_(asked.row->uses_cuda() || (info != nullptr && info->limits.gpu)),
      store_(store),
      blocks_(blocks),
      trace_(trace) {
  for (const seq::Sequence& text : texts) {
    texts_.emplace_back(text.symbols);
    text_symbols_ += static_cast<double>(text.symbols.size());
    text_alphabet_ = seq::symbols_in(text_alphabet_ + seq::symbols_in(text.symbols));
  }
  for (std::size_t queue = 0; queue < (gpu_ ? 3u : 2u); ++queue)
    free_.push_back({std::make_unique<search::Flight>(device, queue), nullptr});
}

std::uint32_t SearchRun::piece_of(const SearchBlock& block) const {
  std::size_t longest = 1;
  for (std::size_t i = 0; i < block.queries.size(); ++i)
    longest = std::max(longest, block.queries[i].size());
  const std::uint32_t before = longest_occurrence(longest, asked_.most);
  const double columns = text_symbols_ * static_cast<double>(block.queries.size()) *
                         asked_.strands() / (gpu_ ? kTasksOfGpu : kTasksOfCpu);
  const std::uint32_t least = std::max(kShortest, 4 * before);
  const auto wanted = static_cast<std::uint32_t>(std::min<double>(columns, kLongest));
  return std::max(least, wanted) / 32 * 32;
}

std::unique_ptr<SearchWork> SearchRun::work_of(SearchBlock block) {
  const trace::Scope scope(trace_, trace::Work::kPack, "tasks");
  const std::string& text_symbols = texts_.empty() ? block.text_symbols : text_alphabet_;
  const seq::Code code = seq::make_code(block.query_symbols, text_symbols, asked_.ambiguous);
  const std::uint32_t piece = piece_of(block);
  return std::make_unique<SearchWork>(std::move(block), asked_, texts_, piece, code);
}

/// Makes sure that the device has the texts in the work's code. False if others still need them in
/// another.
bool SearchRun::keep_texts(const SearchWork& work) {
  if (texts_.empty() || device_ == nullptr) return true;
  std::uint32_t piece = 0;
  for (const search::Task& task : work.problem().tasks) piece = std::max(piece, task.length);
  if (kept_ && same(code_, work.code()) && piece <= kept_piece_) return true;
  if (!busy_.empty()) return false;
  code_ = work.code();
  kept_piece_ = std::max(piece, kKeptPiece);
  kept_.reset();
  kept_.emplace(*device_, texts_, code_, kept_piece_);
  return true;
}

bool SearchRun::start_next() {
  if (free_.empty()) return false;
  if (!waiting_) {
    auto block = blocks_.next(busy_.empty());
    if (!block) return false;
    waiting_ = work_of(std::move(*block));
  }
  if (!keep_texts(*waiting_)) return false;
  Slot slot = std::move(free_.front());
  free_.pop_front();
  slot.work = std::move(waiting_);
  search::Problem problem = slot.work->problem();
  problem.kept = kept_ ? &*kept_ : nullptr;
  problem.trace = trace_;
  trace::Scope planning(trace_, trace::Work::kPack, "order of tasks");
  auto [plan, match] = plan_search(store_, device_ != nullptr ? &device_->info() : nullptr,
                                   *asked_.row, problem, asked_.config);
  planning.end();
  slot.flight->start(*asked_.row, std::move(plan), problem);
  busy_.push_back(std::move(slot));
  return true;
}

std::optional<SearchDone> SearchRun::next() {
  while (start_next()) {
  }
  if (busy_.empty()) {
    if (device_ != nullptr) device_->record();
    return std::nullopt;
  }
  Slot slot = std::move(busy_.front());
  busy_.pop_front();
  SearchDone done{std::move(slot.work), slot.flight->finish()};
  free_.push_back(std::move(slot));
  totals_.queries += static_cast<double>(done.work->size());
  totals_.symbols += done.work->block().symbols;
  totals_.cells += done.answer.cells;
  totals_.compute += done.answer.compute;
  totals_.build += done.answer.build;
  totals_.transfer += done.answer.transfer;
  totals_.config = done.answer.config;
  ++totals_.blocks;
  return done;
}

}  // namespace rhomb::cli
