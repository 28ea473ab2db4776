// SPDX-License-Identifier: Apache-2.0
// Messages between processes: whole and in order, or an error that names who sent them.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/dist/wire.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace rhomb::wire_tests {
namespace {

std::vector<std::string> pieces_of(dist::Wire& wire, const dist::Message& message) {
  std::vector<std::string> pieces;
  wire.cut(message, [&](std::string piece) { pieces.push_back(std::move(piece)); });
  return pieces;
}

TEST_CASE("Messages arrive as they were sent", "[wire]") {
  dist::Wire here("rank 1"), there("rank 0");
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, dist::Wire::kPiece,
                                 dist::Wire::kPiece + 1, 2 * dist::Wire::kPiece + 7}) {
    std::string text(size, 'x');
    if (size > 0) text.back() = '\0';
    std::optional<dist::Message> message;
    for (const std::string& piece : pieces_of(here, {7, text})) {
      CHECK_FALSE(message);
      message = there.join(piece);
    }
    REQUIRE(message);
    CHECK(message->kind == 7);
    CHECK(message->text == text);
  }
}

TEST_CASE("A message that was damaged, lost, doubled or cut off is refused", "[wire]") {
  dist::Wire here("rank 1");
  const std::string first = pieces_of(here, {1, "first"})[0];
  const std::string second = pieces_of(here, {1, "second"})[0];
  for (std::size_t bit = 0; bit < 8 * first.size(); ++bit) {
    std::string damaged = first;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    dist::Wire there("rank 5");
    CHECK_THROWS_WITH(there.join(damaged), "message 0 from rank 5 came damaged or out of order");
  }
  dist::Wire there("rank 5");
  CHECK_THROWS_AS(there.join(second), CheckError);
  CHECK_THROWS_AS(there.join(first.substr(0, 3)), CheckError);
  CHECK_THROWS_AS(there.join(first.substr(0, first.size() - 1)), CheckError);
  CHECK(there.join(first)->text == "first");
  CHECK_THROWS_WITH(there.join(first), "message 1 from rank 5 came damaged or out of order");
  CHECK(there.join(second)->text == "second");
}

}  // namespace
}  // namespace rhomb::wire_tests
