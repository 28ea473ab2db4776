// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "host/corridor/corridor.h"
#include "host/distance/methods.h"
#include "host/strip/strip.h"
#include "host/wfa/wfa.h"
#include "tools/cli/messages.h"
#include "tools/cli/output.h"
#include "tools/cli/shard.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr const char* kReference = "reference";

const std::vector<std::string> kAmbiguous = {"symbol", "match", "mismatch", "error"};
const std::vector<std::string> kAlphabets = {"auto", "dna", "bytes"};
const std::vector<std::string> kFileFormats = {"auto", "fasta", "fastq", "lines", "raw"};
const std::vector<std::string> kEngines = {"auto", "strips", "corridor", "wavefront", kReference};
const std::vector<std::string> kFormats = {"tsv", "json", "table",
                                           "paf", "sam",  "vcf"};  ///< as Format has them
const std::vector<std::string> kProgress = {"auto", "plain", "json", "none"};

std::vector<std::string> names_of(std::span<const Format> formats) {
  std::vector<std::string> names;
  for (const Format format : formats) names.push_back(kFormats[static_cast<std::size_t>(format)]);
  return names;
}

}  // namespace

Group input_group() {
  return {
      "Input",
      {{"all-pairs", "",
        "compare every record of A with every record of B (default: first with first, and so on)"},
       {"concat", "", "join the records of each file into one sequence"},
       {"record", "NAME", "only the record called NAME, in each file that has it; repeatable"},
       one_of("ambiguous", "WHAT",
              "how N and the other IUPAC codes match: symbol (only themselves, the default), match "
              "(every base that they stand for), mismatch (nothing), error (they are refused)",
              kAmbiguous),
       one_of(
           "alphabet", "WHAT",
           "which symbols are allowed: auto (letters and * - .; all that can be printed with "
           "--input-format lines or raw), dna, or bytes (all). Spaces and tabs are dropped at the "
           "ends of lines and refused within them; with bytes they are symbols (default: auto)",
           kAlphabets),
       one_of(
           "input-format", "WHAT",
           "auto (by the first symbol: > is fasta, @ is fastq, a letter is lines), fasta, fastq, "
           "lines "
           "(one sequence per line), raw (the file is one sequence)",
           kFileFormats),
       {"case-sensitive", "", "a and A are different symbols (default: the same)"}}};
}

Group method_group() {
  std::vector<std::string> names;
  for (const Method& method : all_methods()) names.emplace_back(method.variant);
  return {"Method",
          {{"max-distance", "D",
            "stop once the distance is known to exceed D; sizes may be written 10k, 3M, 2G"},
           one_of("engine", "NAME",
                  "auto, strips, corridor, wavefront, reference (plain, on the CPU; default: auto)",
                  kEngines),
           one_of("variant", "NAME", "force a variant; rhomb variants lists them", names),
           {"config", "K=V,...",
            "force tunables of the variant, as in WG=128,K=4; rhomb variants NAME lists them"}}};
}

Group without(Group group, const std::vector<std::string>& names) {
  std::erase_if(group.flags, [&](const Flag& flag) {
    return std::ranges::find(names, flag.name) != names.end();
  });
  return group;
}

Group sharded(Group group, const std::string& records) {
  group.flags.push_back(shard_flag(records));
  return group;
}

Group device_group() {
  return {
      "Device",
      {{"d,device", "DEVICE",
        "index, part of the name or of the platform (as in pocl), cpu or gpu; see rhomb devices "
        "(default: $RHOMB_DEVICE, else the fastest GPU, else the CPU)"},
       {"kernels", "DIR", "read the kernels from DIR, not from the program itself"},
       {"no-cache", "", "neither read nor keep compiled kernels on disk"}}};
}

Group run_group(const std::string& records) {
  const bool all = records.empty();
  return {"Run",
          {{"t,threads", "N",
            "compute with at most N threads of the host (default: one for each core)"},
           {"explain", "",
            all ? "print the plan and the reasons for it, run nothing"
                : text_of("print the plan for the first ", records, ", run nothing")},
           {"check", "",
            text_of("compute ", all ? "" : "a sample ",
                    "again in an independent way and compare; exit code 6 if wrong")},
           {"trace", "FILE",
            "write a time line of host and device to FILE (Chrome's JSON: open it in "
            "ui.perfetto.dev or speedscope.app), and say on stderr how busy the device was; makes "
            "a run slower",
            FileUse::kWritten}}};
}

Group output_group(std::span<const Format> formats) {
  const auto names = names_of(formats);
  return {
      "Output",
      {one_of("format", "WHAT",
              text_of(joined(names), " (default: ", names.front(), "); json: one object per line"),
              names),
       {"o,output", "FILE", "write to FILE, which appears when complete (default: -, stdout)",
        FileUse::kWritten},
       one_of("progress", "WHAT",
              "what is said on stderr meanwhile: auto (a line on a terminal), plain, none, or "
              "json, where messages too are one object per line (default: auto)",
              kProgress)}};
}

seq::Ambiguous parse_ambiguous(const CommandLine& line) {
  switch (line.choice("ambiguous")) {
    case 1:
      return seq::Ambiguous::kMatch;
    case 2:
      return seq::Ambiguous::kMismatch;
    default:
      return seq::Ambiguous::kSymbol;
  }
}

InputOptions parse_input(const CommandLine& line) {
  InputOptions input;
  input.read.alphabet = static_cast<seq::AlphabetKind>(line.choice("alphabet"));
  input.read.format = static_cast<seq::FileFormat>(line.choice("input-format"));
  input.read.case_sensitive = line.has("case-sensitive");
  input.read.warn = [](const std::string& what) { say(what); };
  input.forbid_ambiguous = kAmbiguous[line.choice("ambiguous")] == "error";
  input.all_pairs = line.has("all-pairs");
  input.concat = line.has("concat");
  input.records = line.texts("record");
  input.shard = parse_shard(line);
  if (input.all_pairs && input.concat)
    throw UsageError("--all-pairs and --concat exclude each other" + line.pointer());
  return input;
}

std::size_t parse_threads(const CommandLine& line) {
  return static_cast<std::size_t>(line.count("threads", 0, 1));
}

DistanceOptions parse_method(const CommandLine& line, const std::string& usual) {
  DistanceOptions method;
  line.choice("engine");
  method.engine = line.text("engine", kEngines.front());
  if (!line.has("engine") && !line.has("variant")) method.engine = usual;
  method.variant = line.text("variant");
  method.config = tune::Config::parse(line.text("config"));
  method.max_distance = line.size("max-distance");
  method.ambiguous = parse_ambiguous(line);
  method.check = line.has("check");
  method.may_measure = true;
  method.by_host = parse_device(line).selector.empty();
  try {
    check_method(method);
  } catch (const UsageError& error) {
    throw UsageError(error.what() + line.pointer());
  }
  return method;
}

DeviceOptions parse_device(const CommandLine& line) {
  DeviceOptions device;
  const char* const usual = std::getenv("RHOMB_DEVICE");
  device.selector = line.text("device", usual ? usual : "");
  device.open.kernels_dir = line.text("kernels");
  device.open.cache = !line.has("no-cache");
  device.open.warn = [](const std::string& what) { say("warning: " + what); };
  // Simulators of devices take minutes for what a self-test computes.
  const char* const tests = std::getenv("RHOMB_SELF_TESTS");
  device.open.self_tests = tests == nullptr || tests != std::string_view("0");
  std::error_code ignored;
  if (line.has("kernels") && !std::filesystem::is_directory(device.open.kernels_dir, ignored))
    throw UsageError("--kernels: there is no directory '" + device.open.kernels_dir + "'");
  return device;
}

std::string parse_trace(const CommandLine& line) {
  std::string file = line.text("trace");
  if (line.has("trace") && line.has("explain"))
    throw UsageError("--explain runs nothing that --trace could show" + line.pointer());
  if (file == "-")
    throw UsageError("--trace writes a file of its own, not to standard output" + line.pointer());
  return file;
}

OutputOptions parse_output(const CommandLine& line, std::span<const Format> formats) {
  OutputOptions output;
  output.format = formats[line.choice("format", names_of(formats))];
  output.file = line.text("output", "-");
  return output;
}

std::string format_name(Format format) { return kFormats[static_cast<std::size_t>(format)]; }

ProgressKind parse_progress(const CommandLine& line) {
  return static_cast<ProgressKind>(line.choice("progress"));
}

bool needs_device(const DistanceOptions& method) { return needs_opencl(method); }

std::vector<std::string> variant_names(std::string_view engine) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name, const auto& table) {
    if (engine != "auto" && engine != name) return;
    for (const auto& row : table) names.emplace_back(row.name);
  };
  add("strips", strip::variants());
  add("corridor", corridor::variants());
  add("wavefront", wfa::variants());
  return names;
}

bool parse_or_help(CommandLine& line, int argc, const char* const* argv) {
  if (argc == 0) throw CommandLine(line);
  // Before anything is said, a wrong command line included.
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") break;
    const std::string_view next = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--progress=json" || (argument == "--progress" && next == "json"))
      say_in_json();
  }
  line.parse(argc, argv);
  if (line.wants_help()) Output("-").write(line.help_text());
  return !line.wants_help();
}

}  // namespace rhomb::cli
