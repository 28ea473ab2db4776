// SPDX-License-Identifier: Apache-2.0
// One pair: every variant of every engine, every tunable, wrong guesses and bounds about the
// distance. Many pairs together. Alignments.
#include <algorithm>

#include "host/align/align.h"
#include "host/align/reference.h"
#include "host/distance/methods.h"
#include "host/distance/together.h"
#include "host/engine/others.h"
#include "host/search/occurrence.h"
#include "tests/campaign/campaign.h"

namespace rhomb::campaign {
namespace {

/// Another device like this one.
OtherDevices another(const ocl::Device& device) {
  static ocl::Device* const second = new ocl::Device(device.info());
  OtherDevices others;
  others.limits = {device.limits()};
  others.open = [] { return std::vector<ocl::Device*>{second}; };
  return others;
}

Problem typical(const Symbols& symbols) {
  static const std::string a(300, 'A'), b = "C" + std::string(280, 'G') + "T";
  Problem problem;
  problem.a = a;
  problem.b = b;
  problem.code = &symbols.code;
  problem.guess = 200;
  return problem;
}

/// Nothing, or about `distance`: what a run is asked for at most.
std::optional<std::int64_t> draw_bound(Rng& rng, std::int64_t distance, std::size_t longest) {
  switch (below(rng, 8)) {
    case 0:
      return distance;
    case 1:
      return std::max<std::int64_t>(distance - 1, 0);
    case 2:
      return distance + 1;
    case 3:
      return static_cast<std::int64_t>(below(rng, longest + 2));
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> bounded(std::int64_t distance, std::optional<std::int64_t> bound) {
  if (bound && distance > *bound) return std::nullopt;
  return distance;
}

const Method& draw_method(Rng& rng) {
  for (;;) {
    const Method& method = any_of(rng, all_methods());
    if (method.uses_opencl()) return method;
  }
}

std::string with_config(std::string_view variant, const tune::Config& config,
                        const Symbols& symbols) {
  return std::string(variant) + " " + config.text() + (config.values().empty() ? "" : " ") + "on " +
         symbols.text();
}

std::size_t draw_longest(Rng& rng) {
  constexpr std::size_t kLongest[] = {40, 140, 140, 300, 600, 600, 1500, 5000};
  return campaign::draw_longest(rng, kLongest);
}

}  // namespace

Trial distance_trial(Rng& rng, Context& context) {
  const Method& method = draw_method(rng);
  const Symbols symbols = draw_symbols(rng);
  const tune::Config config = draw_config(rng, *method.space);
  method.explain(typical(symbols), context.device->limits(), config);  // or does not fit
  const std::size_t longest = draw_longest(rng);
  const bool shared = method.solve_shared && one_in(rng, 3);
  Trial trial;
  trial.what = with_config(method.variant, config, symbols) + (shared ? ", shared" : "");
  trial.draw = [=](Rng& numbers) { return draw_pairs(numbers, 1, longest, symbols); };
  trial.check = [=, &method, device = context.device](const Case& one, Rng& numbers) {
    const std::int64_t distance = distance_of(one.a[0], one.b[0], symbols.code);
    Problem problem;
    problem.a = one.a[0];
    problem.b = one.b[0];
    problem.code = &symbols.code;
    const std::size_t most = std::max(one.a[0].size(), one.b[0].size());
    problem.max_distance = draw_bound(numbers, distance, most);
    if (const std::size_t kind = below(numbers, 4); kind < 3)
      problem.guess = kind == 0   ? static_cast<std::int64_t>(below(numbers, most + 2))
                      : kind == 1 ? 0
                                  : distance;
    problem.threads = below(numbers, 3);
    Answer answer;
    if (shared) {
      answer = method.solve_shared(*device, another(*device), problem, config);
    } else {
      answer = method.solve(device, problem, config);
    }
    if (answer.passed_on)
      return Outcome{answer.at_most && *answer.at_most < distance
                         ? "a path of " + test::shown(answer.at_most) + " but " +
                               test::shown(distance)
                         : std::string()};
    return Outcome{differ("distance, at most " + test::shown(problem.max_distance) + ", guess " +
                              test::shown(problem.guess),
                          answer.distance, bounded(distance, problem.max_distance))};
  };
  return trial;
}

Trial pairs_trial(Rng& rng, Context& context) {
  constexpr std::string_view kVariants[] = {"", "strips-batch", "wavefront-batch", "band-batch"};
  DistanceOptions options;
  options.variant = any_of(rng, kVariants);
  const Symbols symbols = draw_symbols(rng);
  options.ambiguous = symbols.ambiguous;
  if (const auto method = method_of(options)) {
    options.config = draw_config(rng, *method->space);
    method->explain(typical(symbols), context.device->limits(), options.config);
  }
  const std::size_t longest = options.variant.empty()
                                  ? (one_in(rng, 3) ? 300 : 140)
                                  : std::min<std::size_t>(draw_longest(rng), 1500);
  // Few short pairs are the host's, if nothing is said.
  const std::size_t count = tiny ? 12 : options.variant.empty() ? 4000 : 100 + 40'000 / longest;
  Trial trial;
  trial.what = "pairs by " + with_config(options.variant.empty() ? "choice" : options.variant,
                                         options.config, symbols);
  trial.draw = [=](Rng& numbers) {
    Case made = draw_pairs(numbers, count - below(numbers, count), longest, symbols);
    if (one_in(numbers, 4)) {  // each with each
      made.by_order = false;
      made.a.resize(std::min<std::size_t>(made.a.size(), 25));
      made.b.resize(1 + below(numbers, std::min<std::size_t>(made.b.size(), 25)));
      if (one_in(numbers, 3)) made.b = made.a;
    }
    return made;
  };
  trial.check = [=, device = context.device](const Case& one, Rng& numbers) -> Outcome {
    seq::Batch a, b;
    for (const std::string& text : one.a) a.push_back({"a", text});
    for (const std::string& text : one.b) b.push_back({"b", text});
    const bool square = !one.by_order && one.a == one.b;
    DistanceOptions asked = options;
    if (one_in(numbers, 3)) asked.max_distance = static_cast<std::int64_t>(below(numbers, longest));
    asked.threads = below(numbers, 3);
    constexpr std::size_t kPairs[] = {1, 7, 32, 33, 100, std::size_t{1} << 20};
    const BlockLimits most{any_of(numbers, kPairs), std::size_t{1} << 28, 1};
    const PairList list =
        one.by_order ? PairList::by_order(a, b) : PairList::all(a, square ? a : b);
    Together together({{&device->info(), [device]() -> ocl::Device& { return *device; }}}, list,
                      asked, most);
    Outcome outcome{"", 0};
    for (std::size_t i = 0; i < together.pairs().size(); ++i) {
      if (!together.takes(i)) continue;
      ++outcome.answers;
      const auto [query, target] = together.pairs()[i];
      // What is not known to a pair's own symbols matters not, so that of all will do.
      const std::int64_t distance = distance_of(one.a[query], one.b[target], symbols.code);
      const DistanceAnswer answer = together.answer(i);
      outcome.wrong = differ("pair " + std::to_string(i) + " by " + answer.variant, answer.distance,
                             bounded(distance, asked.max_distance));
      if (!outcome.wrong.empty()) break;
    }
    return outcome;
  };
  return trial;
}

namespace {

std::string reversed(std::string text) {
  std::reverse(text.begin(), text.end());
  return text;
}

/// What is wrong with an alignment of `query` with `target`.
std::string wrong_alignment(const AlignAnswer& answer, const std::string& query,
                            const std::string& target, const seq::Code& code,
                            std::optional<std::int64_t> distance, bool gaps_right) {
  std::string wrong = differ("distance of the alignment", answer.distance, distance);
  if (!wrong.empty()) return wrong;
  if (!distance) return answer.cigar.empty() ? "" : "an alignment without a distance";
  try {
    answer.cigar.verify(query, target, code, *distance);
  } catch (const CheckError& error) {
    return error.what();
  }
  if (query.size() * target.size() > 2'000'000) return "";
  Cigar expected = gaps_right ? reference::alignment(reversed(query), reversed(target), code)
                              : reference::alignment(query, target, code);
  if (gaps_right) expected.reverse();
  return answer.cigar == expected
             ? ""
             : "alignment " + answer.cigar.text() + " instead of " + expected.text();
}

}  // namespace

Trial align_trial(Rng& rng, Context& context) {
  AlignOptions options;
  const Symbols symbols = draw_symbols(rng);
  options.ambiguous = symbols.ambiguous;
  if (!one_in(rng, 3)) {
    // Wavefronts keep rows; most other variants only say what the distance is.
    const Method method = one_in(rng, 3) ? method_named(kWavefront) : draw_method(rng);
    options.engine = method.engine;
    options.variant = method.variant;
    options.config = draw_config(rng, *method.space);
    method.explain(typical(symbols), context.device->limits(), options.config);
  }
  options.gaps_right = one_in(rng, 3);
  options.both_strands = symbols.nucleotides && one_in(rng, 3);
  AlignTuning tuning;
  if (one_in(rng, 2)) tuning.slab_rows = 1 + static_cast<std::int64_t>(below(rng, 300));
  if (one_in(rng, 2)) tuning.most_numbers = static_cast<double>(below(rng, 3000));
  if (one_in(rng, 2)) tuning.memory = 1000 + below(rng, 100'000);
  if (one_in(rng, 2)) tuning.piece = 1 + below(rng, 100);
  if (one_in(rng, 2)) tuning.pair_cells = static_cast<double>(below(rng, 100'000));
  const std::size_t longest = std::min<std::size_t>(draw_longest(rng), 1500);
  const bool helped = one_in(rng, 3);
  Trial trial;
  trial.what =
      "align by " +
      with_config(options.variant.empty() ? "choice" : options.variant, options.config, symbols) +
      (options.gaps_right ? ", gaps right" : "") + (options.both_strands ? ", both strands" : "") +
      (helped ? ", two devices" : "");
  trial.draw = [=](Rng& numbers) { return draw_pairs(numbers, 1, longest, symbols); };
  trial.check = [=, device = context.device](const Case& one, Rng& numbers) -> Outcome {
    const std::string &query = one.a[0], &target = one.b[0];
    std::int64_t distance = distance_of(query, target, symbols.code);
    const std::string other = search::reverse_complement(query, target);
    char strand = '+';
    if (options.both_strands)
      if (const auto there = distance_of(other, target, symbols.code); there < distance) {
        distance = there;
        strand = '-';
      }
    AlignOptions asked = options;
    asked.max_distance = draw_bound(numbers, distance, std::max(query.size(), target.size()));
    asked.threads = below(numbers, 3);
    OtherDevices others;
    if (helped) {
      others = another(*device);
      ++others.limits.front().host;  // or it has the same cores, and is not asked
    }
    const AlignAnswer answer = align_pair(device, query, target, asked, tuning, others);
    const auto expected = bounded(distance, asked.max_distance);
    if (expected && answer.strand != strand)
      return {std::string("strand ") + answer.strand + " instead of " + strand};
    return {wrong_alignment(answer, strand == '-' ? other : query, target, symbols.code, expected,
                            options.gaps_right)};
  };
  return trial;
}

Trial alignments_trial(Rng& rng, Context& context) {
  constexpr std::string_view kVariants[] = {"", "wavefront-batch", "wavefront-batch"};
  AlignOptions options;
  const Symbols symbols = draw_symbols(rng);
  options.ambiguous = symbols.ambiguous;
  options.variant = any_of(rng, kVariants);
  options.gaps_right = one_in(rng, 3);
  if (const auto method = method_of(options)) {
    options.config = draw_config(rng, *method->space);
    method->explain(typical(symbols), context.device->limits(), options.config);
  }
  const std::size_t longest = std::min<std::size_t>(draw_longest(rng), 1500);
  const std::size_t count = 100 + 40'000 / longest;
  Trial trial;
  trial.what =
      "alignments by " +
      with_config(options.variant.empty() ? "choice" : options.variant, options.config, symbols) +
      (options.gaps_right ? ", gaps right" : "");
  trial.draw = [=](Rng& numbers) {
    return draw_pairs(numbers, draw_count(numbers, count), longest, symbols);
  };
  trial.check = [=, &context](const Case& one, Rng& numbers) {
    seq::Batch a, b;
    for (const std::string& text : one.a) a.push_back({"a", text});
    for (const std::string& text : one.b) b.push_back({"b", text});
    AlignOptions asked = options;
    if (one_in(numbers, 3)) asked.max_distance = static_cast<std::int64_t>(below(numbers, longest));
    asked.threads = below(numbers, 3);
    Devices& devices = one_in(numbers, 4) ? *context.several : *context.devices;
    std::string wrong;
    std::size_t next = 0;
    devices.alignments(a, b, asked, [&](const PairAlignment& pair) {
      const std::size_t i = next++;
      if (!wrong.empty() || i >= one.a.size()) return;
      const std::int64_t distance = distance_of(one.a[i], one.b[i], symbols.code);
      wrong = wrong_alignment(pair.answer, one.a[i], one.b[i], symbols.code,
                              bounded(distance, asked.max_distance), asked.gaps_right);
      if (!wrong.empty()) wrong = "pair " + std::to_string(i) + ": " + wrong;
    });
    return Outcome{wrong.empty() ? differ("pairs", next, one.a.size()) : wrong, next};
  };
  return trial;
}

}  // namespace rhomb::campaign
