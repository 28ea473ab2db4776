// SPDX-License-Identifier: Apache-2.0
// A cache for PoCL. It compiles kernels into a folder on disk, and has no device at all where it
// can write to none, as in containers and daemons without a home.
#pragma once

namespace rhomb::cli {

/// Gives PoCL a temporary folder (POCL_CACHE_DIR) if it has none that it can write to. Called
/// before OpenCL is, and before threads are started.
void provide_pocl_cache();

/// Removes that folder, if it was made by this process.
void remove_pocl_cache();

}  // namespace rhomb::cli
