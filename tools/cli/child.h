// SPDX-License-Identifier: Apache-2.0
// Child: this program again, in a process of its own that is asked line by line. What crashes or
// hangs there costs one line.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace rhomb::cli {

class Child {
 public:
  /// Starts this program with `arguments`. Throws Error if that is impossible.
  explicit Child(const std::vector<std::string>& arguments);
  /// Ends the process at once if it is still there.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// What became of a question.
  struct Reply {
    std::optional<std::string> line;  ///< without its end; nothing if there was none
    bool late = false;                ///< there was none in time, and the process was ended
    std::string fate;                 ///< how it ended: "was killed by signal 11 (...)"
  };

  /// Sends a line and waits for one, at most `seconds`.
  Reply ask(const std::string& line, double seconds);
  /// Waits for a line that nobody asked for, the first one.
  Reply hear(double seconds);
  /// False once a reply told the process's fate.
  bool alive() const { return process_ > 0; }

 private:
  std::string end(bool kill);

  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string heard_;  // the beginning of the next line
};

/// For the child: ends this process when the one that started it does, however that ends.
void end_with_parent();

}  // namespace rhomb::cli
