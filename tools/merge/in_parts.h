// SPDX-License-Identifier: Apache-2.0
// A run over many records that is made in parts (--shard), each of which is kept when it is
// complete (--checkpoint, --resume): what a run that was ended has made is not made again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command_line.h"

namespace rhomb::cli {

/// `group` with --checkpoint, --resume and --parts.
Group in_parts(Group group);

/// Whether that is asked for. Throws UsageError where it is asked for in a way that there is not.
bool is_in_parts(const CommandLine& line);

/// Makes the parts that are not there yet, and prints all: byte for byte what one run prints.
/// `format` and `files` as shard_head() takes them; `by_order`: the records of two files are
/// compared so, which have to be equally many. Throws UsageError for a folder that another run
/// writes to, or that a new run would find parts in; InputError for parts of another run.
int run_in_parts(const CommandLine& line, std::string_view verb, const std::string& format,
                 const std::vector<std::string>& files, bool by_order = false);

/// The arguments that were given, but for options of these names.
std::vector<std::string> arguments_of(const CommandLine& line,
                                      const std::vector<std::string>& without);

}  // namespace rhomb::cli
