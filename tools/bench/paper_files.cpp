// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/paper_files.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

struct Accession {
  std::string_view name;
  std::int64_t length;
};

/// The paper rounds some lengths to three digits.
bool is_whole(const Bearer& bearer, const Accession& accession) {
  return std::abs(static_cast<double>(bearer.length - accession.length)) <
         0.005 * static_cast<double>(accession.length);
}

/// The first record that is the whole sequence, or the first that is a part of it.
std::optional<Bearer> find(const std::vector<Bearer>& bearers, const Accession& accession,
                           bool whole) {
  const auto found = std::ranges::find_if(bearers, [&](const Bearer& bearer) {
    return bearer.accession == accession.name && is_whole(bearer, accession) == whole;
  });
  return found == bearers.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::vector<PaperFiles> find_paper_files(const std::vector<std::string>& paths,
                                         Progress& progress) {
  std::set<std::string> wanted, missing;
  for (const PaperPair& pair : paper_table()) {
    wanted.emplace(pair.query);
    wanted.emplace(pair.target);
  }
  const auto skip = [&](const std::string& path, const Error& why) {
    if (std::ranges::find(paths, path) != paths.end()) throw;  // it was asked for
    progress.note(text_of("rhomb: skipped: ", why.what()));
  };
  const auto bearers =
      find_bearers(sequence_files(paths.empty() ? std::vector<std::string>{"."} : paths),
                   {wanted.begin(), wanted.end()}, skip);

  std::vector<PaperFiles> all;
  for (const PaperPair& pair : paper_table()) {
    const Accession first{pair.query, pair.query_length}, second{pair.target, pair.target_length};
    for (const bool whole : {true, false}) {
      const auto query = find(bearers, first, whole), target = find(bearers, second, whole);
      if (query && target)
        all.push_back({&pair, std::pair(*query, *target), whole});
      else if (whole)
        all.push_back({&pair, std::nullopt, true});
      if (whole && !query) missing.emplace(pair.query);
      if (whole && !target) missing.emplace(pair.target);
    }
  }
  if (!missing.empty())
    progress.note("rhomb: not found: " + joined({missing.begin(), missing.end()}));
  return all;
}

}  // namespace rhomb::cli
