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

CodeText encode(std::string_view text, const std::array<std::uint8_t, 256>& code,
                std::size_t threads) {
  UnsetVector<std::uint8_t> codes(text.size());
  const std::size_t parts = std::min(batch::threads_of(threads), text.size() / kShareOfThread + 1);
  batch::in_parts(text.size(), parts, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) codes[i] = code[static_cast<unsigned char>(text[i])];
  });
  return CodeText(std::move(codes));
}

}  // namespace

CodeKind kind_of(const seq::Code& code, bool turned) {
  const bool sets = code.matching == seq::Matching::kSets;
  const auto all = static_cast<std::uint8_t>((1 << code.planes) - 1);
  return {code.as_bytes ? 8 : code.planes, sets, turned, code.as_bytes.value_or(sets ? all : 0)};
}

void turn(const Problem& problem, Turned& turned) {
  turned.problem = without_suffix(problem);
  std::string_view& a = turned.problem.a;
  std::string_view& b = turned.problem.b;
  turned.suffix = static_cast<std::int64_t>(problem.a.size() - a.size());
  turned.code = *problem.code;
  if (a.size() > b.size()) {
    turned.codes.turned = !turned.codes.turned;
    std::swap(a, b);
    std::swap(turned.code.a, turned.code.b);
  }
  turned.codes = kind_of(turned.code, turned.codes.turned);
  turned.problem.code = &turned.code;
}

Codes encoded(const Turned& turned) {
  const Problem& texts = turned.problem;
  if (turned.code.as_bytes) return {{turned.codes}, CodeText(texts.a), CodeText(texts.b)};
  return {{turned.codes},
          encode(texts.a, turned.code.a, texts.threads),
          encode(texts.b, turned.code.b, texts.threads)};
}

Cigar along_first_row(const Turned& turned, std::int64_t entry) {
  Cigar rest;
  rest.add(turned.codes.by_column(), entry);
  return rest;
}

}  // namespace rhomb::align
