// SPDX-License-Identifier: Apache-2.0
// Store: what was measured on devices, as JSON lines: in the user's data directory
// ($XDG_DATA_HOME/rhomb or ~/.local/share/rhomb), and shipped within the program.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/ocl/limits.h"

namespace rhomb::tune {

/// One line: numbers of one kind, measured on one device.
struct Record {
  std::string kind;            ///< "rates"
  std::string device;          ///< its name, or the beginning of it
  std::string driver;          ///< empty: any
  unsigned compute_units = 0;  ///< of the device that was measured
  std::map<std::string, double> values;
};

/// The record of `kind` that fits a device best: the newest of the user's store with the same name,
/// driver and units; else the shipped one with the longest name that the device's begins with.
/// Lines that cannot be read are skipped.
struct Found {
  Record record;
  bool shipped = false;
};
std::optional<Found> find_record(std::string_view kind, const ocl::DeviceInfo& device);

/// Adds a line to the user's store. False when that is impossible.
bool add_record(const Record& record);

/// The user's store: a file that need not exist; empty when there is no place for one.
std::string store_path();

/// Stores within the program: tools/tuned/*.jsonl at build time. Defined in the file that
/// tools/embed.cmake writes.
struct ShippedStore {
  std::string_view path;
  std::string_view text;
};
std::span<const ShippedStore> shipped_stores();

}  // namespace rhomb::tune
