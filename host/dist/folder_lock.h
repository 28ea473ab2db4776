// SPDX-License-Identifier: Apache-2.0
// FolderLock: a folder that one run at a time writes to.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "host/error.h"

namespace rhomb::dist {

class FolderLock {
 public:
  /// Where the file system has locks. Throws UsageError if another run has this one.
  explicit FolderLock(const std::string& folder)
      : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0 || flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      return;
    close(descriptor_);
    throw UsageError("another run saves in '" + folder + "' at present");
  }
  ~FolderLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace rhomb::dist
