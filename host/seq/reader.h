// SPDX-License-Identifier: Apache-2.0
// Reader: sequences from FASTA, FASTQ, one sequence a line, or raw text; plain, gzip or bgzip.
#pragma once

#include <string>

#include "host/seq/sequence.h"

namespace rhomb::seq {

/// What the symbols of a file may be.
enum class AlphabetKind {
  kAuto,   ///< FASTA and FASTQ: printable letters and '*', '-', '.'; other files: see kBytes
  kDna,    ///< the IUPAC nucleotide letters (ACGTU, RYSWKMBDHVN), '*' and '-' only
  kBytes,  ///< anything but line ends; FASTA and FASTQ still end at theirs
};

/// How a file is cut into records.
enum class FileFormat {
  kAuto,  ///< by the first byte: '>' FASTA, '@' FASTQ, otherwise one sequence a line
  kFasta,
  kFastq,
  kLines,  ///< one sequence a line, named line1, line2, ...; blank lines are skipped
  kRaw,    ///< the whole file is one sequence, line ends included; its name is the file's
};

struct ReadOptions {
  AlphabetKind alphabet = AlphabetKind::kAuto;
  FileFormat format = FileFormat::kAuto;
  bool case_sensitive = false;  ///< keep lower case; otherwise letters become upper case
};

/// All records of the file at `path`, in order; "-" reads standard input.
///
/// Compression is found by content, not by name. CRLF line ends and blank lines are accepted.
/// Throws InputError (file, record, line) for a file that cannot be opened, is empty, holds no
/// record, ends inside a compressed block, has a record without sequence, a FASTQ record whose
/// quality is shorter or longer than its sequence, a control byte in a text format, a symbol that
/// the alphabet does not have, or a sequence longer than kMaxLength.
Batch read_file(const std::string& path, const ReadOptions& options = {});

}  // namespace rhomb::seq
