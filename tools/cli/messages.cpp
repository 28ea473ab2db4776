// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/messages.h"

#include <cstdio>
#include <string>

#include "tools/cli/json.h"
#include "tools/cli/text.h"

namespace rhomb::cli {
namespace {

bool in_json = false;

/// One call, so that lines of several threads do not mix.
void print(const std::string& line) { std::fputs(line.c_str(), stderr); }

}  // namespace

void say_in_json() { in_json = true; }
bool says_in_json() { return in_json; }

void say(std::string_view text) {
  if (!in_json) return print(text_of("rhomb: ", text, "\n"));
  Json object;
  object["event"] = "note";
  object["text"] = text;
  print(json_line(object));
}

void say_error(std::string_view text, int code) {
  if (!in_json) return print(text_of("rhomb: error: ", text, "\n"));
  Json object;
  object["event"] = "error";
  object["code"] = code;
  object["text"] = text;
  print(json_line(object));
}

}  // namespace rhomb::cli
