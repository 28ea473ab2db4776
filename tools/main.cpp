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
#include "tools/cli/verbs.h"
#include "tools/help/help.h"

namespace rhomb::cli {
namespace {

int run(int argc, const char* const* argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (argc < 2) throw UsageError("no verb given, as in: rhomb distance A.fa B.fa (rhomb --help)");
  if (first == "--version" || first == "-V") {
    Output("-").write(version_text());
    return 0;
  }
  if (first == "--help" || first == "-h") {
    Output("-").write(program_text());
    return 0;
  }
  return find_verb(first).run(argc - 1, argv + 1);
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
