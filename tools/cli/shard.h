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

/// The line that the output of a part begins with; empty without --shard. The hash in it is of the
/// verb, of all options that rows depend on, and of the files' bytes, which are read for it: parts
/// of one run have the same one, on whatever devices they are computed. Throws UsageError for what
/// cannot be read twice, InputError for what cannot be read.
std::string shard_line(const CommandLine& line, const std::string& verb, const std::string& format,
                       const std::vector<std::string>& files);

}  // namespace rhomb::cli
