// SPDX-License-Identifier: Apache-2.0
// What the program says about itself: help, manual pages, completions. All is made of the tables of
// verbs and options that command lines are read with, so nothing can be out of date.
#pragma once

#include <string>
#include <string_view>

#include "tools/cli/command_line.h"
#include "tools/cli/verbs.h"

namespace rhomb::cli {

inline constexpr std::string_view kIdea =
    "exact edit distances of very long sequences, on any OpenCL device";
inline constexpr std::string_view kExitCodes =
    R"(0 done; 1 internal error; 2 usage; 3 input or output; 4 no device, or a device error;
5 out of memory (host or device); 6 a self-test or check failed;
7 the run was stopped.)";

/// The verb of this name. Throws UsageError with the nearest one.
const Verb& find_verb(std::string_view name);
/// The options of a verb, and what its --help says around them.
CommandLine described(const Verb& verb);

/// What rhomb --help says.
Help program_help();
std::string program_text();
/// What rhomb --version says: a line with the version, then build options and libraries.
std::string version_text();

/// rhomb(1), in mdoc(7).
std::string manual();
/// rhomb-VERB(1).
std::string manual(const Verb& verb);

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace rhomb::cli
