// SPDX-License-Identifier: Apache-2.0
#include "tools/lcs_subjects.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "host/pair.h"
#include "tools/input.h"

namespace rhomb::cli {
namespace {

/// Bytes of the first block, so that a device has something to do soon, and several devices have
/// each; every next one is twice as large, because a large one keeps a device busy for longer. More
/// than the most gains nothing.
constexpr std::size_t kFirst = std::size_t{4} << 20;
constexpr std::size_t kMost = std::size_t{128} << 20;

/// What packing and copying take besides the symbols themselves, in bytes a symbol.
constexpr std::size_t kCopies = 3;

using Present = std::array<bool, 256>;

void mark(Present& present, std::string_view text) {
  for (const char symbol : text) present[static_cast<unsigned char>(symbol)] = true;
}

/// Each symbol once.
std::string symbols_of(const Present& present) {
  std::string symbols;
  for (std::size_t c = 0; c < present.size(); ++c)
    if (present[c]) symbols += static_cast<char>(c);
  return symbols;
}

}  // namespace

Subjects::Subjects(std::string path, Options options, const seq::Batch& queries)
    : path_(std::move(path)), options_(std::move(options)), queries_(queries.size()) {
  Present present{};
  for (const seq::Sequence& query : queries) mark(present, query.symbols);
  query_symbols_ = symbols_of(present);
  thread_ = std::thread([this] { run(); });
}

Subjects::~Subjects() {
  stop();
  thread_.join();
}

std::optional<Block> Subjects::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopped_ || ended_ || !ready_.empty(); });
  if (stopped_ || ready_.empty()) return std::nullopt;
  Block block = std::move(ready_.front());
  ready_.erase(ready_.begin());
  return block;
}

void Subjects::release(const Block& block) {
  const std::lock_guard lock(mutex_);
  used_ -= block.bytes;
  changed_.notify_all();
}

void Subjects::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool Subjects::failed() const {
  const std::lock_guard lock(mutex_);
  return failure_ != nullptr;
}

void Subjects::check() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

std::size_t Subjects::cost_of(const seq::Sequence& subject) const {
  return (1 + kCopies) * subject.symbols.size() + subject.name.size() + sizeof subject +
         2 * sizeof(std::string_view) + queries_ * sizeof(std::uint32_t);
}

/// Waits until there is room. False if nobody wants the block any more.
bool Subjects::hand_over(Block&& block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock,
                [&] { return stopped_ || used_ == 0 || used_ + block.bytes <= options_.memory; });
  if (stopped_) return false;
  used_ += block.bytes;
  ready_.push_back(std::move(block));
  changed_.notify_all();
  return true;
}

void Subjects::run() {
  const trace::Scope scope(options_.input.trace, trace::Work::kRead, path_);
  // One block is being filled while the others are on their way: read, computed, printed.
  const std::size_t most =
      std::clamp<std::size_t>(options_.memory / (options_.devices + 3), 1, kMost);
  options_.memory -= std::min(options_.memory, most);
  Present present{};
  Block block;
  double began = now();
  const auto send = [&](double ends, bool more) {
    block.ends = ends;
    block.more = more;
    block.code = seq::make_code(query_symbols_, symbols_of(present), options_.ambiguous);
    Block following;
    following.number = block.number + 1;
    following.first = block.first + block.subjects.size();
    following.begins = ends;
    seconds_ += now() - began;
    const bool wanted = hand_over(std::move(block));
    began = now();
    block = std::move(following);
    return wanted;
  };
  try {
    seq::Reader reader(path_, options_.input.read);
    std::size_t room = std::min(kFirst, most);
    seq::Sequence subject;
    while (reader.next(subject)) {
      const std::size_t cost = cost_of(subject);
      if (!block.subjects.empty() && block.bytes + cost > room) {
        if (!send(reader.part(), true)) break;
        room = std::min(2 * room, most);
      }
      if (options_.input.forbid_ambiguous)
        forbid_ambiguous(path_, subject, block.first + block.subjects.size());
      mark(present, subject.symbols);
      block.bytes += cost;
      block.symbols += static_cast<double>(subject.symbols.size());
      block.subjects.push_back(std::move(subject));
    }
    if (!block.subjects.empty()) send(1, false);
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    // What stands before the error is as good as ever.
    try {
      if (!block.subjects.empty()) send(1, false);
    } catch (...) {
    }
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace rhomb::cli
