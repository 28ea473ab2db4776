// SPDX-License-Identifier: Apache-2.0
// c.h on top of rhomb.h: names become fields, exceptions status codes, what runs tell is collected.
#include "host/c.h"

#include <array>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "host/rhomb.h"

namespace rhomb {
namespace {

thread_local std::string c_error;  // as errno is one for each thread

constexpr const char* kNoMemory = "the host's memory does not suffice";
thread_local bool c_no_memory = false;  // not even for a message

void say(const char* message) noexcept {
  c_no_memory = false;
  try {
    c_error = message;
  } catch (const std::bad_alloc&) {
    c_no_memory = true;
  }
}

struct GivenOptions {
  std::map<std::string, std::string, std::less<>> values;
  int (*progress)(void* user, double part) = nullptr;
  void* user = nullptr;
};

struct Collected {
  using Value = std::variant<std::monostate, std::int64_t, std::string>;
  std::span<const std::string_view> columns;
  std::vector<Value> values;  // a row after another

  std::size_t rows() const { return values.size() / columns.size(); }
};

// What the pointers of c.h lead to. Its structs are defined nowhere, so that debugging information,
// which ABIs are compared by, has nothing of what is inside.
template <class Handle>
struct Inside;
template <>
struct Inside<rhomb_device> : std::type_identity<Devices> {};
template <>
struct Inside<rhomb_options> : std::type_identity<GivenOptions> {};
template <>
struct Inside<rhomb_sequences> : std::type_identity<seq::Batch> {};
template <>
struct Inside<rhomb_result> : std::type_identity<Collected> {};

template <class Handle>
auto* inside(Handle* handle) {
  return reinterpret_cast<typename Inside<Handle>::type*>(handle);
}
template <class Handle>
const auto* inside(const Handle* handle) {
  return reinterpret_cast<const typename Inside<Handle>::type*>(handle);
}
template <class Handle, class... Args>
Handle* made(Args&&... args) {
  return reinterpret_cast<Handle*>(new typename Inside<Handle>::type{std::forward<Args>(args)...});
}

template <class Work>
int c_call(const Work& work) {
  try {
    work();
    return RHOMB_OK;
  } catch (const Error& error) {
    say(error.what());
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    say(kNoMemory);
    return RHOMB_MEMORY;
  } catch (const std::exception& error) {
    say(error.what());
  } catch (...) {
    say("an error of an unknown kind");
  }
  return RHOMB_INTERNAL;
}

template <class Pointer>
Pointer* needed(Pointer* pointer, const char* name) {
  if (pointer == nullptr) throw UsageError(std::string(name) + " is NULL");
  return pointer;
}
const seq::Batch& batch_of(const rhomb_sequences* sequences, const char* name) {
  return *inside(needed(sequences, name));
}

// ---- options

template <class Options>
struct Setting {
  std::string_view name;
  void (*set)(Options& options, const std::string& value);
};

[[noreturn]] void refuse(const std::string& value, const char* wanted) {
  throw UsageError("'" + value + "' is not " + wanted);
}

template <class Number>
Number number(const std::string& value, Number least = 0) {
  Number read{};
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, read);
  if (error != std::errc{} || stop != end || read < least)
    refuse(value, ("a whole number from " + std::to_string(least) + " on").c_str());
  return read;
}

void is_switch(const std::string& value) {
  if (!value.empty()) refuse(value, "empty, as the value of a switch is");
}

template <class Enum, std::size_t kCount>
Enum one_of(const std::string& value, const std::array<const char*, kCount>& names) {
  std::string there;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (value == names[i]) return static_cast<Enum>(i);
    there += std::string(i > 0 ? ", " : "one of ") + names[i];
  }
  refuse(value, there.c_str());
}

constexpr Setting<RunOptions> kRun[] = {
    {"variant", [](RunOptions& o, const std::string& v) { o.variant = v; }},
    {"config", [](RunOptions& o, const std::string& v) { o.config = tune::Config::parse(v); }},
    {"ambiguous",
     [](RunOptions& o, const std::string& v) {
       o.ambiguous = one_of<seq::Ambiguous>(v, std::array{"symbol", "match", "mismatch"});
     }},
    {"check", [](RunOptions& o, const std::string& v) { is_switch(v), o.check = true; }},
    {"threads",
     [](RunOptions& o, const std::string& v) { o.threads = number<std::size_t>(v, 1); }}};

constexpr Setting<RunOptions> kParts[] = {
    {"shard", [](RunOptions& o, const std::string& v) { o.shard = Shard::parse(v); }}};

constexpr Setting<DistanceOptions> kDistance[] = {
    {"engine", [](DistanceOptions& o, const std::string& v) { o.engine = v; }},
    {"max-distance",
     [](DistanceOptions& o, const std::string& v) { o.max_distance = number<std::int64_t>(v); }}};
constexpr Setting<DistanceOptions> kKeeping[] = {
    {"checkpoint", [](DistanceOptions& o, const std::string& v) { o.keeping.folder = v; }},
    {"resume", [](DistanceOptions& o,
                  const std::string& v) { o.keeping.folder = v, o.keeping.resume = true; }},
    {"every", [](DistanceOptions& o, const std::string& v) {
       o.keeping.every = static_cast<double>(number<std::int64_t>(v));
     }}};
constexpr Setting<DistanceOptions> kMany[] = {
    {"all-pairs",
     [](DistanceOptions& o, const std::string& v) { is_switch(v), o.all_pairs = true; }}};

constexpr Setting<AlignOptions> kAlign[] = {
    {"gaps",
     [](AlignOptions& o, const std::string& v) {
       o.gaps_right = one_of<int>(v, std::array{"left", "right"}) == 1;
     }},
    {"both-strands",
     [](AlignOptions& o, const std::string& v) { is_switch(v), o.both_strands = true; }},
    {"max-memory",
     [](AlignOptions& o, const std::string& v) { o.memory = number<std::size_t>(v, 1); }}};

constexpr Setting<SearchOptions> kSearch[] = {
    {"k", [](SearchOptions& o, const std::string& v) { o.most = number<std::uint32_t>(v); }},
    {"best", [](SearchOptions& o, const std::string& v) { is_switch(v), o.best = true; }},
    {"all-ends", [](SearchOptions& o, const std::string& v) { is_switch(v), o.all_ends = true; }},
    {"both-strands",
     [](SearchOptions& o, const std::string& v) { is_switch(v), o.both_strands = true; }},
    {"cigar", [](SearchOptions& o, const std::string& v) { is_switch(v), o.cigar = true; }},
    {"memory",
     [](SearchOptions& o, const std::string& v) { o.memory = number<std::size_t>(v, 1); }}};

constexpr Setting<LcsOptions> kLcs[] = {
    {"top", [](LcsOptions& o, const std::string& v) { o.top = number<std::size_t>(v, 1); }},
    {"min-length", [](LcsOptions& o, const std::string& v) { o.least = number<std::uint32_t>(v); }},
    {"subsequence",
     [](LcsOptions& o, const std::string& v) { is_switch(v), o.subsequence = true; }},
    {"memory", [](LcsOptions& o, const std::string& v) { o.memory = number<std::size_t>(v, 1); }}};

constexpr Setting<GapsOptions> kGaps[] = {
    {"max-gaps", [](GapsOptions& o, const std::string& v) { o.max_gaps = number<int>(v); }},
    {"matrix", [](GapsOptions& o, const std::string& v) { o.matrix = v; }},
    {"match", [](GapsOptions& o, const std::string& v) { o.match = v; }},
    {"mismatch", [](GapsOptions& o, const std::string& v) { o.mismatch = v; }},
    {"open", [](GapsOptions& o, const std::string& v) { o.open = v; }},
    {"extend", [](GapsOptions& o, const std::string& v) { o.extend = v; }},
    {"ends",
     [](GapsOptions& o, const std::string& v) {
       o.ends = one_of<GapsOptions::Ends>(v, std::array{"prefix", "global", "infix"});
     }},
    {"strict", [](GapsOptions& o, const std::string& v) { is_switch(v), o.strict = true; }},
    {"band", [](GapsOptions& o, const std::string& v) { o.band = number<std::uint32_t>(v); }},
    {"score-only", [](GapsOptions& o, const std::string& v) { is_switch(v), o.alignment = false; }},
    {"top", [](GapsOptions& o, const std::string& v) { o.top = number<std::size_t>(v, 1); }},
    {"all-pairs", [](GapsOptions& o, const std::string& v) { is_switch(v), o.pairs = false; }},
    {"memory", [](GapsOptions& o, const std::string& v) { o.memory = number<std::size_t>(v, 1); }}};

constexpr Setting<PrimerOptions> kPrimer[] = {
    {"k", [](PrimerOptions& o, const std::string& v) { o.k = number<std::uint32_t>(v, 1); }},
    {"length",
     [](PrimerOptions& o, const std::string& v) { o.window = number<std::uint32_t>(v, 1); }},
    {"min-length",
     [](PrimerOptions& o, const std::string& v) { o.min_length = number<std::uint32_t>(v); }},
    {"max-length",
     [](PrimerOptions& o, const std::string& v) { o.max_length = number<std::uint32_t>(v, 1); }},
    {"both-strands",
     [](PrimerOptions& o, const std::string& v) { is_switch(v), o.both_strands = true; }},
    {"exclude-self",
     [](PrimerOptions& o, const std::string& v) { is_switch(v), o.exclude_self = true; }},
    {"witness", [](PrimerOptions& o, const std::string& v) { is_switch(v), o.nearest = true; }},
    {"memory",
     [](PrimerOptions& o, const std::string& v) { o.memory = number<std::size_t>(v, 1); }}};

constexpr Setting<seq::ReadOptions> kRead[] = {
    {"alphabet",
     [](seq::ReadOptions& o, const std::string& v) {
       o.alphabet = one_of<seq::AlphabetKind>(v, std::array{"auto", "dna", "bytes"});
     }},
    {"input-format",
     [](seq::ReadOptions& o, const std::string& v) {
       o.format = one_of<seq::FileFormat>(v, std::array{"auto", "fasta", "fastq", "lines", "raw"});
     }},
    {"case-sensitive",
     [](seq::ReadOptions& o, const std::string& v) { is_switch(v), o.case_sensitive = true; }}};

constexpr Setting<DevicesOptions> kOpen[] = {
    {"kernels", [](DevicesOptions& o, const std::string& v) { o.kernels_dir = v; }},
    {"no-cache", [](DevicesOptions& o, const std::string& v) { is_switch(v), o.cache = false; }}};

/// Sets the option if the table has it.
template <class Options, std::size_t kCount>
bool set_one(std::type_identity_t<Options>& options, const Setting<Options> (&table)[kCount],
             std::string_view name, const std::string& value) {
  for (const auto& setting : table)
    if (setting.name == name) return setting.set(options, value), true;
  return false;
}

/// Options of a call: those of the tables, in which `make` has been told about each.
template <class Options>
struct Asked {
  Options options;
  std::stop_source source;

  /// Throws UsageError for an option that is neither in `tables` nor of reading or opening.
  template <class... Tables>
  explicit Asked(const rhomb_options* handle, const Tables&... tables)
      : Asked(Options{}, handle, tables...) {}
  /// `usual`: the options that are not set.
  template <class... Tables>
  Asked(Options usual, const rhomb_options* handle, const Tables&... tables)
      : options(std::move(usual)) {
    const GivenOptions* const given = inside(handle);
    if (given == nullptr) return;
    seq::ReadOptions read;
    DevicesOptions open;
    for (const auto& [name, value] : given->values)
      if (!(set_one(options, tables, name, value) || ...) && !set_one(read, kRead, name, value) &&
          !set_one(open, kOpen, name, value))
        throw UsageError("this call has no option '" + name + "'");
    if constexpr (requires { options.stop; }) {
      if (given->progress == nullptr) return;
      options.stop = source.get_token();
      options.progress = [this, given](const Progress& now) {
        if (given->progress(given->user, now.part) != 0) source.request_stop();
      };
    }
  }
  Asked(const Asked&) = delete;
};

/// The options of opening or of reading files; the others are for calls to come.
template <class Options, std::size_t kCount>
Options only(const rhomb_options* handle, const Setting<Options> (&table)[kCount]) {
  Options options;
  if (const GivenOptions* const given = inside(handle); given != nullptr)
    for (const auto& [name, value] : given->values) set_one(options, table, name, value);
  return options;
}

void check_option(std::string_view name, const std::string& value) {
  AlignOptions align;
  SearchOptions search;
  LcsOptions lcs;
  GapsOptions gaps;
  PrimerOptions primer;
  seq::ReadOptions read;
  DevicesOptions open;
  RunOptions& run = align;
  DistanceOptions& distance = align;
  const bool known[] = {
      set_one(run, kRun, name, value),       set_one(distance, kDistance, name, value),
      set_one(distance, kMany, name, value), set_one(distance, kKeeping, name, value),
      set_one(align, kAlign, name, value),   set_one(search, kSearch, name, value),
      set_one(lcs, kLcs, name, value),       set_one(gaps, kGaps, name, value),
      set_one(primer, kPrimer, name, value), set_one(run, kParts, name, value),
      set_one(read, kRead, name, value),     set_one(open, kOpen, name, value)};
  for (const bool one : known)
    if (one) return;
  throw UsageError("there is no option of this name");
}

// ---- results

constexpr std::string_view kPairColumns[] = {"query_length", "target_length", "distance", "engine",
                                             "variant",      "device",        "strand",   "cigar"};
constexpr std::string_view kDistanceColumns[] = {
    "query", "query_length", "target", "target_length", "distance", "engine", "variant", "device"};
constexpr std::string_view kSearchColumns[] = {"query",         "query_length", "target",
                                               "target_length", "start",        "end",
                                               "strand",        "distance",     "cigar"};
constexpr std::string_view kLcsColumns[] = {"query",  "query_length", "target",     "target_length",
                                            "length", "rank",         "subsequence"};

constexpr std::string_view kGapsColumns[] = {
    "query", "query_length", "target",      "target_length", "score", "end",
    "gaps",  "start",        "gap_symbols", "mismatches",    "cigar"};
constexpr std::string_view kPrimerColumns[] = {
    "query",          "start",         "end",         "sequence",       "distance",
    "witness_target", "witness_start", "witness_end", "witness_strand", "witness_distance",
    "witness_cigar"};

/// Takes rows.
struct Rows : Collected {
  template <class... Values>
  void add(Values&&... row) {
    (values.push_back(std::forward<Values>(row)), ...);
  }
};

Collected::Value c_number(std::size_t value) { return static_cast<std::int64_t>(value); }
Collected::Value c_text(std::string_view text) { return std::string(text); }
Collected::Value c_distance(const std::optional<std::int64_t>& distance) {
  return distance ? Collected::Value(*distance) : Collected::Value();
}
/// All digits of an exact score, none more.
Collected::Value c_score(double score) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, score, std::chars_format::fixed).ptr;
  return std::string(text, end);
}
Collected::Value c_strand(char strand) { return std::string(1, strand); }

std::string_view text_at(const char* symbols, std::size_t length, const char* name) {
  return length == 0 ? std::string_view() : std::string_view(needed(symbols, name), length);
}

/// Calls work(devices, rows) and hands its rows out.
template <class Work>
int c_run(rhomb_device* device, rhomb_result** result, std::span<const std::string_view> columns,
          const Work& work) {
  if (result != nullptr) *result = nullptr;
  return c_call([&] {
    needed(result, "result");
    Rows rows{{columns, {}}};
    work(*inside(needed(device, "device")), rows);
    *result = made<rhomb_result>(std::move(rows));
  });
}

template <class Held>
const Held* value_at(const rhomb_result* result, std::size_t row, const char* column) {
  const Collected* const held = inside(result);
  if (column == nullptr || held == nullptr || row >= held->rows()) return nullptr;
  for (std::size_t i = 0; i < held->columns.size(); ++i)
    if (held->columns[i] == column)
      return std::get_if<Held>(&held->values[row * held->columns.size() + i]);
  return nullptr;
}

}  // namespace
}  // namespace rhomb

using namespace rhomb;

const char* rhomb_version(void) { return RHOMB_VERSION; }
const char* rhomb_error(void) { return c_no_memory ? kNoMemory : c_error.c_str(); }

int rhomb_open(const char* selector, const rhomb_options* options, rhomb_device** device) {
  if (device != nullptr) *device = nullptr;
  return c_call([&] {
    needed(device, "device");
    DevicesOptions open = only(options, kOpen);
    if (selector != nullptr) open.selector = selector;
    *device = made<rhomb_device>(std::move(open));
  });
}
void rhomb_close(rhomb_device* device) { delete inside(device); }

int rhomb_options_new(rhomb_options** options) {
  if (options != nullptr) *options = nullptr;
  return c_call([&] { *needed(options, "options") = made<rhomb_options>(); });
}
void rhomb_options_free(rhomb_options* options) { delete inside(options); }

int rhomb_options_set(rhomb_options* options, const char* name, const char* value) {
  return c_call([&] {
    const std::string text = value != nullptr ? value : "";
    try {
      check_option(needed(name, "name"), text);
    } catch (const UsageError& error) {
      throw UsageError(std::string(name != nullptr ? name : "name") + ": " + error.what());
    }
    inside(needed(options, "options"))->values[name] = text;
  });
}
void rhomb_options_progress(rhomb_options* options, int (*call)(void* user, double part),
                            void* user) {
  if (options == nullptr) return;
  inside(options)->progress = call;
  inside(options)->user = user;
}

int rhomb_sequences_new(rhomb_sequences** sequences) {
  if (sequences != nullptr) *sequences = nullptr;
  return c_call([&] { *needed(sequences, "sequences") = made<rhomb_sequences>(); });
}
void rhomb_sequences_free(rhomb_sequences* sequences) { delete inside(sequences); }

int rhomb_sequences_add(rhomb_sequences* sequences, const char* name, const char* symbols,
                        size_t length) {
  return c_call([&] {
    inside(needed(sequences, "sequences"))
        ->push_back({needed(name, "name"), std::string(text_at(symbols, length, "symbols"))});
  });
}
int rhomb_sequences_read(rhomb_sequences* sequences, const char* path,
                         const rhomb_options* options) {
  return c_call([&] {
    seq::Reader reader(needed(path, "path"), only(options, kRead));
    seq::Batch read;
    for (seq::Sequence one; reader.next(one);) read.push_back(std::move(one));
    seq::Batch& batch = *inside(needed(sequences, "sequences"));
    batch.insert(batch.end(), std::make_move_iterator(read.begin()),
                 std::make_move_iterator(read.end()));
  });
}

int rhomb_distance(rhomb_device* device, const rhomb_options* options, const char* query,
                   size_t query_length, const char* target, size_t target_length,
                   rhomb_result** result) {
  return c_run(device, result, std::span(kPairColumns).first(6), [&](Devices& on, Rows& rows) {
    const Asked<DistanceOptions> asked(options, kRun, kDistance, kKeeping);
    const auto answer = on.distance(text_at(query, query_length, "query"),
                                    text_at(target, target_length, "target"), asked.options);
    rows.add(c_number(query_length), c_number(target_length), c_distance(answer.distance),
             answer.engine, answer.variant, answer.device);
  });
}

int rhomb_align(rhomb_device* device, const rhomb_options* options, const char* query,
                size_t query_length, const char* target, size_t target_length,
                rhomb_result** result) {
  return c_run(device, result, kPairColumns, [&](Devices& on, Rows& rows) {
    const Asked<AlignOptions> asked(options, kRun, kDistance, kAlign);
    const auto answer = on.align(text_at(query, query_length, "query"),
                                 text_at(target, target_length, "target"), asked.options);
    rows.add(c_number(query_length), c_number(target_length), c_distance(answer.distance),
             answer.engine, answer.variant, answer.device, c_strand(answer.strand),
             answer.distance ? c_text(answer.cigar.text()) : Collected::Value());
  });
}

int rhomb_distances(rhomb_device* device, const rhomb_options* options,
                    const rhomb_sequences* queries, const rhomb_sequences* targets,
                    rhomb_result** result) {
  return c_run(device, result, kDistanceColumns, [&](Devices& on, Rows& rows) {
    const Asked<DistanceOptions> asked(options, kRun, kParts, kDistance, kMany);
    on.distances(batch_of(queries, "queries"), batch_of(targets, "targets"), asked.options,
                 [&](const PairDistance& pair) {
                   rows.add(c_text(pair.query.name), c_number(pair.query.symbols.size()),
                            c_text(pair.target.name), c_number(pair.target.symbols.size()),
                            c_distance(pair.answer.distance), pair.answer.engine,
                            pair.answer.variant, pair.answer.device);
                 });
  });
}

int rhomb_search(rhomb_device* device, const rhomb_options* options, const rhomb_sequences* queries,
                 const rhomb_sequences* targets, rhomb_result** result) {
  return c_run(device, result, kSearchColumns, [&](Devices& on, Rows& rows) {
    const Asked<SearchOptions> asked(options, kRun, kParts, kSearch);
    on.search(batch_of(queries, "queries"), batch_of(targets, "targets"), asked.options,
              [&](const Occurrence& found) {
                rows.add(c_text(found.query), c_number(found.query_length), c_text(found.target),
                         c_number(found.target_length), c_number(found.start), c_number(found.end),
                         c_strand(found.strand), c_number(found.distance),
                         asked.options.cigar ? c_text(found.cigar) : Collected::Value());
              });
  });
}

int rhomb_lcs(rhomb_device* device, const rhomb_options* options, const rhomb_sequences* queries,
              const rhomb_sequences* targets, rhomb_result** result) {
  return c_run(device, result, kLcsColumns, [&](Devices& on, Rows& rows) {
    const Asked<LcsOptions> asked(options, kRun, kParts, kLcs);
    on.lcs(batch_of(queries, "queries"), batch_of(targets, "targets"), asked.options,
           [&](const CommonSubsequence& found) {
             rows.add(c_text(found.query), c_number(found.query_length), c_text(found.target),
                      c_number(found.target_length), c_number(found.length),
                      asked.options.top ? c_number(found.rank) : Collected::Value(),
                      asked.options.subsequence ? c_text(found.subsequence) : Collected::Value());
           });
  });
}

int rhomb_gaps(rhomb_device* device, const rhomb_options* options, const rhomb_sequences* queries,
               const rhomb_sequences* targets, rhomb_result** result) {
  return c_run(device, result, kGapsColumns, [&](Devices& on, Rows& rows) {
    GapsOptions usual;
    usual.alignment = true;
    usual.pairs = true;
    const Asked<GapsOptions> asked(usual, options, kRun, kParts, kGaps);
    on.gaps(batch_of(queries, "queries"), batch_of(targets, "targets"), asked.options,
            [&](const GapsFound& found) {
              using Value = Collected::Value;
              const bool there = found.score.has_value();
              const auto& one = found.alignment;
              rows.add(
                  c_text(found.query), c_number(found.query_length), c_text(found.target),
                  c_number(found.target_length), there ? c_score(*found.score) : Value(),
                  there ? c_number(found.end) : Value(), there ? c_number(found.gaps) : Value(),
                  one ? c_number(one->start) : Value(), one ? c_number(one->gap_symbols) : Value(),
                  one ? c_number(one->mismatches) : Value(), one ? c_text(one->cigar) : Value());
            });
  });
}

int rhomb_primer(rhomb_device* device, const rhomb_options* options, const rhomb_sequences* queries,
                 const rhomb_sequences* targets, rhomb_result** result) {
  return c_run(device, result, kPrimerColumns, [&](Devices& on, Rows& rows) {
    const Asked<PrimerOptions> asked(options, kRun, kParts, kPrimer);
    on.primers(
        batch_of(queries, "queries"), batch_of(targets, "targets"), asked.options,
        [&](const PrimerFound& found) {
          using Value = Collected::Value;
          const auto& near = found.nearest;
          rows.add(c_text(found.query), c_number(found.start), c_number(found.end),
                   c_text(found.sequence), found.distance ? c_number(*found.distance) : Value(),
                   near ? c_text(near->target) : Value(), near ? c_number(near->start) : Value(),
                   near ? c_number(near->end) : Value(), near ? c_strand(near->strand) : Value(),
                   near ? c_number(near->distance) : Value(), near ? c_text(near->cigar) : Value());
        });
  });
}

size_t rhomb_rows(const rhomb_result* result) {
  return result == nullptr ? 0 : inside(result)->rows();
}
int64_t rhomb_number(const rhomb_result* result, size_t row, const char* column) {
  const auto* const held = value_at<std::int64_t>(result, row, column);
  return held != nullptr ? *held : -1;
}
const char* rhomb_text(const rhomb_result* result, size_t row, const char* column) {
  const auto* const held = value_at<std::string>(result, row, column);
  return held != nullptr ? held->c_str() : nullptr;
}
void rhomb_result_free(rhomb_result* result) { delete inside(result); }
