// SPDX-License-Identifier: Apache-2.0
// Errors of the OpenCL runtime, in words.
#pragma once

#include <string>

#include "host/error.h"

namespace rhomb::ocl {

/// An OpenCL call failed: "clFinish failed on 'NVIDIA H200': CL_OUT_OF_RESOURCES (-5), ...". Codes
/// that mean exhausted memory carry Kind::kMemory, all others Kind::kDevice. With code 0, `call` is
/// a whole message.
class DeviceError : public Error {
 public:
  DeviceError(const std::string& call, int code, const std::string& device);

  const std::string& call() const { return call_; }
  int code() const { return code_; }  ///< the OpenCL error code, negative; 0 when none applies

 private:
  std::string call_;
  int code_;
};

/// A kernel file did not compile: carries the file, the defines and the compiler's log.
class BuildError : public Error {
 public:
  BuildError(const std::string& file, const std::string& defines, const std::string& device,
             const std::string& log);

  const std::string& file() const { return file_; }
  const std::string& defines() const { return defines_; }
  const std::string& log() const { return log_; }

 private:
  std::string file_;
  std::string defines_;
  std::string log_;
};

/// The name of an OpenCL error code, "CL_OUT_OF_RESOURCES", and what it means in a few words.
std::string error_name(int code);
std::string error_meaning(int code);

}  // namespace rhomb::ocl
