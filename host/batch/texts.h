// SPDX-License-Identifier: Apache-2.0
// Texts: many short texts in one piece of memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rhomb::batch {

class Texts {
 public:
  void add(std::string_view text) {
    all_ += text;
    ends_.push_back(all_.size());
  }
  /// So many times as much as others are.
  void reserve(const Texts& others, double times) {
    all_.reserve(static_cast<std::size_t>(times * static_cast<double>(others.all_.size())));
    ends_.reserve(static_cast<std::size_t>(times * static_cast<double>(others.ends_.size())));
  }
  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  /// Good until another one is added, as the others are.
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(all_).substr(begin, ends_[i] - begin);
  }
  /// All of them, one after another.
  std::string_view all() const { return all_; }
  std::size_t bytes() const { return all_.size() + ends_.size() * sizeof ends_[0]; }
  std::vector<std::string_view> views() const {
    std::vector<std::string_view> views;
    views.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) views.push_back((*this)[i]);
    return views;
  }

 private:
  std::string all_;
  std::vector<std::size_t> ends_;
};

}  // namespace rhomb::batch
