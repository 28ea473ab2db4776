// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <utility>

#include "host/batch/pairs.h"
#include "host/rhomb.h"

namespace rhomb {

Records::Records(std::string path, seq::ReadOptions options)
    : name_(path == "-" ? "standard input" : path) {
  std::error_code failed;
  lasting_ = std::filesystem::is_regular_file(path, failed);
  open_ = [path = std::move(path), options = std::move(options)] {
    const auto reader = std::make_shared<seq::Reader>(path, options);
    const auto ahead = std::make_shared<batch::ReadAhead>(batch::Source<seq::Sequence>{
        path, [reader](seq::Sequence& into) { return reader->next(into); },
        [reader] { return reader->part(); },
        [reader](auto call) { reader->before_waiting(std::move(call)); }});
    return Stream{[ahead](seq::Sequence& into) { return ahead->next(into); },
                  [ahead] { return ahead->part(); },
                  [ahead](auto call) { ahead->before_waiting(std::move(call)); }};
  };
}

Records::Records(const seq::Batch& sequences) : name_("sequences") {
  open_ = [all = &sequences] {
    const auto next = std::make_shared<std::size_t>(0);
    return Stream{
        [all, next](seq::Sequence& into) {
          if (*next == all->size()) return false;
          into = (*all)[(*next)++];
          return true;
        },
        [all, next] {
          return all->empty() ? 1 : static_cast<double>(*next) / static_cast<double>(all->size());
        },
        [](const auto&) {}};
  };
}

Records Records::from(std::string name, std::function<bool(seq::Sequence&)> next) {
  Records records;
  records.name_ = std::move(name);
  records.lasting_ = false;
  records.open_ = [next = std::move(next)] { return Stream{next, [] { return 0.0; }}; };
  return records;
}

Records Records::each_time(std::string name,
                           std::function<std::function<bool(seq::Sequence&)>()> open) {
  Records records;
  records.name_ = std::move(name);
  records.open_ = [open = std::move(open)] { return Stream{open(), [] { return 0.0; }}; };
  return records;
}

}  // namespace rhomb
