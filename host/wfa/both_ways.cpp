// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/both_ways.h"

#include <array>
#include <utility>

#include "host/seq/packed.h"

namespace rhomb::wfa {
namespace {

BothWays pack(std::string_view text, const std::array<std::uint8_t, 256>& code, int fill,
              const Plan& plan, std::size_t threads) {
  seq::Planes packed = seq::pack_planes(text, code, plan.planes, fill, threads);
  UnsetVector<std::uint32_t> reversed = seq::reversed_words(packed);
  if (plan.stages.front().lanes > 1) {
    packed.words = seq::planes_apart(packed.words, plan.planes);
    reversed = seq::planes_apart(reversed, plan.planes);
  }
  BothWays made{std::move(packed.words), 0};
  made.reverse = static_cast<std::uint32_t>(made.words.size());
  made.words.insert(made.words.end(), reversed.begin(), reversed.end());
  return made;
}

}  // namespace

BothWays pack_pattern(std::string_view text, const seq::Code& code, const Plan& plan,
                      std::size_t threads) {
  return pack(text, code.a, kFillOfPattern, plan, threads);
}

BothWays pack_text(std::string_view text, const seq::Code& code, const Plan& plan,
                   std::size_t threads) {
  return pack(text, code.b, fill_of_text(plan), plan, threads);
}

}  // namespace rhomb::wfa
