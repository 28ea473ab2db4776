// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/accessions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "host/seq/lines.h"
#include "host/seq/reader.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

namespace fs = std::filesystem;

bool named_like_fasta(fs::path path) {
  constexpr std::array<std::string_view, 6> kEndings = {".fa",  ".fasta", ".fna",
                                                        ".fas", ".ffn",   ".seq"};
  if (path.extension() == ".gz" || path.extension() == ".bgz") path.replace_extension();
  return std::ranges::find(kEndings, path.extension().string()) != kEndings.end();
}

/// Whether `name` has `accession` in it, and neither letters nor digits go on around it.
bool bears(std::string_view name, std::string_view accession) {
  const auto open = [&](std::size_t i) {
    return i >= name.size() || !std::isalnum(static_cast<unsigned char>(name[i]));
  };
  for (auto at = name.find(accession); at != std::string_view::npos;
       at = name.find(accession, at + 1))
    if ((at == 0 || open(at - 1)) && open(at + accession.size())) return true;
  return false;
}

struct Header {
  std::string text;
  std::int64_t length = 0;
};

/// The headers of a FASTA file; none if it is something else.
std::vector<Header> headers_of(const std::string& path) {
  std::vector<Header> headers;
  seq::Lines lines(seq::Stream(path), seq::Trim::kBlanks);
  lines.skip_byte_order_mark();
  bool in_header = false;
  while (const auto* piece = lines.next()) {
    if (piece->starts()) in_header = piece->text.starts_with('>');
    if (piece->starts() && in_header) headers.push_back({std::string(piece->text.substr(1)), 0});
    if (headers.empty() && !piece->text.empty()) return {};
    if (!in_header && !headers.empty())
      headers.back().length += static_cast<std::int64_t>(piece->text.size());
  }
  return headers;
}

}  // namespace

std::vector<std::string> sequence_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const auto& path : paths) {
    std::error_code failed;
    if (!fs::exists(path, failed)) throw UsageError("there is no file or directory '" + path + "'");
    if (!fs::is_directory(path, failed)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (fs::directory_iterator entry(path, failed), end; !failed && entry != end;
         entry.increment(failed))
      if (named_like_fasta(entry->path()) && entry->is_regular_file(failed))
        inside.push_back(entry->path().string());
    if (failed) throw UsageError("cannot read the directory '" + path + "': " + failed.message());
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

std::vector<Bearer> find_bearers(
    const std::vector<std::string>& files, const std::vector<std::string>& accessions,
    const std::function<void(const std::string&, const Error&)>& skip) {
  std::vector<Bearer> bearers;
  for (const auto& path : files) {
    std::vector<Header> headers;
    try {
      headers = headers_of(path);
    } catch (const Error& error) {
      skip(path, error);
      continue;
    }
    const std::string file = fs::path(path).filename().string();
    for (std::size_t i = 0; i < headers.size(); ++i)
      for (const auto& accession : accessions)
        if (bears(headers[i].text, accession) || (headers.size() == 1 && bears(file, accession)))
          bearers.push_back({accession, path, i, headers[i].length});
  }
  return bearers;
}

seq::Sequence read_bearer(const Bearer& bearer) {
  seq::Batch records = seq::read_file(bearer.path);
  if (bearer.index >= records.size())
    throw InputError(bearer.path, bearer.accession, 0, "the file changed while it was read");
  return std::move(records[bearer.index]);
}

}  // namespace rhomb::cli
