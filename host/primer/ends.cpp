// SPDX-License-Identifier: Apache-2.0
#include "host/primer/ends.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "host/batch/threads.h"
#include "host/primer/internal.h"
#include "host/primer/self.h"

namespace rhomb::primer {
namespace {

/// Pieces that all texts are cut into for the windows of a round.
constexpr double kEndPiecesOfGpu = 1 << 17, kEndPiecesOfCpu = 1 << 12;
constexpr double kLongestPiece = 1 << 17;
/// And no fewer of all texts, so that those without an occurrence can be told from the others.
constexpr double kPiecesOfTexts = 1024, kPiecesOfTextsOfGpu = 512, kFewest = 64;

/// Starts that are looked for first, so that rows can be foreseen.
constexpr std::uint32_t kSamples = 48;
/// A block is cut into so many parts.
constexpr std::uint32_t kParts = 4;
/// Nodes that a thread of the host is worth.
constexpr std::size_t kNodesOfThread = 64;
/// Pieces of which half keep a device busy, and nodes.
constexpr std::size_t kHalvedOfGpu = 1 << 16, kHalvedOfCpu = 1 << 9, kHalved = 16;
/// Where few starts are left, each has more of its windows compared at a time: so many of all.
constexpr std::size_t kProbesOfGpu = 1024, kProbesOfCpu = 64, kMostProbes = 16;
/// Where windows will become much longer the host follows their regions, if these times k are few:
/// that takes time in proportion to k and to the diagonals of a region.
constexpr std::size_t kReach = 2048;

}  // namespace

Ends::Ends(ocl::Device& device, const Plan& plan, const Problem& problem, bool narrow)
    : plan_(plan),
      problem_(problem),
      asked_{problem, narrow, symbols_of(problem)},
      windows_(device, problem, Windows::Where::kMarks),
      bounds_(problem),
      tries_(problem.last - problem.first) {}

Answer Ends::run() {
  Answer answer;
  began_ = now();
  const std::uint32_t first = problem_.first, last = problem_.last, count = last - first;
  if (count > 0) sample(count > 2 * kSamples ? count / kSamples : count);
  const std::uint32_t block = std::min(plan_.block, problem_.k);
  if (count / kSamples > 16 * block) sample(8 * block);

  // Blocks of those that are left. A block may have failed for a row, and goes on elsewhere.
  for (;;) {
    failed_.clear();
    for (std::uint32_t j = first; j < last; ++j)
      if (bounds_.open(j)) failed_.push_back(j);
    if (failed_.empty()) break;
    work(again());
  }
  for (std::uint32_t j = first; j < last; ++j)
    answer.ends.push_back(bounds_.lower(j) < bounds_.top(j) ? bounds_.lower(j) : kNone);
  answer.cells = windows_.cells();
  answer.build = windows_.build();
  answer.transfer = windows_.transfer();
  answer.compute = now() - began_ - answer.build;
  return answer;
}

/// Starts of which nothing is known but a row; they share a core, if they are several.
Waiting Ends::window(std::uint32_t first, std::uint32_t last, std::uint32_t row) const {
  auto node = std::make_unique<Node>();
  node->first = first;
  node->last = last;
  node->row = row;
  node->probes = {{row}};
  return asked_.waiting(std::move(node));
}

/// Few starts, so far apart.
void Ends::sample(std::uint32_t apart) {
  std::vector<Waiting> nodes;
  const std::uint32_t last = problem_.last;
  for (std::uint32_t j = problem_.first; j < last; j += std::min(apart, last - j))
    if (bounds_.open(j))
      nodes.push_back(window(j, j + 1,
                             std::clamp(bounds_.expected(j).value_or(j + 2 * problem_.k + 16),
                                        bounds_.lower(j), bounds_.upper(j) - 1)));
  work(std::move(nodes));
  bounds_.sampled(apart);
}

/// Blocks of starts side by side, of those that failed.
std::vector<Waiting> Ends::again() {
  std::vector<Waiting> nodes;
  std::ranges::sort(failed_);
  const std::uint32_t most = std::min(plan_.block, problem_.k);
  for (std::size_t i = 0; i < failed_.size();) {
    const std::uint32_t j = failed_[i];
    if (!bounds_.open(j)) {
      ++i;
      continue;
    }
    std::uint8_t& tries = tries_[j - problem_.first];
    const std::uint32_t upper = bounds_.upper(j);
    const std::uint32_t row = tries == 0
                                  ? bounds_.expected(j).value_or(j + 2 * problem_.k + 16)
                                  : upper - std::min(upper, 2u << std::min<unsigned>(tries, 20));
    ++tries;
    std::uint32_t last = j + 1;
    for (++i; i < failed_.size() && failed_[i] == last && last - j < most && bounds_.open(last);
         ++i, ++last)
      tries_[last - problem_.first] = std::max(tries_[last - problem_.first], tries);
    nodes.push_back(window(j, last, std::clamp(row, bounds_.lower(j), upper - 1)));
  }
  failed_.clear();
  return nodes;
}

/// Until each of the nodes' starts is known, or left to others.
void Ends::work(std::vector<Waiting> nodes) {
  std::deque<Waiting> waiting(std::make_move_iterator(nodes.begin()),
                              std::make_move_iterator(nodes.end()));
  // The slot is free at the begin of each turn, the other one is after it.
  for (std::size_t slot = 0; !waiting.empty() || !nodes_[0].empty() || !nodes_[1].empty();
       slot = 1 - slot) {
    check_stop(problem_);
    std::vector<Waiting>& asked = nodes_[1 - slot];
    if (!waiting.empty()) ask(slot, waiting, !asked.empty());
    if (asked.empty()) continue;
    windows_.finish(
        1 - slot,
        [&](const Piece& piece, std::uint32_t distance, Marks marks) {
          asked_.take(*asked[piece.tag].node, piece, distance, marks);
        },
        [&](std::uint32_t first, std::uint32_t last) {
          for (std::uint32_t i = first; i < last; ++i) learn(*asked[i].node);
        });
    go_on(asked, waiting);
    asked.clear();
    tell();
  }
}

/// Of all texts, where nodes are compared with these: as many pieces as keep the device busy.
std::uint32_t Ends::piece_size(const std::deque<Waiting>& waiting) const {
  const double pieces = plan_.lanes > 1 ? kEndPiecesOfCpu : kEndPiecesOfGpu;
  const double few = plan_.lanes > 1 ? kPiecesOfTexts : kPiecesOfTextsOfGpu;
  // What is looked at before a piece should be little of it, unless there were few pieces then.
  const double before = asked_.before(*waiting.front().node);
  const double least = std::min(4 * before, asked_.columns / kFewest);
  const double most = asked_.narrow ? std::min(std::max(asked_.columns / few, least), kLongestPiece)
                                    : kLongestPiece;
  double wide = 0;
  for (auto node = waiting.begin(); node != waiting.end() && asked_.columns * wide < pieces * most;
       ++node)
    wide += node->of_texts;
  return static_cast<std::uint32_t>(
             std::max(256.0, std::min(asked_.columns * wide / pieces, most))) /
         32 * 32;
}

/// Starts some of those that wait: where these are many no more than half, unless `all` may go, so
/// that there are others for the next slot.
void Ends::ask(std::size_t slot, std::deque<Waiting>& waiting, bool all) {
  const std::uint32_t size = piece_size(waiting);
  const std::size_t of_texts =
      static_cast<std::size_t>(asked_.columns / size) + 2 * problem_.texts.size() + 1;
  std::size_t most = waiting.size();
  if (!all && most >= kHalved) {
    const std::size_t halved = plan_.lanes > 1 ? kHalvedOfCpu : kHalvedOfGpu;
    std::size_t pieces = 0;
    for (auto node = waiting.begin(); node != waiting.end() && pieces < halved; ++node)
      pieces += node->count(of_texts);
    if (pieces >= halved) most = (most + 1) / 2;
  }
  std::vector<Waiting>& nodes = nodes_[slot];
  pieces_.clear();
  for (std::size_t pieces = 0; nodes.size() < most && pieces < Windows::kPieces;) {
    pieces_.push_back(pieces += waiting.front().count(of_texts));
    nodes.push_back(std::move(waiting.front()));
    waiting.pop_front();
  }
  windows_.start(slot, pieces_, [&](std::uint32_t i, std::vector<Piece>& made) {
    asked_.pieces(*nodes[i].node, i, size, made);
  });
}

/// What was learned of the nodes is made known; what is to be asked next joins those that wait.
void Ends::go_on(std::vector<Waiting>& asked, std::deque<Waiting>& waiting) {
  const trace::Scope scope(problem_.trace, trace::Work::kPack, "what to ask next");
  const std::size_t parts =
      std::clamp<std::size_t>(asked.size() / kNodesOfThread, 1, windows_.threads());
  for (const Waiting& one : asked)
    for (std::uint32_t j = one.first; j < one.last; ++j) bounds_.spread(j);
  const std::size_t busy = plan_.lanes > 1 ? kProbesOfCpu : kProbesOfGpu;
  const auto probes =
      std::max(static_cast<std::uint32_t>(plan_.probes),
               static_cast<std::uint32_t>(std::min(busy / asked.size(), kMostProbes)));
  if (next_.size() < parts) next_.resize(parts);
  batch::in_parts(asked.size(), parts, [&](std::size_t part, std::size_t first, std::size_t last) {
    Next& next = next_[part];
    for (std::size_t i = first; i < last; ++i) {
      std::unique_ptr<Node>& node = asked[i].node;
      if (node->last - node->first > 1) {
        split(std::move(node), next);
        continue;
      }
      switch (choose(*node, probes, next)) {
        case Then::kAsk:
          next.nodes.push_back(asked_.waiting(std::move(node)));
          break;
        case Then::kReach:
          next.reach.push_back(std::move(node));
          break;
        case Then::kDone:
          next.spare.push_back(std::move(node));
          break;
      }
    }
  });
  std::vector<std::unique_ptr<Node>> reach;
  for (Next& some : next_) {
    std::ranges::move(some.reach, std::back_inserter(reach));
    std::ranges::move(some.failed, std::back_inserter(failed_));
    some.reach.clear();
    some.failed.clear();
  }
  reach_ends(reach);
  const auto wait = [&](std::vector<Waiting>& some) {
    for (Waiting& one : some)
      if (one.last - one.first > 1 || bounds_.open(one.first)) waiting.push_back(std::move(one));
  };
  for (Next& some : next_) {
    wait(some.nodes);
    some.nodes.clear();
  }
  auto more = again();
  wait(more);
}

/// What the node's probes say of its starts.
void Ends::learn(const Node& node) {
  for (const Probe& probe : node.probes)
    for (std::uint32_t j = node.first; j < node.last; ++j) {
      // What is far from the core is as far from all that have it inside; only for the last start
      // the core is the window itself.
      if (j + 1 == node.last || probe.distance >= problem_.k)
        bounds_.learn(j, probe.end, probe.distance, node.all ? 0 : node.row);
    }
}

/// A block whose core is known.
void Ends::split(std::unique_ptr<Node> owned, Next& next) {
  Node& node = *owned;
  if (node.probes.front().distance >= problem_.k) {
    for (std::uint32_t j = node.first; j < node.last; ++j)
      if (bounds_.open(j)) next.failed.push_back(j);
    next.spare.push_back(std::move(owned));
    return;
  }
  asked_.narrow_to(node, 0);
  node.probes.clear();  // which the parts would copy
  node.marked.clear();
  const std::uint32_t first = node.first, last = node.last;
  const std::uint32_t size = (last - first + kParts - 1) / kParts;
  for (std::uint32_t j = first; j < last; j += size) {
    auto part = std::move(owned);
    if (j + size < last) {
      owned = next.spare.empty() ? std::make_unique<Node>() : std::move(next.spare.back());
      if (!next.spare.empty()) next.spare.pop_back();
      *owned = *part;
    }
    part->first = j;
    part->last = std::min(j + size, last);
    part->probes = {{part->row}};
    next.nodes.push_back(asked_.waiting(std::move(part)));
  }
}

/// What to ask next about a single start, of which so many windows are compared at a time.
Ends::Then Ends::choose(Node& node, std::uint32_t probes, Next& next) {
  const std::uint32_t j = node.first, k = problem_.k;
  if (!bounds_.open(j)) return Then::kDone;
  // The longest window that is near, and the shortest one that is not.
  const Probe* near = nullptr;
  bool far = false;
  for (const Probe& probe : node.probes) {
    if (std::min(probe.distance, probe.end - j) >= k)
      far = true;
    else if (near == nullptr || probe.end > near->end)
      near = &probe;
  }
  std::uint32_t wanted = bounds_.lower(j);
  bool longer = false;
  if (near != nullptr) {
    const std::uint32_t distance = std::min(near->distance, near->end - j);
    const double length = near->end - j;
    const double more = (k - distance) * length / std::max(distance, 1u);
    wanted = near->end + static_cast<std::uint32_t>(std::min(more, 3 * length));
    longer = more > length + 64;
    asked_.narrow_to(node, static_cast<std::size_t>(near - node.probes.data()));
  }
  if (!node.all && bounds_.upper(j) <= node.row) {
    next.failed.push_back(j);
    return Then::kDone;
  }
  const std::uint32_t least = std::max(bounds_.lower(j), node.all ? 0u : node.row),
                      end = bounds_.upper(j);
  if (least >= end) {
    next.failed.push_back(j);
    return Then::kDone;
  }
  node.probes.clear();
  node.marked.clear();
  if (!node.all && !node.fine) {
    node.probes = {{node.row}};
  } else if (!node.all && longer && node.regions.size() * k <= kReach) {
    return Then::kReach;
  } else {
    if (near == nullptr && far) {
      std::uint8_t& tries = tries_[j - problem_.first];
      wanted = end - std::min(end, 2u << std::min<unsigned>(++tries, 20));
    }
    // All that are left if these are few, else some about what is expected.
    const std::uint32_t count = node.all ? 1 : probes;
    if (end - least <= count) {
      for (std::uint32_t e = least; e < end; ++e) node.probes.push_back({e});
    } else {
      wanted = std::clamp(wanted, least, end - 1);
      const std::uint32_t from =
          std::clamp(wanted - std::min(wanted, count / 2), least, end - count);
      for (std::uint32_t i = 0; i < count; ++i) node.probes.push_back({from + i});
    }
  }
  return Then::kAsk;
}

/// Starts whose windows will be much longer, in few regions: those are followed on the host.
void Ends::reach_ends(std::span<const std::unique_ptr<Node>> nodes) {
  if (nodes.empty()) return;
  std::vector<std::uint32_t> lengths(nodes.size());
  const std::size_t threads = std::min(nodes.size(), windows_.threads());
  std::atomic<std::size_t> next = 0;  // some take much longer than others
  batch::in_parts(threads, threads, [&](std::size_t, std::size_t, std::size_t) {
    for (std::size_t i = next++; i < nodes.size(); i = next++) {
      const Node& node = *nodes[i];
      const std::uint32_t j = node.first;
      const std::int64_t rows = std::int64_t{node.row} - j, k = problem_.k;
      for (const Region& region : node.regions)
        lengths[i] =
            std::max(lengths[i], longest_near(problem_, j, limit_of(problem_, j), region.text,
                                              std::int64_t{region.from} - rows - (k - 1),
                                              std::int64_t{region.to} - rows + (k - 1)));
    }
  });
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::uint32_t j = nodes[i]->first;
    bounds_.know(j, j + lengths[i] + 1);
    bounds_.spread(j);
  }
}

void Ends::tell() {
  constexpr double kOften = 0.05;  // seconds
  const double count = problem_.last - problem_.first;
  if (!problem_.progress || count == 0 || now() - told_ < kOften) return;
  told_ = now();
  // Blocks once, and what comes behind: about a third.
  const double all =
      bounds_.mean_length() * count / std::min(plan_.block, problem_.k) * asked_.columns * 1.5;
  share_ = std::max(share_,
                    std::min(0.99, std::max(windows_.cells() / std::max(all, 1.0),
                                            static_cast<double>(bounds_.known()) / count - 0.01)));
  problem_.progress({0, 0, windows_.cells(), share_, now() - began_});
}

}  // namespace rhomb::primer
