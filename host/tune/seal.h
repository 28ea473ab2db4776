// SPDX-License-Identifier: Apache-2.0
// seal: lines of a store that carry a checksum, so that a damaged one is never trusted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rhomb::tune {

/// A JSON object as one line that ends with its checksum, as a last key `sum`: no line end.
/// `object` is not empty, "{...}".
std::string sealed(std::string_view object);

/// The object of a sealed line; nothing if it has no checksum or another one.
std::optional<std::string> opened(std::string_view line);

/// Adds a line to a file, which is made with its directory if need be, in one write: several
/// processes may add at once, and one that is killed leaves whole lines. Where the file ends in a
/// torn line (another program's), that one is ended first. False when it is impossible; errno says
/// why, and the file is as before.
bool append_line(const std::string& path, std::string_view line);

}  // namespace rhomb::tune
