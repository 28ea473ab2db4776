// SPDX-License-Identifier: Apache-2.0
#include "host/ocl/cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "host/ocl/hash.h"
#include "host/write.h"

namespace rhomb::ocl {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[8] = {'r', 'h', 'o', 'm', 'b', 'c', 'l', '1'};
// No program comes near this; a damaged length must not make us ask for all memory.
constexpr std::int64_t kLargest = std::int64_t{1} << 30;
// Entries kept. Old drivers and edited kernels leave entries behind that nobody asks for again.
constexpr std::size_t kEntries = 512;
constexpr auto kDay = std::chrono::hours(24);
/// Of what is kept about a failure.
constexpr std::size_t kLongestFailure = 1000;

struct Header {
  char magic[sizeof kMagic];
  std::uint64_t size;
  Hash checksum;
};

Header header_of(std::string_view binary) {
  Header header{{}, binary.size(), hash_of(binary)};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  return header;
}

/// A file descriptor, closed at the end.
class File {
 public:
  File(const std::string& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  explicit File(int fd) : fd_(fd) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  explicit operator bool() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

std::string default_dir() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/') return std::string(cache) + "/rhomb";
  const char* home = std::getenv("HOME");
  if (home && home[0] == '/') return std::string(home) + "/.cache/rhomb";
  return {};
}

/// Creates `dir` and its parents for the owner alone.
void create(const fs::path& dir) {
  std::error_code ignored;
  if (fs::exists(dir, ignored)) return;
  if (dir.has_parent_path() && dir != dir.parent_path()) create(dir.parent_path());
  ::mkdir(dir.c_str(), 0700);
}

/// Whether nobody but us can put files into `dir`: what is in it runs on the device.
bool ours(const std::string& dir) {
  struct stat status {};
  return ::stat(dir.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::optional<std::string> read_all(const std::string& path) {
  const File file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (!file || fstat(file.fd(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_size > kLargest) return std::string();
  std::string data(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < data.size()) {
    const ssize_t got = ::read(file.fd(), data.data() + done, data.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  data.resize(done);
  return data;
}

/// Whether a process died before it could rename this file: nobody holds its lock. (One that is
/// taken for dead before it has locked the file keeps nothing, this time.) Where the file system
/// has no locks, old ones are.
bool abandoned(const std::string& path, bool old) {
  const File file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file) return false;
  return flock(file.fd(), LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && old);
}

}  // namespace

Cache::Cache(std::string dir) : dir_(dir.empty() ? default_dir() : std::move(dir)) {
  if (dir_.empty()) return;
  create(dir_);
  if (!ours(dir_)) dir_.clear();
}

std::string Cache::path(const std::string& key, const char* suffix) const {
  return dir_ + "/" + key + suffix;
}

bool Cache::has(const std::string& key) const {
  return !dir_.empty() && access(path(key, ".bin").c_str(), R_OK) == 0;
}

std::optional<std::string> Cache::load(const std::string& key) const {
  if (dir_.empty()) return std::nullopt;
  const std::string file = path(key, ".bin");
  std::optional<std::string> data = read_all(file);
  if (!data) return std::nullopt;
  Header header{};
  if (data->size() > sizeof header) {
    std::memcpy(&header, data->data(), sizeof header);
    data->erase(0, sizeof header);
    const Header expected = header_of(*data);
    if (std::memcmp(&header, &expected, sizeof header) == 0) {
      utimensat(AT_FDCWD, file.c_str(), nullptr, 0);  // prune() keeps what was used last
      return data;
    }
  }
  remove(key);
  return std::nullopt;
}

void Cache::store(const std::string& key, std::string_view binary) const {
  if (dir_.empty() || binary.empty()) return;
  ::unlink(path(key, ".ok").c_str());
  const Header header = header_of(binary);
  std::string data(sizeof header, '\0');
  std::memcpy(data.data(), &header, sizeof header);
  data += binary;
  write(path(key, ".bin"), data);
}

void Cache::remove(const std::string& key) const {
  if (dir_.empty()) return;
  for (const char* const kind : {".ok", ".bad", ".bin"}) ::unlink(path(key, kind).c_str());
}

bool Cache::tested(const std::string& key, std::string_view binary) const {
  if (dir_.empty() || read_all(path(key, ".ok")) != hex(hash_of(binary))) return false;
  utimensat(AT_FDCWD, path(key, ".ok").c_str(), nullptr, 0);  // as in load()
  return true;
}

void Cache::mark_tested(const std::string& key, std::string_view binary) const {
  if (!dir_.empty()) write(path(key, ".ok"), hex(hash_of(binary)));
}

std::optional<std::string> Cache::failed(const std::string& key) const {
  if (dir_.empty()) return std::nullopt;
  std::optional<std::string> how = read_all(path(key, ".bad"));
  if (!how || how->empty()) return std::nullopt;
  how->resize(std::min(how->size(), kLongestFailure));
  for (char& c : *how)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return how;
}

void Cache::mark_failed(const std::string& key, const std::string& how) const {
  if (!dir_.empty()) write(path(key, ".bad"), how);
}

void Cache::forget_failed(const std::string& key) const {
  if (!dir_.empty()) ::unlink(path(key, ".bad").c_str());
}

void Cache::write(const std::string& path, std::string_view data) const {
  std::string temporary = path + ".XXXXXX";
  File file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return;
  flock(file.fd(), LOCK_EX | LOCK_NB);  // see abandoned()
  const bool written = write_all(file.fd(), data);
  const bool closed = file.close();
  if (!written || !closed || ::rename(temporary.c_str(), path.c_str()) != 0)
    ::unlink(temporary.c_str());
  prune();
}

void Cache::prune() const {
  using Time = fs::file_time_type;
  std::map<std::string, Time> entries;  // of a key the latest; some drivers' have no .bin
  std::error_code failed;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator at(dir_, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code gone;
    const auto used = at->last_write_time(gone);
    if (gone) continue;
    const std::string extension = at->path().extension().string();
    const std::string stem = at->path().stem().string();
    if (extension == ".bin" || extension == ".ok" || extension == ".bad") {
      // What is of a time to come was used before a clock was set right.
      Time& latest = entries.try_emplace(stem, Time::min()).first->second;
      if (used < now + kDay) latest = std::max(latest, used);
    } else if ((stem.ends_with(".bin") || stem.ends_with(".ok") || stem.ends_with(".bad")) &&
               abandoned(at->path().string(), now - used > kDay)) {
      ::unlink(at->path().c_str());
    }
  }
  if (entries.size() <= kEntries) return;
  std::vector<std::pair<Time, std::string>> oldest;
  for (const auto& [key, used] : entries) oldest.emplace_back(used, key);
  const auto excess = static_cast<std::ptrdiff_t>(entries.size() - kEntries * 3 / 4);
  std::ranges::nth_element(oldest, oldest.begin() + excess);
  for (auto entry = oldest.begin(); entry != oldest.begin() + excess; ++entry)
    remove(entry->second);
}

}  // namespace rhomb::ocl
