// SPDX-License-Identifier: Apache-2.0
// rhomb devices: what OpenCL offers on this machine.
#include <optional>
#include <string>
#include <vector>

#include "host/engine/cost.h"
#include "host/ocl/device.h"
#include "host/tune/store.h"
#include "tools/cli/command_line.h"
#include "tools/cli/json.h"
#include "tools/cli/messages.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/pocl_cache.h"
#include "tools/cli/session.h"
#include "tools/cli/text.h"
#include "tools/cli/verbs.h"

namespace rhomb::cli {
namespace {

constexpr const char* kInstall =
    R"(. rhomb computes on whatever OpenCL driver is installed:
  any CPU       apt install pocl-opencl-icd, or with pip: RHOMB_DRIVERS (rhomb devices --help)
  NVIDIA        comes with the driver; a container also needs /etc/OpenCL/vendors/nvidia.icd, a
                file that holds the line libnvidia-opencl.so.1
  AMD, Intel    apt install rocm-opencl-icd or mesa-opencl-icd; intel-opencl-icd
`clinfo -l` shows what the system sees. rhomb distance --engine reference needs no OpenCL, but is
slow for long sequences.)";

Help help() {
  return {
      "rhomb devices [options]",
      R"(Lists the OpenCL devices. `*` marks the one that is used when no --device is given: the fastest
GPU, else the CPU, by Intel's driver if there are several; RHOMB_DEVICE in the environment says
otherwise. The index, a part of the name, `cpu` or `gpu` is what --device takes. Exit code 4 if there
is no device at all.

RHOMB_DRIVERS in the environment names drivers beside those that the system knows: shared libraries,
with colons between. So one needs no right to install: Intel's driver for CPUs, for instance, which
runs on AMD's too, is made of the packages intel-opencl-rt and intel-cmplr-lib-rt of pip, as
lib/libintelocl.so in an environment (python3 -m venv).

--measure takes a few seconds. It measures how fast the marked device runs each engine, prints the
numbers, and keeps them where the choice of an engine looks for them. H100s, H200s and CPUs under PoCL come
with numbers; any other device is measured before the first pair that takes long.

JSON has one object per device: index, default, name, vendor, platform, driver, type, compute_units,
clock_mhz, memory, largest_buffer, local_memory (bytes), max_work_group, version, usable, notes.
With --measure it has one object per number: device, number, seconds, meaning.
)",
      R"(  rhomb devices
  rhomb devices --format json | jq -r .name
  rhomb devices --measure --device gpu
  RHOMB_DEVICE=cpu rhomb devices
)"};
}

Group choice_group() {
  return {"Device",
          {{"d,device", "DEVICE", "mark what this selects, not the default"},
           {"measure", "", "measure the marked device and keep the numbers"}}};
}

std::string notes(const ocl::DeviceInfo& device) {
  return device.usable ? "" : "not usable: needs OpenCL 1.2, a compiler, a CPU, GPU or accelerator";
}

Json object(const ocl::DeviceInfo& device, bool chosen) {
  Json object;
  object["index"] = device.index;
  object["default"] = chosen;
  object["name"] = device.name;
  object["vendor"] = device.vendor;
  object["platform"] = device.platform;
  object["driver"] = device.driver;
  object["type"] = device.type();
  object["compute_units"] = device.limits.compute_units;
  object["clock_mhz"] = device.limits.clock_mhz;
  object["memory"] = device.limits.global_bytes;
  object["largest_buffer"] = device.limits.alloc_bytes;
  object["local_memory"] = device.limits.local_bytes;
  object["max_work_group"] = device.limits.max_work_group;
  object["version"] = device.version;
  object["usable"] = device.usable;
  object["notes"] = notes(device);
  return object;
}

std::vector<std::string> row(const ocl::DeviceInfo& device, bool chosen) {
  return {std::to_string(device.index),
          chosen ? "*" : "-",
          field(device.name),
          field(device.platform),
          field(device.driver),
          device.type(),
          std::to_string(device.limits.compute_units),
          human_bytes(device.limits.global_bytes),
          field(device.version),
          field(notes(device))};
}

/// What was measured: for each number its name, its seconds, and what it means.
std::string shown(const std::vector<std::vector<std::string>>& rows, const ocl::DeviceInfo& device,
                  Format format) {
  if (format == Format::kTsv) return tsv(rows);
  if (format == Format::kTable) return aligned(rows);
  std::string lines;
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
    Json object;
    object["device"] = device.name;
    object["number"] = (*row)[0];
    object["seconds"] = rounded((*row)[1]);
    object["meaning"] = (*row)[2];
    lines += json_line(object);
  }
  return lines;
}

}  // namespace

int run_devices(int argc, const char* const* argv) {
  CommandLine line(help(), {choice_group(), without(output_group(kListFormats), {"progress"})});
  if (!parse_or_help(line, argc, argv)) return 0;
  line.files(0);
  const OutputOptions output = parse_output(line, kListFormats);
  provide_pocl_cache();
  const auto devices = ocl::list_devices();
  if (devices.empty())
    throw ocl::DeviceError(text_of("no OpenCL device found: ", ocl::why_no_devices(), kInstall), 0,
                           "");

  std::optional<int> chosen;
  const std::string selector = parse_device(line).selector;
  try {
    chosen = ocl::choose_device(selector, devices).index;
  } catch (const Error&) {
    if (line.has("device")) throw;
    // A wrong RHOMB_DEVICE, or nothing usable: the list is what helps.
    const std::string why = selector.empty() ? "no device is usable"
                                             : "RHOMB_DEVICE=" + selector + " selects no device";
    say(why);
  }

  Output out(output.file);
  if (line.has("measure")) {
    if (!chosen) throw UsageError("no device to measure");
    Session session({std::to_string(*chosen), {}}, true);
    const Rates rates = measure_rates(*session.open());
    std::vector<std::vector<std::string>> values = {{"number", "seconds", "meaning"}};
    for (const RateField& field : rate_fields())
      values.push_back({field.name, significant(rates.*field.value), field.meaning});
    out.write(shown(values, *session.info(), output.format));
    say(remember_rates(*session.info(), rates)
            ? text_of("kept in ", tune::store_path())
            : "not kept: there is no folder for them that can be written to");
    out.commit();
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {{"index", "default", "name", "platform", "driver",
                                                 "type", "compute_units", "memory", "version",
                                                 "notes"}};
  for (const auto& device : devices) {
    const bool is_chosen = chosen == device.index;
    if (output.format == Format::kJson)
      out.write(json_line(object(device, is_chosen)));
    else
      rows.push_back(row(device, is_chosen));
  }
  if (output.format == Format::kTable) out.write(aligned(rows));
  if (output.format == Format::kTsv) out.write(tsv(rows));
  out.commit();
  return 0;
}

}  // namespace rhomb::cli
