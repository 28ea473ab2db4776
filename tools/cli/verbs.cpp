// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/verbs.h"

#include <vector>

#include "tools/cli/text.h"

namespace rhomb::cli {

std::string table_of(std::span<const Verb> verbs) {
  std::vector<std::vector<std::string>> rows;
  for (const Verb& verb : verbs)
    rows.push_back({text_of("  ", verb.name, verb.files.empty() ? "" : " ", verb.files),
                    std::string(verb.idea)});
  return aligned(rows);
}

}  // namespace rhomb::cli
