// SPDX-License-Identifier: Apache-2.0
#include "host/seq/cigar.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "host/batch/threads.h"
#include "host/error.h"

namespace rhomb {
namespace {

/// A thread is worth its while for texts of so many symbols.
constexpr std::size_t kOfThread = std::size_t{1} << 20;
/// Or of so many runs.
constexpr std::size_t kRunsOfThread = std::size_t{1} << 15;

void append_run(std::string& text, std::uint32_t length, char letter) {
  char run[16];
  char* const end = std::to_chars(run, run + 15, length).ptr;
  *end = letter;
  text.append(run, end + 1);
}

}  // namespace

void Cigar::reverse() { std::reverse(runs_.begin(), runs_.end()); }

Cigar Cigar::reversed(std::span<const Cigar> parts, std::size_t threads) {
  // A part's first run may go on with the last one before it.
  struct Place {
    std::size_t before;  // runs
    bool goes_on;
  };
  std::vector<Place> places;
  std::size_t count = 0;
  const Cigar* last = nullptr;
  for (const Cigar& part : parts) {
    const bool goes_on =
        last != nullptr && !part.empty() && last->runs_.back().edit == part.runs_.front().edit;
    places.push_back({count, goes_on});
    count += part.size() - (goes_on ? 1 : 0);
    if (!part.empty()) last = &part;
  }
  Cigar made;
  if (count == 0) return made;
  made.runs_.resize(count);
  // Parts are of very different sizes, so threads share the runs.
  batch::in_parts(
      count, std::min(batch::threads_of(threads), count / kRunsOfThread + 1),
      [&](std::size_t, std::size_t first, std::size_t end) {
        auto p = static_cast<std::size_t>(
            std::ranges::upper_bound(places, first, {}, &Place::before) - places.begin());
        for (--p; p < parts.size() && places[p].before < end; ++p) {
          // Runs of the part, but for one that goes on; and those of them that are this thread's.
          const auto& runs = parts[p].runs_;
          const std::size_t skipped = places[p].goes_on ? 1 : 0, before = places[p].before;
          const std::size_t from = std::max(first, before) - before,
                            to = std::min(end, before + runs.size() - skipped) - before;
          if (from >= to) continue;
          const auto begin = runs.begin() + static_cast<std::ptrdiff_t>(skipped);
          std::reverse_copy(begin + static_cast<std::ptrdiff_t>(from),
                            begin + static_cast<std::ptrdiff_t>(to),
                            made.runs_.end() - static_cast<std::ptrdiff_t>(before + to));
        }
      });
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (places[p].goes_on)
      made.runs_[count - places[p].before].length += parts[p].runs_.front().length;
  return made;
}

std::string Cigar::text() const {
  std::string text;
  for (const Run& run : runs_) append_run(text, run.length, static_cast<char>(run.edit));
  return text;
}

std::int64_t Cigar::cost() const {
  std::int64_t cost = 0;
  for (const Run& run : runs_)
    if (run.edit != Edit::kMatch) cost += run.length;
  return cost;
}

Cigar::Counts Cigar::counts() const {
  Counts counts;
  for (const Run& run : runs_) {
    const auto add = [&](std::int64_t& symbols, std::int64_t& longest) {
      symbols += run.length;
      longest = std::max<std::int64_t>(longest, run.length);
    };
    switch (run.edit) {
      case Edit::kMatch:
        add(counts.matches, counts.longest_match);
        break;
      case Edit::kMismatch:
        add(counts.mismatches, counts.longest_mismatch);
        ++counts.mismatch_events;
        break;
      case Edit::kInsert:
        add(counts.inserted, counts.longest_insertion);
        ++counts.insertions;
        break;
      case Edit::kDelete:
        add(counts.deleted, counts.longest_deletion);
        ++counts.deletions;
        break;
    }
  }
  return counts;
}

double Cigar::Counts::identity() const {
  const std::int64_t all = matches + mismatches + inserted + deleted;
  return all == 0 ? 1 : static_cast<double>(matches) / static_cast<double>(all);
}

double Cigar::Counts::gap_compressed_identity() const {
  const std::int64_t all = matches + mismatches + insertions + deletions;
  return all == 0 ? 1 : static_cast<double>(matches) / static_cast<double>(all);
}

void Cigar::verify(std::string_view query, std::string_view target, const seq::Code& code,
                   std::int64_t cost, std::size_t threads) const {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw CheckError(std::string("an alignment ") + what + "; please report this");
  };
  const auto in_query = [](const Run& run) { return run.edit == Edit::kDelete ? 0 : run.length; };
  const auto in_target = [](const Run& run) { return run.edit == Edit::kInsert ? 0 : run.length; };

  // Where the runs of each part begin in both texts, which must be long enough for all.
  const std::size_t most =
      std::max(query.size(), target.size()) / kOfThread + runs_.size() / kRunsOfThread + 1;
  const std::size_t parts = std::min(batch::threads_of(threads), most);
  struct Sum {
    std::size_t query = 0, target = 0, cost = 0;
  };
  std::vector<Sum> begins(parts + 1);
  batch::in_parts(runs_.size(), parts, [&](std::size_t part, std::size_t first, std::size_t last) {
    Sum sum;
    for (std::size_t r = first; r < last; ++r) {
      sum.query += in_query(runs_[r]);
      sum.target += in_target(runs_[r]);
      if (runs_[r].edit != Edit::kMatch) sum.cost += runs_[r].length;
    }
    begins[part + 1] = sum;
  });
  for (std::size_t part = 1; part <= parts; ++part) {
    begins[part].query += begins[part - 1].query;
    begins[part].target += begins[part - 1].target;
    begins[part].cost += begins[part - 1].cost;
  }
  const Sum& all = begins.back();
  require(all.query <= query.size(), "is longer than its query");
  require(all.target <= target.size(), "is longer than its target");
  require(all.query == query.size(), "does not have all of its query");
  require(all.target == target.size(), "does not have all of its target");
  require(static_cast<std::int64_t>(all.cost) == cost, "does not cost what the distance is");

  // Symbols that are the same byte match, unless --ambiguous says otherwise.
  bool same_match = true;
  for (int c = 0; c < 256; ++c)
    same_match &= code.match(static_cast<char>(c), static_cast<char>(c));
  std::vector<char> good_matches(parts, 1), good_mismatches(parts, 1);
  batch::in_parts(runs_.size(), parts, [&](std::size_t part, std::size_t first, std::size_t last) {
    std::size_t x = begins[part].query, y = begins[part].target;
    bool matches = true, mismatches = true;
    for (std::size_t r = first; r < last; ++r) {
      const Run& run = runs_[r];
      const char* const u = query.data() + x;
      const char* const v = target.data() + y;
      if (run.edit == Edit::kMatch && !(same_match && std::memcmp(u, v, run.length) == 0))
        for (std::size_t k = 0; k < run.length; ++k) matches &= code.match(u[k], v[k]);
      if (run.edit == Edit::kMismatch)
        for (std::size_t k = 0; k < run.length; ++k) mismatches &= !code.match(u[k], v[k]);
      x += in_query(run);
      y += in_target(run);
    }
    good_matches[part] = matches;
    good_mismatches[part] = mismatches;
  });
  require(std::ranges::count(good_matches, 0) == 0, "has a match that is none");
  require(std::ranges::count(good_mismatches, 0) == 0, "has a mismatch that is none");
}

}  // namespace rhomb
