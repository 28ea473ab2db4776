// SPDX-License-Identifier: Apache-2.0
// Rates of a device: measured with small problems of the kinds that the cost model tells apart,
// kept in the user's store.
#include <algorithm>
#include <string>
#include <utility>

#include "host/engine/cost.h"
#include "host/engine/selftest.h"
#include "host/tune/store.h"

namespace rhomb {
namespace {

constexpr const char* kKind = "rates";

class Bench {
 public:
  explicit Bench(ocl::Device& device) : device_(device) { code_ = seq::make_code("ACGT", "ACGT"); }

  std::string random(std::size_t length) {
    std::string text = selftest::random_text(numbers_, length, 4);
    for (char& c : text) c = "ACGT"[static_cast<int>(c)];
    return text;
  }

  /// One of so many symbols edited.
  std::string edited(const std::string& text, unsigned one_in) {
    std::string made = selftest::edited(numbers_, text, one_in, 4);
    for (char& c : made)
      if (c < 4) c = "ACGT"[static_cast<int>(c)];
    return made;
  }

  /// A run over the whole matrix, what it ran by, and its seconds.
  struct Filled {
    double seconds;
    strip::Plan plan;
    strip::Schedule schedule;
  };
  Filled strips(const std::string& a, const std::string& b, const tune::Config& config) {
    const strip::Variant& row = find_variant(strip::variants(), "strips-full");
    const strip::Plan plan = strip::plan(row, problem_of(a, b), device_.limits(), config);
    const auto run = [&](const Problem& problem) {
      return strip::solve(&device_, row, problem, config);
    };
    return {best(problem_of(a, b), run).compute, plan,
            strip::Schedule(plan.size, plan.shape, plan.band(plan.threshold))};
  }

  Answer waves(const std::string& a, const std::string& b, std::optional<std::int64_t> most) {
    Problem problem = problem_of(a, b);
    problem.max_distance = most;
    return best(problem, [&](const Problem& asked) {
      return wfa::solve(&device_, wfa::variants().front(), asked);
    });
  }

 private:
  Problem problem_of(const std::string& a, const std::string& b) const {
    Problem problem;
    problem.a = a;
    problem.b = b;
    problem.code = &code_;
    return problem;
  }

  /// The shortest of two runs, the first of which also builds the program, or of more if they are
  /// short: others may use the machine.
  template <class Solve>
  static Answer best(const Problem& problem, const Solve& solve) {
    Answer least = solve(problem);
    double spent = 0;
    for (int run = 1; run < 2 || (run < 8 && spent < 0.05); ++run) {
      const Answer again = solve(problem);
      spent += again.compute;
      if (again.compute < least.compute) least = again;
    }
    return least;
  }

  ocl::Device& device_;
  seq::Code code_;
  selftest::Numbers numbers_;
};

}  // namespace

std::span<const RateField> rate_fields() {
  static constexpr RateField kFields[] = {
      {"strip_launch", &Rates::strip_launch, "a launch of the strips"},
      {"strip_column", &Rates::strip_column, "a step of the strips while lanes are few"},
      {"strip_row", &Rates::strip_row, "more for each row of a strip"},
      {"strip_cell", &Rates::strip_cell, "a cell while all lanes are busy, K large"},
      {"wave_launch", &Rates::wave_launch, "a launch of the wavefronts"},
      {"wave_step", &Rates::wave_step, "a step of narrow wavefronts"},
      {"wave_cell", &Rates::wave_cell, "a cell of wide wavefronts"},
      {"wave_close", &Rates::wave_close, "the same where texts have long matches"}};
  return kFields;
}

Rates measure_rates(ocl::Device& device) {
  Bench bench(device);
  const ocl::Limits& limits = device.limits();
  Rates rates = usual_rates(limits);
  rates.source = "measured";
  rates.guessed = false;
  const bool gpu = limits.gpu;

  // All lanes busy.
  const std::string large = bench.random(gpu ? 128 * 32 * 4 * std::size_t{limits.compute_units}
                                             : 30000 * std::size_t{limits.compute_units});
  const std::string other = bench.random(large.size());
  {
    tune::Config config;
    if (gpu) {
      config.set("K", 4);
      config.set("WG", 128);  // larger groups would leave compute units idle
    }
    const Bench::Filled filled = bench.strips(large, other, config);
    const double k = filled.plan.shape.k;
    rates.strip_cell = filled.seconds / filled.schedule.work() / ((7 * k + 6) / (7 * k));
  }
  if (gpu) {
    // One group a half: time is that of the steps, and of the launches if there are many.
    const auto run = [&](int k, std::size_t columns, int slab) {
      tune::Config config;
      config.set("K", k);
      if (slab > 0) config.set("SLAB", slab);
      const Bench::Filled filled = bench.strips(large.substr(0, static_cast<std::size_t>(64 * k)),
                                                other.substr(0, columns), config);
      return std::pair{filled.seconds, static_cast<double>(filled.schedule.launches())};
    };
    const std::size_t columns = std::min<std::size_t>(large.size(), 400000);
    const auto [many, many_launches] = run(1, columns, 32);
    const auto [few, few_launches] = run(1, columns, 256);
    rates.strip_launch = std::max(1e-6, (many - few) / std::max(1.0, many_launches - few_launches));
    const double one = few - few_launches * rates.strip_launch;
    const auto [eight, eight_launches] = run(8, columns, 256);
    const double tall = eight - eight_launches * rates.strip_launch;
    const auto steps = static_cast<double>(columns);
    rates.strip_row = std::max(0.0, (tall - one) / 7 / steps);
    rates.strip_column = std::max(1e-10, one / steps - rates.strip_row);
  }

  // Wavefronts: narrow ones; wide ones of texts a tenth of whose symbols differ, and of texts with
  // long matches.
  {
    const std::size_t n = std::min<std::size_t>(large.size(), gpu ? 60000 : 10000);
    const std::int64_t most = gpu ? 20000 : 2000;
    const double time = bench.waves(large.substr(0, n), other.substr(0, n), most).compute;
    const double steps = static_cast<double>(most) / 2;
    rates.wave_step = std::max(1e-8, (time - steps / 32 * rates.wave_launch) / steps);
    if (!gpu) rates.wave_step = std::min(rates.wave_step, 1e-6);
  }
  const auto cell = [&](const std::string& a, const std::string& b) {
    const Answer answer = bench.waves(a, b, std::nullopt);
    const auto d = static_cast<double>(answer.distance.value_or(1));
    const double rest = answer.compute - d / 2 * (rates.wave_step + rates.wave_launch / 32);
    return std::max(rest, 0.2 * answer.compute) / std::max(d * d / 2, 1.0);
  };
  rates.wave_cell = cell(large, bench.edited(large, 10));
  const std::string longer = large + other;
  rates.wave_close = cell(longer, bench.edited(longer, 50));
  return rates;
}

Rates known_rates(const ocl::DeviceInfo& device, const tune::Store& store) {
  Rates rates = usual_rates(device.limits);
  const auto found = store.find(kKind, device);
  if (!found) return rates;
  // Whatever all multiprocessors or cores share in scales with them.
  const double units = static_cast<double>(std::max(found->record.machine.compute_units, 1u)) /
                       std::max<std::uint32_t>(device.limits.compute_units, 1);
  for (const auto& [name, field, meaning] : rate_fields()) {
    const auto value = found->record.values.find(name);
    if (value == found->record.values.end()) continue;
    const bool shared =
        std::string_view(name).ends_with("_cell") || std::string_view(name).ends_with("_close");
    rates.*field = value->second * (shared ? units : 1);
  }
  rates.guessed = false;
  rates.source = found->shipped ? "shipped with rhomb for '" + found->record.machine.device + "'"
                                : "measured, in " + tune::store_path();
  return rates;
}

Rates known_rates(const ocl::DeviceInfo& device) {
  return known_rates(device, tune::Store::load());
}

bool remember_rates(const ocl::DeviceInfo& device, const Rates& rates) {
  tune::Record record;
  record.kind = kKind;
  record.machine = tune::machine_of(device);
  for (const auto& [name, field, meaning] : rate_fields()) record.values[name] = rates.*field;
  return tune::remember(tune::line_of(record));
}

}  // namespace rhomb
