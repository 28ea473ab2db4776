// SPDX-License-Identifier: Apache-2.0
// The test program's main: Catch2's, after pointing every cache and store into the build tree, so
// that a test neither reads nor changes what the user has. A filter that selects no test is an
// error, and tests of CUDA that found no device end with 77, which CTest calls skipped.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "tests/support/cuda.h"
#include "tests/support/paths.h"

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

namespace rhomb::test {

std::string data_folder() { return RHOMB_TEST_DATA; }
std::string home_folder() { return RHOMB_TEST_HOME; }

}  // namespace rhomb::test

int main(int argc, char** argv) {
  setenv("POCL_CACHE_DIR", RHOMB_TEST_POCL, 1);
  setenv("XDG_CACHE_HOME", RHOMB_TEST_HOME "/cache", 1);
  setenv("XDG_DATA_HOME", RHOMB_TEST_HOME "/data", 1);
  Catch::Session session;
#ifdef CATCH_CONFIG_RUNNER  // release 2; later ones do by themselves
  auto& warnings = session.configData().warnings;
  warnings = static_cast<Catch::WarnAbout::What>(warnings | Catch::WarnAbout::NoTests);
#endif
  if (const int code = session.applyCommandLine(argc, argv); code != 0) return code;
  const int code = session.run();
  const bool asked = std::any_of(argv + 1, argv + argc, [](const char* argument) {
    const std::string_view filter(argument);
    return filter.find("[cuda]") < filter.find("~[cuda]");
  });
  return code == 0 && asked && rhomb::test::cuda_left_out ? 77 : code;
}
