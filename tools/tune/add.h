// SPDX-License-Identifier: Apache-2.0
// add_line: what tuning found goes into the user's store, or its evidence.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "host/error.h"
#include "host/tune/seal.h"

namespace rhomb::cli {

/// Adds a line to a file, or several with line ends between; nothing where there is no place for
/// it (an empty path). Throws OutputError where it cannot be written: nothing would be kept of all
/// that is measured.
inline void add_line(const std::string& path, const std::string& line) {
  if (!path.empty() && !tune::append_line(path, line))
    throw OutputError("cannot write to '" + path + "': " + std::strerror(errno));
}

}  // namespace rhomb::cli
