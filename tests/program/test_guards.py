"""Kernels read and write within their buffers: each is beside memory that nobody may touch (tests/support/guard_layer.cpp),
so that one which does not ends the program. CTest runs all C++ tests of devices so; here the layer itself is tested."""
import os
import shutil
from pathlib import Path

import pytest

from conftest import ROOT, fasta, random_text

SIGSEGV = -11
SHORT = fasta((f"s{i}", random_text(3 + i, i)) for i in range(5))
LONG = fasta((f"q{i}", random_text(130 + i, i)) for i in range(5))
# What is changed in a kernel, which then reads outside of a buffer on that side, and a run that does.
WRONG = {
    "end": ("gaps/lanes.h", "first = min_u32((u32)top, own.rows + 1);", "first = (u32)top;",
            "gaps long.fa short.fa --max-gaps 2 --band 3 --variant gaps-lanes"),
    "begin": ("lcs/rows.h", "length > 0 ? text[0] : 0", "length > 0 ? text[-1] : 0",
              "lcs long.fa short.fa --variant crochemore"),
}


@pytest.fixture
def layer(sanitized):
    if sanitized:
        pytest.skip("AddressSanitizer tells of what the driver's kernels do in its own way")
    path = Path(os.environ.get("RHOMB_GUARD_LAYER", ROOT / "build/checked/tests/librhomb_guard.so"))
    if not path.is_file():
        pytest.fail(f"there is no layer {path}: build the target rhomb_guard")
    return path


@pytest.mark.parametrize("side", ["end", "begin"])
def test_kernels_stay_in_their_buffers(rhomb, write, layer, side):
    write("short.fa", SHORT)
    write("long.fa", LONG)
    file, right, wrong, command = WRONG[side]
    guarded = {"OPENCL_LAYERS": layer, "RHOMB_GUARD": side}
    assert rhomb(command, "-d cpu", env=guarded).out == rhomb(command.split(" --variant")[0], "--variant reference").out

    shutil.copytree(ROOT / "cl", rhomb.folder / "cl")
    kernel = rhomb.folder / "cl" / file
    text = kernel.read_text()
    assert right in text
    kernel.write_text(text.replace(right, wrong))
    run = rhomb.start(command, "-d cpu --kernels cl", env=guarded, stdout=-1, stderr=-1)
    run.communicate(timeout=120)
    assert run.returncode == SIGSEGV
