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
  if (!pairs_) return [this](const auto& give) { give_records(give); };
  return batch::one_by_one(
      {files_[0],
       [this](batch::SequencePair& into) {
         if (!next_pair(entry_)) return false;
         into.query.name.swap(entry_.query_name);
         into.query.symbols.swap(entry_.query);
         into.target.name.swap(entry_.target_name);
         into.target.symbols.swap(entry_.target);
         return true;
       },
       {},
       [this](const std::function<void()>& call) { pairs_->before_waiting(call); }});
}

/// As many at a time as one piece of each file has.
void EntryFiles::give_records(const std::function<bool(batch::SomePairs&)>& give) {
  batch::SomePairs some;
  do {
    some.clear();
    for (seq::Pair pair; next_records(pair.query, pair.target);) {
      some.pairs.push_back(pair);
      // Not later: records that a shard leaves out may follow, in other pieces.
      if (some.held.empty()) {
        some.held.push_back(queries_->records().piece());
        if (targets_) some.held.push_back(targets_->records().piece());
      }
      if (queries_->records().ends_piece() || (targets_ && targets_->records().ends_piece())) break;
    }
    if (some.pairs.empty()) return;
  } while (give(some));
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

/// The next query, and its target if it has one.
template <class Record>
bool EntryFiles::next_records(Record& query, Record& target) {
  do {
    if (cut_ && cut_->past()) return false;
    if (!next_record_pair(query, target)) return false;
  } while (cut_ && !cut_->takes(query.symbols.size()));
  return true;
}

template <class Record>
bool EntryFiles::next_record_pair(Record& query, Record& target) {
  const bool any = queries_->records().next(query);
  if (twice_) target = query;
  if (targets_ && targets_->records().next(target) != any) refuse(any);
  count_ += any ? 1 : 0;
  return any;
}

void EntryFiles::refuse(bool queries_left) {
  std::size_t count = count_ + 1;
  for (seq::SequenceView more; (queries_left ? queries_ : targets_)->records().next(more);) ++count;
  refuse_order(files_, queries_left ? count : count_, queries_left ? count_ : count);
}

bool EntryFiles::next(batch::Entry& into) {
  if (pairs_) return next_pair(into);
  if (!next_records(query_, target_)) return false;
  into.query_name.swap(query_.name);
  into.query.swap(query_.symbols);
  into.target_name.swap(target_.name);
  into.target.swap(target_.symbols);
  return true;
}

}  // namespace rhomb::cli
