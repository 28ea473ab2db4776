// SPDX-License-Identifier: Apache-2.0
// The verbs of the program. Each gets its own arguments, argv[0] being the verb, and returns the
// exit code; failures are exceptions, see main.cpp.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace rhomb::cli {

int run_distance(int argc, const char* const* argv);
int run_align(int argc, const char* const* argv);
int run_search(int argc, const char* const* argv);
int run_lcs(int argc, const char* const* argv);
int run_gaps(int argc, const char* const* argv);
int run_primer(int argc, const char* const* argv);
int run_merge(int argc, const char* const* argv);
int run_variants(int argc, const char* const* argv);
int run_devices(int argc, const char* const* argv);
int run_bench(int argc, const char* const* argv);
int run_tune(int argc, const char* const* argv);
int run_help(int argc, const char* const* argv);

struct Verb {
  std::string_view name;
  std::string_view files;  ///< what follows it
  std::string_view idea;
  int (*run)(int argc, const char* const* argv);
  std::span<const Verb> (*parts)() = nullptr;  ///< what its first argument may name
};

/// A line for each: its call and its idea, indented by two spaces.
std::string table_of(std::span<const Verb> verbs);

/// What rhomb bench measures.
std::span<const Verb> benchmarks();

inline constexpr std::array kVerbs = {
    Verb{"distance", "A B", "exact edit distance of two sequences (genomes)", run_distance},
    Verb{"align", "A B", "the alignment as well: PAF, SAM, VCF, a summary", run_align},
    Verb{"search", "QUERIES TARGET", "where short queries occur in long targets, with differences",
         run_search},
    Verb{"lcs", "QUERY TARGETS", "longest common subsequence of a query with many targets",
         run_lcs},
    Verb{"gaps", "QUERIES TARGETS", "alignments with at most k gaps, by scores and affine gaps",
         run_gaps},
    Verb{"primer", "ALPHA BETA", "shortest substrings that differ by K from all of other sequences",
         run_primer},
    Verb{"merge", "PART...", "one output of those of all parts of a run (--shard)", run_merge},
    Verb{"variants", "[NAME]", "the variants of each engine, and what may be tuned", run_variants},
    Verb{"devices", "", "OpenCL devices, what each can do, which one is used by default",
         run_devices},
    Verb{"tune", "", "find the fastest settings on a device, and use them from then on", run_tune},
    Verb{"bench", "WHAT", "measure engines, variants and peers side by side", run_bench,
         benchmarks},
    Verb{"help", "[VERB]", "this help, manual pages, completions for bash, zsh and fish", run_help},
};

}  // namespace rhomb::cli
