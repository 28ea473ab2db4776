// SPDX-License-Identifier: Apache-2.0
// What a run says besides ends: the nearest sites of substrings, whether what was found is right,
// and what would be done.
#include <algorithm>
#include <mutex>
#include <utility>

#include "host/engine/another.h"
#include "host/error.h"
#include "host/primer/internal.h"
#include "host/primer/run_block.h"
#include "host/primer/windows.h"
#include "host/search/search.h"

namespace rhomb::primer {
namespace {

/// Starts that are checked, and cells of their windows, about.
constexpr std::uint64_t kSampled = 200;
constexpr double kSample = 1e10;

}  // namespace

std::vector<Nearest> Run::sites(std::span<const Chosen> chosen, bool on_the_host) {
  std::vector<Nearest> all(chosen.size());
  for (Result& result : results_) result.placed = false;
  told_ = 0;
  read([&](Block& block) {
    find_places(block);
    const bool host = on_the_host || on_host(block);
    ocl::Device* const device =
        host || options_.devices.empty() ? nullptr : &options_.devices.front().open();
    const auto resident =
        device != nullptr ? keep_texts(*device, block.texts, block.code) : nullptr;
    for (std::size_t at = 0; at < chosen.size();) {
      // Those of one sequence together, or of several that are joined.
      const std::size_t first = at, end = joined_end(chosen[at].record);
      std::string joined;
      Problem problem = problem_for(block, chosen[at].record, end, joined);
      std::vector<Window> windows;
      std::uint32_t begin = 0;
      for (std::size_t record = chosen[at].record; at < chosen.size() && chosen[at].record < end;
           ++at) {
        for (; record < chosen[at].record; ++record)
          begin += static_cast<std::uint32_t>(alpha_[record].symbols.size());
        const Window& window = chosen[at].window;
        windows.push_back({begin + window.begin, begin + window.end});
      }
      problem.resident = resident.get();
      problem.progress = [&](const rhomb::Progress& progress) {
        const std::lock_guard lock(mutex_);
        tell(block,
             (static_cast<double>(first) + progress.part * static_cast<double>(at - first)) /
                 static_cast<double>(chosen.size()),
             progress.cells);
      };
      const auto cells = [&] {
        double symbols = 0, all = 0;
        for (const std::string_view text : problem.texts)
          symbols += static_cast<double>(text.size());
        for (const Window& window : windows) all += (window.end - window.begin) * symbols;
        return all;
      };
      const auto sites = engine::with_another(
          {device, false, cells}, variants().last(1),
          [&] { return nearest_sites(device, problem, windows); },
          [&](const Variant&) { return nearest_sites(nullptr, problem, windows); },
          [](const Variant&) {});
      for (std::size_t i = 0; i < sites.size(); ++i) {
        const Site& site = sites[i];
        const std::size_t count = block.targets.size();
        const bool reversed = site.text >= count;
        Nearest& best = all[first + i];
        if (site.distance > best.distance ||
            (site.distance == best.distance && reversed >= best.reversed))
          continue;
        const seq::Sequence& target = block.targets[site.text % count];
        const auto n = static_cast<std::uint32_t>(target.symbols.size());
        best = {target.name, site.distance, site.begin, site.end, reversed, site.cigar};
        if (reversed) {
          best.begin = n - site.end;
          best.end = n - site.begin;
          best.cigar.reverse();
        }
      }
    }
  });
  return all;
}

void Run::check() {
  // Windows, and what was said of their distances.
  struct Claim {
    std::uint32_t least, most;
  };
  std::vector<Chosen> chosen;
  std::vector<Claim> claims;
  std::uint64_t starts = 0;
  const double symbols = totals_.symbols * (options_.both_strands ? 2 : 1);
  double cells = 0;
  const std::uint64_t apart = std::max<std::uint64_t>(1, totals_.starts / kSampled);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < alpha_.size(); ++i) {
    const Result& result = results_[i];
    const auto m = static_cast<std::uint32_t>(alpha_[i].symbols.size());
    for (std::uint32_t at = 0; at < result.ends.size(); ++at) {
      if (number++ % apart != 0 || (starts > 0 && cells > kSample)) continue;
      const std::uint32_t j = result.first + at, end = result.ends[at];
      const auto add = [&](std::uint32_t stop, Claim claim) {
        if (stop <= j) return;
        chosen.push_back({i, {j, stop}});
        claims.push_back(claim);
        cells += (stop - j) * symbols;
      };
      ++starts;
      if (options_.window) {
        add(j + *options_.window, {end, end});
      } else if (end == kNone) {
        const std::uint32_t limit = std::min(m - j, options_.longest);
        if (limit >= options_.shortest) add(j + limit, {0, *options_.k - 1});
      } else {
        add(end, {*options_.k, kNone});
        if (end - 1 - j >= options_.shortest) add(end - 1, {0, *options_.k - 1});
      }
    }
  }
  const auto found = sites(chosen, true);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (claims[i].least <= found[i].distance && found[i].distance <= claims[i].most) continue;
    const Chosen& one = chosen[i];
    throw CheckError("check failed: " + alpha_[one.record].name + " from " +
                     std::to_string(one.window.begin) + " to " + std::to_string(one.window.end) +
                     " has distance " + std::to_string(found[i].distance) + ", not " +
                     std::to_string(claims[i].least) + " to " + std::to_string(claims[i].most));
  }
  totals_.checked = starts;
}

/// Where all blocks are like this one.
batch::Memory Run::memory_of(const Block& block, bool on_device) const {
  batch::Memory memory;
  std::size_t longest = 0;
  for (const seq::Sequence& record : alpha_) {
    longest = std::max(longest, record.symbols.size());
    memory.host += record.symbols.size();
  }
  memory.host += (block.alone() ? 1 : 2) * block.bytes / 2 + totals_.starts * sizeof(std::uint32_t);
  if (!on_device) return memory;
  const batch::Memory windows = windows_memory(longest, block.texts, block.code);
  memory.device += windows.device;
  memory.host += windows.host;
  return memory;
}

Facts Run::explain() {
  Facts facts;
  std::size_t largest = 0;
  read([&](Block& block) {
    if (block.bytes <= largest) return;
    largest = block.bytes;
    facts = {};
    const bool host = on_host(block);
    const Variant& chosen = variant(host);
    const ocl::DeviceInfo* const info =
        host || options_.devices.empty() ? nullptr : options_.devices.front().info;
    facts.add("device", info != nullptr  ? info->name + ", driver " + info->driver
                        : chosen.on_host ? "host"
                                         : "none");
    facts.add("variant",
              std::string(options_.window && !host ? dense_variant().name : chosen.name));
    facts.add("summary", std::string(chosen.summary));
    facts.add("bits_per_symbol", std::int64_t{block.code.planes});
    facts.add("symbols_match_by",
              block.code.matching == seq::Matching::kSets ? "sets of bases" : "equality");
    facts.add("starts", static_cast<std::int64_t>(totals_.starts));
    facts.add("largest_block", std::to_string(block.targets.size()) + " texts of " +
                                   std::to_string(static_cast<std::int64_t>(block.symbols)) +
                                   " symbols" + (options_.both_strands ? ", both strands" : "") +
                                   block.others());
    const batch::Memory memory = memory_of(block, !host && chosen.uses_opencl());
    facts.add("device_bytes", static_cast<std::int64_t>(memory.device));
    facts.add("host_bytes", static_cast<std::int64_t>(memory.host));
    if (options_.window || chosen.on_host || alpha_.empty()) return;
    std::string joined;
    const Problem problem = problem_for(block, 0, 1, joined);
    const auto [config, match] = setting(chosen, problem, info);
    const Plan made = plan(chosen, problem, info != nullptr ? info->limits : ocl::Limits{}, config);
    facts.add("tuned_setting", match);
    facts.add("config", made.config.text());
    if (made.file.empty()) return;
    std::string program = made.file;
    for (const auto& [name, value] : made.defines) program += " -D" + name + "=" + value;
    facts.add("program", program);
  });
  return facts;
}

}  // namespace rhomb::primer
