// SPDX-License-Identifier: Apache-2.0
// Checkpoint: what a run has reached, in files, so that another run of the same problem goes on.
//
// A file has a first line, an object of JSON, which says all but the arrays: the version of the
// format, hashes of both texts and the options, the facts of the engine, how long each array is.
// The second line is the checksum of the first, 16 hexadecimal digits. Then come the arrays' bytes
// in chunks: number, bytes, checksum (64 bits each, little-endian), and the bytes. Checksums are
// XXH3, those of chunks seeded with that of the first line and the number, so that nothing of one
// file passes for a part of another.
//
// A folder has two generations, `checkpoint` and `checkpoint.before`. A new one is written to
// `checkpoint.new`, synced, and renamed, and the folder synced: whenever the process or the machine
// ends, one whole file is there.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/dist/folder_lock.h"
#include "host/dist/keeping.h"

namespace rhomb::dist {

/// What a run is of. Another one goes on only if all of it is the same.
struct Identity {
  std::string first, second;  ///< hashes of both texts
  std::string options;        ///< what else the answer depends on, in words
};

/// The hash of a text: 32 hexadecimal digits.
std::string text_hash(std::string_view text);

/// What a run has reached.
struct State {
  std::string engine;
  std::map<std::string, std::int64_t> numbers;
  std::vector<std::vector<std::uint32_t>> arrays;

  /// Throws InputError if there is no such number.
  std::int64_t number(const std::string& name) const;
};

/// The bytes of a file.
std::string checkpoint_text(const Identity& identity, const State& state);
/// What checkpoint_text() was given. Throws InputError, with `file` in it, for a file that is cut
/// off, damaged, of another version, of other texts, or made with other options.
State read_checkpoint(std::string_view text, const Identity& identity, const std::string& file);

/// What a folder has to go on from.
struct Start {
  std::optional<State>
      state;         ///< of the last generation that is good; nothing if there is none yet
  std::string file;  ///< of that state
  std::vector<std::string> refused;  ///< why newer ones cannot be gone on from
};
/// Changes nothing. Throws InputError if there is no such folder, or none of its generations is
/// good.
Start find_start(const std::string& folder, const Identity& identity);

/// The folder of one run.
class Checkpoint {
 public:
  /// Makes the folder if there is none; or reads what is to be gone on from: the last generation
  /// that is good, nothing if there is none yet. Throws UsageError for a folder that has
  /// checkpoints if the run is not to go on from them, InputError if it is and none of them is
  /// good, or if there is no such folder, OutputError if it cannot be made.
  Checkpoint(const Keeping& keeping, Identity identity);
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  /// Where to go on.
  const std::optional<State>& start() const { return start_; }
  /// Whether it is time to save, or somebody wants it.
  bool due();
  /// Writes `state` while the run goes on; waits for the one before. What goes wrong is told, and
  /// tried again at the next time.
  void save(State state);
  /// Waits until all is written. False if the last state could not be.
  bool settle();
  /// Seconds since the last state that is written was reached; negative: there is none.
  double age();

 private:
  std::string path(const char* name) const { return keeping_.folder + "/" + name; }
  void note(const std::string& what) const {
    if (keeping_.note) keeping_.note(what);
  }

  Keeping keeping_;
  Identity identity_;
  std::optional<FolderLock> lock_;
  std::optional<State> start_;
  double saved_ = -1;    // when the last good state was reached
  double tried_ = 0;     // when saving was tried last
  double reached_ = -1;  // when the state that is being written was
  bool failed_ = false;
  bool last_is_bad_ = false;          // so it is not worth to become the generation before
  std::future<std::string> writing_;  // what went wrong
};

}  // namespace rhomb::dist
