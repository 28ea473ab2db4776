// SPDX-License-Identifier: Apache-2.0
#include "host/ocl/sources.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "host/error.h"
#include "host/read.h"

namespace rhomb::ocl {
namespace {

namespace fs = std::filesystem;

/// `path` without "." and "..", or nothing if it leads out of the root.
std::optional<std::string> inside(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  if (normal.empty() || normal.is_absolute() || *normal.begin() == "..") return std::nullopt;
  return normal.generic_string();
}

/// The file that a line `#include "file"` names, or nothing.
std::optional<std::string_view> included(std::string_view line) {
  const auto skip_blank = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blank();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blank();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(7);
  skip_blank();
  if (!line.starts_with('"')) return std::nullopt;
  line.remove_prefix(1);
  const std::size_t end = line.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  return line.substr(0, end);
}

std::string line_directive(int line, const std::string& label) {
  std::string text = "#line " + std::to_string(line) + " \"";
  for (const char c : label) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"\n";
}

class Expansion {
 public:
  explicit Expansion(const Sources& sources) : sources_(sources) {}

  void add(const std::string& path, const std::string& text) {
    seen_.insert(path);
    const std::string label = sources_.label(path);
    out_ += line_directive(1, label);
    int number = 0;
    for (std::string_view rest = text; !rest.empty();) {
      ++number;
      std::string_view line = next_line(rest);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (const auto name = included(line)) {
        include(path, number, *name);
        out_ += line_directive(number + 1, label);
      } else {
        (out_ += line) += '\n';
      }
    }
  }
  std::string take() { return std::move(out_); }

 private:
  void include(const std::string& from, int line, std::string_view name) {
    const fs::path beside = fs::path(from).parent_path() / name;
    for (const fs::path& candidate : {beside, fs::path(name)})
      if (const auto path = inside(candidate)) {
        if (seen_.contains(*path)) return;
        if (const auto text = sources_.text(*path)) return add(*path, *text);
      }
    throw UsageError("kernel file '" + sources_.label(from) + "', line " + std::to_string(line) +
                     ": there is no '" + std::string(name) + "' to include");
  }

  const Sources& sources_;
  std::set<std::string> seen_;
  std::string out_;
};

}  // namespace

std::optional<std::string> Sources::text(std::string_view path) const {
  const auto normal = inside(path);
  if (!normal) return std::nullopt;
  if (!dir_.empty()) {
    const fs::path file = fs::path(dir_) / *normal;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return std::nullopt;
    return text_of_file(file.string());
  }
  const auto files = embedded_sources();
  const auto found = std::ranges::find(files, *normal, &SourceFile::path);
  if (found == files.end()) return std::nullopt;
  return std::string(found->text);
}

std::string Sources::label(std::string_view path) const {
  return (fs::path(dir_.empty() ? "cl" : dir_) / path).lexically_normal().generic_string();
}

std::string Sources::expand(std::string_view path) const {
  const auto normal = inside(path);
  const auto text = normal ? this->text(*normal) : std::nullopt;
  if (!text) throw UsageError("there is no kernel file '" + label(path) + "'");
  Expansion expansion(*this);
  expansion.add(*normal, *text);
  return expansion.take();
}

}  // namespace rhomb::ocl
