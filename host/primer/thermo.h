// SPDX-License-Identifier: Apache-2.0
// thermo: what biologists ask of a primer besides its distance.
#pragma once

#include <optional>
#include <string_view>

namespace rhomb::primer {

/// Concentrations that a duplex melts at.
struct Conditions {
  double sodium = 0.05;  ///< mol/l, of monovalent cations
  double oligo = 50e-9;  ///< mol/l, of strands
};

/// Percent of G, C and S among the symbols whose share is known: A, C, G, T, U, S, W. Nothing if
/// there are none.
std::optional<double> gc_percent(std::string_view text);

/// Melting temperature of the duplex with the reverse complement, in degrees Celsius, by nearest
/// neighbours: the unified parameters of SantaLucia 1998 (PNAS 95, 1460-1465, table 1) with his
/// correction of the entropy for salt (equation 8). Nothing for texts of less than two symbols or
/// with others than A, C, G, T and U. It holds for oligonucleotides, up to some sixty bases.
std::optional<double> melting_temperature(std::string_view text, const Conditions& conditions = {});

}  // namespace rhomb::primer
