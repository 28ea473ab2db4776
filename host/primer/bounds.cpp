// SPDX-License-Identifier: Apache-2.0
#include "host/primer/bounds.h"

#include <algorithm>

#include "host/primer/internal.h"

namespace rhomb::primer {

Bounds::Bounds(const Problem& problem) : problem_(problem) {
  const std::uint32_t count = problem.last - problem.first;
  lower_.resize(count);
  upper_.resize(count);
  for (std::uint32_t j = problem.first; j < problem.last; ++j) {
    const std::uint32_t end = end_for(problem, j, problem.k);
    at_least(j) = end == kNone ? top(j) : end;
    at_most(j) = top(j);
  }
  for (std::size_t i = 1; i < count; ++i) lower_[i] = std::max(lower_[i], lower_[i - 1]);
  for (std::size_t i = count; i-- > 1;) upper_[i - 1] = std::min(upper_[i - 1], upper_[i]);
  for (std::uint32_t j = problem.first; j < problem.last; ++j) {
    at_least(j) = std::min(lower(j), top(j));
    at_most(j) = std::max(upper(j), lower(j));
  }
}

std::uint32_t Bounds::top(std::uint32_t j) const { return j + limit_of(problem_, j) + 1; }

void Bounds::spread(std::uint32_t j) {
  const std::size_t own = j - problem_.first;
  for (std::size_t i = own + 1; i < lower_.size() && lower_[i] < lower_[own]; ++i) {
    lower_[i] = lower_[own];
    upper_[i] = std::max(upper_[i], lower_[i]);
  }
  for (std::size_t i = own; i-- > 0 && upper_[i] > upper_[own];)
    upper_[i] = std::max(upper_[own], lower_[i]);
}

void Bounds::learn(std::uint32_t j, std::uint32_t end, std::uint32_t distance,
                   std::uint32_t least) {
  const std::uint32_t k = problem_.k;
  distance = std::min(distance, end - j);  // of the empty substring
  if (distance < k) {
    at_least(j) = std::min(std::max(lower(j), end + k - distance), top(j));
    at_most(j) = std::max(upper(j), lower(j));
  } else {
    at_most(j) = std::min(upper(j), std::max({lower(j), least, end - (distance - k)}));
  }
}

void Bounds::know(std::uint32_t j, std::uint32_t end) {
  at_least(j) = at_most(j) = std::min(std::max(end, lower(j)), top(j));
}

std::optional<std::uint32_t> Bounds::expected(std::uint32_t j) const {
  if (sampled_ == 0) return std::nullopt;
  const std::uint32_t i = j - problem_.first;
  const auto count = static_cast<std::uint32_t>(lower_.size());
  const std::uint32_t a = i / sampled_ * sampled_, b = std::min(a + sampled_, count - 1);
  const auto known = [&](std::uint32_t at) {
    return lower_[at] == upper_[at] && lower_[at] < top(problem_.first + at);
  };
  if (!known(a)) return std::nullopt;
  const double slope = b > a && known(b) ? static_cast<double>(lower_[b] - lower_[a]) / (b - a) : 1;
  const std::uint32_t less = problem_.k >= 64 ? 4 : problem_.k >= 16 ? 2 : 1;
  const auto end = lower_[a] + static_cast<std::uint32_t>((i - a) * slope);
  return end - std::min(less, end);
}

std::size_t Bounds::known() const {
  std::size_t known = 0;
  for (std::size_t i = 0; i < lower_.size(); ++i)
    if (lower_[i] == upper_[i]) ++known;
  return known;
}

double Bounds::mean_length() const {
  double length = 0;
  for (std::uint32_t j = problem_.first; j < problem_.last; ++j) length += lower(j) - j;
  return length / static_cast<double>(std::max<std::size_t>(1, lower_.size()));
}

}  // namespace rhomb::primer
