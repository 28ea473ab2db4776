// SPDX-License-Identifier: Apache-2.0
#include "tools/lcs/run.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tools/cli/setting.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// Symbols of queries that go over a block together: the device has up to 64 bytes of each.
constexpr std::size_t kSetSymbols = std::size_t{4} << 20;

/// Ends a run that nobody waits for any more.
struct Stopped {};

}  // namespace

std::vector<std::vector<std::string_view>> query_sets(const seq::Batch& queries) {
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

LcsRun::LcsRun(const seq::Batch& queries, Subjects& subjects, std::deque<Session>& sessions,
               Method method)
    : subjects_(subjects), method_(std::move(method)), sets_(query_sets(queries)) {
  for (const auto& set : sets_) query_symbols_ += lcs::symbols_of(set);
  for (const Session& session : sessions)
    totals_.device += (totals_.device.empty() ? "" : ", ") + session.info()->name;
  if (sessions.empty()) totals_.device = "host";
  working_ = std::max<std::size_t>(1, sessions.size());
  if (sessions.empty()) threads_.emplace_back([this] { work(nullptr); });
  for (Session& session : sessions) threads_.emplace_back([this, &session] { work(&session); });
}

LcsRun::~LcsRun() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  subjects_.stop();
  for (std::thread& thread : threads_) thread.join();
}

std::optional<Block> LcsRun::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || working_ == 0 || solved_.contains(wanted_); });
  if (failure_) std::rethrow_exception(failure_);
  if (!solved_.contains(wanted_)) return std::nullopt;
  Block block = std::move(solved_.extract(wanted_++).mapped());
  ++totals_.blocks;
  totals_.subjects += block.subjects.size();
  totals_.symbols += block.symbols;
  return block;
}

void LcsRun::work(Session* session) {
  std::exception_ptr failure;
  try {
    ocl::Device* const device = session != nullptr ? session->open() : nullptr;
    const lcs::Variant* row = method_.row;
    while (auto block = subjects_.next()) {
      solve(device, row, *block);
      const std::lock_guard lock(mutex_);
      if (stopped_) break;
      solved_.emplace(block->number, std::move(*block));
      changed_.notify_all();
    }
    if (device != nullptr) device->record();
  } catch (const Stopped&) {
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) subjects_.stop();
  const std::lock_guard lock(mutex_);
  if (failure && !failure_) failure_ = failure;
  --working_;
  changed_.notify_all();
}

void LcsRun::solve(ocl::Device* device, const lcs::Variant*& row, Block& block) {
  const trace::Scope scope(method_.trace, trace::Work::kPair,
                           "block " + std::to_string(block.number + 1));
  std::vector<std::string_view> texts;
  texts.reserve(block.subjects.size());
  for (const seq::Sequence& subject : block.subjects) texts.emplace_back(subject.symbols);
  lcs::Problem problem;
  problem.subjects = texts;
  problem.code = &block.code;
  problem.trace = method_.trace;
  double before = 0;  // symbols of the queries that are done
  for (const auto& set : sets_) {
    problem.queries = set;
    if (row == nullptr) row = &lcs::choose(problem, device->limits(), method_.config);
    solve(device, *row, problem, before, block);
    before += lcs::symbols_of(set);
  }
}

/// One set of queries, `before` symbols behind the first.
void LcsRun::solve(ocl::Device* device, const lcs::Variant& row, lcs::Problem& problem,
                   double before, Block& block) {
  const double symbols = lcs::symbols_of(problem.queries);
  double reported = 0;  // cells
  problem.progress = [&](const rhomb::Progress& now) {
    report(block, (before + now.part * symbols) / query_symbols_, now.cells - reported);
    reported = now.cells;
  };
  const ocl::DeviceInfo* const info = device != nullptr ? &device->info() : nullptr;
  const tune::Config config = setting_of(method_.store, info, row, problem, method_.config).config;
  lcs::Answer answer = lcs::solve(device, row, problem, config);
  report(block, (before + symbols) / query_symbols_, answer.cells - reported);
  if (block.lengths.empty())
    block.lengths = std::move(answer.lengths);
  else
    block.lengths.insert(block.lengths.end(), answer.lengths.begin(), answer.lengths.end());

  const std::lock_guard lock(mutex_);
  totals_.build += answer.build;
  totals_.transfer += answer.transfer;
  totals_.compute += answer.compute;
  if (totals_.variant.find(row.name) == std::string::npos)
    totals_.variant += text_of(totals_.variant.empty() ? "" : ", ", row.name);
  if (block.number == 0 && before == 0) totals_.config = answer.config;
}

/// Part of the block that is done, and cells that are newly so. Throws Stopped.
void LcsRun::report(const Block& block, double part, double cells) {
  const std::lock_guard lock(mutex_);
  if (stopped_) throw Stopped();
  totals_.cells += cells;
  if (!method_.progress) return;
  reported_ = std::max(reported_, block.begins + part * (block.ends - block.begins));
  rhomb::Progress progress;
  progress.part = reported_;
  progress.cells = totals_.cells;
  method_.progress(progress);
}

}  // namespace rhomb::cli
