// SPDX-License-Identifier: Apache-2.0
#include "tools/lcs/subjects.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>
#include <utility>

#include "host/engine/pair.h"
#include "tools/cli/input.h"

namespace rhomb::cli {
namespace {

/// Bytes of the first block, so that a device has something to do soon, and several devices have
/// each; every next one is twice as large, because a large one keeps a device busy for longer. More
/// than the most gains nothing.
constexpr std::size_t kFirst = std::size_t{4} << 20;
constexpr std::size_t kMost = std::size_t{128} << 20;

/// What packing and copying take besides the symbols themselves, in bytes a symbol.
constexpr std::size_t kCopies = 3;

}  // namespace

Subjects::Subjects(std::string path, Options options, const seq::Batch& queries)
    : path_(std::move(path)),
      options_(std::move(options)),
      queries_(queries.size()),
      most_(std::clamp<std::size_t>(options_.memory / (options_.devices + 3), 1, kMost)),
      handover_(options_.memory - std::min(options_.memory, most_)) {
  std::array<bool, 256> present{};
  for (const seq::Sequence& query : queries) seq::mark_symbols(present, query.symbols);
  query_symbols_ = seq::symbols_of(present);
  thread_ = std::thread([this] { run(); });
}

Subjects::~Subjects() {
  stop();
  thread_.join();
}

std::size_t Subjects::cost_of(const seq::Sequence& subject) const {
  return (1 + kCopies) * subject.symbols.size() + subject.name.size() + sizeof subject +
         2 * sizeof(std::string_view) + queries_ * sizeof(std::uint32_t);
}

void Subjects::run() {
  const trace::Scope scope(options_.input.trace, trace::Work::kRead, path_);
  std::array<bool, 256> present{};  // symbols of all subjects so far
  Block block;
  double began = now();
  const auto send = [&](double ends, bool more) {
    block.ends = ends;
    block.more = more;
    block.code = seq::make_code(query_symbols_, seq::symbols_of(present), options_.ambiguous);
    Block following;
    following.number = block.number + 1;
    following.first = block.first + block.subjects.size();
    following.begins = ends;
    seconds_ += now() - began;
    const bool wanted = handover_.give(std::move(block));
    began = now();
    block = std::move(following);
    return wanted;
  };
  try {
    seq::Reader reader(path_, options_.input.read);
    std::size_t room = std::min(kFirst, most_);
    seq::Sequence subject;
    while (reader.next(subject)) {
      const std::size_t cost = cost_of(subject);
      if (!block.subjects.empty() && block.bytes + cost > room) {
        if (!send(reader.part(), true)) break;
        room = std::min(2 * room, most_);
      }
      if (options_.input.forbid_ambiguous)
        forbid_ambiguous(path_, subject, block.first + block.subjects.size());
      seq::mark_symbols(present, subject.symbols);
      block.bytes += cost;
      block.symbols += static_cast<double>(subject.symbols.size());
      block.subjects.push_back(std::move(subject));
    }
    if (!block.subjects.empty()) send(1, false);
  } catch (...) {
    handover_.fail(std::current_exception());
    // What stands before the error is as good as ever.
    try {
      if (!block.subjects.empty()) send(1, false);
    } catch (...) {
    }
  }
  handover_.end();
}

}  // namespace rhomb::cli
