// SPDX-License-Identifier: Apache-2.0
// ResidentTexts: texts that stay on a device.
#include "host/search/internal.h"
#include "host/seq/packed.h"

namespace rhomb::search {

void check_places(std::span<const std::uint32_t> lengths) {
  std::uint64_t end = 0;
  for (const std::uint32_t length : lengths) end += (std::uint64_t{length} + 31) / 32 * 32;
  if (end >= std::uint64_t{1} << 32)
    throw UsageError("texts of " + std::to_string(end) +
                     " symbols together; those that are packed together have less than 2^32");
}

ResidentTexts::ResidentTexts(ocl::Device& device, std::span<const std::string_view> texts,
                             const seq::Code& code, std::uint32_t longest_piece)
    : starts_(texts.size()), longest_piece_(longest_piece), code_(code) {
  for (const std::string_view text : texts) {
    if (text.size() > 0xffffffffu) throw UsageError("more than 2^32 symbols at once");
    lengths_.push_back(static_cast<std::uint32_t>(text.size()));
  }
  check_places(lengths_);
  const trace::Scope scope(device.trace(), trace::Work::kPack);
  std::vector<std::uint32_t> words(resident_bytes(texts, code, longest_piece) /
                                   sizeof(std::uint32_t));
  seq::pack_batch(texts, code.b, code.planes, words, starts_);
  words_ = device.upload<std::uint32_t>(words);
}

/// Shorter pieces are read as far as the longest one of their work-item.
std::uint64_t resident_bytes(std::span<const std::string_view> texts, const seq::Code& code,
                             std::uint32_t longest_piece) {
  return sizeof(std::uint32_t) *
         seq::batch_words(texts, code.planes, std::size_t{longest_piece} / 32 + 4);
}

bool ResidentTexts::fits(const seq::Code& code) const {
  return code.planes == code_.planes && code.matching == code_.matching && code.b == code_.b;
}

}  // namespace rhomb::search
