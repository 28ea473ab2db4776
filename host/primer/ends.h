// SPDX-License-Identifier: Apache-2.0
// Ends: the ends of all starts by windows that the search's strips compute (windows.h), by two
// bounds of each that come nearer to each other (bounds.h).
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
#include <memory>
#include <span>
#include <vector>

#include "host/primer/bounds.h"
#include "host/primer/node.h"
#include "host/primer/windows.h"

namespace rhomb::primer {

class Ends {
 public:
  /// Plan::block starts share a core; with `narrow` false every window is compared with all texts.
  Ends(ocl::Device& device, const Plan& plan, const Problem& problem, bool narrow);

  Answer run();

 private:
  /// What nodes have become, by one thread; and those that are done, whose memory others take.
  struct Next {
    std::vector<Waiting> nodes;
    std::vector<std::unique_ptr<Node>> reach, spare;
    std::vector<std::uint32_t> failed;
  };

  /// What becomes of a single start's node: it asks again, is followed on the host, or is done.
  enum class Then : std::uint8_t { kAsk, kReach, kDone };

  void sample(std::uint32_t apart);
  void work(std::vector<Waiting> nodes);
  std::uint32_t piece_size(const std::deque<Waiting>& waiting) const;
  void ask(std::size_t slot, std::deque<Waiting>& waiting, bool all);
  void learn(const Node& node);
  void go_on(std::vector<Waiting>& asked, std::deque<Waiting>& waiting);
  Waiting window(std::uint32_t first, std::uint32_t last, std::uint32_t row) const;
  void split(std::unique_ptr<Node> node, Next& next);
  Then choose(Node& node, std::uint32_t probes, Next& next);
  void reach_ends(std::span<const std::unique_ptr<Node>> nodes);
  std::vector<Waiting> again();
  void tell();

  const Plan& plan_;
  const Problem& problem_;
  Asked asked_;
  Windows windows_;
  Bounds bounds_;
  std::array<std::vector<Waiting>, 2> nodes_;  // that the slots of windows_ have
  std::vector<std::size_t> pieces_;            // of the nodes that are asked for, added up
  std::vector<Next> next_;                     // of each thread
  std::vector<std::uint8_t> tries_;
  std::vector<std::uint32_t> failed_;  // starts whose row was too large
  double share_ = 0, began_ = 0, told_ = 0;
};

}  // namespace rhomb::primer
