// SPDX-License-Identifier: Apache-2.0
// rhomb variants: what --variant and --config may say.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host/distance/methods.h"
#include "host/gaps/gaps.h"
#include "host/lcs/lcs.h"
#include "host/primer/primer.h"
#include "host/search/search.h"
#include "tools/cli/command_line.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/records.h"
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
  for (const Method& method : all_methods())
    entries.push_back({"distance", std::string(method.engine), std::string(method.variant),
                       method.on_host       ? "host"
                       : method.cuda_device ? "cuda"
                                            : "opencl",
                       std::string(method.summary), method.space});
  add(entries, "search", "search", search::variants());
  add(entries, "lcs", "lcs", lcs::variants());
  add(entries, "gaps", "gaps", gaps::variants());
  add(entries, "primer", "primer", primer::variants());
  return entries;
}

/// The keys that every record begins with.
Json record_of(const Entry& entry) {
  Json record;
  record["verb"] = entry.verb;
  record["engine"] = entry.engine;
  record["variant"] = entry.variant;
  return record;
}

std::vector<Json> list(const std::vector<Entry>& entries) {
  std::vector<Json> records;
  for (const Entry& entry : entries) {
    Json& record = records.emplace_back(record_of(entry));
    record["device"] = entry.device;
    record["summary"] = entry.summary;
  }
  return records;
}

std::vector<Json> tunables(const std::vector<Entry>& entries, const std::string& name) {
  std::vector<Json> records;
  std::vector<std::string> names;
  bool found = false;
  for (const Entry& entry : entries) {
    names.insert(names.end(), {entry.verb, entry.engine, entry.variant});
    if (name != entry.verb && name != entry.engine && name != entry.variant) continue;
    found = true;
    for (const tune::Param& param : *entry.space) {
      Json& record = records.emplace_back(record_of(entry));
      record["tunable"] = param.name;
      record["default"] = param.values.front();
      record["values"] = param.values;
      record["meaning"] = param.meaning;
    }
  }
  if (!found)
    throw UsageError(text_of("there is no variant, engine or verb '", name, "'",
                             did_you_mean(name, names), "; rhomb variants lists them"));
  return records;
}

}  // namespace

int run_variants(int argc, const char* const* argv) {
  CommandLine line(help(), {without(output_group(kListFormats), {"progress"})});
  if (!parse_or_help(line, argc, argv)) return 0;
  if (line.files().size() > 1) throw UsageError("one name at a time" + line.pointer());
  const OutputOptions options = parse_output(line, kListFormats);
  const auto entries = all_entries();
  Output out(options.file);
  out.write(printed(line.files().empty() ? list(entries) : tunables(entries, line.files().front()),
                    options.format));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
