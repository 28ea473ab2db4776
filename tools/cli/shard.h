// SPDX-License-Identifier: Apache-2.0
// What stands around the output of one part of a run (--shard), so that rhomb merge knows where it
// belongs and whether it is whole.
//
//   #rhomb-shard {"run":"HASH","verb":"search","format":"tsv","shard":2,"shards":5,...}
//   the header that the whole output has, if it has one
//   #rhomb-shard-rows
//   the rows of this part
//   #rhomb-shard-end {"bytes":N,"checksum":"HASH"}     of all lines before
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "host/dist/shard.h"
#include "tools/cli/command_line.h"

namespace rhomb::cli {

inline constexpr std::string_view kShardBegin = "#rhomb-shard ";
inline constexpr std::string_view kShardRows = "#rhomb-shard-rows\n";
inline constexpr std::string_view kShardEnd = "#rhomb-shard-end ";

/// --shard, where the records called `records` are shared.
Flag shard_flag(const std::string& records);

/// All of them without --shard. Throws UsageError.
Shard parse_shard(const CommandLine& line);

/// A file as it was before its checksum was computed.
struct ReadFile {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec changed{};

  /// Throws InputError if there is no such file.
  static ReadFile of(const std::string& path);
  bool operator==(const ReadFile& other) const;
};

/// What the output of a part begins with, and the files that its checksum is of.
struct ShardHead {
  std::string line;  ///< empty without --shard
  std::vector<ReadFile> files;

  /// Throws InputError for a file that is no longer what it was: rows may be of another one.
  void check_files() const;
};

/// A run, whatever part of it: the hash of the verb, of all options that rows depend on, and of the
/// files' bytes (with --input-format raw of their names, too, which rows have); and these files.
struct RunName {
  std::string name;
  std::vector<ReadFile> files;
};
RunName run_of(const CommandLine& line, const std::string& verb, const std::string& format,
               const std::vector<std::string>& files);

/// The hash in the line is of the verb, of all options that rows depend on, and of the files'
/// bytes, which are read for it: parts of one run have the same one, on whatever devices they are
/// computed. Throws UsageError for what cannot be read twice, InputError for what cannot be read.
ShardHead shard_head(const CommandLine& line, const std::string& verb, const std::string& format,
                     const std::vector<std::string>& files);

}  // namespace rhomb::cli
