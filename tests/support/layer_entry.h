// SPDX-License-Identifier: Apache-2.0
// What an OpenCL layer has besides its functions: the loader's two questions. Included at the end
// of a layer, which has kLayerName, and install_hooks() that puts its functions into `hooks`.
#pragma once

#include <CL/cl_layer.h>

#include <cstring>

extern "C" CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size,
                                                          void* value, size_t* size_ret) {
  constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  const void* answer = nullptr;
  size_t length = 0;
  if (name == CL_LAYER_API_VERSION) {
    answer = &kVersion;
    length = sizeof kVersion;
  } else if (name == CL_LAYER_NAME) {
    answer = kLayerName;
    length = sizeof kLayerName;
  } else {
    return CL_INVALID_VALUE;
  }
  if (size_ret) *size_ret = length;
  if (!value) return CL_SUCCESS;
  if (size < length) return CL_INVALID_VALUE;
  std::memcpy(value, answer, length);
  return CL_SUCCESS;
}

extern "C" CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries,
                                                       const cl_icd_dispatch* below,
                                                       cl_uint* entries_ret,
                                                       const cl_icd_dispatch** dispatch_ret) {
  constexpr cl_uint kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);
  if (!below || !entries_ret || !dispatch_ret || entries < kEntries) return CL_INVALID_VALUE;
  target = *below;
  hooks = target;
  install_hooks();
  *entries_ret = kEntries;
  *dispatch_ret = &hooks;
  return CL_SUCCESS;
}
