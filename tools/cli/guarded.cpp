// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/guarded.h"

#include <exception>
#include <new>

#include "host/error.h"
#include "tools/cli/output.h"

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

}  // namespace rhomb::cli
