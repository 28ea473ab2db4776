#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cmake -S . -B build/conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -DRHOMB_TESTS=OFF -DRHOMB_PEERS=OFF -DRHOMB_CUDA=OFF -DRHOMB_MPI=OFF -DRHOMB_PYTHON_MODULE=OFF
cmake --build build/conda --parallel "${CPU_COUNT:-2}"
cmake --install build/conda
