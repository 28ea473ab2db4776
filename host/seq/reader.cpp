// SPDX-License-Identifier: Apache-2.0
// Reader: a state machine over the lines of a stream, one function a format. Between two records it
// stands at the line that the next one begins with (FASTA) or before it (the other formats).
//
// The symbols of the current record gather in `symbols_`, checked piece by piece. A small record
// is then copied out at its exact size, a large one is moved; for a large record of a plain file
// the rest of the file bounds its size, so the buffer grows once.
#include "host/seq/reader.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "host/error.h"
#include "host/seq/lines.h"
#include "host/seq/stream.h"
#include "host/seq/symbols.h"

namespace rhomb::seq {
namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;
constexpr std::size_t kSpare = 256;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string base_name(const std::string& path) {
  if (path == "-") return "stdin";
  return path.substr(path.find_last_of('/') + 1);
}

std::string shown(char symbol) {
  const auto byte = static_cast<unsigned char>(symbol);
  if (byte > 0x20 && byte < 0x7f) return std::string("'") + symbol + "'";
  if (byte == ' ') return "a space";
  if (byte == '\t') return "a tab";
  constexpr char kDigits[] = "0123456789abcdef";
  return std::string("byte 0x") + kDigits[byte >> 4] + kDigits[byte & 15];
}

SymbolSet symbol_set(const ReadOptions& options) {
  if (options.alphabet == AlphabetKind::kBytes) return SymbolSet::kAny;
  if (options.alphabet == AlphabetKind::kDna) return SymbolSet::kDna;
  const bool text = options.format == FileFormat::kLines || options.format == FileFormat::kRaw;
  return text ? SymbolSet::kPrintable : SymbolSet::kLetters;
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

}  // namespace

class Reader::Parser {
 public:
  using Piece = Lines::Piece;

  Parser(const std::string& path, const ReadOptions& options)
      : options_(options),
        name_(base_name(path)),
        bytes_(options.alphabet == AlphabetKind::kBytes),
        set_(symbol_set(options)),
        lines_(Stream(path, options.threads), bytes_ ? Trim::kLineEnd : Trim::kBlanks) {
    const auto foreign = lines_.stream().foreign_compression();
    if (!bytes_ && !foreign.empty())
      fail(0, "is compressed with " + std::string(foreign) +
                  "; rhomb reads plain, gzip and bgzip files, so decompress it first");
  }

  bool next(Sequence& into) {
    const bool first = records_ == 0;
    if (options_.format == FileFormat::kRaw) return first && raw(into);
    if (first) {
      start();
    } else if (format_ != FileFormat::kFasta) {
      piece_ = next_text();
    }
    if (!piece_) return false;
    switch (format_) {
      case FileFormat::kFasta:
        fasta(into);
        return true;
      case FileFormat::kFastq:
        fastq(into);
        return true;
      default:
        return one_line(into);
    }
  }

  const Stream& stream() const { return lines_.stream(); }
  void before_waiting(std::function<void()> call) { lines_.before_waiting(std::move(call)); }

 private:
  // Finds the first line that is not blank and what it says about the format.
  void start() {
    lines_.skip_byte_order_mark();
    piece_ = lines_.next();
    if (!piece_) fail(0, "the file is empty");
    while (piece_ && piece_->text.empty()) piece_ = lines_.next();
    if (!piece_) fail(0, "the file holds only blank lines");
    format_ = format(piece_->text.front());
    guessed_lines_ = options_.format == FileFormat::kAuto && format_ == FileFormat::kLines;
    if (format_ == FileFormat::kFasta && piece_->text.front() != '>')
      fail(piece_->line, "sequence before the first header; a FASTA record starts with '>'");
  }

  FileFormat format(char first) const {
    if (options_.format != FileFormat::kAuto) return options_.format;
    if (first == '>') return FileFormat::kFasta;
    return first == '@' ? FileFormat::kFastq : FileFormat::kLines;
  }

  // All lines joined.
  bool raw(Sequence& into) {
    lines_.skip_byte_order_mark();
    bool empty = true;
    while (const Piece* piece = lines_.next()) {
      empty = false;
      add(*piece);
    }
    if (empty) fail(0, "the file is empty");
    if (symbols_.empty()) fail(0, "the file holds only blank lines");
    record_ = name_;
    finish(into);
    return true;
  }

  void fasta(Sequence& into) {
    header(*piece_);
    piece_ = lines_.next();
    while (piece_ && !(piece_->starts() && piece_->text.starts_with('>'))) {
      add(*piece_);
      piece_ = lines_.next();
    }
    finish(into);
  }

  void fastq(Sequence& into) {
    if (piece_->text.front() != '@')
      fail(piece_->line,
           "a FASTQ record starts with '@', this line with " + shown(piece_->text.front()));
    header(*piece_);
    const int sequence_lines = fastq_sequence();
    fastq_quality(sequence_lines);
    finish(into);
  }

  // Reads up to and with the '+' line; the number of lines the sequence takes.
  int fastq_sequence() {
    int count = 0;
    for (;;) {
      const Piece* piece = next_text();
      if (!piece) fail(record_line_, "the file ends before this record's '+' line");
      const bool first = piece->starts();
      if (first && piece->text.front() == '+') {
        if (count == 0) fail_empty();
        skip_rest(*piece);
        return count;
      }
      if (first && piece->text.front() == '@')
        fail(piece->line, "the '+' line between sequence and quality is missing");
      if (first) ++count;
      add(*piece);
    }
  }

  // A sequence on one line has its quality on one line too. A wrapped one goes on until there are
  // enough symbols, because a line of quality may start with any symbol, '@' included.
  void fastq_quality(int sequence_lines) {
    std::size_t length = 0;
    long line = record_line_;
    while (const Piece* piece = next_text()) {
      line = piece->line;
      quality_.resize(std::max(quality_.size(), piece->text.size()));
      if (!copy_checked(piece->text, quality_.data(), SymbolSet::kPrintable, false))
        fail_symbol(*piece, "quality", SymbolSet::kPrintable);
      length += piece->text.size();
      if (piece->ends && (sequence_lines == 1 || length >= symbols_.size())) break;
    }
    if (length != symbols_.size())
      fail(line, "quality has " + std::to_string(length) + " symbols, sequence has " +
                     std::to_string(symbols_.size()) + "; the file is damaged or was cut short");
  }

  bool one_line(Sequence& into) {
    while (piece_) {
      const char first = piece_->starts() && !piece_->text.empty() ? piece_->text.front() : 'A';
      if (guessed_lines_ && (first == '>' || first == ';')) fail_guess(*piece_, 0);
      add(*piece_);
      if (piece_->ends && !symbols_.empty()) {
        record_ = "line" + std::to_string(piece_->line);
        finish(into);
        record_.clear();
        return true;
      }
      piece_ = lines_.next();
    }
    return false;
  }

  // Starts a record at its header line, which begins with '>' or '@'.
  void header(Piece piece) {
    record_line_ = piece.line;
    record_.clear();
    piece.text.remove_prefix(1);
    bool in_name = true;
    for (;;) {
      const auto control = std::ranges::find_if(piece.text, is_control);
      if (control != piece.text.end())
        fail(piece.line, "the header holds " + shown(*control) + no_text());
      const auto blank = std::find_if(piece.text.begin(), piece.text.end(), is_blank);
      if (in_name) record_.append(piece.text.begin(), blank);
      in_name = in_name && blank == piece.text.end();
      if (piece.ends) break;
      piece = *lines_.next();
    }
    const auto strange = first_outside(record_, SymbolSet::kPrintable);
    if (strange < record_.size()) {
      const std::string what =
          "the name holds " + shown(record_[strange]) + "; names are printable ASCII";
      record_.clear();
      fail(record_line_, what);
    }
    if (record_.empty()) record_ = "record" + std::to_string(records_ + 1);
  }

  // Appends the symbols of a piece to the record.
  void add(const Piece& piece) {
    const auto before = symbols_.size();
    const auto after = before + piece.text.size();
    if (after > static_cast<std::size_t>(kMaxLength))
      fail(piece.line, "the sequence is longer than " + std::to_string(kMaxLength) +
                           " symbols, the most that rhomb handles");
    if (before < kLarge && after >= kLarge) reserve_rest();
    symbols_.resize(after);
    if (!copy_checked(piece.text, symbols_.data() + before, set_, !options_.case_sensitive))
      fail_symbol(piece, "sequence", set_);
    if (options_.warn && format_ == FileFormat::kFasta && set_ == SymbolSet::kLetters &&
        piece.text.find('-') != std::string_view::npos) {
      options_.warn(
          lines_.stream().name() + ", line " + std::to_string(piece.line) + ", record '" + record_ +
          "': holds '-', which counts as a symbol like any other; if these are the gaps of "
          "an alignment, take them out");
      options_.warn = {};
    }
  }

  void reserve_rest() {
    const auto rest = lines_.stream().plain_size() - lines_.bytes_read();
    const auto room = std::min(rest, kMaxLength - static_cast<std::int64_t>(symbols_.size()));
    if (room > 0)
      symbols_.reserve(symbols_.size() + Lines::kBlock + static_cast<std::size_t>(room));
  }

  void finish(Sequence& into) {
    if (symbols_.empty()) fail_empty();
    if (symbols_.size() < kLarge) {
      // Memory that `into` has is used again, unless it is much more than needed.
      if (into.symbols.capacity() > symbols_.size() + kSpare) into.symbols = {};
      into.name.assign(record_);
      into.symbols.assign(symbols_);
    } else {
      Sequence sequence{record_, {}};
      sequence.symbols.swap(symbols_);
      if (sequence.symbols.capacity() / 5 * 4 > sequence.symbols.size())
        sequence.symbols.shrink_to_fit();
      into = std::move(sequence);
    }
    symbols_.clear();
    ++records_;
  }

  // The next piece that is not a blank line.
  const Piece* next_text() {
    const Piece* piece = lines_.next();
    while (piece && piece->text.empty() && piece->starts()) piece = lines_.next();
    return piece;
  }

  void skip_rest(Piece piece) {
    while (!piece.ends) piece = *lines_.next();
  }

  // Damaged compressed data gives strange text before its checksum can tell, at its end. So that is
  // looked for first, and told instead.
  [[noreturn]] void fail(long line, const std::string& what) {
    if (lines_.stream().compressed()) lines_.skip_all();
    throw InputError(lines_.stream().name(), record_, line, what);
  }

  [[noreturn]] void fail_empty() { fail(record_line_, "the record has no sequence"); }

  // What to say of bytes that no text has.
  std::string no_text() const {
    const bool called_gzip = name_.ends_with(".gz") || name_.ends_with(".bgz");
    return called_gzip && !lines_.stream().compressed()
               ? "; the file is called gzip, but does not begin as such files do: it is damaged, "
                 "so "
                 "copy or make it again"
               : " (is this a text file?)";
  }

  static std::string found(const Piece& piece, std::size_t at) {
    return "holds " + shown(piece.text[at]) + " in column " +
           std::to_string(piece.column + static_cast<std::int64_t>(at) + 1);
  }

  [[noreturn]] void fail_symbol(const Piece& piece, const std::string& where, SymbolSet set) {
    const auto at = first_outside(piece.text, set);
    const char symbol = piece.text[at];
    const std::string what = where + " " + found(piece, at);
    const std::string allowed = "; allowed are " + std::string(describe(set));
    if (is_control(symbol) || static_cast<unsigned char>(symbol) > 0x7e)
      fail(piece.line, what + allowed + no_text());
    if (where != "sequence") fail(piece.line, what + allowed);
    if (is_blank(symbol))
      fail(piece.line, what +
                           "; blanks may stand at the ends of lines only (--alphabet bytes takes "
                           "them as symbols)");
    if (set == SymbolSet::kDna && symbol == '-')
      fail(piece.line,
           what + ", the gap of an alignment, which is no nucleotide; take the gaps out");
    if (guessed_lines_ && set == SymbolSet::kLetters) fail_guess(piece, at);
    fail(piece.line, what + allowed + " (--alphabet bytes takes any symbol)");
  }

  // The file does not begin as FASTA and FASTQ do, and has a line that is no sequence.
  [[noreturn]] void fail_guess(const Piece& piece, std::size_t at) {
    fail(piece.line,
         "the file begins with neither '>' (FASTA) nor '@' (FASTQ), so every line is a sequence, "
         "but "
         "this one " +
             found(piece, at) +
             "; a header or its '>' may be missing (--input-format lines takes every line as it "
             "is)");
  }

  ReadOptions options_;
  std::string name_;  // of the file
  bool bytes_;
  SymbolSet set_;
  Lines lines_;
  FileFormat format_ = FileFormat::kLines;
  bool guessed_lines_ = false;    // format_ is kLines, and nobody asked for that
  const Piece* piece_ = nullptr;  // null: the end of the file
  std::int64_t records_ = 0;      // given out
  std::string record_;            // name of the current record; empty before the first
  long record_line_ = 0;          // line of its header
  std::string symbols_;           // its sequence so far
  std::string quality_;           // where quality lines are checked
};

namespace {

// Every byte of the file is a symbol, line ends included.
Sequence read_bytes(const std::string& path, const ReadOptions& options) {
  Stream stream(path, options.threads);
  const auto check_length = [&stream](std::int64_t length) {
    if (length > kMaxLength)
      throw InputError(stream.name(), "", 0,
                       "the file is longer than " + std::to_string(kMaxLength) +
                           " bytes, the most that rhomb handles");
  };
  check_length(stream.plain_size());
  // One byte more than expected, so that the end shows without growing.
  std::string symbols(std::max(kLarge, static_cast<std::size_t>(stream.plain_size()) + 1), '\0');
  std::size_t length = 0;
  while (const auto count = stream.read(symbols.data() + length, symbols.size() - length)) {
    length += count;
    check_length(static_cast<std::int64_t>(length));
    if (length == symbols.size()) symbols.resize(2 * length);
  }
  if (length == 0) throw InputError(stream.name(), "", 0, "the file is empty");
  symbols.resize(length);
  copy_checked(symbols, symbols.data(), SymbolSet::kAny, !options.case_sensitive);
  return {base_name(path), std::move(symbols)};
}

[[noreturn]] void throw_memory(const std::string& path) {
  throw MemoryError(path + ": the sequences do not fit in the host's memory");
}

}  // namespace

Reader::Reader(std::string path, const ReadOptions& options)
    : path_(std::move(path)), options_(options) {
  const bool one = options_.format == FileFormat::kRaw && options_.alphabet == AlphabetKind::kBytes;
  if (!one) parser_ = std::make_unique<Parser>(path_, options_);
}

Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

bool Reader::next(Sequence& into) {
  try {
    if (done_) return false;
    if (parser_) {
      done_ = !parser_->next(into);
      return !done_;
    }
    into = read_bytes(path_, options_);
    done_ = true;
    return true;
  } catch (const std::bad_alloc&) {
    throw_memory(path_);
  }
}

void Reader::before_waiting(std::function<void()> call) {
  if (parser_) parser_->before_waiting(std::move(call));
}

double Reader::part() const { return done_ ? 1 : parser_ ? parser_->stream().part() : 0; }

Batch read_file(const std::string& path, const ReadOptions& options) {
  Batch batch;
  try {
    Reader reader(path, options);
    Sequence record;
    while (reader.next(record)) batch.push_back(std::move(record));
  } catch (const std::bad_alloc&) {
    throw_memory(path);
  }
  return batch;
}

}  // namespace rhomb::seq
