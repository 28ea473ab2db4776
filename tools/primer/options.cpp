// SPDX-License-Identifier: Apache-2.0
#include "tools/primer/options.h"

#include "tools/cli/shard.h"
#include "tools/cli/text.h"
#include "tools/merge/in_parts.h"

namespace rhomb::cli {
namespace {

const std::vector<std::string> kFormats = {"tsv", "json", "bed", "fasta", "bedgraph"};

/// "40-60"
std::optional<Interval> parse_interval(const CommandLine& line, const std::string& name) {
  if (!line.has(name)) return std::nullopt;
  const std::string text = line.text(name);
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos)
    throw UsageError(text_of("--", name, ": '", text, "' is not MIN-MAX, as in 40-60"));
  const Interval made{parse_number(text.substr(0, dash), "--" + name),
                      parse_number(text.substr(dash + 1), "--" + name)};
  if (made.least > made.most)
    throw UsageError(text_of("--", name, ": there is nothing between '", text, "'"));
  return made;
}

std::optional<std::uint32_t> parse_length(const CommandLine& line, const std::string& name,
                                          std::int64_t least) {
  const auto size = line.size(name);
  if (!size) return std::nullopt;
  if (*size < least || *size >= static_cast<std::int64_t>(primer::kNone))
    throw UsageError(text_of("--", name, ": '", line.text(name), "' is not a number from ",
                             std::to_string(least), " to 2^31 - 2"));
  return static_cast<std::uint32_t>(*size);
}

}  // namespace

std::string primer_format_name(PrimerFormat format) {
  return kFormats[static_cast<std::size_t>(format)];
}

Help primer_help() {
  return {
      "rhomb primer [options] ALPHA BETA... -k K\n       rhomb primer [options] ALPHA BETA... "
      "--length L",
      R"(For each position of each sequence of the file ALPHA: the shortest substring from there on whose
edit distance to every substring of every sequence of the files BETA is at least K. Substitutions,
insertions and deletions cost 1; nothing is filtered or sampled, so what is printed is exact. Where even the
whole rest of the sequence is nearer than K to BETA, nothing is printed. FASTA, FASTQ, one sequence a
line or raw text; plain, gzip or bgzip; - is standard input.

The sequences of BETA are never joined. With --both-strands their reverse complements count too. With
--exclude-self each sequence of ALPHA must be a part of one of BETA, and its own place does not
count: a symbol does not match itself there, while other places that are like it, in the same repeat for
instance, count as they do everywhere. With --min-length A the shortest substring of at least A symbols
is printed, with --max-length B none that is longer than B.

A header and one row a primer; JSON objects have the same keys:
  query       the sequence of ALPHA
  start, end  where in it, 0-based, the end not included
  length, sequence
  gc          percent of G and C; NA (JSON: null) where there are only other symbols
  tm          melting temperature in degrees Celsius by nearest neighbours (SantaLucia 1998, unified
              parameters, his correction for salt), for 50 mmol/l sodium and 50 nmol/l primer unless
              --sodium and --oligo say otherwise; NA where there are symbols besides A, C, G, T and U.
              It holds for primers, not for substrings of hundreds of bases
and with --witness the place in BETA that the primer is most like, of several that are as near the
first on strand + in the first sequence, then on strand -:
  witness_target, witness_start, witness_end, witness_strand (+ or -: the primer's reverse complement
  is there), witness_distance, witness_cigar (= and X for symbols that match or not, I for those that
  only the primer has, D for those that only BETA has, along BETA)

With --length L and no -k the distance of each window of L symbols to BETA, as bedGraph (each position with
the distance of the window that begins there, equal neighbours in one line); with --format tsv or json
a row a window: query, start, end, distance. Other formats of primers: bed (the score is 0), fasta, and
bedgraph (each position with the length of its primer).

ALPHA is in memory. BETA is read in blocks of whole sequences (--memory), once, and with --witness or --check
a second time. Ctrl-C ends the run with nothing written to -o FILE; with --partial the sequences of ALPHA
that are complete are written, and the exit code is 7.
)",
      R"(  rhomb primer virus.fa host.fa.gz neighbours.fa -k 5 --both-strands --max-length 30
  rhomb primer virus.fa others.fa -k 6 --both-strands --min-length 18 --max-length 30 --gc 40-60 --tm 50-65 --witness
  rhomb primer gene.fa genome.fa.gz -k 20 --exclude-self --format bed -o unique.bed
  rhomb primer virus.fa host.fa.gz --length 20 --both-strands > distance.bedgraph
  rhomb primer genome.fa other.fa -k 5 --shard 2/8 -o part2.tsv    an eighth of the positions; see rhomb merge
  rhomb primer few.fa texts.fa -k 3 --variant reference            plain algorithm, needs no OpenCL
)"};
}

std::vector<Group> primer_groups() {
  Group output = output_group(kRecordFormats);
  output.flags.front().help =
      "tsv, json, bed, fasta, bedgraph (default: tsv, with --length bedgraph); json: one object "
      "per "
      "line";
  output.flags.front().choices = kFormats;
  output.flags.push_back({"partial", "", "if stopped by Ctrl-C, write what is complete"});
  return {{"What",
           {{"k", "K", "the least distance of a primer to BETA"},
            {"length", "L", "instead: the distance of each window of L symbols"},
            {"both-strands", "", "the reverse complements of BETA too"},
            {"exclude-self", "", "ALPHA is part of BETA, and its own place does not count"},
            {"min-length", "A", "primers have at least A symbols"},
            {"max-length", "B", "and at most B"},
            {"gc", "MIN-MAX", "only primers with so many percent of G and C"},
            {"tm", "MIN-MAX", "only primers that melt at so many degrees Celsius"},
            {"sodium", "MMOL", "mmol/l of sodium, for tm (default: 50)"},
            {"oligo", "NMOL", "nmol/l of primer, for tm (default: 50)"},
            {"witness", "", "print the nearest place in BETA of each primer"}}},
          without(input_group(), {"all-pairs", "concat"}),
          many_method_group("primer", "cores", "texts", names_of(primer::variants())),
          in_parts(sharded(run_group("texts"), "positions of ALPHA")),
          many_device_group("positions"),
          output};
}

PrimerOptions parse_primer(const CommandLine& line) {
  PrimerOptions asked;
  if (!line.has("k") && !line.has("length"))
    throw UsageError("-k K or --length L says what to look for" + line.pointer());
  if (line.has("k")) asked.run.k = static_cast<std::uint32_t>(line.count("k", 1, 1));
  asked.run.window = parse_length(line, "length", 1);
  asked.run.shortest = parse_length(line, "min-length", 0).value_or(0);
  asked.run.longest = parse_length(line, "max-length", 1).value_or(primer::kNone);
  asked.run.both_strands = line.has("both-strands");
  asked.run.exclude_self = line.has("exclude-self");
  asked.gc = parse_interval(line, "gc");
  asked.tm = parse_interval(line, "tm");
  const auto concentration = [&](const char* name, double unit, double& value) {
    if (!line.has(name)) return;
    value = unit * parse_number(line.text(name), text_of("--", name));
    if (value <= 0) throw UsageError(text_of("--", name, ": there must be some"));
  };
  concentration("sodium", 1e-3, asked.conditions.sodium);
  concentration("oligo", 1e-9, asked.conditions.oligo);
  asked.witness = line.has("witness");
  asked.partial = line.has("partial");
  asked.format = static_cast<PrimerFormat>(line.choice("format"));
  if (asked.run.window) {
    if (!line.has("format")) asked.format = PrimerFormat::kBedgraph;
    for (const char* const name : {"gc", "tm"})
      if (line.has(name))
        throw UsageError(text_of("--", name, " and --length exclude each other", line.pointer()));
    if (asked.format == PrimerFormat::kBed || asked.format == PrimerFormat::kFasta)
      throw UsageError("--length has the formats tsv, json and bedgraph" + line.pointer());
  } else if (asked.witness && asked.format != PrimerFormat::kTsv &&
             asked.format != PrimerFormat::kJson) {
    throw UsageError("--witness is printed as tsv or json" + line.pointer());
  }
  asked.run.shard = parse_shard(line);
  if (asked.partial && line.has("shard"))
    throw UsageError("--partial and --shard exclude each other: a part is complete or it is none" +
                     line.pointer());
  parse_many(line, primer::variants(), primer::variants().front().space, asked);
  try {
    primer::check_options(asked.run, asked.witness);
  } catch (const UsageError& error) {
    throw UsageError(error.what() + line.pointer());
  }
  return asked;
}

}  // namespace rhomb::cli
