// SPDX-License-Identifier: Apache-2.0
#include "tools/merge/in_parts.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "host/dist/folder_lock.h"
#include "host/error.h"
#include "tools/cli/entries.h"
#include "tools/cli/json.h"
#include "tools/cli/many.h"
#include "tools/cli/messages.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/session.h"
#include "tools/cli/shard.h"
#include "tools/cli/text.h"
#include "tools/help/help.h"
#include "tools/merge/merge.h"

namespace rhomb::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwn[] = {"checkpoint", "resume", "parts"};
constexpr int kUsualParts = 32;

/// The files of one run in a folder.
struct PartNames {
  std::string folder;
  std::size_t count = 0;

  std::string operator()(std::size_t number) const {
    return text_of(folder, "/part-", std::to_string(number), "-of-", std::to_string(count));
  }
};

/// Of how many parts a folder has some; nothing if it has none.
std::optional<std::size_t> count_in(const std::string& folder) {
  std::optional<std::size_t> found;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) throw InputError(folder, "", 0, "cannot be looked at: " + error.message());
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    const std::size_t of = name.find("-of-");
    if (!name.starts_with("part-") || of == name.npos) continue;
    std::size_t count = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, failed] = std::from_chars(name.data() + of + 4, end, count);
    if (failed != std::errc{} || stop != end) continue;  // not complete
    if (found && *found != count)
      throw InputError(folder, "", 0, "has parts of two runs; take those of one away");
    found = count;
  }
  return found;
}

std::size_t find_or_make(const CommandLine& line, const std::string& folder, bool resume) {
  std::error_code error;
  if (!resume) fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error)) {
    if (resume) throw InputError(folder, "", 0, "there is no such folder to go on from");
    throw OutputError("'" + folder + "' cannot be made: " + error.message());
  }
  const auto there = count_in(folder);
  const auto asked = static_cast<std::size_t>(line.count("parts", kUsualParts, 1));
  if (!there) return asked;
  if (!resume)
    throw UsageError(text_of("'", folder,
                             "' has parts of an earlier run: go on from them (--resume), ",
                             "or remove them"));
  if (line.has("parts") && *there != asked)
    throw UsageError(text_of("'", folder, "' has parts of ", std::to_string(*there), ", not of ",
                             std::to_string(asked), line.pointer()));
  return *there;
}

/// Which parts are there. Throws InputError for one of another run.
std::vector<bool> parts_there(const PartNames& names, const std::string& run) {
  std::vector<bool> there(names.count);
  for (std::size_t i = 0; i < names.count; ++i) {
    const std::string path = names(i + 1);
    std::error_code failed;
    if (!fs::exists(path, failed) && !failed) continue;
    if (failed) throw InputError(path, "", 0, "cannot be looked at: " + failed.message());
    std::optional<PartAbout> about;
    try {
      about = look_at_part({path, path});
    } catch (const InputError& error) {
      say(text_of(error.what(), "; it is made again"));
      continue;
    }
    if (about->run != run)
      throw InputError(path, "", 0,
                       "is of another run: it has other options, or was made of other files, or by "
                       "another version of rhomb");
    there[i] = about->shard == i + 1 && about->shards == names.count;
  }
  return there;
}

/// Throws InputError where a file is not what it was when the run began.
void check_same(const RunName& before, const RunName& now) {
  if (before.name == now.name) return;
  for (std::size_t i = 0; i < now.files.size(); ++i)
    if (before.files[i] != now.files[i])
      throw InputError(now.files[i].path, "", 0,
                       "has changed during the run, so parts that are left would not fit those "
                       "that are made");
}

}  // namespace

Group in_parts(Group group) {
  group.flags.push_back({"checkpoint", "DIR",
                         "make the run in parts, and keep in DIR each that is complete: whenever "
                         "the run ends, another "
                         "one goes on. What is printed is the same, and comes at the end"});
  group.flags.push_back({"resume", "DIR",
                         "the same, and take the parts that are there: of the same files and "
                         "options, made on any device"});
  group.flags.push_back({"parts", "N", "how many parts that are (default: 32)"});
  return group;
}

bool is_in_parts(const CommandLine& line) {
  const bool new_run = line.has("checkpoint"), resume = line.has("resume");
  if (!new_run && !resume) {
    if (line.has("parts"))
      throw UsageError("--parts needs --checkpoint or --resume" + line.pointer());
    return false;
  }
  if (new_run && resume)
    throw UsageError("--resume saves too, so --checkpoint has nothing to add" + line.pointer());
  if (line.text(resume ? "resume" : "checkpoint").empty())
    throw UsageError(text_of(resume ? "--resume" : "--checkpoint", " needs the name of a folder",
                             line.pointer()));
  for (const char* const other : {"shard", "trace", "partial"})
    if (line.has(other))
      throw UsageError(text_of("--", other, " and ", resume ? "--resume" : "--checkpoint",
                               " exclude each other", line.pointer()));
  return !line.has("explain");
}

std::vector<std::string> arguments_of(const CommandLine& line,
                                      const std::vector<std::string>& without) {
  std::vector<std::string> words;
  for (const Group& group : line.groups())
    for (const Flag& flag : group.flags) {
      const std::string name = flag.long_name();
      if (std::ranges::count(without, name) > 0) continue;
      for (const std::string& value : line.texts(name))
        words.push_back(name.size() == 1     ? text_of("-", name, value)
                        : flag.value.empty() ? text_of("--", name)
                                             : text_of("--", name, "=", value));
    }
  words.emplace_back("--");
  words.insert(words.end(), line.files().begin(), line.files().end());
  return words;
}

int run_in_parts(const CommandLine& line, std::string_view verb, const std::string& format,
                 const std::vector<std::string>& files, bool by_order) {
  const bool resume = line.has("resume");
  const std::string folder = line.text(resume ? "resume" : "checkpoint");
  Output out(line.text("output", "-"));
  const double start = now();
  const RunName run = run_of(line, std::string(verb), format, files);
  // The last part alone would find that some records are without another.
  if (by_order) check_by_order(files, parse_input(line));
  const PartNames names{folder, find_or_make(line, folder, resume)};
  const dist::FolderLock lock(folder);
  const std::vector<bool> there = parts_there(names, run.name);
  const auto kept = std::ranges::count(there, true);
  if (resume)
    say(text_of("goes on from ", folder, ": ", std::to_string(kept), " of ",
                std::to_string(names.count), " parts are there",
                line.has("check") && kept > 0 ? ", which --check leaves out" : ""));

  const std::string goes_on = text_of("another run goes on from '", folder, "' (--resume)");
  say_when_ended("stopped; " + goes_on);
  std::vector<std::string> common = arguments_of(line, {"output", "checkpoint", "resume", "parts"});
  const SharedDevices devices;  // opened once
  const ProgressKind kind = shown_progress(line, {Format::kTsv, line.text("output", "-")}, true);
  Progress progress(kind);
  progress.start(std::string(verb));
  std::vector<PartFile> parts;
  double done = static_cast<double>(kept);
  const auto all = static_cast<double>(names.count);
  for (std::size_t i = 0; i < names.count; ++i) {
    const std::string path = names(i + 1);
    parts.push_back({path, path});
    if (there[i]) continue;
    check_same(run, run_of(line, std::string(verb), format, files));
    Progress::within(done / all, (done + 1) / all);
    std::vector<std::string> words{
        std::string(verb), "--output=" + path,
        text_of("--shard=", std::to_string(i + 1), "/", std::to_string(names.count))};
    words.insert(words.end(), common.begin(), common.end());
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    try {
      find_verb(verb).run(static_cast<int>(arguments.size()), arguments.data());
    } catch (const Error& error) {
      if (error.kind() != Kind::kStopped) throw;
      throw Error(Kind::kStopped, text_of(error.what(), "; ", goes_on));
    }
    ++done;
  }
  merge_parts(parts, out);
  out.commit();
  Progress::whole();
  progress.finish();
  const double seconds = now() - start;
  Json summary;
  summary["event"] = "summary";
  summary["parts"] = names.count;
  summary["kept"] = kept;
  summary["seconds"] = rounded(significant(seconds));
  if (kind != ProgressKind::kNone)
    progress.note(kind == ProgressKind::kJson
                      ? json_line(summary)
                      : text_of("rhomb: ", std::to_string(names.count), " parts, ",
                                std::to_string(kept), " of them from earlier runs, in ",
                                human_seconds(seconds)));
  return 0;
}

}  // namespace rhomb::cli
