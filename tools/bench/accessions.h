// SPDX-License-Identifier: Apache-2.0
// Accessions: sequences found in files by their names in the public databases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/error.h"
#include "host/seq/sequence.h"

namespace rhomb::cli {

/// A record that bears an accession.
struct Bearer {
  std::string accession;
  std::string path;
  std::size_t index = 0;    ///< of the record in the file
  std::int64_t length = 0;  ///< symbols
};

/// The files that `paths` name: those given, and of directories those directly in them that are
/// named like FASTA (.fa, .fasta, .fna, ... and the same with .gz or .bgz). Throws UsageError for a
/// path that does not exist.
std::vector<std::string> sequence_files(const std::vector<std::string>& paths);

/// The records of FASTA files that bear one of `accessions` as a word of their header, or the
/// beginning of one ("AE016879.1_first2067590"), or in the name of the file if that has only one
/// record. `skip` is told which files cannot be read and why, inside the handler of that exception.
std::vector<Bearer> find_bearers(
    const std::vector<std::string>& files, const std::vector<std::string>& accessions,
    const std::function<void(const std::string& path, const Error& why)>& skip);

/// The record itself. Throws InputError.
seq::Sequence read_bearer(const Bearer& bearer);

}  // namespace rhomb::cli
