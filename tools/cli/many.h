// SPDX-License-Identifier: Apache-2.0
// What the verbs for many sequences share: options, and what is shown meanwhile.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/engine/variant.h"
#include "tools/cli/options.h"

namespace rhomb::cli {

/// --variant, --config and --memory of `verb`, that of `records` on their way. `usual` says which
/// variant is taken by itself.
Group many_method_group(const std::string& verb, const std::string& usual,
                        const std::string& records);
/// --device, where several share `records`.
Group many_device_group(const std::string& records);

/// Reads those into the options of a Run of search, lcs or gaps; --config may name what `usual` or
/// the variant that is asked for has. Throws UsageError.
template <class Options, class Variant>
void parse_many(const CommandLine& line, std::span<const Variant> variants,
                const tune::Space& usual, Options& run) {
  if constexpr (requires { run.ambiguous; }) run.ambiguous = parse_ambiguous(line);
  run.memory =
      static_cast<std::size_t>(line.size("memory").value_or(static_cast<std::int64_t>(run.memory)));
  run.threads = parse_threads(line);
  run.config = tune::Config::parse(line.text("config"));
  try {
    if (line.has("variant")) run.variant = &find_variant(variants, line.text("variant"));
    run.config.check_names(run.variant != nullptr ? run.variant->space : usual);
  } catch (const UsageError& error) {
    throw UsageError(error.what() + line.pointer());
  }
}

/// What is shown while a run lasts: with `auto` nothing where records on a terminal show it
/// themselves, or where nobody looks. `prints`: records come out during the run.
ProgressKind shown_progress(const CommandLine& line, const OutputOptions& output, bool prints);

}  // namespace rhomb::cli
