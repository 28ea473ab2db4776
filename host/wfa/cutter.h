// SPDX-License-Identifier: Apache-2.0
// Cutter: planes of parts of texts that are on a device already, which makes them there.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cl/wfa/cut.h"
#include "host/ocl/device.h"

namespace rhomb::wfa {

/// Two texts that are on a device, coded as the texts of tasks that lie in them are to be. They
/// must outlive what reads them.
struct TextsThere {
  std::string_view a, b;
  /// Of `a`: interleaved planes without spare words, the bits of each word in reverse order.
  const ocl::Buffer<std::uint32_t>* rows = nullptr;
  const ocl::Buffer<std::uint32_t>* columns = nullptr;  ///< of `b`, as seq::Planes has them
};

/// Makes what seq::pack_planes() and seq::reversed_words() make, with the planes interleaved or
/// `apart`.
class Cutter {
 public:
  Cutter(const TextsThere& texts, int planes, bool apart)
      : texts_(texts), planes_(planes), apart_(apart) {}

  /// Whether `part` lies in one of the texts.
  bool has(std::string_view part) const { return in(texts_.a, part) || in(texts_.b, part); }
  /// Words of all planes of a part, in one direction.
  std::size_t words(std::string_view part) const;
  /// A part that has() says is there, whose planes begin at word `to`; bits beside it equal `fill`.
  void add(std::string_view part, bool backwards, int fill, std::size_t to);
  /// Makes the planes of all of them. Throws what tests of programs throw. Returns seconds that it
  /// took to have the program.
  double run(ocl::Device& device, ocl::Buffer<std::uint32_t>& planes) const;

  /// The program, which has passed its test. Throws SelfTestError.
  static ocl::Kernel tested_kernel(ocl::Device& device, int planes, bool apart);

 private:
  static bool in(std::string_view text, std::string_view part) {
    return part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size();
  }
  void enqueue(ocl::Device& device, const ocl::Kernel& kernel,
               ocl::Buffer<std::uint32_t>& planes) const;
  static void test(ocl::Device& device, const ocl::Kernel& kernel, int planes, bool apart);

  TextsThere texts_;
  int planes_;
  bool apart_;
  std::vector<WfaCut> cuts_;
  std::uint32_t words_ = 0;  ///< of a plane, of all of them
};

}  // namespace rhomb::wfa
