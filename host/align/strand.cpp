// SPDX-License-Identifier: Apache-2.0
#include "host/align/strand.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "host/batch/threads.h"

namespace rhomb::align {
namespace {

/// A thread is worth its while for so many symbols.
constexpr std::size_t kShareOfThread = std::size_t{1} << 19;

void encode(std::string_view text, const std::array<std::uint8_t, 256>& code, std::size_t threads,
            UnsetVector<std::uint8_t>& codes) {
  codes.resize(text.size());
  const std::size_t parts = std::min(batch::threads_of(threads), text.size() / kShareOfThread + 1);
  batch::in_parts(text.size(), parts, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) codes[i] = code[static_cast<unsigned char>(text[i])];
  });
}

}  // namespace

void turn(const Problem& problem, Turned& turned) {
  turned.problem = problem;
  std::string_view& a = turned.problem.a;
  std::string_view& b = turned.problem.b;
  while (!a.empty() && !b.empty() && problem.code->match(a.back(), b.back())) {
    a.remove_suffix(1);
    b.remove_suffix(1);
    ++turned.suffix;
  }
  turned.code = *problem.code;
  if (a.size() > b.size()) {
    turned.codes.turned = !turned.codes.turned;
    std::swap(a, b);
    std::swap(turned.code.a, turned.code.b);
  }
  turned.codes.planes = turned.code.planes;
  turned.codes.sets = turned.code.matching == seq::Matching::kSets;
  turned.problem.code = &turned.code;
}

Codes encoded(const Turned& turned) {
  Codes codes = turned.codes;
  encode(turned.problem.a, turned.code.a, turned.problem.threads, codes.rows);
  encode(turned.problem.b, turned.code.b, turned.problem.threads, codes.columns);
  return codes;
}

Cigar along_first_row(const Turned& turned, std::int64_t entry) {
  Cigar rest;
  rest.add(turned.codes.by_column(), entry);
  return rest;
}

}  // namespace rhomb::align
