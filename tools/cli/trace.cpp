// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/trace.h"

#include <algorithm>
#include <vector>

#include "host/trace/chrome.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

using trace::Command;
using trace::Nanos;

/// "1.204 s", "12.040 ms", "12.040 us"
std::string duration_text(Nanos time) {
  const auto nanos = static_cast<double>(time);
  if (time >= 1'000'000'000) return fixed(nanos / 1e9, 3) + " s";
  return time >= 1'000'000 ? fixed(nanos / 1e6, 3) + " ms" : fixed(nanos / 1e3, 3) + " us";
}

std::string percent(double share) { return fixed(100 * share, 1) + "%"; }

/// "launch 17 of wfa_fused", "a read of 8 bytes"
std::string described(const trace::Trace& trace, const Command& command) {
  const auto count = static_cast<std::int64_t>(command.count);
  if (command.kind == Command::Kind::kLaunch)
    return text_of("launch ", with_commas(count), " of ", trace.text(command.name));
  return text_of("a ", name_of(command.kind), " of ", with_commas(count), " bytes");
}

/// The devices that computed, in the order in which they were opened, and how busy they were.
struct Computed {
  std::string name;
  trace::Usage usage;
};
std::vector<Computed> computed(const trace::Trace& trace) {
  std::vector<const void*> seen;
  std::vector<Computed> all;
  for (const trace::Lane& lane : trace.lanes()) {
    if (!lane.queue || std::ranges::find(seen, lane.device) != seen.end()) continue;
    seen.push_back(lane.device);
    const trace::Usage usage = trace.usage_of(lane.device);
    if (usage.span() > 0) all.push_back({lane.label, usage});
  }
  return all;
}

}  // namespace

Tracing::Tracing(const std::string& file) {
  if (file.empty()) return;
  out_.emplace(file);
  trace_.emplace();
}

void Tracing::commit(const ocl::DeviceInfo* device) {
  if (!trace_) return;
  std::vector<std::pair<std::string, std::string>> notes{{"program", "rhomb " RHOMB_VERSION}};
  if (device != nullptr) {
    notes.emplace_back("device", device->name);
    notes.emplace_back("driver", device->driver);
  }
  const auto all = computed(*trace_);
  for (const auto& [name, usage] : all) {
    const std::string of = all.size() > 1 ? ", " + name : "";
    notes.emplace_back("launches while computing" + of, std::to_string(usage.launches()));
    notes.emplace_back("device busy while computing" + of, duration_text(usage.busy()));
    notes.emplace_back("device idle while computing" + of, percent(usage.idle_share()));
  }
  if (trace_->left_out() > 0)
    notes.emplace_back("counted but not drawn", std::to_string(trace_->left_out()));
  trace::write_chrome(*trace_, notes, [this](std::string_view piece) { out_->write(piece); });
  out_->commit();
}

std::string Tracing::summary() const {
  if (!trace_) return "";
  std::string text = "rhomb: trace: ";
  const auto all = computed(*trace_);
  if (all.empty()) text += "no OpenCL device computed";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [name, usage] = all[i];
    if (all.size() > 1) text += text_of(i > 0 ? "\nrhomb: trace: " : "", name, ": ");
    text += text_of("while computing the device was busy ", duration_text(usage.busy()), " of ",
                    duration_text(usage.span()), " (", percent(usage.idle_share()), " idle), ",
                    with_commas(static_cast<std::int64_t>(usage.launches())), " launches");
    if (const auto& gap = usage.longest_gap(); gap.length > 0)
      text += text_of(", longest gap ", duration_text(gap.length), " after ",
                      described(*trace_, gap.before));
  }
  if (trace_->left_out() > 0)
    text += text_of("; ", with_commas(static_cast<std::int64_t>(trace_->left_out())),
                    " more events are counted but not drawn");
  return text;
}

}  // namespace rhomb::cli
