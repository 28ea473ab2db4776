// SPDX-License-Identifier: Apache-2.0
// common.h -- the dialect: what OpenCL C, CUDA C++ and the host's C++ have in common.
//
// Kernel text lives once. Headers below cl/ use only the words defined here; .cl files may use
// OpenCL's own besides. The host's compiler takes the headers in tests, one lane a work-item.
#ifndef RHOMB_CL_COMMON_H
#define RHOMB_CL_COMMON_H

#if defined(__OPENCL_C_VERSION__)
typedef uint u32;
typedef int i32;
typedef ulong u64;
typedef long i64;
#define FN static
#define UNROLLED _Pragma("unroll")
#define GLOBAL __global
#define LOCAL __local
#define RESTRICT restrict
#define POPCOUNT(x) popcount(x)
#elif defined(__CUDACC__)
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
#define FN static __device__ __forceinline__
#define UNROLLED _Pragma("unroll")
#define GLOBAL
#define LOCAL
#define RESTRICT __restrict__
#define POPCOUNT(x) __popc(x)
#else
#include <cstdint>
#include <cstring>
typedef std::uint32_t u32;
typedef std::int32_t i32;
typedef std::uint64_t u64;
typedef std::int64_t i64;
#define FN static inline
#define UNROLLED
#define GLOBAL
#define LOCAL
#define RESTRICT __restrict__
#define POPCOUNT(x) __builtin_popcount(x)
#endif

// NVIDIA's OpenCL and CUDA both take inline PTX.
#if defined(__CUDACC__) || defined(cl_nv_pragma_unroll) || defined(__NV_CL_C_VERSION)
#define HAVE_PTX 1
#else
#define HAVE_PTX 0
#endif

FN u32 min_u32(u32 a, u32 b) { return a < b ? a : b; }

// The bits in reverse order.
FN u32 turned(u32 bits) {
#if HAVE_PTX
  u32 made;
  asm("brev.b32 %0, %1;" : "=r"(made) : "r"(bits));
  return made;
#else
  bits = bits >> 16 | bits << 16;
  bits = (bits >> 8 & 0x00ff00ffu) | (bits & 0x00ff00ffu) << 8;
  bits = (bits >> 4 & 0x0f0f0f0fu) | (bits & 0x0f0f0f0fu) << 4;
  bits = (bits >> 2 & 0x33333333u) | (bits & 0x33333333u) << 2;
  return (bits >> 1 & 0x55555555u) | (bits & 0x55555555u) << 1;
#endif
}

#if defined(__OPENCL_C_VERSION__)
// A packed structure may lie anywhere, and its load is still one instruction.
typedef struct __attribute__((packed)) {
  u64 value;
} UnalignedU64;
#endif

// Eight bytes from any address, lowest first.
FN u64 load_u64(GLOBAL const unsigned char* from) {
#if defined(__OPENCL_C_VERSION__)
  return ((GLOBAL const UnalignedU64*)from)->value;
#elif defined(__CUDACC__)
  u64 value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | from[i];
  return value;
#else
  u64 value;
  std::memcpy(&value, from, sizeof value);
  return value;
#endif
}

// The low word of the 64-bit value hi:lo shifted right by shift & 31.
FN u32 funnel_right(u32 lo, u32 hi, u32 shift) {
  return (u32)((((u64)hi << 32) | lo) >> (shift & 31u));
}

#endif
