// SPDX-License-Identifier: Apache-2.0
#include "host/align/reference.h"

#include <algorithm>

namespace rhomb::reference {

Cigar alignment(std::string_view query, std::string_view target, const seq::Code& code) {
  const std::size_t width = target.size() + 1;
  std::vector<std::uint32_t> costs((query.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return costs[i * width + j];
  };
  const auto pair = [&](std::size_t i, std::size_t j) {
    return at(i - 1, j - 1) + (code.match(query[i - 1], target[j - 1]) ? 0u : 1u);
  };
  for (std::size_t i = 0; i <= query.size(); ++i)
    for (std::size_t j = 0; j <= target.size(); ++j)
      at(i, j) = i == 0   ? static_cast<std::uint32_t>(j)
                 : j == 0 ? static_cast<std::uint32_t>(i)
                          : std::min({pair(i, j), at(i - 1, j) + 1, at(i, j - 1) + 1});
  Cigar backwards;
  std::size_t i = query.size(), j = target.size();
  while (i > 0 || j > 0) {
    if (i > 0 && j > 0 && pair(i, j) == at(i, j)) {
      backwards.add(at(i - 1, j - 1) == at(i, j) ? Edit::kMatch : Edit::kMismatch, 1);
      --i, --j;
    } else if (i > 0 && at(i - 1, j) + 1 == at(i, j)) {
      backwards.add(Edit::kInsert, 1);
      --i;
    } else {
      backwards.add(Edit::kDelete, 1);
      --j;
    }
  }
  backwards.reverse();
  return backwards;
}

}  // namespace rhomb::reference
