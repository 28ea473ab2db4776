// SPDX-License-Identifier: Apache-2.0
// Store: what was measured on devices, as JSON lines with checksums (seal.h): in the user's data
// directory ($XDG_DATA_HOME/rhomb or ~/.local/share/rhomb), and shipped within the program.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/ocl/limits.h"
#include "host/tune/trial.h"

namespace rhomb::tune {

/// One line: numbers of one kind, measured on one device.
struct Record {
  std::string kind;  ///< "rates", "ceilings"
  Machine machine;
  std::map<std::string, double> values;
};

/// A record that was found, and where.
struct Found {
  Record record;
  bool shipped = false;
};

/// A line of a store: a record or a setting.
struct Line {
  std::optional<Record> record;
  std::optional<Trial> setting;
  bool shipped = false;

  /// Nothing where `object`, without its checksum, is neither.
  static std::optional<Line> parse(std::string_view object);
  const Machine& machine() const { return setting ? setting->machine : record->machine; }
  std::string kind() const { return setting ? "setting" : record->kind; }
  /// Of lines that are about the same the last one counts.
  std::string about() const;
  std::string text() const;  ///< with its checksum
};

/// A configuration that was found to be fast, and how well it fits what is asked for.
struct Setting {
  Trial trial;
  bool shipped = false;
  std::string match;  ///< "measured on this device, at 1000000 symbols and divergence 0.5"
};

/// The lines of the user's store over those that were shipped.
class Store {
 public:
  Store() = default;
  /// Reads the user's store, and knows the shipped ones.
  static Store load();

  /// Adds the lines of a store. Damaged ones are left out and noted in warnings(), where `name`
  /// says where they stand. Trials are passed over.
  void add(std::string_view lines, bool shipped, const std::string& name);

  /// The record of `kind` that fits a device best: the newest of the user's with the same name,
  /// driver and units; else the shipped one with the longest name that the device's begins with.
  std::optional<Found> find(std::string_view kind, const ocl::DeviceInfo& device) const;

  /// The setting of a variant that fits best. It must be of this device (the user's with another
  /// driver is worse, shipped ones for the beginning of the name are worse still), of texts between
  /// half and twice as long, and where `divergence` is given of half to twice that.
  std::optional<Setting> nearest(std::string_view engine, std::string_view variant,
                                 const ocl::DeviceInfo& device, std::int64_t length,
                                 std::optional<double> divergence) const;

  /// All that is known, the user's last.
  const std::vector<Line>& lines() const { return lines_; }

  /// One line each about what was left out.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<Line> lines_;
  std::vector<std::string> warnings_;
};

/// A record as a line of a store.
std::string line_of(const Record& record);

/// Adds a line to the user's store, or several with line ends between. False when that is
/// impossible.
bool remember(const std::string& line);

/// The user's store, and the evidence of all sweeps: files that need not exist; empty when there is
/// no place for them.
std::string store_path();
std::string trials_path();

/// Stores within the program: tools/tuned/*.jsonl at build time. Defined in the file that
/// tools/embed.cmake writes.
struct ShippedStore {
  std::string_view path;
  std::string_view text;
};
std::span<const ShippedStore> shipped_stores();

}  // namespace rhomb::tune
