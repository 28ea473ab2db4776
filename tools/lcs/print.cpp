// SPDX-License-Identifier: Apache-2.0
#include "tools/lcs/print.h"

#include <algorithm>

#include "host/batch/in_order.h"
#include "host/engine/pair.h"
#include "host/error.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

LcsPrinter::LcsPrinter(const LcsOptions& asked, Format format, const seq::Batch& queries,
                       Output& out)
    : asked_(asked),
      queries_(queries),
      rows_(queries, {format, asked.top.has_value(), asked.subsequence}),
      out_(out),
      threads_(batch::host_threads()),
      room_(std::clamp<std::size_t>(asked.memory / 4 / threads_, 1, lcs::Tracer::kMemory)),
      ranking_(queries.size(), asked.top.value_or(0), asked.subsequence) {}

void LcsPrinter::add(const Block& block) {
  const double begin = now();
  code_ = block.code;
  if (asked_.top)
    ranking_.add(block.first, block.subjects, block.lengths, asked_.least);
  else
    add_rows(block);
  seconds_ += now() - begin;
}

void LcsPrinter::add_rows(const Block& block) {
  make_tracers();
  const auto cuts = cut(block);
  print(cuts.size() - 1, [&](std::size_t part) {
    std::string text;
    for (std::size_t i = cuts[part]; i < cuts[part + 1]; ++i) {
      const seq::Sequence& subject = block.subjects[i];
      const std::string shown = rows_.subject(subject.name, subject.symbols.size());
      for (std::size_t query = 0; query < queries_.size(); ++query)
        if (const auto length = block.length(query, i); length >= asked_.least)
          append(text, query, subject, shown, length, 0);
    }
    return text;
  });
}

void LcsPrinter::end() {
  if (!asked_.top) return;
  const double begin = now();
  make_tracers();
  // One row is a part if it has to be traced; else all rows of a query.
  std::vector<std::vector<lcs::Ranked>> best;
  std::vector<std::pair<std::size_t, std::size_t>> parts;  // a query, the first of its rows
  for (std::size_t query = 0; query < queries_.size(); ++query) {
    best.push_back(ranking_.best(query));
    for (std::size_t k = 0; k < best.back().size(); k += asked_.subsequence ? 1 : *asked_.top)
      parts.emplace_back(query, k);
  }
  print(parts.size(), [&](std::size_t part) {
    const auto [query, first] = parts[part];
    const std::size_t last = asked_.subsequence ? first + 1 : best[query].size();
    std::string text;
    for (std::size_t k = first; k < last; ++k) {
      const auto& subject = ranking_.subject(best[query][k]);
      const auto length = static_cast<std::size_t>(subject.length);
      append(text, query, subject.sequence, rows_.subject(subject.sequence.name, length),
             best[query][k].length, k + 1);
    }
    return text;
  });
  seconds_ += now() - begin;
}

void LcsPrinter::make_tracers() {
  tracers_.clear();
  if (!asked_.subsequence) return;
  for (const seq::Sequence& query : queries_) tracers_.emplace_back(query.symbols, code_);
}

/// The subjects at which parts of about equal work begin, and the end.
std::vector<std::size_t> LcsPrinter::cut(const Block& block) const {
  constexpr double kRows = 1 << 15;
  constexpr double kCells = 1e9;
  double symbols = 0;
  for (const seq::Sequence& query : queries_) symbols += static_cast<double>(query.symbols.size());
  std::vector<std::size_t> cuts{0};
  double work = 0;
  for (std::size_t i = 0; i < block.subjects.size(); ++i) {
    if (work >= 1) {
      cuts.push_back(i);
      work = 0;
    }
    work += static_cast<double>(queries_.size()) / kRows;
    if (asked_.subsequence)
      work += symbols * static_cast<double>(block.subjects[i].symbols.size()) / kCells;
  }
  cuts.push_back(block.subjects.size());
  return cuts;
}

template <class Make>
void LcsPrinter::print(std::size_t parts, const Make& make) {
  batch::in_order(parts, threads_, make, [this](const std::string& text) { out_.write(text); });
}

void LcsPrinter::append(std::string& text, std::size_t query, const seq::Sequence& subject,
                        std::string_view shown, std::uint32_t length, std::size_t rank) {
  LcsRows::Found found{length, rank};
  std::string symbols;
  if (asked_.subsequence) {
    const seq::Sequence& whole = queries_[query];
    const auto matches = tracers_[query].matches(subject.symbols, room_);
    if (matches.size() != length)
      throw CheckError(text_of("the device says that ", whole.name, " and ", subject.name, " have ",
                               std::to_string(length), " symbols in common, the host ",
                               std::to_string(matches.size()),
                               "; please report this with the input"));
    symbols = lcs::symbols(whole.symbols, matches);
    found.subsequence = symbols;
  }
  rows_.append(text, query, shown, found);
  ++printed_;
}

}  // namespace rhomb::cli
