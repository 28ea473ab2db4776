// SPDX-License-Identifier: Apache-2.0
// rhomb align: the alignments of the sequences in two files.
#include "host/align/align.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/search/occurrence.h"
#include "tools/align/inversions.h"
#include "tools/align/rows.h"
#include "tools/cli/command_line.h"
#include "tools/cli/input.h"
#include "tools/cli/json.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/cli/trace.h"
#include "tools/cli/verbs.h"

namespace rhomb::cli {
namespace {

const std::vector<std::string> kCigars = {"=X", "M"};
const std::vector<std::string> kCs = {"short", "long"};
const std::vector<std::string> kGaps = {"left", "right"};

Help align_help() {
  return {
      "rhomb align [options] A B",
      R"(Aligns the sequences in the files A (queries) and B (targets) from end to end, with as few
substitutions, insertions and deletions as possible: their number is what rhomb distance prints. With
several records the first of A is aligned with the first of B, and so on.

Of all such alignments it is always the same one, whatever the engine and the device: going back from
the ends, a pair of symbols is preferred to a symbol of the query alone, and that to a symbol of the
target alone, so that gaps stand as far to the left as they can (--gaps right: the mirror image).
Before it is printed it is gone through symbol by symbol; one that is wrong ends in exit code 6.

Formats:
  paf    with NM (the distance), de (gap-compressed divergence), cg (the CIGAR: =, X, I for symbols
         of the query alone, D for those of the target alone), and cs if asked for
  sam    one record per pair, with NM and MD
  vcf    the differences, the target being the reference: SNV, MNV, INS, DEL (COMPLEX: a gap at
         the very beginning and mismatches behind it), normalised; pairs by order, gaps left
  tsv    query, query_length, target, target_length, distance, similarity, engine, variant, device,
         seconds, gcups, strand, cigar, matches, mismatches, insertions, inserted, deletions, deleted
         (events, symbols), identity (matches of all columns), gap_compressed_identity (a gap is one)
  json   the same keys, and cells, parts, distance_seconds, timing; cs if asked for
--summary has no CIGAR, but how many runs of mismatches there are (mismatch_events), longest_match,
longest_mismatch, longest_insertion, longest_deletion, and inversions: parts of at least 1,000
symbols that would align much better with the query's other strand, as QUERY_START-END:TARGET_START-END.
Pairs that are further apart than --max-distance have no record in paf, sam and vcf.
)",
      R"(  rhomb align human.fa chimp.fa > human_chimp.paf
  rhomb align A.fa B.fa --format sam | samtools sort -o A_B.bam
  rhomb align A.fa B.fa --format vcf -o differences.vcf
  rhomb align A.fa B.fa --summary --format json | jq .identity
  rhomb align A.fa B.fa --both-strands --cs short
  rhomb align A.fa B.fa --explain                      what would be run, and how much memory it takes
  rhomb align A.fa B.fa | rhomb-plot dotplot -o A_B.png
)"};
}

Group alignment_group() {
  return {
      "Alignment",
      {{"cigar", "LETTERS",
        "=X (the default), or M for matches and mismatches alike, as old programs need it"},
       {"cs", "WHAT", "also the difference string: short, or long (with the matches)"},
       {"gaps", "SIDE", "where gaps stand that may stand in several places: left (default), right"},
       {"both-strands", "",
        "align the query's reverse complement if that is nearer; texts are nucleotides then"},
       {"max-memory", "BYTES",
        "of the host, about; what needs more is refused before it is computed"},
       {"summary", "", "counts instead of the CIGAR; formats tsv and json"}}};
}

AlignOptions parse_alignment(const CommandLine& line) {
  AlignOptions method;
  static_cast<DistanceOptions&>(method) = parse_method(line);
  method.gaps_right = line.choice("gaps", kGaps) == 1;
  method.both_strands = line.has("both-strands");
  if (const auto bytes = line.size("max-memory")) {
    if (*bytes < 1) throw UsageError("--max-memory must be at least 1" + line.pointer());
    method.memory = static_cast<std::size_t>(*bytes);
  }
  return method;
}

AlignOutput parse_align_output(const CommandLine& line, Format format) {
  AlignOutput output;
  output.format = format;
  output.mismatches = line.choice("cigar", kCigars) == 0;
  if (line.has("cs"))
    output.cs = line.choice("cs", kCs) == 0 ? AlignOutput::Cs::kShort : AlignOutput::Cs::kLong;
  output.summary = line.has("summary");
  if (output.cs != AlignOutput::Cs::kNone &&
      (format == Format::kTsv || format == Format::kVcf || output.summary))
    throw UsageError("--cs goes with --format paf, sam or json" + line.pointer());
  return output;
}

std::string align_explanation(const Pair& pair, const ocl::DeviceInfo* device,
                              const AlignOptions& method, bool json) {
  std::vector<std::pair<std::string, std::string>> lines = {
      {"query", pair.query->name},
      {"query_length", std::to_string(pair.query->symbols.size())},
      {"target", pair.target->name},
      {"target_length", std::to_string(pair.target->symbols.size())}};
  const Facts facts = explain_alignment(device, pair.query->symbols, pair.target->symbols, method);
  lines.insert(lines.end(), facts.all().begin(), facts.all().end());
  return explained(lines, json);
}

}  // namespace

int run_align(int argc, const char* const* argv) {
  CommandLine line(align_help(), {input_group(), alignment_group(), method_group(), run_group(""),
                                  device_group(), output_group(kGlobalFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto& files = line.files(2);
  InputOptions input = parse_input(line);
  AlignOptions method = parse_alignment(line);
  method.threads = input.read.threads = parse_threads(line);
  const OutputOptions where = line.has("summary") ? parse_output(line, kSummaryFormats)
                                                  : parse_output(line, kGlobalFormats);
  const AlignOutput output = parse_align_output(line, where.format);
  if (where.format == Format::kVcf && method.gaps_right)
    throw UsageError("--format vcf has gaps on the left" + line.pointer());
  if (where.format == Format::kVcf && input.all_pairs)
    throw UsageError("--format vcf is for pairs by order, not for --all-pairs" + line.pointer());
  if ((where.format == Format::kVcf || where.format == Format::kSam) && line.has("case-sensitive"))
    throw UsageError("SAM and VCF do not tell upper and lower case apart" + line.pointer());
  Progress progress(parse_progress(line));
  DeviceOptions device = parse_device(line);
  Tracing tracing(parse_trace(line));
  input.trace = method.trace = device.open.trace = tracing.get();

  Output out(where.file);
  Reading reading(files[0], files[1], input);
  const Inputs inputs = reading.get();
  const auto pairs = make_pairs(inputs, files[0], files[1], input);
  if (method.both_strands)
    for (std::size_t i = 0; i < inputs.a.size(); ++i) require_nucleotides(files[0], inputs.a[i], i);
  const bool at_once = std::ranges::all_of(pairs, [&](const Pair& pair) {
    return aligned_at_once(pair.query->symbols.size(), pair.target->symbols.size(), method);
  });
  Session session(device, needs_device(method) && !at_once);
  const tune::Store nothing;
  method.store = session.info() != nullptr ? &session.store() : &nothing;
  method.progress = [&progress](const rhomb::Progress& now) { progress.update(now); };

  if (line.has("explain")) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (i > 0 && output.format != Format::kJson) out.write("\n");
      out.write(
          align_explanation(pairs[i], session.info(), method, output.format == Format::kJson));
    }
    out.commit();
    return 0;
  }
  const std::string header = align_header(output, pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    const std::string which = pair.query->name + " and " + pair.target->name;
    progress.start(pairs.size() == 1 ? which
                                     : text_of("pair ", std::to_string(i + 1), " of ",
                                               std::to_string(pairs.size()), ", ", which));
    trace::Scope scope(tracing.get(), trace::Work::kPair, which);
    AlignAnswer answer =
        align_pair(session.open(), pair.query->symbols, pair.target->symbols, method);
    scope.end();
    progress.finish();
    if (i == 0) answer.timing.read = inputs.seconds;
    if (method.check && answer.distance) progress.note("rhomb: " + which + ": checked");
    std::string turned;
    if (answer.strand == '-')
      turned = search::reverse_complement(pair.query->symbols, pair.target->symbols);
    const std::string_view query = answer.strand == '-' ? turned : pair.query->symbols;
    std::vector<Inversion> inversions;
    if (output.summary && answer.distance) {
      DistanceOptions asked = method;
      asked.check = false;
      asked.progress = {};
      inversions = find_inversions(query, pair.target->symbols, answer.cigar,
                                   [&](std::string_view a, std::string_view b, std::int64_t most) {
                                     asked.max_distance = most;
                                     return distance(session.open(), a, b, asked).distance;
                                   });
    }
    const std::string rows =
        align_row(output, {pair, query, pair.target->symbols, answer, method, inversions});
    out.write(i == 0 ? header + rows : rows);
  }
  out.commit();
  tracing.commit(session.info());
  if (tracing.get() != nullptr) progress.note(tracing.summary());
  return 0;
}

}  // namespace rhomb::cli
