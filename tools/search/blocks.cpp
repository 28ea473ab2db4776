// SPDX-License-Identifier: Apache-2.0
#include "tools/search/blocks.h"

#include <algorithm>
#include <utility>

#include "host/search/occurrence.h"
#include "host/seq/alphabet.h"
#include "host/seq/reader.h"
#include "tools/cli/input.h"
#include "tools/search/pairs.h"

namespace rhomb::cli {
namespace {

/// Blocks in memory at a time: one being read, two on the device, one being printed.
constexpr std::size_t kBlocks = 5;
constexpr std::size_t kMost = std::size_t{64} << 20;
constexpr std::size_t kFirst = std::size_t{1} << 20;  ///< the first is small, to have work soon

/// What a query stands for: its symbols, which may have room for as many more, and packed once
/// more; tasks and answers, places and views.
std::size_t cost_of(std::size_t symbols, std::size_t names) {
  return 5 * symbols / 2 + 2 * names + 6 * sizeof(std::string_view) + 128;
}

}  // namespace

SearchBlocks::SearchBlocks(std::string path, Options options)
    : path_(std::move(path)),
      options_(std::move(options)),
      room_(std::clamp<std::size_t>(options_.memory / kBlocks, 1, kMost)),
      handover_(options_.memory - std::min(options_.memory, room_)) {
  thread_ = std::thread([this] { run(); });
}

SearchBlocks::~SearchBlocks() {
  handover_.stop();
  thread_.join();
}

void SearchBlocks::run() {
  const trace::Scope scope(options_.input.trace, trace::Work::kRead, path_);
  SearchBlock block;
  std::size_t room = std::min(kFirst, room_);
  std::size_t count = 0;  // queries of all blocks
  const auto send = [&](double ends) {
    block.query_symbols =
        seq::symbols_in(block.query_symbols + seq::symbols_in(block.queries.all()) +
                        seq::symbols_in(block.turned.all()));
    block.text_symbols = seq::symbols_in(block.text_symbols + seq::symbols_in(block.texts.all()));
    SearchBlock following;
    following.number = block.number + 1;
    following.query_symbols = block.query_symbols;
    following.text_symbols = block.text_symbols;
    block.ends = ends;
    room = std::min(2 * room, room_);
    return handover_.give(std::exchange(block, std::move(following)));
  };
  const auto full = [&](std::size_t cost) {
    return !block.queries.empty() &&
           (block.bytes + cost > room || block.queries.size() == options_.most_queries);
  };
  const auto add = [&](std::string_view name, std::string_view query, std::string_view text_symbols,
                       std::size_t cost) {
    if (options_.both_strands) block.turned.add(search::reverse_complement(query, text_symbols));
    block.bytes += cost;
    block.symbols += static_cast<double>(query.size());
    block.names.add(name);
    block.queries.add(query);
    ++count;
  };
  const std::size_t strands = options_.both_strands ? 2 : 1;
  try {
    if (options_.pairs) {
      PairReader reader(path_, options_.input);
      PairReader::Pair pair;
      while (reader.next(pair)) {
        const std::size_t cost = cost_of(strands * pair.query.size() + pair.text.size(),
                                         pair.query_name.size() + pair.text_name.size());
        if (full(cost) && !send(reader.part())) break;
        if (options_.both_strands) {
          require_nucleotides(path_, pair.query_name, pair.query, reader.line());
          require_nucleotides(path_, pair.text_name, pair.text, reader.line());
        }
        block.text_names.add(pair.text_name);
        block.texts.add(pair.text);
        add(pair.query_name, pair.query, pair.text, cost);
      }
    } else {
      seq::Reader reader(path_, options_.input.read);
      seq::Sequence query;
      while (reader.next(query)) {
        const std::size_t cost = cost_of(strands * query.symbols.size(), query.name.size());
        if (full(cost) && !send(reader.part())) break;
        if (options_.input.forbid_ambiguous) forbid_ambiguous(path_, query, count);
        if (options_.both_strands) require_nucleotides(path_, query, count);
        add(query.name, query.symbols, options_.text_symbols, cost);
      }
    }
  } catch (...) {
    handover_.fail(std::current_exception());
  }
  // What stands before an error is as good as ever.
  try {
    if (!block.queries.empty()) send(1);
  } catch (...) {
    handover_.fail(std::current_exception());
  }
  handover_.end();
}

}  // namespace rhomb::cli
