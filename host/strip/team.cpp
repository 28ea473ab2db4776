// SPDX-License-Identifier: Apache-2.0
#include "host/strip/team.h"

#include <numeric>
#include <utility>

#include "host/dist/fields.h"

namespace rhomb::strip {
namespace {

/// What stands before the words of a part of a border.
struct BorderHead {
  BorderName name;
  std::uint64_t sequence = 0, checksum = 0;
  std::int64_t start = 0;
  std::int64_t complete = 0;  ///< 1: with `start`, and there are no words
};

}  // namespace

void Team::set_pass(std::int64_t pass) {
  pass_ = pass;
  ended_ = 0;
  done_.assign(static_cast<std::size_t>(count_), 0);
  std::erase_if(borders_, [&](const auto& one) { return one.first.pass < pass; });
  std::erase_if(early_, [&](const auto& one) { return one.first.pass < pass; });
}

void Team::begin_pass(std::int64_t pass) {
  const std::lock_guard lock(mutex_);
  set_pass(pass);
}

void Team::begin_pass(const std::string& division) {
  {
    const std::lock_guard lock(mutex_);
    set_pass(pass_ + 1);
  }
  tell({kPass, division});
}

void Team::wait_for_others() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ + 1 == count_; });
}

double Team::done_elsewhere() {
  const std::lock_guard lock(mutex_);
  return std::accumulate(done_.begin(), done_.end(), 0.0);
}

dist::Message Team::next_order() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !orders_.empty(); });
  dist::Message order = std::move(orders_.front());
  orders_.pop_front();
  return order;
}

void Team::report_done(double rows) { send_(0, {kRows, dist::FieldsOut().add(rows).take()}); }
void Team::end_pass() { send_(0, {kEnded, ""}); }

std::shared_ptr<Border> Team::incoming(BorderName name, std::int64_t first, std::int64_t end) {
  const std::lock_guard lock(mutex_);
  auto border = std::make_shared<Border>(first, end);
  bool complete = false;
  for (const std::string& part : std::exchange(early_[name], {})) complete = feed(*border, part);
  early_.erase(name);
  if (given_up_ == name.pass) border->fail(std::make_exception_ptr(GivenUp{}));
  if (!complete) borders_[name] = border;
  return border;
}

std::shared_ptr<Border> Team::outgoing(BorderName name, std::int64_t first, std::int64_t end,
                                       int to) {
  const auto send = [this, name, to](BorderHead head, const Words& words) {
    head.name = name;
    dist::FieldsOut fields;
    fields.add(head);
    fields.add_text(
        {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Words::value_type)});
    send_(to, {kBorder, fields.take()});
  };
  return std::make_shared<Border>(
      first, end,
      Border::Forward{[send](const BorderChunk& chunk) {
                        send({{}, chunk.sequence, chunk.checksum, 0, 0}, chunk.words);
                      },
                      [send](std::int64_t start) {
                        send({{}, 0, 0, start, 1}, {});
                      }});
}

bool Team::feed(Border& border, std::string_view text) {
  dist::FieldsIn fields(text);
  const auto head = fields.get<BorderHead>();
  if (head.complete != 0) {
    border.complete(head.start);
    return true;
  }
  const std::string_view bytes = fields.get_text();
  BorderChunk chunk;
  chunk.sequence = head.sequence;
  chunk.checksum = head.checksum;
  chunk.words.resize(bytes.size() / sizeof(Words::value_type));
  std::memcpy(chunk.words.data(), bytes.data(), bytes.size());
  border.put(chunk);
  return false;
}

void Team::give_up_locked() {
  given_up_ = pass_;
  for (const auto& [name, border] : borders_) border->fail(std::make_exception_ptr(GivenUp{}));
}

void Team::give_up() {
  if (self_ == 0) tell({kGiveUp, dist::FieldsOut().add(pass_).take()});
  const std::lock_guard lock(mutex_);
  give_up_locked();
}

bool Team::given_up() {
  const std::lock_guard lock(mutex_);
  return given_up_ == pass_;
}

void Team::deliver(int from, dist::Message message) {
  const std::lock_guard lock(mutex_);
  switch (message.kind) {
    case kBorder: {
      const BorderName name = dist::FieldsIn(message.text).get<BorderHead>().name;
      if (name.pass < pass_) break;
      const auto found = borders_.find(name);
      if (found == borders_.end())
        early_[name].push_back(message.text);
      else if (feed(*found->second, message.text))
        borders_.erase(found);
      break;
    }
    case kRows:
      done_[static_cast<std::size_t>(from)] = dist::FieldsIn(message.text).get<double>();
      break;
    case kGiveUp: {
      const auto pass = dist::FieldsIn(message.text).get<std::int64_t>();
      given_up_ = pass;  // it may not have begun here
      if (pass == pass_) give_up_locked();
      break;
    }
    case kEnded:
      ++ended_;
      break;
    default:
      orders_.push_back(std::move(message));
  }
  changed_.notify_all();
}

}  // namespace rhomb::strip
