// SPDX-License-Identifier: Apache-2.0
#include "tools/lcs_run.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tools/setting.h"

namespace rhomb::cli {

LcsRun::LcsRun(const seq::Batch& queries, Subjects& subjects, std::deque<Session>& sessions,
               Method method)
    : queries_(queries), subjects_(subjects), method_(std::move(method)) {
  for (const seq::Sequence& query : queries_)
    query_symbols_ += static_cast<double>(query.symbols.size());
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
    while (auto block = subjects_.next()) {
      solve(device, *block);
      const std::lock_guard lock(mutex_);
      if (stopped_) break;
      solved_.emplace(block->number, std::move(*block));
      changed_.notify_all();
    }
    if (device != nullptr) device->record();
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) subjects_.stop();
  const std::lock_guard lock(mutex_);
  if (failure && !failure_) failure_ = failure;
  --working_;
  changed_.notify_all();
}

void LcsRun::solve(ocl::Device* device, Block& block) {
  const trace::Scope scope(method_.trace, trace::Work::kPair,
                           "block " + std::to_string(block.number + 1));
  std::vector<std::string_view> texts;
  texts.reserve(block.subjects.size());
  for (const seq::Sequence& subject : block.subjects) texts.emplace_back(subject.symbols);
  double before = 0;  // symbols of the queries that are done
  for (const seq::Sequence& query : queries_) {
    const auto symbols = static_cast<double>(query.symbols.size());
    lcs::Problem problem;
    problem.query = query.symbols;
    problem.subjects = texts;
    problem.code = &block.code;
    problem.trace = method_.trace;
    problem.progress = [&](const rhomb::Progress& now) {
      report(block, (before + now.part * symbols) / query_symbols_, 0, now.cells);
    };
    const tune::Config config =
        setting_of(method_.store, device != nullptr ? &device->info() : nullptr, *method_.row,
                   problem, method_.config)
            .config;
    lcs::Answer answer = lcs::solve(device, *method_.row, problem, config);
    before += symbols;
    block.lengths.push_back(std::move(answer.lengths));
    report(block, before / query_symbols_, answer.cells, 0);

    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    totals_.build += answer.build;
    totals_.transfer += answer.transfer;
    totals_.compute += answer.compute;
    if (block.number == 0 && block.lengths.size() == 1) totals_.config = answer.config;
  }
}

/// Part of the block that is done, cells that are newly so, and those of the query in work.
void LcsRun::report(const Block& block, double part, double done, double in_work) {
  const std::lock_guard lock(mutex_);
  totals_.cells += done;
  if (!method_.progress || stopped_) return;
  reported_ = std::max(reported_, block.begins + part * (block.ends - block.begins));
  rhomb::Progress progress;
  progress.part = reported_;
  progress.cells = totals_.cells + in_work;
  method_.progress(progress);
}

}  // namespace rhomb::cli
