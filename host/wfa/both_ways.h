// SPDX-License-Identifier: Apache-2.0
// BothWays: a text as meeting wavefronts read it, forwards and backwards.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/seq/alphabet.h"
#include "host/seq/packed.h"
#include "host/wfa/wfa.h"

namespace rhomb::wfa {

/// Planes of one text and of its reverse, in one vector.
struct BothWays {
  UnsetVector<std::uint32_t> words;
  std::uint32_t reverse = 0;  ///< where the reverse begins
};

/// Beyond the ends the pattern has zeros and the text ones: they never match each other. As sets it
/// is the other way round, for nothing shares a base with the empty set.
inline constexpr int kFillOfPattern = 0;
inline int fill_of_text(const Plan& plan) { return plan.sets ? 0 : 1; }

BothWays pack_pattern(std::string_view text, const seq::Code& code, const Plan& plan,
                      std::size_t threads);
BothWays pack_text(std::string_view text, const seq::Code& code, const Plan& plan,
                   std::size_t threads);

}  // namespace rhomb::wfa
