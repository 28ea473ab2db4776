// SPDX-License-Identifier: Apache-2.0
// Reader: sequences from FASTA, FASTQ, one sequence a line, or raw text; plain, gzip or bgzip.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sequence.h"

namespace rhomb::seq {

/// What the symbols of a file may be.
enum class AlphabetKind {
  kAuto,   ///< letters and '*', '-', '.'; where lines or raw text are asked for, printable ASCII
  kDna,    ///< the IUPAC nucleotide letters (ACGTU, RYSWKMBDHVN) and '*' only
  kBytes,  ///< anything but line ends; FASTA and FASTQ still end at theirs
};

/// How a file is cut into records.
enum class FileFormat {
  kAuto,  ///< by the first byte: '>' FASTA, '@' FASTQ, otherwise one sequence a line
  kFasta,
  kFastq,
  kLines,  ///< one sequence a line, named line1, line2, ...; blank lines are skipped
  kRaw,    ///< the whole file is one sequence; its name is the file's
};

struct ReadOptions {
  AlphabetKind alphabet = AlphabetKind::kAuto;
  FileFormat format = FileFormat::kAuto;
  bool case_sensitive = false;  ///< keep lower case; otherwise letters become upper case
  std::size_t threads = 0;      ///< that decompress, at most; 0: as many as it has cores
  /// Told, once a file, of what is no error and may be a mistake: '-' in FASTA, as in alignments.
  std::function<void(const std::string&)> warn = {};
};

/// The records of a file, one after another, so that a file larger than memory can be gone through.
///
/// Compression is found by content, not by name. CRLF line ends and blank lines are accepted.
/// Spaces and tabs at the end of a line are dropped and elsewhere in a sequence an error, in all
/// formats; with kBytes they are symbols. Raw text is its lines joined; with kBytes line ends are
/// symbols too.
///
/// A file that begins with neither '>' nor '@' has one sequence a line. Unless that was asked for,
/// a line that begins as a header or comment does, and symbols that headers have, are errors. Each
/// function throws InputError (file, record, line) for a file that cannot be opened, is empty,
/// holds no record, ends inside a compressed block, has a record without sequence, a FASTQ record
/// whose quality is shorter or longer than its sequence, a control byte in a text format, a symbol
/// that the alphabet does not have, or a sequence longer than kMaxLength. After that the reader is
/// of no further use; the records before are as they would be in a file without the error.
class Reader {
 public:
  /// Opens `path`; "-" is standard input.
  explicit Reader(std::string path, const ReadOptions& options = {});
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// Reads the next record into `into`; false at the end of the file.
  bool next(Sequence& into);

  /// Has this called, by next(), each time before it reads from the file, which may wait.
  void before_waiting(std::function<void()> call);

  /// How much of the file has been read, 0 to 1, as far as that is known (not of a pipe).
  double part() const;

 private:
  class Parser;

  std::string path_;
  ReadOptions options_;
  std::unique_ptr<Parser> parser_;  // null: every byte of the file is a symbol
  bool done_ = false;               // nothing more will come
};

/// All records of the file at `path`, in order. Throws what a Reader throws.
Batch read_file(const std::string& path, const ReadOptions& options = {});

}  // namespace rhomb::seq
