// SPDX-License-Identifier: Apache-2.0
// Stream: the bytes of a file or of standard input, decompressed.
//
// Compression is found by content: bgzip blocks go through htslib (several threads), other gzip
// through ISA-L (four times as fast as zlib), everything else is plain. A compressed file that ends
// early is always an error: an unfinished gzip member, an unfinished bgzip block, and a bgzip file
// without its end marker. Zeros after the compressed data, as tapes and disks leave them, are no
// error.
#pragma once

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <isa-l/igzip_lib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rhomb::seq {

class Stream {
 public:
  /// Opens `path`; "-" is standard input. Throws InputError with the system's reason. No more than
  /// `threads` decompress it, 0 for as many as there are cores.
  explicit Stream(const std::string& path, std::size_t threads = 0);

  /// Reads up to `room` bytes; 0 means the end. Throws InputError for a failed read and for
  /// compressed data that is damaged or ends early; of a gzip file that ends early, once all that
  /// it has was given out.
  std::size_t read(char* to, std::size_t room);

  /// The file as errors call it: the path, or "standard input".
  const std::string& name() const { return name_; }

  /// Whether the data is gzip's or bgzip's.
  bool compressed() const { return bgzf_ || inflate_; }

  /// Bytes of an uncompressed regular file, else 0.
  std::int64_t plain_size() const { return plain_size_; }

  /// How much of a regular file has been read, compressed or not, 0 to 1; 0 for others.
  double part() const;

  /// The compressor whose mark the data starts with, if rhomb cannot read it ("xz"), else empty.
  std::string_view foreign_compression() const { return foreign_; }

 private:
  struct CloseFile {
    void operator()(hFILE* file) const { hclose_abruptly(file); }
  };
  struct CloseBgzf {
    void operator()(BGZF* file) const { bgzf_close(file); }
  };

  /// While there is one, htslib writes no messages to standard error: they are exceptions here.
  /// What the process had set is put back after the last one.
  struct Quiet {
    Quiet();
    ~Quiet();
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
  };

  std::size_t read_plain(char* to, std::size_t room);
  std::size_t read_gzip(char* to, std::size_t room);
  std::size_t read_bgzf(char* to, std::size_t room);
  bool refill_gzip();
  bool next_member(bool exhausted, bool some);
  void start_gzip();
  void start_bgzf(std::size_t threads);
  std::string compression() const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string name_;
  std::int64_t size_ = 0;  // of a regular file as it lies there, else 0
  std::int64_t plain_size_ = 0;
  std::string_view foreign_;
  std::unique_ptr<hFILE, CloseFile> file_;
  std::unique_ptr<Quiet> quiet_;                 // lasts as long as bgzf_
  std::unique_ptr<BGZF, CloseBgzf> bgzf_;        // owns the file when set
  std::unique_ptr<inflate_state> inflate_;       // set for gzip
  std::unique_ptr<unsigned char[]> compressed_;  // input of inflate_
  bool between_members_ = false;                 // a gzip member ended, none began since
  bool padded_ = false;                          // zeros follow it
  bool last_empty_ = false;                      // it had nothing in it
  bool bgzip_ = false;                           // the members are bgzip's blocks
};

}  // namespace rhomb::seq
