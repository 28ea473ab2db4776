// SPDX-License-Identifier: Apache-2.0
#include "tools/gaps/options.h"

#include "tools/cli/entries.h"
#include "tools/cli/text.h"
#include "tools/merge/in_parts.h"

namespace rhomb::cli {
namespace {

const std::vector<std::string> kEnds = {"prefix", "global", "infix"};  ///< as gaps::Ends has them

gaps::Scoring parse_scoring(const CommandLine& line) {
  const auto word = [&](const char* option) {
    return line.has(option) ? std::optional(line.text(option)) : std::nullopt;
  };
  try {
    return gaps::scoring_of(
        {word("matrix"), word("match"), word("mismatch"), word("open"), word("extend")});
  } catch (const UsageError& error) {
    throw UsageError(error.what() + line.pointer());
  }
}

gaps::Rules parse_rules(const CommandLine& line) {
  gaps::Rules rules;
  if (!line.has("max-gaps"))
    throw UsageError("--max-gaps says how many gaps an alignment may have" + line.pointer());
  rules.gaps = line.count("max-gaps", 0, 0);
  if (rules.gaps > gaps::kMostGaps)
    throw UsageError(
        text_of("--max-gaps: at most ", std::to_string(gaps::kMostGaps), line.pointer()));
  rules.ends = static_cast<gaps::Ends>(line.choice("ends"));
  rules.strict = line.has("strict");
  if (line.has("band")) rules.band = static_cast<std::uint32_t>(line.count("band", 0, 0));
  if (rules.band && rules.ends == gaps::Ends::kInfix)
    throw UsageError(
        "--band is about the diagonal from the start of both texts, which --ends infix "
        "leaves free" +
        line.pointer());
  return rules;
}

}  // namespace

Help gaps_help() {
  return {
      "rhomb gaps --max-gaps K [options] QUERIES TARGETS\n"
      "       rhomb gaps --max-gaps K [options] --pairs FILE",
      R"(Aligns sequences of the file QUERIES with those of the file TARGETS and prints the best score of
alignments with at most K gaps. A gap is any number of symbols that only one of the two has. The whole
query is aligned with a prefix of the target: both begin together, the end in the target is free.
FASTA, FASTQ, one sequence a line or raw text; plain, gzip or bgzip; - is standard input.

A pair of symbols scores what the matrix says: EDNAFULL (A, C, G, T 5 if equal, else -4, and the codes
for several bases), EBLOSUM62 for proteins, or a file in NCBI's format: a line with the symbols of the
columns, then a line for each row, its symbol first; rows are symbols of the query, # begins comments.
A gap of r symbols costs open + (r - 1) extend. Scores may have a fraction; nothing is rounded.

Without other options the first query is aligned with the first target, the second with the second,
and so on. --all-pairs aligns each query with each target. With --pairs FILE each line has a query and
its target, separated by a tab, or their names too: name, query, name, target.

Two gaps may stand next to each other, and a gap at the end; --strict takes an alignment only if a pair
of symbols stands between any two gaps and behind the last. Of several alignments with the best score
the one with the fewest gaps is printed, of these the one that ends first in the target.

A header and one row a pair; JSON objects have the same keys:
  query, query_length, target, target_length
  start, end   of the aligned part of the target, 0-based, the end not included
  score        NA (JSON: null), as all that follows, where no alignment has so few gaps
  gaps         of the alignment
  gap_symbols  in all gaps together
  mismatches   pairs of symbols that differ
  cigar        with --cigar: = and X for symbols that are equal or not, I for those that only the query
               has, D for those that only the target has
Every alignment is gone through again, symbol by symbol: its score and gaps are those that are printed.
--score-only leaves out start, gap_symbols and mismatches, and is faster. PAF and SAM leave out pairs
that have no alignment; AS:i is the score, AS:f where it has a fraction (mapping quality 255: not
known).

Queries or pairs are read, computed and printed in blocks, so there may be any number of them. Where all
matrices and layers together have at most a million cells and no variant is asked for, the host
computes them. When a query is wrong, the rows of those before it are printed (not with -o FILE), then
the error.
)",
      R"(  rhomb gaps --max-gaps 2 reads.fa candidates.fa
  rhomb gaps --max-gaps 2 reads.fq.gz genes.fa --all-pairs --top 1 --cigar
  rhomb gaps --max-gaps 3 --matrix EBLOSUM62 --open 11 --extend 1 a.fa b.fa --ends global
  rhomb gaps --max-gaps 1 --match 1 --mismatch -1 --open 2 --extend 1 --pairs pairs.tsv --format sam
  rhomb gaps --max-gaps 2 reads.fa candidates.fa --band 30      at most 30 off the diagonal
  rhomb gaps --max-gaps 2 reads.fa candidates.fa --explain      what would be run
  rhomb gaps --max-gaps 2 reads.fa genes.fa --all-pairs -d 0,1  two devices share the queries
  rhomb gaps --max-gaps 2 a.fa b.fa --variant multi-b           as the paper computes it
)"};
}

std::vector<Group> gaps_groups() {
  return {
      {"What",
       {{"max-gaps", "K", "gaps of an alignment, at most; 0 to 32"},
        one_of(
            "ends", "WHAT",
            "prefix: the end in the target is free; global: all of the target is aligned; infix: "
            "start "
            "and end are free (default: prefix)",
            kEnds),
        {"strict", "", "no gaps next to each other, none at the end"},
        {"band", "W",
         "symbols of query and target before any place of an alignment differ by at "
         "most W"},
        {"all-pairs", "", "align each query with each target"},
        pairs_flag("read a query and a target from each line"),
        {"top", "N", "only the N best targets of each query, by score"},
        {"min-score", "S", "only alignments that score at least S"},
        {"cigar", "", "print each alignment"},
        {"score-only", "", "scores, ends and numbers of gaps alone"}}},
      {"Scores",
       {{"matrix", "WHAT", "EDNAFULL, EBLOSUM62 or a file in NCBI's format (default: EDNAFULL)"},
        {"match", "M", "instead of a matrix: the score of equal symbols (default: 5)"},
        {"mismatch", "X", "likewise of different ones, as in --mismatch -4 (default: -4)"},
        {"open", "P", "what the first symbol of a gap costs (default: 10)"},
        {"extend", "E", "what each further one costs (default: 0.5)"}}},
      without(input_group(), {"all-pairs", "concat", "record", "ambiguous"}),
      many_method_group("gaps", "gaps-lanes", "queries or pairs", names_of(gaps::variants())),
      in_parts(sharded(run_group("queries"), "queries or pairs")),
      many_device_group("queries"),
      output_group(kAlignmentFormats)};
}

GapsOptions parse_gaps(const CommandLine& line) {
  GapsOptions asked;
  asked.scoring = parse_scoring(line);
  asked.run.rules = parse_rules(line);
  asked.pairs = line.text("pairs");
  asked.all_pairs = line.has("all-pairs");
  asked.cigar = line.has("cigar");
  asked.format = parse_output(line, kAlignmentFormats).format;
  const bool needs = asked.cigar || asked.format == Format::kPaf || asked.format == Format::kSam;
  if (line.has("score-only") && needs)
    throw UsageError("--score-only has no alignments that --cigar, PAF or SAM could print" +
                     line.pointer());
  asked.run.align = !line.has("score-only");
  if (asked.all_pairs && !asked.pairs.empty())
    throw UsageError("--pairs says which are aligned, so --all-pairs cannot" + line.pointer());
  if (line.has("top")) {
    if (!asked.all_pairs)
      throw UsageError(
          "--top ranks the targets of each query, which only --all-pairs has several "
          "of" +
          line.pointer());
    asked.run.top = static_cast<std::size_t>(line.count("top", 1, 1));
  }
  if (line.has("min-score")) {
    const auto least = gaps::Decimal::parse(line.text("min-score"), "--min-score").millionths;
    const std::int64_t unit = gaps::Decimal::kOne / asked.scoring.scale;
    asked.run.least = least / unit + (least % unit > 0 ? 1 : 0);  // rounded up
  }
  parse_many(line, gaps::variants(), gaps::variants().front().space, asked);
  return asked;
}

}  // namespace rhomb::cli
