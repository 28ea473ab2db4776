// SPDX-License-Identifier: Apache-2.0
#include "tools/search/options.h"

#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

const std::vector<std::string> kFormats = {"tsv", "json", "paf"};

}  // namespace

Help search_help() {
  return {
      "rhomb search [options] QUERIES TARGETS\n       rhomb search [options] --pairs FILE",
      R"(Looks for the sequences of the file QUERIES in those of the file TARGETS, with differences: the
whole query, any part of the target; substitutions, insertions and deletions cost 1. Every query is
compared with every symbol of every target, nothing is filtered, so nothing is missed. FASTA, FASTQ,
one sequence a line or raw text; plain, gzip or bgzip; - is standard input.

With -k K all occurrences with at most K differences are printed. Where ends of occurrences follow
each other in the target without a gap, as they do about each real one, the one with the fewest
differences stands for all of them, the first of these; --all-ends prints each. Without -k, or with
--best, the best occurrence of each query: the fewest differences; of several on the strand +, in
the first target, with the first end. Where several parts of the target end at the same place with so
few differences, the longest of them is printed. With K differences a query of K symbols or fewer is
anywhere, in a part of no symbols; such occurrences are left out.

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
Rows are in the order of the queries, for each in the order of the targets and ends. PAF has the usual
columns, NM:i: and cg:Z: (mapping quality 255: not known).

Targets are kept in memory; queries or pairs are read, computed and printed in blocks, so there may be
any number of them. Where all matrices together have at most a million cells and no variant is asked
for, the host computes them: a device would not have begun. When one is wrong, the rows of those before it are printed (not with -o FILE), then
the error.
)",
      R"(  rhomb search reads.fa genome.fa.gz --best --both-strands
  rhomb search reads.fq.gz genome.fa -k 5 --both-strands --format paf -o hits.paf
  rhomb search guides.txt genome.fa -k 3 --cigar --input-format lines
  rhomb search --pairs candidates.tsv -k 5             what a mapper's filter hands over
  zcat pairs.tsv.gz | rhomb search --pairs - --format json
  rhomb search reads.fa genome.fa --explain            what would be run
  rhomb search reads.fa genome.fa -d 0,1               two devices share the queries
  rhomb search few.fa targets.fa --variant reference   plain algorithm, needs no OpenCL
)"};
}

std::vector<Group> search_groups() {
  Group device = device_group();
  for (Flag& flag : device.flags)
    if (flag.name == "d,device") flag.help += "; several share the queries, as in 0,1";
  Group output = without(output_group(false), {"format"});
  output.flags.insert(output.flags.begin(), {"format", "WHAT", "tsv, json or paf (default: tsv)"});
  return {
      {"What",
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
       {{"t,threads", "N", "of the host that compute, at most (default: as many as it has cores)"},
        {"explain", "", "print the plan for the first queries, run nothing"},
        {"check", "",
         "compute a sample again in an independent way and compare; exit code 6 if wrong"},
        trace_flag()}},
      device,
      output};
}

SearchOptions parse_search(const CommandLine& line) {
  SearchOptions asked;
  asked.pairs = line.text("pairs");
  if (line.has("k")) asked.run.most = static_cast<std::uint32_t>(line.count("k", 0, 0));
  if (line.has("best") && line.has("all-ends"))
    throw UsageError("--best and --all-ends exclude each other" + line.pointer());
  if (line.has("all-ends") && !asked.run.most)
    throw UsageError("--all-ends needs -k: it prints the ends with at most K differences" +
                     line.pointer());
  asked.run.wanted = line.has("all-ends")                  ? search::Wanted::kEnds
                     : asked.run.most && !line.has("best") ? search::Wanted::kRuns
                                                           : search::Wanted::kBest;
  asked.run.both_strands = line.has("both-strands");
  asked.cigar = line.has("cigar");
  asked.check = line.has("check");
  asked.explain = line.has("explain");
  asked.format = static_cast<SearchFormat>(line.choice("format", kFormats));
  asked.run.cigar = asked.cigar || asked.format == SearchFormat::kPaf;
  asked.run.ambiguous = parse_ambiguous(line);
  if (const auto memory = line.size("memory")) asked.run.memory = static_cast<std::size_t>(*memory);
  if (line.has("threads"))
    asked.run.threads = static_cast<std::size_t>(line.count("threads", 0, 1));
  asked.run.config = tune::Config::parse(line.text("config"));
  const auto variants = search::variants();
  try {
    if (line.has("variant")) asked.run.variant = &find_variant(variants, line.text("variant"));
    const auto& usual = asked.run.variant != nullptr ? *asked.run.variant : variants.front();
    asked.run.config.check_names(usual.space);
  } catch (const UsageError& error) {
    throw UsageError(error.what() + line.pointer());
  }
  return asked;
}

}  // namespace rhomb::cli
