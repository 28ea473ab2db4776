// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/many.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "tools/cli/text.h"

namespace rhomb::cli {

Group many_method_group(const std::string& verb, const std::string& usual,
                        const std::string& records, std::vector<std::string> variants) {
  return {"Method",
          {one_of("variant", "NAME",
                  text_of("force a variant; rhomb variants ", verb, " lists them (default: ", usual,
                          ")"),
                  std::move(variants)),
           {"config", "K=V,...",
            "force tunables of the variant, as in WG=128 (default: what rhomb tune found, else the "
            "plan's own)"},
           {"memory", "BYTES",
            text_of("about so much of the host's memory is used for ", records,
                    "; 200M, 2G (default: 1G)")}}};
}

Group many_device_group(const std::string& records) {
  Group group = device_group();
  group.flags.front().help += text_of("; several share the ", records, ", as in 0,1, or all");
  return group;
}

ProgressKind shown_progress(const CommandLine& line, const OutputOptions& output, bool prints) {
  const ProgressKind kind = parse_progress(line);
  const bool seen = prints && output.file == "-" && isatty(STDOUT_FILENO) != 0;
  return kind == ProgressKind::kAuto && (seen || isatty(STDERR_FILENO) == 0) ? ProgressKind::kNone
                                                                             : kind;
}

namespace {

DeviceOptions traced(DeviceOptions options, trace::Trace* trace) {
  options.open.trace = trace;
  return options;
}

}  // namespace

ManyRun::ManyRun(const CommandLine& line, OutputOptions output, bool prints, bool on_opencl,
                 ShardHead shard)
    : output_(std::move(output)),
      kind_(shown_progress(line, output_, prints)),
      tracing_(parse_trace(line)),
      input_(parse_input(line)),
      session_(traced(parse_device(line), tracing_.get()), on_opencl, Session::Count::kSeveral),
      out_(output_.file, std::move(shard)),
      progress_(kind_) {
  input_.trace = tracing_.get();
}

}  // namespace rhomb::cli
