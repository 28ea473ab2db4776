// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/input.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <utility>

#include "host/error.h"
#include "host/seq/alphabet.h"
#include "host/seq/lines.h"
#include "host/seq/symbols.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

std::string plural(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " record" : " records");
}

/// "chr1, chr2, chr3 and 21 more"
std::string names_of(const seq::Batch& batch) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(batch.size(), kMost); ++i) names.push_back(batch[i].name);
  std::string text = joined(names);
  if (batch.size() > kMost) text += " and " + std::to_string(batch.size() - kMost) + " more";
  return text;
}

/// A file's records with their positions in it.
struct Chosen {
  std::string path;
  seq::Batch batch;
  std::vector<std::size_t> index;
};

bool has_name(const Chosen& file, const std::string& name) {
  return std::ranges::find(file.batch, name, &seq::Sequence::name) != file.batch.end();
}

/// Keeps the records of these names, if the file has any of them.
void choose_records(Chosen& file, const std::vector<std::string>& names) {
  Chosen kept{file.path, {}, {}};
  for (std::size_t i = 0; i < file.batch.size(); ++i) {
    if (std::ranges::find(names, file.batch[i].name) == names.end()) continue;
    kept.batch.push_back(std::move(file.batch[i]));
    kept.index.push_back(i);
  }
  if (!kept.batch.empty()) file = std::move(kept);
}

void check_symbols(const Chosen& file) {
  for (std::size_t i = 0; i < file.batch.size(); ++i)
    forbid_ambiguous(file.path, file.batch[i], file.index[i]);
}

void join_records(Chosen& file) {
  if (file.batch.size() < 2) return;
  std::size_t length = 0;
  for (const auto& record : file.batch) length += record.symbols.size();
  if (length > static_cast<std::size_t>(seq::kMaxLength))
    throw InputError(shown(file.path), "", 0,
                     "the records together have " + std::to_string(length) +
                         " symbols; rhomb handles sequences up to " +
                         std::to_string(seq::kMaxLength));
  seq::Sequence whole{std::filesystem::path(file.path).filename().string(), {}};
  if (file.path == "-") whole.name = "stdin";
  whole.symbols.reserve(length);
  for (auto& record : file.batch) {
    whole.symbols += record.symbols;
    std::string().swap(record.symbols);
  }
  file.batch.clear();
  file.batch.push_back(std::move(whole));
}

}  // namespace

std::string shown(const std::string& path) { return path == "-" ? "standard input" : path; }

Reading::Reading(std::string a, std::string b, InputOptions options)
    : a_(std::move(a)), b_(std::move(b)), options_(std::move(options)) {
  first_ = start(a_);
  if (b_ != a_) second_ = start(b_);
}

std::future<Reading::File> Reading::start(const std::string& path) const {
  const auto how = path == "-" ? std::launch::deferred : std::launch::async;
  return std::async(how, [path, read = options_.read, trace = options_.trace] {
    const trace::Scope scope(trace, trace::Work::kRead, shown(path));
    const auto begin = std::chrono::steady_clock::now();
    File file{seq::read_file(path, read), 0};
    file.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return file;
  });
}

bool Reading::ready() const {
  constexpr std::chrono::milliseconds kHardly{10};
  return std::ranges::all_of(std::array{&first_, &second_}, [&](const auto* file) {
    return !file->valid() || file->wait_for(kHardly) != std::future_status::timeout;
  });
}

Inputs Reading::get() {
  const trace::Scope scope(options_.trace, trace::Work::kWait, "for the files");
  Inputs inputs;
  std::vector<Chosen> files;
  const auto add = [&](const std::string& path, File file) {
    inputs.seconds = std::max(inputs.seconds, file.seconds);
    std::vector<std::size_t> index(file.records.size());
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = i;
    files.push_back({path, std::move(file.records), std::move(index)});
  };
  add(a_, first_.get());
  if (second_.valid()) add(b_, second_.get());

  for (const auto& name : options_.records) {
    if (std::ranges::any_of(files, [&](const Chosen& file) { return has_name(file, name); }))
      continue;
    std::string there;
    for (const auto& file : files) there += "\n  " + shown(file.path) + ": " + names_of(file.batch);
    throw InputError(shown(a_) + (second_.valid() || files.size() > 1 ? " and " + shown(b_) : ""),
                     name, 0, "there is no such record; the records are" + there);
  }
  for (auto& file : files) {
    if (!options_.records.empty()) choose_records(file, options_.records);
    if (options_.forbid_ambiguous) check_symbols(file);
    if (options_.concat) join_records(file);
  }
  inputs.a = std::move(files.front().batch);
  if (files.size() > 1) inputs.b = std::move(files.back().batch);
  return inputs;
}

void forbid_ambiguous(const std::string& path, const seq::Sequence& record, std::size_t index) {
  static const auto ambiguous = [] {
    std::array<bool, 256> table{};
    for (std::size_t c = 0; c < 256; ++c) table[c] = seq::is_ambiguous(static_cast<char>(c));
    return table;
  }();
  const auto found = std::ranges::find_if(
      record.symbols, [](char c) { return ambiguous[static_cast<unsigned char>(c)]; });
  if (found == record.symbols.end()) return;
  const auto position = static_cast<std::size_t>(found - record.symbols.begin());
  throw InputError(shown(path), record.name, line_of(path, index, position),
                   std::string("ambiguity code '") + *found + "' at position " +
                       std::to_string(position + 1) +
                       " of the sequence, and --ambiguous error allows none (--ambiguous match, "
                       "mismatch or symbol says what it means)");
}

void require_nucleotides(const std::string& path, const seq::Sequence& record, std::size_t index) {
  const std::string symbols = seq::symbols_in(record.symbols);
  const std::size_t strange = seq::first_outside(symbols, seq::SymbolSet::kDna);
  if (strange == symbols.size()) return;
  const std::size_t position = record.symbols.find(symbols[strange]);
  require_nucleotides(path, record.name, record.symbols, line_of(path, index, position));
}

void require_nucleotides(const std::string& path, const std::string& name, std::string_view symbols,
                         long line) {
  const std::string there = seq::symbols_in(symbols);
  const std::size_t strange = seq::first_outside(there, seq::SymbolSet::kDna);
  if (strange == there.size()) return;
  throw InputError(shown(path), name, line,
                   std::string("'") + there[strange] + "' at position " +
                       std::to_string(symbols.find(there[strange]) + 1) +
                       " is no nucleotide, so there is no other strand; leave --both-strands out");
}

void check_record(const std::string& path, const seq::Sequence& record, std::size_t index,
                  const InputOptions& input, bool nucleotides) {
  if (input.forbid_ambiguous) forbid_ambiguous(path, record, index);
  if (nucleotides) require_nucleotides(path, record, index);
}

seq::Batch read_records(const std::string& path, const InputOptions& input, bool nucleotides) {
  const trace::Scope scope(input.trace, trace::Work::kRead, path);
  const std::vector<std::string>& names = input.records;
  seq::Batch records = seq::read_file(path, input.read);
  std::size_t index = 0;
  const auto drop = std::ranges::remove_if(records, [&](const seq::Sequence& record) {
    const bool wanted = names.empty() || std::ranges::find(names, record.name) != names.end();
    if (wanted) check_record(path, record, index, input, nucleotides);
    ++index;
    return !wanted;
  });
  records.erase(drop.begin(), drop.end());
  for (const std::string& name : names)
    if (std::ranges::find(records, name, &seq::Sequence::name) == records.end())
      throw InputError(shown(path), name, 0, "there is no such record, and --record asks for it");
  return records;
}

double weight_of(const std::string& path, seq::ReadOptions options) {
  options.warn = {};  // the second time
  seq::Reader reader(path, options);
  double total = 0;
  for (seq::Sequence record; reader.next(record);) total += ShardCut::weight(record.symbols.size());
  return total;
}

std::vector<Pair> make_pairs(const Inputs& inputs, const std::string& a, const std::string& b,
                             const InputOptions& options) {
  const seq::Batch& queries = inputs.a;
  const seq::Batch& targets = inputs.second();
  std::vector<Pair> pairs;
  if (options.all_pairs) {
    pairs.reserve(queries.size() * targets.size());
    for (const auto& query : queries)
      for (const auto& target : targets) pairs.push_back({query, target});
    return pairs;
  }
  if (queries.size() != targets.size())
    throw InputError(shown(a) + " and " + shown(b), "", 0,
                     plural(queries.size()) + " against " + plural(targets.size()) +
                         ", so they cannot be compared one to one; use --all-pairs, --concat or "
                         "--record NAME");
  for (std::size_t i = 0; i < queries.size(); ++i) pairs.push_back({queries[i], targets[i]});
  return pairs;
}

long line_of(const std::string& path, std::size_t index, std::size_t position) {
  std::error_code failed;
  if (path == "-" || !std::filesystem::is_regular_file(path, failed)) return 0;
  seq::Lines lines(seq::Stream(path), seq::Trim::kBlanks);
  lines.skip_byte_order_mark();
  std::size_t headers = 0;
  std::size_t before = 0;
  bool in_header = false;
  while (const auto* piece = lines.next()) {
    if (piece->starts()) in_header = piece->text.starts_with('>');
    if (piece->starts() && in_header) ++headers;
    if (headers == 0 && !piece->text.empty()) return 0;  // not FASTA
    if (in_header || headers != index + 1) continue;
    before += piece->text.size();
    if (before > position) return piece->line;
  }
  return 0;
}

}  // namespace rhomb::cli
