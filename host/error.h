// SPDX-License-Identifier: Apache-2.0
// Errors: every failure a user can meet is one of these, and each knows its kind.
//
// The library throws them; it never prints and never exits.
#pragma once

#include <stdexcept>
#include <string>

namespace rhomb {

/// What kind of failure an error is.
enum class Kind {
  kInternal,  ///< a defect of rhomb, or of what it stands on
  kUsage,     ///< something was asked for that does not exist or does not fit
  kInput,     ///< a file or a text is not what it should be
  kOutput,    ///< what was to be written cannot be
  kDevice,    ///< no device, or a call to one that failed
  kMemory,    ///< of the host or of a device
  kCheck,     ///< a self-test or a requested check found a wrong answer
  kStopped,   ///< the caller ended the run
};

/// What the program ends with after an error of this kind, and the functions of c.h return.
constexpr int exit_code(Kind kind) {
  switch (kind) {
    case Kind::kInternal:
      return 1;
    case Kind::kUsage:
      return 2;
    case Kind::kInput:
    case Kind::kOutput:
      return 3;
    case Kind::kDevice:
      return 4;
    case Kind::kMemory:
      return 5;
    case Kind::kCheck:
      return 6;
    case Kind::kStopped:
      return 7;
  }
  return 1;
}

/// Base of all errors thrown by the library.
class Error : public std::runtime_error {
 public:
  Error(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// The caller asked for something that does not exist: an unknown variant, a bad option value.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& what) : Error(Kind::kUsage, what) {}
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

/// What was to be written cannot be: the disk is full, or the file system is gone.
class OutputError : public Error {
 public:
  explicit OutputError(const std::string& what) : Error(Kind::kOutput, what) {}
};

/// Host or device memory does not suffice.
class MemoryError : public Error {
 public:
  explicit MemoryError(const std::string& what) : Error(Kind::kMemory, what) {}
};

/// A self-test or a requested check found a wrong answer.
class CheckError : public Error {
 public:
  explicit CheckError(const std::string& what) : Error(Kind::kCheck, what) {}
};

/// The self-test of a program has failed on a device: the device, its driver or its compiler gets
/// this program wrong, and may get others right.
class SelfTestError : public CheckError {
 public:
  SelfTestError(const std::string& file, const std::string& what) : CheckError(what), file_(file) {}
  /// Of the program, below cl/.
  const std::string& file() const { return file_; }

 private:
  std::string file_;
};

}  // namespace rhomb
