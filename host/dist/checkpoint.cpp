// SPDX-License-Identifier: Apache-2.0
#include "host/dist/checkpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host/dist/integer.h"
#include "host/engine/pair.h"
#include "host/error.h"
#include "host/ocl/hash.h"
#include "host/read.h"
#include "host/write.h"

namespace rhomb::dist {
namespace {

using CheckpointJson = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr const char* kFormat = "rhomb checkpoint";
constexpr const char* kLast = "checkpoint";
constexpr const char* kBefore = "checkpoint.before";
constexpr const char* kNew = "checkpoint.new";

std::uint64_t sum_of(std::string_view bytes, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

/// Before the bytes of a chunk.
struct ChunkHead {
  std::uint64_t number = 0, bytes = 0, sum = 0;
};

[[noreturn]] void refuse_file(const std::string& file, const std::string& why) {
  throw InputError(file, "", 0, why);
}

std::string why_not(const std::string& what) { return what + ": " + std::strerror(errno); }

/// Throws OutputError.
void sync(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags);
  if (file < 0) throw OutputError(why_not(path));
  const bool good = ::fsync(file) == 0;
  const std::string why = good ? "" : why_not(path);
  ::close(file);
  if (!good) throw OutputError(why);
}

void write_file(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) throw OutputError(why_not(path));
  const bool good = write_all(file, text) && ::fsync(file) == 0;
  const std::string why = good ? "" : why_not(path);
  ::close(file);
  if (good) return;
  ::unlink(path.c_str());  // half a file, where the disk is full
  throw OutputError(why);
}

void rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw OutputError(why_not(to));
}

bool is_there(const std::string& file) {
  std::error_code error;
  const bool exists = std::filesystem::exists(file, error);
  if (error) throw InputError(file, "", 0, "cannot be looked at: " + error.message());
  return exists;
}

}  // namespace

std::string text_hash(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return ocl::hex(ocl::Hash{hash.high64, hash.low64});
}

std::int64_t State::number(const std::string& name) const {
  const auto found = numbers.find(name);
  if (found == numbers.end()) throw InputError("checkpoint", "", 0, "has no " + name);
  return found->second;
}

std::string checkpoint_text(const Identity& identity, const State& state) {
  CheckpointJson head;
  head["format"] = kFormat;
  head["version"] = kVersion;
  head["first"] = identity.first;
  head["second"] = identity.second;
  head["options"] = identity.options;
  head["engine"] = state.engine;
  head["numbers"] = state.numbers;
  auto& words = head["words"] = CheckpointJson::array();
  for (const auto& array : state.arrays) words.push_back(array.size());
  std::string text = head.dump();
  const std::uint64_t seed = sum_of(text);
  text += "\n" + ocl::hex(seed) + "\n";
  std::uint64_t number = 0;
  for (const auto& array : state.arrays) {
    std::string_view rest(reinterpret_cast<const char*>(array.data()), 4 * array.size());
    for (; !rest.empty(); ++number) {
      const std::string_view bytes = rest.substr(0, kChunk);
      const ChunkHead chunk{number, bytes.size(), sum_of(bytes, seed + number)};
      text.append(reinterpret_cast<const char*>(&chunk), sizeof chunk);
      text += bytes;
      rest.remove_prefix(bytes.size());
    }
  }
  return text;
}

State read_checkpoint(std::string_view text, const Identity& identity, const std::string& file) {
  const std::size_t line = text.find('\n');
  const std::size_t after = line == std::string_view::npos ? line : text.find('\n', line + 1);
  if (after == std::string_view::npos) refuse_file(file, "is cut off, or no checkpoint");
  const std::string_view first = text.substr(0, line);
  const CheckpointJson head = CheckpointJson::parse(first, nullptr, /*allow_exceptions=*/false);
  const std::uint64_t seed = sum_of(first);
  const bool sealed = text.substr(line + 1, after - line - 1) == ocl::hex(seed);
  // The version comes first, whatever another one has behind it.
  if (head.is_object() && head.value("format", CheckpointJson()) == kFormat &&
      head.value("version", CheckpointJson()).is_number_integer() && head["version"] != kVersion)
    refuse_file(file, "has version " + head["version"].dump() +
                          " of the format; this program reads " + std::to_string(kVersion));
  if (!sealed || !head.is_object() || head.value("format", CheckpointJson()) != kFormat)
    refuse_file(file, "is damaged in its first lines, or no checkpoint");
  State state;
  try {
    if (head.at("first") != identity.first || head.at("second") != identity.second)
      refuse_file(file, "is of other texts");
    if (head.at("options") != identity.options)
      refuse_file(file, "was made with other options: " + head.at("options").get<std::string>() +
                            "; those of this run are: " + identity.options);
    state.engine = head.at("engine").get<std::string>();
    state.numbers = integers<std::int64_t>(head.at("numbers"));
    text.remove_prefix(after + 1);
    std::uint64_t number = 0;
    for (const auto& size : head.at("words")) {
      auto& array = state.arrays.emplace_back();
      const auto words = integer<std::size_t>(size);
      while (array.size() < words) {
        ChunkHead chunk;
        const std::size_t bytes = 4 * std::min(kChunk / 4, words - array.size());
        if (text.size() < sizeof chunk + bytes) refuse_file(file, "is cut off");
        std::memcpy(&chunk, text.data(), sizeof chunk);
        const std::string_view held = text.substr(sizeof chunk, bytes);
        if (chunk.number != number || chunk.bytes != bytes ||
            chunk.sum != sum_of(held, seed + number))
          refuse_file(file, "is damaged in chunk " + std::to_string(number));
        const std::size_t before = array.size();
        array.resize(before + bytes / 4);
        std::memcpy(array.data() + before, held.data(), bytes);
        text.remove_prefix(sizeof chunk + bytes);
        ++number;
      }
    }
  } catch (const CheckpointJson::exception&) {
    refuse_file(file, "is damaged in its first line");
  } catch (const std::out_of_range&) {
    refuse_file(file, "is damaged in its first line");
  }
  if (!text.empty()) refuse_file(file, "has something behind its end");
  return state;
}

Start find_start(const std::string& folder, const Identity& identity) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    throw InputError(folder, "", 0, "there is no such folder to go on from");
  Start found;
  for (const char* name : {kLast, kBefore}) {
    const std::string file = folder + "/" + name;
    if (!is_there(file)) continue;
    try {
      const auto text = text_of_file(file);
      if (!text) refuse_file(file, why_not("cannot be read"));
      found.state = read_checkpoint(*text, identity, file);
      found.file = file;
      return found;
    } catch (const InputError& why) {
      found.refused.emplace_back(why.what());
    }
  }
  if (found.refused.empty()) return found;
  std::string all = "no checkpoint can be gone on from";
  for (const std::string& why : found.refused) all += "; " + why;
  throw Error(Kind::kInput, all);
}

Checkpoint::Checkpoint(const Keeping& keeping, Identity identity)
    : keeping_(keeping), identity_(std::move(identity)), tried_(rhomb::now()) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!keeping_.resume) {
    if (is_there(path(kLast)) || is_there(path(kBefore)))
      throw UsageError("'" + keeping_.folder +
                       "' has checkpoints of an earlier run: go on from them (resume), or remove "
                       "them");
    fs::create_directories(keeping_.folder, error);
    if (!fs::is_directory(keeping_.folder))
      throw OutputError("'" + keeping_.folder + "' cannot be made: " + error.message());
    lock_.emplace(keeping_.folder);
    return;
  }
  lock_.emplace(keeping_.folder);
  Start found = find_start(keeping_.folder, identity_);
  for (const std::string& why : found.refused) note(why);
  last_is_bad_ = !found.refused.empty();
  note(found.state ? "goes on from " + found.file
                   : keeping_.folder + " has no checkpoint yet: the run begins at the beginning");
  start_ = std::move(found.state);
}

Checkpoint::~Checkpoint() = default;  // waits for the writing

bool Checkpoint::due() {
  const bool asked = keeping_.now && keeping_.now();
  return asked || rhomb::now() - tried_ >= keeping_.every;
}

void Checkpoint::save(State state) {
  settle();
  tried_ = reached_ = rhomb::now();
  std::error_code unknown;  // then it may be there
  const bool keep_last =
      !last_is_bad_ && (std::filesystem::exists(path(kLast), unknown) || unknown);
  const auto write = [this, keep_last, kept = std::move(state)]() -> std::string {
    try {
      write_file(path(kNew), checkpoint_text(identity_, kept));
      if (keep_last) rename_file(path(kLast), path(kBefore));
      rename_file(path(kNew), path(kLast));
      sync(keeping_.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } catch (const std::exception& error) {
      return std::string("nothing could be saved: ") + error.what();
    }
    return "";
  };
  writing_ = std::async(std::launch::async, write);
}

bool Checkpoint::settle() {
  if (writing_.valid()) {
    const std::string wrong = writing_.get();
    failed_ = !wrong.empty();
    if (failed_) {
      note(wrong);
    } else {
      saved_ = reached_;
      last_is_bad_ = false;
    }
  }
  return !failed_;
}

double Checkpoint::age() {
  if (writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    settle();
  return saved_ < 0 ? -1 : rhomb::now() - saved_;
}

}  // namespace rhomb::dist
