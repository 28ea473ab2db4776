// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/guarded.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "host/error.h"
#include "tools/cli/messages.h"
#include "tools/cli/output.h"
#include "tools/cli/pocl_cache.h"

namespace rhomb::cli {

int guarded(const std::function<int()>& work,
            const std::function<void(const std::string&, int)>& complain) {
  const auto fail = [&](const std::string& message, Kind kind) {
    complain(message, exit_code(kind));
    return exit_code(kind);
  };
  try {
    return work();
  } catch (const Closed&) {
    return 0;
  } catch (const Error& error) {
    return fail(error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return fail("out of memory: the host's memory does not suffice", Kind::kMemory);
  } catch (const std::exception& error) {
    return fail(std::string("internal error, please report it: ") + error.what(), Kind::kInternal);
  } catch (...) {
    return fail("internal error of an unknown kind, please report it", Kind::kInternal);
  }
}

int run_program(const std::function<int()>& work) {
#ifdef __GLIBC__
  // What is freed is soon wanted again, and by many threads: to give it back and to ask for it
  // again would be a good part of what they wait for.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that there can be
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
  std::signal(SIGPIPE, SIG_IGN);  // a write then says so, and files are left clean
  const int code = guarded(work, say_error);
  remove_pocl_cache();
#ifndef RHOMB_SANITIZED
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(code);  // see Session::~Session
#endif
  return code;
}

}  // namespace rhomb::cli
