// SPDX-License-Identifier: Apache-2.0
#include "host/ocl/error.h"

#include <algorithm>
#include <string_view>

namespace rhomb::ocl {
namespace {

struct Code {
  int code;
  const char* name;
  const char* meaning;
};

constexpr Code kCodes[] = {
    {0, "CL_SUCCESS", "no error"},
    {-1, "CL_DEVICE_NOT_FOUND", "there is no such device"},
    {-2, "CL_DEVICE_NOT_AVAILABLE", "the device is in use or switched off"},
    {-3, "CL_COMPILER_NOT_AVAILABLE", "the driver has no compiler"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE", "the device has no memory left for a buffer"},
    {-5, "CL_OUT_OF_RESOURCES",
     "the device ran out of registers, local memory or memory, or a kernel was aborted"},
    {-6, "CL_OUT_OF_HOST_MEMORY", "the host has no memory left for the driver"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE", "no times were recorded"},
    {-8, "CL_MEM_COPY_OVERLAP", "source and target of a copy overlap"},
    {-9, "CL_IMAGE_FORMAT_MISMATCH", "image formats differ"},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED", "the image format is not supported"},
    {-11, "CL_BUILD_PROGRAM_FAILURE", "a kernel file did not compile"},
    {-12, "CL_MAP_FAILURE", "a buffer could not be mapped"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET", "a sub-buffer is misaligned"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "an earlier command failed"},
    {-15, "CL_COMPILE_PROGRAM_FAILURE", "a kernel file did not compile"},
    {-16, "CL_LINKER_NOT_AVAILABLE", "the driver has no linker"},
    {-17, "CL_LINK_PROGRAM_FAILURE", "a program did not link"},
    {-18, "CL_DEVICE_PARTITION_FAILED", "the device could not be divided"},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE", "nothing is known of the kernel's arguments"},
    {-30, "CL_INVALID_VALUE", "a value is out of range"},
    {-31, "CL_INVALID_DEVICE_TYPE", "there is no such type of device"},
    {-32, "CL_INVALID_PLATFORM", "the platform is not valid"},
    {-33, "CL_INVALID_DEVICE", "the device is not valid"},
    {-34, "CL_INVALID_CONTEXT", "the context is not valid"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES", "the queue's properties are not supported"},
    {-36, "CL_INVALID_COMMAND_QUEUE", "the queue is not valid, perhaps after a failed kernel"},
    {-37, "CL_INVALID_HOST_PTR", "a host pointer is not valid"},
    {-38, "CL_INVALID_MEM_OBJECT", "a buffer is not valid"},
    {-42, "CL_INVALID_BINARY", "the binary was made for another device or driver"},
    {-43, "CL_INVALID_BUILD_OPTIONS", "the compiler does not know an option"},
    {-44, "CL_INVALID_PROGRAM", "the program is not valid"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE", "the program was not built for this device"},
    {-46, "CL_INVALID_KERNEL_NAME", "the program has no kernel of this name"},
    {-47, "CL_INVALID_KERNEL_DEFINITION", "the kernel differs between devices"},
    {-48, "CL_INVALID_KERNEL", "the kernel is not valid"},
    {-49, "CL_INVALID_ARG_INDEX", "the kernel has fewer arguments"},
    {-50, "CL_INVALID_ARG_VALUE", "the argument's value does not fit"},
    {-51, "CL_INVALID_ARG_SIZE", "the argument's size does not fit"},
    {-52, "CL_INVALID_KERNEL_ARGS", "the kernel has more arguments"},
    {-53, "CL_INVALID_WORK_DIMENSION", "the number of dimensions is not supported"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE", "the kernel does not run with this work-group size"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE", "the work-group is larger than the device permits"},
    {-56, "CL_INVALID_GLOBAL_OFFSET", "the global offset is not valid"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST", "an event in the wait list is not valid"},
    {-58, "CL_INVALID_EVENT", "the event is not valid"},
    {-59, "CL_INVALID_OPERATION", "the operation is not permitted here"},
    {-61, "CL_INVALID_BUFFER_SIZE", "the buffer is larger than the device permits"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE", "the number of work-items is not permitted"},
    {-64, "CL_INVALID_PROPERTY", "a property is not supported"},
    {-66, "CL_INVALID_COMPILER_OPTIONS", "the compiler does not know an option"},
    {-67, "CL_INVALID_LINKER_OPTIONS", "the linker does not know an option"},
    {-70, "CL_INVALID_SPEC_ID", "there is no such specialization constant"},
    {-71, "CL_MAX_SIZE_RESTRICTION_EXCEEDED", "a size is larger than the kernel permits"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", "no OpenCL driver is installed"},
    {-9999, "NVIDIA's illegal access", "a kernel read or wrote outside its buffers"},
};

const Code* find(int code) {
  const auto* found = std::ranges::find(kCodes, code, &Code::code);
  return found == std::end(kCodes) ? nullptr : found;
}

/// CL_OUT_OF_RESOURCES says memory where memory is handed out (drivers that allocate late say it at
/// the first use of a buffer), and registers or an aborted kernel elsewhere.
Kind kind_of(std::string_view call, int code) {
  constexpr std::string_view kAllocating[] = {"clCreateBuffer", "clEnqueueWriteBuffer",
                                              "clEnqueueFillBuffer", "clEnqueueCopyBuffer"};
  const bool allocating = std::ranges::any_of(
      kAllocating, [call](std::string_view name) { return call.starts_with(name); });
  if (code == -4 || code == -6 || code == -61) return Kind::kMemory;
  if (code == -5 && allocating) return Kind::kMemory;
  return Kind::kDevice;
}

std::string describe(const std::string& call, int code, const std::string& device) {
  const std::string where = device.empty() ? "" : " on '" + device + "'";
  if (code == 0) return call + where;
  return call + " failed" + where + ": " + error_name(code) + " (" + std::to_string(code) + "), " +
         error_meaning(code);
}

}  // namespace

std::string error_name(int code) {
  const Code* known = find(code);
  return known ? known->name : "OpenCL error";
}

std::string error_meaning(int code) {
  const Code* known = find(code);
  return known ? known->meaning : "an error of this driver alone";
}

DeviceError::DeviceError(const std::string& call, int code, const std::string& device)
    : Error(kind_of(call, code), describe(call, code, device)), call_(call), code_(code) {}

BuildError::BuildError(const std::string& file, const std::string& defines,
                       const std::string& device, const std::string& log)
    : Error(Kind::kDevice, "kernel file '" + file + "' does not compile on '" + device + "'" +
                               (defines.empty() ? "" : " with " + defines) + ":\n" +
                               (log.empty() ? "(the compiler said nothing)" : log)),
      file_(file),
      defines_(defines),
      log_(log) {}

}  // namespace rhomb::ocl
