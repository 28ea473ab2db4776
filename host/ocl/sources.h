// SPDX-License-Identifier: Apache-2.0
// Kernel sources: embedded at build time by tools/embed.cmake, or read from a directory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rhomb::ocl {

/// A kernel file in the program. `path` is below the kernel root: "wfa/fused.cl".
struct SourceFile {
  std::string_view path;
  std::string_view text;
};

/// All files below cl/, ordered by path. Defined in the file that tools/embed.cmake writes.
std::span<const SourceFile> embedded_sources();

/// Where kernel sources come from.
class Sources {
 public:
  /// Files below `dir`, or the embedded ones when `dir` is empty.
  explicit Sources(std::string dir) : dir_(std::move(dir)) {}

  /// The text of the file at `path` below the root; nothing if there is none, or if `path` leads
  /// out of the root.
  std::optional<std::string> text(std::string_view path) const;

  /// What compilers and errors call the file: "cl/wfa/fused.cl", or its path on disk.
  std::string label(std::string_view path) const;

  /// The text of `path` in which each `#include "file"` is replaced with the file, found beside the
  /// including file or else below the root, the first time and with nothing later; #line keeps a
  /// compiler's messages true. An include must not depend on an #if. Throws UsageError when a file
  /// is missing.
  std::string expand(std::string_view path) const;

 private:
  std::string dir_;
};

}  // namespace rhomb::ocl
