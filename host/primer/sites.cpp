// SPDX-License-Identifier: Apache-2.0
// How near windows come to the texts, and where.
#include <algorithm>
#include <memory>
#include <string>
#include <tuple>

#include "host/batch/threads.h"
#include "host/primer/internal.h"
#include "host/primer/self.h"
#include "host/search/occurrence.h"

namespace rhomb::primer {
namespace {

/// Pieces that texts are cut into for all windows together.
constexpr double kSitePiecesOfGpu = 1 << 20, kSitePiecesOfCpu = 1 << 12;

struct Place {
  std::uint32_t distance = kNone, text = 0, end = 0;
};

bool better(const Place& a, const Place& b) {
  return std::tie(a.distance, a.text, a.end) < std::tie(b.distance, b.text, b.end);
}

/// The best place of each window.
std::vector<Place> best_places(ocl::Device* device, const Problem& problem,
                               std::span<const Window> windows, Answer& answer) {
  const double began = now();
  std::vector<Place> best(windows.size());
  double length = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    best[i] = {windows[i].end - windows[i].begin, 0, 0};  // of the empty substring
    length += windows[i].end - windows[i].begin;
  }
  const double all = std::max(1.0, length * symbols_of(problem));
  const auto tell = [&] {
    if (problem.progress)
      problem.progress({0, 0, answer.cells, std::min(1.0, answer.cells / all), now() - began});
  };
  const auto keep = [&](std::size_t i, const Place& place) {
    if (better(place, best[i])) best[i] = place;
  };
  if (device == nullptr) {
    std::size_t i = 0;
    batch::in_order(
        windows.size(), batch::threads_of(problem.threads),
        [&](std::size_t i) {
          check_stop(problem);
          Place place = best[i];
          const Window& window = windows[i];
          for (std::uint32_t text = 0; text < problem.texts.size(); ++text) {
            const auto n = static_cast<std::uint32_t>(problem.texts[text].size());
            const Near near = nearest_end(problem, {window.begin, window.end, text, 0, n});
            const Place found{near.distance, text, near.end};
            if (better(found, place)) place = found;
          }
          return place;
        },
        [&](const Place& place) {
          best[i] = place;
          answer.cells += (windows[i].end - windows[i].begin) * symbols_of(problem);
          ++i;
          tell();
        });
    answer.compute = now() - began;
    return best;
  }
  Windows device_windows(*device, problem, Windows::Where::kFirstEnd);
  const double pieces = device->limits().gpu ? kSitePiecesOfGpu : kSitePiecesOfCpu;
  const auto size = static_cast<std::uint32_t>(std::clamp(
      symbols_of(problem) * static_cast<double>(windows.size()) / pieces, 1024.0, 1048576.0));
  constexpr std::uint32_t kSome = 1 << 14;  // windows until progress is told
  for (std::uint32_t first = 0; first < windows.size();) {
    const auto some =
        static_cast<std::uint32_t>(std::min<std::size_t>(kSome, windows.size() - first));
    device_windows.run(
        some,
        [&](std::uint32_t) {
          return static_cast<std::size_t>(symbols_of(problem) / size) + 2 * problem.texts.size();
        },
        [&](std::uint32_t i, std::vector<Piece>& made) {
          const Window& window = windows[first + i];
          for_pieces(problem, window.begin, window.end, window.end - window.begin + 1, size,
                     [&](Piece piece) {
                       piece.tag = i;
                       made.push_back(piece);
                     });
        },
        [&](const Piece& piece, std::uint32_t distance, std::uint32_t end) {
          keep(first + piece.tag, {distance, piece.text, end});
        });
    first += some;
    answer.cells = device_windows.cells();
    tell();
  }
  tell();
  answer.build = device_windows.build();
  answer.transfer = device_windows.transfer();
  answer.compute = now() - began - answer.build;
  return best;
}

/// The longest part of the text that ends at place.end and has its distance, and an alignment, by
/// plain dynamic programming: no symbol matches itself.
void align_own(const Problem& problem, const Window& window, Site& site) {
  const std::uint32_t m = window.end - window.begin;
  const std::uint32_t from = site.end - std::min(site.end, m + site.distance);
  const auto at = [&](std::uint32_t columns, std::uint32_t i, std::uint32_t c) {
    return std::size_t{i} * (columns + 1) + c;
  };
  // Backwards from the end, each symbol of the text costing one: the farthest column with the
  // distance is where the part begins.
  std::uint32_t n = site.end - from;
  std::vector<std::uint32_t> d(std::size_t{m + 1} * (n + 1));
  const auto fill = [&](std::uint32_t first, bool backwards) {
    for (std::uint32_t i = 0; i <= m; ++i)
      for (std::uint32_t c = 0; c <= n; ++c) {
        if (i == 0 || c == 0) {
          d[at(n, i, c)] = i + c;
          continue;
        }
        const bool match = backwards
                               ? matches(problem, window.end - i, site.text, site.end - c)
                               : matches(problem, window.begin + i - 1, site.text, first + c - 1);
        d[at(n, i, c)] = std::min({d[at(n, i - 1, c - 1)] + (match ? 0 : 1), d[at(n, i - 1, c)] + 1,
                                   d[at(n, i, c - 1)] + 1});
      }
  };
  fill(from, true);
  std::uint32_t length = 0;
  for (std::uint32_t c = 0; c <= n; ++c)
    if (d[at(n, m, c)] == site.distance) length = c;
  site.begin = site.end - length;
  n = length;
  fill(site.begin, false);
  for (std::uint32_t i = m, c = n; i > 0 || c > 0;) {
    const bool both = i > 0 && c > 0;
    const bool match =
        both && matches(problem, window.begin + i - 1, site.text, site.begin + c - 1);
    if (both && d[at(n, i, c)] == d[at(n, i - 1, c - 1)] + (match ? 0 : 1)) {
      site.cigar.add(match ? Edit::kMatch : Edit::kMismatch, 1);
      --i, --c;
    } else if (i > 0 && d[at(n, i, c)] == d[at(n, i - 1, c)] + 1) {
      site.cigar.add(Edit::kInsert, 1);
      --i;
    } else {
      site.cigar.add(Edit::kDelete, 1);
      --c;
    }
  }
  site.cigar.reverse();
}

Site site_of(const Problem& problem, const Window& window, const Place& place) {
  Site site{place.distance, place.text, place.end, place.end, {}};
  const std::uint32_t m = window.end - window.begin;
  if (problem.texts.empty()) {
    site.cigar.add(Edit::kInsert, m);
    return site;
  }
  const std::uint32_t from = place.end - std::min(place.end, m + place.distance);
  if (meets_itself(problem, {window.begin, window.end, place.text, from, place.end})) {
    align_own(problem, window, site);
    return site;
  }
  const std::string_view text = problem.texts[place.text];
  search::Finder finder(problem.alpha.substr(window.begin, m), *problem.code);
  site.begin = static_cast<std::uint32_t>(finder.start(text, {place.end, place.distance}));
  site.cigar = finder.cigar(text.substr(site.begin, site.end - site.begin));
  return site;
}

}  // namespace

Answer distances(ocl::Device* device, const Problem& problem, std::uint32_t length) {
  std::vector<Window> windows;
  for (std::uint32_t j = problem.first;
       j < problem.last && std::uint64_t{j} + length <= problem.alpha.size(); ++j)
    windows.push_back({j, j + length});
  Answer answer;
  for (const Place& place : best_places(device, problem, windows, answer))
    answer.ends.push_back(place.distance);
  return answer;
}

std::vector<Site> nearest_sites(ocl::Device* device, const Problem& problem,
                                std::span<const Window> windows) {
  Answer answer;
  const auto places = best_places(device, problem, windows, answer);
  std::vector<Site> sites;
  sites.reserve(windows.size());
  batch::in_order(
      windows.size(), batch::threads_of(problem.threads),
      [&](std::size_t i) { return site_of(problem, windows[i], places[i]); },
      [&](Site site) { sites.push_back(std::move(site)); });
  return sites;
}

}  // namespace rhomb::primer
