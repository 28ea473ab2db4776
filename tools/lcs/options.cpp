// SPDX-License-Identifier: Apache-2.0
#include "tools/lcs/options.h"

#include <string>

namespace rhomb::cli {

Help lcs_help() {
  return {
      "rhomb lcs [options] QUERY TARGETS",
      R"(Prints the length of the longest common subsequence of each sequence in the file QUERY with
each in the file TARGETS: the most symbols that can be left of both, when others are taken out of
them, so that the rest is the same. FASTA, FASTQ, one sequence a line or raw text; plain, gzip or
bgzip; - is standard input.

Queries are kept in memory; targets are read, computed and printed in blocks, so there may be any
number of them. Where all matrices together have at most a million cells and no variant is asked for,
the host computes them: a device would not have begun. Rows are in the order of TARGETS, for each target in the order of QUERY. With --top
they are in the order of QUERY, the longest first, and of equally long ones the target that the
file has first.

A header and one row a pair; JSON objects have the same keys:
  query, query_length, target, target_length
  length       of the longest common subsequence
  rank         with --top: 1 for the longest of the query
  subsequence  with --subsequence: the symbols, as the query has them. Of several equally long
               subsequences the one whose last symbol stands first in the query, and there first in
               the target; the symbols before it are chosen likewise

When a record is wrong, the rows of those before it are printed (not with --top or -o FILE), then the
error. At the end --progress says how many cells a second were computed, and where time was spent:
auto and plain in a line, json as an object with "event":"summary".
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
  Group device = device_group();
  for (Flag& flag : device.flags)
    if (flag.name == "d,device") flag.help += "; several share the targets, as in 0,1";
  return {
      {"What",
       {{"top", "N", "only the N targets with the longest subsequences of each query"},
        {"min-length", "L", "only subsequences of L symbols or more"},
        {"subsequence", "", "the subsequences themselves, not only their lengths"}}},
      input,
      {"Method",
       {{"variant", "NAME",
         "force a variant; rhomb variants lcs lists them (default: the one that takes the fewest "
         "operations on the device)"},
        {"config", "K=V,...", "force tunables of the variant, as in WG=128,K=4"},
        {"memory", "BYTES",
         "of the host for targets on their way, whatever their number: 200M, 2G (default: 1G; one "
         "target at least)"}}},
      {"Run",
       {{"t,threads", "N", "of the host that compute, at most (default: as many as it has cores)"},
        {"explain", "", "print the plan for the first targets, run nothing"},
        {"check", "",
         "compute a sample again in an independent way and compare; exit code 6 if wrong"},
        trace_flag()}},
      device,
      output_group(false)};
}

LcsOptions parse_lcs(const CommandLine& line) {
  LcsOptions asked;
  if (line.has("top")) asked.run.top = static_cast<std::size_t>(line.count("top", 1, 1));
  asked.run.least = static_cast<std::uint32_t>(line.count("min-length", 0, 0));
  asked.run.subsequence = line.has("subsequence");
  asked.check = line.has("check");
  asked.explain = line.has("explain");
  asked.run.ambiguous = parse_ambiguous(line);
  if (const auto memory = line.size("memory")) asked.run.memory = static_cast<std::size_t>(*memory);
  if (line.has("threads"))
    asked.run.threads = static_cast<std::size_t>(line.count("threads", 0, 1));
  asked.run.config = tune::Config::parse(line.text("config"));
  const auto variants = lcs::variants();
  try {
    if (line.has("variant")) asked.run.variant = &find_variant(variants, line.text("variant"));
    // What no variant has is wrong whichever is chosen.
    tune::Space all;
    for (const lcs::Variant& variant : variants)
      for (const tune::Param& param : variant.space) all.push_back(param);
    asked.run.config.check_names(asked.run.variant != nullptr ? asked.run.variant->space : all);
  } catch (const UsageError& error) {
    throw UsageError(error.what() + line.pointer());
  }
  return asked;
}

}  // namespace rhomb::cli
