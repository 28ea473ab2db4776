"""Compiles every kernel file with clang's OpenCL front end, for a device with 64-bit and one with 32-bit
addresses, all warnings errors. Finds without any device what only some drivers reject.

A .cl file says which defines to compile it with, one set a line: // check: -DWG=64 -DITEMS=4
"""
import os
import shlex
import shutil
import subprocess

import pytest

from conftest import ROOT

FILES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "cl").rglob("*.cl"))
CHOICES = [os.environ.get("CLANG"), "clang", *(f"clang-{release}" for release in range(20, 13, -1))]
CLANG = next((name for name in CHOICES if name and shutil.which(name)), None)
MARK = "// check:"


def test_there_are_kernels():
    assert len(FILES) > 10


@pytest.mark.skipif(not CLANG, reason="clang is not installed")
@pytest.mark.parametrize("file", FILES)
def test_compiles(file):
    with open(ROOT / file) as text:
        sets = [line[len(MARK):].strip() for line in text if line.startswith(MARK)]
    assert sets, f"{file} has no line '{MARK} -D...' and so is never compiled"
    for defines in dict.fromkeys(sets):
        for target in "spir64", "spir":
            # A header serves many files and shapes, so what one of them leaves unused is no fault.
            command = [CLANG, "-x", "cl", "-cl-std=CL1.2", "-target", target, "-Xclang", "-finclude-default-header",
                       "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-parameter", "-I", "cl",
                       *shlex.split(defines), "-emit-llvm", "-S", "-o", os.devnull, file]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, f"for {target} with {defines}:\n{done.stderr}"
