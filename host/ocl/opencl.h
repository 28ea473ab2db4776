// SPDX-License-Identifier: Apache-2.0
// OpenCL's C++ bindings, configured once. Included under host/ocl alone.
#pragma once

#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#define CL_HPP_ENABLE_EXCEPTIONS
#ifdef __GNUC__
#pragma GCC system_header
#endif
#include <CL/opencl.hpp>
