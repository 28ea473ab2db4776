// SPDX-License-Identifier: Apache-2.0
// Messages on standard error: lines that begin with "rhomb: ", or with --progress json an object of
// JSON a line, so that a program can read all that is said there.
#pragma once

#include <string>
#include <string_view>

namespace rhomb::cli {

/// From now on all messages of the process are JSON. Called before threads are started.
void say_in_json();
bool says_in_json();

/// From now on all messages of the process say that they are of this rank of an MPI job. Called
/// before threads are started.
void say_rank(int rank);
/// -1 where there is none.
int said_rank();

/// What say() prints.
std::string message_of(std::string_view text);

/// "rhomb: TEXT"; in JSON {"event":"note","text":TEXT}. For several threads at once.
void say(std::string_view text);

/// "rhomb: error: TEXT"; in JSON {"event":"error","code":CODE,"text":TEXT}.
void say_error(std::string_view text, int code);

}  // namespace rhomb::cli
