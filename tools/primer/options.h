// SPDX-License-Identifier: Apache-2.0
// The options of rhomb primer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/primer/run.h"
#include "host/primer/thermo.h"
#include "tools/cli/command_line.h"
#include "tools/cli/many.h"

namespace rhomb::cli {

enum class PrimerFormat { kTsv, kJson, kBed, kFasta, kBedgraph };

/// "bed"
std::string primer_format_name(PrimerFormat format);

/// Both borders belong to it.
struct Interval {
  double least = 0, most = 0;
  bool has(const std::optional<double>& value) const {
    return value && least <= *value && *value <= most;
  }
};

struct PrimerOptions : ManyOptions<primer::Options> {
  bool witness = false;
  std::optional<Interval> gc, tm;
  primer::Conditions conditions;
  bool partial = false;
  PrimerFormat format = PrimerFormat::kTsv;
};

Help primer_help();
std::vector<Group> primer_groups();
/// Those that no other verb has, --format among them.
PrimerOptions parse_primer(const CommandLine& line);

}  // namespace rhomb::cli
