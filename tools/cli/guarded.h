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

}  // namespace rhomb::cli
