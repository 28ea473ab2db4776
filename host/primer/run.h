// SPDX-License-Identifier: Apache-2.0
// Run: the primers of many sequences against any number of texts, on one or more devices.
//
// The sequences (ALPHA) are in memory, the texts (BETA) are read in blocks of whole records, each
// of which is gone through once: the end for a start is the largest of those that the blocks ask
// for. For the nearest sites the texts are read a second time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/batch/reader.h"
#include "host/batch/run.h"
#include "host/batch/workers.h"
#include "host/dist/shard.h"
#include "host/engine/facts.h"
#include "host/primer/primer.h"
#include "host/seq/sequence.h"
#include "host/tune/store.h"

namespace rhomb::primer {

using Source = batch::Source<seq::Sequence>;

struct Options : batch::Options<Variant> {
  std::optional<std::uint32_t> k;  ///< nothing: 1
  /// Instead of primers the least distance of each window of so many symbols.
  std::optional<std::uint32_t> window;
  std::uint32_t shortest = 0;     ///< substrings have at least so many symbols,
  std::uint32_t longest = kNone;  ///< and at most so many
  bool both_strands = false;      ///< the texts' reverse complements too
  /// Each sequence is a part of a text, and its own place there does not count: Self. The first
  /// text that has it, with both strands in either direction. Otherwise an InputError.
  bool exclude_self = false;
  Shard shard;  ///< only the starts of this part of all
  seq::Ambiguous ambiguous = seq::Ambiguous::kSymbol;
  const tune::Store* store = nullptr;  ///< of settings; null: none is used
};

/// Throws UsageError, in the words of the command line, for what there cannot be at the same time.
/// `nearest`: Run::nearest() will be asked.
void check_options(const Options& options, bool nearest);

struct Totals : batch::Totals {
  std::uint64_t starts = 0;  ///< of this part
  std::uint64_t targets = 0;
  Counted counted;
};

/// The place in the texts that a substring is most like.
struct Nearest {
  std::string target;  ///< name of the record
  std::uint32_t distance = kNone;
  std::uint32_t begin = 0, end = 0;  ///< on the strand +, 0-based, the end not included
  bool reversed = false;             ///< the reverse complement of the substring is there
  Cigar cigar;                       ///< along the strand +
};

/// A substring of a sequence.
struct Chosen {
  std::size_t record = 0;
  Window window;
};

class Run {
 public:
  /// What `options` and `alpha` point to stays as it is while the run lives. `open` gives the texts
  /// from the start; it is called once, and for nearest() again.
  Run(std::span<const seq::Sequence> alpha, std::function<Source()> open, Options options);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Computes all ends. `done` is called for each sequence when its own are known, in their order,
  /// by one thread at a time. Throws what solve() throws, what a text's reader throws, and
  /// InputError for a sequence that is in no text although Options::exclude_self.
  /// With Options::check a sample of the starts is computed again at the end, by bit vectors on the
  /// host: that each substring is far enough, and one symbol less is not. Reads the texts again.
  void compute(const std::function<void(std::size_t record)>& done = {});

  /// The starts of a sequence that are in this part: first() <= j < first() + ends().size(). With
  /// Options::window those of whole windows only, and distances instead of ends.
  std::uint32_t first(std::size_t record) const { return results_[record].first; }
  std::span<const std::uint32_t> ends(std::size_t record) const { return results_[record].ends; }

  /// The nearest sites of substrings, those of one sequence side by side; of several that are as
  /// near the first on strand + in the first text, then on strand -. Reads the texts again.
  std::vector<Nearest> nearest(std::span<const Chosen> chosen) { return sites(chosen, false); }

  /// What compute() would do for the first block of texts, without running anything.
  Facts explain();

  const Totals& totals() const { return totals_; }

 private:
  struct Block;
  struct Unit;
  struct Result {
    std::uint32_t first = 0;
    std::vector<std::uint32_t> ends;
    bool placed = false;  ///< its own place was found
  };

  void read(const std::function<void(Block&)>& take);
  void find_places(Block& block);
  void compute_block(Block& block, const std::function<void(std::size_t)>& done);
  void compute_unit(Unit& unit, const Block& block, ocl::Device* device,
                    const search::ResidentTexts* resident,
                    const std::function<void(const rhomb::Progress&)>& progress);
  std::vector<Nearest> sites(std::span<const Chosen> chosen, bool on_the_host);
  std::size_t joined_end(std::size_t record) const;
  Problem problem_for(const Block& block, std::size_t record, std::size_t end,
                      std::string& joined) const;
  template <class Each>
  void each_start(const Unit& unit, const Each& each);
  bool on_host(const Block& block) const;
  batch::Memory memory_of(const Block& block, bool on_device) const;
  /// What is forced; else what rhomb tune found for about this k, if that fits; and what --explain
  /// says of it.
  std::pair<tune::Config, std::string> setting(const Variant& variant, const Problem& problem,
                                               const ocl::DeviceInfo* device) const;
  const Variant& variant(bool host) const;
  void check();
  void tell(const Block& block, double part, double cells);

  std::span<const seq::Sequence> alpha_;
  std::function<Source()> open_;
  Options options_;
  std::string alphabet_;  // of the sequences
  std::vector<Result> results_;
  Totals totals_;
  std::mutex mutex_;
  double told_ = 0;
};

}  // namespace rhomb::primer
