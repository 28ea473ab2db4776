// SPDX-License-Identifier: Apache-2.0
#include "tools/search/options.h"

#include "tools/cli/entries.h"
#include "tools/merge/in_parts.h"

namespace rhomb::cli {

Help search_help() {
  return {
      "rhomb search [options] QUERIES TARGETS\n       rhomb search [options] --pairs FILE",
      R"(Looks for the sequences of the file QUERIES in those of the file TARGETS, with differences: the
whole query, in any part of a target; substitutions, insertions and deletions cost 1. Every query is
compared with every symbol of every target, so nothing is missed. FASTA, FASTQ, one sequence per line
or raw text; plain, gzip or bgzip; - is standard input.

With -k K all occurrences with at most K differences are printed. An occurrence has neighbours that
end a symbol earlier or later with a few differences more; of ends next to each other only the one with
the fewest differences is printed, the first of several. --all-ends prints each end. Without -k, or
with --best, it is the best occurrence of each query: the one with the fewest differences; of several,
one on the strand +, in the first target, with the first end. If several parts of a target end at the
same place with the same distance, the longest is printed. Where K is the length of the query or more,
the query would occur everywhere, as a part of no symbols; such occurrences are left out.

With --pairs FILE each line has a query and the candidate that it is compared with, separated by a
tab; or four fields: name, query, name, candidate. Without names, the number of the line is the name.
Lines that begin with # are skipped.

The output has a header and one row per occurrence; JSON has the same keys:
  query, query_length, target, target_length
  start, end  where in the target, 0-based, the end not included
  strand      + or -; on - it is the query's reverse complement that occurs
  distance    differences
  cigar       with --cigar: = and X for symbols that match or not, I for symbols that only the query
              has, D for symbols that only the target has, in the direction of the target
Rows are in the order of the queries, for each in the order of the targets and ends. PAF has the usual
columns, NM:i: and cg:Z: (mapping quality 255: not known).

Targets are kept in memory; queries or pairs are read, computed and printed in blocks, so there may be
any number of them. Small inputs (a million cells in all) are computed on the host, which takes less
time than to open a device, unless --variant says otherwise. Where a query is damaged, the rows of the
queries before it are printed (not with -o FILE), then the error.
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
  return {
      {"What",
       {{"k", "K", "all occurrences with at most K differences"},
        {"best", "", "only the best occurrence of each query"},
        {"all-ends", "", "with -k: print every end, not only the best of ends next to each other"},
        {"both-strands", "", "look for the reverse complements too"},
        {"cigar", "", "print an alignment of each occurrence"},
        pairs_flag("read a query and a candidate from each line")}},
      without(input_group(), {"all-pairs", "concat", "record"}),
      many_method_group("search", "strips-batch", "queries or pairs", names_of(search::variants())),
      in_parts(sharded(run_group("queries"), "queries or pairs")),
      many_device_group("queries"),
      output_group(kOccurrenceFormats)};
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
  asked.format = parse_output(line, kOccurrenceFormats).format;
  asked.run.cigar = asked.cigar || asked.format == Format::kPaf;
  parse_many(line, search::variants(), search::variants().front().space, asked);
  return asked;
}

}  // namespace rhomb::cli
