// SPDX-License-Identifier: Apache-2.0
// rhomb._rhomb: rhomb.h for the Python package. Its functions are called by rhomb/api.py alone,
// which says what they mean; options come as a dict, answers go as tuples in the order of the
// classes there.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <rhomb/rhomb.h>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tools/python/module/run.h"
#include "tools/python/module/text.h"

namespace rhomb::python {
namespace {

// ---- options

template <class T>
using Names = std::initializer_list<std::pair<const char*, T>>;

constexpr Names<seq::Ambiguous> kAmbiguous = {{"symbol", seq::Ambiguous::kSymbol},
                                              {"match", seq::Ambiguous::kMatch},
                                              {"mismatch", seq::Ambiguous::kMismatch}};
constexpr Names<GapsOptions::Ends> kEnds = {{"prefix", GapsOptions::Ends::kPrefix},
                                            {"global", GapsOptions::Ends::kGlobal},
                                            {"infix", GapsOptions::Ends::kInfix}};
constexpr Names<bool> kSides = {{"left", false}, {"right", true}};
constexpr Names<seq::AlphabetKind> kAlphabets = {{"auto", seq::AlphabetKind::kAuto},
                                                 {"dna", seq::AlphabetKind::kDna},
                                                 {"bytes", seq::AlphabetKind::kBytes}};
constexpr Names<seq::FileFormat> kFormats = {{"auto", seq::FileFormat::kAuto},
                                             {"fasta", seq::FileFormat::kFasta},
                                             {"fastq", seq::FileFormat::kFastq},
                                             {"lines", seq::FileFormat::kLines},
                                             {"raw", seq::FileFormat::kRaw}};

/// Options by name. What is not there, or None, leaves its variable as it is.
class Options {
 public:
  explicit Options(nb::dict given) : given_(std::move(given)) {}

  template <class T>
  const Options& take(const char* name, T& into) const {
    const nb::object value = find(name);
    if (value.is_none()) return *this;
    if constexpr (std::is_same_v<T, bool>)
      if (Text::type_of(value).starts_with("bool")) {  // also numpy's
        into = static_cast<bool>(nb::bool_(value));
        return *this;
      }
    try {
      into = nb::cast<T>(value);
    } catch (const nb::cast_error&) {
      throw UsageError(std::string(name) + " cannot be " + nb::repr(value).c_str());
    }
    return *this;
  }
  template <class T>
  const Options& take(const char* name, T& into, const Names<T>& names) const {
    std::optional<std::string> value;
    take(name, value);
    if (!value) return *this;
    std::string all;
    for (const auto& [one, meaning] : names) {
      if (*value == one) {
        into = meaning;
        return *this;
      }
      all += (all.empty() ? "" : ", ") + std::string(one);
    }
    throw UsageError(std::string(name) + " '" + *value + "'; there are: " + all);
  }

 private:
  nb::object find(const char* name) const {
    return nb::borrow(given_.contains(name) ? nb::object(given_[name]) : nb::none());
  }

  nb::dict given_;
};

void take(const Options& given, RunOptions& into) {
  std::map<std::string, int> config;
  given.take("variant", into.variant).take("config", config);
  given.take("ambiguous", into.ambiguous, kAmbiguous);
  given.take("check", into.check).take("threads", into.threads);
  into.config = tune::Config(std::move(config));
  std::optional<std::string> shard;
  given.take("shard", shard);
  if (shard) into.shard = Shard::parse(*shard);
}

void take(const Options& given, DistanceOptions& into) {
  take(given, static_cast<RunOptions&>(into));
  given.take("engine", into.engine).take("max_distance", into.max_distance);
  given.take("all_pairs", into.all_pairs);
  std::string resume;
  given.take("checkpoint", into.keeping.folder).take("resume", resume);
  given.take("every", into.keeping.every);
  if (resume.empty()) return;
  if (!into.keeping.folder.empty())
    throw UsageError("resume saves too, so checkpoint has nothing to add");
  into.keeping.folder = resume;
  into.keeping.resume = true;
}

void take(const Options& given, AlignOptions& into) {
  take(given, static_cast<DistanceOptions&>(into));
  given.take("gaps", into.gaps_right, kSides).take("both_strands", into.both_strands);
  given.take("max_memory", into.memory);
}

void take(const Options& given, SearchOptions& into) {
  take(given, static_cast<RunOptions&>(into));
  given.take("k", into.most).take("best", into.best).take("all_ends", into.all_ends);
  given.take("both_strands", into.both_strands).take("cigar", into.cigar);
  given.take("pairs", into.pairs).take("max_memory", into.memory);
}

void take(const Options& given, LcsOptions& into) {
  take(given, static_cast<RunOptions&>(into));
  given.take("top", into.top).take("min_length", into.least);
  given.take("subsequence", into.subsequence).take("max_memory", into.memory);
}

void take(const Options& given, GapsOptions& into) {
  take(given, static_cast<RunOptions&>(into));
  given.take("max_gaps", into.max_gaps).take("matrix", into.matrix);
  given.take("match", into.match).take("mismatch", into.mismatch);
  given.take("open", into.open).take("extend", into.extend);
  given.take("ends", into.ends, kEnds).take("strict", into.strict).take("band", into.band);
  given.take("alignment", into.alignment).take("top", into.top);
  given.take("pairs", into.pairs).take("max_memory", into.memory);
}

void take(const Options& given, PrimerOptions& into) {
  take(given, static_cast<RunOptions&>(into));
  given.take("k", into.k).take("window", into.window);
  given.take("min_length", into.min_length).take("max_length", into.max_length);
  given.take("both_strands", into.both_strands).take("exclude_self", into.exclude_self);
  given.take("nearest", into.nearest).take("max_memory", into.memory);
}

template <class T>
T options_of(const nb::dict& given) {
  T options;
  take(Options(given), options);
  return options;
}

// ---- answers

Value value(std::string_view text) { return std::string(text); }
Value value(char letter) { return std::string(1, letter); }
Value value(double number) { return number; }
template <std::integral T>
Value value(T number) {
  return static_cast<std::int64_t>(number);
}
template <class T>
Value value(const std::optional<T>& one) {
  return one ? value(*one) : Value();
}

template <class... T>
Row row(const T&... fields) {
  return {value(fields)...};
}

nb::dict dict_of(const Timing& timing) {
  nb::dict all;
  all["read"] = timing.read;
  all["build"] = timing.build;
  all["transfer"] = timing.transfer;
  all["compute"] = timing.compute;
  all["total"] = timing.total;
  return all;
}

nb::dict dict_of(const Facts& facts) {
  nb::dict all;
  for (const auto& [name, text] : facts.all()) all[name.c_str()] = text;
  return all;
}

Row row_of(std::string_view query_name, std::string_view query, std::string_view target_name,
           std::string_view target, const AlignAnswer& answer) {
  const Cigar::Counts counts = answer.cigar.counts();
  return row(query_name, query.size(), target_name, target.size(), answer.distance, answer.engine,
             answer.variant, answer.device, answer.timing.total, answer.strand, answer.cigar.text(),
             counts.matches, counts.mismatches, counts.insertions, counts.inserted,
             counts.deletions, counts.deleted, counts.identity(), counts.gap_compressed_identity(),
             answer.cells, answer.parts, answer.distance_seconds);
}

Row row_of(const PairAlignment& pair) {
  return row_of(pair.query.name, pair.query.symbols, pair.target.name, pair.target.symbols,
                pair.answer);
}

Row row_of(const Occurrence& found) {
  return row(found.query, found.query_length, found.target, found.target_length, found.start,
             found.end, found.strand, found.distance, found.cigar);
}

Row row_of(const CommonSubsequence& found) {
  return row(found.query, found.query_length, found.target, found.target_length, found.length,
             found.rank, found.subsequence);
}

Row row_of(const GapsFound& found) {
  Row fields = row(found.query, found.query_length, found.target, found.target_length, found.score,
                   found.end, found.gaps);
  if (const auto& alignment = found.alignment)
    std::ranges::move(row(alignment->start, alignment->gap_symbols, alignment->matches,
                          alignment->mismatches, alignment->cigar),
                      std::back_inserter(fields));
  return fields;
}

Row row_of(const PrimerFound& found) {
  Row fields = row(found.query, found.start, found.end, found.sequence, found.distance);
  if (const auto& site = found.nearest)
    std::ranges::move(
        row(site->target, site->start, site->end, site->strand, site->distance, site->cigar),
        std::back_inserter(fields));
  return fields;
}

// ---- calls

/// Devices, with the number of calls that compute on them or wait for them.
struct Shared : Devices {
  using Devices::Devices;
  std::atomic<int> calls = 0;
};

class Busy {
 public:
  explicit Busy(Shared& devices) : devices_(devices) { ++devices_.calls; }
  ~Busy() { --devices_.calls; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  /// Whether there is another one.
  bool waits() const { return devices_.calls > 1; }

 private:
  Shared& devices_;
};

/// Problems of so many cells take a few milliseconds at most, so that nobody waits for a signal.
constexpr std::size_t kAtOnce = 1'000'000;

/// work(), on a thread of its own, the GIL released.
template <class Work>
auto apart(Work work, const nb::object& progress = nb::none()) {
  using Answer = decltype(work(std::declval<Run&>()));
  struct Call {
    Work work;
    Answer answer;
    Run run;
  };
  const auto call = Run::made<Call>(std::move(work), Answer{}, progress);
  call->run.start([of = call.get()] { of->answer = of->work(of->run); });
  call->run.wait();
  return std::move(call->answer);
}

/// call(devices, first, second, options) for one pair, the GIL released; on a thread of its own
/// unless it is short.
template <class Options, class Work>
auto one_pair(const nb::object& devices, const std::shared_ptr<Text>& a,
              const std::shared_ptr<Text>& b, const nb::dict& given, const nb::object& progress,
              const Work& work) {
  const Inside inside;
  Shared& on = nb::cast<Shared&>(devices);
  const auto busy = std::make_shared<Busy>(on);
  auto options = options_of<Options>(given);
  const bool on_host = (options.engine == "auto" || options.engine == "reference") &&
                       options.variant.empty() && options.config.values().empty();
  if (progress.is_none() && !busy->waits() && on_host &&
      a->view().size() <= kAtOnce / std::max<std::size_t>(b->view().size(), 1)) {
    options.stop = Inside::ends().get_token();
    const nb::gil_scoped_release release;
    return work(on, a->view(), b->view(), options);
  }
  return apart(
      [devices, &on, a, b, busy, options, work](Run& run) mutable {
        run.connect(options);
        return work(on, a->view(), b->view(), options);
      },
      progress);
}

nb::tuple distance(const nb::object& devices, const nb::object& first, const nb::object& second,
                   const nb::dict& given, const nb::object& progress) {
  const auto a = std::make_shared<Text>(first), b = std::make_shared<Text>(second);
  const DistanceAnswer answer = one_pair<DistanceOptions>(
      devices, a, b, given, progress,
      [](Shared& on, std::string_view one, std::string_view other, const DistanceOptions& options) {
        return on.distance(one, other, options);
      });
  return nb::make_tuple(answer.distance, a->view().size(), b->view().size(), answer.engine,
                        answer.variant, answer.device, answer.config.values(), answer.passes,
                        answer.cells, dict_of(answer.certificate), answer.checked,
                        dict_of(answer.timing));
}

nb::tuple align(const nb::object& devices, nb::handle query_name, const nb::object& query,
                nb::handle target_name, const nb::object& target, const nb::dict& given,
                const nb::object& progress) {
  const auto a = std::make_shared<Text>(query), b = std::make_shared<Text>(target);
  const AlignAnswer answer = one_pair<AlignOptions>(
      devices, a, b, given, progress,
      [](Shared& on, std::string_view one, std::string_view other, const AlignOptions& options) {
        return on.align(one, other, options);
      });
  return tuple_of(
      row_of(bytes_of(query_name), a->view(), bytes_of(target_name), b->view(), answer));
}

nb::dict explain(const nb::object& devices, const nb::object& first, const nb::object& second,
                 const nb::dict& given) {
  const auto a = std::make_shared<Text>(first), b = std::make_shared<Text>(second);
  return dict_of(one_pair<DistanceOptions>(
      devices, a, b, given, nb::none(),
      [](Shared& on, std::string_view one, std::string_view other, const DistanceOptions& options) {
        return on.explain_distance(one, other, options);
      }));
}

/// The sequences of a call, `targets` being None for those of the queries.
struct Both {
  Both(nb::handle of_queries, nb::handle of_targets) : queries("queries", of_queries) {
    if (!of_targets.is_none()) targets.emplace("targets", of_targets);
  }
  Given queries;
  std::optional<Given> targets;
};

/// What a run of many records needs; Python's objects are let go by a thread that has the GIL.
struct Call {
  nb::object devices;
  Both both;
  std::vector<std::int64_t> distances;
  Totals totals;
  Run run;
};

/// Starts work(devices, queries, targets, options, call).
template <class Options, class Work>
std::shared_ptr<Call> started(const nb::object& devices, const nb::object& queries,
                              const nb::object& targets, const nb::dict& given,
                              const nb::object& progress, const Work& work) {
  auto options = options_of<Options>(given);
  auto call = Run::made<Call>(devices, Both(queries, targets), std::vector<std::int64_t>(),
                              Totals(), progress);
  call->run.connect(options);
  Shared& on = nb::cast<Shared&>(call->devices);
  call->run.start([&on, &of = *call, options, work] {
    const Busy busy(on);
    const Records first = of.both.queries.records();
    const std::optional<Records> second =
        of.both.targets ? std::optional(of.both.targets->records()) : std::nullopt;
    of.totals = work(on, first, second ? *second : first, options, of);
  });
  return call;
}

/// As bytes of int64, -1 for more than max_distance; and the numbers of queries and targets.
nb::tuple distances(const nb::object& devices, const nb::object& queries, const nb::object& targets,
                    const nb::dict& given, const nb::object& progress) {
  const Inside inside;
  const auto call = started<DistanceOptions>(
      devices, queries, targets, given, progress,
      [](Shared& on, const Records& first, const Records& second, const DistanceOptions& options,
         Call& of) {
        return on.distances(first, second, options, [&](const PairDistance& pair) {
          of.distances.push_back(pair.answer.distance.value_or(-1));
        });
      });
  call->run.wait();
  const auto& all = call->distances;
  return nb::make_tuple(nb::bytearray(all.data(), all.size() * sizeof(all[0])),
                        call->totals.queries, call->totals.targets);
}

/// A run of many rows, which the caller takes from it. `call` is one of Devices' functions.
template <class Options, class Found>
void many(nb::module_& module, const char* name,
          Totals (Devices::*function)(const Records&, const Records&, const Options&,
                                      const std::function<void(const Found&)>&)) {
  module.def(
      name,
      [function](const nb::object& devices, const nb::object& queries, const nb::object& targets,
                 const nb::dict& given, const nb::object& progress) {
        const Inside inside;
        const auto call = started<Options>(
            devices, queries, targets, given, progress,
            [function](Shared& on, const Records& first, const Records& second,
                       const Options& options, Call& of) {
              return (on.*function)(first, second, options,
                                    [&](const Found& found) { of.run.found(row_of(found)); });
            });
        return std::shared_ptr<Run>(call, &call->run);
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none());
}

nb::tuple tuple_of(const ocl::DeviceInfo& device) {
  const ocl::Limits& limits = device.limits;
  return nb::make_tuple(device.index, device.name, device.vendor, device.platform, device.driver,
                        device.type(), limits.compute_units, limits.clock_mhz, limits.global_bytes,
                        limits.alloc_bytes, limits.local_bytes, limits.max_work_group,
                        device.version, device.usable);
}

nb::list list_of(const std::vector<ocl::DeviceInfo>& devices) {
  nb::list list;
  for (const ocl::DeviceInfo& device : devices) list.append(tuple_of(device));
  return list;
}

nb::list read_records(nb::handle path, const nb::dict& given) {
  const std::string file = bytes_of(path);
  seq::ReadOptions asked;
  Options(given)
      .take("alphabet", asked.alphabet, kAlphabets)
      .take("format", asked.format, kFormats)
      .take("case_sensitive", asked.case_sensitive)
      .take("threads", asked.threads);
  const Inside inside(nullptr);
  const seq::Batch batch = apart([file, asked](Run& run) {
    seq::Batch read;
    seq::Reader reader(file, asked);
    for (seq::Sequence one; reader.next(one); read.push_back(std::move(one))) run.check_stop();
    return read;
  });
  nb::list list;
  for (const seq::Sequence& one : batch)
    list.append(
        nb::make_tuple(str_of(one.name), nb::bytes(one.symbols.data(), one.symbols.size())));
  return list;
}

// ---- errors

/// Raises the exception of rhomb/errors.py that stands for this kind.
void raise(Kind kind, const char* what, const InputError* where = nullptr) {
  constexpr auto name = [](Kind of) {
    switch (of) {
      case Kind::kUsage:
        return "UsageError";
      case Kind::kInput:
        return "InputError";
      case Kind::kOutput:
        return "OutputError";
      case Kind::kDevice:
        return "DeviceError";
      case Kind::kMemory:
        return "MemoryError";
      case Kind::kCheck:
        return "CheckError";
      default:
        return "Error";
    }
  };
  const nb::object type = nb::module_::import_("rhomb.errors").attr(name(kind));
  const nb::object error = type(str_of(what));
  if (where != nullptr) {
    error.attr("file") = str_of(where->file());
    error.attr("record") = str_of(where->record());
    error.attr("line") = where->line();
  }
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    raise(error.kind(), error.what(), &error);
  } catch (const Error& error) {
    raise(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    raise(Kind::kMemory, "out of memory");
  }
}

}  // namespace
}  // namespace rhomb::python

NB_MODULE(_rhomb, module) {
  using namespace rhomb;
  using namespace rhomb::python;
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(false);  // a process may end while objects are in use
  module.attr("version") = RHOMB_VERSION;

  nb::class_<Run>(module, "Run", nb::is_weak_referenceable())
      .def("take", &Run::take)
      .def("close", &Run::close);
  nb::class_<Shared>(module, "Devices")
      .def("__init__",
           [](Shared* self, std::string selector, std::uint64_t memory, bool cache,
              std::string cache_dir, std::string kernels_dir) {
             new (self) Shared({.selector = std::move(selector),
                                .kernels_dir = std::move(kernels_dir),
                                .cache = cache,
                                .cache_dir = std::move(cache_dir),
                                .memory = memory});
           })
      .def("chosen", [](nb::object devices) {
        const Inside inside;
        Shared& on = nb::cast<Shared&>(devices);
        const auto busy = std::make_shared<Busy>(on);
        return list_of(apart([devices, &on, busy](Run&) { return on.chosen(); }));
      });
  module.def("devices", [] {
    const Inside inside;
    std::vector<ocl::DeviceInfo> all;
    {
      const nb::gil_scoped_release release;
      all = Devices::list();
    }
    return list_of(all);
  });
  module.def("read", read_records);
  module.def("end", &Inside::end);
  module.def("fork", &Inside::fork);
  // What may be None has to be told.
  const nb::arg needed;
  const auto or_none = nb::arg().none();
  module.def("distance", distance, needed, needed, needed, needed, or_none);
  module.def("align", align, needed, needed, needed, needed, needed, needed, or_none);
  module.def("explain", explain);
  module.def("distances", distances, needed, needed, or_none, needed, or_none);
  many<AlignOptions, PairAlignment>(module, "alignments", &Devices::alignments);
  many<SearchOptions, Occurrence>(module, "search", &Devices::search);
  many<LcsOptions, CommonSubsequence>(module, "lcs", &Devices::lcs);
  many<GapsOptions, GapsFound>(module, "gaps", &Devices::gaps);
  many<PrimerOptions, PrimerFound>(module, "primers", &Devices::primers);
}
