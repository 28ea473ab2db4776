// SPDX-License-Identifier: Apache-2.0
// Scale: which values an axis shows, where, and at which of them it has lines and labels.
#pragma once

#include <string>
#include <vector>

namespace rhomb::cli {

/// An axis as asked for.
struct PlotAxis {
  std::string label;
  std::string (*tick)(double value);  ///< the words at a value
  bool linear = false;                ///< otherwise logarithmic
  double least = 0;                   ///< where a linear axis begins
  double step = 0;                    ///< of a linear axis, between two labels; 0: a round number
  double most = 0;                    ///< has room for this value as well
};

struct Tick {
  double value;
  double place;  ///< on the page
  bool labelled;
};

class Scale {
 public:
  /// An axis that has room for all values from `least` to `most`, both above 0 if it is
  /// logarithmic, between two places on the page.
  Scale(const PlotAxis& axis, double least, double most, double begin, double end);

  double place(double value) const;

  /// Labelled ones last, so that they are drawn above the others.
  std::vector<Tick> ticks() const;

 private:
  std::vector<Tick> even_ticks() const;
  std::vector<Tick> decade_ticks() const;

  bool linear_;
  double step_ = 0;
  double low_, high_;  // values, or log10 of them
  double begin_, end_;
};

/// "0.25", "12", "30k", "1.5M"
std::string short_tick(double value);
/// "1,024"
std::string whole_tick(double value);

}  // namespace rhomb::cli
