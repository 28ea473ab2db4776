// SPDX-License-Identifier: Apache-2.0
// Folders of the tests, known to one file only: so all others compile alike in every checkout.
#pragma once

#include <string>

namespace rhomb::test {

std::string data_folder();  ///< tests/data
std::string home_folder();  ///< in the build tree, for caches and stores

}  // namespace rhomb::test
