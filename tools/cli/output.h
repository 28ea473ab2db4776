// SPDX-License-Identifier: Apache-2.0
// Output: where results go. A file appears complete or not at all: it is written under another name
// beside its own and renamed at the end, and removed when anything goes wrong, a signal included.
// What a killed run could not remove, the next one to the same name does.
#pragma once

#include <string>
#include <string_view>

#include "host/dist/checksum.h"
#include "tools/cli/shard.h"

namespace rhomb::cli {

/// Nobody reads standard output any more, as in `rhomb ... | head -1`. No error: time to stop.
struct Closed {};

/// From now on a signal that ends the process while a file is written has it say that, and end with
/// the exit code of a run that was stopped.
void say_when_ended(const std::string& text);

/// The whole path of a file that may not exist, links followed.
std::string real_path(const std::string& path);

class Output {
 public:
  /// "-" is standard output. Devices and pipes are written directly. Throws UsageError if the file
  /// cannot be made.
  /// `shard`: shard_head().
  explicit Output(const std::string& path, ShardHead shard = {});
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// What stands before all rows, once, at the beginning; may be empty.
  void header(std::string_view text);
  /// Writes whole lines at once. Throws OutputError when the disk is full, Closed when nobody reads
  /// the pipe any more.
  void write(std::string_view text);

  /// Everything is written: the file takes its name. Throws InputError for a part of files that
  /// have changed.
  void commit();

 private:
  void begin_rows();
  void put(std::string_view text);
  [[noreturn]] void fail(const std::string& what) const;

  ShardHead shard_;    // its line until that is written
  bool part_ = false;  // of a run
  dist::Checksum sum_;

  std::string path_;       // empty for standard output
  std::string temporary_;  // empty when written directly
  int file_ = 1;
};

}  // namespace rhomb::cli
