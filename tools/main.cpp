// SPDX-License-Identifier: Apache-2.0
// rhomb, the program: finds the verb, and turns what goes wrong into a message and an exit code.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "tools/cli/messages.h"
#include "tools/cli/output.h"
#include "tools/cli/pocl_cache.h"
#include "tools/cli/text.h"
#include "tools/cli/verbs.h"

namespace rhomb::cli {
namespace {

std::string verb_table() {
  std::vector<std::vector<std::string>> rows;
  for (const Verb& verb : kVerbs) {
    const std::string call = text_of("  ", verb.name, verb.files.empty() ? "" : " ", verb.files);
    rows.push_back({call, std::string(verb.idea)});
  }
  return aligned(rows);
}

std::string help() {
  return "rhomb " RHOMB_VERSION
         ": exact edit distances of very long sequences, on any OpenCL device\n\n"
         "usage: rhomb VERB [options] [files]\n\n"
         "Verbs:\n" +
         verb_table() +
         R"(
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

Examples:
  rhomb devices
  rhomb distance human.fa.gz chimp.fa.gz
  rhomb distance A.fa B.fa --format json | jq .distance
  zcat reads.fq.gz | rhomb distance - reference.fa --all-pairs -o distances.tsv
  rhomb bench wavefront A.fa B.fa

Exit codes: 0 done; 1 internal error; 2 usage; 3 input or output; 4 no device, or a device error;
5 out of memory (host or device); 6 a self-test or check failed.
)";
}

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

int run(int argc, const char* const* argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (argc < 2) throw UsageError("no verb given, as in: rhomb distance A.fa B.fa (rhomb --help)");
  if (first == "--version" || first == "-V") {
    Output("-").write("rhomb " RHOMB_VERSION "\n");
    return 0;
  }
  if (first == "--help" || first == "-h" || (first == "help" && argc == 2)) {
    Output("-").write(help());
    return 0;
  }
  if (first == "help") {
    const char* const asked[] = {argv[2], "--help"};
    return find_verb(argv[2]).run(2, asked);
  }
  return find_verb(first).run(argc - 1, argv + 1);
}

int exit_code(Kind kind) {
  switch (kind) {
    case Kind::kInternal:
      return 1;
    case Kind::kUsage:
      return 2;
    case Kind::kInput:
    case Kind::kOutput:
      return 3;
    case Kind::kDevice:
      return 4;
    case Kind::kMemory:
      return 5;
    case Kind::kCheck:
      return 6;
    case Kind::kStopped:
      return 7;
  }
  return 1;
}

int complain(const std::string& message, Kind kind) {
  say_error(message, exit_code(kind));
  return exit_code(kind);
}

int guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Closed&) {
    return 0;
  } catch (const Error& error) {
    return complain(error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return complain("out of memory: the host's memory does not suffice", Kind::kMemory);
  } catch (const std::exception& error) {
    return complain(std::string("internal error, please report it: ") + error.what(),
                    Kind::kInternal);
  } catch (...) {
    return complain("internal error of an unknown kind, please report it", Kind::kInternal);
  }
}

}  // namespace
}  // namespace rhomb::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a write then says so, and files are left clean
  const int code = rhomb::cli::guarded(argc, argv);
  rhomb::cli::remove_pocl_cache();
#ifndef __SANITIZE_ADDRESS__
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(code);  // see Session::~Session
#endif
  return code;
}
