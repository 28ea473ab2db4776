// SPDX-License-Identifier: Apache-2.0
// rhomb --version: what was built, with what, and the libraries that it runs with.
#include <htslib/hts.h>
#include <isa-l.h>

#define CXXOPTS_NO_REGEX
#include <cxxopts.hpp>
#include <nlohmann/json.hpp>

#include "tools/cli/text.h"
#include "tools/help/help.h"

namespace rhomb::cli {
namespace {

#ifdef __clang__
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "GCC " __VERSION__;
#endif

std::string dotted(int major, int minor, int patch) {
  return text_of(std::to_string(major), ".", std::to_string(minor), ".", std::to_string(patch));
}

/// The version of the headers, and that of the library that is there now, if it is another.
std::string library(std::string_view name, std::string_view built, std::string_view present) {
  return text_of(name, " ", present, built == present ? "" : text_of(" (built with ", built, ")"));
}

/// The version of htslib's headers: 101600 is 1.16.
std::string htslib_built() {
  const int patch = HTS_VERSION % 100;
  return text_of(std::to_string(HTS_VERSION / 100000), ".",
                 std::to_string(HTS_VERSION / 100 % 1000),
                 patch == 0 ? "" : "." + std::to_string(patch));
}

}  // namespace

std::string version_text() {
  std::vector<std::string> options;
  for (const std::string_view option : {
#ifdef RHOMB_HAVE_CUDA
           "CUDA",
#else
           "no CUDA",
#endif
#ifdef RHOMB_HAVE_EDLIB
           "edlib",
#endif
#ifdef RHOMB_HAVE_WFA2
           "WFA2-lib",
#endif
#ifdef RHOMB_HAVE_PARASAIL
           "parasail",
#endif
#ifndef NDEBUG
           "assertions",
#endif
#ifdef RHOMB_SANITIZED
           "sanitizers",
#endif
       })
    options.emplace_back(option);
  const std::vector<std::string> libraries = {
      library("htslib", htslib_built(), hts_version()),
      text_of("ISA-L ", dotted(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION)),
      text_of("nlohmann-json ", dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                       NLOHMANN_JSON_VERSION_PATCH)),
      text_of("cxxopts ",
              dotted(CXXOPTS__VERSION_MAJOR, CXXOPTS__VERSION_MINOR, CXXOPTS__VERSION_PATCH))};
  return text_of("rhomb " RHOMB_VERSION "\nbuild: ", RHOMB_BUILD, ", ", kCompiler, ", ",
                 joined(options), "\nlibraries: ", joined(libraries),
                 "\nOpenCL drivers: see rhomb devices\n");
}

}  // namespace rhomb::cli
