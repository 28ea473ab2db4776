// SPDX-License-Identifier: Apache-2.0
// Manual pages in mdoc(7), of the texts that --help prints.
#include <set>
#include <sstream>
#include <utility>

#include "tools/cli/text.h"
#include "tools/help/help.h"

namespace rhomb::cli {
namespace {

constexpr std::string_view kBlanks = "  ";  ///< begins a line that stays as it is

/// Text that means nothing to roff: hyphens are the minus signs that a shell takes.
std::string plain(std::string_view text) {
  std::string made;
  for (const char symbol : text) {
    if (symbol == '\\')
      made += "\\e";
    else if (symbol == '-')
      made += "\\-";
    else
      made += symbol;
  }
  return made.starts_with('.') || made.starts_with('\'') ? "\\&" + made : made;
}

/// An argument of a macro, whatever it is made of.
std::string argument(std::string_view text) {
  std::string made = "\"";
  for (const char symbol : plain(text)) made += symbol == '"' ? "\"\"" : std::string(1, symbol);
  return made + "\"";
}

/// Sentences begin on a line of their own, so that roff sees where they end; lines are short.
std::string sentences(const std::string& text) {
  constexpr std::size_t kWidth = 72;
  std::string made, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && (line.ends_with('.') || line.size() + word.size() > kWidth)) {
      made += plain(line) + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? made : made + plain(line) + "\n";
}

/// Paragraphs, filled; lines that begin with blanks as they are.
std::string paragraphs(const std::string& text) {
  std::string made, filled;
  bool display = false, apart = false;  // a blank line or a display came before
  const auto fill = [&] {
    if (!filled.empty() && apart && !made.empty()) made += ".Pp\n";
    if (!filled.empty()) apart = false;
    made += sentences(std::exchange(filled, ""));
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool whole = line.starts_with(kBlanks);
    if (whole != display) {
      fill();
      made += whole ? ".Bd -literal -offset indent\n" : ".Ed\n";
      apart = true;
    }
    display = whole;
    if (whole)
      made += plain(line.substr(kBlanks.size())) + "\n";
    else if (line.empty())
      fill(), apart = true;
    else
      filled += line + "\n";
  }
  fill();
  return display ? made + ".Ed\n" : made;
}

std::string options(const std::vector<Group>& groups, const char* section) {
  std::string made;
  for (const Group& group : groups) {
    if (group.flags.empty()) continue;
    made += text_of(section, " ", plain(group.title), "\n.Bl -tag -width Ds\n");
    for (const Flag& flag : group.flags) {
      const std::string name = flag.long_name(), letter = flag.letter();
      made += ".It";
      if (!letter.empty()) made += text_of(" Fl ", plain(letter), " ,");
      made += text_of(" Fl ", name.size() > 1 ? "\\-" : "", plain(name));
      if (!flag.value.empty()) made += " Ar " + argument(flag.value);
      made += "\n" + sentences(flag.help);
    }
    made += ".El\n";
  }
  return made;
}

std::string synopsis(const std::string& usage) {
  std::string made;
  std::istringstream lines(usage);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    const auto end = line.find(" [");
    made += text_of(".Nm ", line.substr(0, end), "\n");
    if (end != std::string::npos) made += plain(line.substr(end + 1)) + "\n";
  }
  return made;
}

std::string page(const std::string& name, const std::string& upper, std::string_view idea,
                 const Help& help, const std::string& middle, const std::string& see_also) {
  return text_of(".\\\" Made by rhomb help --format man from the tables of its options.\n.Dd ",
                 RHOMB_DATE, "\n.Dt ", upper, " 1\n.Os rhomb ", RHOMB_VERSION, "\n.Sh NAME\n.Nm ",
                 name, "\n.Nd ", plain(idea), "\n.Sh SYNOPSIS\n", synopsis(help.usage),
                 ".Sh DESCRIPTION\n", paragraphs(help.about), middle, ".Sh EXIT STATUS\n",
                 paragraphs(std::string(kExitCodes)), ".Sh EXAMPLES\n", paragraphs(help.examples),
                 ".Sh SEE ALSO\n", see_also);
}

std::string environment() {
  return R"(.Sh ENVIRONMENT
.Bl -tag -width Ds
.It Ev RHOMB_DEVICE
The device where
.Fl \-device
names none.
.It Ev RHOMB_DRIVERS
Drivers of OpenCL beside those of the system: shared libraries,
with colons between.
.It Ev RHOMB_SELF_TESTS
0: kernels are used without the known-answer tests that precede their
first use on a device, for those who debug them on a simulator and compare
the answers.
.It Ev XDG_CACHE_HOME
Compiled kernels are kept in the folder rhomb below it
.Pq default: Pa ~/.cache .
.It Ev XDG_DATA_HOME
What was measured is kept in the folder rhomb below it
.Pq default: Pa ~/.local/share .
.El
)";
}

std::string upper_case(std::string text) {
  for (char& letter : text)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return text;
}

}  // namespace

std::string manual() {
  std::set<std::string_view> names;
  for (const Verb& verb : kVerbs) names.insert(verb.name);
  std::string others;
  for (const auto& name : names)
    others += text_of(".Xr rhomb-", name, " 1", name == *names.rbegin() ? "" : " ,", "\n");
  return page("rhomb", "RHOMB", kIdea, program_help(), environment(), others);
}

std::string manual(const Verb& verb) {
  const CommandLine line = described(verb);
  std::string middle;
  if (!line.groups().empty()) middle += ".Sh OPTIONS\n" + options(line.groups(), ".Ss");
  if (verb.parts != nullptr)
    for (const Verb& part : verb.parts()) {
      const CommandLine inner = described(part);
      middle += text_of(".Sh ", upper_case(text_of(verb.name, " ", part.name)), "\n.Bd -literal\n",
                        plain(inner.help().usage), "\n.Ed\n.Pp\n", paragraphs(inner.help().about),
                        options(inner.groups(), ".Ss"));
    }
  const std::string name = text_of("rhomb-", verb.name);
  return page(name, upper_case(name), verb.idea, line.help(), middle, ".Xr rhomb 1\n");
}

}  // namespace rhomb::cli
