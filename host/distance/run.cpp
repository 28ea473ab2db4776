// SPDX-License-Identifier: Apache-2.0
#include "host/distance/run.h"

#include <algorithm>
#include <map>
#include <utility>

#include "host/batch/threads.h"
#include "host/distance/close.h"
#include "host/distance/methods.h"
#include "host/distance/several.h"
#include "host/ocl/device.h"

namespace rhomb {
namespace {

/// Answers that wait to be looked at, at most.
constexpr std::size_t kMostInPart = std::size_t{1} << 17;
/// Short pairs that a thread answers at a time, and how many cells such a pair has.
constexpr std::size_t kShortPairs = 64;
constexpr double kShortCells = 1e7;
/// Long pairs that may share launches, at most, and their symbols.
constexpr std::size_t kSeveral = 1024, kSeveralSymbols = std::size_t{1} << 29;
/// Pairs of so many that come next are answered before their turn.
constexpr std::size_t kSoon = 16 * kSeveral;

[[noreturn]] void refuse_several() {
  throw UsageError("checkpoints are of one pair, and there are several");
}

bool asks_reference(const DistanceOptions& options) {
  const auto method = method_of(options);
  return method && method->on_host;
}

}  // namespace

/// Pairs of a source, or of two batches each with each.
struct DistanceRun::Block {
  std::uint64_t number = 0;  // of the first pair
  std::optional<std::uint64_t> all;
  batch::PairFlow::Block own;  // where they are of a source
  const seq::Batch* queries = nullptr;
  const seq::Batch* targets = nullptr;
  std::optional<Together> together;  // where there is a device
  std::int64_t by_host = 0;          // up to this distance the host computes

  std::size_t count = 0;
  std::size_t handed = 0, answered = 0;  // pairs before are
  // Of pairs that were not computed together, of the last part: numbers in `others`, or none.
  static constexpr std::uint32_t kNone = ~0u;
  std::size_t first = 0;
  std::vector<std::uint32_t> other_of;
  std::vector<DistanceAnswer> others;
  // Of a square, by the pair that comes first; and of pairs that were computed before their turn.
  std::map<std::size_t, DistanceAnswer> alone;

  seq::Pair pair(std::size_t i) const {
    if (queries == nullptr) return own.pairs[i];
    return {(*queries)[i / targets->size()], (*targets)[i % targets->size()]};
  }
  bool ready() const { return together && together->all_ready(); }
  bool taken(std::size_t i) const { return together && together->takes(i); }
  const DistanceAnswer* other(std::size_t i) const {
    const std::size_t at = i - first;
    return at < other_of.size() && other_of[at] != kNone ? &others[other_of[at]] : nullptr;
  }
  /// What is known of a pair of a square that was computed with its texts exchanged.
  const DistanceAnswer* known(std::size_t i) const {
    const auto found = alone.find(exchanged(i));
    return found != alone.end() ? &found->second : nullptr;
  }
  /// The number of the pair of a square with these texts exchanged, if it comes before, or `i`.
  std::size_t exchanged(std::size_t i) const {
    if (queries == nullptr || queries != targets) return i;
    return std::min(i, i % targets->size() * targets->size() + i / targets->size());
  }
  /// An answer that took a run of its own.
  void add_alone(std::size_t i, DistanceAnswer answer) {
    if (queries != nullptr && queries == targets && i % targets->size() > i / targets->size()) {
      DistanceAnswer& kept = alone[i] = answer;
      kept.timing = {};  // once is enough
      kept.cells = 0;
    }
    add(i, std::move(answer));
  }
  /// What is known of a pair before its turn.
  void add_known(std::size_t i) {
    if (exchanged(i) == i)
      add_alone(i, std::move(alone.extract(i).mapped()));
    else
      add(i, *known(i));
  }
  void add(std::size_t i, DistanceAnswer answer) {
    if (other_of.size() <= i - first) other_of.resize(i - first + 1, kNone);
    other_of[i - first] = static_cast<std::uint32_t>(others.size());
    others.push_back(std::move(answer));
  }
};

std::uint64_t DistanceRun::Part::number() const { return block_->number + first_; }
seq::Pair DistanceRun::Part::pair(std::size_t i) const { return block_->pair(first_ + i); }

const DistanceAnswer* DistanceRun::Part::alone(std::size_t i) const {
  return block_->other(first_ + i);
}

DistanceAnswer DistanceRun::Part::answer(std::size_t i) const {
  const DistanceAnswer* const other = alone(i);
  return other != nullptr ? *other : block_->together->found(first_ + i);
}

std::optional<std::int64_t> DistanceRun::Part::distance(std::size_t i) const {
  const DistanceAnswer* const other = alone(i);
  return other != nullptr ? other->distance : block_->together->distance_of(first_ + i);
}

OtherDevices others_of(std::vector<batch::DeviceChoice> devices) {
  OtherDevices others;
  if (devices.empty()) return others;
  devices.erase(devices.begin());
  for (const batch::DeviceChoice& one : devices) others.limits.push_back(one.info->limits);
  const auto open = [](const batch::DeviceChoice& one) { return one.is_open && one.is_open(); };
  if (std::ranges::all_of(devices, open)) others.to_open = 0;
  others.open = [devices = std::move(devices)] {
    std::vector<ocl::Device*> opened;
    for (const batch::DeviceChoice& one : devices) opened.push_back(&one.open());
    return opened;
  };
  return others;
}

DistanceRun::DistanceRun(batch::PairSource pairs, DistanceRunOptions options, DeviceAccess access)
    : options_(std::move(options)),
      access_(std::move(access)),
      reference_(asks_reference(options_)) {
  if (options_.store == nullptr) options_.store = &nothing_;
  flow_.emplace(std::move(pairs));
}

DistanceRun::DistanceRun(const seq::Batch& queries, const seq::Batch& targets,
                         DistanceRunOptions options, DeviceAccess access)
    : options_(std::move(options)),
      access_(std::move(access)),
      reference_(asks_reference(options_)) {
  if (options_.store == nullptr) options_.store = &nothing_;
  current_ = std::make_unique<Block>();
  current_->queries = &queries;
  current_->targets = &targets;
  current_->count = queries.size() * targets.size();
  current_->all = current_->count;
  divide(*current_, PairList::all(queries, targets));
}

DistanceRun::~DistanceRun() = default;

/// `memory` is of the block before, `used` that of pairs of earlier ones.
std::unique_ptr<DistanceRun::Block> DistanceRun::read(std::uint64_t number, Together::Memory memory,
                                                      batch::PairFlow::Block used) {
  // A device is opened meanwhile, unless that is all and so little that none may be needed.
  if (devices_.empty() && needs_opencl(options_) &&
      !flow_->ends_within(kLittleToRead, pair_to_read(options_.threads)) &&
      !ocl::list_devices().empty())
    open();
  const bool keeps = !options_.keeping.folder.empty();
  trace::Scope waiting(options_.trace, trace::Work::kWait);
  bool more = flow_->take(used);
  waiting.end();
  if (used.pairs.empty()) {
    flow_->check();
    return nullptr;
  }
  if (keeps && more) {  // known before the first pair is computed for hours
    batch::PairFlow::Block next;
    more = flow_->take(next);
    if (!next.pairs.empty()) refuse_several();
    flow_->check();
  }
  if (number == 0) read_seconds_ = flow_->seconds();
  auto block = std::make_unique<Block>();
  block->number = number;
  block->count = used.pairs.size();
  if (!more) block->all = number + block->count;
  block->own = std::move(used);
  const auto texts_of = [&](std::size_t i) {
    const auto& [query, target] = block->own.pairs[i];
    return std::pair(query.symbols, target.symbols);
  };
  divide(*block, PairList::by_order(block->count, texts_of, options_.threads));
  if (block->together) block->together->use(std::move(memory));
  return block;
}

/// A driver takes long for its first device: pairs are read and divided meanwhile.
void DistanceRun::open() {
  devices_ = access_.devices();
  batch::DeviceChoice& first = devices_.front();
  if (ocl::list_devices().empty()) first.open();  // throws why
  const std::shared_future<ocl::Device*> opened =
      std::async(std::launch::async, [open = first.open] { return &open(); });
  first.open = [opened]() -> ocl::Device& { return *opened.get(); };
  batch::start_threads(batch::threads_of(options_.threads));
  options_.store = &access_.store();
}

/// The first device, which is open then; null while none is needed.
ocl::Device* DistanceRun::device() { return devices_.empty() ? nullptr : &devices_[0].open(); }

void DistanceRun::divide(Block& block, PairList list) {
  const bool keeps = !options_.keeping.folder.empty();
  if (keeps && block.count > 1) refuse_several();
  if (devices_.empty() && needs_opencl(options_) && !answered_at_once(list, options_)) {
    block.by_host = tried_on_host(block, list);
    if (block.by_host == 0) open();
  }
  const trace::Scope choosing(options_.trace, trace::Work::kChoose);
  if (!devices_.empty() && !keeps) block.together.emplace(devices_, std::move(list), options_);
}

/// The next part of a block: as many pairs as are known or quickly found.
void DistanceRun::answer_some(Block& block) {
  block.first = block.answered;
  block.other_of.clear();
  block.others.clear();
  std::vector<std::size_t> on_host, copies;
  std::size_t end = block.first;
  const std::size_t most = std::min(block.count, block.first + kMostInPart);
  for (; end < most; ++end) {
    const seq::Pair pair = block.pair(end);
    if (block.known(end) != nullptr) {
      block.add_known(end);
    } else if (block.taken(end)) {
      if (!block.together->ready(end)) {
        if (end > block.first) break;
        told(block, end, [&] { block.together->compute(end); });
      }
      if (block.together->ready(end) && !options_.check) continue;
      if (!block.together->ready(end)) {
        if (end > block.first) break;
        if (answer_several(block, end)) {
          block.add_known(end);
          continue;
        }
      }
      block.add_alone(end, block.together->answer(end, others()));
    } else if (block.by_host > 0 || short_for_host(pair)) {
      (block.by_host > 0 && block.exchanged(end) < end ? copies : on_host).push_back(end);
    } else {
      if (end > block.first) break;
      if (answer_several(block, end)) {
        block.add_known(end);
        continue;
      }
      answer_alone(block, end++);
      break;
    }
  }
  answer_on_host(block, on_host);
  for (const std::size_t copy : copies) block.add(copy, *block.known(copy));
  block.answered = end;
}

/// Answers pairs from `first` on that are computed alone but gain by sharing launches, those of the
/// block that come soon before their turn. Whether the first one is among them.
bool DistanceRun::answer_several(Block& block, std::size_t first) {
  if (devices_.empty() || !devices_.front().info->limits.gpu) return false;
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  std::vector<std::size_t> numbers;
  std::size_t symbols = 0;
  const std::size_t soon = std::min(block.count, first + kSoon);
  for (std::size_t i = first; i < soon && pairs.size() < kSeveral; ++i) {
    if (block.known(i) != nullptr || std::ranges::binary_search(numbers, block.exchanged(i)))
      continue;
    const seq::Pair pair = block.pair(i);
    if (block.taken(i) ? !block.together->left(i) : short_for_host(pair)) continue;
    symbols += pair.query.symbols.size() + pair.target.symbols.size();
    if (symbols > kSeveralSymbols) break;
    pairs.emplace_back(pair.query.symbols, pair.target.symbols);
    numbers.push_back(i);
  }
  if (pairs.size() < 2) return false;
  std::vector<std::optional<DistanceAnswer>> answers(pairs.size());
  told(block, first, [&] { share_launches(pairs, answers); });
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (answers[i]) block.alone.emplace(numbers[i], *std::move(answers[i]));
  return block.known(first) != nullptr;
}

/// Answers of pairs that gain by sharing launches on the devices, each of which has its share.
void DistanceRun::share_launches(
    std::span<const std::pair<std::string_view, std::string_view>> pairs,
    std::vector<std::optional<DistanceAnswer>>& answers) {
  std::vector<ocl::Device*> gpus;
  for (const batch::DeviceChoice& choice : devices_)
    if (choice.info->limits.gpu && 2 * gpus.size() < pairs.size()) try {
        gpus.push_back(&choice.open());
      } catch (const ocl::DeviceError&) {
        if (gpus.empty()) throw;  // the first device does without others
      }
  const std::size_t shares = gpus.size();
  batch::in_parts(shares, shares, [&](std::size_t share, std::size_t, std::size_t) {
    std::vector<std::pair<std::string_view, std::string_view>> own;
    for (std::size_t i = share; i < pairs.size(); i += shares) own.push_back(pairs[i]);
    DistanceOptions asked = options_;
    asked.threads = std::max<std::size_t>(1, batch::threads_of(options_.threads) / shares);
    if (share > 0) asked.progress = {};
    std::vector<DistanceAnswer> found = rhomb::answer_several(*gpus[share], own, asked);
    for (std::size_t k = 0; k < found.size(); ++k)
      answers[share + k * shares] = std::move(found[k]);
  });
}

/// Whether it is one of the pairs that threads of the host answer at the same time.
bool DistanceRun::short_for_host(const seq::Pair& pair) const {
  const std::size_t m = pair.query.symbols.size(), n = pair.target.symbols.size();
  return answered_at_once(m, n, options_) ||
         (reference_ && !options_.check &&
          static_cast<double>(m) * static_cast<double>(n) <= kShortCells);
}

template <class Work>
void DistanceRun::told(const Block& block, std::size_t i, const Work& work) const {
  if (options_.begin) options_.begin({block.number + i, block.all}, block.pair(i));
  work();
  if (options_.end) options_.end();
}

void DistanceRun::answer_alone(Block& block, std::size_t i) {
  const seq::Pair pair = block.pair(i);
  const std::string_view query = pair.query.symbols, target = pair.target.symbols;
  told(block, i, [&] {
    const trace::Scope scope(options_.trace, trace::Work::kPair, names_of(pair));
    std::optional<DistanceAnswer> answer;
    if (block.by_host > 0) {
      answer = distance_if_close(query, target, options_);
      if (!answer && devices_.empty()) open();
    }
    if (!answer) answer = distance(device(), query, target, options_, others());
    block.add_alone(i, *std::move(answer));
  });
}

/// Up to which distance the host tries what may be so close that no device is needed; or 0.
std::int64_t DistanceRun::tried_on_host(const Block& block, const PairList& list) const {
  if (block.number > 0 || block.all != block.count || access_.open) return 0;
  if (block.count > 1) return most_of_close(list, options_).value_or(0);
  return may_be_hosts(list.queries[0].size(), list.targets[0].size(), options_, kMostToFind)
             ? kMostToFind
             : 0;
}

/// Those that may help the first device with a pair that it computes alone.
OtherDevices DistanceRun::others() {
  OtherDevices others = others_of(devices_);
  others.team = access_.team;
  return others;
}

void DistanceRun::answer_on_host(Block& block, const std::vector<std::size_t>& pairs) {
  if (pairs.size() < 2) {
    if (!pairs.empty()) answer_alone(block, pairs.front());
    return;
  }
  DistanceOptions asked = options_;
  asked.progress = {};
  asked.trace = nullptr;
  const std::size_t threads = batch::threads_of(options_.threads);
  const bool by_host = block.by_host > 0;
  const std::size_t each =
      by_host ? std::clamp<std::size_t>(pairs.size() / (4 * threads), 1, kShortPairs) : kShortPairs;
  if (by_host) asked.threads = 1;
  const auto answers_of = [&](std::size_t part) {
    std::vector<std::optional<DistanceAnswer>> answers;
    const std::size_t end = std::min(pairs.size(), (part + 1) * each);
    for (std::size_t i = part * each; i < end; ++i) {
      const auto [query, target] = block.pair(pairs[i]);
      answers.push_back(by_host
                            ? distance_by_host(query.symbols, target.symbols, asked, block.by_host)
                            : distance(nullptr, query.symbols, target.symbols, asked));
    }
    return answers;
  };
  std::size_t added = 0;
  told(block, pairs.front(), [&] {
    const trace::Scope scope(options_.trace, trace::Work::kCompute);
    batch::in_order(
        (pairs.size() + each - 1) / each, threads, answers_of,
        [&](std::vector<std::optional<DistanceAnswer>> answers) {
          for (std::optional<DistanceAnswer>& answer : answers) {
            const std::size_t i = pairs[added++];
            if (!answer) {
              if (devices_.empty()) open();
              const auto [query, target] = block.pair(i);
              answer = distance(device(), query.symbols, target.symbols, options_, others());
            }
            by_host ? block.add_alone(i, *std::move(answer)) : block.add(i, *std::move(answer));
          }
        });
  });
}

std::optional<DistanceRun::Part> DistanceRun::next() {
  if (current_ && current_->handed == current_->count) {
    used_ = std::move(current_->own);
    current_.reset();
    used_.held.clear();
    if (!flow_) return std::nullopt;
  }
  if (!current_) {
    current_ = following_.valid() ? following_.get() : read(0, {}, {});
    if (!current_) return std::nullopt;
  }
  if (options_.stop.stop_requested()) throw Error(Kind::kStopped, "the run was stopped");
  Block& block = *current_;
  if (block.handed == block.answered) answer_some(block);
  Part part;
  part.block_ = &block;
  part.first_ = block.handed;
  part.end_ = block.handed = block.answered;
  // Devices that have nothing more to do with a block may begin with the one that follows.
  const bool ready = block.handed == block.count || (block.ready() && !options_.check);
  if (flow_ && !following_.valid() && ready)
    following_ = std::async(
        std::launch::async,
        [this, number = block.number + block.count, used = std::move(used_),
         memory = block.together ? block.together->memory() : Together::Memory()]() mutable {
          auto following = read(number, std::move(memory), std::move(used));
          if (following) answer_some(*following);
          return following;
        });
  return part;
}

}  // namespace rhomb
