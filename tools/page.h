// SPDX-License-Identifier: Apache-2.0
// Page: what the reports have in common: a directory with a page that any browser opens, with no
// network, and the files beside it.
#pragma once

#include <string>
#include <string_view>

namespace rhomb::cli {

/// The page's beginning up to its body, with the style of the reports: `section`, `.pictures`,
/// `.several`, `.alone`, `.notes`, `dl` and `table`. The end is "</body>\n</html>\n".
std::string page_head(std::string_view title);

/// A picture as part of a page: without what a file begins with.
std::string inlined(const std::string& svg);

/// "<dt>Device</dt><dd>NVIDIA H200</dd>\n", both escaped.
std::string page_entry(std::string_view name, std::string_view value);

/// Makes a directory and returns its name with a '/' behind. Throws UsageError, which names the
/// option `what`.
std::string make_directory(const std::string& path, std::string_view what);

/// Writes a file completely or not at all.
void write_file(const std::string& path, std::string_view text);

/// "2026-11-21"
std::string today();

}  // namespace rhomb::cli
