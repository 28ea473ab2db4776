// SPDX-License-Identifier: Apache-2.0
// rhomb bench peers: rhomb, edlib and WFA2-lib on the same pair, in the same process, in turns.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/rhomb.h"
#include "tools/bench.h"
#include "tools/command_line.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/peers.h"
#include "tools/progress.h"
#include "tools/session.h"
#include "tools/text.h"

namespace rhomb::cli {
namespace {

Help help() {
  return {
      "rhomb bench peers [options] [A B]",
      R"(Runs rhomb and the libraries it was built with, edlib and WFA2-lib, on the pair in the files A
and B, or on a random one: a text of --length random bases, and a copy of it with an edit at each
position with probability --divergence, a third each substitutions, insertions and deletions; or,
with --divergence unrelated, a second random text. All compute the distance alone. They take turns,
--runs times; rhomb has one run before to build its kernels. seconds is the median, for rhomb packing
and copying included; ratio is seconds / seconds of rhomb. The peers use one CPU core, rhomb what the
device has. WFA2-lib runs with its memory modes high and ultralow (two-sided). Exit code 6 if
distances differ. Added columns:
  best        seconds of the fastest run
  runs
  cores       of a CPU that may be used; NA for a GPU
  core_ratio  seconds * cores / that of rhomb; NA where rhomb runs on a GPU
)",
      R"(  rhomb bench peers --length 1M --divergence 0.01 --format table
  rhomb bench peers --length 100k --divergence 0.1 --seed 7 --runs 9
  rhomb bench peers --length 100k --divergence unrelated --peers edlib --device cpu
  rhomb bench peers A.fa B.fa --peers edlib
)"};
}

Group run_group() {
  std::vector<std::string> names;
  for (const auto& peer : built_in_peers())
    if (names.empty() || names.back() != peer.name) names.push_back(peer.name);
  return {"Run",
          {{"length", "L", "length of the random pair, as 100k or 1M (default: 1M)"},
           {"divergence", "X", "edits a position of the random pair, or unrelated (default: 0.01)"},
           {"seed", "N", "of the random pair (default: 1)"},
           {"peers", "NAMES", "which: " + (names.empty() ? "none built in" : joined(names))},
           {"runs", "N", "measured runs of each (default: 5)"}}};
}

std::vector<Peer> chosen_peers(const CommandLine& line) {
  auto peers = built_in_peers();
  if (!line.has("peers")) return peers;
  const auto wanted = split(line.text("peers"), ',');
  for (const auto& name : wanted)
    if (std::ranges::find(peers, name, &Peer::name) == peers.end())
      throw UsageError("--peers: '" + name + "' is not built in" + line.pointer());
  std::erase_if(peers, [&](const Peer& peer) {
    return std::ranges::find(wanted, peer.name) == wanted.end();
  });
  return peers;
}

Sample chosen_pair(const CommandLine& line) {
  if (!line.files().empty()) {
    if (line.has("length") || line.has("divergence") || line.has("seed"))
      throw UsageError("--length, --divergence and --seed are for random pairs, not for files" +
                       line.pointer());
    return read_sample(line);
  }
  return random_sample(parse_length(line.text("length", "1M"), "--length", 1),
                       parse_divergence(line.text("divergence", "0.01"), "--divergence"),
                       static_cast<std::uint64_t>(line.size("seed").value_or(1)));
}

/// The cores that a run of rhomb may use; nothing for a GPU.
std::optional<std::uint32_t> cores_of(const DistanceOptions& method, const Session& session) {
  if (method.engine == "reference" || method.variant == "reference") return 1;
  if (session.info() == nullptr || session.info()->limits.gpu) return std::nullopt;
  return session.info()->limits.compute_units;
}

}  // namespace

int bench_peers(int argc, const char* const* argv) {
  // The peers are asked for the distance, however large.
  CommandLine line(help(), {run_group(), without(method_group(), {"max-distance"}), input_group(),
                            device_group(), output_group(true)});
  if (!parse_or_help(line, argc, argv)) return 0;
  DistanceOptions method = parse_method(line);
  if (method.ambiguous != seq::Ambiguous::kSymbol)
    throw UsageError("the peers do not know --ambiguous match and mismatch" + line.pointer());
  const auto peers = chosen_peers(line);
  const int runs = line.count("runs", 5, 1);
  const OutputOptions output = parse_output(line, true);
  Progress progress(parse_progress(line));
  for (const auto& name : missing_peers())
    progress.note("rhomb: " + name + " was not found when rhomb was built and is left out");
  Session session(parse_device(line), needs_device(method));
  Output out(output.file);
  const Sample pair = chosen_pair(line);
  const std::string& a = pair.query.symbols;
  const std::string& b = pair.target.symbols;

  method.progress = [&progress](const wfa::Progress& now) { progress.update(now); };
  progress.start("rhomb, warming up");
  distance(session.open(), a, b, method);

  std::vector<Measurement> rows(peers.size() + 1);
  std::vector<std::vector<double>> seconds(rows.size());
  for (int run = 0; run < runs; ++run) {
    progress.start(text_of("rhomb, run ", std::to_string(run + 1), " of ", std::to_string(runs)));
    rows[0] = measurement_of(distance(session.open(), a, b, method), pair);
    progress.finish();
    seconds[0].push_back(rows[0].seconds);
    for (std::size_t i = 0; i < peers.size(); ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const std::int64_t found = peers[i].distance(a, b);
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
      Measurement& row = rows[i + 1];
      row = {peers[i].name,
             "",
             peers[i].variant,
             {},
             "host",
             rows[0].query_length,
             rows[0].target_length,
             found,
             {},
             0,
             1,
             {}};
      seconds[i + 1].push_back(elapsed.count());
    }
  }
  const auto cores = cores_of(method, session);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].seconds = median(seconds[i]);
    rows[i].ratio = rows[i].seconds / std::max(rows[0].seconds, 1e-9);
    const std::uint32_t used = i == 0 ? cores.value_or(0) : 1;
    rows[i].more = {{"best", std::ranges::min(seconds[i])},
                    {"runs", runs},
                    {"cores", used > 0 ? Json(used) : Json()},
                    {"core_ratio", cores ? Json(rows[i].ratio * used / *cores) : Json()}};
  }
  check_agreement(rows);
  out.write(table(rows, output.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
