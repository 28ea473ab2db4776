// SPDX-License-Identifier: Apache-2.0
// primer: for each start in a sequence the shortest substring that differs from every substring of
// other texts by at least k (the k-difference primer problem: Gusfield 1997, 12.2.5; Feuser and
// Moreano 2018). One table of variants; see variants().
//
// Let M(j, x) be the least edit distance of alpha[j..x) and any substring of any text, the empty
// one too; texts are never joined. One symbol more adds 0 or 1 to it, so the end that is looked for
// is X(j) = the least x with M(j, x) >= k. One symbol less at the front takes away 0 or 1, so X
// never falls from one start to the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "host/engine/pair.h"
#include "host/engine/variant.h"
#include "host/ocl/device.h"
#include "host/seq/cigar.h"

namespace rhomb::search {
class ResidentTexts;
}

namespace rhomb::primer {

/// Instead of an end: no substring from there on is far enough from the texts.
inline constexpr std::uint32_t kNone = 0x7fffffff;

/// The place of the sequence in one of the texts: its symbol i is that text's symbol begin + i.
/// Where it is given, a symbol never matches itself, so that a substring's own place does not
/// count; whatever else is like it does, other places of the same repeat among them.
struct Self {
  std::uint32_t text = 0;   ///< which of Problem::texts
  std::uint32_t begin = 0;  ///< 0-based
};

struct Problem {
  std::string_view alpha;                   ///< at most 2^31 - 2 symbols
  std::uint32_t first = 0, last = 0;        ///< starts: first <= j < last
  std::span<const std::string_view> texts;  ///< with both strands each one twice
  std::uint32_t k = 1;                      ///< at least 1
  std::uint32_t shortest = 0;               ///< substrings have at least so many symbols,
  std::uint32_t longest = kNone;            ///< and at most so many
  std::optional<Self> self;
  /// Ends that are already known to be necessary, one a start, of other texts; kNone where none
  /// will do. Empty: nothing is known.
  std::span<const std::uint32_t> least = {};
  const seq::Code* code = nullptr;  ///< a: of alpha, b: of the texts
  /// What keep_texts() has made of the texts on the device that computes; null: they are packed and
  /// copied there. (The paper's variants have them in another form and copy them anyway.)
  const search::ResidentTexts* resident = nullptr;
  /// Part and cells so far; may be empty. May be called by several threads.
  std::function<void(const Progress&)> progress = {};
  std::stop_token stop = {};      ///< ends the run with an Error of Kind::kStopped
  std::size_t threads = 0;        ///< of the host, at most; 0: as many as it has cores
  trace::Trace* trace = nullptr;  ///< records the phases, unless it is null
};

/// Comparisons of a symbol of alpha with one of a text, as the paper counts them, and how many of
/// them found their symbols in local memory; where a variant counts.
struct Counted {
  double comparisons = 0;
  double alpha_misses = 0, beta_misses = 0;
};

struct Answer {
  std::vector<std::uint32_t> ends;  ///< of each start: exclusive, in alpha; kNone: there is none
  double cells = 0;                 ///< of matrices, as far as they were computed
  Counted counted;
  double compute = 0;   ///< seconds on the device, launches, copies and reads included
  double build = 0;     ///< seconds for finding, building and testing programs
  double transfer = 0;  ///< seconds for packing and copying alpha and texts
  tune::Config config;  ///< every tunable with the value that was used
};

struct Plan {
  std::string variant;
  bool by_rows = false;      ///< of the paper's two ways the one by rows, not by diagonals
  std::string file, kernel;  ///< of the program, where there is one for all lengths
  ocl::Defines defines;
  tune::Config config;
  int planes = 0;
  bool sets = false;
  int group = 1;            ///< work-items a group
  int lanes = 1;            ///< words a work-item
  std::uint32_t block = 1;  ///< starts that share a core
  int probes = 1;           ///< lengths of a window that are tried at a time
  bool self_test = false;   ///< the run is a known-answer test itself
};

using Variant = rhomb::Variant<Problem, Plan, Answer>;

/// The table, best first, the reference last.
std::span<const Variant> variants();

/// Whether distances() of windows are what the variant computes too: not so for the paper's.
bool compares_windows(const Variant& variant);

/// The plan that solve() would use.
Plan plan(const Variant& variant, const Problem& problem, const ocl::Limits& limits,
          const tune::Config& config = {});

/// Plans and runs `variant`. `device` may be null for the reference. Throws UsageError for k = 0,
/// starts outside alpha, a self outside its text, or texts that are too long; tune::Unfit,
/// ocl::DeviceError, MemoryError, and CheckError where a program's known-answer test fails.
Answer solve(ocl::Device* device, const Variant& variant, const Problem& problem,
             const tune::Config& config = {});

/// The texts on `device`, for many problems with this code.
std::unique_ptr<search::ResidentTexts> keep_texts(ocl::Device& device,
                                                  std::span<const std::string_view> texts,
                                                  const seq::Code& code);

/// The least distance of each window alpha[j..j + length), first <= j < last, to any substring of
/// the texts: M(j, j + length). Windows that would not end in alpha are left out, so the answer
/// may have fewer values than there are starts. Problem::k, shortest, longest and least do not
/// matter; those of Answer::ends are distances. `device` may be null: then the host computes.
Answer distances(ocl::Device* device, const Problem& problem, std::uint32_t length);

/// A place in a text that a substring of alpha is like.
struct Site {
  std::uint32_t distance = kNone;
  std::uint32_t text = 0;
  std::uint32_t begin = 0, end = 0;  ///< 0-based, exclusive
  Cigar cigar;                       ///< as Finder::cigar() has it, along the text
};

/// A substring of alpha: [begin, end), not empty.
struct Window {
  std::uint32_t begin = 0, end = 0;
};

/// The nearest site of each window: the least distance, of several the first text, in it the first
/// end, of these the longest. `device` may be null: then the host computes.
std::vector<Site> nearest_sites(ocl::Device* device, const Problem& problem,
                                std::span<const Window> windows);

}  // namespace rhomb::primer
