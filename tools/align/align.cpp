// SPDX-License-Identifier: Apache-2.0
// rhomb align: the alignments of the sequences in two files.
#include "host/align/align.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/align/batch.h"
#include "host/align/run.h"
#include "host/batch/threads.h"
#include "host/distance/close.h"
#include "host/search/occurrence.h"
#include "tools/align/rows.h"
#include "tools/cli/command_line.h"
#include "tools/cli/compared.h"
#include "tools/cli/many.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/shard.h"
#include "tools/cli/text.h"
#include "tools/cli/trace.h"
#include "tools/cli/verbs.h"
#include "tools/merge/in_parts.h"

namespace rhomb::cli {
namespace {

const std::vector<std::string> kCigars = {"=X", "M"};
const std::vector<std::string> kCs = {"short", "long"};
const std::vector<std::string> kGaps = {"left", "right"};

Help align_help() {
  return {
      "rhomb align [options] A B\n       rhomb align [options] --pairs FILE",
      R"(Aligns the sequences in the files A (queries) and B (targets) from end to end, with as few
substitutions, insertions and deletions as possible: their number is what rhomb distance prints. With
several records the first of A is aligned with the first of B, and so on; with --pairs FILE each line has
a query and a target, separated by a tab, or a name before each of them. Pairs are read, aligned and
printed in blocks, so there may be any number of them. Where they are many a device aligns close ones
together (variant wavefront-batch); other short ones are aligned by all cores of the host. Of long ones a
GPU has four at a time, so that the seconds of a pair have in them what it waits for the others. Several
devices (-d 0,1) share the pairs; of a single one two GPUs have a half each where strips compute it and
that gains. A single pair of close sequences is the host's, too, unless a device or an engine is named.

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
  rhomb align reads_1.fq.gz reads_2.fq.gz              each read with its mate
  rhomb align --pairs candidates.tsv                   query, target in each line
  rhomb align --pairs candidates.tsv -d 0,1            two devices share them
  rhomb align A.fa B.fa --explain                      what would be run, and how much memory it takes
  rhomb align A.fa B.fa | rhomb-plot dotplot -o A_B.png
)"};
}

Group alignment_group() {
  return {
      "Alignment",
      {one_of("cigar", "LETTERS",
              "=X (the default), or M for matches and mismatches alike, as old programs need it",
              kCigars),
       one_of("cs", "WHAT", "also the difference string: short, or long (with the matches)", kCs),
       one_of("gaps", "SIDE",
              "where gaps stand that may stand in several places: left (default), right", kGaps),
       {"both-strands", "",
        "align the query's reverse complement if that is nearer; texts are nucleotides then"},
       {"max-memory", "BYTES",
        "of the host, about; what needs more is refused before it is computed"},
       {"summary", "", "counts instead of the CIGAR; formats tsv and json"}}};
}

AlignOptions parse_alignment(const CommandLine& line) {
  AlignOptions method;
  static_cast<DistanceOptions&>(method) = parse_method(line);
  method.gaps_right = line.choice("gaps") == 1;
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
  output.mismatches = line.choice("cigar") == 0;
  if (line.has("cs"))
    output.cs = line.choice("cs") == 0 ? AlignOutput::Cs::kShort : AlignOutput::Cs::kLong;
  output.summary = line.has("summary");
  if (output.cs != AlignOutput::Cs::kNone &&
      (format == Format::kTsv || format == Format::kVcf || output.summary))
    throw UsageError("--cs goes with --format paf, sam or json" + line.pointer());
  return output;
}

int explain_all(Compared& compared, LazySession& session, AlignOptions method, bool json,
                Output& out) {
  const std::vector<Pair> pairs = compared.list();
  std::optional<HostWay> way;
  if (pairs.size() > 1 && AlignRun::first_block(pairs, compared.all_pairs()) == pairs.size()) {
    if (const std::int64_t most = AlignRun::most_by_host(
            pairs, method, align::BatchAligner(method, batch::threads_of(method.threads))))
      way = host_wavefronts(most);
  }
  if (pairs.size() == 1 && !method.both_strands)
    way = host_way(pairs[0].query.symbols, pairs[0].target.symbols, method);
  const bool close = way.has_value();
  if (close) ask_host(method, *way);
  const align::BatchAligner together(method, batch::threads_of(method.threads));
  const auto pair_of = [&](std::size_t i) { return pairs[i]; };
  const bool worthwhile = (!method.variant.empty() || !ocl::list_devices().empty()) &&
                          together.worthwhile(pairs.size(), pair_of, align::BatchAligner::kOpening);
  const bool at_once = !worthwhile && std::ranges::all_of(pairs, [&](const Pair& pair) {
    return aligned_at_once(pair.query.symbols.size(), pair.target.symbols.size(), method);
  });
  Session& chosen = session.choose(needs_device(method) && !at_once);
  const tune::Store nothing;
  method.store = chosen.info() != nullptr ? &chosen.store() : &nothing;
  std::vector<std::uint32_t> upto;
  while (worthwhile && chosen.info() != nullptr && upto.size() < pairs.size()) {
    const std::span<const Pair> rest = std::span(pairs).subspan(upto.size());
    const std::size_t count = AlignRun::first_block(rest, compared.all_pairs());
    const auto some = together.choose(
        count, [&](std::size_t i) { return rest[i]; }, chosen.info()->limits);
    upto.insert(upto.end(), some.begin(), some.end());
  }
  upto.resize(pairs.size());
  const auto count = static_cast<std::size_t>(
      std::ranges::count_if(upto, [](std::uint32_t most) { return most > 0; }));
  batch::Memory probable, most;
  if (count > 0) {
    const auto memory = [&](std::span<const std::uint32_t> distances) {
      return together.memory(pairs, distances, compared.all_pairs(), chosen.info()->limits);
    };
    probable = memory(together.foresee(pairs, upto));
    most = memory(upto);
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i > 0 && !json) out.write("\n");
    const Pair& pair = pairs[i];
    Facts facts =
        upto[i] > 0 ? together.explain(pair, upto[i], count, probable, most, chosen.info()->limits)
                    : explain_alignment(chosen.info(), pair.query.symbols, pair.target.symbols,
                                        method, chosen.others());
    if (close && facts.text("choice").empty()) facts.add("choice", kCloseEnough);
    out.write(explanation(pair, facts, json));
  }
  out.commit();
  return 0;
}

/// The rows of an alignment, as they are printed.
class RowMaker {
 public:
  RowMaker(const AlignOutput& output, const AlignOptions& method, AlignRun& run)
      : output_(output), method_(method), run_(run) {}

  /// May be called by several threads, as AlignRun does.
  std::string rows(const Pair& pair, const AlignAnswer& answer) const {
    std::string turned;
    if (answer.strand == '-')
      turned = search::reverse_complement(pair.query.symbols, pair.target.symbols);
    const std::string_view query = answer.strand == '-' ? turned : pair.query.symbols;
    std::vector<Inversion> inversions;
    if (output_.summary && answer.distance)
      inversions = run_.inversions(query, pair.target.symbols, answer.cigar);
    return align_row(output_, {pair, query, pair.target.symbols, answer, method_, inversions});
  }

 private:
  const AlignOutput& output_;
  const AlignOptions& method_;
  AlignRun& run_;
};

}  // namespace

int run_align(int argc, const char* const* argv) {
  CommandLine line(align_help(),
                   {compared_group(), alignment_group(), method_group(),
                    in_parts(sharded(run_group(""), "pairs")),
                    many_device_group("many pairs, or a large one"), output_group(kGlobalFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  const std::vector<std::string> files = entry_files(line);
  InputOptions input = parse_input(line);
  AlignRunOptions method{parse_alignment(line)};
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
  if (is_in_parts(line)) {
    if (by_order(line) && is_one_pair(line))
      throw UsageError("the alignment of one pair is not saved; its distance is (rhomb distance)");
    return run_in_parts(line, "align", format_name(where.format), files, by_order(line));
  }
  Progress progress(parse_progress(line));
  Tracing tracing(parse_trace(line));
  DeviceOptions device = parse_device(line);
  input.trace = method.trace = device.open.trace = tracing.get();

  LazySession session(std::move(device), needs_device(method));
  Output out(where.file, shard_head(line, "align", format_name(where.format), files));
  // A header of SAM or VCF has all targets.
  const bool listed = where.format == Format::kSam || where.format == Format::kVcf;
  Compared compared(files, line, input, listed || line.has("explain"), method.both_strands);
  if (line.has("explain"))
    return explain_all(compared, session, method, where.format == Format::kJson, out);

  tell(method, progress);
  AlignRun run(method, session.access());
  const bool whole = listed || input.all_pairs;
  const Inputs* const inputs = whole ? &compared.inputs() : nullptr;
  const std::string header = align_header(output, listed ? compared.list() : std::vector<Pair>());
  compared.cut();
  const RowMaker maker(output, method, run);
  const auto make = [&](const PairPlace& place, const Pair& pair, AlignAnswer& answer) {
    if (place.number == 0)
      answer.timing.read = inputs != nullptr ? inputs->seconds : run.read_seconds();
    if (method.check && answer.distance)
      progress.note(text_of("rhomb: ", seq::names_of(pair), ": checked"));
    return maker.rows(pair, answer);
  };
  std::string rows;  // that are not yet printed
  bool begun = false;
  const auto print = [&] { out.write(std::exchange(rows, {})); };
  const auto take = [&](const std::string& some) {
    if (!std::exchange(begun, true)) out.header(header);
    rows += some;
  };
  if (compared.all_pairs())
    run.all(inputs->a, inputs->second(), make, take, print);
  else
    run.pairs(compared.source(), make, take, print);
  out.commit();
  tracing.commit(session.info());
  if (tracing.get() != nullptr) progress.note(tracing.summary());
  return 0;
}

}  // namespace rhomb::cli
