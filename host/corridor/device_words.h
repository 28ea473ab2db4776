// SPDX-License-Identifier: Apache-2.0
// Looks for the words of one text in the other on a device (cl/corridor/words.cl). What is found is
// what the host finds, look_for_words().
#pragma once

#include "host/corridor/corridor.h"
#include "host/corridor/device_bands.h"

namespace rhomb::corridor {

/// Device memory for the words of texts of m symbols, at most: their tables all at once, and a few
/// occurrences.
std::uint64_t word_bytes(std::int64_t m);

/// What a search takes of it, as long as few words occur, if tables may have `bytes`. `m`: symbols
/// of the text that the words are of.
std::uint64_t word_bytes(const Grid& grid, std::int64_t m, const WordSearch& search,
                         std::uint64_t bytes);

/// `texts`: on the device. `a` is what its rows are of. Tiles are searched together as far as
/// tables of `bytes` allow, one at least. Throws ocl::DeviceError and MemoryError.
Seeds look_for_words(ocl::Device& device, const Grid& grid, const DeviceTexts& texts, int planes,
                     std::string_view a, WordSearch search, std::uint64_t bytes,
                     std::size_t threads);

/// Makes sure that the known-answer test of the program for texts of so many planes has passed on
/// `device`. Throws CheckError when it finds other words than the host.
void ensure_words_tested(ocl::Device& device, int planes);

}  // namespace rhomb::corridor
