// SPDX-License-Identifier: Apache-2.0
// The test program's main: Catch2's, after pointing every cache and store into the build tree, so
// that a test neither reads nor changes what the user has.
#include <cstdlib>

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
  setenv("POCL_CACHE_DIR", RHOMB_TEST_HOME "/pocl", 1);
  setenv("XDG_CACHE_HOME", RHOMB_TEST_HOME "/cache", 1);
  setenv("XDG_DATA_HOME", RHOMB_TEST_HOME "/data", 1);
  return Catch::Session().run(argc, argv);
}
