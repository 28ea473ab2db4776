// SPDX-License-Identifier: Apache-2.0
// The options that verbs have in common: how they read on the command line, and what they mean.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/dist/shard.h"
#include "host/distance/distance.h"
#include "host/ocl/device.h"
#include "host/seq/reader.h"
#include "tools/cli/command_line.h"

namespace rhomb::cli {

/// How the input files are read, and which of their records are compared.
struct InputOptions {
  seq::ReadOptions read;
  bool forbid_ambiguous = false;     ///< --ambiguous error
  bool all_pairs = false;            ///< every record of A with every record of B
  bool concat = false;               ///< the records of a file are one sequence
  Shard shard;                       ///< only its part of queries or pairs
  std::vector<std::string> records;  ///< only records of these names; empty: all
  trace::Trace* trace = nullptr;     ///< records the reading, unless it is null
};

/// Where to compute.
struct DeviceOptions {
  std::string selector;  ///< --device, else $RHOMB_DEVICE
  ocl::DeviceOptions open;
};

enum class Format { kTsv, kJson, kTable, kPaf, kSam, kVcf };
/// The formats of a verb, the default first.
inline constexpr std::array kRecordFormats = {Format::kTsv, Format::kJson};
inline constexpr std::array kTableFormats = {Format::kTsv, Format::kJson, Format::kTable};
inline constexpr std::array kListFormats = {Format::kTable, Format::kTsv, Format::kJson};
inline constexpr std::array kOccurrenceFormats = {Format::kTsv, Format::kJson, Format::kPaf};
inline constexpr std::array kAlignmentFormats = {Format::kTsv, Format::kJson, Format::kPaf,
                                                 Format::kSam};
inline constexpr std::array kGlobalFormats = {Format::kPaf, Format::kSam, Format::kTsv,
                                              Format::kJson, Format::kVcf};
inline constexpr std::array kSummaryFormats = {Format::kTsv, Format::kJson};
enum class ProgressKind { kAuto, kPlain, kJson, kNone };

struct OutputOptions {
  Format format = Format::kTsv;
  std::string file = "-";
};

Group input_group();
Group method_group();
/// `group` without the flags of these names.
Group without(Group group, const std::vector<std::string>& names);
/// `group` with --shard of these records.
Group sharded(Group group, const std::string& records);
Group device_group();
/// --threads, --explain, --check and --trace. `records`: those of which only the first are planned
/// and only a sample is checked; empty: all are.
Group run_group(const std::string& records);
/// --format, --output and --progress.
Group output_group(std::span<const Format> formats);

/// Whether one of the symbols' meanings was asked for; `error` is InputOptions' business.
seq::Ambiguous parse_ambiguous(const CommandLine& line);
InputOptions parse_input(const CommandLine& line);
/// Engine, variant, configuration, largest distance and check, names checked against the table.
/// `usual` is the engine where neither an engine nor a variant is given.
DistanceOptions parse_method(const CommandLine& line, const std::string& usual = "auto");
/// 0 where --threads is not given.
std::size_t parse_threads(const CommandLine& line);
DeviceOptions parse_device(const CommandLine& line);
/// The file that --trace names; empty without it. Throws UsageError for standard output, and where
/// --explain runs nothing.
std::string parse_trace(const CommandLine& line);
OutputOptions parse_output(const CommandLine& line, std::span<const Format> formats);
/// "tsv"
std::string format_name(Format format);
ProgressKind parse_progress(const CommandLine& line);

/// False if the reference was asked for, which needs no OpenCL.
bool needs_device(const DistanceOptions& method);

/// The names of the variants of an engine of distance, or of both.
std::vector<std::string> variant_names(std::string_view engine = "auto");

/// Reads the arguments. When --help is among them, prints it and returns false. Where there are
/// none, not even the name of the verb, throws `line`: see described().
bool parse_or_help(CommandLine& line, int argc, const char* const* argv);

}  // namespace rhomb::cli
