// SPDX-License-Identifier: Apache-2.0
#include "tools/search/options.h"

#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr std::int64_t kMemory = 1'000'000'000;
const std::vector<std::string> kFormats = {"tsv", "json", "paf"};

}  // namespace

Help search_help() {
  return {
      "rhomb search [options] QUERIES TARGET\n       rhomb search [options] --pairs FILE",
      R"(Looks for the sequences of the file QUERIES in those of the file TARGET, with differences: the
whole query, any part of the text; substitutions, insertions and deletions cost 1. Every query is
compared with every symbol of every text, nothing is filtered, so nothing is missed. FASTA, FASTQ, one
sequence a line or raw text; plain, gzip or bgzip; - is standard input.

With -k K all occurrences with at most K differences are printed. Where ends of occurrences follow
each other in the text without a gap, as they do about each real one, the one with the fewest
differences stands for all of them, the first of these; --all-ends prints each. Without -k, or with
--best, the best occurrence of each query: the fewest differences; of several on the strand +, in
the first text, with the first end. Of all parts that end there with so few differences the longest
is meant.

With --pairs FILE each line has a query and the candidate that it is compared with, separated by a
tab, or their names too: name, query, name, candidate. Names are otherwise the number of the line, and
lines that begin with # are passed over.

A header and one row an occurrence; JSON objects have the same keys:
  query, query_length, target, target_length
  start, end  where in the target, 0-based, the end not included
  strand      + or -; on - it is the query's reverse complement that occurs
  distance    differences
  cigar       with --cigar: = and X for symbols that match or not, I for those that only the query
              has, D for those that only the target has, along the target
Rows are in the order of the queries, for each in the order of the texts and ends. PAF has the usual
columns, NM:i: and cg:Z: (mapping quality 255: not known).

Texts are kept in memory; queries or pairs are read, computed and printed in blocks, so there may be
any number of them. When one is wrong, the rows of those before it are printed (not with -o FILE), then
the error.
)",
      R"(  rhomb search reads.fa genome.fa.gz --best --both-strands
  rhomb search reads.fq.gz genome.fa -k 5 --both-strands --format paf -o hits.paf
  rhomb search guides.txt genome.fa -k 3 --cigar --input-format lines
  rhomb search --pairs candidates.tsv -k 5             what a mapper's filter hands over
  zcat pairs.tsv.gz | rhomb search --pairs - --format json
  rhomb search reads.fa genome.fa --explain            what would be run
  rhomb search few.fa text.fa --variant reference      plain algorithm, needs no OpenCL
)"};
}

std::vector<Group> search_groups() {
  Group output = without(output_group(false), {"format"});
  output.flags.insert(output.flags.begin(), {"format", "WHAT", "tsv, json or paf (default: tsv)"});
  return {{"What",
           {{"k", "K", "all occurrences with at most K differences"},
            {"best", "", "only the best occurrence of each query"},
            {"all-ends", "", "with -k: every end, not only the best of a run"},
            {"both-strands", "", "look for the reverse complements too"},
            {"cigar", "", "print an alignment of each occurrence"},
            {"pairs", "FILE", "compare a query and a candidate a line; - is standard input",
             FileUse::kRead}}},
          without(input_group(), {"all-pairs", "concat", "record"}),
          {"Method",
           {{"variant", "NAME", "force a variant; rhomb variants search lists them"},
            {"config", "K=V,...",
             "force tunables of the variant, as in WG=128 (default: what rhomb tune found, else "
             "the plan's own)"},
            {"memory", "BYTES",
             "of the host for queries or pairs, whatever their number; 200M, 2G (default: 1G)"}}},
          {"Run",
           {{"explain", "", "print the plan for the first queries, run nothing"},
            {"check", "",
             "compute a sample again in an independent way and compare; exit code 6 if wrong"},
            trace_flag()}},
          device_group(),
          output};
}

SearchOptions parse_search(const CommandLine& line) {
  SearchOptions asked;
  asked.pairs = line.text("pairs");
  if (line.has("k")) asked.most = static_cast<std::uint32_t>(line.count("k", 0, 0));
  if (line.has("best") && line.has("all-ends"))
    throw UsageError("--best and --all-ends exclude each other" + line.pointer());
  if (line.has("all-ends") && !asked.most)
    throw UsageError("--all-ends needs -k: it prints the ends with at most K differences" +
                     line.pointer());
  asked.wanted = line.has("all-ends")              ? Wanted::kEnds
                 : asked.most && !line.has("best") ? Wanted::kRuns
                                                   : Wanted::kBest;
  asked.both_strands = line.has("both-strands");
  asked.cigar = line.has("cigar");
  asked.check = line.has("check");
  asked.explain = line.has("explain");
  asked.format = static_cast<SearchFormat>(line.choice("format", kFormats));
  asked.ambiguous = parse_ambiguous(line);
  asked.memory = static_cast<std::size_t>(line.size("memory").value_or(kMemory));
  asked.config = tune::Config::parse(line.text("config"));
  const auto rows = search::variants();
  try {
    asked.row = line.has("variant") ? &find_variant(rows, line.text("variant")) : &rows.front();
    asked.config.check_names(asked.row->space);
  } catch (const UsageError& error) {
    throw UsageError(error.what() + line.pointer());
  }
  return asked;
}

}  // namespace rhomb::cli
