// SPDX-License-Identifier: Apache-2.0
// rhomb variants: what --variant and --config may say.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host/lcs/lcs.h"
#include "host/search/search.h"
#include "host/strip/strip.h"
#include "host/wfa/wfa.h"
#include "tools/cli/command_line.h"
#include "tools/cli/json.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/text.h"
#include "tools/cli/verbs.h"

namespace rhomb::cli {
namespace {

Help help() {
  return {
      "rhomb variants [options] [NAME]",
      R"(Lists the variants of every engine, the best first: what --variant NAME takes. With the NAME of a
variant, an engine or a verb it lists their tunables: what --config takes.

Columns and JSON keys: verb, engine, variant, device (what it runs on: opencl, cuda or host), summary.
With a NAME: verb, engine, variant, tunable, default, values (that rhomb tune tries; many take others
between them), meaning. The default is what holds where the plan has no better reason and rhomb tune
found nothing.
)",
      R"(  rhomb variants
  rhomb variants strips
  rhomb variants search --format json
)"};
}

struct Entry {
  std::string verb, engine, variant, device, summary;
  const tune::Space* space;
};

void add(std::vector<Entry>& entries, const char* verb, const char* engine, const auto& table) {
  for (const auto& variant : table)
    entries.push_back({verb, variant.on_host ? "reference" : engine, std::string(variant.name),
                       variant.on_host       ? "host"
                       : variant.uses_cuda() ? "cuda"
                                             : "opencl",
                       std::string(variant.summary), &variant.space});
}

std::vector<Entry> all_entries() {
  std::vector<Entry> entries;
  add(entries, "distance", "strips", strip::variants());
  add(entries, "distance", "wavefront", wfa::variants());
  add(entries, "search", "search", search::variants());
  add(entries, "lcs", "lcs", lcs::variants());
  return entries;
}

using Rows = std::vector<std::vector<std::string>>;

Rows list(const std::vector<Entry>& entries) {
  Rows rows = {{"verb", "engine", "variant", "device", "summary"}};
  for (const Entry& entry : entries)
    rows.push_back({entry.verb, entry.engine, entry.variant, entry.device, entry.summary});
  return rows;
}

Rows tunables(const std::vector<Entry>& entries, const std::string& name) {
  Rows rows = {{"verb", "engine", "variant", "tunable", "default", "values", "meaning"}};
  std::vector<std::string> names;
  bool found = false;
  for (const Entry& entry : entries) {
    names.insert(names.end(), {entry.verb, entry.engine, entry.variant});
    if (name != entry.verb && name != entry.engine && name != entry.variant) continue;
    found = true;
    for (const tune::Param& param : *entry.space) {
      std::string values;
      for (const int value : param.values)
        values += text_of(values.empty() ? "" : ",", std::to_string(value));
      rows.push_back({entry.verb, entry.engine, entry.variant, param.name,
                      std::to_string(param.values.front()), values, param.meaning});
    }
  }
  if (!found)
    throw UsageError(text_of("there is no variant, engine or verb '", name, "'",
                             did_you_mean(name, names), "; rhomb variants lists them"));
  return rows;
}

std::string printed(const Rows& rows, Format format) {
  if (format == Format::kTable) return aligned(rows);
  if (format == Format::kTsv) return tsv(rows);
  std::string lines;
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
    Json object;
    for (std::size_t i = 0; i < row->size(); ++i) {
      const std::string& key = rows.front()[i];
      if (key == "values")
        object[key] = Json::parse("[" + (*row)[i] + "]");
      else if (key == "default")
        object[key] = Json::parse((*row)[i]);
      else
        object[key] = (*row)[i];
    }
    lines += json_line(object);
  }
  return lines;
}

}  // namespace

int run_variants(int argc, const char* const* argv) {
  Group output = without(output_group(true), {"progress"});
  CommandLine line(help(), {output});
  if (!parse_or_help(line, argc, argv)) return 0;
  if (line.files().size() > 1) throw UsageError("one name at a time" + line.pointer());
  const OutputOptions options = parse_output(line, true, Format::kTable);
  const auto entries = all_entries();
  Output out(options.file);
  out.write(printed(line.files().empty() ? list(entries) : tunables(entries, line.files().front()),
                    options.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
