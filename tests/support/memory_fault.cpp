// SPDX-License-Identifier: Apache-2.0
// Makes one allocation of the program itself fail, to be preloaded: what operator new is asked for
// by code of the executable, not by drivers and other libraries, which do
// not bear it.
//
// What is made before main() begins does not count: nobody could say anything then.
//
//   LD_PRELOAD=/path/librhomb_memory.so
//   RHOMB_MEMORY_FAULT=12        the twelfth throws std::bad_alloc
//   RHOMB_MEMORY_LOG=FILE        eight bytes: how many there were, whatever way the process ends
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>

namespace {

struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool has(const void* place) const {
    const auto at = reinterpret_cast<std::uintptr_t>(place);
    return at >= begin && at < end;
  }
};

/// Where code is: of the executable, which comes first, and of those libraries that call it.
struct Code {
  std::array<Range, 8> ranges;
  std::size_t count = 0;

  Code() { dl_iterate_phdr(add, this); }

  static int add(dl_phdr_info* info, std::size_t, void* into) {
    Code& code = *static_cast<Code*>(into);
    const std::string_view name = info->dlpi_name;
    bool wanted = code.count == 0;
    for (const char* const library : {"libc.so", "libstdc++", "libgcc_s", "librhomb_memory"})
      wanted = wanted || name.find(library) != name.npos;
    for (int i = 0; i < info->dlpi_phnum; ++i)
      if (const auto& part = info->dlpi_phdr[i]; wanted && part.p_type == PT_LOAD &&
                                                 (part.p_flags & PF_X) != 0 &&
                                                 code.count < code.ranges.size())
        code.ranges[code.count++] = {info->dlpi_addr + part.p_vaddr,
                                     info->dlpi_addr + part.p_vaddr + part.p_memsz};
    return 0;
  }

  bool of_executable(const void* caller) const { return ranges[0].has(caller); }
  /// The executable has functions of the standard library that drivers call, too.
  bool driver_waits() const {
    void* frames[32];
    const int depth = backtrace(frames, 32);
    return std::any_of(frames, frames + depth, [&](const void* frame) {
      return std::none_of(ranges.begin(), ranges.begin() + count,
                          [&](const Range& range) { return range.has(frame); });
    });
  }
};

struct State {
  Code code;
  std::uint64_t wanted = 0;
  std::atomic<std::uint64_t> own{0};
  std::atomic<std::uint64_t>* count = &own;

  State() {
    if (const char* const text = std::getenv("RHOMB_MEMORY_FAULT"))
      wanted = std::strtoull(text, nullptr, 10);
    const char* const log = std::getenv("RHOMB_MEMORY_LOG");
    if (log == nullptr) return;
    const int file = open(log, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof own) != 0) return;
    void* const shared = mmap(nullptr, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared != MAP_FAILED) count = static_cast<std::atomic<std::uint64_t>*>(shared);
  }
};

using Main = int (*)(int, char**, char**);
Main real_main;
std::atomic<bool> begun{false};

bool fails(void* caller) {
  if (!begun) return false;
  static State& state = *[] {
    static char room[sizeof(State)];
    return new (room) State;
  }();
  static thread_local bool looking = false;  // backtrace() may allocate
  if (looking || !state.code.of_executable(caller)) return false;
  looking = true;
  const bool driver = state.code.driver_waits();
  looking = false;
  if (driver) return false;
  return ++*state.count == state.wanted;
}

void* allocate(std::size_t size, std::size_t alignment, void* caller) {
  if (fails(caller)) return nullptr;
  if (size == 0) size = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

extern "C" int __libc_start_main(Main main, int count, char** arguments, void (*init)(),
                                 void (*finish)(), void (*loader)(), void* stack) {
  real_main = main;
  const Main begin = [](int argc, char** argv, char** environment) {
    begun = true;
    return real_main(argc, argv, environment);
  };
  const auto next =
      reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(begin, count, arguments, init, finish, loader, stack);
}

#define CALLER __builtin_return_address(0)
void* operator new(std::size_t size) { return or_throw(allocate(size, 1, CALLER)); }
void* operator new[](std::size_t size) { return or_throw(allocate(size, 1, CALLER)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, 1, CALLER);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, 1, CALLER);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_throw(allocate(size, static_cast<std::size_t>(alignment), CALLER));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return or_throw(allocate(size, static_cast<std::size_t>(alignment), CALLER));
}
