// SPDX-License-Identifier: Apache-2.0
// Cache: compiled programs on disk, shared by all processes of a user.
//
// An entry is one file, KEY.bin: a header (magic, size and checksum of the binary) and the binary.
// It is written under another name and renamed, so a reader sees all of it or nothing; whatever is
// damaged all the same is removed and counts as absent. KEY.ok, beside it, holds the checksum of
// the binary whose known-answer test has passed: a binary that was built anew is tested anew.
// KEY.bad says how that test has failed; it needs no KEY.bin.
//
// The cache never fails: without a directory that is ours and writable it stays empty.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rhomb::ocl {

class Cache {
 public:
  /// A cache that keeps nothing.
  Cache() = default;
  /// A cache in `dir`, or when it is empty in $XDG_CACHE_HOME/rhomb or ~/.cache/rhomb. The
  /// directory is created, for its owner alone, if it is missing.
  explicit Cache(std::string dir);

  /// Where entries are; empty if the cache keeps nothing.
  const std::string& dir() const { return dir_; }

  /// Whether a binary is stored under `key`, damaged or not.
  bool has(const std::string& key) const;
  /// The binary stored under `key`.
  std::optional<std::string> load(const std::string& key) const;
  /// Stores `binary` under `key`. It counts as untested.
  void store(const std::string& key, std::string_view binary) const;
  /// Forgets what is stored under `key`.
  void remove(const std::string& key) const;

  /// Whether `binary`, stored under `key`, was marked as tested; and marks it.
  bool tested(const std::string& key, std::string_view binary) const;
  void mark_tested(const std::string& key, std::string_view binary) const;

  /// How the test of what is built under `key` has failed, if it has; marks it; and takes the mark
  /// away. Binaries that are built anew from the same source by the same driver are alike.
  std::optional<std::string> failed(const std::string& key) const;
  void mark_failed(const std::string& key, const std::string& how) const;
  void forget_failed(const std::string& key) const;

 private:
  std::string path(const std::string& key, const char* suffix) const;
  void write(const std::string& path, std::string_view data) const;
  void prune() const;

  std::string dir_;
};

}  // namespace rhomb::ocl
