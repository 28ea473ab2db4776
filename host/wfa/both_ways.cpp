// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/both_ways.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "host/seq/packed.h"

namespace rhomb::wfa {
namespace {

BothWays pack(std::string_view text, const std::array<std::uint8_t, 256>& code, int fill,
              const Plan& plan, std::size_t threads) {
  UnsetVector<std::uint32_t> both = seq::pack_both_ways(text, code, plan.planes, fill, threads);
  const std::size_t way = both.size() / 2;
  if (plan.stages.front().lanes > 1)
    for (const std::size_t from : {std::size_t{0}, way}) {
      const std::span words = std::span(both).subspan(from, way);
      std::ranges::copy(seq::planes_apart(words, plan.planes), words.begin());
    }
  return {std::move(both), static_cast<std::uint32_t>(way)};
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
