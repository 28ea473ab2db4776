// SPDX-License-Identifier: Apache-2.0
#include "host/error.h"

namespace rhomb {
namespace {

std::string located(const std::string& file, const std::string& record, long line,
                    const std::string& what) {
  std::string text = file;
  if (line > 0) text += ", line " + std::to_string(line);
  if (!record.empty()) text += ", record '" + record + "'";
  return text + ": " + what;
}

}  // namespace

InputError::InputError(const std::string& file, const std::string& record, long line,
                       const std::string& what)
    : Error(Kind::kInput, located(file, record, line, what)),
      file_(file),
      record_(record),
      line_(line) {}

}  // namespace rhomb
