// SPDX-License-Identifier: Apache-2.0
// What the parts of `rhomb tune` share.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/tune/variants.h"

namespace rhomb::cli {

/// `rhomb tune --list`, `--export` and `--import`: what was measured, and to share.
int tune_list(const CommandLine& line);
int tune_export(const CommandLine& line);
int tune_import(const CommandLine& line);
/// `rhomb tune --forget`: takes the damaged lines out of the user's files.
int tune_forget(const CommandLine& line);

/// The variants of the verb, engine and variants that the command line asks for. Throws UsageError.
std::vector<TunedVariant> chosen_variants(const CommandLine& line);

}  // namespace rhomb::cli
