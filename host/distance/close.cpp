// SPDX-License-Identifier: Apache-2.0
#include "host/distance/close.h"

#include <algorithm>
#include <string>

#include "host/distance/methods.h"
#include "host/engine/sketch.h"
#include "host/wfa/wfa.h"

namespace rhomb {
namespace {

/// Of both texts: to read and to code more takes as long as the wavefronts may.
constexpr std::size_t kMostClose = std::size_t{1} << 24;

/// In shorter texts few words are left that they could have in common; they are simply tried.
constexpr std::size_t kSketched = 10'000;

}  // namespace

bool may_be_close(std::size_t a, std::size_t b, const DistanceOptions& options, std::int64_t most) {
  return options.by_host && options.engine == "auto" && options.variant.empty() && !options.check &&
         options.keeping.folder.empty() && !answered_at_once(a, b, options) &&
         a + b <= kMostClose && std::max(a, b) - std::min(a, b) <= static_cast<std::size_t>(most);
}

bool probably_close(std::string_view a, std::string_view b, const DistanceOptions& options,
                    std::int64_t most) {
  return may_be_close(a.size(), b.size(), options, most) &&
         (std::max(a.size(), b.size()) <= kSketched ||
          sketch_distance(a, b, options.threads).distance <= most);
}

void ask_host(DistanceOptions& options, std::int64_t most) {
  options.engine = kWavefront;
  options.variant = wfa::kHost;
  options.max_distance = std::min(most, options.max_distance.value_or(most));
}

}  // namespace rhomb
