// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/peer.h"

#include <algorithm>

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
template <EdlibAlignMode mode, EdlibAlignTask task = EDLIB_TASK_DISTANCE>
std::int64_t edlib_run(std::string_view a, std::string_view b) {
  const EdlibAlignConfig config = edlibNewAlignConfig(-1, mode, task, nullptr, 0);
  const EdlibAlignResult result = edlibAlign(a.data(), static_cast<int>(a.size()), b.data(),
                                             static_cast<int>(b.size()), config);
  const int status = result.status;
  // Its operations are 0 for a match, and another number for each edit.
  const std::int64_t distance =
      task == EDLIB_TASK_PATH
          ? result.alignmentLength -
                std::count(result.alignment, result.alignment + result.alignmentLength, 0)
          : result.editDistance;
  edlibFreeAlignResult(result);
  if (status != EDLIB_STATUS_OK) fail("edlib", status);
  return distance;
}
#endif

#ifdef RHOMB_HAVE_WFA2
template <::wfa::WFAligner::MemoryModel memory, ::wfa::WFAligner::AlignmentScope scope>
std::int64_t wfa2_run(std::string_view a, std::string_view b) {
  ::wfa::WFAlignerEdit aligner(scope, memory);
  aligner.setHeuristicNone();  // or the score may be too large
  const auto status = aligner.alignEnd2End(a.data(), static_cast<int>(a.size()), b.data(),
                                           static_cast<int>(b.size()));
  if (status != ::wfa::WFAligner::StatusSuccessful) fail("WFA2-lib", static_cast<int>(status));
  if (scope == ::wfa::WFAligner::Alignment) {
    char* operations = nullptr;
    int length = 0;
    aligner.getAlignmentCigar(&operations, &length);
    return length - std::count(operations, operations + length, 'M');
  }
  const int score = aligner.getAlignmentScore();
  return score < 0 ? -score : score;
}
template <::wfa::WFAligner::MemoryModel memory>
Peer wfa2(const std::string& variant) {
  return {"wfa2", variant, wfa2_run<memory, ::wfa::WFAligner::Score>,
          wfa2_run<memory, ::wfa::WFAligner::Alignment>};
}
#endif

}  // namespace

std::vector<Peer> built_in_peers() {
  return {
#ifdef RHOMB_HAVE_EDLIB
      {"edlib", "", edlib_run<EDLIB_MODE_NW>, edlib_run<EDLIB_MODE_NW, EDLIB_TASK_PATH>},
#endif
#ifdef RHOMB_HAVE_WFA2
      wfa2<::wfa::WFAligner::MemoryHigh>("high"),
      wfa2<::wfa::WFAligner::MemoryUltralow>("ultralow"),
#endif
  };
}

std::vector<Peer> built_in_search_peers() {
  return {
#ifdef RHOMB_HAVE_EDLIB
      {"edlib HW", "", edlib_run<EDLIB_MODE_HW>},
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
