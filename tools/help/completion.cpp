// SPDX-License-Identifier: Apache-2.0
// Completions for bash, zsh and fish. Each script has the verbs and their options as a table, and a
// few functions around it; devices are asked of the program that is being typed.
#include <algorithm>
#include <optional>

#include "tools/cli/text.h"
#include "tools/help/help.h"

namespace rhomb::cli {
namespace {

/// What may follow an option, or stand in its place.
enum class Values { kNone, kAny, kFiles, kFolders, kDevices, kChoices };

Values values_of(const Flag& flag) {
  if (flag.value.empty()) return Values::kNone;
  if (!flag.choices.empty()) return Values::kChoices;
  if (flag.use != FileUse::kNone) return Values::kFiles;
  if (flag.value == "DIR") return Values::kFolders;
  return flag.value == "DEVICE" ? Values::kDevices : Values::kAny;
}

/// A verb or a part of one, with its options.
struct Command {
  std::string call;  ///< "distance", "bench pairs"
  std::vector<Flag> flags;
  std::vector<std::string> words;  ///< that may stand where files may
};

std::vector<Flag> flags_of(const CommandLine& line) {
  std::vector<Flag> flags;
  for (const Group& group : line.groups())
    flags.insert(flags.end(), group.flags.begin(), group.flags.end());
  flags.push_back({"h", "", "what the verb does, and its options"});
  flags.push_back({"help", "", "the same, what is printed, and examples"});
  return flags;
}

std::vector<Command> commands() {
  std::vector<Command> all;
  for (const Verb& verb : kVerbs) {
    all.push_back({std::string(verb.name), flags_of(described(verb)), {}});
    const std::size_t at = all.size() - 1;
    // Where the only word that may follow is a name, not a file.
    if (verb.run == run_help)
      for (const Verb& other : kVerbs) all[at].words.emplace_back(other.name);
    if (verb.parts == nullptr) continue;
    for (const Verb& part : verb.parts()) {
      all[at].words.emplace_back(part.name);
      all.push_back({text_of(verb.name, " ", part.name), flags_of(described(part)), {}});
    }
  }
  return all;
}

/// The beginning of a help text: what fits beside an option.
std::string brief(const std::string& help) {
  return help.substr(
      0, std::min({help.find(" ("), help.find("; "), help.find(". "), help.find(": ")}));
}

std::string spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string dashed(const std::string& name) { return (name.size() == 1 ? "-" : "--") + name; }

/// "-d", "--device"
std::vector<std::string> spellings(const Flag& flag) {
  std::vector<std::string> names;
  if (!flag.letter().empty()) names.push_back(dashed(flag.letter()));
  names.push_back(dashed(flag.long_name()));
  return names;
}

/// In single quotes of a shell; `inner` is how one of those is written there.
std::string in_quotes(std::string_view text, std::string_view inner = "'\\''") {
  std::string made = "'";
  for (const char symbol : text)
    made += symbol == '\'' ? std::string(inner) : std::string(1, symbol);
  return made + "'";
}

std::string verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
  return spaced(names);
}

/// The verbs whose first argument names a part.
std::string verbs_with_parts() {
  std::string names;
  for (const Verb& verb : kVerbs)
    if (verb.parts != nullptr) names += text_of(names.empty() ? "" : "|", verb.name);
  return names;
}

/// Text for zsh's _arguments, where brackets and colons mean something.
std::string zsh_text(std::string_view text) {
  std::string made;
  for (const char symbol : text) {
    if (symbol == '[' || symbol == ']' || symbol == ':' || symbol == '\\') made += '\\';
    made += symbol;
  }
  return made;
}

std::string zsh_action(const Flag& flag) {
  switch (values_of(flag)) {
    case Values::kNone:
      return "";
    case Values::kAny:
      return ":" + zsh_text(flag.value) + ": ";
    case Values::kFiles:
      return ":" + zsh_text(flag.value) + ":_files";
    case Values::kFolders:
      return ":" + zsh_text(flag.value) + ":_files -/";
    case Values::kDevices:
      return ":" + zsh_text(flag.value) + ":_rhomb_devices";
    case Values::kChoices:
      return ":" + zsh_text(flag.value) + ":(" + zsh_text(spaced(flag.choices)) + ")";
  }
  return "";
}

}  // namespace

std::string bash_completion() {
  std::string cases;
  for (const Command& command : commands()) {
    std::vector<std::string> names;
    std::string values;
    for (const Flag& flag : command.flags) {
      const auto spelt = spellings(flag);
      names.insert(names.end(), spelt.begin(), spelt.end());
      std::string action;
      switch (values_of(flag)) {
        case Values::kNone:
          continue;
        case Values::kAny:
          action = "words=()";
          break;
        case Values::kFiles:
          action = "files=f";
          break;
        case Values::kFolders:
          action = "files=d";
          break;
        case Values::kDevices:
          action = "words=($(_rhomb_devices))";
          break;
        case Values::kChoices:
          action = "words=(" + spaced(flag.choices) + ")";
      }
      values += text_of("        ", spelt.front(), spelt.size() > 1 ? "|" + spelt.back() : "", ") ",
                        action, " ;;\n");
    }
    cases +=
        text_of("    ", in_quotes(command.call), ")\n      options=", in_quotes(spaced(names)),
                "\n      words=(", spaced(command.words), ")\n      case $option in\n        '') ",
                command.words.empty() ? "files=f" : ":", " ;;\n", values,
                "        *) option= ; files=f ;;\n      esac ;;\n");
  }
  return text_of(
      R"(# Completion of rhomb for bash. Made by rhomb help --format bash from the tables of its options.

_rhomb_devices() {
  local line
  echo cpu gpu all
  "${COMP_WORDS[0]}" devices --format tsv 2> /dev/null | while read -r line; do
    [[ $line == '#'* ]] || echo "${line%%[[:space:]]*}"
  done
}

_rhomb() {
  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} files= options= call=${COMP_WORDS[1]}
  local -a words=()
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W ')",
      verb_names(), R"( --help --version' -- "$word"))
    return
  fi
  # --option=value comes as three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  fi
  [[ $option == -* ]] || option=
  case $call in ()",
      verbs_with_parts(),
      R"() [[ $COMP_CWORD -eq 2 || ${COMP_WORDS[2]} == -* ]] || call+=" ${COMP_WORDS[2]}" ;; esac
  case $call in
)",
      cases, R"(    *) return ;;
  esac
  if [[ $word == -* && -z $option ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ -n $files ]]; then
    compopt -o filenames 2> /dev/null
    local IFS=$'\n'
    COMPREPLY=($(compgen -$files -- "$word"))
  else
    COMPREPLY=($(compgen -W "${words[*]}" -- "$word"))
  fi
}

complete -F _rhomb rhomb
)");
}

std::string zsh_completion() {
  std::string cases, verbs;
  for (const Verb& verb : kVerbs)
    verbs += text_of("    ", in_quotes(text_of(verb.name, ":", zsh_text(verb.idea))), "\n");
  for (const Command& command : commands()) {
    cases += text_of("    ", in_quotes(command.call), ")\n      _arguments -S \\\n");
    for (const Flag& flag : command.flags) {
      const auto spelt = spellings(flag);
      // A value may stand behind = where the name is long.
      const auto spec = [&](const std::string& name) {
        const std::string joint = flag.value.empty() ? "" : name.starts_with("--") ? "=" : "";
        return "'*'" +
               in_quotes(name + joint + "[" + zsh_text(brief(flag.help)) + "]" + zsh_action(flag));
      };
      for (const auto& name : spelt) cases += "        " + spec(name) + " \\\n";
    }
    cases += command.words.empty() ? "        '*:file:_files'\n"
                                   : "        '*:name:(" + spaced(command.words) + ")'\n";
    cases += "      ;;\n";
  }
  return text_of(R"(#compdef rhomb
# Completion of rhomb for zsh. Made by rhomb help --format zsh from the tables of its options.

_rhomb_devices() {
  local -a devices=('cpu:the CPU' 'gpu:the fastest GPU' 'all:all devices')
  local index default name rest
  ${(Q)_rhomb_program} devices --format tsv 2> /dev/null | while IFS=$'\t' read -r index default name rest; do
    [[ $index == '#'* ]] || devices+=("$index:${name//:/ }")
  done
  _describe device devices
}

_rhomb() {
  local _rhomb_program=$words[1]
  local -a verbs=(
)",
                 verbs, R"(  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  shift words
  (( CURRENT-- ))
  local call=$words[1]
  case $call in ()",
                 verbs_with_parts(), R"() if (( CURRENT > 2 )) && [[ $words[2] != -* ]]; then
    call+=" $words[2]"
    shift words
    (( CURRENT-- ))
  fi ;; esac
  case $call in
)",
                 cases, R"(  esac
}

if [[ $funcstack[1] == _rhomb ]]; then _rhomb "$@"; else compdef _rhomb rhomb; fi
)");
}

std::string fish_completion() {
  std::string lines;
  for (const Verb& verb : kVerbs)
    lines += text_of("complete -c rhomb -n 'test (count (commandline -opc)) -eq 1' -f -a ",
                     verb.name, " -d ", in_quotes(verb.idea, "\\'"), "\n");
  for (const Command& command : commands()) {
    const std::string where =
        text_of("complete -c rhomb -n ", in_quotes("__rhomb_call " + command.call));
    if (!command.words.empty())
      lines += text_of(where, " -f -a ", in_quotes(spaced(command.words)), "\n");
    for (const Flag& flag : command.flags) {
      lines += where;
      for (const auto& name : spellings(flag))
        lines +=
            (name.starts_with("--") ? " -l " : " -s ") + name.substr(name.find_first_not_of('-'));
      switch (values_of(flag)) {
        case Values::kNone:
          break;
        case Values::kAny:
          lines += " -x";
          break;
        case Values::kFiles:
          lines += " -rF";
          break;
        case Values::kFolders:
          lines += " -xa '(__fish_complete_directories)'";
          break;
        case Values::kDevices:
          lines += " -xa '(__rhomb_devices)'";
          break;
        case Values::kChoices:
          lines += " -xa " + in_quotes(spaced(flag.choices), "\\'");
      }
      lines += text_of(" -d ", in_quotes(brief(flag.help), "\\'"), "\n");
    }
  }
  return text_of(
      R"(# Completion of rhomb for fish. Made by rhomb help --format fish from the tables of its options.

function __rhomb_devices
    printf '%s\t%s\n' cpu 'the CPU' gpu 'the fastest GPU' all 'all devices'
    set -l program (commandline -opc)[1]
    $program devices --format tsv 2>/dev/null | string match -v '#*' | string replace -r '^([^\t]*)\t[^\t]*\t([^\t]*).*' '$1\t$2'
end

# Whether the command is of this verb, and part of it: __rhomb_call bench pairs
function __rhomb_call
    set -l given (commandline -opc)[2..-1]
    switch "$given[1]"
        case )",
      verbs_with_parts(), R"(
            if test (count $given) -gt 1; and not string match -q -- '-*' $given[2]
                test "$given[1] $given[2]" = "$argv"
                return
            end
    end
    test "$given[1]" = "$argv"
end

)",
      lines);
}

}  // namespace rhomb::cli
