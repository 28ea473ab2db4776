// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/entries.h"

#include "host/error.h"
#include "tools/cli/input.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

std::vector<std::string> entry_files(const CommandLine& line) {
  if (!line.has("pairs")) return line.files(2);
  if (!line.files().empty())
    throw UsageError("--pairs brings queries and targets, so there are no other files" +
                     line.pointer());
  return {line.text("pairs"), ""};
}

EntryFiles::EntryFiles(const std::vector<std::string>& files, EntryKind kind,
                       const InputOptions& input, bool nucleotides)
    : files_(files), input_(input), nucleotides_(nucleotides) {
  if (kind == EntryKind::kPairs)
    pairs_.emplace(files[0], input);
  else
    queries_.emplace(files[0], input.read);
  if (kind == EntryKind::kByOrder) targets_.emplace(files[1], input.read);
}

batch::Source<batch::Entry> EntryFiles::source() {
  return {files_[0], [this](batch::Entry& into) { return next(into); },
          [this] { return pairs_ ? pairs_->part() : queries_->part(); }};
}

bool EntryFiles::next_pair(batch::Entry& into) {
  if (!pairs_->next(into)) return false;
  if (nucleotides_) {
    require_nucleotides(files_[0], into.query_name, into.query, pairs_->line());
    require_nucleotides(files_[0], into.target_name, into.target, pairs_->line());
  }
  return true;
}

bool EntryFiles::next(batch::Entry& into) {
  if (pairs_) return next_pair(into);
  const bool query = queries_->next(query_);
  const bool target = targets_ ? targets_->next(target_) : query;
  if (query != target)
    throw InputError(
        query ? files_[1] : files_[0], "", 0,
        text_of("has only ", count_of(count_), " records, '", query ? files_[0] : files_[1],
                "' more; pairs are taken by order (--all-pairs: each with each)"));
  if (!query) return false;
  check_record(files_[0], query_, count_, input_, nucleotides_);
  if (targets_) check_record(files_[1], target_, count_, input_, nucleotides_);
  ++count_;
  into.query_name.swap(query_.name);
  into.query.swap(query_.symbols);
  into.target_name.swap(target_.name);
  into.target.swap(target_.symbols);
  return true;
}

}  // namespace rhomb::cli
