// SPDX-License-Identifier: Apache-2.0
#include "tools/search_blocks.h"

#include <algorithm>
#include <utility>

#include "host/search/occurrence.h"
#include "host/seq/reader.h"
#include "tools/input.h"
#include "tools/search_pairs.h"

namespace rhomb::cli {
namespace {

/// Blocks in memory at a time: one being read, two on the device, one being printed.
constexpr std::size_t kBlocks = 5;
constexpr std::size_t kMost = std::size_t{64} << 20;
constexpr std::size_t kFirst = std::size_t{1} << 20;  ///< the first is small, to have work soon

/// What a query stands for: its symbols, packed once more, tasks and answers, strings and views.
std::size_t cost_of(std::size_t symbols, std::size_t names) {
  return 2 * symbols + names + 6 * sizeof(std::string) + 128;
}

}  // namespace

void mark_symbols(std::array<bool, 256>& present, std::string_view text) {
  for (const char symbol : text) present[static_cast<unsigned char>(symbol)] = true;
}

std::string symbols_of(const std::array<bool, 256>& present) {
  std::string symbols;
  for (std::size_t c = 0; c < present.size(); ++c)
    if (present[c]) symbols += static_cast<char>(c);
  return symbols;
}

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
  const auto add = [&](std::string name, std::string query, std::size_t cost) {
    mark_symbols(block.query_symbols, query);
    if (options_.both_strands) {
      block.turned.push_back(search::reverse_complement(query));
      mark_symbols(block.query_symbols, block.turned.back());
    }
    block.bytes += cost;
    block.symbols += static_cast<double>(query.size());
    block.names.push_back(std::move(name));
    block.queries.push_back(std::move(query));
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
        mark_symbols(block.text_symbols, pair.text);
        block.text_names.push_back(std::move(pair.text_name));
        block.texts.push_back(std::move(pair.text));
        add(std::move(pair.query_name), std::move(pair.query), cost);
      }
    } else {
      seq::Reader reader(path_, options_.input.read);
      seq::Sequence query;
      while (reader.next(query)) {
        const std::size_t cost = cost_of(strands * query.symbols.size(), query.name.size());
        if (full(cost) && !send(reader.part())) break;
        if (options_.input.forbid_ambiguous) forbid_ambiguous(path_, query, count);
        add(std::move(query.name), std::move(query.symbols), cost);
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
