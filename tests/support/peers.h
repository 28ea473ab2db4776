// SPDX-License-Identifier: Apache-2.0
// Peers: other programs' answers to the same question, for the tests alone. Each symbol equals only
// itself. Only what the build found is there; see RHOMB_PEERS in CMakeLists.txt.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#ifdef RHOMB_HAVE_EDLIB
#include <edlib.h>
#endif
#ifdef RHOMB_HAVE_WFA2
#include <bindings/cpp/WFAligner.hpp>
#endif

#include "host/engine/reference.h"

namespace rhomb::test {

#ifdef RHOMB_HAVE_EDLIB
/// By edlib (Sosic and Sikic 2017): bit-parallel columns in a band, so it has nothing in common
/// with wavefronts.
inline std::int64_t edlib_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return static_cast<std::int64_t>(a.size() + b.size());
  const auto result =
      edlibAlign(a.data(), static_cast<int>(a.size()), b.data(), static_cast<int>(b.size()),
                 edlibNewAlignConfig(-1, EDLIB_MODE_NW, EDLIB_TASK_DISTANCE, nullptr, 0));
  const int status = result.status;
  const int distance = result.editDistance;
  edlibFreeAlignResult(result);
  if (status != EDLIB_STATUS_OK) throw std::runtime_error("edlib failed");
  return distance;
}
#endif

#ifdef RHOMB_HAVE_WFA2
/// By WFA2-lib (Marco-Sola 2020), exact: no heuristic. Text without '!' and '?', which it uses.
inline std::int64_t wfa2_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return static_cast<std::int64_t>(a.size() + b.size());
  ::wfa::WFAlignerEdit aligner(::wfa::WFAligner::Score);
  aligner.setHeuristicNone();
  const auto status = aligner.alignEnd2End(a.data(), static_cast<int>(a.size()), b.data(),
                                           static_cast<int>(b.size()));
  if (status != ::wfa::WFAligner::StatusSuccessful) throw std::runtime_error("WFA2-lib failed");
  const int score = aligner.getAlignmentScore();
  return score < 0 ? -score : score;
}
#endif

/// By the first peer there is, else by our own plain reference.
inline std::int64_t peer_distance(std::string_view a, std::string_view b) {
#if defined(RHOMB_HAVE_EDLIB)
  return edlib_distance(a, b);
#elif defined(RHOMB_HAVE_WFA2)
  return wfa2_distance(a, b);
#else
  return reference::edit_distance(a, b);
#endif
}

}  // namespace rhomb::test
