// SPDX-License-Identifier: Apache-2.0
// rhomb distance: the exact edit distance of the sequences in two files.
#include <string>
#include <utility>
#include <vector>

#include "host/distance/close.h"
#include "host/distance/run.h"
#include "host/distance/several.h"
#include "host/strip/team.h"
#include "tools/cli/command_line.h"
#include "tools/cli/compared.h"
#include "tools/cli/keeping.h"
#include "tools/cli/many.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/shard.h"
#include "tools/cli/text.h"
#include "tools/cli/trace.h"
#include "tools/cli/verbs.h"
#include "tools/distance/matrix.h"
#include "tools/distance/rows.h"
#include "tools/merge/in_parts.h"

namespace rhomb::cli {
namespace {

const std::vector<std::string> kShapes = {"square", "lower",
                                          "phylip"};  ///< as MatrixShape has them

Help help() {
  return {
      "rhomb distance [options] A B\n       rhomb distance [options] --pairs FILE\n"
      "       rhomb distance [options] --matrix WHAT A",
      R"(Prints the exact edit distance (substitutions, insertions and deletions cost 1) of the
sequences in the files A and B: FASTA, FASTQ, one sequence per line or raw text; plain, gzip or
bgzip; - is standard input. With several records the first of A is compared with the first of B,
and so on. With --pairs FILE each line has a query and a target, separated by a tab, or a name before
each of them. There may be any number of pairs: they are read, compared and printed in blocks. Many
pairs that are not long are computed together, long ones share launches of a GPU where that gains;
--explain says which. Close pairs, one or few, are the host's (variant host), which has the answers
before a device would be open; --device NAME, --engine or --variant has a device compute them. Where
A and B have different numbers of records, that is told, with exit code 3, after all pairs.

The output has a header and one row per pair:
  query, query_length, target, target_length
  distance    the distance; >D when it exceeds --max-distance D (JSON: null)
  similarity  1 - distance / longer length; NA when the distance is not known (JSON: null)
  engine, variant, device
  seconds     for this pair, without reading the files; its share of pairs computed together
  gcups       query_length * target_length / seconds / 1e9
JSON has the same keys and also max_distance (if given), config, passes, cells (computed), checked (with
--check), and timing: read, build, transfer, compute, total, in seconds. Reading is told with the first
pair.

--matrix square has, separated by tabs, a header with the names of the columns, and a row for each record:
its name and its distances; what exceeds --max-distance is left blank. lower has of each row only what
stands before the diagonal, so each pair once. phylip is what programs for trees read (phylip, rapidnj,
fastme): the number of records, then names, filled up to 10 characters, and distances, all separated by
blanks. Names must differ there and have none of ()[]{}:;,'" (PHYLIP's own programs see only their first
10 characters); and --max-distance is refused, because PHYLIP has no sign for what is not known.
)",
      R"(  rhomb distance A.fa.gz B.fa.gz
  rhomb distance A.fa B.fa --format json --device gpu
  rhomb distance genomes.fa genomes.fa --all-pairs -o distances.tsv
  rhomb distance genomes.fa --matrix phylip -o genomes.phy && rapidnj genomes.phy -i pd
  rhomb distance reads_1.fq.gz reads_2.fq.gz           each read with its mate
  rhomb distance --pairs candidates.tsv                query, target in each line
  rhomb distance human.fa chimp.fa --record chr21      both files have a chr21
  rhomb distance A.fa B.fa --concat                    chromosomes joined end to end
  rhomb distance A.fa B.fa --max-distance 10k          is it at most 10,000?
  rhomb distance A.fa B.fa --explain                   what would be run, and why
  rhomb distance A.fa B.fa --trace run.json            a time line for ui.perfetto.dev
  rhomb distance A.fa B.fa --resume saved --every 1m   go on where a run was ended, if one was
  rhomb distance A.fa B.fa --engine reference          plain algorithm, needs no OpenCL
  zcat A.fa.gz | rhomb distance - B.fa
)"};
}

Group matrix_group() {
  Group group = output_group(kRecordFormats);
  group.flags.insert(
      group.flags.begin(),
      one_of("matrix", "WHAT",
             "square, lower or phylip: distances of all pairs as a matrix, of A with itself "
             "unless there is a B (default: a row a pair)",
             kShapes));
  return group;
}

/// The files, of which a matrix needs but one.
std::vector<std::string> files_of(const CommandLine& line) {
  if (line.has("matrix") && line.files().size() == 1) return {line.files()[0], line.files()[0]};
  return entry_files(line);
}

/// The shape that --matrix asks for. Throws UsageError for what does not go with one.
std::optional<MatrixShape> parse_matrix(const CommandLine& line) {
  if (!line.has("matrix")) return std::nullopt;
  const auto shape = static_cast<MatrixShape>(line.choice("matrix"));
  for (const char* other : {"pairs", "concat", "format"})
    if (line.has(other))
      throw UsageError(text_of("--matrix and --", other, " exclude each other", line.pointer()));
  if (shape == MatrixShape::kPhylip && line.has("max-distance"))
    throw UsageError(
        "--matrix phylip needs every distance, because PHYLIP has no sign for one that is not "
        "known; leave --max-distance out, or take --matrix square" +
        line.pointer());
  return shape;
}

int explain(Compared& compared, LazySession& session, DistanceOptions method, bool json,
            Output& out) {
  const std::vector<Pair> pairs = compared.list();
  const Inputs& inputs = compared.inputs();
  PairList list = compared.all_pairs() ? PairList::all(inputs.a, inputs.second())
                                       : PairList::by_order(inputs.a, inputs.second());
  std::size_t bytes = 0;  // are read before a device is opened
  for (std::size_t i = 0; i < pairs.size() && !compared.all_pairs(); ++i)
    bytes += batch::bytes_of(pairs[i].query) + batch::bytes_of(pairs[i].target);
  std::optional<HostWay> way;
  if (pairs.size() == 1 && bytes <= pair_to_read(method.threads)) {
    way = host_way(list.queries[0], list.targets[0], method);
  } else if (bytes <= kLittleToRead && !answered_at_once(list, method)) {
    if (const auto most = most_of_close(list, method)) way = host_wavefronts(*most);
  }
  const bool close = way.has_value();
  if (close) ask_host(method, *way);
  Session& chosen = session.choose(needs_device(method) && !answered_at_once(list, method));
  const tune::Store nothing;
  method.store = chosen.info() != nullptr ? &chosen.store() : &nothing;
  Together together(chosen.info(), std::move(list), method);
  std::vector<ocl::DeviceInfo> others = chosen.others();
  if (used_team() != nullptr)
    for (const strip::Team::Member& member : used_team()->members())
      others.emplace_back().limits = member.limits;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i > 0 && !json) out.write("\n");
    const auto alone = [&] {
      return explain_distance(chosen.info(), pairs[i].query.symbols, pairs[i].target.symbols,
                              method, others);
    };
    Facts facts = together.takes(i) ? together.explain(i) : alone();
    if (close && facts.text("choice").empty()) facts.add("choice", kCloseEnough);
    // What is tried together first is mostly the other way where it is long.
    const bool passed_on =
        facts.all().back() == std::pair<std::string, std::string>("otherwise", "alone");
    if (passed_on) {
      const Facts more = alone();
      for (const auto& [name, value] : more.all()) facts.add("alone_" + name, value);
    }
    const bool by_itself = passed_on || (!together.takes(i) &&
                                         !answered_at_once(pairs[i].query.symbols.size(),
                                                           pairs[i].target.symbols.size(), method));
    if (by_itself && !facts.text("variant").empty() && pairs.size() > 1 && !close &&
        chosen.info() != nullptr)
      if (const auto ways = ways_to_share(chosen.info()->limits, method); !ways.empty())
        facts.add("with_others", "launches are shared where that gains: " + ways);
    out.write(explanation(pairs[i], facts, json));
  }
  out.commit();
  return 0;
}

/// Prints parts of a run, the rows of each by several threads.
class Printer {
 public:
  Printer(const DistanceRows& rows, Output& out, std::size_t threads, trace::Trace* trace)
      : made_(rows), out_(out), rows_(out, threads, trace) {}

  void print(const DistanceRun::Part& part, double read_seconds) {
    constexpr std::size_t kRows = 512;  // a thread makes at a time
    if (part.number() == 0) out_.header(made_.header());
    rows_.print((part.size() + kRows - 1) / kRows, [&](std::size_t some, std::string& text) {
      const std::size_t end = std::min(part.size(), (some + 1) * kRows);
      for (std::size_t i = some * kRows; i < end; ++i) {
        DistanceAnswer answer = part.answer(i);
        if (part.number() + i == 0) answer.timing.read = read_seconds;
        made_.append(text, part.pair(i), answer);
      }
      return end - some * kRows;
    });
  }

 private:
  const DistanceRows& made_;
  Output& out_;
  RowPrinter rows_;
};

/// Says where a device did not keep what was written, and it was computed again.
void note_faults(const DistanceRun::Part& part, Progress& progress) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const DistanceAnswer* const answer = part.alone(i);
    if (answer == nullptr) continue;
    for (const auto& [name, value] : answer->certificate.all())
      if (name == "last_fault")
        progress.note(text_of("rhomb: ", seq::names_of(part.pair(i)), ": ", value,
                              "; it was computed again"));
  }
}

/// Prints parts of a run as rows of a matrix.
void print(const DistanceRun::Part& part, Matrix& matrix, Output& out) {
  if (part.number() == 0) out.header(matrix.header());
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) matrix.append(text, part.distance(i));
  out.write(text);
}

}  // namespace

int run_distance(int argc, const char* const* argv) {
  CommandLine line(help(),
                   {compared_group(), method_group(), keeping(sharded(run_group(""), "pairs")),
                    many_device_group("many pairs, or a large one"), matrix_group()});
  if (!parse_or_help(line, argc, argv)) return 0;
  const std::optional<MatrixShape> shape = parse_matrix(line);
  const std::vector<std::string> files = files_of(line);
  InputOptions input = parse_input(line);
  input.all_pairs |= shape.has_value();
  DistanceRunOptions method{parse_method(line)};
  method.threads = input.read.threads = parse_threads(line);
  const bool keeps = line.has("checkpoint") || line.has("resume");
  if (keeps && ((line.has("parts") && !by_order(line)) || !is_one_pair(line))) {
    if (line.has("every"))
      throw UsageError("--every is for one pair; many are saved in --parts" + line.pointer());
    if (is_in_parts(line))
      return run_in_parts(
          line, "distance",
          line.text("matrix", format_name(parse_output(line, kRecordFormats).format)), files,
          by_order(line));
  } else {
    method.keeping = parse_keeping(line);
    if (line.has("parts")) throw UsageError("--parts is for many pairs" + line.pointer());
  }
  try {
    check_method(method);
  } catch (const UsageError& error) {
    throw UsageError(error.what() + line.pointer());
  }
  const OutputOptions output = parse_output(line, kRecordFormats);
  Progress progress(parse_progress(line));
  if (!method.keeping.folder.empty()) SavedRun::hold_signal();
  Tracing tracing(parse_trace(line));
  DeviceOptions where = parse_device(line);
  input.trace = method.trace = where.open.trace = tracing.get();

  LazySession session(std::move(where), needs_device(method));
  Output out(output.file,
             shard_head(line, "distance", line.text("matrix", format_name(output.format)), files));
  Compared compared(files, line, input, line.has("explain"));
  if (line.has("explain"))
    return explain(compared, session, method, output.format == Format::kJson, out);

  tell(method, progress);
  const SavedRun saved(method, progress);  // its signals, not those of `out`
  if (compared.waits() && needs_device(method)) session.choose(true).open();
  compared.cut(shape.has_value());
  const Inputs* const inputs = compared.all_pairs() ? &compared.inputs() : nullptr;
  std::optional<Matrix> matrix;
  if (shape)
    matrix.emplace(*shape, files[0], inputs->a, inputs->second(), files[0] == files[1],
                   compared.first());
  std::optional<DistanceRun> run;
  if (inputs != nullptr)
    run.emplace(inputs->a, inputs->second(), method, session.access());
  else
    run.emplace(compared.source(), method, session.access());
  const DistanceRows rows(output.format, method);
  Printer printer(rows, out, method.threads, tracing.get());
  const double read_seconds = inputs != nullptr ? inputs->seconds : 0;
  while (const auto part = run->next()) {
    if (matrix)
      print(*part, *matrix, out);
    else
      printer.print(*part, read_seconds + run->read_seconds());
    note_faults(*part, progress);
    for (std::size_t i = 0; method.check && i < part->size(); ++i)
      progress.note(text_of("rhomb: ", seq::names_of(part->pair(i)), ": ", part->answer(i).checked,
                            " says the same"));
  }
  out.commit();
  tracing.commit(session.info());
  if (tracing.get() != nullptr) progress.note(tracing.summary());
  return 0;
}

}  // namespace rhomb::cli
