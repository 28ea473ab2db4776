// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/messages.h"

#include <cstdio>
#include <string>

#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

bool in_json = false;
int rank = -1;

/// One call, so that lines of several threads do not mix.
void print(const std::string& line) { std::fputs(line.c_str(), stderr); }

std::string who() { return rank < 0 ? "" : text_of("rank ", std::to_string(rank), ": "); }

Json object_of(const char* event) {
  Json object;
  object["event"] = event;
  if (rank >= 0) object["rank"] = rank;
  return object;
}

}  // namespace

void say_in_json() { in_json = true; }
bool says_in_json() { return in_json; }
void say_rank(int number) { rank = number; }
int said_rank() { return rank; }

std::string message_of(std::string_view text) {
  if (!in_json) return text_of("rhomb: ", who(), text, "\n");
  Json object = object_of("note");
  object["text"] = text;
  return json_line(object);
}

void say(std::string_view text) { print(message_of(text)); }

void say_error(std::string_view text, int code) {
  if (!in_json) return print(text_of("rhomb: error: ", who(), text, "\n"));
  Json object = object_of("error");
  object["code"] = code;
  object["text"] = text;
  print(json_line(object));
}

}  // namespace rhomb::cli
