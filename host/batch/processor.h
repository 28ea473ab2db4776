// SPDX-License-Identifier: Apache-2.0
// What the host's processor can do beyond what the program is compiled for. A template that does
// the work is inlined into a function for each way, which has the same result.
#pragma once

#define RHOMB_INLINE [[gnu::always_inline]] inline
#if defined(__x86_64__) && defined(__GNUC__)
#define RHOMB_X86
#define RHOMB_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define RHOMB_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt")))
#endif

namespace rhomb {

enum class Processor { kAny, kAvx2, kAvx512 };

/// What this one is, but no more than `most`, which is for tests.
inline Processor processor(Processor most = Processor::kAvx512) {
#ifdef RHOMB_X86
  const auto has = [](auto... names) { return (names && ...); };
  static const Processor best =
      has(__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"),
          __builtin_cpu_supports("avx512dq"), __builtin_cpu_supports("avx512vl"))
          ? Processor::kAvx512
      : has(__builtin_cpu_supports("avx2"), __builtin_cpu_supports("bmi"),
            __builtin_cpu_supports("popcnt"))
          ? Processor::kAvx2
          : Processor::kAny;
  return best < most ? best : most;
#else
  return Processor::kAny;
#endif
}

}  // namespace rhomb
