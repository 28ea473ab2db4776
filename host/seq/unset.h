// SPDX-License-Identifier: Apache-2.0
// UnsetVector: a vector whose resize() leaves new values unset, so that several threads set them,
// and see to their memory: who first writes to a page waits for it.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace rhomb {

template <class T>
struct Unset : std::allocator<T> {
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
