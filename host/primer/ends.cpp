// SPDX-License-Identifier: Apache-2.0
#include "host/primer/ends.h"

#include <algorithm>
#include <atomic>
#include <bit>
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
/// And a region, as long as it is larger than it should be.
constexpr std::uint32_t kPartsOfRegion = 16;
/// Regions side by side become one of so many columns at the most.
constexpr std::uint32_t kJoined = 1024;
/// Nodes that a thread of the host is worth.
constexpr std::size_t kNodesOfThread = 64;
/// Pieces of which half keep a device busy, and nodes.
constexpr std::size_t kHalvedOfGpu = 1 << 16, kHalvedOfCpu = 1 << 9, kHalved = 16;
/// Where few starts are left, each has more of its windows compared at a time: so many of all.
constexpr std::size_t kProbesOfGpu = 1024, kProbesOfCpu = 64, kMostProbes = 16;
/// Where windows will become much longer the host follows their regions, if these times k are few:
/// that takes time in proportion to k and to the diagonals of a region.
constexpr std::size_t kReach = 2048;

std::uint32_t up32(std::uint32_t value) { return (value + 31) / 32 * 32; }

/// Columns of a part of a region, of which so many before it are looked at, too: marks say where in
/// it the ends are.
std::uint32_t finest(std::uint32_t before) { return std::max(256u, 2 * before); }

}  // namespace

Ends::Ends(ocl::Device& device, const Plan& plan, const Problem& problem, bool narrow)
    : plan_(plan),
      problem_(problem),
      narrow_(narrow),
      columns_(symbols_of(problem)),
      windows_(device, problem, Windows::Where::kMarks) {}

std::uint32_t Ends::top(std::uint32_t j) const { return j + limit_of(problem_, j) + 1; }

/// What is known of a start is known of its neighbours.
void Ends::bounds_spread() {
  for (std::size_t i = 1; i < lower_.size(); ++i) lower_[i] = std::max(lower_[i], lower_[i - 1]);
  for (std::size_t i = upper_.size(); i-- > 1;) upper_[i - 1] = std::min(upper_[i - 1], upper_[i]);
  for (std::size_t i = 0; i < lower_.size(); ++i) {
    const std::uint32_t most = top(problem_.first + static_cast<std::uint32_t>(i));
    lower_[i] = std::min(lower_[i], most);
    upper_[i] = std::max(upper_[i], lower_[i]);
  }
}

/// The same, where only start j has become better known.
void Ends::bounds_spread(std::uint32_t j) {
  const std::size_t own = j - problem_.first;
  for (std::size_t i = own + 1; i < lower_.size() && lower_[i] < lower_[own]; ++i) {
    lower_[i] = lower_[own];
    upper_[i] = std::max(upper_[i], lower_[i]);
  }
  for (std::size_t i = own; i-- > 0 && upper_[i] > upper_[own];)
    upper_[i] = std::max(upper_[own], lower_[i]);
}

/// `least`: the row from which on the probe's distance is that of all texts, if it is less than k.
void Ends::learn(std::uint32_t j, const Probe& probe, std::uint32_t least) {
  const std::uint32_t k = problem_.k;
  const std::uint32_t distance = std::min(probe.distance, probe.end - j);  // of the empty substring
  if (distance < k) {
    lower(j) = std::min(std::max(lower(j), probe.end + k - distance), top(j));
    upper(j) = std::max(upper(j), lower(j));
  } else {
    const std::uint32_t end = std::max({lower(j), least, probe.end - (distance - k)});
    upper(j) = std::min(upper(j), end);
  }
}

Answer Ends::run() {
  Answer answer;
  began_ = now();
  const std::uint32_t first = problem_.first, last = problem_.last, count = last - first;
  lower_.resize(count);
  upper_.resize(count);
  tries_.resize(count);
  for (std::uint32_t j = first; j < last; ++j) {
    const std::uint32_t end = end_for(problem_, j, problem_.k);
    lower(j) = end == kNone ? top(j) : end;
    upper(j) = top(j);
  }
  bounds_spread();

  // Few starts far apart.
  const auto samples = [&](std::uint32_t apart) {
    std::vector<Node> nodes;
    for (std::uint32_t j = first; j < last; j += std::min(apart, last - j))
      if (open(j)) {
        Node& node = nodes.emplace_back();
        node.first = j;
        node.last = j + 1;
        node.row =
            std::clamp(expected(j).value_or(j + 2 * problem_.k + 16), lower(j), upper(j) - 1);
        node.probes = {{node.row}};
      }
    work(std::move(nodes));
    sampled_ = apart;
  };
  if (count > 0) samples(count > 2 * kSamples ? count / kSamples : count);
  const std::uint32_t block = std::min(plan_.block, problem_.k);
  if (count / kSamples > 16 * block) samples(8 * block);

  // Blocks of those that are left. A block may have failed for a row, and goes on elsewhere.
  for (;;) {
    failed_.clear();
    for (std::uint32_t j = first; j < last; ++j)
      if (open(j)) failed_.push_back(j);
    if (failed_.empty()) break;
    work(again());
  }
  for (std::uint32_t j = first; j < last; ++j)
    answer.ends.push_back(lower(j) < top(j) ? lower(j) : kNone);
  answer.cells = windows_.cells();
  answer.build = windows_.build();
  answer.transfer = windows_.transfer();
  answer.compute = now() - began_ - answer.build;
  return answer;
}

/// The end that start j probably has, from the known ones around it; a little less, because a row
/// that is too large is worse than one that is too small.
std::optional<std::uint32_t> Ends::expected(std::uint32_t j) const {
  if (sampled_ == 0) return std::nullopt;
  const std::uint32_t i = j - problem_.first;
  const auto count = static_cast<std::uint32_t>(lower_.size());
  const std::uint32_t a = i / sampled_ * sampled_, b = std::min(a + sampled_, count - 1);
  const auto known = [&](std::uint32_t at) {
    return lower_[at] == upper_[at] && lower_[at] < top(problem_.first + at);
  };
  if (!known(a)) return std::nullopt;
  const double slope = b > a && known(b) ? static_cast<double>(lower_[b] - lower_[a]) / (b - a) : 1;
  const std::uint32_t less = problem_.k >= 64 ? 4 : problem_.k >= 16 ? 2 : 1;
  const auto end = lower_[a] + static_cast<std::uint32_t>((i - a) * slope);
  return end - std::min(less, end);
}

/// Blocks of starts side by side, of those that failed.
std::vector<Ends::Node> Ends::again() {
  std::vector<Node> nodes;
  std::ranges::sort(failed_);
  const std::uint32_t most = std::min(plan_.block, problem_.k);
  for (std::size_t i = 0; i < failed_.size();) {
    const std::uint32_t j = failed_[i];
    if (!open(j)) {
      ++i;
      continue;
    }
    Node& node = nodes.emplace_back();
    node.first = j;
    node.last = j + 1;
    std::uint8_t& tries = tries_[j - problem_.first];
    if (tries == 0)
      node.row = expected(j).value_or(j + 2 * problem_.k + 16);
    else
      node.row = upper(j) - std::min(upper(j), 2u << std::min<unsigned>(tries, 20));
    ++tries;
    node.row = std::clamp(node.row, lower(j), upper(j) - 1);
    for (++i; i < failed_.size() && failed_[i] == node.last && node.last - node.first < most &&
              open(failed_[i]);
         ++i) {
      tries_[failed_[i] - problem_.first] = std::max(tries_[failed_[i] - problem_.first], tries);
      ++node.last;
    }
    node.probes = {{node.row}};
  }
  failed_.clear();
  return nodes;
}

/// Until each of the nodes' starts is known, or left to others.
void Ends::work(std::vector<Node> nodes) {
  std::deque<Node> waiting(std::make_move_iterator(nodes.begin()),
                           std::make_move_iterator(nodes.end()));
  // The slot is free at the begin of each turn, the other one is after it.
  for (std::size_t slot = 0; !waiting.empty() || !asked_[0].empty() || !asked_[1].empty();
       slot = 1 - slot) {
    check_stop(problem_);
    std::vector<Node>& asked = asked_[1 - slot];
    if (!waiting.empty()) ask(slot, waiting, !asked.empty());
    if (asked.empty()) continue;
    windows_.finish(1 - slot, [&](const Piece& piece, std::uint32_t distance, Marks marks) {
      take(asked[piece.tag], piece, distance, marks);
    });
    go_on(asked, waiting);
    asked.clear();
    tell();
  }
}

/// Of all texts, where nodes are compared with these: as many pieces as keep the device busy.
std::uint32_t Ends::piece_size(const std::deque<Node>& waiting) const {
  const double pieces = plan_.lanes > 1 ? kEndPiecesOfCpu : kEndPiecesOfGpu;
  const double few = plan_.lanes > 1 ? kPiecesOfTexts : kPiecesOfTextsOfGpu;
  // What is looked at before a piece should be little of it, unless there were few pieces then.
  const double before = before_regions(waiting.front());
  const double least = std::min(4 * before, columns_ / kFewest);
  const double most =
      narrow_ ? std::min(std::max(columns_ / few, least), kLongestPiece) : kLongestPiece;
  double wide = 0;
  for (auto node = waiting.begin(); node != waiting.end() && columns_ * wide < pieces * most;
       ++node)
    if (node->all) wide += static_cast<double>(node->probes.size());
  return static_cast<std::uint32_t>(std::max(256.0, std::min(columns_ * wide / pieces, most))) /
         32 * 32;
}

/// Pieces that the node asks for, about, of which all texts have so many.
std::size_t Ends::pieces_of(const Node& node, std::size_t of_texts) const {
  std::size_t each = node.all ? of_texts : node.regions.size();
  if (!node.all && !node.fine)
    for (const Region& region : node.regions)
      each += (region.to - region.from) / part_size(node, region);
  return node.probes.size() * each;
}

/// Starts some of those that wait: where these are many no more than half, unless `all` may go, so
/// that there are others for the next slot.
void Ends::ask(std::size_t slot, std::deque<Node>& waiting, bool all) {
  const std::uint32_t size = piece_size(waiting);
  const std::size_t of_texts =
      static_cast<std::size_t>(columns_ / size) + 2 * problem_.texts.size() + 1;
  std::size_t most = waiting.size();
  if (!all && most >= kHalved) {
    const std::size_t halved = plan_.lanes > 1 ? kHalvedOfCpu : kHalvedOfGpu;
    std::size_t pieces = 0;
    for (auto node = waiting.begin(); node != waiting.end() && pieces < halved; ++node)
      pieces += pieces_of(*node, of_texts);
    if (pieces >= halved) most = (most + 1) / 2;
  }
  std::vector<Node>& nodes = asked_[slot];
  std::size_t pieces = 0;
  while (nodes.size() < most && pieces < Windows::kPieces) {
    const Node& node = nodes.emplace_back(std::move(waiting.front()));
    waiting.pop_front();
    pieces += pieces_of(node, of_texts);
  }
  windows_.start(slot, static_cast<std::uint32_t>(nodes.size()), pieces,
                 [&](std::uint32_t i, std::vector<Piece>& made) { ask(nodes[i], i, size, made); });
}

/// What was found of the nodes is learned; what is to be asked next joins those that wait.
void Ends::go_on(std::vector<Node>& nodes, std::deque<Node>& waiting) {
  const trace::Scope scope(problem_.trace, trace::Work::kPack, "what to ask next");
  const std::size_t parts =
      std::clamp<std::size_t>(nodes.size() / kNodesOfThread, 1, windows_.crew().threads());
  windows_.crew().in_parts(nodes.size(), parts,
                           [&](std::size_t, std::size_t first, std::size_t last) {
                             for (std::size_t i = first; i < last; ++i) learn(nodes[i]);
                           });
  for (const Node& node : nodes)
    for (std::uint32_t j = node.first; j < node.last; ++j) bounds_spread(j);
  const std::size_t busy = plan_.lanes > 1 ? kProbesOfCpu : kProbesOfGpu;
  const auto probes =
      std::max(static_cast<std::uint32_t>(plan_.probes),
               static_cast<std::uint32_t>(std::min(busy / nodes.size(), kMostProbes)));
  std::vector<Next> made(parts);
  windows_.crew().in_parts(nodes.size(), parts,
                           [&](std::size_t part, std::size_t first, std::size_t last) {
                             for (std::size_t i = first; i < last; ++i) {
                               if (nodes[i].last - nodes[i].first > 1)
                                 split(nodes[i], made[part]);
                               else
                                 choose(nodes[i], probes, made[part]);
                               nodes[i] = {};  // here, because several threads free it
                             }
                           });
  std::vector<Node> reach;
  for (Next& some : made) {
    std::ranges::move(some.reach, std::back_inserter(reach));
    std::ranges::move(some.failed, std::back_inserter(failed_));
  }
  reach_ends(reach);
  const auto wait = [&](std::vector<Node>& some) {
    for (Node& node : some)
      if (node.last - node.first > 1 || open(node.first)) waiting.push_back(std::move(node));
  };
  for (Next& some : made) wait(some.nodes);
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
        learn(j, probe, node.all ? 0 : node.row);
    }
}

void Ends::ask(const Node& node, std::uint32_t number, std::uint32_t size,
               std::vector<Piece>& pieces) const {
  for (std::uint32_t probe = 0; probe < node.probes.size(); ++probe) {
    if (!node.all) {
      ask_regions(node, number, probe, pieces);
      continue;
    }
    for_pieces(problem_, node.last - 1, node.probes[probe].end, problem_.k, size, [&](Piece piece) {
      piece.tag = number;
      piece.probe = probe;
      piece.region = ~0u;
      pieces.push_back(piece);
    });
  }
}

/// Columns before a region that windows up to the node's row may need.
std::uint32_t Ends::before_regions(const Node& node) const {
  return up32(node.row - (node.last - 1) + problem_.k - 1);
}

/// Columns of the parts that the region is cut into.
std::uint32_t Ends::part_size(const Node& node, const Region& region) const {
  return std::max(finest(before_regions(node)), up32((region.to - region.from) / kPartsOfRegion));
}

void Ends::ask_regions(const Node& node, std::uint32_t number, std::uint32_t probe,
                       std::vector<Piece>& pieces) const {
  const std::uint32_t begin = node.last - 1, end = node.probes[probe].end;
  const std::uint32_t before = before_regions(node);
  for (std::uint32_t i = 0; i < node.regions.size(); ++i) {
    const Region& region = node.regions[i];
    const auto n = static_cast<std::uint32_t>(problem_.texts[region.text].size());
    if (end > node.row) {
      const std::uint32_t from = region.from - std::min(region.from, before);
      const std::uint32_t after = end - node.row + problem_.k - 1;
      pieces.push_back({begin, end, region.text, from, region.to + std::min(n - region.to, after),
                        0, number, probe, i});
      continue;
    }
    const std::uint32_t size = part_size(node, region);
    std::uint32_t at = region.from;
    do {
      const std::uint32_t from = at - std::min(at, before);
      const std::uint32_t to = at + std::min(size, region.to - at);
      pieces.push_back(
          {begin, end, region.text, from, to, (at - from) / 32 * 32, number, probe, ~0u});
      at = to;
    } while (at < region.to);
  }
}

void Ends::take(Node& node, const Piece& piece, std::uint32_t distance, Marks marks) const {
  Probe& probe = node.probes[piece.probe];
  probe.distance = std::min(probe.distance, distance);
  if (distance >= problem_.k || !narrow_) return;
  if (piece.region != ~0u) {
    probe.alive.push_back(node.regions[piece.region]);
    return;
  }
  const std::uint32_t skip = piece.from + piece.skip, shift = mark_shift(piece);
  if (marks == 0) probe.alive.push_back({piece.text, skip, piece.to});
  // Marks side by side are one region.
  for (std::uint32_t bit = 0; marks != 0;) {
    const auto none = static_cast<std::uint32_t>(std::countr_zero(marks));
    const auto some = static_cast<std::uint32_t>(std::countr_one(marks >> none));
    bit += none;
    const std::uint32_t from = std::max(skip, piece.from + (bit << shift));
    bit += some;
    const std::uint32_t columns = std::min(piece.to - piece.from, bit << shift);
    probe.alive.push_back({piece.text, from, piece.from + columns});
    marks = none + some < 32 ? marks >> (none + some) : 0;
  }
}

/// From now on the node's regions are those that are left at the probe's end.
void Ends::narrow_to(Node& node, Probe& probe) const {
  double left = 0;
  for (const Region& region : probe.alive) left += region.to - region.from + 1.0;
  if (!narrow_ || (node.all && left > columns_ / 2)) return;
  std::ranges::sort(probe.alive, {},
                    [](const Region& region) { return std::pair(region.text, region.from); });
  const bool parted = !node.all && probe.end == node.row;
  if (node.all) node.row = probe.end;
  node.all = false;
  // Those of which one ends where the next begins are one, unless that becomes too large; larger
  // ones, which repeats leave, are cut.
  const std::uint32_t most = std::max(kJoined, 8 * before_regions(node));
  node.regions.clear();
  for (Region region : probe.alive) {
    if (!node.regions.empty() && node.regions.back().text == region.text &&
        node.regions.back().to >= region.from && region.to - node.regions.back().from <= kJoined) {
      node.regions.back().to = std::max(node.regions.back().to, region.to);
      continue;
    }
    for (; region.to - region.from > most; region.from += most)
      node.regions.push_back({region.text, region.from, region.from + most});
    node.regions.push_back(region);
  }
  node.fine =
      node.fine || parted;  // of parts of a region marks leave what is as small as it should be
}

/// A block whose core is known.
void Ends::split(Node& node, Next& next) {
  Probe& probe = node.probes.front();
  if (probe.distance >= problem_.k) {
    for (std::uint32_t j = node.first; j < node.last; ++j)
      if (open(j)) next.failed.push_back(j);
    return;
  }
  narrow_to(node, probe);
  node.probes.clear();  // which the parts would copy
  const std::uint32_t last = node.last, size = (last - node.first + kParts - 1) / kParts;
  for (std::uint32_t j = node.first; j < last; j += size) {
    Node part = j + size < last ? node : std::move(node);
    part.first = j;
    part.last = std::min(j + size, last);
    part.probes = {{part.row}};
    next.nodes.push_back(std::move(part));
  }
}

/// What to ask next about a single start, of which so many windows are compared at a time.
void Ends::choose(Node& node, std::uint32_t probes, Next& next) {
  const std::uint32_t j = node.first, k = problem_.k;
  if (!open(j)) return;
  // The longest window that is near, and the shortest one that is not.
  Probe* near = nullptr;
  bool far = false;
  for (Probe& probe : node.probes) {
    if (std::min(probe.distance, probe.end - j) >= k)
      far = true;
    else if (near == nullptr || probe.end > near->end)
      near = &probe;
  }
  std::uint32_t wanted = lower(j);
  bool longer = false;
  if (near != nullptr) {
    const std::uint32_t distance = std::min(near->distance, near->end - j);
    const double length = near->end - j;
    const double more = (k - distance) * length / std::max(distance, 1u);
    wanted = near->end + static_cast<std::uint32_t>(std::min(more, 3 * length));
    longer = more > length + 64;
    narrow_to(node, *near);
  }
  if (!node.all && upper(j) <= node.row) {
    next.failed.push_back(j);
    return;
  }
  const std::uint32_t least = std::max(lower(j), node.all ? 0u : node.row), end = upper(j);
  if (least >= end) {
    next.failed.push_back(j);
    return;
  }
  node.probes.clear();
  if (!node.all && !node.fine) {
    node.probes = {{node.row}};
  } else if (!node.all && longer && node.regions.size() * k <= kReach) {
    next.reach.push_back(std::move(node));
    return;
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
  next.nodes.push_back(std::move(node));
}

/// Starts whose windows will be much longer, in few regions: those are followed on the host.
void Ends::reach_ends(std::vector<Node>& nodes) {
  if (nodes.empty()) return;
  std::vector<std::uint32_t> lengths(nodes.size());
  const std::size_t threads = std::min(nodes.size(), windows_.crew().threads());
  std::atomic<std::size_t> next = 0;  // some take much longer than others
  windows_.crew().in_parts(threads, threads, [&](std::size_t, std::size_t, std::size_t) {
    for (std::size_t i = next++; i < nodes.size(); i = next++) {
      const Node& node = nodes[i];
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
    const std::uint32_t j = nodes[i].first;
    const std::uint32_t end = std::min(std::max(j + lengths[i] + 1, lower(j)), top(j));
    lower(j) = end;
    upper(j) = end;
    bounds_spread(j);
  }
}

void Ends::tell() {
  constexpr double kOften = 0.05;  // seconds
  if (!problem_.progress || lower_.empty() || now() - told_ < kOften) return;
  told_ = now();
  std::size_t known = 0;
  double length = 0;
  for (std::size_t i = 0; i < lower_.size(); ++i) {
    known += lower_[i] == upper_[i] ? std::size_t{1} : 0;
    length += lower_[i] - (problem_.first + static_cast<double>(i));
  }
  // Blocks once, and what comes behind: about a third.
  const double all = length / std::min(plan_.block, problem_.k) * columns_ * 1.5;
  share_ = std::max(
      share_,
      std::min(0.99,
               std::max(windows_.cells() / std::max(all, 1.0),
                        static_cast<double>(known) / static_cast<double>(lower_.size()) - 0.01)));
  problem_.progress({0, 0, windows_.cells(), share_, now() - began_});
}

}  // namespace rhomb::primer
