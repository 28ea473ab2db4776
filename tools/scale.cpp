// SPDX-License-Identifier: Apache-2.0
#include "tools/scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

constexpr double kAcross = 64, kDown = 38;  // between two labels of a linear axis, at least

/// The next of 1, 2, 5, 10, ... that is not below `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const int digit : {1, 2, 5})
    if (digit * power >= least * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

}  // namespace

Scale::Scale(const PlotAxis& axis, double least, double most, double begin, double end)
    : linear_(axis.linear), low_(axis.least), high_(0), begin_(begin), end_(end) {
  if (linear_) {
    const double range = std::max(most - low_, 1e-9);
    const double room = (begin < end ? kAcross : kDown) / std::abs(end - begin);
    step_ = axis.step > 0 ? axis.step : round_step(range * room);
    high_ = low_ + 1.04 * range;
    return;
  }
  constexpr double kRoom = 0.12;
  low_ = std::log10(least) - kRoom;
  high_ = std::log10(most) + kRoom;
  if (std::floor(high_) - std::ceil(low_) < 1) {  // at least from one power of ten to another
    low_ = std::floor(low_);
    high_ = std::ceil(high_);
  }
}

double Scale::place(double value) const {
  const double at = linear_ ? value : std::log10(value);
  return begin_ + (at - low_) / (high_ - low_) * (end_ - begin_);
}

std::vector<Tick> Scale::ticks() const { return linear_ ? even_ticks() : decade_ticks(); }

std::vector<Tick> Scale::even_ticks() const {
  std::vector<Tick> ticks;
  const int first = static_cast<int>(std::ceil(low_ / step_ - 1e-9));
  const int last = static_cast<int>(std::floor(high_ / step_ + 1e-9));
  for (int i = first; i <= last; ++i) ticks.push_back({i * step_, place(i * step_), true});
  return ticks;
}

/// Lines at 1 .. 9 times the powers of ten; labels at the powers, and on a short axis at 2 and 5.
std::vector<Tick> Scale::decade_ticks() const {
  const bool few = high_ - low_ < 2.1;
  std::vector<Tick> ticks;
  for (auto power = std::floor(low_); power <= high_; ++power)
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10, power);
      const double at = std::log10(value);
      if (at < low_ - 1e-9 || at > high_ + 1e-9) continue;
      ticks.push_back({value, place(value), digit == 1 || (few && (digit == 2 || digit == 5))});
    }
  std::ranges::stable_partition(ticks, [](const Tick& tick) { return !tick.labelled; });
  return ticks;
}

std::string short_tick(double value) {
  constexpr std::array<std::string_view, 4> kUnits = {"", "k", "M", "G"};
  std::size_t unit = 0;
  for (; value > 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  std::string text = fixed(value, 6);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + std::string(kUnits[unit]);
}

std::string whole_tick(double value) { return with_commas(std::llround(value)); }

}  // namespace rhomb::cli
