// SPDX-License-Identifier: Apache-2.0
// rhomb help: what --help says, and the same as manual pages and for shells.
#include "tools/help/help.h"

#include "host/error.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

const std::vector<std::string> kHelpKinds = {"text", "man", "bash", "zsh", "fish"};

Help help() {
  return {
      "rhomb help [options] [VERB]",
      R"(Prints what rhomb --help says, or rhomb VERB --help (rhomb bench WHAT --help). With --format man
it is a manual page, rhomb(1) or rhomb-VERB(1). bash, zsh and fish are scripts that complete verbs,
options and their values, devices and variants among them. Packages and cmake --install put pages and
scripts where they are found; the examples are for a program that lies elsewhere.
)",
      R"(  rhomb help search
  rhomb help bench pairs
  rhomb help --format man search | man -l -
  source <(rhomb help --format bash)
  rhomb help --format zsh -o ~/.zfunc/_rhomb           with fpath+=~/.zfunc before compinit
  rhomb help --format fish -o ~/.config/fish/completions/rhomb.fish
)"};
}

Group help_group() {
  return {"Output",
          {one_of("format", "WHAT", text_of(joined(kHelpKinds), " (default: text)"), kHelpKinds),
           {"o,output", "FILE", "write to FILE, which appears when complete (default: -, stdout)",
            FileUse::kWritten}}};
}

const Verb& find_part(const Verb& verb, const std::string& name) {
  std::vector<std::string> names;
  if (verb.parts != nullptr)
    for (const Verb& part : verb.parts()) {
      if (part.name == name) return part;
      names.emplace_back(part.name);
    }
  throw UsageError(text_of("rhomb ", verb.name, " has no '", name, "'", did_you_mean(name, names),
                           " (rhomb ", verb.name, " --help tells more)"));
}

}  // namespace

const Verb& find_verb(std::string_view name) {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) {
    if (verb.name == name) return verb;
    names.emplace_back(verb.name);
  }
  const std::string kind = name.starts_with('-') ? "option" : "verb";
  if (kind == "option") names = {"--help", "--version"};
  throw UsageError("unknown " + kind + " '" + std::string(name) + "'" + did_you_mean(name, names) +
                   "; there are: " + joined(names) + " (rhomb --help tells more)");
}

CommandLine described(const Verb& verb) {
  try {
    verb.run(0, nullptr);
  } catch (const CommandLine& line) {
    return line;
  }
  throw Error(Kind::kInternal, text_of("rhomb ", verb.name, " does not tell its options"));
}

Help program_help() {
  return {"rhomb VERB [options] [files]", "Verbs:\n" + table_of(kVerbs) + R"(
rhomb VERB --help tells what a verb does, its options and examples.

Files hold FASTA, FASTQ, one sequence per line or raw text, plain, gzip or bgzip; - is standard
input. Results go to standard output, everything else to standard error.

Options that verbs have in common:
  -d, --device DEVICE    index, part of the name, cpu or gpu (default: $RHOMB_DEVICE, else the
                         fastest GPU, else the CPU)
      --format WHAT      tsv, or json: one object per line
  -o, --output FILE      write to FILE, which appears when complete or not at all
      --progress WHAT    auto, plain, json or none, on standard error
      --max-distance D   stop once the distance is known to exceed D; sizes may be 10k, 3M, 2G
      --variant NAME     force a variant; --config K=V,... its tunables
      --kernels DIR      read the kernels from DIR; --no-cache keeps nothing compiled on disk
      --version, --help
)",
          R"(  rhomb devices
  rhomb distance human.fa.gz chimp.fa.gz
  rhomb distance A.fa B.fa --format json | jq .distance
  zcat reads.fq.gz | rhomb distance - reference.fa --all-pairs -o distances.tsv
  rhomb bench wavefront A.fa B.fa
)"};
}

std::string program_text() {
  const Help help = program_help();
  return text_of("rhomb " RHOMB_VERSION ": ", kIdea, "\n\nusage: ", help.usage, "\n\n", help.about,
                 "\nExamples:\n", help.examples, "\nExit codes: ", kExitCodes, "\n");
}

int run_help(int argc, const char* const* argv) {
  CommandLine line(help(), {help_group()});
  if (!parse_or_help(line, argc, argv)) return 0;
  const auto& names = line.files();
  if (names.size() > 2) throw UsageError("one verb at a time" + line.pointer());
  const Verb* const verb = names.empty() ? nullptr : &find_verb(names[0]);
  const Verb* const part = names.size() < 2 ? nullptr : &find_part(*verb, names[1]);
  const std::size_t kind = line.choice("format");
  const std::string& format = kHelpKinds[kind];
  if (names.size() > (kind == 0 ? 2 : kind == 1 ? 1 : 0))
    throw UsageError(text_of("--format ", format, " is for ", kind == 1 ? "a verb" : "all verbs",
                             " at a time", line.pointer()));
  using Whole = std::string (*)();
  constexpr Whole kWhole[] = {program_text, manual, bash_completion, zsh_completion,
                              fish_completion};
  Output out(line.text("output", "-"));
  out.write(verb == nullptr ? kWhole[kind]()
            : kind == 1     ? manual(*verb)
                            : described(part != nullptr ? *part : *verb).help_text(true));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
