// SPDX-License-Identifier: Apache-2.0
// What others may have written, or damaged: any bytes, through each parser that reads them. An
// Error is an answer; everything else that leaves a parser, and what the sanitizers find, is not.
// For libFuzzer (tests/README.md): RHOMB_FUZZ names the parser.
#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host/dist/checkpoint.h"
#include "host/dist/fields.h"
#include "host/dist/shard.h"
#include "host/dist/wire.h"
#include "host/error.h"
#include "host/gaps/scoring.h"
#include "host/ocl/cache.h"
#include "host/ocl/hash.h"
#include "host/seq/reader.h"
#include "host/strip/border.h"
#include "host/tune/config.h"
#include "host/tune/seal.h"
#include "host/tune/store.h"
#include "tools/cli/pairs.h"
#include "tools/cli/text.h"

// htslib 1.16 loses 32 bytes for each damaged file that its threads read; that is not ours to free.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhts\n"; }

namespace rhomb::tune {
std::span<const ShippedStore> shipped_stores() { return {}; }
}  // namespace rhomb::tune

namespace rhomb::fuzz {
namespace {

[[noreturn]] void wrong(const std::string& what) {
  std::cerr << "fuzz: " << what << '\n';
  std::abort();
}

void require(bool holds, const char* what) {
  if (!holds) wrong(what);
}

/// A file of these bytes that lies in memory.
class File {
 public:
  explicit File(std::string_view bytes) : descriptor_(memfd_create("fuzz", 0)) {
    if (descriptor_ < 0 ||
        write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      wrong("no file in memory");
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

std::string gzipped(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, 9 + 16, 1, Z_DEFAULT_STRATEGY) != Z_OK)
    wrong("deflateInit2");
  std::string made(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(made.data());
  stream.avail_out = static_cast<uInt>(made.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) wrong("deflate");
  made.resize(stream.total_out);
  deflateEnd(&stream);
  return made;
}

/// One block of bgzip for each half, and the empty one that ends a file.
std::string bgzipped(std::string_view bytes) {
  std::string made;
  const std::string_view rest = bytes.substr(bytes.size() / 2);
  for (const std::string_view part : {bytes.substr(0, bytes.size() / 2), rest}) {
    std::string block(0x10000, '\0');
    std::size_t size = block.size();
    if (part.size() > 0xff00 ||
        bgzf_compress(block.data(), &size, part.data(), part.size(), 1) != 0)
      return gzipped(bytes);
    if (!part.empty()) made += block.substr(0, size);
  }
  static constexpr char kEnd[] =
      "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00\x42\x43\x02\x00\x1b\x00\x03\x00\x00\x00\x00"
      "\x00\x00\x00\x00\x00";
  return made.append(kEnd, 28);
}

seq::ReadOptions read_options(char first) {
  const unsigned byte = static_cast<unsigned char>(first), choice = byte % 30;
  seq::ReadOptions options;
  options.alphabet = static_cast<seq::AlphabetKind>(choice % 3);
  options.format = static_cast<seq::FileFormat>(choice / 3 % 5);
  options.case_sensitive = choice / 15 == 1;
  options.threads = byte < 224 ? 1 : 2;  // starting threads takes longer than all the rest
  return options;
}

/// Names and symbols of all records before the first error, and its message without the file.
std::string read_all(std::string_view bytes, const seq::ReadOptions& options) {
  const File file(bytes);
  std::string all;
  try {
    seq::Reader reader(file.path(), options);
    for (seq::Sequence record; reader.next(record);) {
      require(!record.symbols.empty(), "a record without symbols");
      if (options.alphabet != seq::AlphabetKind::kBytes)
        for (const char c : record.symbols)
          require(c > ' ' && c <= '~', "a symbol that cannot be printed");
      all += record.name + '\0' + record.symbols + '\0';
    }
  } catch (const InputError&) {
    all += "error";
  }
  return all;
}

void records(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto options = read_options(bytes[0]);
  read_all(bytes.substr(1), options);
}

/// Compressed or not, the records are the same.
void compressed(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto options = read_options(bytes[0]);
  bytes.remove_prefix(1);
  // What begins as a compressed file does would be one.
  for (const char* const begin : {"\x1f\x8b", "\x28\xb5\x2f\xfd", "\xfd\x37zXZ", "BZh", "PK"})
    if (bytes.starts_with(begin)) return;
  if (options.format == seq::FileFormat::kRaw) return;  // named after the file
  const std::string plain = read_all(bytes, options);
  require(read_all(gzipped(bytes), options) == plain, "gzip: other records");
  require(read_all(bgzipped(bytes), options) == plain, "bgzip: other records");
}

void pairs(std::string_view bytes) {
  if (bytes.empty()) return;
  cli::InputOptions options;
  options.read = read_options(bytes[0]);
  const File file(bytes.substr(1));
  cli::PairReader reader(file.path(), options);
  for (batch::Entry entry; reader.next(entry);)
    require(!entry.query.empty() && !entry.target.empty(), "an empty sequence");
}

void matrix(std::string_view bytes) {
  const gaps::Matrix read = gaps::parse_matrix(bytes, "matrix");
  require(read.scores.size() == read.symbols.size() * read.symbols.size(), "not square");
}

void store(std::string_view bytes) {
  tune::Store store;
  store.add(bytes, false, "store");
  // The same as if each line had its checksum.
  std::string lines;
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
    if (const auto read = tune::Line::parse(line)) {
      const auto again = tune::opened(read->text());
      require(again.has_value(), "a line without a checksum");
      require(tune::Line::parse(*again).has_value(), "a line that is none once it is written");
    }
    if (line.size() >= 2 && line.front() == '{' && line.back() == '}')
      lines += tune::sealed(line) + "\n";
  }
  store.add(lines, false, "store");
  ocl::DeviceInfo device;
  device.name = "device";
  store.find("rates", device);
  store.nearest("strips", "strips", device, 1000, 0.1);
}

void cache(std::string_view bytes) {
  static const std::string folder = [] {
    std::string name = "/dev/shm/rhomb-fuzz-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) wrong("no folder");
    return name;
  }();
  static const ocl::Cache cache(folder);
  const auto put = [&](const char* name) {
    std::FILE* const file = std::fopen((folder + "/" + name).c_str(), "wb");
    if (file == nullptr) wrong("no file");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  };
  put("key.bin");
  put("key.ok");
  if (const auto binary = cache.load("key")) cache.tested("key", *binary);
  if (bytes.empty()) return;  // no binary
  cache.store("key", bytes);
  require(cache.load("key") == bytes, "not what was stored");
}

/// With the checksums that are right, as far as the bytes tell what they are of.
void checkpoint(std::string_view bytes) {
  const dist::Identity identity{"a", "b", "none"};
  const auto read = [&](std::string_view text) {
    try {
      const dist::State state = dist::read_checkpoint(text, identity, "checkpoint");
      const std::string again = dist::checkpoint_text(identity, state);
      const dist::State same = dist::read_checkpoint(again, identity, "checkpoint");
      require(same.numbers == state.numbers && same.arrays == state.arrays, "another state");
    } catch (const InputError&) {
    }
  };
  read(bytes);
  const std::size_t end = bytes.find('\n');
  const std::string_view first = bytes.substr(0, end);
  const std::uint64_t seed = XXH3_64bits_withSeed(first.data(), first.size(), 0);
  std::string sealed = std::string(first) + "\n" + ocl::hex(seed) + "\n";
  if (end != bytes.npos) {
    const std::string_view rest = bytes.substr(end + 1);
    const std::uint64_t head[3] = {0, rest.size(),
                                   XXH3_64bits_withSeed(rest.data(), rest.size(), seed)};
    sealed.append(reinterpret_cast<const char*>(head), sizeof head);
    sealed += rest;
  }
  read(sealed);
}

void messages(std::string_view bytes) {
  // Pieces, the first byte of each says how long it is; then as if they had their checksums.
  for (const bool whole : {false, true}) {
    dist::Wire wire("peer"), sender("us");
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const std::size_t size = static_cast<unsigned char>(rest[0]);
      const std::string piece(rest.substr(1, size));
      rest.remove_prefix(std::min(rest.size(), size + 1));
      try {
        std::string sent = piece;
        if (whole) sender.cut({1, piece}, [&](std::string cut) { sent = std::move(cut); });
        const auto message = wire.join(sent);
        if (!message) continue;
        require(!whole || message->text == piece, "another message");
        dist::FieldsIn fields(message->text);
        fields.get<std::uint64_t>();
        fields.get_text();
        fields.get<std::int32_t>();
        fields.get_text();
      } catch (const CheckError&) {
        if (!whole) break;
      }
    }
  }
  strip::Border border(2, 40);
  strip::BorderChunk chunk;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint32_t words[2];
    std::memcpy(words, bytes.data() + at, sizeof words);
    chunk.sequence = words[0] % 5;
    chunk.words.assign(2 * (words[1] % 24), words[0]);
    chunk.checksum =
        words[1] % 7 == 0 ? words[0] : strip::BorderChunk::sum(chunk.sequence, chunk.words);
    try {
      border.put(chunk);
    } catch (const CheckError&) {
    }
  }
}

void options(std::string_view bytes) {
  const auto read = [](const auto& parse) {
    try {
      parse();
    } catch (const UsageError&) {
    }
  };
  read([&] {
    const auto config = tune::Config::parse(bytes);
    require(tune::Config::parse(config.text()) == config, "another configuration");
  });
  read([&] { Shard::parse(bytes); });
  read([&] { gaps::Decimal::parse(bytes, "--open"); });
  read([&] { cli::parse_size(bytes, "--size"); });
  read([&] { cli::parse_number(bytes, "--number"); });
  read([&] { cli::parse_duration(bytes, "--every"); });
}

using Parser = void (*)(std::string_view);
const std::map<std::string_view, Parser> kParsers = {
    {"records", records},       {"compressed", compressed}, {"pairs", pairs},
    {"matrix", matrix},         {"store", store},           {"cache", cache},
    {"checkpoint", checkpoint}, {"messages", messages},     {"options", options}};

Parser chosen() {
  hts_set_log_level(HTS_LOG_OFF);
  const char* const name = std::getenv("RHOMB_FUZZ");
  const auto found = kParsers.find(name != nullptr ? name : "");
  if (found != kParsers.end()) return found->second;
  std::cerr << "RHOMB_FUZZ is one of";
  for (const auto& [each, parser] : kParsers) std::cerr << ' ' << each;
  std::cerr << '\n';
  std::exit(2);
}

}  // namespace
}  // namespace rhomb::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto parser = rhomb::fuzz::chosen();
  try {
    parser({reinterpret_cast<const char*>(data), size});
  } catch (const rhomb::Error&) {
  }
  return 0;
}
