// SPDX-License-Identifier: Apache-2.0
// Programs: what a Device has built, in memory and on disk.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "host/ocl/cache.h"
#include "host/ocl/device.h"
#include "host/ocl/sources.h"

namespace rhomb::ocl {

struct Device::Programs {
  struct Program {
    cl::Program program;
    std::string key;      ///< name in the disk cache
    std::string binary;   ///< empty when it is not kept on disk
    bool tested = false;  ///< the known-answer test has passed
  };

  Programs(const DeviceInfo& info, const DeviceOptions& options, cl_platform_id platform,
           cl_context context);

  /// The program of `file` with `defines`: from memory, from disk, or built. Threads build several
  /// at the same time, and each only once: `lock`, of the mutex that all this is used under, is
  /// given up meanwhile.
  Program& find(std::string_view file, const Defines& defines, std::unique_lock<std::mutex>& lock);

  /// How its known-answer test has failed, in this process or, if that is to be believed, in an
  /// earlier one. Builds nothing.
  std::optional<std::string> failed(std::string_view file, const Defines& defines, bool earlier);
  void mark_failed(std::string_view file, const Defines& defines, const std::string& how);

 private:
  std::string options_of(const std::string& defines) const;
  const std::string& key_of(const std::string& file, const std::string& options);
  Program make(const std::string& file, const std::string& defines, const std::string& key) const;
  cl::Program load(const std::string& binary, const std::string& options) const;
  cl::Program build(const std::string& file, const std::string& source, const std::string& defines,
                    const std::string& options) const;
  std::string build_log(cl_program program) const;
  std::string binary_of(cl_program program) const;

  const DeviceInfo& info_;
  Sources sources_;
  Cache cache_;
  bool pocl_, keep_binaries_;
  std::mutex alone_;          ///< with PoCL: of who builds
  std::string fingerprint_;   ///< device and driver: part of each key
  std::string more_options_;  ///< $RHOMB_BUILD_OPTIONS, for debuggers of OpenCL
  cl_device_id device_;
  cl_context context_;
  trace::Trace* trace_;
  std::map<std::string, std::string> keys_;           ///< by file and options
  std::map<std::string, Program, std::less<>> made_;  ///< by file and defines
  std::set<std::string> building_;                    ///< likewise, by some thread
  std::condition_variable built_;                     ///< one of those is made, or has failed
  std::map<std::string, std::string> failures_;       ///< likewise: what this process has seen,
  std::map<std::string, std::optional<std::string>> earlier_;  ///< and those before, if asked for

  friend class Device;
};

}  // namespace rhomb::ocl
