// SPDX-License-Identifier: Apache-2.0
#include "tools/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/cli/text.h"
#include "tools/dots.h"
#include "tools/tune/rows.h"

namespace rhomb::cli {
namespace {

using tune::Trial;

constexpr double kPlanes = 2;  // of random texts over ACGT

double value(const Trial& trial, const char* name, double otherwise) {
  const auto known = value_of(trial, name);
  return known ? *known : otherwise;
}

/// Five three-input operations a cell and one a plane; four and one a plane more for the K cells of
/// a column; 32 at once (cl/strip/step.h).
Work strips_work(const Trial& trial) {
  const double k = value(trial, "K", 1), slab = value(trial, "SLAB", 64);
  const double lanes = value(trial, "LANES", 1);
  const bool teams = value(trial, "FLOW", 0) != 0 && trial.machine.device.starts_with("NVIDIA");
  const double group = teams ? 32 : lanes * value(trial, "WG", 1);
  // A lane fills 32 K rows of a word of 32 columns. A group reads the text's word once, and the
  // words of differences that the group above has put out, and puts out its own.
  const double cells = 32 * 32 * k;
  const double between = 4 * (kPlanes + 4) / group;
  // Each launch loads the state of each lane and stores it: differences, symbols, and the rest.
  const double state = 2 * 4 * ((2 + kPlanes) * k + 5) / slab;
  return {((5 + kPlanes) * k + 4 + kPlanes) / (32 * k), (between + state) / cells};
}

/// Nine operations a cell, and 31 more in the part of the cells that read 32 symbols of both texts.
/// Texts count once: two bits a symbol are what caches keep.
Work wave_work(const Trial& trial, double row_bytes, double reads) {
  const double texts = static_cast<double>(trial.task.length) * 2 * kPlanes / 8;
  return {9 + 31 * reads, row_bytes + texts / std::max(trial.cells, 1.0)};
}

/// The part of the cells that use up a window of 32 symbols: an edit takes a diagonal on by so many
/// symbols.
double windows(const Trial& trial) {
  const double distance = std::max(static_cast<double>(trial.distance), 1.0);
  return std::min(1.0, static_cast<double>(trial.task.length) / distance / 32);
}

Work fused_work(const Trial& trial) {
  const double tile = value(trial, "WG", 1) * value(trial, "VEC", 1) * value(trial, "DIAGS", 1);
  const double steps = value(trial, "STEPS", 32);
  // A launch reads a row, with what neighbouring groups both read, looks at half of the facing one,
  // and writes one.
  const double again = tile / std::max(tile - 2 * steps, 1.0);
  return wave_work(trial, 4 * (1.5 * again + 1) / steps, windows(trial));
}

/// Bytes a cell of tasks with queries of m and pieces of n symbols: texts, the task, its answer.
double task_bytes(double m, double n) { return ((m + n) * kPlanes / 8 + 40) / (m * n); }

/// Strips in slots (cl/search/slots.h), which go through passes of SLOT strips.
Work batch_work(const Trial& trial) {
  const auto m = static_cast<double>(trial.task.length);
  const auto n = static_cast<double>(candidate_length(trial.task.length));
  const double k = value(trial, "K", 16), slot = value(trial, "SLOT", 32);
  const double strips = std::ceil(m / k), passes = std::ceil(strips / slot);
  const double steps = passes * (n + std::min(strips, slot) - 1);
  const double step = (5 + kPlanes) * k + 14 + 3 * kPlanes;
  return {steps * step * slot / 32 / (m * n), task_bytes(m, n)};
}

/// Columns of words (cl/search/step.h): in all lanes of a team that share a task, or in one
/// work-item. What lanes wait for each other is no operation.
Work column_work(const Trial& trial) {
  const auto m = static_cast<double>(trial.task.length);
  const auto n = static_cast<double>(candidate_length(trial.task.length));
  const bool team = trial.task.variant == "coop";
  const double lanes = team ? 32 / value(trial, "R", 32) : 1;
  const double words = team ? value(trial, "W", 4) : std::ceil(m / 32);
  const bool read = !team || value(trial, "PROFILE", 0) != 0;
  const double word =
      (read ? 10 : 9 + kPlanes) + (lanes > 1 && value(trial, "VIA", 3) < 3 ? 1.5 : 0);
  const double columns = n + (lanes > 1 ? lanes - 1 : 0);
  return {columns * lanes * (word * words + 5 + 2 * kPlanes) / (m * n), task_bytes(m, n)};
}

/// Operations of a column over the cells of a column, which are m of the `rows` that blocks have.
/// Blocks read the text, and hand on `stream` bits a column.
Work lcs_work(const Trial& trial) {
  const auto m = static_cast<double>(trial.task.length);
  const bool strips = trial.task.variant == "strips-lcs";
  const double k = value(trial, "K", 16), s = value(trial, "S", 32), w = value(trial, "W", 32);
  const double blocks = std::ceil(m / (strips ? s * k : 32 * w));
  const bool allison = trial.task.variant == "allison-dix";
  const double moved = (s == 32 ? 1 : 3) * (kPlanes + 3);
  const double column =
      strips ? ((2 + kPlanes) * k + moved) * (m + s) / m * s / 32 : (allison ? 4 : 3) * w + 12;
  const double stream = blocks > 1 ? 2 * (allison ? 2 : 1) : 0;
  return {blocks * column / m, blocks * (kPlanes + stream) / 8 / m};
}

}  // namespace

std::optional<Work> work_of(const Trial& trial) {
  const std::string& variant = trial.task.variant;
  if (trial.task.engine == "strips") return strips_work(trial);
  if (trial.task.engine == "lcs") return lcs_work(trial);
  if (variant == "strips-batch") return batch_work(trial);
  if (trial.task.engine == "search") return column_work(trial);
  // A tile of 2 T * T cells reads two rows of 2 T diagonals and writes them.
  const double tile = 16 / value(trial, "T", 1);
  if (variant == "fused") return fused_work(trial);
  if (variant == "group" || variant == "diamond") return wave_work(trial, tile, windows(trial));
  // These read the texts in each cell, and the stepped ones and tiles in global memory the row.
  if (variant == "tiled-register" || variant == "tiled-local") return wave_work(trial, tile, 1);
  for (const char* const name : {"tiled-global", "prefetch", "batched", "dynamic", "baseline"})
    if (variant == name) return wave_work(trial, 8, 1);
  return std::nullopt;
}

double RooflineMark::part(const Ceilings& ceilings) const {
  return operations() / std::min(ceilings.logic, ceilings.bytes * intensity());
}

std::vector<RooflineMark> roofline_marks(const std::vector<const Tried*>& all) {
  std::vector<RooflineMark> marks;
  for (const Tried* const tried : all) {
    const Trial* const trial = tried->fastest();
    const auto work = trial != nullptr ? work_of(*trial) : std::nullopt;
    if (!work) continue;
    const RooflineMark mark{trial, *work};
    const auto same = std::ranges::find_if(marks, [&](const RooflineMark& one) {
      return one.trial->task.variant == trial->task.variant;
    });
    if (same == marks.end())
      marks.push_back(mark);
    else if (mark.operations() > same->operations())
      *same = mark;
  }
  return marks;
}

Plot roofline(const Ceilings& ceilings, const std::vector<RooflineMark>& marks,
              const std::string& device) {
  const double ridge = ceilings.logic / ceilings.bytes;
  double least = ridge / 10, most = ridge * 10;
  for (const RooflineMark& mark : marks) {
    least = std::min(least, mark.intensity() / 2);
    most = std::max(most, mark.intensity() * 2);
  }
  Plot plot;
  plot.narrow = true;
  plot.title = "Operations a second and a byte";
  plot.subtitle = text_of(device, "; one mark a row, at its best");
  const auto tick = [](double number) {
    return number >= 1e12 ? short_tick(number / 1e12) + "T" : short_tick(number);
  };
  plot.x = {"operations a byte of device memory", tick};
  plot.y = {"operations a second", tick};
  PlotSeries roof{"the device's ceilings, measured", draw::kNoColour, Stroke::kSolid, {}};
  for (const double x : {least, ridge, most})
    roof.points.push_back({x, std::min(ceilings.logic, ceilings.bytes * x), Mark::kNone, ""});
  plot.series.push_back(roof);
  constexpr std::array kMarks = {Mark::kDisc, Mark::kSquare, Mark::kRing};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const RooflineMark& mark = marks[i];
    const tune::Task& task = mark.trial->task;
    plot.series.push_back(
        {task.variant,
         i,
         Stroke::kNone,
         {{mark.intensity(), mark.operations(), kMarks[i / 7 % kMarks.size()],
           text_of(task.variant, ", ", task_words(task), ", ", config_words(mark.trial->used), ": ",
                   human(mark.operations()), " operations a second, ", rate_text(mark.intensity()),
                   " a byte, ", fixed(100 * mark.part(ceilings), 1), "% of the roof")}}});
  }
  return plot;
}

}  // namespace rhomb::cli
