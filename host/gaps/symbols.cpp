// SPDX-License-Identifier: Apache-2.0
// What kernels are told of symbols and scores, and what they tell of alignments.
#include <algorithm>

#include "host/batch/staging.h"
#include "host/batch/threads.h"
#include "host/gaps/internal.h"
#include "host/seq/alphabet.h"

namespace rhomb::gaps {

Symbols symbols_of(const Problem& problem) {
  Symbols symbols;
  for (const char c : seq::symbols_in(seq::symbols_in(problem.queries, problem.threads) +
                                      seq::symbols_in(problem.targets, problem.threads))) {
    const auto symbol = static_cast<std::uint8_t>(c);
    symbols.code[symbol] = static_cast<std::uint8_t>(symbols.all.size());
    symbols.all.push_back(symbol);
  }
  if (symbols.all.empty()) symbols.all.push_back('A');
  const auto score = [&](std::uint8_t x, std::uint8_t t) {
    return problem.scoring->pair(static_cast<char>(x), static_cast<char>(t));
  };
  const std::uint8_t first = symbols.all.front();
  symbols.match = symbols.largest = symbols.least = score(first, first);
  symbols.mismatch = symbols.all.size() > 1 ? score(first, symbols.all[1]) : symbols.match;
  symbols.alike = true;
  for (const std::uint8_t x : symbols.all)
    for (const std::uint8_t t : symbols.all) {
      const int one = score(x, t);
      symbols.largest = std::max(symbols.largest, one);
      symbols.least = std::min(symbols.least, one);
      symbols.alike = symbols.alike && one == (x == t ? symbols.match : symbols.mismatch);
    }
  return symbols;
}

double cells_of(const Problem& problem) {
  double cells = 0;
  for (const Task& task : problem.tasks)
    cells += static_cast<double>(problem.queries[task.query].size()) *
             static_cast<double>(problem.targets[task.target].size());
  return cells;
}

batch::Memory batch_memory(const Plan& plan, const Problem& problem, bool grown) {
  const std::size_t layers = static_cast<std::size_t>(problem.rules.gaps) + 1;
  std::uint64_t both = problem.tasks.size() * layers * sizeof(GapsAnswer);
  if (problem.align) both += problem.tasks.size() * GAPS_RUNS(layers - 1) * sizeof(std::uint32_t);
  std::uint64_t rows = 0;
  for (const Shape& shape : plan.shapes) {
    both += shape.slots.size() * sizeof(GapsTask) + shape.groups.size() * sizeof(GapsGroup);
    for (const GapsGroup& group : shape.groups) rows = std::max<std::uint64_t>(rows, group.rows);
  }
  both += starts_of(problem.queries).back() + starts_of(problem.targets).back() + rows + 8;
  batch::Memory memory{both + plan.bytes, both};
  if (plan.shapes.empty())  // nothing is pinned
    memory = {memory.device + problem.tasks.size() * sizeof(GapsTask), 0};
  if (grown) memory = {batch::grown(memory.device), batch::grown(memory.host)};
  return memory;
}

std::vector<std::uint32_t> starts_of(std::span<const std::string_view> texts) {
  std::vector<std::uint32_t> starts{0};
  starts.reserve(texts.size() + 1);
  std::uint64_t end = 0;
  for (const std::string_view text : texts) {
    end += text.size();
    if (end > 0xffffffffu)
      throw UsageError("the texts of one problem have 2^32 symbols or more together");
    starts.push_back(static_cast<std::uint32_t>(end));
  }
  return starts;
}

void encode(std::span<const std::string_view> texts, std::span<const std::uint32_t> starts,
            const Symbols& symbols, std::span<std::uint8_t> out, std::size_t threads) {
  batch::in_parts(texts.size(), batch::parts_of(starts.back(), threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      std::uint8_t* to = out.data() + starts[i];
                      for (const char c : texts[i])
                        *to++ = symbols.code[static_cast<unsigned char>(c)];
                    }
                  });
}

Alignment alignment_of(std::span<const std::uint32_t> runs) {
  Alignment made;
  made.start = runs[1];
  for (std::size_t i = runs[0]; i > 0; --i)
    made.runs.push_back({static_cast<Op>(runs[1 + i] & 3), runs[1 + i] >> 2});
  return made;
}

Best best_of(std::span<const GapsAnswer> layers) {
  const std::int32_t score = layers.back().score;
  if (score == GAPS_NONE) return {};
  std::uint32_t gaps = 0;
  while (layers[gaps].score != score) ++gaps;
  return {score, layers[gaps].end, gaps};
}

int kept_pair(const Scoring& scoring, int score) { return score - 2 * scoring.extend; }

int kept_gap(const Scoring& scoring) { return scoring.open - scoring.extend; }

bool fits(const Problem& problem, const Symbols& symbols, std::int64_t columns, std::int64_t m,
          std::int64_t n, int bits, Range& range) {
  const Scoring& scoring = *problem.scoring;
  const std::int64_t up = std::max(0, kept_pair(scoring, symbols.largest));
  const std::int64_t down = std::max(0, -kept_pair(scoring, symbols.least));
  const std::int64_t gaps = std::int64_t{problem.rules.gaps} * -kept_gap(scoring);
  const bool infix = problem.rules.ends == Ends::kInfix;
  // An alignment has at most min(m, n) pairs; what comes of `never` goes along diagonals, also of
  // columns in front of the query.
  const std::int64_t pairs = std::min(m, n), steps = std::min(columns, n);
  // What layers have is kept without what their gaps cost to open.
  const std::int64_t most = pairs * up + gaps - (infix ? scoring.extend * (n + columns) : 0);
  const std::int64_t least = -pairs * down;
  // `never` and steps upwards stay below `least`; with steps downwards it is still a number.
  const std::int64_t pad = infix ? -scoring.extend : 0;
  const std::int64_t never = least - 1 - steps * std::max(up, pad);
  const std::int64_t bottom = never - steps * down;
  const std::int64_t top = (std::int64_t{1} << (bits - 1)) - 1;
  range.zero = top - most;
  range.never = range.zero + never;
  range.least = range.zero + least;
  return range.zero + bottom >= -top - 1;
}

std::vector<std::int32_t> table_of(const Problem& problem, const Symbols& symbols, int scores) {
  const Scoring& scoring = *problem.scoring;
  const std::size_t size = symbols.all.size();
  const bool infix = problem.rules.ends == Ends::kInfix;
  const std::size_t columns = size + (infix ? 1 : 0);
  const auto score = [&](std::size_t t, std::size_t x) {
    return x == size ? -scoring.extend  // in front of the query
                     : kept_pair(scoring, scoring.pair(static_cast<char>(symbols.all[x]),
                                                       static_cast<char>(symbols.all[t])));
  };
  std::vector<std::int32_t> table;
  for (std::size_t t = 0; t < size; ++t) {
    if (scores < 2) {
      for (std::size_t x = 0; x < columns; ++x) table.push_back(score(t, x));
      continue;
    }
    for (std::size_t word = 0; word < (scores == 2 ? 1u : 2u); ++word) {
      std::uint32_t bytes = 0;
      for (std::size_t x = 4 * word; x < std::min(columns, 4 * word + 4); ++x)
        bytes |= (static_cast<std::uint32_t>(score(t, x)) & 0xff) << (x % 4 * 8);
      table.push_back(static_cast<std::int32_t>(bytes));
    }
  }
  return table;
}

GapsLaunch launch_of(const Problem& problem, const Symbols& symbols, const Range& range) {
  const auto count = static_cast<std::uint32_t>(symbols.all.size());
  const bool infix = problem.rules.ends == Ends::kInfix;
  GapsLaunch launch{};
  launch.open = kept_gap(*problem.scoring);
  launch.extend = problem.scoring->extend;
  launch.zero = static_cast<std::int32_t>(range.zero);
  launch.never = static_cast<std::int32_t>(range.never);
  launch.least = static_cast<std::int32_t>(range.least);
  launch.match = kept_pair(*problem.scoring, symbols.match);
  launch.mismatch = kept_pair(*problem.scoring, symbols.mismatch);
  launch.symbols = count + (infix ? 1 : 0);
  launch.pad = infix ? count : 0;
  // Kernels add it to places; no text whose scores are numbers is as long.
  launch.band = std::min(problem.rules.band.value_or(0), std::uint32_t{1} << 30);
  return launch;
}

void fill_tasks(const Shape& shape, const Problem& problem, std::span<const std::uint32_t> queries,
                std::span<const std::uint32_t> targets, std::span<GapsTask> out) {
  batch::in_parts(out.size(), batch::parts_of(out.size(), problem.threads),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      const std::uint32_t number = shape.slots[i];
                      if (number == GAPS_NOBODY) {
                        out[i] = {0, 0, 0, 0, GAPS_NOBODY};
                        continue;
                      }
                      const auto [query, target] = problem.tasks[number];
                      out[i] = {queries[query], queries[query + 1] - queries[query],
                                targets[target], targets[target + 1] - targets[target], number};
                    }
                  });
}

}  // namespace rhomb::gaps
