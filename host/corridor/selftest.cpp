// SPDX-License-Identifier: Apache-2.0
// The known-answer test that a program passes before its first real use on a device: texts of
// several blocks and segments, alike, unlike, and with a piece left out. A pass is remembered with
// the cached binary.
#include "host/engine/selftest.h"

#include <span>
#include <string>
#include <vector>

#include "host/corridor/device_bands.h"
#include "host/corridor/device_words.h"
#include "host/corridor/host_bands.h"

namespace rhomb::corridor {
namespace {

/// Rows that are kept, against those of the host.
void test_kept(ocl::Device& device, const Plan& plan) {
  selftest::Pairs pairs(plan.planes, plan.sets);
  const std::string a = pairs.random(1000), b = pairs.edited(a, 100);
  const Problem problem = pairs.problem(a, b);
  tune::Config config = plan.config;
  config.set("ROWS", 160);
  Plan keeps = variants().front().plan(problem, device.limits(), config);
  keep_rows(keeps, 64, 1e6);
  keeps.self_test = true;
  std::vector<Band> bands(50);
  for (int i = 0; i < 50; ++i) {
    Band& band = bands[index(i)];
    band.block = i % (keeps.grid.blocks - 2);
    band.left = {-3, -4 + i % 3, -2};
    band.words = 6;
    band.every = keeps.options.every;
  }
  std::vector<Band> expected = bands;
  HostBands(keeps.grid, *problem.code, problem.a, problem.b, 1).compute(expected);
  const DeviceTexts texts(device, pack(keeps.grid, *problem.code, problem.a, problem.b, 1));
  DeviceBands(device, keeps, texts, 1).compute(bands);
  for (std::size_t i = 0; i < bands.size(); ++i)
    for (std::size_t k = 0; k < expected[i].kept.size(); ++k) {
      const Band::Row &found = bands[i].kept.at(k), &right = expected[i].kept[k];
      selftest::compare(found.score, right.score, "cost of a row that is kept");
      selftest::compare(std::ssize(found.words), std::ssize(right.words), "words of a kept row");
      for (std::size_t w = 0; w < right.words.size(); ++w)
        selftest::compare(found.words[w], right.words[w], "word of a row that is kept");
    }
}

void test(ocl::Device& device, const Plan& plan) {
  selftest::Pairs pairs(plan.planes, plan.sets);
  tune::Config config = plan.config;
  config.set("ROWS", 64);
  config.set("SEGMENTS", 5);
  config.set("MARGIN", 2);
  config.set("PIECE", 4);
  config.set("WORDS", 0);
  // Members of a team hand rows on only in blocks that have more of them than the team.
  tune::Config teams = config;
  teams.set("ROWS", 512);
  teams.set("TEAM", plan.group % 4 == 0 ? 4 : plan.group);
  const auto check_with = [&](const tune::Config& config, const std::string& a,
                              const std::string& b) {
    Problem problem = pairs.problem(a, b);
    const Variant& variant = variants().front();
    Plan trial = variant.plan(problem, device.limits(), config);
    if (plan.options.every > 0) keep_rows(trial, 100, 1e6);
    trial.options.most_cells = 0;
    trial.self_test = true;
    selftest::compare(variant.run(&device, trial, problem).distance, pairs.distance(a, b));
  };
  const auto check = [&](const std::string& a, const std::string& b) {
    check_with(config, a, b);
    if (plan.group > 1) check_with(teams, a, b);
  };

  const std::string base = pairs.random(1500);
  check(base, pairs.random(1400));
  check(base, pairs.edited(base, 10));
  check(base.substr(0, 40), base.substr(100, 400));
  const std::string longer = pairs.random(3000);
  const std::string other = pairs.edited(longer, 30);
  check(longer, other.substr(0, 1000) + other.substr(1500));
  check(other.substr(0, 2000) + base.substr(0, 300) + other.substr(2000), longer);
  if (plan.options.every > 0) test_kept(device, plan);
}

/// Against bands that the host looks at.
void test_far(ocl::Device& device, const Plan& plan) {
  selftest::Pairs pairs(plan.planes, plan.sets);
  const auto rows = static_cast<std::size_t>(plan.grid.rows);  // which the program is for
  const std::string a = pairs.random(3 * rows + 60), b = pairs.edited(a, 30);
  const Problem problem = pairs.problem(a, b);
  Plan far = variants().front().plan(problem, device.limits(), plan.config);
  far.self_test = true;
  const DeviceTexts texts(device, pack(far.grid, *problem.code, problem.a, problem.b, 1));
  DeviceBands bands(device, far, texts, 1);
  std::vector<FarWindow> windows;
  for (int s = 0; s < far.grid.blocks; ++s)
    for (int i = 0; i < 10; ++i)
      windows.push_back({s, {(s + i) % 5 - 4, (s + i) % 7 + 1}, 9 * (s + i) - 200});
  const Compute compute = [&](std::span<Band> some) { bands.compute(some); };
  const std::vector<std::int32_t> expected = least_far(windows, 40, compute, 1);
  const std::vector<std::int32_t> found = bands.least_far(windows, 40);
  for (std::size_t i = 0; i < found.size(); ++i)
    selftest::compare(found[i], expected[i], "bound of a window");
}

}  // namespace

void ensure_far_tested(ocl::Device& device, const Plan& plan) {
  const auto program = far_program(plan);
  if (plan.self_test || !program) return;
  selftest::ensure_passed(device, program->file, program->defines, [&] { test_far(device, plan); });
}

void ensure_tested(ocl::Device& device, const Plan& plan) {
  if (plan.self_test) return;
  selftest::ensure_passed(device, plan.program.file, plan.program.defines,
                          [&] { test(device, plan); });
  if (plan.words) ensure_words_tested(device, plan.planes);
}

}  // namespace rhomb::corridor
