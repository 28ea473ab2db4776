// SPDX-License-Identifier: Apache-2.0
// Looks for the words of one text in the other on a device (cl/corridor/words.cl). What is found is
// what the host finds, look_for_words().
#pragma once

#include "host/corridor/corridor.h"
#include "host/corridor/device_bands.h"

namespace rhomb::corridor {

/// Bytes of a device for the tables of tiles that are searched together: as many as fit, one at
/// least.
inline constexpr std::uint64_t kWordBytes = 256u << 20;

/// Device memory for the words of texts of m symbols, at most; but for tables of one tile that need
/// more.
std::uint64_t word_bytes(std::int64_t m);

/// `texts`: on the device. `a` is what its rows are of.
Seeds look_for_words(ocl::Device& device, const Grid& grid, const DeviceTexts& texts, int planes,
                     std::string_view a, WordSearch search, std::size_t threads);

/// Makes sure that the known-answer test of the program for texts of so many planes has passed on
/// `device`. Throws CheckError when it finds other words than the host.
void ensure_words_tested(ocl::Device& device, int planes);

}  // namespace rhomb::corridor
