// SPDX-License-Identifier: Apache-2.0
#include "tools/align/inversions.h"

#include "host/search/occurrence.h"

namespace rhomb::cli {
namespace {

constexpr std::size_t kShortest = 1000;
/// Unrelated texts hardly have a match as long as this in their alignment; related ones have.
constexpr std::uint32_t kLongMatch = 24;
/// Unrelated texts are a little nearer on one strand than on the other; this is much nearer.
constexpr std::int64_t nearer(std::int64_t distance) { return distance * 3 / 4; }

}  // namespace

std::vector<Inversion> find_inversions(std::string_view query, std::string_view target,
                                       const Cigar& cigar, const DistanceWithin& distance) {
  std::vector<Inversion> found;
  Inversion stretch;  // from the last long match on
  std::size_t i = 0, j = 0;
  const auto end_stretch = [&] {
    stretch.query_end = i;
    stretch.target_end = j;
    const std::size_t in_query = i - stretch.query_start, in_target = j - stretch.target_start;
    if (in_query >= kShortest && in_target >= kShortest && stretch.distance > 0) {
      const std::string turned = search::reverse_complement(
          query.substr(stretch.query_start, in_query), target.substr(0, kShortest));
      const auto found_distance = distance(turned, target.substr(stretch.target_start, in_target),
                                           nearer(stretch.distance));
      if (found_distance) {
        stretch.turned_distance = *found_distance;
        found.push_back(stretch);
      }
    }
  };
  each_run(cigar, query, target,
           [&](const Cigar::Run& run, std::string_view in_query, std::string_view in_target) {
             const bool match = run.edit == Edit::kMatch;
             const bool splits = match && run.length >= kLongMatch;
             if (splits) end_stretch();
             i += in_query.size();
             j += in_target.size();
             if (splits) {
               stretch = {};
               stretch.query_start = i;
               stretch.target_start = j;
             } else if (!match) {
               stretch.distance += run.length;
             }
           });
  end_stretch();
  return found;
}

}  // namespace rhomb::cli
