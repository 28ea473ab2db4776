// SPDX-License-Identifier: Apache-2.0
#include "host/seq/stream.h"

#include <fcntl.h>
#include <htslib/hts_log.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <new>
#include <system_error>

#include "host/batch/threads.h"
#include "host/error.h"

namespace rhomb::seq {
namespace {

#ifdef RHOMB_READ_BLOCK  // see lines.h
constexpr std::size_t kGzipInput = RHOMB_READ_BLOCK;
#else
constexpr std::size_t kGzipInput = std::size_t{1} << 17;
#endif
constexpr const char* kEndsEarly = "the file was cut short; copy or make it again";

// htslib's level of messages is one number for the process. Its threads write messages too, so the
// level stays off until no bgzip file is open.
std::mutex quiet_mutex;
int quiet_streams = 0;
htsLogLevel level_before = HTS_LOG_WARNING;

std::string system_reason(int code) { return std::generic_category().message(code); }

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

// A gzip member whose first extra field is "BC" with two bytes (SAM specification, 4.1).
bool is_bgzf(std::string_view head) {
  return head.size() >= 18 && is_gzip(head) && (head[3] & 4) != 0 &&
         head.substr(12, 4) == std::string_view("BC\x02\x00", 4);
}

// Whether the file ends with the empty block that bgzip files have at their end. If it does not, it
// was cut or has something after it, and read_gzip() finds out which.
bool ends_as_bgzf(int fd, std::int64_t size) {
  constexpr std::string_view kEnd(
      "\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0\x42\x43\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0", 28);
  std::array<char, kEnd.size()> end{};
  const auto count = pread(fd, end.data(), end.size(), size - static_cast<off_t>(end.size()));
  return count == static_cast<ssize_t>(end.size()) &&
         std::string_view(end.data(), end.size()) == kEnd;
}

std::string_view foreign_compressor(std::string_view head) {
  if (head.starts_with("\x28\xb5\x2f\xfd")) return "zstd";
  if (head.starts_with(std::string_view("\xfd\x37zXZ\0", 6))) return "xz";
  if (head.starts_with("BZh") && head.size() > 9 && head.substr(4, 6) == "1AY&SY") return "bzip2";
  if (head.starts_with("PK\x03\x04")) return "zip";
  return {};
}

}  // namespace

Stream::Stream(const std::string& path, std::size_t threads)
    : name_(path == "-" ? "standard input" : path) {
  // A copy of descriptor 0, so that closing the stream leaves standard input open.
  const int fd = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("cannot open: " + system_reason(errno));
  file_.reset(hdopen(fd, "r"));
  if (!file_) {
    const int code = errno;
    close(fd);
    fail("cannot open: " + system_reason(code));
  }
  struct stat status {};
  if (fstat(fd, &status) != 0) fail("cannot open: " + system_reason(errno));
  if (S_ISDIR(status.st_mode)) fail("is a directory, not a file");

  if (S_ISREG(status.st_mode)) size_ = status.st_size;

  std::array<char, 18> bytes{};
  const auto peeked = hpeek(file_.get(), bytes.data(), bytes.size());
  if (peeked < 0) fail("cannot read: " + system_reason(errno));
  const std::string_view head(bytes.data(), static_cast<std::size_t>(peeked));
  bgzip_ = is_bgzf(head);
  if (bgzip_ && (size_ == 0 || ends_as_bgzf(fd, size_))) {
    start_bgzf(threads);
  } else if (is_gzip(head)) {
    start_gzip();
  } else {
    plain_size_ = size_;
    foreign_ = foreign_compressor(head);
  }
}

std::size_t Stream::read(char* to, std::size_t room) {
  if (bgzf_) return read_bgzf(to, room);
  return inflate_ ? read_gzip(to, room) : read_plain(to, room);
}

double Stream::part() const {
  if (size_ == 0) return 0;
  // Threads of htslib read ahead in a bgzip file; what counts is the block that was given out last.
  const std::int64_t at = bgzf_ ? bgzf_->block_address : htell(file_.get());
  return std::min(1.0, static_cast<double>(at) / static_cast<double>(size_));
}

std::size_t Stream::read_plain(char* to, std::size_t room) {
  // hread() waits until all the room is full; of a pipe whose writer is slow what there is will do.
  if (size_ == 0 && file_->begin == file_->end) {
    char next = 0;
    if (hpeek(file_.get(), &next, 1) < 0) fail("cannot read: " + system_reason(errno));
  }
  const auto there = static_cast<std::size_t>(file_->end - file_->begin);
  const auto count = hread(file_.get(), to, size_ == 0 ? std::min(room, there) : room);
  if (count < 0) fail("cannot read: " + system_reason(errno));
  return static_cast<std::size_t>(count);
}

void Stream::start_gzip() {
  compressed_ = std::make_unique_for_overwrite<unsigned char[]>(kGzipInput);
  inflate_ = std::make_unique_for_overwrite<inflate_state>();
  isal_inflate_init(inflate_.get());
  inflate_->crc_flag = ISAL_GZIP;  // headers and checksums are looked at
}

bool Stream::refill_gzip() {
  const auto count = read_plain(reinterpret_cast<char*>(compressed_.get()), kGzipInput);
  inflate_->next_in = compressed_.get();
  inflate_->avail_in = static_cast<std::uint32_t>(count);
  return count > 0;
}

std::size_t Stream::read_gzip(char* to, std::size_t room) {
  const auto wanted = static_cast<std::uint32_t>(std::min<std::size_t>(room, 1u << 30));
  inflate_->next_out = reinterpret_cast<std::uint8_t*>(to);
  inflate_->avail_out = wanted;
  while (inflate_->avail_out > 0) {
    const bool exhausted = inflate_->avail_in == 0 && !refill_gzip();
    // What stands before a fault is given out first; the next call comes here again.
    const bool some = inflate_->avail_out < wanted;
    if (between_members_ && !next_member(exhausted, some)) break;
    if (inflate_->avail_in == 0 && !exhausted) continue;  // nothing but zeros so far
    if (exhausted && some) break;
    if (exhausted) fail("the " + compression() + " data ends early: " + kEndsEarly);
    const int result = isal_inflate(inflate_.get());
    if (result != ISAL_DECOMP_OK) {
      const std::string reason =
          result == ISAL_INCORRECT_CHECKSUM ? "wrong checksum" : "unreadable";
      fail("the " + compression() + " data is damaged (" + reason +
           "); copy or make the file again");
    }
    if (inflate_->block_state == ISAL_BLOCK_FINISH) {
      between_members_ = true;
      last_empty_ = inflate_->total_out == 0;
    }
  }
  return wanted - inflate_->avail_out;
}

// Between two members of a gzip file: false where nothing more is to be read at present.
bool Stream::next_member(bool exhausted, bool some) {
  for (; inflate_->avail_in > 0 && *inflate_->next_in == 0; --inflate_->avail_in) {
    ++inflate_->next_in;
    padded_ = true;
  }
  if (exhausted) {
    if (!some && bgzip_ && !last_empty_)
      fail(std::string("the bgzip data lacks its end marker: ") + kEndsEarly);
    return false;
  }
  if (inflate_->avail_in == 0) return true;
  if (padded_ || *inflate_->next_in != 0x1f) {
    if (!some)
      fail("garbage follows the " + compression() +
           " data, or a part of it is damaged; copy or make the file again");
    return false;
  }
  isal_inflate_reset(inflate_.get());
  between_members_ = false;
  return true;
}

std::string Stream::compression() const { return bgzip_ ? "bgzip" : "gzip"; }

Stream::Quiet::Quiet() {
  const std::lock_guard lock(quiet_mutex);
  if (quiet_streams++ > 0) return;
  level_before = hts_get_log_level();
  hts_set_log_level(HTS_LOG_OFF);
}

Stream::Quiet::~Quiet() {
  const std::lock_guard lock(quiet_mutex);
  if (--quiet_streams == 0) hts_set_log_level(level_before);
}

void Stream::start_bgzf(std::size_t threads) {
  quiet_ = std::make_unique<Quiet>();
  bgzf_.reset(bgzf_hopen(file_.get(), "r"));
  if (!bgzf_) fail("cannot read the bgzip data");
  (void)file_.release();  // bgzf_ closes it
  const std::size_t most = std::min<std::size_t>(batch::threads_of(threads), 4);
  // When no thread can be started it reads with this one.
  if (most > 1) bgzf_mt(bgzf_.get(), static_cast<int>(most), 0);
}

std::size_t Stream::read_bgzf(char* to, std::size_t room) {
  const auto count = bgzf_read(bgzf_.get(), to, room);
  if (count < 0) fail(std::string("the bgzip data is damaged or ends early: ") + kEndsEarly);
  if (count == 0 && room > 0 && bgzf_->no_eof_block)
    fail(std::string("the bgzip data lacks its end marker: ") + kEndsEarly);
  return static_cast<std::size_t>(count);
}

void Stream::fail(const std::string& what) const { throw InputError(name_, "", 0, what); }

}  // namespace rhomb::seq
