// SPDX-License-Identifier: Apache-2.0
#include "host/primer/thermo.h"

#include <cmath>
#include <cstddef>

namespace rhomb::primer {
namespace {

/// A, C, G, T as 0 to 3; -1 for others.
int base_of(char symbol) {
  switch (symbol) {
    case 'A':
    case 'a':
      return 0;
    case 'C':
    case 'c':
      return 1;
    case 'G':
    case 'g':
      return 2;
    case 'T':
    case 't':
    case 'U':
    case 'u':
      return 3;
    default:
      return -1;
  }
}

/// Enthalpy in kcal/mol, entropy in cal/(mol K).
struct Change {
  double enthalpy, entropy;
};

// From the 5' end, first base by second: AA is also TT of the other strand, and so on.
constexpr Change kNeighbours[4][4] = {{{-7.9, -22.2}, {-8.4, -22.4}, {-7.8, -21.0}, {-7.2, -20.4}},
                                      {{-8.5, -22.7}, {-8.0, -19.9}, {-10.6, -27.2}, {-7.8, -21.0}},
                                      {{-8.2, -22.2}, {-9.8, -24.4}, {-8.0, -19.9}, {-8.4, -22.4}},
                                      {{-7.2, -21.3}, {-8.2, -22.2}, {-8.5, -22.7}, {-7.9, -22.2}}};
constexpr Change kTerminalGc{0.1, -2.8}, kTerminalAt{2.3, 4.1};
constexpr double kSymmetry = -1.4;  // entropy
constexpr double kGas = 1.987;      // cal/(mol K)
constexpr double kSalt = 0.368;     // entropy for each phosphate of a strand

}  // namespace

std::optional<double> gc_percent(std::string_view text) {
  std::size_t strong = 0, known = 0;
  for (const char symbol : text) {
    const int base = base_of(symbol);
    const bool s = symbol == 'S' || symbol == 's';
    strong += base == 1 || base == 2 || s ? 1 : 0;
    known += base >= 0 || s || symbol == 'W' || symbol == 'w' ? 1 : 0;
  }
  if (known == 0) return std::nullopt;
  return 100.0 * static_cast<double>(strong) / static_cast<double>(known);
}

std::optional<double> melting_temperature(std::string_view text, const Conditions& conditions) {
  if (text.size() < 2) return std::nullopt;
  double enthalpy = 0, entropy = 0;
  bool symmetric = true;
  const auto add = [&](const Change& change) {
    enthalpy += change.enthalpy;
    entropy += change.entropy;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int base = base_of(text[i]);
    if (base < 0) return std::nullopt;
    if (i > 0) add(kNeighbours[base_of(text[i - 1])][base]);
    if (i == 0 || i + 1 == text.size()) add(base == 1 || base == 2 ? kTerminalGc : kTerminalAt);
    symmetric = symmetric && base == 3 - base_of(text[text.size() - 1 - i]);
  }
  if (symmetric) entropy += kSymmetry;
  entropy += kSalt * static_cast<double>(text.size() - 1) * std::log(conditions.sodium);
  const double strands = conditions.oligo / (symmetric ? 1 : 4);
  return 1000 * enthalpy / (entropy + kGas * std::log(strands)) - 273.15;
}

}  // namespace rhomb::primer
