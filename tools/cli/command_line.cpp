// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/command_line.h"

#include <sys/stat.h>
#include <unistd.h>

#define CXXOPTS_NO_REGEX  // its own parser is smaller
#include <algorithm>
#include <cxxopts.hpp>
#include <limits>
#include <utility>

#include "host/error.h"
#include "tools/cli/messages.h"
#include "tools/cli/output.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr const char* kFiles = "files";
constexpr const char* kOld = "Old names";  ///< a group that --help does not show

/// cxxopts quotes with typographic marks; rhomb with plain ones.
std::string plain_quotes(std::string text) {
  for (const std::string_view mark : {"\u2018", "\u2019"})
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark))
      text.replace(at, mark.size(), "'");
  return text;
}

cxxopts::Options make_options(const std::vector<Group>& groups) {
  cxxopts::Options options("rhomb", "");
  options.custom_help("").positional_help("").set_width(96).allow_unrecognised_options();
  for (const Group& group : groups) {
    auto add = options.add_options(group.title);
    for (const Flag& flag : group.flags) {
      if (flag.value.empty())
        add(flag.name, flag.help, cxxopts::value<bool>());
      else
        add(flag.name, flag.help, cxxopts::value<std::string>(), flag.value);
      if (flag.old.empty()) continue;
      auto add_old = options.add_options(kOld);
      if (flag.value.empty())
        add_old(flag.old, "", cxxopts::value<bool>());
      else
        add_old(flag.old, "", cxxopts::value<std::string>());
    }
  }
  options.add_options("Help")("h", "what the verb does, and its options", cxxopts::value<bool>())(
      "help", "the same, what is printed, and examples", cxxopts::value<bool>());
  options.add_options()(kFiles, "", cxxopts::value<std::vector<std::string>>());
  options.parse_positional(kFiles);
  return options;
}

/// A name of a file, and how the command line calls it: "--output", or "the file" for one that is
/// no option.
struct Named {
  std::string what;
  std::string path;
};

/// Whether a result written to `to` would replace what is read from `from` or written there too.
/// Files are the same by what they are, not by what they are called: there are links. Devices and
/// pipes may be named twice.
bool same_file(const std::string& from, const std::string& to) {
  struct stat a {
  }, b{};
  const bool a_exists = (from == "-" ? fstat(STDIN_FILENO, &a) : stat(from.c_str(), &a)) == 0;
  const bool b_exists = stat(to.c_str(), &b) == 0;
  if (a_exists != b_exists) return false;
  if (a_exists) return S_ISREG(b.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  return real_path(from) == real_path(to);
}

}  // namespace

void CommandLine::check_files() const {
  std::vector<Named> read, written;
  for (const std::string& file : files_) read.push_back({"the file", file});
  for (const Group& group : groups_)
    for (const Flag& flag : group.flags) {
      if (flag.use == FileUse::kNone || !has(flag.long_name())) continue;
      const Named named{"--" + flag.long_name(), text(flag.long_name())};
      (flag.use == FileUse::kRead ? read : written).push_back(named);
    }
  for (const auto* all : {&read, &written})
    for (const Named& each : *all)
      if (each.path.empty())
        throw UsageError(each.what + ": the name of the file is empty" + pointer());
  if (std::ranges::count(read, "-", &Named::path) > 1)
    throw UsageError("only one file can be standard input (-)" + pointer());
  for (auto to = written.begin(); to != written.end(); ++to) {
    if (to->path == "-") continue;
    for (const Named& from : read)
      if (same_file(from.path, to->path))
        throw UsageError(to->what + " '" + to->path + "' would replace an input, " +
                         (from.path == "-" ? "standard input" : "'" + from.path + "'") +
                         "; choose another name" + pointer());
    for (auto other = written.begin(); other != to; ++other)
      if (other->path != "-" && same_file(other->path, to->path))
        throw UsageError(other->what + " and " + to->what + " name the same file" + pointer());
  }
}

void CommandLine::parse(int argc, const char* const* argv) {
  auto options = make_options(groups_);
  try {
    const cxxopts::ParseResult result = options.parse(argc, argv);
    std::vector<std::string> known;
    std::vector<std::string> switches;
    std::map<std::string, std::string> renamed;
    for (const Group& group : groups_)
      for (const Flag& flag : group.flags) {
        known.push_back("--" + flag.long_name());
        if (!flag.old.empty()) renamed[flag.old] = flag.long_name();
        if (flag.value.empty()) switches.insert(switches.end(), {flag.long_name(), flag.old});
      }
    // As they were given: cxxopts would split the names of files at commas.
    for (const auto& argument : result.arguments()) {
      const bool off = argument.value() == "false" &&
                       std::ranges::find(switches, argument.key()) != switches.end();
      if (argument.key() == kFiles)
        files_.push_back(argument.value());
      else if (const auto found = renamed.find(argument.key()); !off && found != renamed.end()) {
        say(text_of("--", found->first, " is called --", found->second,
                    " now; the old name goes with the next release"));
        values_[found->second].push_back(argument.value());
      } else if (!off)
        values_[argument.key()].push_back(argument.value());
    }
    if (wants_help()) return;
    for (const std::string& argument : result.unmatched()) {
      const std::string name = argument.substr(0, argument.find('='));
      throw UsageError("unknown option '" + name + "'" + did_you_mean(name, known) + pointer());
    }
    check_files();
  } catch (const cxxopts::exceptions::exception& error) {
    throw UsageError(plain_quotes(error.what()) + pointer());
  }
}

std::string CommandLine::help_text(bool all) const {
  std::vector<std::string> titles;
  for (const Group& group : groups_) titles.push_back(group.title);
  titles.push_back("Help");
  std::string options = make_options(groups_).help(titles, false);
  options.erase(0, options.find_first_not_of('\n'));
  const std::string about =
      all ? help_.about
          : help_.about.substr(0, std::min(help_.about.find("\n\n"), help_.about.size() - 1)) +
                "\n";
  std::string text = "usage: " + help_.usage + "\n\n" + about + "\n" + options;
  if (all && !help_.examples.empty()) text += "\nExamples:\n" + help_.examples;
  return text;
}

std::string CommandLine::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second.back();
}

std::vector<std::string> CommandLine::texts(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::optional<std::int64_t> CommandLine::size(const std::string& name) const {
  if (!has(name)) return std::nullopt;
  return parse_size(text(name), "--" + name);
}

std::size_t CommandLine::choice(const std::string& name) const {
  for (const Group& group : groups_)
    for (const Flag& flag : group.flags)
      if (flag.long_name() == name) return choice(name, flag.choices);
  return 0;
}

std::size_t CommandLine::choice(const std::string& name,
                                const std::vector<std::string>& choices) const {
  const std::string given = text(name, choices.front());
  const auto found = std::ranges::find(choices, given);
  if (found == choices.end())
    throw UsageError("--" + name + ": there is no '" + given + "'" + did_you_mean(given, choices) +
                     "; choose one of " + joined(choices));
  return static_cast<std::size_t>(found - choices.begin());
}

int CommandLine::count(const std::string& name, int otherwise, int least) const {
  const auto given = size(name);
  if (!given) return otherwise;
  if (*given < least || *given > std::numeric_limits<int>::max())
    throw UsageError("--" + name + ": '" + text(name) + "' is not a whole number from " +
                     std::to_string(least) + " on");
  return static_cast<int>(*given);
}

const std::vector<std::string>& CommandLine::files(std::size_t wanted) const {
  if (files_.size() == wanted) return files_;
  std::string given;
  for (const auto& file : files_) given += (given.empty() ? ": '" : ", '") + file + "'";
  const std::string expected = wanted == 0   ? "no file"
                               : wanted == 1 ? "one file"
                                             : std::to_string(wanted) + " files";
  throw UsageError("expected " + expected + ", got " + std::to_string(files_.size()) + given +
                   "; usage: " + help_.usage + pointer());
}

std::string CommandLine::pointer() const {
  const std::string command = help_.usage.substr(0, help_.usage.find(" ["));
  return " (" + command + " --help tells more)";
}

}  // namespace rhomb::cli
