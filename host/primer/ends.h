// SPDX-License-Identifier: Apache-2.0
// Ends: the ends of all starts by windows that the search's strips compute (windows.h), by two
// bounds of each that come nearer to each other.
//
// A window alpha[j..e) that comes within v of the texts says: if v < k that X(j) >= e + k - v,
// because each symbol adds 1 at the most; else that X(j) <= e - (v - k). What holds for a start
// holds for those after it, or before it, because X never falls.
//
// Starts side by side share a core. For starts j0..jl and a row P <= X(j0) the core is
// alpha[jl..P). Each window [j, x) with x >= P has it inside, so an alignment of such a window that
// costs less than k goes through row P at a place where the core has an occurrence of less than k
// differences that ends there. The core is looked for in all the texts, once; then the few regions
// with such ends, which the device marks, are all that any window of these starts needs to be
// compared with: parts of the block with a longer core in the regions of the whole block, single
// starts in those of their part.
// Where no region is left, X(j) <= P for all of them; those that P was too large for begin again
// with a smaller one.
//
// The nodes that wait are taken some at a time. While the device computes those the host goes
// through what it has found for others, which gives new nodes; so both are always at work.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "host/primer/windows.h"

namespace rhomb::primer {

class Ends {
 public:
  /// Plan::block starts share a core; with `narrow` false every window is compared with all texts.
  Ends(ocl::Device& device, const Plan& plan, const Problem& problem, bool narrow);

  Answer run();

 private:
  /// Columns of a text in which the occurrences end that are of interest, both borders included.
  struct Region {
    std::uint32_t text, from, to;
  };
  /// The windows of a node with one end, and what has become of them.
  struct Probe {
    std::uint32_t end = 0;
    std::uint32_t distance = kNone;
    std::vector<Region> alive = {};
  };
  /// Starts [first, last) of alpha, whose regions hold for windows that end at `row` or later. One
  /// start is looked for; several share the core alpha[last - 1, row).
  struct Node {
    std::uint32_t first = 0, last = 0, row = 0;
    bool all = true;    ///< the regions are all texts, and hold for any row
    bool fine = false;  ///< the regions are as small as they should be
    std::vector<Region> regions = {};
    std::vector<Probe> probes = {};
  };

  /// What nodes have become.
  struct Next {
    std::vector<Node> nodes, reach;
    std::vector<std::uint32_t> failed;
  };

  std::uint32_t& lower(std::uint32_t j) { return lower_[j - problem_.first]; }
  std::uint32_t& upper(std::uint32_t j) { return upper_[j - problem_.first]; }
  /// One more than the last end that start j may have.
  std::uint32_t top(std::uint32_t j) const;
  bool open(std::uint32_t j) { return lower(j) < upper(j); }

  void bounds_spread();
  void bounds_spread(std::uint32_t j);
  void learn(std::uint32_t j, const Probe& probe, std::uint32_t least);
  void learn(const Node& node);
  void work(std::vector<Node> nodes);
  std::uint32_t piece_size(const std::deque<Node>& waiting) const;
  std::size_t pieces_of(const Node& node, std::size_t of_texts) const;
  void ask(std::size_t slot, std::deque<Node>& waiting, bool all);
  void ask(const Node& node, std::uint32_t number, std::uint32_t size,
           std::vector<Piece>& pieces) const;
  void ask_regions(const Node& node, std::uint32_t number, std::uint32_t probe,
                   std::vector<Piece>& pieces) const;
  std::uint32_t before_regions(const Node& node) const;
  std::uint32_t part_size(const Node& node, const Region& region) const;
  void take(Node& node, const Piece& piece, std::uint32_t distance, Marks marks) const;
  void go_on(std::vector<Node>& nodes, std::deque<Node>& waiting);
  void narrow_to(Node& node, Probe& probe) const;
  void split(Node& node, Next& next);
  void choose(Node& node, std::uint32_t probes, Next& next);
  void reach_ends(std::vector<Node>& nodes);
  std::vector<Node> again();
  std::optional<std::uint32_t> expected(std::uint32_t j) const;
  void tell();

  const Plan& plan_;
  const Problem& problem_;
  bool narrow_;
  double columns_;  // of all texts
  Windows windows_;
  std::array<std::vector<Node>, 2> asked_;  // that the slots of windows_ have
  std::vector<std::uint32_t> lower_, upper_;
  std::vector<std::uint8_t> tries_;
  std::vector<std::uint32_t> failed_;  // starts whose row was too large
  std::uint32_t sampled_ = 0;          // starts this far apart are known
  double share_ = 0, began_ = 0, told_ = 0;
};

}  // namespace rhomb::primer
