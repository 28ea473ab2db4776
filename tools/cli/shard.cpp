// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/shard.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "host/dist/checksum.h"
#include "host/error.h"
#include "tools/cli/input.h"
#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// Options that say where and how something is computed, but not what.
constexpr std::array<std::string_view, 19> kIndifferent = {
    "shard",  "device",     "threads", "memory", "max-memory", "kernels", "no-cache",
    "output", "progress",   "trace",   "check",  "pairs",      "engine",  "variant",
    "config", "checkpoint", "resume",  "every",  "parts"};

/// Of all bytes of a file, which is added to `read`.
std::string checksum_of(const std::string& path, std::vector<ReadFile>& read) {
  std::error_code failed;
  if (path != "-" && !std::filesystem::exists(path, failed))
    throw InputError(path, "", 0, "there is no such file");
  if (!std::filesystem::is_regular_file(path, failed))
    throw UsageError(text_of("parts of a run read ", shown(path),
                             " more than once, so it has to be a file, not standard input or a "
                             "pipe"));
  read.push_back(ReadFile::of(path));
  // A run that is made in parts asks for each of them.
  static std::map<std::string, std::pair<ReadFile, std::string>> known;
  const auto before = known.find(path);
  if (before != known.end() && before->second.first == read.back()) return before->second.second;
  std::ifstream file(path, std::ios::binary);
  dist::Checksum sum;
  std::string piece(std::size_t{1} << 20, '\0');
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0)
    sum.add(std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount())));
  if (file.bad() || !file.eof()) throw InputError(path, "", 0, "cannot be read");
  known[path] = {read.back(), sum.text()};
  return sum.text();
}

}  // namespace

ReadFile ReadFile::of(const std::string& path) {
  struct stat now {};
  if (stat(path.c_str(), &now) != 0) throw InputError(path, "", 0, "there is no such file");
  return {path, now.st_dev, now.st_ino, now.st_size, now.st_mtim};
}

bool ReadFile::operator==(const ReadFile& other) const {
  return device == other.device && inode == other.inode && size == other.size &&
         changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec;
}

void ShardHead::check_files() const {
  for (const ReadFile& file : files)
    if (ReadFile::of(file.path) != file)
      throw InputError(file.path, "", 0,
                       "has changed during the run, so this part may not fit the others");
}

Flag shard_flag(const std::string& records) {
  return {"shard", "I/N",
          text_of("only part I of N of the ", records,
                  ", from 1; rhomb merge makes one output of those of all parts")};
}

Shard parse_shard(const CommandLine& line) try {
  return line.has("shard") ? Shard::parse(line.text("shard")) : Shard{};
} catch (const UsageError& error) {
  throw UsageError(text_of("--shard: ", error.what()));
}

RunName run_of(const CommandLine& line, const std::string& verb, const std::string& format,
               const std::vector<std::string>& files) {
  RunName made;
  dist::Checksum run;
  run.add(text_of(RHOMB_VERSION, "\n", verb, "\n", format, "\n"));
  for (const auto& [name, values] : line.values()) {
    if (name == "format" || std::ranges::count(kIndifferent, name) > 0) continue;
    std::string text = name;
    for (const std::string& value : values)
      text += text_of("\t", name == "matrix" && std::filesystem::is_regular_file(value)
                                ? checksum_of(value, made.files)
                                : value);
    run.add(text + "\n");
  }
  // Where a file is one record, that is called as the file is, and rows have its name.
  const bool named = line.text("input-format") == "raw";
  for (const std::string& file : files)
    if (!file.empty())
      run.add(text_of(checksum_of(file, made.files),
                      named ? "\t" + std::filesystem::path(file).filename().string() : "", "\n"));
  made.name = run.text();
  return made;
}

ShardHead shard_head(const CommandLine& line, const std::string& verb, const std::string& format,
                     const std::vector<std::string>& files) {
  ShardHead head;
  if (!line.has("shard") || line.has("explain")) return head;
  RunName run = run_of(line, verb, format, files);
  head.files = std::move(run.files);
  const Shard shard = parse_shard(line);
  Json object;
  object["run"] = run.name;
  object["rhomb"] = RHOMB_VERSION;
  object["verb"] = verb;
  object["format"] = format;
  object["shard"] = shard.part + 1;
  object["shards"] = shard.parts;
  head.line = text_of(kShardBegin, json_line(object));
  return head;
}

}  // namespace rhomb::cli
