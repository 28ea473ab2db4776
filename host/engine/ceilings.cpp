// SPDX-License-Identifier: Apache-2.0
#include "host/engine/ceilings.h"

#include <algorithm>
#include <cstdint>

#include "host/engine/pair.h"

namespace rhomb {
namespace {

/// The least of several runs of `work`, after one to warm up.
template <class Work>
double least_seconds(ocl::Device& device, const Work& work) {
  double least = 1e30;
  for (int i = 0; i < 5; ++i) {
    device.finish();
    const double start = now();
    work();
    device.finish();
    if (i > 0) least = std::min(least, now() - start);
  }
  return least;
}

}  // namespace

Ceilings measure_ceilings(ocl::Device& device) {
  const ocl::Limits& limits = device.limits();
  const int lanes = limits.gpu                 ? 1
                    : limits.vector_ints >= 16 ? 16
                    : limits.vector_ints >= 8  ? 8
                                               : 4;
  const ocl::Defines defines = {{"VEC", std::to_string(lanes)}};
  const auto kernel = [&](const char* name) {
    return device.kernel("tune/ceilings.cl", name, defines);
  };
  const auto units = static_cast<std::size_t>(std::max<std::uint32_t>(limits.compute_units, 1));
  const std::size_t group = std::min<std::size_t>(limits.gpu ? 256 : 1, limits.max_work_group);
  Ceilings ceilings;

  // Enough work-items to fill a GPU several times; a few a core on a CPU, for milliseconds.
  const std::size_t items = limits.gpu ? units * 64 * group : units * 8;
  const auto out = device.buffer<std::uint32_t>(items * static_cast<std::size_t>(lanes));
  const auto logic = kernel("tune_logic");
  std::uint32_t rounds = 64;
  double seconds = 0;
  for (;; rounds *= 2) {
    seconds = least_seconds(device, [&] { logic({items, 1, group, 1}, out, rounds); });
    if (seconds > 0.005 || rounds >= 1u << 20) break;
  }
  ceilings.logic = 128.0 * rounds * static_cast<double>(items) * lanes / seconds;

  // More than caches hold, where there is the memory.
  const std::uint64_t wanted = limits.gpu ? std::uint64_t{1} << 28 : std::uint64_t{1} << 26;
  const std::uint64_t most = std::min(limits.alloc_bytes, limits.global_bytes / 4);
  const std::size_t pieces = static_cast<std::size_t>(std::min(wanted, most) / 16) / group * group;
  const auto from = device.filled<std::uint32_t>(4 * pieces, 1);
  const auto to = device.filled<std::uint32_t>(4 * pieces, 2);
  const auto copy = kernel("tune_copy");
  const int copies = limits.gpu ? 8 : 1;  // the wait for the last one counts less
  seconds = least_seconds(device, [&] {
    for (int i = 0; i < copies; ++i) copy({pieces, 1, group, 1}, from, to);
  });
  ceilings.bytes = 32.0 * copies * static_cast<double>(pieces) / seconds;

  const auto nothing = kernel("tune_nothing");
  constexpr int kLaunches = 500;
  seconds = least_seconds(device, [&] {
    for (int i = 0; i < kLaunches; ++i) nothing({group, 1, group, 1}, out, std::uint32_t{0});
  });
  ceilings.launch = seconds / kLaunches;
  return ceilings;
}

tune::Record record_of(const ocl::DeviceInfo& device, const Ceilings& ceilings) {
  return {"ceilings",
          tune::machine_of(device),
          {{"logic", ceilings.logic}, {"bytes", ceilings.bytes}, {"launch", ceilings.launch}}};
}

Ceilings known_ceilings(const ocl::DeviceInfo& device, const tune::Store& store) {
  Ceilings ceilings;
  const auto found = store.find("ceilings", device);
  if (!found) return ceilings;
  const auto value = [&](const char* name) {
    const auto at = found->record.values.find(name);
    return at == found->record.values.end() ? 0 : at->second;
  };
  ceilings.logic = value("logic");
  ceilings.bytes = value("bytes");
  ceilings.launch = value("launch");
  return ceilings;
}

}  // namespace rhomb
