// SPDX-License-Identifier: Apache-2.0
#include "host/tune/seal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "host/ocl/hash.h"

namespace rhomb::tune {
namespace {

constexpr std::string_view kKey = ",\"sum\":\"";
constexpr std::size_t kDigits = 16;

std::string sum_of(std::string_view text) {
  return ocl::hex(ocl::hash_of(text)).substr(0, kDigits);
}

}  // namespace

std::string sealed(std::string_view object) {
  const std::string body(object.substr(0, object.size() - 1));
  return body + std::string(kKey) + sum_of(body) + "\"}";
}

std::optional<std::string> opened(std::string_view line) {
  const std::size_t tail = kKey.size() + kDigits + 2;
  if (line.size() <= tail) return std::nullopt;
  const std::string_view body = line.substr(0, line.size() - tail);
  if (line.substr(body.size()) != std::string(kKey) + sum_of(body) + "\"}") return std::nullopt;
  return std::string(body) + "}";
}

bool append_line(const std::string& path, std::string_view line) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const int file = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return false;
  // The lock keeps others from adding while we take away again what did not fit.
  while (::flock(file, LOCK_EX) != 0 && errno == EINTR) {
  }
  std::string text;
  char last = '\n';
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0;
  if (known && status.st_size > 0 && ::pread(file, &last, 1, status.st_size - 1) == 1 &&
      last != '\n')
    text = "\n";
  text.append(line).append("\n");
  const ssize_t size = ::write(file, text.data(), text.size());
  const bool written = size == static_cast<ssize_t>(text.size());
  const int why = written ? 0 : size < 0 ? errno : ENOSPC;
  if (!written && size > 0 && known) (void)!::ftruncate(file, status.st_size);
  if (::close(file) == 0 && written) return true;
  if (!written) errno = why;
  return false;
}

}  // namespace rhomb::tune
