// SPDX-License-Identifier: Apache-2.0
// Errors: every failure a user can meet is one of these, and each knows the program's exit code.
//
// The library throws them; it never prints and never exits.
#pragma once

#include <stdexcept>
#include <string>

namespace rhomb {

/// Exit codes of the command line program.
enum class Exit {
  kDone = 0,
  kInternal = 1,
  kUsage = 2,
  kInput = 3,
  kDevice = 4,
  kMemory = 5,
  kCheck = 6,
  kStopped = 7,
};

/// Base of all errors thrown by the library.
class Error : public std::runtime_error {
 public:
  Error(Exit exit, const std::string& what) : std::runtime_error(what), exit_(exit) {}
  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

/// The caller asked for something that does not exist: an unknown variant, a bad option value.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& what) : Error(Exit::kUsage, what) {}
};

/// The input is not what it should be. `line` is 1-based; 0 means that no line applies.
class InputError : public Error {
 public:
  InputError(const std::string& file, const std::string& record, long line,
             const std::string& what);

  const std::string& file() const { return file_; }
  const std::string& record() const { return record_; }
  long line() const { return line_; }

 private:
  std::string file_;
  std::string record_;
  long line_;
};

/// Host or device memory does not suffice.
class MemoryError : public Error {
 public:
  explicit MemoryError(const std::string& what) : Error(Exit::kMemory, what) {}
};

/// A self-test or a requested check found a wrong answer.
class CheckError : public Error {
 public:
  explicit CheckError(const std::string& what) : Error(Exit::kCheck, what) {}
};

}  // namespace rhomb
