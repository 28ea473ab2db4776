// SPDX-License-Identifier: Apache-2.0
// gaps-lanes: two alignments a register of a GPU, or a vector register of them on a CPU; all layers
// at once (cl/gaps/lanes.h).
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "host/engine/speed.h"
#include "host/gaps/internal.h"

namespace rhomb::gaps {
namespace {

const tune::Param kGroup{"WG", {64, 32, 128}, "work-items a group; 1 where SPAN is 1 on a CPU"};
const tune::Param kSpan{"SPAN", {8, 1, 2, 4, 16, 32}, "work-items that share a pair's columns"};
const tune::Param kCols{"COLS", {16, 4, 6, 8, 10, 13, 20, 26, 32}, "columns a work-item"};
const tune::Param kBits{"BITS", {16, 32}, "of a score in a register"};
const tune::Param kScores{"SCORES",
                          {0, 1, 2, 3},
                          "scores by 0: comparing symbols, 1: a table in memory, 2, 3: four or "
                          "eight bytes in a register"};

const tune::Param kDiagonal{
    "DIAGONAL",
    {1, 0},
    "1: queries that share a word are of one length, and layer 0 is but one "
    "diagonal; 0: of any lengths"};

/// Seconds that a launch may take, as guessed: displays and drivers have watchdogs.
constexpr double kLongestLaunch = 0.1;

/// How words are made up on a device, for scores of 16 bits or of 32.
struct Words {
  int pairs = 1;
  bool packed = false;  ///< NVIDIA's s16x2
};

Words usual_words(const ocl::Limits& limits, bool wide) {
  // GPUs before Hopper have no instructions for two numbers of 16 bits.
  if (limits.nvidia && !wide && limits.capability >= 90) return {2, true};
  if (limits.gpu) return {1, false};
  const int ints = limits.vector_ints >= 16 ? 16 : limits.vector_ints >= 8 ? 8 : 4;
  return {wide ? ints : 2 * ints, false};
}

/// What of the problem's rules, and of the lengths, decides how much work a cell is.
struct Layers {
  int computed = 1;  ///< cell by cell
  bool diagonal = false;
  bool strict = false;
  Layers(const Rules& rules, bool one_diagonal)
      : computed(rules.gaps + (one_diagonal ? 0 : 1)),
        diagonal(one_diagonal),
        strict(rules.strict) {}

  /// Instructions for a word, about.
  double cell_operations() const { return (strict ? 5 : 4) * (computed - 1) + (diagonal ? 4 : 2); }
  double step_operations() const { return 2 * ((strict ? 3 : 2) * computed) + 14; }
  /// Words of a row that go from one pass to the next.
  int record() const { return 2 * computed - 1 + (strict ? computed : 0); }
  /// Registers that a column takes.
  int column_registers(int scores) const {
    return record() + (diagonal ? 1 : 0) + (scores == 3 ? 2 : 1);
  }
};

/// More for a step where there are several passes: what it takes to write and read records, and to
/// wait for them, which one work-item of a team does.
double record_operations(const Layers& layers, int span) {
  return (2 + 200.0 / span) * layers.step_operations();
}

/// One way to place a query's columns, and what it costs.
struct Place {
  int span = 1, cols = 1;
  std::int64_t passes(std::int64_t m) const { return (m + span * cols) / (span * cols); }
  double operations(const Rules& rules, const Layers& layers, std::int64_t m, double n) const {
    double rows = n + span - 1;
    if (rules.band) rows = std::min(rows, 2.0 * *rules.band + span * cols + span + 1);
    const double between = passes(m) > 1 ? record_operations(layers, span) : 0;
    return static_cast<double>(passes(m)) * span * rows *
           (cols * layers.cell_operations() + layers.step_operations() + between);
  }
};

class Planner {
 public:
  Planner(const Problem& problem, const ocl::Limits& limits, const tune::Config& config,
          std::span<const CompiledShape> compiled)
      : problem_(problem),
        limits_(limits),
        config_(config),
        compiled_(compiled),
        layers_(problem.rules, false) {}

  Plan make() {
    plan_.variant = "gaps-lanes";
    plan_.file = "gaps/lanes.cl";
    plan_.symbols = symbols_of(problem_);
    plan_.cells = cells_of(problem_);
    for (const tune::Param* each : {&kGroup, &kSpan, &kCols, &kBits, &kScores, &kDiagonal})
      if (config_.has(each->name)) plan_.config.set(each->name, config_.get(each->name, 0));
    check_config();
    place();
    cut();
    return std::move(plan_);
  }

 private:
  struct Key {  // of a shape
    int span = 1, cols = 1;
    bool wide = false;
    auto operator<=>(const Key&) const = default;
  };

  void check_config() {
    const int span = config_.get("SPAN", 1);
    if (span < 1 || span > 32 || (span & (span - 1)) != 0)
      throw tune::Unfit(engine::setting("SPAN", span) + " is not 1, 2, 4, 8, 16 or 32");
    engine::check_between("COLS", config_.get("COLS", 1), 1, 64);
    engine::check_between("SCORES", config_.get("SCORES", 0), 0, 3);
    engine::check_between("DIAGONAL", config_.get("DIAGONAL", 0), 0, 1);
    if (config_.get("DIAGONAL", 0) == 1 && !may_be_diagonal())
      throw tune::Unfit("DIAGONAL=1 needs gaps, and ends of the query that are not free");
    if (const int bits = config_.get("BITS", 16); bits != 16 && bits != 32)
      throw tune::Unfit(engine::setting("BITS", bits) + " is neither 16 nor 32");
  }

  bool may_be_diagonal() const {
    return problem_.rules.gaps > 0 && problem_.rules.ends != Ends::kInfix;
  }

  std::int64_t m_of(std::uint32_t task) const {
    return static_cast<std::int64_t>(problem_.queries[problem_.tasks[task].query].size());
  }
  std::int64_t n_of(std::uint32_t task) const {
    return static_cast<std::int64_t>(problem_.targets[problem_.tasks[task].target].size());
  }

  /// How scores are found, in words of that width.
  int scores(bool wide) const {
    const Words words = words_of(wide);
    const bool infix = problem_.rules.ends == Ends::kInfix;
    const std::size_t symbols = plan_.symbols.all.size() + (infix ? 1 : 0);
    const int largest = kept_pair(*problem_.scoring, plan_.symbols.largest);
    const int least = kept_pair(*problem_.scoring, plan_.symbols.least);
    const bool bytes = words.packed && symbols <= 8 && largest <= 127 && least >= -128 &&
                       -problem_.scoring->extend <= 127;
    // What is compiled ahead of time has a table instead, which takes all scores.
    const bool compare = !words.packed && plan_.symbols.alike && !infix && compiled_.empty();
    const int asked = config_.get("SCORES", bytes ? (symbols <= 4 ? 2 : 3) : compare ? 0 : 1);
    if ((asked >= 2 && !bytes) || (asked == 2 && symbols > 4) || (asked == 0 && !compare))
      throw tune::Unfit(engine::setting("SCORES", asked) +
                        " does not take these scores on this device");
    return asked;
  }

  /// Whether there is a kernel for queries placed so.
  bool there_is(const Place& place, bool wide, int scores) const {
    const CompiledShape wanted{problem_.rules.gaps,  place.span, place.cols, scores, wide,
                               trace(words_of(wide))};
    return std::ranges::find(compiled_, wanted) != compiled_.end();
  }

  /// The best place for queries of m symbols.
  Place best_place(std::int64_t m, double n, bool wide, bool exact) const {
    const int by = scores(wide);
    const int each = layers_.column_registers(by);
    const bool gpu = limits_.gpu;
    const int room = gpu ? 168 : 64;
    const int most = std::clamp(room / each, 1, 32);
    const int usual = gpu ? std::min(most, 16) : each <= 3 ? 6 : each <= 8 ? 4 : 2;
    Place best;
    double least = std::numeric_limits<double>::infinity();
    for (const int span : {1, 2, 4, 8, 16, 32}) {
      if (span != config_.get("SPAN", span) || (!gpu && span > 1 && !config_.has("SPAN"))) continue;
      for (int cols = 1; cols <= 64; ++cols) {
        const Place place{span, cols};
        if (config_.has("COLS")  ? cols != config_.get("COLS", cols)
            : !compiled_.empty() ? false
            : gpu && exact       ? cols > most
                                 : cols != usual)
          continue;
        if (!compiled_.empty() && !there_is(place, wide, by)) continue;
        if (const double cost = place.operations(problem_.rules, layers_, m, n); cost < least) {
          least = cost;
          best = place;
        }
      }
    }
    if (!compiled_.empty() && !there_is(best, wide, by))
      throw tune::Unfit(
          "no kernel was compiled for " + std::to_string(problem_.rules.gaps) + " gaps, " +
          (wide ? "32" : "16") + " bits, scores of " + std::to_string(plan_.symbols.all.size()) +
          " symbols" + (problem_.align ? ", alignments" : "") +
          (config_.values().empty() ? "" : " and " + config_.text()) + " (cuda/shapes.def)");
    return best;
  }

  Range range_of(const Key& key, std::int64_t m, std::int64_t n) const {
    const Place place{key.span, key.cols};
    const std::int64_t columns = place.passes(m) * key.span * key.cols;
    Range range;
    if (!fits(problem_, plan_.symbols, columns, m, n, key.wide ? 32 : 16, range))
      throw tune::Unfit("scores of " + std::to_string(m) + " symbols with " + std::to_string(n) +
                        " might not fit " + (key.wide ? "32" : "16") + " bits");
    return range;
  }

  /// Words on this device. What is compiled ahead of time is packed on all of NVIDIA's.
  Words words_of(bool wide) const {
    if (!compiled_.empty() && !wide) return {2, true};
    return usual_words(limits_, wide);
  }

  /// Whether 16 bits suffice for queries of m symbols in this place and the longest of all targets;
  /// if so, they do for shorter ones too.
  bool narrow(std::int64_t m, const Place& place) const {
    if (config_.has("BITS")) return true;
    Range range;
    return fits(problem_, plan_.symbols, place.passes(m) * place.span * place.cols, m, longest_, 16,
                range);
  }

  /// Whether words get queries of one length, of which there are `more` times as many then.
  void decide_layers(double more) {
    const Layers diagonal(problem_.rules, true);
    const bool pays = more * diagonal.cell_operations() <= layers_.cell_operations();
    const bool wanted = compiled_.empty() ? config_.get("DIAGONAL", pays ? 1 : 0) == 1 : true;
    if (may_be_diagonal() && wanted) layers_ = diagonal;
    alike_ = problem_.rules.band || layers_.diagonal;
  }

  /// Gives each task a shape, by its lengths.
  void place() {
    struct Length {
      std::size_t count = 0;
      double symbols = 0;                           // of targets
      std::vector<std::uint32_t>* tasks = nullptr;  // of the shape
    };
    std::unordered_map<std::int64_t, Length> lengths;
    std::int64_t before = -1;
    Length* length = nullptr;
    const auto of = [&](std::int64_t m) -> Length& {
      if (m != before) length = &lengths[before = m];
      return *length;
    };
    for (std::uint32_t task = 0; task < problem_.tasks.size(); ++task) {
      Length& own = of(m_of(task));
      ++own.count;
      own.symbols += static_cast<double>(n_of(task));
      longest_ = std::max(longest_, n_of(task));
    }
    const bool exact = lengths.size() <= 4;
    std::size_t slots = 0;  // where words have queries of one length
    const auto pairs = static_cast<std::size_t>(words_of(false).pairs);
    for (const auto& [m, own] : lengths) slots += (own.count + pairs - 1) / pairs * pairs;
    decide_layers(static_cast<double>(slots) / static_cast<double>(problem_.tasks.size()));
    for (std::uint32_t task = 0; task < problem_.tasks.size(); ++task) {
      const std::int64_t m = m_of(task);
      Length& own = of(m);
      if (own.tasks == nullptr) {
        const double n = own.symbols / static_cast<double>(own.count);
        bool wide = config_.get("BITS", 16) == 32 || (limits_.gpu && words_of(false).pairs == 1);
        Place place;
        if (!wide) {
          place = best_place(m, n, false, exact);
          wide = !narrow(m, place);
        }
        if (wide) place = best_place(m, n, true, exact);
        own.tasks = &tasks_[Key{place.span, place.cols, wide}];
      }
      own.tasks->push_back(task);
    }
  }

  /// Tasks into words, groups and launches.
  void cut() {
    for (auto& [key, tasks] : tasks_) {
      Shape shape = shape_of(key);
      std::int64_t m = 0, n = 0;
      for (const std::uint32_t task : tasks) {
        m = std::max(m, m_of(task));
        n = std::max(n, n_of(task));
      }
      if (m + n > 0x7fff0000)
        throw tune::Unfit("a query and a target have more than 2^31 symbols together");
      shape.range = range_of(key, m, n);
      // Alike within a group and a word: in passes and rows, or in length, because the band or the
      // diagonal is a word's.
      const Place place{key.span, key.cols};
      const auto order = [&](std::uint32_t task) {
        const std::int64_t length = m_of(task);
        return std::tuple(alike_ ? length : place.passes(length), n_of(task), length);
      };
      if (!std::ranges::is_sorted(tasks, {}, order)) std::ranges::stable_sort(tasks, {}, order);
      fill_slots(shape, tasks);
      make_groups(shape);
      plan_.shapes.push_back(std::move(shape));
    }
    tasks_.clear();
    if (plan_.shapes.size() == 1) {
      const Shape& only = plan_.shapes.front();
      plan_.config.set("WG", only.group);
      plan_.config.set("SPAN", only.span);
      plan_.config.set("COLS", only.cols);
      plan_.config.set("BITS", only.wide ? 32 : 16);
      plan_.config.set("SCORES", only.scores);
      plan_.config.set("DIAGONAL", only.diagonal ? 1 : 0);
    }
    plan_.bytes = plan_.records + plan_.values;
  }

  /// How values are kept for alignments: the macro TRACE. Eight bits must hold how much a cell may
  /// differ from the one before it on the diagonal.
  int trace(const Words& words) const {
    if (!problem_.align) return 0;
    const Rules& rules = problem_.rules;
    const int up = std::max(0, kept_pair(*problem_.scoring, plan_.symbols.largest));
    const int down = std::min(0, kept_pair(*problem_.scoring, plan_.symbols.least));
    const bool bytes =
        words.packed && !rules.strict && rules.ends != Ends::kInfix && up - down <= 200;
    return bytes ? 2 : 1;
  }

  /// Words of a row of values of a work-item.
  std::uint64_t kept_words(const Shape& shape) const {
    const auto cols = static_cast<std::uint64_t>(shape.cols), half = (cols + 1) / 2;
    const auto gaps = static_cast<std::uint64_t>(problem_.rules.gaps);
    switch (shape.trace) {
      case 0:
        return 0;
      case 1:
        return (gaps + (problem_.rules.ends == Ends::kInfix ? 1 : 0)) * cols;
      default:
        return gaps < 2 ? gaps * half : 2 * half + (gaps - 2) * cols;
    }
  }

  Shape shape_of(const Key& key) const {
    Shape shape;
    const Words words = words_of(key.wide);
    shape.pairs = words.pairs;
    shape.span = key.span;
    shape.cols = key.cols;
    shape.wide = key.wide;
    shape.scores = scores(key.wide);
    shape.diagonal = layers_.diagonal;
    shape.trace = trace(words);
    // What is kept for alignments is written by more groups at a time where they are small.
    const int usual = !limits_.gpu ? key.span : problem_.align ? 32 : 64;
    shape.group = config_.get("WG", std::max(usual, key.span));
    engine::check_group(shape.group, limits_);
    if (shape.group % key.span != 0 || (limits_.nvidia && shape.group % 32 != 0))
      throw tune::Unfit(engine::setting("WG", shape.group) + " is no multiple of " +
                        (limits_.nvidia ? "32" : engine::setting("SPAN", key.span)));
    const Rules& rules = problem_.rules;
    const auto set = [&](const char* name, int value) {
      shape.defines.emplace_back(name, std::to_string(value));
    };
    set("GAPS", rules.gaps);
    set("COLS", key.cols);
    set("SPAN", key.span);
    set("WG", shape.group);
    set("SCORES", shape.scores);
    set("PAIRS", shape.pairs);
    set("WIDE", key.wide);
    set("RULES", (rules.strict ? 1 : 0) + (rules.ends == Ends::kInfix ? 2 : 0) +
                     (rules.ends == Ends::kGlobal ? 4 : 0) + (rules.band ? 8 : 0));
    set("TRACE", shape.trace);
    set("DIAGONAL", shape.diagonal);
    if (!limits_.nvidia && key.span > 1 &&
        std::uint64_t{12} * static_cast<unsigned>(shape.group * (rules.gaps + 1) * shape.pairs) >
            limits_.local_bytes)
      throw tune::Unfit("what work-items hand over does not fit the local memory");
    return shape;
  }

  void fill_slots(Shape& shape, const std::vector<std::uint32_t>& tasks) const {
    const auto pairs = static_cast<std::size_t>(shape.pairs);
    const auto all = pairs * static_cast<std::size_t>(shape.group / shape.span);
    shape.slots.reserve(tasks.size() + all);
    const auto fill_up = [&](std::size_t multiple) {
      while (shape.slots.size() % multiple != 0) shape.slots.push_back(GAPS_NOBODY);
    };
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (alike_ && i > 0 && m_of(tasks[i]) != m_of(tasks[i - 1])) fill_up(pairs);
      shape.slots.push_back(tasks[i]);
    }
    fill_up(all);
  }

  void make_groups(Shape& shape) {
    const Rules& rules = problem_.rules;
    const Place place{shape.span, shape.cols};
    const auto teams = static_cast<std::uint64_t>(shape.group / shape.span);
    const std::size_t each =
        static_cast<std::size_t>(teams) * static_cast<std::size_t>(shape.pairs);
    const std::uint64_t word = (shape.wide ? 4u : 2u) * static_cast<unsigned>(shape.pairs);
    const auto record = static_cast<std::uint64_t>(layers_.record());
    // A word of each row besides, of each team.
    const std::uint64_t besides =
        (!limits_.nvidia && shape.pairs > 1 ? 1u : 0u) + (layers_.diagonal ? 1u : 0u);
    const std::uint64_t kept = kept_words(shape);
    // Three batches may be on their way, with a buffer each for records and values.
    const std::uint64_t possible = std::min(limits_.alloc_bytes, limits_.global_bytes / 2) / word;
    const std::uint64_t most = std::min(possible, limits_.global_bytes / 16 / word);
    const double speed = engine::guessed_operations_a_second(limits_);
    std::uint64_t records = 0, values = 0;
    double operations = 0;
    for (std::size_t first = 0; first < shape.slots.size(); first += each) {
      GapsGroup group{0, 0, 0, 0, 0xffffffffu, 0};
      for (std::size_t i = first; i < first + each; ++i) {
        if (shape.slots[i] == GAPS_NOBODY) continue;
        const auto m = static_cast<std::uint32_t>(m_of(shape.slots[i]));
        group.rows = std::max(group.rows, static_cast<std::uint32_t>(n_of(shape.slots[i])));
        group.shortest = std::min(group.shortest, m);
        group.longest = std::max(group.longest, m);
      }
      group.passes = static_cast<std::uint32_t>(place.passes(group.longest));
      const std::uint64_t own_records =
          (std::uint64_t{group.rows} + 1) * (record + besides) * teams;
      const std::uint64_t own_values = group.passes *
                                       (group.rows + static_cast<std::uint64_t>(shape.span) - 1) *
                                       kept * static_cast<unsigned>(shape.group);
      const double own_operations =
          place.operations(rules, layers_, group.longest, group.rows) * static_cast<double>(teams);
      if (own_records > possible || own_values > possible)
        throw tune::Unfit("the alignment of " + std::to_string(group.longest) + " with " +
                          std::to_string(group.rows) + " symbols needs " +
                          std::to_string(std::max(own_records, own_values) * word >> 20) +
                          " MiB in one buffer, the device has " +
                          std::to_string(possible * word >> 20));
      if (shape.groups.empty() || records + own_records > most || values + own_values > most ||
          operations + own_operations > kLongestLaunch * speed) {
        shape.launches.push_back(shape.groups.size());
        shape.seconds.push_back(0);
        records = values = 0;
        operations = 0;
      }
      group.records = records;
      group.values = values;
      records += own_records;
      values += own_values;
      operations += own_operations;
      shape.seconds.back() = operations / speed;
      plan_.records = std::max(plan_.records, records * word);
      plan_.values = std::max(plan_.values, values * word);
      shape.groups.push_back(group);
    }
    shape.launches.push_back(shape.groups.size());
  }

  const Problem& problem_;
  const ocl::Limits& limits_;
  const tune::Config& config_;
  const std::span<const CompiledShape> compiled_;  // empty: all can be
  Plan plan_;
  Layers layers_;
  bool alike_ = false;        // queries that share a word are of one length
  std::int64_t longest_ = 0;  // target
  std::map<Key, std::vector<std::uint32_t>> tasks_;
};

Plan plan_any(const Problem& problem, const ocl::Limits& limits, const tune::Config& config) {
  return plan_lanes(problem, limits, config, {});
}

}  // namespace

Plan plan_lanes(const Problem& problem, const ocl::Limits& limits, const tune::Config& config,
                std::span<const CompiledShape> compiled) {
  return Planner(problem, limits, config, compiled).make();
}

const Variant& lanes_variant() {
  static const Variant variant{
      "gaps-lanes",
      "two alignments a register (a vector of them on a CPU), all layers at once",
      {kGroup, kSpan, kCols, kBits, kScores, kDiagonal},
      plan_any,
      run_lanes};
  return variant;
}

}  // namespace rhomb::gaps
