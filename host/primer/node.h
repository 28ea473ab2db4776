// SPDX-License-Identifier: Apache-2.0
// Nodes: what Ends (ends.h) works on. A node is a start, or a block of starts side by side that
// share a core, and the regions of the texts that its windows need to be compared with. It asks for
// pieces (windows.h); their answers leave some of its regions, or smaller ones.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/primer/windows.h"

namespace rhomb::primer {

/// Columns of a text in which the occurrences end that are of interest, both borders included.
struct Region {
  std::uint32_t text, from, to;
  std::uint32_t near = 0;  ///< one more than the number of the last probe that is near here
};

/// A window of a node, by its end, and what has become of it.
struct Probe {
  std::uint32_t end = 0;
  std::uint32_t distance = kNone;
};

/// Starts [first, last) of alpha, whose regions hold for windows that end at `row` or later. One
/// start is looked for; several share the core alpha[last - 1, row).
struct Node {
  std::uint32_t first = 0, last = 0, row = 0;
  bool all = true;    ///< the regions are all texts, and hold for any row
  bool fine = false;  ///< the regions are as small as they should be
  std::vector<Region> regions = {};
  std::vector<Probe> probes = {};   ///< by their ends, which rise
  std::vector<Region> marked = {};  ///< by answers to the probe of all texts, or of parts
};

/// A node that waits to be asked for, and what of it is needed before that.
struct Waiting {
  std::unique_ptr<Node> node;
  std::uint32_t first = 0, last = 0;  ///< its starts
  std::uint32_t of_texts = 0;         ///< its windows that all texts are asked for,
  std::uint32_t pieces = 0;           ///< and about how many pieces the others take

  /// Pieces, about, if all texts have so many.
  std::size_t count(std::size_t texts) const { return of_texts * texts + pieces; }
};

/// What all nodes of a problem have in common.
struct Asked {
  const Problem& problem;
  bool narrow;     ///< whether regions are looked for at all
  double columns;  ///< of all texts

  Waiting waiting(std::unique_ptr<Node> node) const;
  /// Its pieces, with the node's number as their tag. Those of all texts have about `size` columns.
  void pieces(const Node& node, std::uint32_t number, std::uint32_t size,
              std::vector<Piece>& made) const;
  /// The answer to one of its pieces.
  void take(Node& node, const Piece& piece, std::uint32_t distance, Marks marks) const;
  /// From now on the node's regions are those that are left at this probe's end.
  void narrow_to(Node& node, std::size_t probe) const;
  /// Columns before a region that windows up to the node's row may need.
  std::uint32_t before(const Node& node) const;

 private:
  std::uint32_t part_size(const Node& node, const Region& region) const;
  void pieces_of_regions(const Node& node, std::uint32_t number, std::uint32_t probe,
                         std::vector<Piece>& made) const;
};

}  // namespace rhomb::primer
