// SPDX-License-Identifier: Apache-2.0
// UnsetVector: a vector whose resize() leaves new values unset, so that several threads set them,
// and see to their memory: who first writes to a page waits for it. Large ones ask for large pages.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace rhomb {

template <class T>
struct Unset : std::allocator<T> {
#if defined(MADV_HUGEPAGE)
  static constexpr std::size_t kPage = std::size_t{2} << 20, kLarge = 2 * kPage;  // bytes

  T* allocate(std::size_t count) {
    if (count < kLarge / sizeof(T)) return std::allocator<T>::allocate(count);
    if (count > std::size_t(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    void* const made = std::aligned_alloc(kPage, bytes);
    if (made == nullptr) throw std::bad_alloc();
    (void)madvise(made, bytes, MADV_HUGEPAGE);  // else they are small
    return static_cast<T*>(made);
  }
  void deallocate(T* at, std::size_t count) {
    if (count < kLarge / sizeof(T))
      std::allocator<T>::deallocate(at, count);
    else
      std::free(at);
  }
#endif

  template <class U>
  struct rebind {
    using other = Unset<U>;
  };
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    if constexpr (sizeof...(Values) == 0)
      ::new (static_cast<void*>(at)) U;
    else
      ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
};

template <class T>
using UnsetVector = std::vector<T, Unset<T>>;

}  // namespace rhomb
