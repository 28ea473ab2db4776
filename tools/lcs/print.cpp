// SPDX-License-Identifier: Apache-2.0
#include "tools/lcs/print.h"

#include <algorithm>

#include "host/error.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

LcsPrinter::LcsPrinter(const LcsOptions& asked, Format format, const seq::Batch& queries,
                       Output& out)
    : asked_(asked),
      queries_(queries),
      made_(queries, {format, asked.run.top.has_value(), asked.run.subsequence}),
      out_(out),
      printer_(out, asked.run.threads, asked.run.trace),
      room_(std::clamp<std::size_t>(asked.run.memory / 4 / printer_.threads(), 1,
                                    lcs::Tracer::kMemory)),
      ranking_(queries.size(), asked.run.top.value_or(0), asked.run.subsequence) {}

void LcsPrinter::add(const lcs::Block& block) {
  code_ = block.code;
  if (asked_.run.top)
    ranking_.add(block.first, block.targets, block.lengths, asked_.run.least);
  else
    add_rows(block);
}

void LcsPrinter::add_rows(const lcs::Block& block) {
  make_tracers();
  const auto cuts = cut(block);
  printer_.print(cuts.size() - 1, [&](std::size_t part, std::string& text) {
    std::size_t count = 0;
    for (std::size_t i = cuts[part]; i < cuts[part + 1]; ++i) {
      const seq::Sequence& target = block.targets[i];
      const std::string shown = made_.target(target.name, target.symbols.size());
      for (std::size_t query = 0; query < queries_.size(); ++query)
        if (const auto length = block.length(query, i); length >= asked_.run.least) {
          append(text, query, target, shown, length, 0);
          ++count;
        }
    }
    return count;
  });
}

void LcsPrinter::end() {
  if (!asked_.run.top) return;
  make_tracers();
  // One row is a part if it has to be traced; else all rows of a query.
  std::vector<std::vector<lcs::Ranked>> best;
  std::vector<std::pair<std::size_t, std::size_t>> parts;  // a query, the first of its rows
  for (std::size_t query = 0; query < queries_.size(); ++query) {
    best.push_back(ranking_.best(query));
    for (std::size_t k = 0; k < best.back().size();
         k += asked_.run.subsequence ? 1 : *asked_.run.top)
      parts.emplace_back(query, k);
  }
  printer_.print(parts.size(), [&](std::size_t part, std::string& text) {
    const auto [query, first] = parts[part];
    const std::size_t last = asked_.run.subsequence ? first + 1 : best[query].size();
    for (std::size_t k = first; k < last; ++k) {
      const auto& target = ranking_.target(best[query][k]);
      const auto length = static_cast<std::size_t>(target.length);
      append(text, query, target.sequence, made_.target(target.sequence.name, length),
             best[query][k].length, k + 1);
    }
    return last - first;
  });
}

void LcsPrinter::make_tracers() {
  tracers_.clear();
  if (!asked_.run.subsequence) return;
  for (const seq::Sequence& query : queries_) tracers_.emplace_back(query.symbols, code_);
}

/// The targets at which parts of about equal work begin, and the end.
std::vector<std::size_t> LcsPrinter::cut(const lcs::Block& block) const {
  constexpr double kRows = 1 << 15;
  constexpr double kCells = 1e9;
  double symbols = 0;
  for (const seq::Sequence& query : queries_) symbols += static_cast<double>(query.symbols.size());
  std::vector<std::size_t> cuts{0};
  double work = 0;
  for (std::size_t i = 0; i < block.targets.size(); ++i) {
    if (work >= 1) {
      cuts.push_back(i);
      work = 0;
    }
    work += static_cast<double>(queries_.size()) / kRows;
    if (asked_.run.subsequence)
      work += symbols * static_cast<double>(block.targets[i].symbols.size()) / kCells;
  }
  cuts.push_back(block.targets.size());
  return cuts;
}

void LcsPrinter::append(std::string& text, std::size_t query, const seq::Sequence& target,
                        std::string_view shown, std::uint32_t length, std::size_t rank) {
  LcsRows::Found found{length, rank};
  std::string symbols;
  if (asked_.run.subsequence) {
    const seq::Sequence& whole = queries_[query];
    const auto matches = tracers_[query].matches(target.symbols, room_);
    if (matches.size() != length)
      throw CheckError(text_of("the device says that ", whole.name, " and ", target.name, " have ",
                               std::to_string(length), " symbols in common, the host ",
                               std::to_string(matches.size()),
                               "; please report this with the input"));
    symbols = lcs::symbols(whole.symbols, matches);
    found.subsequence = symbols;
  }
  made_.append(text, query, shown, found);
}

}  // namespace rhomb::cli
