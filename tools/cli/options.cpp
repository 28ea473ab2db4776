// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "host/wfa/wfa.h"
#include "tools/cli/messages.h"
#include "tools/cli/output.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr const char* kReference = "reference";

const std::vector<std::string> kAmbiguous = {"symbol", "match", "mismatch", "error"};
const std::vector<std::string> kAlphabets = {"auto", "dna", "bytes"};
const std::vector<std::string> kFileFormats = {"auto", "fasta", "fastq", "lines", "raw"};
const std::vector<std::string> kEngines = {"auto", "strips", "wavefront", kReference};
const std::vector<std::string> kProgress = {"auto", "plain", "json", "none"};

}  // namespace

Group input_group() {
  return {
      "Input",
      {{"all-pairs", "", "every record of A with every record of B (default: by order)"},
       {"concat", "", "join the records of each file into one sequence"},
       {"record", "NAME", "only the record called NAME, in each file that has it; repeatable"},
       {"ambiguous", "WHAT",
        "N and the other IUPAC codes: symbol (each equals only itself, the default), match "
        "(what may be equal is), mismatch (never equal), error (not allowed)"},
       {"alphabet", "WHAT",
        "symbols allowed: auto (letters * - .; with --input-format lines or raw all printable), "
        "dna, bytes (all). Spaces and tabs at the ends of lines are dropped and elsewhere an "
        "error, "
        "in all formats; they are symbols of bytes (default: auto)"},
       {"input-format", "WHAT",
        "auto (by the first symbol: > is fasta, @ is fastq, any other is lines of letters), fasta, "
        "fastq, lines (one sequence a line), raw (the file is one sequence)"},
       {"case-sensitive", "", "a is not A"}}};
}

Group method_group() {
  return {
      "Method",
      {{"max-distance", "D", "give up once the distance is known to exceed D; 10k, 3M, 2G"},
       {"engine", "NAME", "auto, strips, wavefront, reference (plain, on the CPU; default: auto)"},
       {"variant", "NAME", "force a variant; rhomb variants lists them"},
       {"config", "K=V,...",
        "force tunables of the variant, as in WG=128,K=4; rhomb variants NAME lists them"}}};
}

Group without(Group group, const std::vector<std::string>& names) {
  std::erase_if(group.flags, [&](const Flag& flag) {
    return std::ranges::find(names, flag.name) != names.end();
  });
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

Flag trace_flag() {
  return {"trace", "FILE",
          "write a time line of host and device to FILE (Chrome's JSON: open it in ui.perfetto.dev "
          "or speedscope.app), and say on stderr how busy the device was; makes a run slower",
          FileUse::kWritten};
}

Flag output_flag() {
  return {"o,output", "FILE", "write to FILE, which appears when complete (default: -, stdout)",
          FileUse::kWritten};
}

Group output_group(bool table) {
  return {"Output",
          {{"format", "WHAT", table ? "tsv, json or table" : "tsv, or json: one object a line"},
           output_flag(),
           {"progress", "WHAT",
            "on stderr: auto (a line on a terminal), plain, none, or json: then all that is said "
            "there is one object a line (default: auto)"}}};
}

Flag threads_flag() {
  return {"t,threads", "N", "threads of the host (default: as many as it has cores)"};
}

seq::Ambiguous parse_ambiguous(const CommandLine& line) {
  switch (line.choice("ambiguous", kAmbiguous)) {
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
  input.read.alphabet = static_cast<seq::AlphabetKind>(line.choice("alphabet", kAlphabets));
  input.read.format = static_cast<seq::FileFormat>(line.choice("input-format", kFileFormats));
  input.read.case_sensitive = line.has("case-sensitive");
  input.read.warn = [](const std::string& what) { say(what); };
  input.forbid_ambiguous = kAmbiguous[line.choice("ambiguous", kAmbiguous)] == "error";
  input.all_pairs = line.has("all-pairs");
  input.concat = line.has("concat");
  input.records = line.texts("record");
  if (input.all_pairs && input.concat)
    throw UsageError("--all-pairs and --concat exclude each other" + line.pointer());
  return input;
}

DistanceOptions parse_method(const CommandLine& line, const std::string& usual) {
  DistanceOptions method;
  method.engine = kEngines[line.choice("engine", kEngines)];
  if (!line.has("engine") && !line.has("variant")) method.engine = usual;
  method.variant = line.text("variant");
  method.config = tune::Config::parse(line.text("config"));
  method.max_distance = line.size("max-distance");
  method.ambiguous = parse_ambiguous(line);
  method.check = line.has("check");
  method.may_measure = true;
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
  std::error_code ignored;
  if (line.has("kernels") && !std::filesystem::is_directory(device.open.kernels_dir, ignored))
    throw UsageError("--kernels: there is no directory '" + device.open.kernels_dir + "'");
  return device;
}

std::string parse_trace(const CommandLine& line) {
  std::string file = line.text("trace");
  if (file == "-")
    throw UsageError("--trace writes a file of its own, not to standard output" + line.pointer());
  return file;
}

OutputOptions parse_output(const CommandLine& line, bool table, Format usual) {
  OutputOptions output;
  output.format = usual;
  std::vector<std::string> formats = {"tsv", "json"};
  if (table) formats.emplace_back("table");
  if (line.has("format")) output.format = static_cast<Format>(line.choice("format", formats));
  output.file = line.text("output", "-");
  return output;
}

ProgressKind parse_progress(const CommandLine& line) {
  return static_cast<ProgressKind>(line.choice("progress", kProgress));
}

int parse_threads(const CommandLine& line) { return line.count("threads", 0, 1); }

bool needs_device(const DistanceOptions& method) { return needs_opencl(method); }

std::vector<std::string> variant_names(std::string_view engine) {
  std::vector<std::string> names;
  if (engine != "wavefront")
    for (const auto& row : strip::variants()) names.emplace_back(row.name);
  if (engine != "strips")
    for (const auto& row : wfa::variants()) names.emplace_back(row.name);
  return names;
}

bool parse_or_help(CommandLine& line, int argc, const char* const* argv) {
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
