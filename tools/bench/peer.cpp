// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/peer.h"

#include "host/error.h"

#ifdef RHOMB_HAVE_EDLIB
#include <edlib.h>
#endif
#ifdef RHOMB_HAVE_WFA2
#include <bindings/cpp/WFAligner.hpp>
#endif

namespace rhomb::cli {
namespace {

#if defined(RHOMB_HAVE_EDLIB) || defined(RHOMB_HAVE_WFA2)
[[noreturn]] void fail(const std::string& library, int status) {
  throw Error(Kind::kInternal, library + " failed with status " + std::to_string(status));
}
#endif

#ifdef RHOMB_HAVE_EDLIB
std::int64_t edlib_run(std::string_view a, std::string_view b, EdlibAlignMode mode) {
  const EdlibAlignConfig config = edlibNewAlignConfig(-1, mode, EDLIB_TASK_DISTANCE, nullptr, 0);
  const EdlibAlignResult result = edlibAlign(a.data(), static_cast<int>(a.size()), b.data(),
                                             static_cast<int>(b.size()), config);
  const int status = result.status;
  const int distance = result.editDistance;
  edlibFreeAlignResult(result);
  if (status != EDLIB_STATUS_OK) fail("edlib", status);
  return distance;
}

std::int64_t edlib_distance(const std::string& a, const std::string& b) {
  return edlib_run(a, b, EDLIB_MODE_NW);
}

std::int64_t edlib_occurrence(std::string_view query, std::string_view text) {
  return edlib_run(query, text, EDLIB_MODE_HW);
}
#endif

#ifdef RHOMB_HAVE_WFA2
template <::wfa::WFAligner::MemoryModel memory>
std::int64_t wfa2_distance(const std::string& a, const std::string& b) {
  ::wfa::WFAlignerEdit aligner(::wfa::WFAligner::Score, memory);
  aligner.setHeuristicNone();  // or the score may be too large
  const auto status = aligner.alignEnd2End(a.data(), static_cast<int>(a.size()), b.data(),
                                           static_cast<int>(b.size()));
  if (status != ::wfa::WFAligner::StatusSuccessful) fail("WFA2-lib", static_cast<int>(status));
  const int score = aligner.getAlignmentScore();
  return score < 0 ? -score : score;
}
#endif

}  // namespace

std::vector<Peer> built_in_peers() {
  return {
#ifdef RHOMB_HAVE_EDLIB
      {"edlib", "", edlib_distance},
#endif
#ifdef RHOMB_HAVE_WFA2
      {"wfa2", "high", wfa2_distance<::wfa::WFAligner::MemoryHigh>},
      {"wfa2", "ultralow", wfa2_distance<::wfa::WFAligner::MemoryUltralow>},
#endif
  };
}

std::vector<SearchPeer> built_in_search_peers() {
  return {
#ifdef RHOMB_HAVE_EDLIB
      {"edlib HW", edlib_occurrence},
#endif
  };
}

std::vector<std::string> missing_peers() {
  return {
#ifndef RHOMB_HAVE_EDLIB
      "edlib (libedlib-dev)",
#endif
#ifndef RHOMB_HAVE_WFA2
      "wfa2 (libwfa2-dev)",
#endif
  };
}

}  // namespace rhomb::cli
