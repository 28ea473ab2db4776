// SPDX-License-Identifier: Apache-2.0
#include "host/tune/config.h"
#include "tests/support/catch.h"

namespace rhomb::config_tests {
namespace {

using test::contains;
using tune::Config;

TEST_CASE("a configuration is read and printed", "[tune][host]") {
  CHECK(Config::parse("").values().empty());
  CHECK(Config::parse("").text().empty());
  const auto config = Config::parse("WG=128,K=4,lane_rows=-1");
  CHECK(config.text() == "K=4,WG=128,lane_rows=-1");
  CHECK(Config::parse(config.text()).values() == config.values());
  CHECK(config.has("K"));
  CHECK_FALSE(config.has("k"));
  CHECK(config.get("WG", 1) == 128);
  CHECK(config.get("lane_rows", 1) == -1);
  CHECK(config.get("absent", 7) == 7);
}

TEST_CASE("a bad configuration is a usage error that names the bad piece", "[tune][host]") {
  for (const char* text : {"K", "K=", "=4", "K=four", "K=4x", "K= 4", "K=4,", ",K=4", "K=4,,WG=1",
                           "K=1.5", "4=K", "K=4 ", "K=99999999999", "K=1,K=2", " ", "WG;K=3"}) {
    DYNAMIC_SECTION("'" << text << "'") { CHECK_THROWS_AS(Config::parse(text), UsageError); }
  }
  CHECK_THROWS_WITH(Config::parse("WG=64,K=four"), contains("'K=four'"));
  CHECK_THROWS_WITH(Config::parse("WG=64,K"), contains("'K'"));
  CHECK_THROWS_WITH(Config::parse("K=99999999999"), contains("too large"));
  CHECK_THROWS_WITH(Config::parse("K=1,K=2"), contains("'K' is given twice"));
}

TEST_CASE("names are checked against a space", "[tune][host]") {
  const tune::Space space = {{"WG", {64, 128}, "work-group size"}, {"K", {4}, "rows a lane"}};
  CHECK_NOTHROW(Config::parse("K=9").check_names(space));
  CHECK_NOTHROW(Config().check_names({}));
  CHECK_THROWS_AS(Config::parse("Q=1").check_names(space), UsageError);
  CHECK_THROWS_WITH(Config::parse("K=1,Q=1").check_names(space),
                    contains("'Q'") && contains("WG, K"));
  CHECK_THROWS_WITH(Config::parse("Q=1").check_names({}), contains("has none"));
}

}  // namespace
}  // namespace rhomb::config_tests
