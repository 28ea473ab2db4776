// SPDX-License-Identifier: Apache-2.0
// rhomb, the program: finds the verb, and turns what goes wrong into a message and an exit code.
#include <string>
#include <string_view>

#include "host/error.h"
#include "tools/cli/guarded.h"
#include "tools/cli/output.h"
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

}  // namespace
}  // namespace rhomb::cli

int main(int argc, char** argv) {
  return rhomb::cli::run_program([&] { return rhomb::cli::run(argc, argv); });
}
