// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/compared.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

Compared::Compared(std::vector<std::string> files, const CommandLine& line,
                   const InputOptions& input, bool whole, bool nucleotides)
    : files_(std::move(files)), input_(input), nucleotides_(nucleotides) {
  const bool pairs = line.has("pairs");
  for (const char* other : {"all-pairs", "concat", "record"})
    if (pairs && line.has(other))
      throw UsageError(
          text_of("--pairs says what is compared, so --", other, " cannot", line.pointer()));
  if (!pairs && (whole || input.all_pairs || input.concat || !input.records.empty()))
    reading_.emplace(files_[0], files_[1], input_);
  else
    entries_.emplace(files_, pairs ? EntryKind::kPairs : EntryKind::kByOrder, input_, nucleotides_);
}

const Inputs& Compared::inputs() {
  if (inputs_) return *inputs_;
  inputs_.emplace();
  if (reading_) {
    *inputs_ = reading_->get();
    if (nucleotides_)
      for (std::size_t i = 0; i < inputs_->a.size(); ++i)
        require_nucleotides(files_[0], inputs_->a[i], i);
    return *inputs_;
  }
  inputs_->b.emplace();
  entries_->pairs()([this](const batch::SomePairs& some) {
    for (const auto& [query, target] : some.pairs) {
      inputs_->a.push_back({std::string(query.name), std::string(query.symbols)});
      inputs_->b->push_back({std::string(target.name), std::string(target.symbols)});
    }
    return true;
  });
  return *inputs_;
}

void Compared::cut(bool rows) {
  if (input_.shard.whole() || entries_) return;
  inputs();
  const std::size_t pairs =
      input_.all_pairs ? inputs_->a.size() * inputs_->second().size() : list().size();
  if (input_.all_pairs && !rows && inputs_->a.size() < input_.shard.parts) {
    const auto bound = [&](std::size_t part) { return pairs * part / input_.shard.parts; };
    next_ = bound(input_.shard.part);
    end_ = bound(input_.shard.part + 1);
    listed_ = true;
    return;
  }
  const ShardRange range = range_of(input_.shard, inputs_->a);
  first_ = range.first;
  if (input_.all_pairs) {
    if (!inputs_->b) inputs_->b = inputs_->a;
  } else if (inputs_->b) {
    keep(*inputs_->b, range);
  }
  keep(inputs_->a, range);
}

std::vector<Pair> Compared::list() { return make_pairs(inputs(), files_[0], files_[1], input_); }

batch::PairSource Compared::source() {
  if (!reading_ && !inputs_) return entries_->pairs();
  if (!listed_) list();  // or an error
  return [this](const auto& give) {
    constexpr std::size_t kAtATime = 256;
    const seq::Batch &queries = inputs_->a, &targets = inputs_->second();
    const std::size_t width = listed_ ? targets.size() : 1;
    batch::SomePairs some;
    for (std::size_t i = next_, end = listed_ ? end_ : queries.size(); i < end; ++i) {
      some.pairs.push_back({queries[i / width], targets[listed_ ? i % width : i]});
      if (some.pairs.size() < kAtATime && i + 1 < end) continue;
      if (!give(some)) return;
      some.clear();
    }
  };
}

bool is_one_pair(const CommandLine& line) {
  const bool listed = line.has("pairs");
  if (line.has("matrix") || (!listed && line.files().size() != 2)) return false;
  InputOptions input = parse_input(line);
  input.read.warn = {};  // the first time
  const auto one = [&](const std::string& file) {
    // What is not a file can be read only once.
    std::error_code failed;
    if (input.concat || !std::filesystem::is_regular_file(file, failed))
      return !listed && !input.all_pairs;
    std::size_t count = 0;
    if (listed) {
      PairReader reader(file, input);
      for (batch::Entry entry; count < 2 && reader.next(entry);) ++count;
    } else {
      seq::Reader reader(file, input.read);
      for (seq::Sequence record; count < 2 && reader.next(record);)
        if (input.records.empty() || std::ranges::count(input.records, record.name) > 0) ++count;
    }
    return count == 1;
  };
  return one(listed ? line.text("pairs") : line.files()[0]) &&
         (!input.all_pairs || one(line.files()[1]));
}

bool by_order(const CommandLine& line) {
  return !line.has("pairs") && !line.has("all-pairs") && !line.has("matrix");
}

Group compared_group() {
  Group group = input_group();
  group.flags.insert(group.flags.begin() + 1,
                     pairs_flag("read a query and a target from each line"));
  return group;
}

std::string label_of(const PairPlace& place, const Pair& pair) {
  const std::string names = seq::names_of(pair);
  if (place.count == 1) return names;
  return text_of("pair ", std::to_string(place.number + 1),
                 place.count ? " of " + std::to_string(*place.count) : "", ", ", names);
}

std::string explanation(const Pair& pair, const Facts& facts, bool json) {
  std::vector<std::pair<std::string, std::string>> lines = {
      {"query", std::string(pair.query.name)},
      {"query_length", std::to_string(pair.query.symbols.size())},
      {"target", std::string(pair.target.name)},
      {"target_length", std::to_string(pair.target.symbols.size())}};
  lines.insert(lines.end(), facts.all().begin(), facts.all().end());
  return explained(lines, json);
}

Session& LazySession::choose(bool needed) {
  if (!session_ || (needed && session_->info() == nullptr))
    session_.emplace(options_, needed, Session::Count::kSeveral);
  session_->check();
  return *session_;
}

DeviceAccess LazySession::access() {
  return {[this] { return choose(true).choices(); },
          [this]() -> const tune::Store& { return choose(true).store(); }, used_team(),
          session_ && session_->any_open()};
}

std::string gcups_of(std::size_t query, std::size_t target, double seconds) {
  return significant(static_cast<double>(query) * static_cast<double>(target) /
                     std::max(seconds, 1e-9) / 1e9);
}

std::string similarity_of(std::size_t query, std::size_t target, std::int64_t distance) {
  const auto longer = static_cast<double>(std::max({query, target, std::size_t{1}}));
  return fixed(1 - static_cast<double>(distance) / longer, 6);
}

}  // namespace rhomb::cli
