// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "host/error.h"
#include "host/write.h"
#include "tools/cli/messages.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// What follows a file's name while it is written, as mkostemp() wants it.
constexpr std::string_view kTemporary = ".part-XXXXXX";

// The temporary files, for the signal handler, which may only touch what is simple.
struct Unfinished {
  std::array<char, 4096> path{};
  std::atomic<bool> there = false;
};
std::array<Unfinished, 4> unfinished;
std::array<char, 4096> last_words{};

extern "C" void remove_unfinished(int number) {
  for (const Unfinished& file : unfinished)
    if (file.there) unlink(file.path.data());
  if (last_words[0] != 0) {
    (void)!::write(STDERR_FILENO, last_words.data(), std::strlen(last_words.data()));
    _exit(exit_code(Kind::kStopped));
  }
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

/// Makes a file to write to beside `path`, with a lock on it while it is written. Returns it open,
/// its name in `name`; -1 if that is impossible.
int make_temporary(const std::string& path, std::string& name) {
  for (;;) {
    name = path + std::string(kTemporary);
    const int file = mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) return file;
    // Another run that has the lock took it for a dead one's, and takes it away.
    const bool taken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat made {};
    if (!taken && (fstat(file, &made) != 0 || made.st_nlink > 0)) return file;
    close(file);
  }
}

/// Removes what runs left that were killed while they wrote to `path`: nobody holds their locks.
void remove_abandoned(const std::filesystem::path& path) {
  std::error_code failed;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const std::string begin =
      path.filename().string() + std::string(kTemporary.substr(0, kTemporary.find('X')));
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin) ||
        name.size() != path.filename().string().size() + kTemporary.size())
      continue;
    const int file = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) unlink(entry.path().c_str());
    close(file);
  }
}

}  // namespace

void say_when_ended(const std::string& text) {
  const std::string line = message_of(text);
  if (line.size() < last_words.size()) std::ranges::copy(line, last_words.begin());
}

std::string real_path(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::path at = fs::absolute(path, failed);
  for (int links = 0; links < 40 && fs::is_symlink(at, failed); ++links)
    at = at.parent_path() / fs::read_symlink(at, failed);
  const fs::path whole = fs::weakly_canonical(at, failed);
  return failed ? at.string() : whole.string();
}

Output::Output(const std::string& path, ShardHead shard)
    : shard_(std::move(shard)), part_(!shard_.line.empty()) {
  if (path == "-") return;
  const auto refuse = [&](int code) {
    throw UsageError("cannot write '" + path + "': " + std::strerror(code));
  };
  struct stat there {};
  const bool exists = stat(path.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) refuse(EISDIR);
  if (exists && !S_ISREG(there.st_mode)) {
    path_ = path;
    file_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) refuse(errno);
    return;
  }
  path_ = real_path(path);  // so that a link stays one
  if (exists && access(path_.c_str(), W_OK) != 0) refuse(errno);
  remove_abandoned(path_);
  file_ = make_temporary(path_, temporary_);
  if (file_ < 0) {
    temporary_.clear();
    refuse(errno);
  }
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

void Output::header(std::string_view text) {
  if (!part_) return put(text);
  put(std::exchange(shard_.line, {}));
  put(text);
  put(kShardRows);
}

void Output::begin_rows() {
  if (part_ && !shard_.line.empty()) header("");
}

void Output::write(std::string_view text) {
  begin_rows();
  put(text);
}

void Output::put(std::string_view text) {
  if (part_) sum_.add(text);
  if (write_all(file_, text)) return;
  if (errno == EPIPE) throw Closed{};
  fail(std::strerror(errno));
}

void Output::commit() {
  if (part_) {
    shard_.check_files();
    begin_rows();
    part_ = false;
    put(text_of(kShardEnd, R"({"bytes":)", std::to_string(sum_.size()), R"(,"checksum":")",
                sum_.text(), "\"}\n"));
  }
  if (path_.empty()) return;
  if (!temporary_.empty() && fsync(file_) != 0 && errno != EINVAL) fail(std::strerror(errno));
  // Its lock is held until it has its name: another run would take it for a dead one's.
  const int lock = temporary_.empty() ? -1 : fcntl(file_, F_DUPFD_CLOEXEC, 0);
  const bool closed = close(file_) == 0;
  file_ = -1;
  const bool named =
      closed && (temporary_.empty() || rename(temporary_.c_str(), path_.c_str()) == 0);
  const int why = errno;
  if (lock >= 0) close(lock);
  if (!named) fail(std::strerror(why));
  if (temporary_.empty()) return;
  unguard(temporary_);
  temporary_.clear();
}

void Output::fail(const std::string& what) const {
  throw OutputError("cannot write the output to " +
                    (path_.empty() ? "standard output" : "'" + path_ + "'") + ": " + what);
}

}  // namespace rhomb::cli
