// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/many.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "tools/cli/text.h"

namespace rhomb::cli {

Devices::Devices(const DeviceOptions& options, bool needed) {
  if (!needed) return;
  for (const ocl::DeviceInfo& device : choose_devices(options))
    sessions_.emplace_back(options, device);
}

std::vector<batch::DeviceChoice> Devices::choices() {
  std::vector<batch::DeviceChoice> choices;
  for (Session& session : sessions_)
    choices.push_back({session.info(), [&session]() -> ocl::Device& { return *session.open(); }});
  return choices;
}

std::string Devices::described() const {
  std::string all;
  for (const Session& session : sessions_)
    all +=
        text_of(all.empty() ? "" : "; ", session.info()->name, ", driver ", session.info()->driver);
  return all.empty() ? "host" : all;
}

ProgressKind shown_progress(const CommandLine& line, const OutputOptions& output, bool prints) {
  const ProgressKind kind = parse_progress(line);
  const bool seen = prints && output.file == "-" && isatty(STDOUT_FILENO) != 0;
  return kind == ProgressKind::kAuto && (seen || isatty(STDERR_FILENO) == 0) ? ProgressKind::kNone
                                                                             : kind;
}

}  // namespace rhomb::cli
