# SPDX-License-Identifier: Apache-2.0
"""Drivers of OpenCL that pip has installed (`pip install rhomb[cpu]`), which no loader looks for: rhomb is told of them
by $RHOMB_DRIVERS, and so is a program `rhomb` that a process starts. They come beside those of the system."""

import os
from importlib import metadata

# Distributions, and what their library's name begins with.
_KNOWN = {"intel-opencl-rt": "libintelocl.so", "pocl-binary-distribution": "libpocl"}


def installed() -> list[str]:
    """The libraries of all that are there, one each."""
    found = []
    for name, library in _KNOWN.items():
        try:
            files = metadata.files(name) or []
        except metadata.PackageNotFoundError:
            continue
        for file in files:
            path = os.path.realpath(file.locate())
            if file.name.startswith(library) and (file.name.endswith(".so") or ".so." in file.name) and os.path.isfile(path):
                found.append(path)
                break
    return found


def provide() -> None:
    """Unless the user has said which drivers there are to be."""
    if not {"RHOMB_DRIVERS", "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"} & set(os.environ) and (found := installed()):
        os.environ["RHOMB_DRIVERS"] = ":".join(found)
