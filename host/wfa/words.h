// SPDX-License-Identifier: Apache-2.0
// Packed texts as the programs for many pairs read them; for their drivers alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cl/wfa/pairs.h"
#include "host/batch/staging.h"
#include "host/seq/packed.h"
#include "host/wfa/pairs.h"

namespace rhomb::wfa {

struct PackedTexts::Words {
  batch::Staged<ocl::Device, std::uint32_t> words;
  batch::Staged<ocl::Device, WfaText> texts;

  void load(ocl::Device& device, std::span<const std::string_view> all,
            const std::array<std::uint8_t, 256>& code, int planes, std::size_t threads) {
    constexpr std::size_t kBack = seq::Planes::kBackWords;
    std::vector<std::uint32_t> starts(all.size());
    seq::pack_batch(all, code, planes, words.load(device, seq::batch_words(all, planes, kBack)),
                    starts, threads);
    const std::span<WfaText> places = texts.load(device, all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      places[i] = {starts[i], static_cast<std::uint32_t>(all[i].size())};
  }
  void send(ocl::Device& device) {
    words.send(device);
    texts.send(device);
  }
};

}  // namespace rhomb::wfa
