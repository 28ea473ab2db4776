// SPDX-License-Identifier: Apache-2.0
// rhomb distance: the exact edit distance of the sequences in two files.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/distance/together.h"
#include "tools/cli/command_line.h"
#include "tools/cli/input.h"
#include "tools/cli/json.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/cli/trace.h"
#include "tools/cli/verbs.h"

namespace rhomb::cli {
namespace {

constexpr const char* kHeader =
    "#query\tquery_length\ttarget\ttarget_length\tdistance\tsimilarity\tengine\tvariant\tdevice\t"
    "seconds\tgcups\n";

Help help() {
  return {"rhomb distance [options] A B",
          R"(Prints the exact edit distance (substitutions, insertions and deletions cost 1) of the
sequences in the files A and B: FASTA, FASTQ, one sequence per line or raw text; plain, gzip or
bgzip; - is standard input. With several records the first of A is compared with the first of B,
and so on. Many pairs that are not long are computed together; --explain says which.

The output has a header and one row per pair:
  query, query_length, target, target_length
  distance    the distance; >D when it exceeds --max-distance D (JSON: null)
  similarity  1 - distance / longer length; NA when the distance is not known (JSON: null)
  engine, variant, device
  seconds     for this pair, without reading the files; its share of pairs computed together
  gcups       query_length * target_length / seconds / 1e9
JSON has the same keys and also max_distance (if given), config, passes, cells (computed), checked (with
--check), and timing: read, build, transfer, compute, total, in seconds. The files are read once,
so read is 0 from the second pair on.
)",
          R"(  rhomb distance A.fa.gz B.fa.gz
  rhomb distance A.fa B.fa --format json --device gpu
  rhomb distance genomes.fa genomes.fa --all-pairs -o distances.tsv
  rhomb distance human.fa chimp.fa --record chr21      both files have a chr21
  rhomb distance A.fa B.fa --concat                    chromosomes joined end to end
  rhomb distance A.fa B.fa --max-distance 10k          is it at most 10,000?
  rhomb distance A.fa B.fa --explain                   what would be run, and why
  rhomb distance A.fa B.fa --trace run.json            a time line for ui.perfetto.dev
  rhomb distance A.fa B.fa --engine reference          plain algorithm, needs no OpenCL
  zcat A.fa.gz | rhomb distance - B.fa
)"};
}

struct Row {
  const Pair& pair;
  const DistanceAnswer& answer;
  const DistanceOptions& method;

  std::int64_t m() const { return static_cast<std::int64_t>(pair.query->symbols.size()); }
  std::int64_t n() const { return static_cast<std::int64_t>(pair.target->symbols.size()); }
  std::string similarity() const {
    if (!answer.distance) return "NA";
    const auto longer = static_cast<double>(std::max({m(), n(), std::int64_t{1}}));
    return fixed(1 - static_cast<double>(*answer.distance) / longer, 6);
  }
  std::string gcups() const {
    const double seconds = std::max(answer.timing.total, 1e-9);
    return significant(static_cast<double>(m()) * static_cast<double>(n()) / seconds / 1e9);
  }

  std::string tsv() const {
    const std::string distance = answer.distance
                                     ? std::to_string(*answer.distance)
                                     : text_of(">", std::to_string(*method.max_distance));
    return tabbed({field(pair.query->name), std::to_string(m()), field(pair.target->name),
                   std::to_string(n()), distance, similarity(), field(answer.engine),
                   field(answer.variant), field(answer.device), significant(answer.timing.total),
                   gcups()});
  }

  std::string json() const {
    Json object;
    object["query"] = pair.query->name;
    object["query_length"] = m();
    object["target"] = pair.target->name;
    object["target_length"] = n();
    object["distance"] = answer.distance ? Json(*answer.distance) : Json();
    object["similarity"] = answer.distance ? Json(rounded(similarity())) : Json();
    object["engine"] = answer.engine;
    object["variant"] = answer.variant;
    object["device"] = answer.device;
    object["seconds"] = rounded(significant(answer.timing.total));
    object["gcups"] = rounded(gcups());
    if (method.max_distance) object["max_distance"] = *method.max_distance;
    object["config"] = json_of(answer.config);
    object["passes"] = answer.passes;
    object["cells"] = json_count(answer.cells);
    for (const auto& [name, value] : answer.certificate.all())
      object["certificate"][name] = value.find_first_not_of("0123456789.e+-") == std::string::npos
                                        ? Json::parse(value)
                                        : Json(value);
    if (method.check) object["checked"] = answer.checked;
    object["timing"] = json_of(answer.timing);
    return json_line(object);
  }
};

std::string explanation(const Pair& pair, const Facts& facts, Format format) {
  std::vector<std::pair<std::string, std::string>> lines = {
      {"query", pair.query->name},
      {"query_length", std::to_string(pair.query->symbols.size())},
      {"target", pair.target->name},
      {"target_length", std::to_string(pair.target->symbols.size())}};
  lines.insert(lines.end(), facts.all().begin(), facts.all().end());
  return explained(lines, format == Format::kJson);
}

/// Files up to this size are read before a device is looked for, which may not be needed then.
constexpr std::uintmax_t kSmallFile = 1 << 16;

bool small(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed) &&
         std::filesystem::file_size(path, failed) <= kSmallFile && !failed;
}

PairList list_of(const Inputs& inputs, bool all_pairs) {
  return all_pairs ? PairList::all(inputs.a, inputs.second())
                   : PairList::by_order(inputs.a, inputs.second());
}

}  // namespace

int run_distance(int argc, const char* const* argv) {
  CommandLine line(help(), {input_group(), method_group(), run_group(""), device_group(),
                            output_group(kRecordFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto& files = line.files(2);
  InputOptions input = parse_input(line);
  DistanceOptions method = parse_method(line);
  method.threads = input.read.threads = parse_threads(line);
  const OutputOptions output = parse_output(line, kRecordFormats);
  Progress progress(parse_progress(line));
  DeviceOptions where = parse_device(line);

  Tracing tracing(parse_trace(line));
  input.trace = method.trace = where.open.trace = tracing.get();
  // A device is opened while the files are read; after that where they are so small that the host
  // may be faster alone.
  const bool wait = small(files[0]) && small(files[1]);
  std::optional<Session> session;
  if (!wait) session.emplace(where, needs_device(method));
  Output out(output.file);
  Reading reading(files[0], files[1], input);
  if (!wait && !line.has("explain")) session->open();
  const Inputs inputs = reading.get();
  const auto pairs = make_pairs(inputs, files[0], files[1], input);
  PairList list = list_of(inputs, input.all_pairs);
  if (wait) session.emplace(where, needs_device(method) && !answered_at_once(list, method));
  const tune::Store nothing;
  method.store = session->info() != nullptr ? &session->store() : &nothing;

  method.progress = [&progress](const wfa::Progress& now) { progress.update(now); };
  Together together(session->info(), std::move(list), method);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    if (line.has("explain")) {
      if (i > 0 && output.format == Format::kTsv) out.write("\n");
      const Facts facts = together.takes(i) ? together.explain(i)
                                            : explain_distance(session->info(), pair.query->symbols,
                                                               pair.target->symbols, method);
      out.write(explanation(pair, facts, output.format));
      continue;
    }
    const std::string which = pair.query->name + " and " + pair.target->name;
    const bool taken = together.takes(i), ready = taken && together.ready(i);
    if (!ready)
      progress.start(pairs.size() == 1 ? which
                                       : text_of("pair ", std::to_string(i + 1), " of ",
                                                 std::to_string(pairs.size()), ", ", which));
    std::optional<trace::Scope> scope;
    if (!taken) scope.emplace(tracing.get(), trace::Work::kPair, which);
    DistanceAnswer answer =
        taken ? together.answer(*session->open(), i)
              : distance(session->open(), pair.query->symbols, pair.target->symbols, method);
    scope.reset();
    if (!ready) progress.finish();
    if (i == 0) answer.timing.read = inputs.seconds;
    if (method.check) progress.note("rhomb: " + which + ": " + answer.checked + " says the same");
    const Row row{pair, answer, method};
    if (i == 0 && output.format == Format::kTsv) out.write(kHeader);
    out.write(output.format == Format::kJson ? row.json() : row.tsv());
  }
  out.commit();
  tracing.commit(session->info());
  if (tracing.get() != nullptr) progress.note(tracing.summary());
  return 0;
}

}  // namespace rhomb::cli
