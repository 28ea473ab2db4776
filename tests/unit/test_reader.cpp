// SPDX-License-Identifier: Apache-2.0
// A zoo of good and bad files, written into a temporary directory.
#include <fcntl.h>
#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/seq/lines.h"
#include "host/seq/reader.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

// htslib 1.16 loses 32 bytes for each damaged file that its threads read; that is not ours to free.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhts\n"; }

namespace rhomb::reader_tests {
namespace {

using namespace std::string_literals;
using seq::AlphabetKind;
using seq::Batch;
using seq::FileFormat;
using seq::read_file;
using seq::ReadOptions;
using test::contains;

/// A directory that lasts as long as the test.
class Directory {
 public:
  Directory() {
    auto name = (std::filesystem::temp_directory_path() / "rhomb-reader-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  std::string path(const std::string& name) const { return path_ / name; }
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A gzip member as zlib makes it.
std::string gzip(std::string_view text) {
  z_stream state{};
  REQUIRE(deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&state, text.size()), '\0');
  std::string in(text);
  state.next_in = reinterpret_cast<Bytef*>(in.data());
  state.avail_in = static_cast<uInt>(in.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&state, Z_FINISH) == Z_STREAM_END);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

/// A bgzip file with a block for each of `parts`.
std::string bgzip(const Directory& directory, const std::vector<std::string>& parts) {
  const auto path = directory.path("made.bgz");
  BGZF* file = bgzf_open(path.c_str(), "w");
  REQUIRE(file);
  for (const auto& part : parts) {
    REQUIRE(bgzf_write(file, part.data(), part.size()) >= 0);
    REQUIRE(bgzf_flush(file) == 0);
  }
  REQUIRE(bgzf_close(file) == 0);
  return content_of(path);
}

/// "name=SYMBOLS name=SYMBOLS"
std::string shown(const Batch& batch) {
  std::string text;
  for (const auto& record : batch)
    text += (text.empty() ? "" : " ") + record.name + "=" + record.symbols;
  return text;
}

std::string read_text(std::string_view content, const ReadOptions& options = {}) {
  const Directory directory;
  return shown(read_file(directory.write("input", content), options));
}

/// What an InputError says about `content`, from the file's name on; "none" if there is no error.
std::string error_of(std::string_view content, const ReadOptions& options = {}) {
  const Directory directory;
  const auto path = directory.write("f", content);
  try {
    read_file(path, options);
  } catch (const InputError& error) {
    CHECK(error.kind() == Kind::kInput);
    CHECK(error.file() == path);
    return std::string(error.what()).substr(path.size() - 1);
  }
  return "none";
}

const ReadOptions kDna{.alphabet = AlphabetKind::kDna};
const ReadOptions kBytes{.alphabet = AlphabetKind::kBytes};
const ReadOptions kCase{.case_sensitive = true};

TEST_CASE("FASTA", "[reader][host]") {
  CHECK(read_text(">a\nACGT\n") == "a=ACGT");
  CHECK(read_text(">a\nACGT") == "a=ACGT");
  CHECK(read_text(">a some text\twith tabs\nAC\nGT\n>b\nTT\n") == "a=ACGT b=TT");
  CHECK(read_text(">a\tx\nAC\n") == "a=AC");
  CHECK(read_text(">a\r\nAC\r\nGT\r\n") == "a=ACGT");
  CHECK(read_text("\n\n>a\n\nAC\n\n\nGT\n\n>b\nT\n\n") == "a=ACGT b=T");
  CHECK(read_text("\xef\xbb\xbf>a\nAC\n") == "a=AC");
  CHECK(read_text(">a\nacgtn\n") == "a=ACGTN");
  CHECK(read_text(">a\nacGT\n", kCase) == "a=acGT");
  CHECK(read_text(">a\nAC  \nGT \t\r\n   \nA\n") == "a=ACGTA");
  CHECK(read_text(">\nAC\n>  \nGT\n>x\nA\n>\nC") == "record1=AC record2=GT x=A record4=C");
  CHECK(read_text(">a\nMKV*-.RX\n") == "a=MKV*-.RX");
  CHECK(read_text(">a\nACGTURYSWKMBDHVN*acgturyswkmbdhvn\n", kDna) ==
        "a=ACGTURYSWKMBDHVN*ACGTURYSWKMBDHVN");
  CHECK(read_text(">a M\xc3\xbcller\nAC\n") == "a=AC");
  CHECK(read_text(">a\n1 \x01>\xff\n", kBytes) == "a=1 \x01>\xff");
}

TEST_CASE("bad FASTA", "[reader][host]") {
  CHECK(error_of(">a\n>b\nA\n") == "f, line 1, record 'a': the record has no sequence");
  CHECK(error_of(">a\nA\n>b\n") == "f, line 3, record 'b': the record has no sequence");
  CHECK(error_of(">a\n\n \n>b\nA") == "f, line 1, record 'a': the record has no sequence");
  CHECK_THAT(error_of(">"), contains("no sequence"));
  CHECK_THAT(
      error_of(">a\nACGT\nAC1T\n"),
      contains("f, line 3, record 'a': sequence holds '1' in column 3; allowed are letters"));
  CHECK_THAT(error_of(">a\nAC GT\n"), contains("holds a space in column 3"));
  CHECK_THAT(error_of(">a\n  ACGT\n"), contains("holds a space in column 1"));
  CHECK_THAT(error_of(">a\nAC\tGT\n"), contains("holds a tab in column 3"));
  CHECK_THAT(error_of(">a\nAC>b\n"), contains("holds '>' in column 3"));
  CHECK_THAT(error_of(">a\nAC\rGT\n"), contains("holds byte 0x0d in column 3"));
  CHECK_THAT(error_of(">a\nACG\0T\n"s), contains("holds byte 0x00 in column 4"));
  CHECK_THAT(error_of(">a\nACG\xc3\xbc\n"), contains("holds byte 0xc3 in column 4"));
  CHECK_THAT(error_of(">a\nACGX\n", kDna), contains("holds 'X' in column 4; allowed are the nucl"));
  for (const char symbol : "EFIJLOPQXZefijlopqxz.-1@["s)
    CHECK_THAT(error_of(">a\nAC"s + symbol + "GTACGTACGTACGTACGTACGT\n", kDna),
               contains("in column 3"));
  CHECK_THAT(error_of("ACGT\n>a\nA\n", {.format = FileFormat::kFasta}),
             contains("f, line 1: sequence before the first header"));
  CHECK_THAT(error_of(">a\x01\nA\n"), contains("the header holds byte 0x01"));
  CHECK_THAT(error_of(">\xff\xfe\nA\n"), contains("the name holds byte 0xff"));
}

TEST_CASE("FASTQ", "[reader][host]") {
  CHECK(read_text("@r1 x\nACGT\n+\nIIII\n@r2\nAC\n+r2\n@@\n") == "r1=ACGT r2=AC");
  CHECK(read_text("@r1\r\nacgt\r\n+\r\nIIII") == "r1=ACGT");
  CHECK(read_text("\n@r1\nACGT\n\n+\nIIII\n\n\n@\nAC\n+\n!~\n\n") == "r1=ACGT record2=AC");
  CHECK(read_text("@r1\nAC\nGT\n+\n@I\n+I\n@r2\nA\n+\n@\n") == "r1=ACGT r2=A");  // wrapped
}

TEST_CASE("bad FASTQ", "[reader][host]") {
  const std::string good = "@r1\nACGT\n+\nIIII\n";
  CHECK_THAT(error_of(good + "@r2\n" + std::string(100, 'A') + "\n+\n" + std::string(99, 'I')),
             contains("f, line 8, record 'r2': quality has 99 symbols, sequence has 100"));
  CHECK_THAT(error_of(good + "@r2\nAC\n+\nIII\n"),
             contains("quality has 3 symbols, sequence has 2"));
  CHECK_THAT(error_of("@r2\nAC\n+\nI\n" + good),
             contains("line 4, record 'r2': quality has 1 sym"));
  CHECK_THAT(error_of(good + "@r2\nAC\n+\n"), contains("record 'r2': quality has 0 symbols"));
  CHECK_THAT(error_of(good + "@r2\nAC\nGT\n+\nIII"),
             contains("quality has 3 symbols, sequence has 4"));
  CHECK_THAT(error_of("@r2\nAC\nGT\n+\nIII\n" + good),
             contains("record 'r2': quality has 6 symbols"));
  CHECK_THAT(error_of(good + "@r2\nAC\n"), contains("line 5, record 'r2': the file ends before"));
  CHECK_THAT(error_of(good + "@r2"), contains("the file ends before"));
  CHECK_THAT(error_of("@r1\nACGT\nIIII\n" + good), contains("'+' line"));
  CHECK_THAT(error_of("@r1\n+\nIIII\n"), contains("the record has no sequence"));
  CHECK_THAT(error_of("@r1\n\n+\n\n"), contains("the record has no sequence"));
  CHECK_THAT(error_of(good + "ACGT\n"), contains("f, line 5, record 'r1': a FASTQ record starts"));
  CHECK_THAT(error_of("@r1\nACGT\n+\nII\x01I\n"), contains("quality holds byte 0x01 in column 3"));
  CHECK_THAT(error_of("@r1\nACGT\n+\nII I\n"), contains("quality holds a space in column 3"));
  CHECK_THAT(error_of("@r1\nAC1T\n+\nIIII\n"), contains("sequence holds '1' in column 3"));
  CHECK_THAT(error_of(">a\nA\n", {.format = FileFormat::kFastq}), contains("this line with '>'"));
}

TEST_CASE("one sequence a line", "[reader][host]") {
  CHECK(read_text("acgt\nGG\n") == "line1=ACGT line2=GG");
  CHECK(read_text("\r\nAC\r\n\r\n \t\nGT") == "line2=AC line5=GT");
  CHECK(read_text("two-words;3!\n", {.format = FileFormat::kLines, .case_sensitive = true}) ==
        "line1=two-words;3!");
  CHECK(read_text(">a\nA\n", {.format = FileFormat::kLines}) == "line1=>A line2=A");
  CHECK(read_text("a\x01\xff\xfe\tb \r\nc\n",
                  {.alphabet = AlphabetKind::kBytes, .case_sensitive = true}) ==
        "line1=a\x01\xff\xfe\tb  line2=c");
  CHECK_THAT(error_of("AC\nA\0C\n"s), contains("f, line 2: sequence holds byte 0x00 in column 2"));
  CHECK_THAT(error_of("\x7f"
                      "ELF\x02\x01"),
             contains("is this a text file?"));
  for (const auto format : {FileFormat::kAuto, FileFormat::kLines, FileFormat::kRaw}) {
    CHECK_THAT(error_of("AC\tGT\n", {.format = format}), contains("holds a tab in column 3"));
    CHECK_THAT(error_of(" AC\n", {.format = format}), contains("blanks may stand at the ends of"));
  }
  CHECK_THAT(error_of("ACGT\nACET\n", kDna), contains("f, line 2: sequence holds 'E' in column 3"));
}

TEST_CASE("files that begin with no header are lines of letters, or an error", "[reader][host]") {
  const auto lines = [](AlphabetKind alphabet) {
    return ReadOptions{.alphabet = alphabet, .format = FileFormat::kLines};
  };
  CHECK(read_text("ACGT\nMKV*\nA-.C\n") == "line1=ACGT line2=MKV* line3=A-.C");
  for (const std::string bad : {"ACGT\n>x\nAC\n", "\n;old comment\n>x\nAC\n",
                                "chr1 assembly\nACGT\n", "NC_045512.2\nACGT\n", "AC\n;x\n"}) {
    CHECK_THAT(error_of(bad), contains("begins with neither '>'"));
    CHECK(error_of(bad, lines(AlphabetKind::kBytes)) == "none");
  }
  CHECK_THAT(error_of("ACGT\n>x\nAC\n"), contains("f, line 2: ") && contains("'>' in column 1"));
  CHECK_THAT(error_of("ACGT\n>x\nAC\n", kBytes), contains("f, line 2: "));
  CHECK_THAT(error_of("ACGT\n>x\nAC\n", kDna), contains("f, line 2: "));
  CHECK(read_text("ACGT\n>x\nAC\n", lines(AlphabetKind::kAuto)) == "line1=ACGT line2=>X line3=AC");
}

TEST_CASE("gaps of alignments are told", "[reader][host]") {
  std::vector<std::string> warnings;
  ReadOptions options;
  options.warn = [&](const std::string& what) { warnings.push_back(what); };
  CHECK(read_text(">a\nAC\n>b\nGT\nA-C\n-\n", options) == "a=AC b=GTA-C-");
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], contains("line 5, record 'b': holds '-'") && contains("alignment"));
  warnings.clear();
  CHECK(read_text("A-C\n", options) == "line1=A-C");
  CHECK(warnings.empty());
  CHECK_THAT(error_of(">a\nA-C\n", kDna), contains("the gap of an alignment"));
}

TEST_CASE("raw text", "[reader][host]") {
  ReadOptions raw{.format = FileFormat::kRaw};
  CHECK(read_text(">a\nacgt \r\nA\n", raw) == "input=>AACGTA");
  CHECK_THAT(error_of("AC\nAC\x02\n", raw),
             contains("f, line 2: sequence holds byte 0x02 in column 3"));
  CHECK_THAT(error_of(" \n", raw), contains("only blank lines"));
  raw.alphabet = AlphabetKind::kDna;
  CHECK(read_text("ACGT\nAC", raw) == "input=ACGTAC");
  CHECK_THAT(error_of("ACGE", raw), contains("holds 'E' in column 4"));
  raw.alphabet = AlphabetKind::kBytes;
  CHECK(read_text("\xef\xbb\xbf>a\r\n\0z"s, raw) == "input=\xef\xbb\xbf>A\r\n\0Z"s);
  raw.case_sensitive = true;
  CHECK(read_text("\n az", raw) == "input=\n az");
  CHECK(error_of("", raw) == "f: the file is empty");
  const Directory directory;
  test::Rng rng(test::seed());
  for (const std::size_t size : {std::size_t{1} << 20, (std::size_t{1} << 21) + 5}) {
    const auto bytes = test::random_text(rng, size, 256, '\0');
    CHECK((read_file(directory.write("plain", bytes), raw)[0].symbols == bytes));
    CHECK((read_file(directory.write("packed", gzip(bytes)), raw)[0].symbols == bytes));
  }
}

TEST_CASE("files that are not there or hold nothing", "[reader][host]") {
  const Directory directory;
  CHECK_THROWS_AS(read_file(directory.path("absent")), InputError);
  CHECK_THROWS_WITH(read_file(directory.path("absent")),
                    contains("absent: cannot open: No such file or directory"));
  CHECK_THROWS_WITH(read_file(directory.path("")), contains("is a directory"));
  CHECK(error_of("") == "f: the file is empty");
  CHECK(error_of("\xef\xbb\xbf") == "f: the file is empty");
  CHECK(error_of("\n\r\n  \n") == "f: the file holds only blank lines");
  CHECK(error_of(gzip("")) == "f: the file is empty");
  CHECK(error_of(bgzip(directory, {})) == "f: the file is empty");
  CHECK_THAT(error_of("\x28\xb5\x2f\xfd\x01\x02"), contains("compressed with zstd"));
  CHECK_THAT(error_of("\xfd\x37zXZ\0\1"s), contains("compressed with xz"));
  CHECK_THAT(error_of("BZh91AY&SY\1\2"), contains("compressed with bzip2"));
}

TEST_CASE("sequences longer than the longest are refused", "[reader][host]") {
  const Directory directory;
  const auto path = directory.write("big", "A");
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(seq::kMaxLength) + 1);  // sparse
  CHECK_THROWS_WITH(read_file(path, {.alphabet = AlphabetKind::kBytes, .format = FileFormat::kRaw}),
                    contains("longer than 2147483647"));
}

TEST_CASE("compressed files", "[reader][host]") {
  const Directory directory;
  CHECK(read_text(gzip(">a\nACGT\n")) == "a=ACGT");
  CHECK(read_text(gzip(">a\nAC") + gzip("GT\n>b\n") + gzip("") + gzip("TT")) == "a=ACGT b=TT");
  CHECK(read_text(bgzip(directory, {">a\nAC", "GT\n>b\n", "TT"})) == "a=ACGT b=TT");
  const auto twice = bgzip(directory, {">a\nAC"}) + bgzip(directory, {"GT\n"});
  CHECK(read_text(twice) == "a=ACGT");  // an end marker in the middle
  CHECK(read_text(gzip(">a\nAC") + bgzip(directory, {"GT\n"})) == "a=ACGT");
  CHECK_THAT(error_of(gzip(">a\nACGT\n") + "garbage"), contains("garbage follows the gzip data"));
  CHECK_THAT(error_of(gzip(">a\nACGT\n") + "\x1f\x8b??????????"), contains("damaged"));
  CHECK_THAT(error_of(bgzip(directory, {">a\nACGT\n"}) + "garbage"), contains("bgzip data"));
  CHECK_THAT(error_of(gzip(">a\nAC1T\n")), contains("f, line 2, record 'a'"));
  // Zeros at the end, as tapes and disks leave them.
  for (const auto& whole :
       {gzip(">a\nAC\n"), gzip(">a\nAC\n") + gzip(">b\nG\n"), bgzip(directory, {">a\nAC\n"})}) {
    CHECK(error_of(whole + std::string(1, '\0')) == "none");
    CHECK(error_of(whole + std::string(300'000, '\0')) == "none");
    CHECK_THAT(error_of(whole + "\0\0x"s), contains("garbage follows the"));
    CHECK_THAT(error_of(whole + "\0"s + whole),
               contains("garbage follows the") || contains("bgzip data is damaged"));
  }
  const auto cut = bgzip(directory, {">a\nAC\n", "GT\n"});
  CHECK_THAT(error_of(cut.substr(0, cut.size() - 28) + "\0\0"s), contains("lacks its end marker"));
}

TEST_CASE("damage is called damage, whatever it makes of the text", "[reader][host]") {
  const Directory directory;
  test::Rng rng(test::seed());
  std::string text = ">a\n";
  for (int i = 0; i < 2000; ++i) text += test::random_text(rng, 60, 26) + "\n";
  const auto whole = gzip(text);
  for (std::size_t at = 10; at < whole.size(); at += 1 + whole.size() / 200) {
    auto damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    CHECK_THAT(error_of(damaged), contains("damaged") || contains("ends early"));
  }
  auto no_magic = whole;
  no_magic[0] = 'x';
  const auto path = directory.write("genome.fa.gz", no_magic);
  CHECK_THROWS_WITH(read_file(path), contains("called gzip") && contains("damaged"));
}

TEST_CASE("htslib's messages are as they were after a bgzip file", "[reader][host]") {
  const Directory directory;
  const auto whole = bgzip(directory, {">a\nAC\n"});
  const auto before = hts_get_log_level();
  hts_set_log_level(HTS_LOG_INFO);
  CHECK(read_text(whole) == "a=AC");
  CHECK(hts_get_log_level() == HTS_LOG_INFO);
  CHECK(error_of(whole.substr(0, 20)) != "none");
  CHECK(hts_get_log_level() == HTS_LOG_INFO);
  hts_set_log_level(before);
}

TEST_CASE("a compressed file cut anywhere is an error", "[reader][host]") {
  const Directory directory;
  test::Rng rng(test::seed());
  std::vector<std::string> parts = {">a\n"};
  for (int i = 0; i < 3; ++i) parts.push_back(test::random_text(rng, 150, 20) + "\n");
  const auto text = parts[0] + parts[1] + parts[2] + parts[3];
  for (const auto& whole : {gzip(text), gzip(text + text) + gzip(text), bgzip(directory, parts)}) {
    REQUIRE(error_of(whole) == "none");
    std::size_t accepted = 0;
    for (std::size_t cut = 0; cut < whole.size(); ++cut)
      if (error_of(whole.substr(0, cut)) == "none") ++accepted;
    // Cut between its members, a gzip file is a shorter gzip file; bgzip has an end marker.
    CHECK(accepted == (whole == gzip(text + text) + gzip(text) ? 1 : 0));
  }
  const auto marked = bgzip(directory, parts);
  CHECK_THAT(error_of(marked.substr(0, marked.size() - 28)), contains("lacks its end marker"));
  CHECK_THAT(error_of(gzip(text).substr(0, 100)), contains("the gzip data ends early"));
}

TEST_CASE("a damaged compressed file never gives other symbols", "[reader][host]") {
  const Directory directory;
  test::Rng rng(test::seed());
  const auto text = ">a\n" + test::random_text(rng, 300, 4) + "\n";
  for (const auto& whole : {gzip(text), bgzip(directory, {text})})
    for (std::size_t at = 0; at < whole.size(); ++at) {
      auto damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << test::random_below(rng, 8)));
      const auto path = directory.write("damaged", damaged);
      std::string symbols;
      try {
        symbols = shown(read_file(path));
      } catch (const InputError&) {
        continue;
      }
      if (symbols != "a=" + text.substr(3, 300)) FAIL("byte " << at << " of " << whole.size());
    }
}

// What `content` gives when it comes through standard input.
std::string read_stdin(const std::string& path_or_pipe, std::string_view content) {
  const int saved = dup(STDIN_FILENO);
  int source = -1;
  if (path_or_pipe == "pipe") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    REQUIRE(write(ends[1], content.data(), content.size()) == static_cast<ssize_t>(content.size()));
    close(ends[1]);
    source = ends[0];
  } else {
    source = open(path_or_pipe.c_str(), O_RDONLY);
  }
  dup2(source, STDIN_FILENO);
  close(source);
  std::string result;
  try {
    result = shown(read_file("-"));
  } catch (const InputError& error) {
    result = error.what();
  }
  dup2(saved, STDIN_FILENO);
  close(saved);
  return result;
}

TEST_CASE("standard input", "[reader][host]") {
  const Directory directory;
  const std::string text = ">a\nACGT\n";
  const auto marked = bgzip(directory, {text});
  for (const auto& content : {text, gzip(text), marked}) {
    CHECK(read_stdin("pipe", content) == "a=ACGT");
    CHECK(read_stdin(directory.write("in", content), "") == "a=ACGT");
  }
  CHECK_THAT(read_stdin("pipe", marked.substr(0, marked.size() - 28)),
             contains("standard input: the bgzip data lacks its end marker"));
  CHECK_THAT(read_stdin("pipe", gzip(text).substr(0, 20)), contains("standard input: the gzip"));
  CHECK(read_stdin("pipe", "") == "standard input: the file is empty");
}

TEST_CASE("lines longer than a block, and line ends across blocks", "[reader][host]") {
  const Directory directory;
  test::Rng rng(test::seed());
  for (const auto* end : {"\n", "\r\n", " \t \r\n"})
    for (std::size_t shift = 0; shift < 8; ++shift) {
      const auto first = test::random_text(rng, seq::Lines::kBlock - 7 + shift, 26);
      const auto second = test::random_text(rng, 3 * seq::Lines::kBlock + shift, 26);
      const auto body = first + end + second + end + "ACGT" + end;
      const auto fasta = read_file(directory.write("fasta", ">a"s + end + body));
      REQUIRE(fasta.size() == 1);
      CHECK((fasta[0].symbols == first + second + "ACGT"));
      const auto lines = read_file(directory.write("lines", body));
      REQUIRE(lines.size() == 3);
      CHECK((lines[0].symbols == first && lines[1].symbols == second));
      const std::string quality(second.size(), '@');
      const auto fastq = read_file(directory.write(
          "fastq", "@r "s + first + end + second + end + "+" + second + end + quality + end));
      REQUIRE(fastq.size() == 1);
      CHECK((fastq[0].name == "r" && fastq[0].symbols == second));
    }
  auto bad = std::string(2 * seq::Lines::kBlock, 'A');
  bad[2 * seq::Lines::kBlock - 9] = '5';
  CHECK_THAT(error_of(">a\n" + bad), contains("line 2, record 'a': sequence holds '5' in column " +
                                              std::to_string(bad.size() - 8)));
  // '>' is a header at the start of a line, not at the start of a block.
  for (std::size_t shift = 0; shift < 4; ++shift)
    CHECK_THAT(error_of(">a\n" + std::string(seq::Lines::kBlock - 1 + shift, 'A') + ">b\nA\n"),
               contains("holds '>'"));
}

TEST_CASE("records one after another, up to the first that is wrong", "[reader][host]") {
  const Directory directory;
  /// "a=AC b=GT what is wrong"
  const auto records_of = [&](const std::string& content, const ReadOptions& options = {}) {
    seq::Reader reader(directory.write("f", content), options);
    std::string names;
    seq::Sequence record;
    try {
      while (reader.next(record)) {
        names += record.name + "=" + record.symbols + " ";
        CHECK((reader.part() >= 0 && reader.part() <= 1));
      }
      CHECK(reader.part() == 1);
      CHECK_FALSE(reader.next(record));
    } catch (const InputError& error) {
      const std::string what = error.what();
      names += what.substr(what.find(": ") + 2);
    }
    return names;
  };
  const std::string fasta = ">a\nAC\nGT\n\n>\nGG\n>c x\nT";
  CHECK(records_of(fasta) == "a=ACGT record2=GG c=T ");
  CHECK(records_of(gzip(fasta)) == "a=ACGT record2=GG c=T ");
  CHECK(records_of(bgzip(directory, {fasta})) == "a=ACGT record2=GG c=T ");
  CHECK(records_of(fasta, {.alphabet = AlphabetKind::kBytes,
                           .format = FileFormat::kRaw,
                           .case_sensitive = true}) == "f=" + fasta + " ");
  CHECK(records_of("AC\n\nGT\n\n") == "line1=AC line3=GT ");
  CHECK(records_of("@a\nAC\n+\nII\n\n@b\nG\n+\nI") == "a=AC b=G ");
  CHECK_THAT(records_of(">a\nAC\n>b\n>c\nGT"), contains("a=AC the record has no sequence"));
  CHECK_THAT(records_of(">a\nAC\n>b\nG5\n>c\nGT"), contains("a=AC sequence holds '5'"));
  CHECK_THAT(records_of("@a\nAC\n+\nII\n@b\nGG\n+\nI\n@c\nA\n+\nI\n"),
             contains("a=AC quality has 1 symbols, sequence has 2"));
  CHECK_THAT(records_of(gzip("AC\nGT\n") + gzip("GG\n").substr(0, 12)),
             contains("line1=AC line2=GT the gzip data ends early"));
  CHECK_THAT(records_of(gzip("AC\nGT\n") + "garbage"),
             contains("line1=AC line2=GT garbage follows the gzip data"));
  CHECK_THROWS_AS(seq::Reader(directory.path("none")), InputError);
}

TEST_CASE("of a gzip file that was cut, every record before the cut comes out", "[reader][host]") {
  const Directory directory;
  test::Rng rng(test::seed() + 5);
  std::string text;
  for (int i = 0; i < 4000; ++i)
    text += ">r" + std::to_string(i) + "\n" + test::random_text(rng, 300, 20) + "\n";
  const auto whole = gzip(text);
  for (const std::size_t cut : {whole.size() - 1, whole.size() - 9, whole.size() / 2}) {
    const auto there = whole.substr(0, cut);
    // As many bytes as zlib finds in there.
    std::string found(text.size(), ' ');
    z_stream state{};
    REQUIRE(inflateInit2(&state, 15 + 16) == Z_OK);
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(there.data()));
    state.avail_in = static_cast<uInt>(there.size());
    state.next_out = reinterpret_cast<Bytef*>(found.data());
    state.avail_out = static_cast<uInt>(found.size());
    inflate(&state, Z_SYNC_FLUSH);
    found.resize(found.size() - state.avail_out);
    inflateEnd(&state);

    std::size_t records = 0;
    seq::Reader reader(directory.write("cut", there));
    seq::Sequence record;
    const auto read_all = [&] {
      while (reader.next(record)) {
        CHECK(record.name == "r" + std::to_string(records));
        ++records;
      }
    };
    CHECK_THROWS_WITH(read_all(), contains("the gzip data ends early"));
    // The last one may be incomplete.
    CHECK(records + 1 == static_cast<std::size_t>(std::ranges::count(found, '>')));
  }
}

TEST_CASE("random records come back, however they are written", "[reader][host]") {
  const Directory directory;
  test::Rng rng(test::seed());
  for (int round = 0; round < 60; ++round) {
    std::string expected;
    std::string text;
    const std::string end = round % 2 ? "\n" : "\r\n";
    const auto records = 1 + test::random_below(rng, 20);
    for (std::size_t r = 0; r < records; ++r) {
      const auto most = round % 6 == 0 ? 300'000u : 300u;
      const auto symbols = test::random_text(rng, 1 + test::random_below(rng, most), 26);
      const auto width = 1 + test::random_below(rng, 100);
      const auto name = "r" + std::to_string(r);
      text += ">" + name + end;
      for (std::size_t i = 0; i < symbols.size(); i += width)
        text += symbols.substr(i, width) + end;
      expected += (expected.empty() ? "" : " ") + name + "=" + symbols;
    }
    if (round % 3 == 0) text.resize(text.size() - end.size());
    const auto half = text.size() / 2;
    const auto content = round % 4 == 0   ? gzip(text.substr(0, half)) + gzip(text.substr(half))
                         : round % 4 == 1 ? bgzip(directory, {text})
                                          : text;
    CHECK((read_text(content) == expected));
  }
}

}  // namespace
}  // namespace rhomb::reader_tests
