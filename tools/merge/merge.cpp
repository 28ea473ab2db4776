// SPDX-License-Identifier: Apache-2.0
// rhomb merge: one output of those of all parts of a run (--shard).
#include "tools/merge/merge.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/dist/checksum.h"
#include "host/dist/integer.h"
#include "host/error.h"
#include "tools/cli/command_line.h"
#include "tools/cli/json.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/shard.h"
#include "tools/cli/text.h"
#include "tools/cli/verbs.h"

namespace rhomb::cli {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20, kSmallPiece = std::size_t{1} << 12;

Help merge_help() {
  return {
      "rhomb merge [options] PART...",
      R"(Puts together what rhomb VERB --shard 1/N, 2/N, ... have printed: the output is, byte for byte, that of
one run without --shard. (But distance and align also say how each pair was computed, and that is what
the parts did, which depends on the pairs and the device that they had: engine, variant, device, config,
passes, cells, parts, and seconds, gcups and timing.) The files may be named in any order. All formats can be merged: headers are printed once,
and neighbours in bedGraph that are equal and touch become one line.

Every part says which run it is of: the verb, the options that results depend on, and the contents of the
input files. A part that is missing, that is there twice, of another run, cut off or damaged is an error
that names it (exit code 3), and nothing is printed.
)",
      R"(  rhomb search reads.fa genome.fa -k 5 --shard 1/2 -o part1.tsv
  rhomb search reads.fa genome.fa -k 5 --shard 2/2 -o part2.tsv
  rhomb merge part*.tsv -o hits.tsv
)"};
}

/// The output of one part.
class MergePart {
 public:
  /// Reads all of it. Throws InputError for what is none, cut off or damaged.
  explicit MergePart(const PartFile& from) : file_(from.path), path_(from.name) {
    std::ifstream file = open();
    const std::string line = until(file, 0, "\n");
    if (line.empty()) fail("cannot be read, or is empty");
    if (!line.starts_with(kShardBegin)) fail("is not the output of a part (--shard)");
    about_ = Json::parse(line.substr(kShardBegin.size()), nullptr, /*allow_exceptions=*/false);
    if (!about_.is_object()) fail("is damaged in its first line");
    try {
      shard_ = dist::integer<std::size_t>(about_.at("shard"));
      shards_ = dist::integer<std::size_t>(about_.at("shards"));
      for (const char* key : {"run", "rhomb", "verb", "format"})
        (void)about_.at(key).get<std::string>();
    } catch (const Json::exception&) {
      fail("is damaged in its first line");
    } catch (const std::out_of_range&) {
      fail("is damaged in its first line");
    }
    if (shard_ < 1 || shard_ > shards_) fail("is damaged in its first line");
    check_end(file);
    find_rows(file, line.size());
  }

  const std::string& path() const { return path_; }
  const std::string& header() const { return header_; }
  std::size_t shard() const { return shard_; }
  std::size_t shards() const { return shards_; }
  std::string about(const char* key) const { return about_.at(key).get<std::string>(); }

  /// Calls take(text) for all rows, in pieces. Throws InputError, behind the last of them, for a
  /// file that is no longer what it was.
  template <class Take>
  void rows(const Take& take) const {
    std::ifstream file = open();
    dist::Checksum sum;
    pieces(file, 0, rows_, sum, [](std::string_view) {});
    pieces(file, rows_, end_, sum, take);
    if (sum.text() != checksum_) fail("has changed since it was checked");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(path_, "", 0, what); }

  /// Open only while it is read: there may be more parts than files that can be open.
  std::ifstream open() const {
    std::ifstream file(file_, std::ios::binary);
    if (!file.is_open()) fail(text_of("cannot be opened: ", std::strerror(errno)));
    return file;
  }

  void read(std::ifstream& file, std::size_t at, std::size_t size, std::string& into) const {
    into.resize(size);
    file.clear();
    file.seekg(static_cast<std::streamoff>(at));
    if (!file.read(into.data(), static_cast<std::streamsize>(size))) fail("cannot be read");
  }

  /// From byte `at` to behind the first `mark`; to the end of the file if there is none.
  static std::string until(std::ifstream& file, std::size_t at, std::string_view mark) {
    std::string text, piece(kSmallPiece, '\0');
    file.clear();
    file.seekg(static_cast<std::streamoff>(at));
    while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
           file.gcount() > 0) {
      const std::size_t from = text.size() - std::min(text.size(), mark.size() - 1);
      text.append(piece, 0, static_cast<std::size_t>(file.gcount()));
      const std::size_t found = text.find(mark, from);
      if (found == text.npos) continue;
      text.resize(found + mark.size());
      break;
    }
    return text;
  }

  /// Calls take(text) for the bytes [from, end), which it adds to `sum`.
  template <class Take>
  void pieces(std::ifstream& file, std::size_t from, std::size_t end, dist::Checksum& sum,
              const Take& take) const {
    std::string piece;
    for (; from < end; from += piece.size()) {
      read(file, from, std::min(kPiece, end - from), piece);
      sum.add(piece);
      take(std::string_view(piece));
    }
  }

  /// Its last line, and that all before it is as it was written.
  void check_end(std::ifstream& file) {
    constexpr std::size_t kLongest = 256;
    file.clear();
    file.seekg(0, std::ios::end);
    const auto size = static_cast<std::size_t>(file.tellg());
    std::string tail;
    read(file, size - std::min(size, kLongest), std::min(size, kLongest), tail);
    const std::size_t at = tail.rfind("\n" + std::string(kShardEnd));
    if (at == std::string::npos || tail.back() != '\n' ||
        tail.find('\n', at + 1) != tail.size() - 1)
      fail("is cut off: its run was stopped, or has not ended yet");
    end_ = size - tail.size() + at + 1;
    const Json last = Json::parse(tail.substr(at + 1 + kShardEnd.size()), nullptr, false);
    std::size_t bytes = 0;
    try {
      bytes = dist::integer<std::size_t>(last.at("bytes"));
      checksum_ = last.at("checksum").get<std::string>();
    } catch (const Json::exception&) {
      fail("is damaged in its last line");
    } catch (const std::out_of_range&) {
      fail("is damaged in its last line");
    }
    dist::Checksum sum;
    pieces(file, 0, end_, sum, [](std::string_view) {});
    if (bytes != end_ || checksum_ != sum.text()) fail("is damaged: it is not what was written");
  }

  void find_rows(std::ifstream& file, std::size_t at) {
    const std::string mark = "\n" + std::string(kShardRows);
    header_ = until(file, at - 1, mark);  // from the end of the line before
    if (!header_.ends_with(mark)) fail("is damaged: nothing says where its rows begin");
    rows_ = at - 1 + header_.size();
    header_.resize(header_.size() - kShardRows.size());
    header_.erase(0, 1);
  }

  std::string file_, path_;  // where it lies, and what errors call it
  Json about_;
  std::string header_, checksum_;
  std::size_t shard_ = 0, shards_ = 0;
  std::size_t rows_ = 0, end_ = 0;  // bytes before them, and before the last line
};

/// Throws InputError unless these are the parts of one run, each once; puts them in order.
void check_parts(std::vector<MergePart>& parts) {
  const MergePart& first = parts.front();
  for (const MergePart& part : parts) {
    const auto refuse = [&](const std::string& why) {
      throw InputError(part.path(), "", 0,
                       text_of("is not of the run that ", first.path(), " is of: ", why));
    };
    for (const char* key : {"verb", "format", "rhomb"})
      if (part.about(key) != first.about(key))
        refuse(text_of(key, " ", part.about(key), ", not ", first.about(key)));
    if (part.shards() != first.shards())
      refuse(text_of("it is a part of ", std::to_string(part.shards()), ", not of ",
                     std::to_string(first.shards())));
    if (part.about("run") != first.about("run"))
      refuse("it has other options, or was made of other files");
  }
  const std::size_t shards = first.shards();
  std::ranges::stable_sort(parts, {}, &MergePart::shard);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i)
    if (parts[i].shard() == parts[i + 1].shard())
      throw InputError(parts[i + 1].path(), "", 0,
                       text_of("is part ", std::to_string(parts[i].shard()), " of ",
                               std::to_string(shards), ", and so is ", parts[i].path()));
  constexpr std::size_t kNamed = 10;
  const std::size_t left = shards - parts.size();
  if (left == 0) return;
  std::string missing;
  for (std::size_t number = 1, i = 0, named = 0; named < std::min(left, kNamed); ++number) {
    if (i < parts.size() && parts[i].shard() == number) {
      ++i;
      continue;
    }
    missing += text_of(missing.empty() ? "" : ", ", std::to_string(number));
    ++named;
  }
  if (left > kNamed) missing += text_of(" and ", std::to_string(left - kNamed), " more");
  throw InputError(parts.front().path(), "", 0,
                   text_of("is a part of ", std::to_string(shards), ", and of these ", missing,
                           left == 1 ? " is" : " are", " missing"));
}

/// Joins rows of bedGraph that touch where one part ends and the next one begins.
class RunJoiner {
 public:
  explicit RunJoiner(Output& out) : out_(out) {}

  void begin_part() { seam_ = true; }
  void add(std::string_view text) {
    rest_ += text;
    std::string ready;
    std::size_t at = 0;
    for (std::size_t end; (end = rest_.find('\n', at)) != std::string::npos; at = end + 1) {
      std::vector<std::string> line = split(rest_.substr(at, end - at), '\t');
      if (std::exchange(seam_, false) && joins(line)) {
        held_[2] = line[2];
        continue;
      }
      if (!held_.empty()) ready += tabbed(held_);
      held_ = std::move(line);
    }
    rest_.erase(0, at);
    out_.write(ready);
  }
  void end() {
    if (!held_.empty()) out_.write(tabbed(held_));
  }

 private:
  bool joins(const std::vector<std::string>& line) const {
    return held_.size() == 4 && line.size() == 4 && held_[0] == line[0] && held_[2] == line[1] &&
           held_[3] == line[3];
  }

  Output& out_;
  std::string rest_;
  std::vector<std::string> held_;  // the last line
  bool seam_ = false;
};

}  // namespace

PartAbout look_at_part(const PartFile& file) {
  const MergePart part(file);
  return {part.about("run"), part.shard(), part.shards()};
}

void merge_parts(const std::vector<PartFile>& files, Output& out) {
  std::vector<MergePart> parts(files.begin(), files.end());
  check_parts(parts);
  const MergePart* headed = nullptr;  // a part without records has none
  for (const MergePart& part : parts) {
    if (part.header().empty()) continue;
    if (headed != nullptr && headed->header() != part.header())
      throw InputError(part.path(), "", 0, text_of("has another header than ", headed->path()));
    headed = &part;
  }
  if (headed != nullptr) out.header(headed->header());
  RunJoiner joiner(out);
  const bool runs = parts.front().about("format") == "bedgraph";
  for (const MergePart& part : parts) {
    joiner.begin_part();
    part.rows([&](std::string_view text) { runs ? joiner.add(text) : out.write(text); });
  }
  joiner.end();
}

int run_merge(int argc, const char* const* argv) {
  CommandLine line(
      merge_help(),
      {{"Output",
        {{"o,output", "FILE", "write to FILE, which appears when complete (default: -, stdout)",
          FileUse::kWritten}}}});
  if (!parse_or_help(line, argc, argv)) return 0;
  if (line.files().empty()) throw UsageError("expected the outputs of all parts" + line.pointer());
  std::vector<PartFile> files;
  for (const std::string& path : line.files()) {
    if (path == "-")
      throw UsageError("parts are read more than once, so none can be standard input" +
                       line.pointer());
    files.push_back({path, path});
  }
  Output out(line.text("output", "-"));
  merge_parts(files, out);
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
