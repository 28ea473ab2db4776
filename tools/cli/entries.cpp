// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/entries.h"

#include <utility>

#include "host/error.h"
#include "tools/cli/input.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

Flag pairs_flag(const std::string& what) {
  return {"pairs", "FILE", text_of(what, "; - is standard input"), FileUse::kRead};
}

std::vector<std::string> entry_files(const CommandLine& line) {
  if (!line.has("pairs")) return line.files(2);
  if (!line.files().empty())
    throw UsageError("--pairs brings queries and targets, so there are no other files" +
                     line.pointer());
  return {line.text("pairs"), ""};
}

namespace {

[[noreturn]] void refuse_order(const std::vector<std::string>& files, std::size_t queries,
                               std::size_t targets) {
  const auto records = [](std::size_t of) {
    return text_of(count_of(of), of == 1 ? " record" : " records");
  };
  throw InputError(shown(files[0]) + " and " + shown(files[1]), "", 0,
                   text_of(records(queries), " against ", records(targets),
                           ", so they cannot be compared one to one; --all-pairs compares each "
                           "with each"));
}

}  // namespace

void check_by_order(const std::vector<std::string>& files, const InputOptions& input) {
  if (files[0] == files[1]) return;
  InputOptions quiet = input;
  quiet.read.warn = {};  // the first time
  if (!input.records.empty()) {
    make_pairs(Reading(files[0], files[1], quiet).get(), files[0], files[1], input);
    return;
  }
  const auto count = [&](const std::string& file) {
    seq::Reader reader(file, quiet.read);
    std::size_t records = 0;
    for (seq::Sequence record; reader.next(record);) ++records;
    return records;
  };
  const std::size_t queries = count(files[0]), targets = count(files[1]);
  if (queries != targets) refuse_order(files, queries, targets);
}

EntryFiles::File::File(const std::string& path, const InputOptions& input, bool nucleotides)
    : reader_(path, input.read),
      ahead_({path,
              [this, path, &input, nucleotides](seq::Sequence& into) {
                if (!reader_.next(into)) return false;
                check_record(path, into, count_++, input, nucleotides);
                return true;
              },
              [this] { return reader_.part(); },
              [this](auto call) { reader_.before_waiting(std::move(call)); }},
             input.trace) {}

EntryFiles::EntryFiles(const std::vector<std::string>& files, EntryKind kind,
                       const InputOptions& input, bool nucleotides)
    : files_(files),
      nucleotides_(nucleotides),
      twice_(kind == EntryKind::kByOrder && files[0] == files[1]),
      input_(input),
      kind_(kind) {
  if (!input.shard.whole()) cut_.emplace(input.shard, weight());
  if (kind == EntryKind::kPairs) {
    pairs_.emplace(files[0], input);
    return;
  }
  // Standard input last: nobody is to type what ends in an error.
  const bool other = kind == EntryKind::kByOrder && !twice_;
  if (other && files[1] != "-") targets_.emplace(files[1], input, nucleotides);
  queries_.emplace(files[0], input, nucleotides);
  if (other && !targets_) targets_.emplace(files[1], input, nucleotides);
}

batch::Source<batch::Entry> EntryFiles::source() {
  return {files_[0], [this](batch::Entry& into) { return next(into); }, [this] { return part(); }};
}

batch::PairSource EntryFiles::pairs() {
  return {files_[0],
          [this](batch::SequencePair& into) {
            if (pairs_) {
              if (!next_pair(entry_)) return false;
              into.query = {std::move(entry_.query_name), std::move(entry_.query)};
              into.target = {std::move(entry_.target_name), std::move(entry_.target)};
              return true;
            }
            if (!next_records()) return false;
            std::swap(into.query, query_);
            std::swap(into.target, target_);
            return true;
          },
          [this] { return part(); },
          [this](const std::function<void()>& call) {
            if (pairs_) return pairs_->before_waiting(call);
            queries_->before_waiting(call);
            if (targets_) targets_->before_waiting(call);
          }};
}

/// Of all queries, which are read for it.
double EntryFiles::weight() const {
  const trace::Scope scope(input_.trace, trace::Work::kRead, text_of(files_[0], ", lengths"));
  InputOptions quiet = input_;
  quiet.read.warn = {};
  double total = 0;
  if (kind_ == EntryKind::kPairs) {
    PairReader reader(files_[0], quiet);
    for (batch::Entry entry; reader.next(entry);) total += ShardCut::weight(entry.query.size());
  } else {
    total = weight_of(files_[0], quiet.read);
  }
  return total;
}

bool EntryFiles::next_pair(batch::Entry& into) {
  do {
    if (cut_ && cut_->past()) return false;
    if (!next_line(into)) return false;
  } while (cut_ && !cut_->takes(into.query.size()));
  return true;
}

bool EntryFiles::next_line(batch::Entry& into) {
  if (!pairs_->next(into)) return false;
  if (nucleotides_) {
    require_nucleotides(files_[0], into.query_name, into.query, pairs_->line());
    require_nucleotides(files_[0], into.target_name, into.target, pairs_->line());
  }
  return true;
}

/// The next query, and its target if it has one, in query_ and target_.
bool EntryFiles::next_records() {
  do {
    if (cut_ && cut_->past()) return false;
    if (!next_record_pair()) return false;
  } while (cut_ && !cut_->takes(query_.symbols.size()));
  return true;
}

bool EntryFiles::next_record_pair() {
  const bool query = queries_->next(query_);
  if (twice_) target_ = query_;
  const bool target = targets_ ? targets_->next(target_) : query;
  if (query != target) refuse(query);
  count_ += query ? 1 : 0;
  return query;
}

void EntryFiles::refuse(bool queries_left) {
  std::size_t count = count_ + 1;
  while ((queries_left ? queries_ : targets_)->next(query_)) ++count;
  refuse_order(files_, queries_left ? count : count_, queries_left ? count_ : count);
}

bool EntryFiles::next(batch::Entry& into) {
  if (pairs_) return next_pair(into);
  if (!next_records()) return false;
  into.query_name.swap(query_.name);
  into.query.swap(query_.symbols);
  into.target_name.swap(target_.name);
  into.target.swap(target_.symbols);
  return true;
}

}  // namespace rhomb::cli
