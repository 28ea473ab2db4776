// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "host/error.h"

namespace rhomb::cli {
namespace {

// The temporary files, for the signal handler, which may only touch what is simple.
struct Unfinished {
  std::array<char, 4096> path{};
  std::atomic<bool> there = false;
};
std::array<Unfinished, 4> unfinished;

extern "C" void remove_unfinished(int number) {
  for (const Unfinished& file : unfinished)
    if (file.there) unlink(file.path.data());
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void guard(const std::string& path) {
  for (Unfinished& file : unfinished) {
    if (file.there || path.size() >= file.path.size()) continue;
    std::memcpy(file.path.data(), path.c_str(), path.size() + 1);
    file.there = true;
    break;
  }
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(number, remove_unfinished) == SIG_IGN) std::signal(number, SIG_IGN);
}

void unguard(const std::string& path) {
  for (Unfinished& file : unfinished)
    if (file.there && path == file.path.data()) file.there = false;
}

/// The permissions that a file made with open() would have.
mode_t usual_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// The file behind a chain of links, so that a link stays one.
std::string behind_links(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_symlink(path, failed)) return path;
  const auto target = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : target.string();
}

}  // namespace

Output::Output(const std::string& path) {
  if (path == "-") return;
  path_ = behind_links(path);
  const auto refuse = [&](int code) {
    throw UsageError("cannot write '" + path + "': " + std::strerror(code));
  };
  struct stat there {};
  const bool exists = stat(path_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) refuse(EISDIR);
  if (exists && !S_ISREG(there.st_mode)) {
    file_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) refuse(errno);
    return;
  }
  if (exists && access(path_.c_str(), W_OK) != 0) refuse(errno);
  std::string name = path_ + ".part-XXXXXX";
  file_ = mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) refuse(errno);
  temporary_ = name;
  guard(temporary_);
  fchmod(file_, exists ? there.st_mode & 0777 : usual_mode());
}

Output::~Output() {
  if (path_.empty()) return;
  if (file_ >= 0) close(file_);
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  unguard(temporary_);
}

void Output::write(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) throw Closed{};
    if (written < 0) fail(std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Output::commit() {
  if (path_.empty()) return;
  if (!temporary_.empty() && fsync(file_) != 0 && errno != EINVAL) fail(std::strerror(errno));
  const bool closed = close(file_) == 0;
  file_ = -1;
  if (!closed) fail(std::strerror(errno));
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail(std::strerror(errno));
  unguard(temporary_);
  temporary_.clear();
}

void Output::fail(const std::string& what) const {
  throw Error(
      Kind::kInternal,
      "cannot write " + (path_.empty() ? "standard output" : "'" + path_ + "'") + ": " + what);
}

}  // namespace rhomb::cli
