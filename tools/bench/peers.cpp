// SPDX-License-Identifier: Apache-2.0
// rhomb bench peers: rhomb, edlib and WFA2-lib on the same pairs, in the same process, one after
// the other in rounds.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/distance/distance.h"
#include "tools/bench/axes.h"
#include "tools/bench/grid.h"
#include "tools/bench/peer.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

const PairAxes kAxes{"1M", "0.01"};

Help peers_bench_help() {
  return {
      "rhomb bench peers [options] [A B]",
      R"(Runs rhomb and the libraries it was built with, edlib and WFA2-lib, on the pair in the files A
and B, or on random ones of each --length and --divergence, as rhomb bench grid makes them. All compute
the distance alone, and with --align the alignment as well, records of their own, in one process, one
after the other in --runs rounds; rhomb has one run before to build its kernels. seconds is the
median, for rhomb with packing and copies; ratio is seconds / seconds of rhomb for the same. A peer uses
one CPU core, rhomb the whole device. WFA2-lib runs with its memory modes high and ultralow. Runs that
are expected to take longer than --limit, by the square of the length from a shorter pair, are left out;
standard error says so. Exit code 6 if distances differ. Added columns:
  align       true: of the alignment (--align)
  best        seconds of the fastest run
  runs        how many were measured
  cores       how many of a CPU may be used; NA for a GPU
  core_ratio  seconds * cores / that of rhomb; NA where rhomb runs on a GPU
  spread      slowest / fastest run
In JSON rhomb's records have the key asked, from which rhomb bench regress repeats them.
)",
      R"(  rhomb bench peers --length 1M --divergence 0.01 --format table
  rhomb bench peers --length 10k,100k,1M --divergence 0.01,0.1,unrelated --limit 10
  rhomb bench peers --length 100k --divergence 0.1 --seed 7 --runs 9
  rhomb bench peers --align --length 100k --divergence 0.05,0.15 --format table
  rhomb bench peers --length 100k --divergence unrelated --peers edlib --device cpu
  rhomb bench peers A.fa B.fa --peers edlib
)"};
}

Group peers_bench_group() {
  std::vector<std::string> names;
  for (const auto& peer : built_in_peers())
    if (names.empty() || names.back() != peer.name) names.push_back(peer.name);
  Group group{"Run", flags_of(kAxes)};
  for (const Flag& flag : std::initializer_list<Flag>{
           {"peers", "NAMES", "which: " + (names.empty() ? "none built in" : joined(names))},
           {"align", "", "the alignments as well"},
           {"runs", "N", "measured runs of each (default: 5)"},
           {"limit", "TIME", "the longest that a run should take (default: any time)"}})
    group.flags.push_back(flag);
  return group;
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

/// The cores that a run of rhomb may use; nothing for a GPU.
std::optional<std::uint32_t> cores_of(const DistanceOptions& method, const Session& session) {
  if (method.engine == "reference" || method.variant == "reference") return 1;
  if (session.info() == nullptr || session.info()->limits.gpu) return std::nullopt;
  return session.info()->limits.compute_units;
}

/// Rhomb or a peer on a pair.
struct Contender {
  std::string name;
  const Peer* peer = nullptr;  ///< null: rhomb
  DistanceAnswer answer = {};
  std::vector<double> seconds = {};
};

class Contest {
 public:
  Contest(Session& session, Progress& progress, DistanceOptions method, std::vector<Peer> peers,
          int runs, double limit)
      : session_(session),
        progress_(progress),
        method_(std::move(method)),
        peers_(std::move(peers)),
        runs_(runs),
        limit_(limit),
        cores_(cores_of(method_, session)) {
    method_.store = &session_.store();
    method_.progress = [this](const wfa::Progress& now) { progress_.update(now); };
  }

  /// Of distances or alignments, the record of rhomb and those of the peers that have time; none if
  /// rhomb has none.
  std::vector<Json> measure(const PairAsked& asked, bool align) {
    std::vector<Contender> all;
    const std::string task = align ? " align" : "";
    if (has_time("rhomb" + task, asked)) all.push_back({"rhomb" + task});
    for (const Peer& peer : peers_)
      if (const std::string name =
              text_of(peer.name, peer.variant.empty() ? "" : " ", peer.variant, task);
          !all.empty() && has_time(name, asked))
        all.push_back({name, &peer});
    if (all.empty()) return {};
    const Sample pair = source_.make(asked);
    progress_.start(text_of(asked.name(), ", ", all.front().name, ", warming up"));
    answer_of(session_.open(), pair, method_, align);
    for (int run = 1; run <= runs_; ++run)
      for (Contender& one : all) {
        progress_.start(text_of(asked.name(), ", ", one.name, ", run ", std::to_string(run), " of ",
                                std::to_string(runs_)));
        take(one, pair, align);
        progress_.finish();
      }
    std::vector<Json> records;
    for (const Contender& one : all) {
      records.push_back(record_of(one, pair, asked, align));
      set_ratio(records.back(), records.front());
      const double used = one.peer == nullptr ? cores_.value_or(0) : 1;
      if (cores_)
        records.back()["core_ratio"] = records.back()["ratio"].get<double>() * used / *cores_;
      foresight_.learn(asked, one.name, median(one.seconds));
    }
    check_agreement(records);
    return records;
  }

 private:
  /// Says so and remembers it if a run would be too long.
  bool has_time(const std::string& name, const PairAsked& asked) {
    if (foresight_.stopped(asked, name)) return false;
    const double foreseen = foresight_.seconds(asked, name);
    if (foreseen <= limit_) return true;
    foresight_.stop(asked, name);
    progress_.note(text_of("rhomb: ", name, ", divergence ", asked.series(), ": lengths from ",
                           with_commas(asked.length), " on are left out, a run would take up to ",
                           human_seconds(foreseen), ", longer than --limit, ",
                           human_seconds(limit_)));
    return false;
  }

  void take(Contender& one, const Sample& pair, bool align) {
    if (one.peer == nullptr) {
      one.answer = answer_of(session_.open(), pair, method_, align);
      one.seconds.push_back(one.answer.timing.total);
      return;
    }
    const double begin = now();
    const auto run = align ? one.peer->align : one.peer->distance;
    one.answer.distance = run(pair.query.symbols, pair.target.symbols);
    one.seconds.push_back(now() - begin);
    one.answer.variant = one.peer->variant;
    one.answer.device = "host";
  }

  Json record_of(const Contender& one, const Sample& pair, const PairAsked& asked,
                 bool align) const {
    Json record = cli::record_of(one.answer, pair, median(one.seconds));
    if (one.peer != nullptr) record["program"] = one.peer->name;
    const std::uint32_t used = one.peer == nullptr ? cores_.value_or(0) : 1;
    record["align"] = align;
    record["best"] = std::ranges::min(one.seconds);
    record["runs"] = runs_;
    record["cores"] = used > 0 ? Json(used) : Json();
    record["core_ratio"] = nullptr;
    record["spread"] = spread_of(one.seconds);
    if (one.peer == nullptr && asked.repeatable())
      record["asked"] = json_of(Asked{asked, method_, runs_, align});
    return record;
  }

  Session& session_;
  Progress& progress_;
  PairSource source_;
  DistanceOptions method_;
  std::vector<Peer> peers_;
  int runs_;
  double limit_;
  std::optional<std::uint32_t> cores_;
  Foresight foresight_;
};

}  // namespace

int bench_peers(int argc, const char* const* argv) {
  // The peers are asked for the distance, however large.
  CommandLine line(peers_bench_help(),
                   {peers_bench_group(), without(method_group(), {"max-distance"}), input_group(),
                    device_group(), output_group(kTableFormats)});
  if (!parse_or_help(line, argc, argv)) return 0;
  const DistanceOptions method = parse_method(line);
  if (method.ambiguous != seq::Ambiguous::kSymbol)
    throw UsageError("the peers do not know --ambiguous match and mismatch" + line.pointer());
  const auto peers = chosen_peers(line);
  const auto pairs = parse_pairs(line, kAxes);
  const int runs = line.count("runs", 5, 1);
  const double limit = line.has("limit") ? parse_duration(line.text("limit"), "--limit")
                                         : std::numeric_limits<double>::infinity();
  Bench bench(line);
  for (const auto& name : missing_peers())
    bench.progress.note("rhomb: " + name + " was not found when rhomb was built and is left out");
  Contest contest(bench.open(needs_device(method)), bench.progress, method, peers, runs, limit);
  std::vector<Json> records;
  for (const PairAsked& asked : pairs)
    for (const bool align : {false, true})
      if (!align || line.has("align"))
        for (const Json& record : contest.measure(asked, align)) records.push_back(record);
  bench.write(records);
  return 0;
}

}  // namespace rhomb::cli
