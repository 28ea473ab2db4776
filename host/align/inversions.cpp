// SPDX-License-Identifier: Apache-2.0
#include "host/align/inversions.h"

#include <algorithm>
#include <utility>

#include "host/search/occurrence.h"

namespace rhomb::align {
namespace {

constexpr std::size_t kShortest = 1000;
/// Unrelated texts hardly have a match as long as this in their alignment; related ones have.
constexpr std::uint32_t kLongMatch = 24;
/// Unrelated texts are a little nearer on one strand than on the other; this is much nearer.
constexpr std::int64_t nearer(std::int64_t distance) { return distance * 3 / 4; }

/// What may be inversions: each is found, or not, by the distance of its other strand.
std::vector<Inversion> stretches_of(const Cigar& cigar) {
  std::vector<Inversion> found;
  Inversion stretch;  // from the last long match on
  std::size_t i = 0, j = 0;
  const auto end_stretch = [&] {
    stretch.query_end = i;
    stretch.target_end = j;
    if (i - stretch.query_start >= kShortest && j - stretch.target_start >= kShortest)
      found.push_back(stretch);
  };
  for (const Cigar::Run& run : cigar) {
    const bool match = run.edit == Edit::kMatch;
    const bool splits = match && run.length >= kLongMatch;
    if (splits) end_stretch();
    if (run.edit != Edit::kDelete) i += run.length;
    if (run.edit != Edit::kInsert) j += run.length;
    if (splits) {
      stretch = {i, i, j, j};
    } else if (!match) {
      stretch.distance += run.length;
    }
  }
  end_stretch();
  return found;
}

}  // namespace

std::vector<Inversion> find_inversions(std::string_view query, std::string_view target,
                                       const Cigar& cigar, const DistanceOptions& options,
                                       const DeviceAccess& access) {
  std::vector<Inversion> stretches = stretches_of(cigar), found;
  if (stretches.empty()) return found;
  DistanceRunOptions asked{options};
  asked.check = asked.all_pairs = false;
  asked.progress = {};
  asked.max_distance = 0;
  for (const Inversion& one : stretches)
    asked.max_distance = std::max(*asked.max_distance, nearer(one.distance));
  auto next = stretches.begin();
  const auto turned = [&](batch::SequencePair& pair) {
    if (next == stretches.end()) return false;
    const Inversion& one = *next++;
    pair.query.symbols =
        search::reverse_complement(query.substr(one.query_start, one.query_end - one.query_start),
                                   target.substr(0, kShortest));
    pair.target.symbols = target.substr(one.target_start, one.target_end - one.target_start);
    return true;
  };
  DistanceRun run(batch::one_by_one({"", turned}), asked, access);
  auto asked_of = stretches.begin();
  while (const auto part = run.next()) {
    for (std::size_t i = 0; i < part->size(); ++i) {
      Inversion& one = *asked_of++;
      const auto distance = part->distance(i);
      if (!distance || *distance > nearer(one.distance)) continue;
      one.turned_distance = *distance;
      found.push_back(one);
    }
  }
  return found;
}

}  // namespace rhomb::align
