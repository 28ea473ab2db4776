// SPDX-License-Identifier: Apache-2.0
// The options that verbs have in common: how they read on the command line, and what they mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/ocl/device.h"
#include "host/rhomb.h"
#include "host/seq/reader.h"
#include "tools/cli/command_line.h"

namespace rhomb::cli {

/// How the input files are read, and which of their records are compared.
struct InputOptions {
  seq::ReadOptions read;
  bool forbid_ambiguous = false;     ///< --ambiguous error
  bool all_pairs = false;            ///< every record of A with every record of B
  bool concat = false;               ///< the records of a file are one sequence
  std::vector<std::string> records;  ///< only records of these names; empty: all
  trace::Trace* trace = nullptr;     ///< records the reading, unless it is null
};

/// Where to compute.
struct DeviceOptions {
  std::string selector;  ///< --device, else $RHOMB_DEVICE
  ocl::DeviceOptions open;
};

enum class Format { kTsv, kJson, kTable };
enum class ProgressKind { kAuto, kPlain, kJson, kNone };

struct OutputOptions {
  Format format = Format::kTsv;
  std::string file = "-";
};

Group input_group();
Group method_group();
/// `group` without the flags of these names.
Group without(Group group, const std::vector<std::string>& names);
Group device_group();
/// --trace, for the verbs that have it.
Flag trace_flag();
/// --output.
Flag output_flag();
/// --threads, for the verbs that use several on the host.
Flag threads_flag();
/// With `--format table` for the verbs that have it.
Group output_group(bool table);

/// Whether one of the symbols' meanings was asked for; `error` is InputOptions' business.
seq::Ambiguous parse_ambiguous(const CommandLine& line);
InputOptions parse_input(const CommandLine& line);
/// Engine, variant, configuration, largest distance and check, names checked against the table.
/// `usual` is the engine where neither an engine nor a variant is given.
DistanceOptions parse_method(const CommandLine& line, const std::string& usual = "auto");
DeviceOptions parse_device(const CommandLine& line);
/// The file that --trace names; empty without it. Throws UsageError for standard output.
std::string parse_trace(const CommandLine& line);
/// `usual` is the format when none is given; `table` says whether the verb has that one.
OutputOptions parse_output(const CommandLine& line, bool table, Format usual = Format::kTsv);
ProgressKind parse_progress(const CommandLine& line);
/// Threads of the host; 0 where as many are meant as there are cores.
int parse_threads(const CommandLine& line);

/// False if the reference was asked for, which needs no OpenCL.
bool needs_device(const DistanceOptions& method);

/// The names of the variants of an engine of distance, or of both.
std::vector<std::string> variant_names(std::string_view engine = "auto");

/// Reads the arguments. When --help is among them, prints it and returns false.
bool parse_or_help(CommandLine& line, int argc, const char* const* argv);

}  // namespace rhomb::cli
