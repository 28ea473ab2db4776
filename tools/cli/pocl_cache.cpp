// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/pocl_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace rhomb::cli {
namespace {

constexpr std::string_view kName = "rhomb-pocl-";

std::string made;  // the folder, empty if there is none

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// What the kernels of a run take in PoCL's cache, generously.
constexpr std::uintmax_t kRoom = std::uintmax_t{16} << 20;

/// Whether a folder can be made in `folder`, or in what there is of the path to it, and has room.
bool writable(std::filesystem::path folder) {
  std::error_code failed;
  while (!std::filesystem::exists(folder, failed) && folder.has_relative_path())
    folder = folder.parent_path();
  const auto space = std::filesystem::space(folder, failed);
  if (!failed && space.available < kRoom) return false;
  std::string probe = folder / "rhomb-XXXXXX";
  return mkdtemp(probe.data()) != nullptr && rmdir(probe.c_str()) == 0;
}

/// Takes the lock of a folder, until the process ends. False if another process has it, or if the
/// folder is gone.
bool lock(const std::string& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat there {};
  return file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &there) == 0 &&
         there.st_nlink > 0;
}

/// Removes what processes left that were killed.
void remove_abandoned_folders(const std::filesystem::path& temporary) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(temporary, failed))
    if (entry.path().filename().string().starts_with(kName) && lock(entry.path()))
      std::filesystem::remove_all(entry.path(), failed);
}

/// The folder that PoCL takes if POCL_CACHE_DIR names none.
std::filesystem::path usual_folder() {
  if (const auto cache = environment("XDG_CACHE_HOME"); !cache.empty())
    return std::filesystem::path(cache) / "pocl/kcache";
  if (const auto home = environment("HOME"); !home.empty())
    return std::filesystem::path(home) / ".cache/pocl/kcache";
  return "/tmp/pocl/kcache";
}

}  // namespace

void provide_pocl_cache() {
  const std::string named = environment("POCL_CACHE_DIR");
  if (!made.empty() || (!named.empty() && writable(named))) return;
  if (writable(usual_folder())) {
    // PoCL itself takes the folder that is named, and then compiles nothing.
    if (!named.empty()) ::setenv("POCL_CACHE_DIR", usual_folder().c_str(), /*overwrite=*/1);
    return;
  }
  std::error_code failed;
  const auto temporary = std::filesystem::temp_directory_path(failed);
  if (failed) return;  // then it has no device, and who looks for one is told why
  remove_abandoned_folders(temporary);
  do {
    made = temporary / (std::string(kName) + "XXXXXX");
    if (mkdtemp(made.data()) == nullptr) return made.clear();
  } while (!lock(made) && !std::filesystem::exists(made, failed));
  ::setenv("POCL_CACHE_DIR", made.c_str(), /*overwrite=*/1);
}

void remove_pocl_cache() {
  std::error_code ignored;
  if (!made.empty()) std::filesystem::remove_all(made, ignored);
  made.clear();
}

}  // namespace rhomb::cli
