// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/pairs.h"

#include <algorithm>
#include <array>

#include "host/error.h"
#include "host/seq/alphabet.h"
#include "tools/cli/text.h"

namespace rhomb::cli {

PairReader::PairReader(const std::string& path, const InputOptions& options)
    : lines_(seq::Stream(path), options.read.alphabet == seq::AlphabetKind::kBytes
                                    ? seq::Trim::kLineEnd
                                    : seq::Trim::kBlanks),
      set_(options.read.alphabet == seq::AlphabetKind::kDna     ? seq::SymbolSet::kDna
           : options.read.alphabet == seq::AlphabetKind::kBytes ? seq::SymbolSet::kAny
                                                                : seq::SymbolSet::kLetters),
      fold_(!options.read.case_sensitive),
      forbid_ambiguous_(options.forbid_ambiguous) {
  if (const auto foreign = lines_.stream().foreign_compression(); !foreign.empty())
    throw InputError(lines_.stream().name(), "", 0,
                     text_of("is compressed by ", foreign,
                             ", which rhomb does not read; use gzip "
                             "or bgzip, or a pipe"));
  lines_.skip_byte_order_mark();
}

bool PairReader::next_line() {
  while (const auto* piece = lines_.next()) {
    if (piece->starts()) pieces_.clear();
    const bool whole = piece->starts() && piece->ends;
    if (!whole) pieces_ += piece->text;
    if (!piece->ends) continue;
    line_ = whole ? piece->text : pieces_;
    number_ = piece->line;
    if (!line_.empty() && line_.front() != '#') return true;
  }
  return false;
}

void PairReader::take(std::string_view field, const char* what, std::string& into) {
  const auto fail = [&](const std::string& why) {
    throw InputError(lines_.stream().name(), "", number_, text_of("the ", what, " ", why));
  };
  if (field.empty()) fail("is empty");
  if (field.size() > static_cast<std::size_t>(seq::kMaxLength)) fail("is too long");
  into.resize(field.size());
  if (!seq::copy_checked(field, into.data(), set_, fold_)) {
    const std::size_t at = seq::first_outside(field, set_);
    const auto symbol = static_cast<unsigned char>(field[at]);
    fail(text_of("has ",
                 symbol > 0x20 && symbol < 0x7f
                     ? text_of("'", std::string(1, static_cast<char>(symbol)), "'")
                     : text_of("byte ", std::to_string(symbol)),
                 " at position ", std::to_string(at + 1), "; allowed are ", seq::describe(set_)));
  }
  if (!forbid_ambiguous_) return;
  const auto found = std::ranges::find_if(into, seq::is_ambiguous);
  if (found != into.end())
    fail(text_of("has the ambiguity code '", std::string(1, *found),
                 "', and --ambiguous error allows none"));
}

bool PairReader::next(batch::Entry& into) {
  if (!next_line()) {
    if (!any_) throw InputError(lines_.stream().name(), "", 0, "has no pairs");
    return false;
  }
  any_ = true;
  std::array<std::string_view, 4> fields;
  std::size_t count = 0;
  std::string_view rest = line_;
  for (bool more = true; more; ++count) {
    const std::size_t tab = rest.find('\t');
    more = tab != std::string_view::npos;
    if (count < fields.size()) fields[count] = rest.substr(0, tab);
    if (more) rest.remove_prefix(tab + 1);
  }
  if (count != 2 && count != 4)
    throw InputError(lines_.stream().name(), "", number_,
                     text_of("has ", std::to_string(count), count == 1 ? " field" : " fields",
                             ", not a query and a candidate (or name, query, name, candidate), "
                             "separated by tabs"));
  const bool named = count == 4;
  into.query_name = named && !fields[0].empty() ? std::string(fields[0]) : std::to_string(number_);
  into.target_name = named && !fields[2].empty() ? std::string(fields[2]) : std::to_string(number_);
  take(fields[named ? 1 : 0], "query", into.query);
  take(fields[named ? 3 : 1], "candidate", into.target);
  return true;
}

double PairReader::part() const { return lines_.stream().part(); }

}  // namespace rhomb::cli
