// SPDX-License-Identifier: Apache-2.0
// Texts: a pair as the strips' kernels read it, and where its state lies on the device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cl/strip/launch.h"
#include "host/seq/packed.h"
#include "host/strip/strip.h"

namespace rhomb::strip {

using Words = std::vector<std::uint32_t>;

/// Planes of both texts and of their reverses; cl/strip/pair.cl has the layouts.
struct Texts {
  UnsetVector<std::uint32_t> pattern;  ///< of the text with the rows, then of its reverse
  std::uint32_t pattern_reverse = 0;   ///< where the reverse begins
  UnsetVector<std::uint32_t> text;     ///< of the text with the columns, then of its reverse
  std::uint32_t text_plane = 0;        ///< words a plane
};

Texts pack(const Plan& plan, const Problem& problem);

/// Appends the planes of `words` words of interleaved ones one after another, the first symbol of a
/// word at its top, `spare` words before and behind each.
void append_apart(UnsetVector<std::uint32_t>& out, std::span<const std::uint32_t> interleaved,
                  std::size_t planes, std::size_t words, std::size_t spare, std::size_t threads);

/// Sizes of what a run keeps on the device, in 32-bit words.
struct Layout {
  std::uint32_t groups = 0;  ///< of the upper half
  std::uint32_t stride = 0;  ///< lanes a value of the state
  std::uint32_t plane = 0;   ///< words of a plane of the text, and of each half of `last`
  std::size_t values = 0;    ///< of the state, a lane and direction
  std::size_t score = 0;     ///< which of them is the score
  std::size_t state = 0, ring = 0, last = 0, pattern = 0, text = 0;
};

Layout layout_of(const Size& size, const Shape& shape, int planes);

/// What all launches of a plan are told whose words may flow.
StripLaunch launch_of(const Plan& plan, const Layout& layout);

/// Words of columns that a kept row of a band has room for, and 32-bit words of all that are kept.
std::size_t kept_pitch(const Plan& plan, const Band& band);
std::size_t kept_words(const Plan& plan, const Band& band, std::uint32_t apart);

/// One half's dh along the row where the halves meet, as its kernel put them out: bit 31 - i of
/// ph[w] is set where column 32 w + i has dh = +1; mh: -1.
struct Edge {
  std::int64_t first = 0;  ///< the words [first, end) are known
  std::int64_t end = 0;
  std::int64_t start = 0;  ///< cost at the left end of word `first`
  Words words;             ///< ph and mh of word 0, of word 1, ...
};

/// What a half of `lanes` lanes has left: `last`, and the scores of all its lanes but the last.
Edge edge_of(const Plan& plan, const Band& band, std::int64_t lanes, Words last,
             const Words& scores);

/// The edge of a lower half without rows: the rest of the text is inserted.
Edge empty_edge(const Size& size);

/// What the row costs more at the place `to` than at `from`, both of which the edge knows.
std::int64_t rise(const Edge& edge, std::int64_t from, std::int64_t to);

/// What both halves left along the row where they meet.
struct Edges {
  Edge upper, lower;
};

/// The least sum of both halves at a place of the row where they meet. `columns` are those of the
/// matrix; column c of one half is column columns - 1 - c of the other.
std::int64_t least_sum(const Edge& upper, const Edge& lower, std::int64_t columns);

/// The first place and the last, up to `end`, where the sum is `least`. Throws CheckError if there
/// is none.
std::pair<std::int64_t, std::int64_t> least_places(const Edge& upper, const Edge& lower,
                                                   std::int64_t columns, std::int64_t least,
                                                   std::int64_t end);

/// Told now and then which part of a pass is done. True: the pass is to be given up.
using Report = std::function<bool(double part)>;
/// The cost of the cheapest path within a band; nothing where the pass was given up.
using Pass = std::function<std::optional<std::int64_t>(const Band&, const Report&)>;

/// A pass, and what those before it have come to.
struct PassPlace {
  std::int64_t number = 1;
  std::int64_t threshold = 0;  ///< of its band
  std::int64_t cost = 0;       ///< of the pass before
  double cells = 0;            ///< of all before
};

/// What a pass of so many cells has come to, whose place is `place` until then. True: another one
/// is needed, whose place it is now; otherwise the cost is final.
bool goes_on(const Plan& plan, PassPlace& place, std::int64_t cost, double cells);

/// Passes over bands of the matrix until the plan's question is answered. `from`: of an earlier
/// run, that another one goes on with. `begins` is told of each pass.
Answer passes(const Plan& plan, const Problem& problem, const Pass& pass,
              const std::optional<PassPlace>& from = {},
              const std::function<void(const PassPlace&)>& begins = {});

}  // namespace rhomb::strip
