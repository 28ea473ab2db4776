// SPDX-License-Identifier: Apache-2.0
#include "host/wfa/cutter.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "host/engine/selftest.h"
#include "host/seq/packed.h"

namespace rhomb::wfa {
namespace {

constexpr std::size_t kSpareWords = seq::Planes::kFrontWords + seq::Planes::kBackWords;
constexpr std::size_t kGroup = 64;

std::size_t group_for(const ocl::Device& device) {
  return std::min<std::size_t>(kGroup, device.limits().max_work_group);
}

}  // namespace

std::size_t Cutter::words(std::string_view part) const {
  return (kSpareWords + (part.size() + 31) / 32) * static_cast<std::size_t>(planes_);
}

void Cutter::add(std::string_view part, bool backwards, int fill, std::size_t to) {
  const std::uint32_t of = in(texts_.a, part) ? 0 : 1;
  const char* const text = of == 0 ? texts_.a.data() : texts_.b.data();
  const auto all = static_cast<std::uint32_t>(words(part) / static_cast<std::size_t>(planes_));
  cuts_.push_back({words_, all, static_cast<std::uint32_t>(to), of,
                   static_cast<std::uint32_t>(part.data() - text),
                   static_cast<std::uint32_t>(part.size()), backwards ? 1u : 0u,
                   static_cast<std::uint32_t>(fill)});
  words_ += all;
}

void Cutter::enqueue(ocl::Device& device, const ocl::Kernel& kernel,
                     ocl::Buffer<std::uint32_t>& planes) const {
  const std::size_t group = group_for(device);
  const auto cuts = device.upload(std::span<const WfaCut>(cuts_));
  const auto row_words =
      static_cast<std::uint32_t>(texts_.rows->size() / static_cast<std::size_t>(planes_));
  kernel({(words_ + group - 1) / group * group, 1, group, 1}, *texts_.rows, row_words,
         *texts_.columns, cuts, static_cast<std::uint32_t>(cuts_.size()), words_, planes);
  device.fence().wait();  // for the cuts
}

double Cutter::run(ocl::Device& device, ocl::Buffer<std::uint32_t>& planes) const {
  if (cuts_.empty()) return 0;
  const double start = now();
  const ocl::Kernel kernel = tested_kernel(device, planes_, apart_);
  const double ready = now();
  enqueue(device, kernel, planes);
  return ready - start;
}

ocl::Kernel Cutter::tested_kernel(ocl::Device& device, int planes, bool apart) {
  const ocl::Defines defines{{"WG", std::to_string(group_for(device))},
                             {"PLANES", std::to_string(planes)},
                             {"APART", apart ? "1" : "0"}};
  const auto kernel = [&] { return device.kernel("wfa/cut.cl", "wfa_cut", defines); };
  selftest::ensure_passed(device, "wfa/cut.cl", defines,
                          [&] { test(device, kernel(), planes, apart); });
  return kernel();
}

/// Parts of random texts, of lengths about those of words, are compared with what the host packs.
void Cutter::test(ocl::Device& device, const ocl::Kernel& kernel, int planes, bool apart) {
  selftest::Numbers numbers;
  std::array<std::uint8_t, 256> code{};
  std::iota(code.begin(), code.end(), std::uint8_t{0});
  const std::string a = selftest::random_text(numbers, 300, 1u << planes);
  const std::string b = selftest::random_text(numbers, 352, 1u << planes);
  seq::Planes rows = seq::pack_planes(a, code, planes, 0);
  seq::turn_words(rows);
  const auto there = device.upload(seq::text_words(rows));
  const auto columns = device.upload<std::uint32_t>(seq::pack_planes(b, code, planes, 0).words);
  Cutter cutter({a, b, &there, &columns}, planes, apart);
  std::vector<std::uint32_t> wanted;
  for (const std::string_view text : {std::string_view(a), std::string_view(b)})
    for (const std::size_t begin : {0u, 1u, 31u, 64u})
      for (const std::size_t length : {1u, 31u, 32u, 33u, 100u, 1000u})
        for (const bool backwards : {false, true}) {
          const std::string_view part = text.substr(begin, length);
          const int fill = begin % 2 == 0 ? 1 : 0;
          const seq::Planes packed = seq::pack_planes(part, code, planes, fill);
          UnsetVector<std::uint32_t> words = backwards ? seq::reversed_words(packed) : packed.words;
          if (apart) words = seq::planes_apart(words, planes);
          cutter.add(part, backwards, fill, wanted.size());
          wanted.insert(wanted.end(), words.begin(), words.end());
        }
  auto made = device.buffer<std::uint32_t>(wanted.size());
  cutter.enqueue(device, kernel, made);
  const std::vector<std::uint32_t> found = device.read(made, 0, wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) selftest::compare(found[i], wanted[i], "word");
}

}  // namespace rhomb::wfa
