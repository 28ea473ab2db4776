// SPDX-License-Identifier: Apache-2.0
// What the parts of `rhomb tune` share.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/cli/options.h"
#include "tools/tune/variants.h"

namespace rhomb::cli {

/// Answers questions on standard input until there are no more; see tune_child.cpp.
int run_tune_child(const DeviceOptions& device);

/// `rhomb tune --list`, `--export` and `--import`: what was measured, and to share.
int tune_list(const CommandLine& line);
int tune_export(const CommandLine& line);
int tune_import(const CommandLine& line);
/// `rhomb tune --forget`: takes the damaged lines out of the user's files.
int tune_forget(const CommandLine& line);

/// The variants of the verb, engine and variants that the command line asks for. Throws UsageError.
std::vector<TunedVariant> chosen_variants(const CommandLine& line);

/// 16 digits that change when a kernel does.
std::string kernels_hash(const DeviceOptions& device);

}  // namespace rhomb::cli
