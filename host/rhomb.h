// SPDX-License-Identifier: Apache-2.0
// rhomb: exact edit distance and its relatives on OpenCL devices. The one header a program
// includes.
//
//   #include <rhomb/rhomb.h>
//
//   rhomb::Devices devices;  // the fastest GPU, else the CPU
//   std::cout << *devices.distance("GATTACA", "GATTTACCA").distance << "\n";  // 2
//
//   rhomb::SearchOptions options;
//   options.most = 2;
//   devices.search("reads.fq.gz", "genome.fa", options, [](const rhomb::Occurrence& found) {
//     std::cout << found.query << " " << found.start << " " << found.distance << "\n";
//   });
//
// Errors. What leaves a function is a rhomb::Error, whose kind() says what sort of failure it is,
// or std::bad_alloc, or what a function of the caller's has thrown. Nothing is printed, nothing
// exits.
//
// Threads. Calls on one object of Devices wait for each other; a function that a call was given
// must not call the same object. Different objects may be used at the same time, also of the same
// device.
//
// Positions are 0-based, and ends are not included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "dist/keeping.h"
#include "dist/shard.h"
#include "engine/facts.h"
#include "error.h"
#include "ocl/limits.h"
#include "progress.h"
#include "seq/alphabet.h"
#include "seq/cigar.h"
#include "seq/reader.h"
#include "seq/sequence.h"
#include "trace/trace.h"
#include "tune/config.h"

namespace rhomb {

namespace tune {
class Store;
}

/// What all methods take.
struct RunOptions {
  std::string variant;  ///< as `rhomb variants` lists them; empty: the best
  tune::Config config;  ///< tunables that are forced; empty: what was tuned
  seq::Ambiguous ambiguous = seq::Ambiguous::kSymbol;
  bool check = false;       ///< compute again, or a sample, in an independent way; CheckError if
                            ///< answers differ
  std::size_t threads = 0;  ///< of the host that compute, at most; 0: as many as it has cores
  std::stop_token stop;     ///< ends the run with an Error of Kind::kStopped
  /// Of many records only those of one part: queries, or the pairs of them (lcs() without `top`:
  /// targets; primers(): positions). What all parts take, one after another, is what a whole run
  /// takes. The records are read twice then; a UsageError for Records that give them but once.
  Shard shard;
  /// Called now and then, by any thread, but by one at a time.
  std::function<void(const Progress&)> progress;
  trace::Trace* trace = nullptr;       ///< records the phases; null: that of the devices
  const tune::Store* store = nullptr;  ///< what was measured; null: the files of the user are read
};

struct DistanceOptions : RunOptions {
  std::string engine = "auto";               ///< auto, strips, corridor, wavefront or reference
  std::optional<std::int64_t> max_distance;  ///< stop once the distance is known to exceed this
  /// Before a pair that will take seconds a device that nobody has measured may be measured, which
  /// takes a second or two, and the result kept in the user's data directory.
  bool may_measure = false;
  /// A pair may be the host's if that answers before a device would be open. Never where a device
  /// is named (DevicesOptions::selector).
  bool by_host = true;
  bool all_pairs = false;  ///< of files: each record with each; otherwise by order, one to one
  /// Of one pair: what a run reaches is saved now and then, and when it is stopped or fails, so
  /// that another one goes on, on any devices, with any configuration. `strips-blocks` and `fused`
  /// do that; a pair that the corridor is expected to answer before anything would be saved is its.
  /// Throws UsageError for other variants and for several pairs, as align() does; InputError if
  /// there are checkpoints to go on from, but none that is whole and of this pair and these
  /// options.
  Keeping keeping;
};

/// Seconds. `total` is what the caller waited for, reading files not included.
struct Timing {
  double read = 0;      ///< reading the files; filled in by who reads them
  double build = 0;     ///< finding, building and testing the device programs
  double transfer = 0;  ///< packing the sequences and copying them to the device
  double compute = 0;   ///< time on the device, launches and waits included
  double total = 0;
};

struct DistanceAnswer {
  std::optional<std::int64_t> distance;  ///< nothing: it exceeds DistanceOptions::max_distance
  std::string engine;                    ///< "strips", "corridor", "wavefront", "reference"
  std::string variant;                   ///< "fused"
  std::string device;                    ///< the device's name; "host" where the host computed
  tune::Config config;                   ///< every tunable with the value used
  int passes = 1;                        ///< how often the matrix was gone through
  double cells = 0;                      ///< cells computed
  Facts certificate;                     ///< what proves the answer, of the engine corridor
  std::string checked;  ///< what the answer was compared with, empty without `check`
  Timing timing;
};

struct AlignOptions : DistanceOptions {
  bool gaps_right = false;    ///< gaps as far to the right as they can be, instead of to the left
  bool both_strands = false;  ///< also the query's reverse complement, if it is nearer
  std::size_t memory = 0;     ///< bytes of the host, at most, about; 0: as many as it takes
};

struct AlignAnswer {
  std::optional<std::int64_t> distance;  ///< nothing: it exceeds DistanceOptions::max_distance
  Cigar cigar;        ///< of the whole query with the whole target; empty without a distance
  char strand = '+';  ///< -: of the query's reverse complement
  std::string engine, variant, device;  ///< that found the distance
  double cells = 0;                     ///< cells computed, on devices and the host
  int parts = 0;                        ///< that the alignment was put together from
  double distance_seconds = 0;          ///< of Timing::total
  Timing timing;
};

/// A part of an alignment that aligns better if the query's is turned round.
struct Inversion {
  std::size_t query_start = 0, query_end = 0;  ///< 0-based, end exclusive
  std::size_t target_start = 0, target_end = 0;
  std::int64_t distance = 0;         ///< in the alignment
  std::int64_t turned_distance = 0;  ///< of the query's reverse complement, a quarter less
};

/// The alignment of two records; views are good during the call.
struct PairAlignment {
  seq::SequenceView query, target;
  const AlignAnswer& answer;
};

/// The distance of two records; views are good during the call.
struct PairDistance {
  seq::SequenceView query, target;
  const DistanceAnswer& answer;
};

struct SearchOptions : RunOptions {
  /// Occurrences with more differences do not count. Nothing: the best of each query, whatever its
  /// distance.
  std::optional<std::uint32_t> most;
  bool best = false;      ///< only the best of each query, also with `most`
  bool all_ends = false;  ///< with `most`: every end, not only the best of a run of adjacent ones
  bool both_strands = false;
  bool cigar = false;
  bool pairs = false;                  ///< each query only in the target at its place
  std::size_t memory = 1'000'000'000;  ///< bytes of the host for queries and tasks; about
};

/// A part of a target that is like a query; views are good during the call.
struct Occurrence {
  std::string_view query, target;  ///< names
  std::size_t query_length = 0, target_length = 0;
  std::size_t start = 0, end = 0;  ///< in the target, on its strand +
  char strand = '+';               ///< -: it is the query's reverse complement that occurs
  std::uint32_t distance = 0;
  std::string_view cigar;  ///< if one was asked for
};

struct LcsOptions : RunOptions {
  std::optional<std::size_t> top;      ///< only so many targets a query, the longest lengths
  std::uint32_t least = 0;             ///< only subsequences as long as this
  bool subsequence = false;            ///< not only lengths
  std::size_t memory = 1'000'000'000;  ///< bytes of the host for targets on their way; about
};

/// The longest common subsequence of a query and a target; views are good during the call.
struct CommonSubsequence {
  std::string_view query, target;  ///< names
  std::size_t query_length = 0, target_length = 0;
  std::size_t length = 0;
  std::size_t rank = 0;  ///< with LcsOptions::top: 1 for the longest of the query
  std::string_view
      subsequence;  ///< with LcsOptions::subsequence: its symbols, as the query has them
};

struct GapsOptions : RunOptions {
  /// Which ends of the texts an alignment must reach. It always has the whole query.
  enum class Ends {
    kPrefix,  ///< any prefix of the target: the start is fixed, the end free
    kGlobal,  ///< all of the target
    kInfix,   ///< any part of the target
  };
  int max_gaps = 1;    ///< 0 to 32, of any length
  std::string matrix;  ///< EDNAFULL, as without one; EBLOSUM62, or a file in NCBI's format
  /// Decimal numbers with up to six digits behind the point. Instead of a matrix; where only one is
  /// given the other is 5 or -4. `match` is the larger one.
  std::string match, mismatch;
  std::string open = "10", extend = "0.5";  ///< what the first symbol of a gap costs, and others
  Ends ends = Ends::kPrefix;
  bool strict = false;                 ///< a pair of symbols between two gaps, and behind the last
  std::optional<std::uint32_t> band;   ///< only |i - j| <= band; not with kInfix
  bool alignment = false;              ///< not only scores: GapsFound::alignment, proven
  std::optional<std::size_t> top;      ///< only so many targets a query, the best scores
  bool pairs = false;                  ///< each query only with the target at its place
  std::size_t memory = 1'000'000'000;  ///< bytes of the host for queries and tasks; about
};

/// A query and a target, aligned with few gaps; views are good during the call.
struct GapsFound {
  struct Alignment {
    std::size_t start = 0;  ///< in the target
    std::size_t gap_symbols = 0, matches = 0, mismatches = 0;
    std::string cigar;  ///< =, X, I (symbols of the query alone) and D
  };
  std::string_view query, target;  ///< names
  std::size_t query_length = 0, target_length = 0;
  std::optional<double> score;  ///< exact; nothing: no alignment has so few gaps
  std::size_t end = 0;          ///< in the target
  std::size_t gaps = 0;
  std::optional<Alignment> alignment;
};

struct PrimerOptions : RunOptions {
  /// Differences from everything, at least; nothing: 1. Or the least distance of windows so long,
  /// by a variant that compares them.
  std::optional<std::uint32_t> k, window;
  std::uint32_t min_length = 0;           ///< substrings have at least so many symbols,
  std::uint32_t max_length = 0x7fffffff;  ///< and at most so many
  bool both_strands = false;              ///< the texts' reverse complements too
  bool exclude_self = false;           ///< queries are parts of targets; their own place counts not
  bool nearest = false;                ///< PrimerFound::nearest, with another look at the targets
  std::size_t memory = 1'000'000'000;  ///< bytes of the host for targets; about
};

/// A substring of a query that is far from all targets, or a window; views are good during the
/// call.
struct PrimerFound {
  struct Nearest {
    std::string target;              ///< name
    std::size_t start = 0, end = 0;  ///< on the target's strand +
    char strand = '+';
    std::uint32_t distance = 0;
    std::string cigar;
  };
  std::string_view query;                 ///< name
  std::size_t start = 0, end = 0;         ///< in the query
  std::string_view sequence;              ///< its symbols
  std::optional<std::uint32_t> distance;  ///< of windows: from the nearest part of any target
  std::optional<Nearest> nearest;
};

/// What a run over many sequences came to; times in seconds, of all devices together.
struct Totals {
  double queries = 0;
  double targets = 0;
  double cells = 0;
  double build = 0, transfer = 0, compute = 0;
  std::uint64_t checked = 0;  ///< answers that were computed again, with RunOptions::check
  std::string variant;
  std::string device;  ///< the name of each; "host" where none was used
};

/// Sequences, one after another: of a file, which is read as they are needed, or of the caller.
class Records {
 public:
  struct Stream {
    std::function<bool(seq::Sequence&)> next;  ///< false at the end
    std::function<double()> part;              ///< how much was read, 0 to 1
    /// Where this is known: has a function called, by who calls next(), before it may wait for
    /// long.
    std::function<void(std::function<void()>)> before_waiting = {};
  };

  Records(std::string path, seq::ReadOptions options = {});
  Records(const char* path) : Records(std::string(path)) {}
  /// They stay as they are while they are used.
  Records(const seq::Batch& sequences);
  /// Of a function, which gives the next one, or false at the end; can be gone through once.
  static Records from(std::string name, std::function<bool(seq::Sequence&)> next);
  /// Of such functions, all alike: `open` makes one each time that they are gone through.
  static Records each_time(std::string name,
                           std::function<std::function<bool(seq::Sequence&)>()> open);

  const std::string& name() const { return name_; }
  Stream open() const { return open_(); }
  /// Whether they can be gone through more than once.
  bool lasting() const { return lasting_; }

 private:
  Records() = default;

  std::string name_;  // as errors and traces call it
  std::function<Stream()> open_;
  bool lasting_ = true;
};

struct DevicesOptions {
  /// An index, "cpu", "gpu", "all", a part of the name of device or platform, or several as in
  /// "0,1". Empty: the fastest GPU, else the CPU.
  std::string selector = {};
  std::string kernels_dir = {};  ///< read kernel sources from here instead of the embedded ones
  bool cache = true;             ///< keep compiled programs on disk
  std::string cache_dir = {};    ///< empty: $XDG_CACHE_HOME/rhomb or ~/.cache/rhomb
  std::uint64_t memory = 0;      ///< bytes of each device, at most; 0: all that it has
  /// Every command of the devices and what the host does around them are recorded here, unless it
  /// is null. A traced run is slower. The trace lives longer than the Devices.
  trace::Trace* trace = nullptr;
  /// Told once, a line each, of what is damaged in the files of measurements; and of programs that
  /// compute wrongly on a device, and what computes instead of them. By any thread, one at a time.
  std::function<void(const std::string&)> warn = {};
};

/// The devices that a program computes on, and all that rhomb does on them. A device is looked for
/// when the first problem comes that needs one, and stays open. One pair is computed by the first
/// device, or by all of them where its distance is found by strips that fill more than one; many
/// sequences are shared by all of them.
class Devices {
 public:
  explicit Devices(DevicesOptions options = {});
  ~Devices();
  Devices(Devices&&) noexcept;
  Devices& operator=(Devices&&) noexcept;

  /// All devices of this machine.
  static std::vector<ocl::DeviceInfo> list();
  /// Those that were chosen. Throws an Error of Kind::kDevice if there is none.
  std::vector<ocl::DeviceInfo> chosen();

  /// The unit-cost edit distance of `a` and `b`, exact. Throws UsageError for an unknown engine or
  /// variant and for texts of more than 2^31 - 1 symbols, tune::Unfit for a configuration that the
  /// device or the problem does not allow, and errors of devices, memory and checks.
  DistanceAnswer distance(std::string_view a, std::string_view b,
                          const DistanceOptions& options = {});
  /// What distance() would do and why, without running anything.
  Facts explain_distance(std::string_view a, std::string_view b,
                         const DistanceOptions& options = {});
  /// Of records, by order or each with each (DistanceOptions::all_pairs); `take` is called for each
  /// pair, in that order, by the thread that called. By order there may be any number of them: they
  /// are read in blocks of some 64 MB while those before are compared, and what comes slowly is
  /// answered as it comes. Pairs that are computed together are shared by all devices. Throws
  /// InputError where by order one side has more than the other, with both counts, and what is
  /// wrong with a record, each after the pairs before.
  Totals distances(const Records& queries, const Records& targets, const DistanceOptions& options,
                   const std::function<void(const PairDistance&)>& take);

  /// An alignment of all of `query` with all of `target` of least unit cost, which is distance().
  /// Of all such alignments the canonical one, whose gaps lie leftmost (or rightmost): the same
  /// from every engine and device. It has been gone through symbol by symbol; CheckError if it is
  /// not what it should be. Two devices that are alike have a half each of what strips compute,
  /// where that gains. Throws as distance() does, and MemoryError above AlignOptions::memory.
  AlignAnswer align(std::string_view query, std::string_view target,
                    const AlignOptions& options = {});
  /// Of records, by order or each with each, as distances() does. Threads of the host align short
  /// pairs, the device long ones; AlignAnswer::engine says which. Several devices have pairs at the
  /// same time. The alignments are align()'s.
  Totals alignments(const Records& queries, const Records& targets, const AlignOptions& options,
                    const std::function<void(const PairAlignment&)>& take);

  /// Of an alignment, whose strand `query` has: the parts of at least 1,000 symbols of both without
  /// 24 matches in a row that are nearer to each other, by a quarter at least, if the query's is
  /// replaced by its reverse complement. In the order of the alignment. Throws as distance() does.
  std::vector<Inversion> inversions(std::string_view query, std::string_view target,
                                    const Cigar& cigar, const DistanceOptions& options = {});

  /// Where queries occur in targets, with differences (the whole query, any part of the target).
  /// `take` is called for each occurrence, in the order of the queries, for each in the order of
  /// targets and ends. Queries are read in blocks, targets (without `pairs`) kept in memory.
  Totals search(const Records& queries, const Records& targets, const SearchOptions& options,
                const std::function<void(const Occurrence&)>& take);

  /// Longest common subsequences of each query with each target. `take` is called for each, in the
  /// order of the targets, for each in that of the queries; with `top` in the order of the queries,
  /// the longest first. Targets are read in blocks, queries kept in memory.
  Totals lcs(const Records& queries, const Records& targets, const LcsOptions& options,
             const std::function<void(const CommonSubsequence&)>& take);

  /// The best alignments with a bounded number of gaps, affine, by scores of pairs (Carroll et
  /// al.). `take` is called for each query with each target, in the order of the queries, for each
  /// in the order of targets, with `top` by score. Targets (without `pairs`) are kept in memory.
  Totals gaps(const Records& queries, const Records& targets, const GapsOptions& options,
              const std::function<void(const GapsFound&)>& take);

  /// For each start in each query the shortest substring whose distance to every substring of every
  /// target is at least k (Feuser and Moreano 2018). `take` is called for each start that has one,
  /// in order. Queries are kept in memory, targets read in blocks, with `nearest` twice.
  Totals primers(const Records& queries, const Records& targets, const PrimerOptions& options,
                 const std::function<void(const PrimerFound&)>& take);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhomb
