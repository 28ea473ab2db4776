// SPDX-License-Identifier: Apache-2.0
#include "tools/lcs/options.h"

#include "tools/merge/in_parts.h"

namespace rhomb::cli {

Help lcs_help() {
  return {
      "rhomb lcs [options] QUERY TARGETS",
      R"(Prints the length of the longest common subsequence of each sequence in the file QUERY with each
one in the file TARGETS: how many symbols, at most, both have in the same order, next to each other
or not. FASTA, FASTQ, one sequence per line or raw text; plain, gzip or bgzip; - is standard input.

Queries are kept in memory; targets are read, computed and printed in blocks, so there may be any
number of them. Small inputs (a million cells in all) are computed on the host, which takes less time
than to open a device, unless --variant says otherwise. Rows are in the order of TARGETS, for each
target in the order of QUERY. With --top they are in the order of QUERY, for each query by length, and
of equally long ones the target that the file has first.

The output has a header and one row per pair; JSON has the same keys:
  query, query_length, target, target_length
  length       of the longest common subsequence
  rank         with --top: 1 for the longest subsequence of the query
  subsequence  with --subsequence: its symbols, as the query has them. Where several are equally long,
               the one whose last symbol comes first in the query, and then first in the target; the
               symbols before it are chosen in the same way

Where a target is damaged, the rows of the targets before it are printed (not with --top or -o FILE),
then the error. At the end standard error says how many cells per second were computed and what took
how long: in a line, or with --progress json as an object with "event":"summary".
)",
      R"(  rhomb lcs query.fa proteins.fa.gz --top 10
  rhomb lcs queries.fa proteins.fa.gz --top 3 --subsequence --format json
  rhomb lcs queries.fa proteins.fa.gz --min-length 200 -o close.tsv
  zcat reads.fq.gz | rhomb lcs primer.fa - --memory 200M
  rhomb lcs query.fa proteins.fa.gz -d 0,1             two devices share the targets
  rhomb lcs query.fa proteins.fa.gz --explain          what would be run
  rhomb lcs query.fa few.fa --variant reference        plain algorithm, needs no OpenCL
)"};
}

std::vector<Group> lcs_groups() {
  Group input = without(input_group(), {"all-pairs", "concat", "record"});
  input.flags.push_back({"record", "NAME", "only the query called NAME; repeatable"});
  return {{"What",
           {{"top", "N", "only the N targets with the longest subsequences of each query"},
            {"min-length", "L", "only subsequences of L symbols or more"},
            {"subsequence", "", "print the subsequences themselves, not only their lengths"}}},
          input,
          many_method_group("lcs", "the one that takes the fewest operations on the device",
                            "targets", names_of(lcs::variants())),
          in_parts(sharded(run_group("targets"), "targets, with --top of the queries")),
          many_device_group("targets"),
          output_group(kRecordFormats)};
}

LcsOptions parse_lcs(const CommandLine& line) {
  LcsOptions asked;
  if (line.has("top")) asked.run.top = static_cast<std::size_t>(line.count("top", 1, 1));
  asked.run.least = static_cast<std::uint32_t>(line.count("min-length", 0, 0));
  asked.run.subsequence = line.has("subsequence");
  // What no variant has is wrong whichever is chosen.
  tune::Space all;
  for (const lcs::Variant& variant : lcs::variants())
    all.insert(all.end(), variant.space.begin(), variant.space.end());
  parse_many(line, lcs::variants(), all, asked);
  return asked;
}

}  // namespace rhomb::cli
