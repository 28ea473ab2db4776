// SPDX-License-Identifier: Apache-2.0
#include "tools/gaps/rows.h"

#include <optional>

#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

/// Adds fields with a tab behind each; the last becomes a line end.
class Fields {
 public:
  explicit Fields(std::string& out) : out_(out) {}
  ~Fields() { out_.back() = '\n'; }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  void add(std::string_view value) {
    out_ += value;
    out_ += '\t';
  }
  template <class Number>
  void number(Number value) {
    add(std::to_string(value));
  }

 private:
  std::string& out_;
};

constexpr std::string_view kNone = "NA";

}  // namespace

std::string GapsRows::header() const {
  if (asked_.format == Format::kSam) {
    std::string text = "@HD\tVN:1.6\tSO:unknown\n";
    for (const seq::Sequence& target : targets_)
      text += text_of("@SQ\tSN:", field(target.name),
                      "\tLN:", std::to_string(target.symbols.size()), "\n");
    return text + "@PG\tID:rhomb\tPN:rhomb\tVN:" RHOMB_VERSION "\n";
  }
  if (asked_.format != Format::kTsv) return "";
  const bool align = asked_.run.align;
  return text_of("#query\tquery_length\ttarget\ttarget_length", align ? "\tstart" : "",
                 "\tend\tscore\tgaps", align ? "\tgap_symbols\tmismatches" : "",
                 asked_.cigar ? "\tcigar" : "", "\n");
}

bool GapsRows::append(std::string& out, const gaps::Found& found, const Text& query,
                      const Text& target) const {
  std::optional<gaps::Replayed> replayed;
  if (asked_.run.align && found.best.found())
    replayed =
        gaps::prove(found.alignment, found.best, query.symbols, target.symbols, asked_.scoring,
                    asked_.run.rules,
                    asked_.cigar || asked_.format == Format::kPaf || asked_.format == Format::kSam);
  const gaps::Replayed* const made = replayed ? &*replayed : nullptr;
  if (asked_.format == Format::kTsv) {
    append_tsv(out, found, query, target, made);
    return true;
  }
  if (asked_.format == Format::kJson) {
    append_json(out, found, query, target, made);
    return true;
  }
  if (made == nullptr) return false;
  const std::string distance =
      text_of("NM:i:", std::to_string(made->mismatches + made->gap_symbols));
  Fields fields(out);
  fields.add(field(query.name));
  if (asked_.format == Format::kPaf) {
    fields.number(query.symbols.size());
    fields.number(0);
    fields.number(query.symbols.size());
    fields.add("+");
    fields.add(field(target.name));
    fields.number(target.symbols.size());
    fields.number(found.alignment.start);
    fields.number(made->end);
    fields.number(made->matches);
    fields.number(made->matches + made->mismatches + made->gap_symbols);
    fields.add("255");
    fields.add(distance);
    fields.add(score_tag(found));
    fields.add(text_of("cg:Z:", made->cigar.text()));
    return true;
  }
  fields.number(0);
  fields.add(field(target.name));
  fields.number(found.alignment.start + 1);
  fields.add("255");
  fields.add(made->cigar.empty() ? "*" : made->cigar.text());
  fields.add("*");
  fields.number(0);
  fields.number(0);
  fields.add(query.symbols.empty() ? "*" : query.symbols);
  fields.add("*");
  fields.add(distance);
  fields.add(score_tag(found));
  return true;
}

std::string GapsRows::score_tag(const gaps::Found& found) const {
  const std::string score = asked_.scoring.text(found.best.score);
  return text_of(score.find('.') == std::string::npos ? "AS:i:" : "AS:f:", score);
}

void GapsRows::append_tsv(std::string& out, const gaps::Found& found, const Text& query,
                          const Text& target, const gaps::Replayed* replayed) const {
  Fields fields(out);
  fields.add(field(query.name));
  fields.number(query.symbols.size());
  fields.add(field(target.name));
  fields.number(target.symbols.size());
  const auto known = [&](bool is, auto value) {
    if (is)
      fields.number(value);
    else
      fields.add(kNone);
  };
  const bool some = found.best.found();
  if (asked_.run.align) known(some, found.alignment.start);
  known(some, found.best.end);
  fields.add(some ? asked_.scoring.text(found.best.score) : std::string(kNone));
  known(some, found.best.gaps);
  if (!asked_.run.align) return;
  known(some, replayed != nullptr ? replayed->gap_symbols : 0);
  known(some, replayed != nullptr ? replayed->mismatches : 0);
  if (asked_.cigar) fields.add(some ? replayed->cigar.text() : std::string(kNone));
}

void GapsRows::append_json(std::string& out, const gaps::Found& found, const Text& query,
                           const Text& target, const gaps::Replayed* replayed) const {
  Json object;
  object["query"] = query.name;
  object["query_length"] = query.symbols.size();
  object["target"] = target.name;
  object["target_length"] = target.symbols.size();
  const auto known = [&](const char* key, auto value) {
    object[key] = found.best.found() ? Json(value) : Json();
  };
  if (asked_.run.align) known("start", found.alignment.start);
  known("end", found.best.end);
  // A whole number where it is one.
  const gaps::Scoring& scoring = asked_.scoring;
  if (found.best.found() && found.best.score % scoring.scale == 0)
    object["score"] = found.best.score / scoring.scale;
  else
    known("score", scoring.value(found.best.score));
  known("gaps", found.best.gaps);
  if (asked_.run.align) {
    known("gap_symbols", replayed != nullptr ? replayed->gap_symbols : 0);
    known("mismatches", replayed != nullptr ? replayed->mismatches : 0);
    if (asked_.cigar) known("cigar", replayed != nullptr ? replayed->cigar.text() : std::string());
  }
  out += json_line(object);
}

}  // namespace rhomb::cli
