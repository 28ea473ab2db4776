// SPDX-License-Identifier: Apache-2.0
// guarded: turns what goes wrong into a message and an exit code.
#pragma once

#include <functional>
#include <string>

namespace rhomb::cli {

/// What work() returns; or, where it throws, the exit code for that, after complain(message, code).
/// 0, and no complaint, where nobody reads the output any more.
int guarded(const std::function<int()>& work,
            const std::function<void(const std::string&, int)>& complain);

/// A program whose work that is: what its main() returns, if it comes back.
int run_program(const std::function<int()>& work);

}  // namespace rhomb::cli
