// SPDX-License-Identifier: Apache-2.0
// The real genomes in tests/data and their distances, which other programs found.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "host/seq/reader.h"
#include "tests/support/paths.h"

namespace rhomb::test {

/// Two files of tests/data by name, and their distance.
struct Genomes {
  std::string a, b;
  std::int64_t distance = 0;
  std::string what() const { return a + " and " + b; }
};

/// The lines of tests/data/truth.tsv.
inline std::vector<Genomes> known_genomes() {
  std::ifstream file(data_folder() + "/truth.tsv");
  std::vector<Genomes> known;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream fields(line);
    Genomes pair;
    std::int64_t length_a = 0, length_b = 0;
    fields >> pair.a >> pair.b >> length_a >> length_b >> pair.distance;
    if (fields) known.push_back(pair);
  }
  return known;
}

inline std::string genome(const std::string& name) {
  return seq::read_file(data_folder() + "/" + name + ".fa.gz").at(0).symbols;
}

}  // namespace rhomb::test
