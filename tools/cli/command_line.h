// SPDX-License-Identifier: Apache-2.0
// CommandLine: the options of a verb, its --help, and what was given. Values are text; who asks for
// one turns it into what it means.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rhomb::cli {

/// What is done with the file that an option names.
enum class FileUse { kNone, kRead, kWritten };

/// One option. `value` is how --help calls its value; empty for a switch.
struct Flag {
  std::string name;   ///< "device", or "d,device" when it has a letter as well
  std::string value;  ///< "DEVICE"
  std::string help;
  FileUse use = FileUse::kNone;  ///< if the value is the name of a file
  std::string old = {};          ///< its long name before; works for one release, with a note
  /// Values that there are, which shells offer, the default first; empty: there is no such list.
  std::vector<std::string> choices = {};

  std::string long_name() const { return name.substr(name.find(',') + 1); }
  /// "d" of "d,device"; empty without a letter.
  std::string letter() const {
    return name.find(',') == std::string::npos ? "" : name.substr(0, name.find(','));
  }
};

/// An option whose value is one of `choices`, see CommandLine::choice().
inline Flag one_of(std::string name, std::string value, std::string help,
                   std::vector<std::string> choices) {
  return {std::move(name),   std::move(value), std::move(help), FileUse::kNone, "",
          std::move(choices)};
}

/// Options that stand together in --help.
struct Group {
  std::string title;
  std::vector<Flag> flags;
};

/// What --help says around the options.
struct Help {
  std::string usage;     ///< "rhomb distance [options] A B"
  std::string about;     ///< one or more paragraphs
  std::string examples;  ///< whole lines, indented by two spaces
};

class CommandLine {
 public:
  CommandLine(Help help, std::vector<Group> groups)
      : help_(std::move(help)), groups_(std::move(groups)) {}

  /// Reads the arguments after argv[0]. Throws UsageError for an unknown option (with the nearest
  /// known one), for a missing value, for an empty name of a file, for standard input named twice,
  /// and where a file for results is one of those that are read, or is named twice.
  void parse(int argc, const char* const* argv);

  bool wants_help() const { return has("help") || has("h"); }
  /// For --help all there is; for -h the first paragraph and the options.
  std::string help_text() const { return help_text(has("help")); }
  std::string help_text(bool all) const;
  const Help& help() const { return help_; }
  const std::vector<Group>& groups() const { return groups_; }

  bool has(const std::string& name) const { return values_.count(name) != 0; }
  /// All values given, by long names.
  const std::map<std::string, std::vector<std::string>>& values() const { return values_; }
  /// The last value given, or `otherwise`.
  std::string text(const std::string& name, const std::string& otherwise = "") const;
  /// Every value given, in order.
  std::vector<std::string> texts(const std::string& name) const;
  std::optional<std::int64_t> size(const std::string& name) const;
  /// The position of the value in the choices of the option; the first is the default, also where
  /// the verb does not have the option. Throws UsageError.
  std::size_t choice(const std::string& name) const;
  /// The same of some of the choices.
  std::size_t choice(const std::string& name, const std::vector<std::string>& choices) const;
  /// A whole number from `least` on. Throws UsageError.
  int count(const std::string& name, int otherwise, int least) const;

  /// The arguments that are no options. Throws UsageError unless there are `wanted`.
  const std::vector<std::string>& files(std::size_t wanted) const;
  const std::vector<std::string>& files() const { return files_; }

  /// " (rhomb distance --help tells more)"
  std::string pointer() const;

 private:
  void check_files() const;

  Help help_;
  std::vector<Group> groups_;
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> files_;
};

}  // namespace rhomb::cli
