"""Makes OpenCL calls fail, one at a time, and looks at how the program takes it: exit code 4 (device) or 5
(memory), the call named on standard error, no output file; or the right answer where it could do without.
Never a crash, never a wrong number.

The layer (tests/support/fault_layer.cpp) sits between the OpenCL loader and the driver. RHOMB_FAULT_LOG names
a file where it writes each call; RHOMB_FAULT=clCreateBuffer:2:-4 makes the second clCreateBuffer return -4.
"""
import json
import os
import random
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from conftest import BA, ROOT, WUHAN, fasta, leftovers, mutate, normal, random_text

# What a run may do without: then it must still end with the right answer. (Waiting is among it because a
# read that nobody needs any more is settled by clFinish where its wait fails.)
ALWAYS = {"clCreateProgramWithBinary", "clGetProgramInfo", "clWaitForEvents"}
# Asked while listing devices, where a device that does not answer is left out: exit code 4, but the message
# says which devices there are, not which call failed.
LISTING = {"clGetPlatformIDs", "clGetPlatformInfo", "clGetDeviceIDs", "clGetDeviceInfo"}
MEMORY = re.compile("clCreateBuffer|clEnqueue.*")

PAIR = f"distance {WUHAN} {BA} --format json"
CASES = {  # several batches or blocks each
    "wavefront": f"{PAIR} --engine wavefront --config BATCH=16",
    "strips": f"{PAIR} --engine strips --config BATCH=2,SLAB=32",
    "diamond": f"{PAIR} --variant diamond --config T=4,BATCH=5",
    "prefetch": f"{PAIR} --variant prefetch --config BATCH=16",
    "search": "search reads.fa text.fa -k 4 --both-strands --variant strips-batch --memory 20k",
    "search-local": "search reads.fa text.fa -k 4 --variant task-local",
    "align-batch": "align reads.fa targets.fa --all-pairs --variant wavefront-batch",
    "lcs": "lcs query.fa targets.fa --memory 20k",
    "lcs-rows": "lcs query.fa targets.fa --variant crochemore --top 3 --subsequence",
}


@pytest.fixture
def layer():
    path = Path(os.environ.get("RHOMB_FAULT_LAYER", ROOT / "build/checked/tests/librhomb_fault.so"))
    if not path.is_file():
        pytest.fail(f"there is no layer {path}: build the target rhomb_fault")
    return path


@pytest.fixture
def inputs(write):
    text = random_text(3000, 11)
    write("text.fa", fasta([("text", text), ("other", random_text(500, 12))]))
    write("reads.fa", fasta((f"r{i}", mutate(text[97 * i:97 * i + 30 + i], 0.05, i)) for i in range(20)))
    target = random_text(200, 13)
    write("query.fa", fasta([("q", target)]))
    write("targets.fa", fasta((f"s{i}", mutate(target, 0.2, i)) for i in range(150)))


class Faults:
    """Runs one command again and again, each time with another fault."""

    def __init__(self, rhomb, layer, command, output):
        self.rhomb, self.layer, self.command, self.output = rhomb, layer, command, output
        self.cache = Path(rhomb.environment["XDG_CACHE_HOME"])
        self.calls = rhomb.folder / "calls"
        self.tried, self.problems = 0, []

    def forget(self):
        shutil.rmtree(self.cache, ignore_errors=True)

    def run(self, fault=None):
        """Exit code, answer (None if there is none) and standard error; calls are in self.calls."""
        for path in self.calls, self.rhomb.folder / "out":
            path.unlink(missing_ok=True)
        env = {"OPENCL_LAYERS": self.layer, "RHOMB_FAULT_LOG": self.calls, "RHOMB_FAULT": fault}
        child = self.rhomb.start(self.command, "--output out" if self.output else "", env=env, stdout=-1, stderr=-1)
        out, err = (text.decode() for text in child.communicate(timeout=120))
        if self.output:
            path = self.rhomb.folder / "out"
            assert out == ""
            out = path.read_text() if path.exists() else None
        return child.returncode, out or None, err

    def answer(self, out):
        if self.command.startswith("distance"):
            return [answer["distance"] for answer in map(json.loads, out.splitlines())]
        return normal(out)

    def good(self):
        """The answer and the calls of a run without a fault."""
        code, out, err = self.run()
        assert code == 0 and out, f"exit code {code} without a fault\n{err}"
        assert self.calls.exists(), "the layer was not loaded"
        return self.answer(out), Counter(self.calls.read_text().split())

    def try_all(self, expected, counts, recovers, cold, seed):
        source = random.Random(seed)
        for function, count in sorted(counts.items()):
            numbers = sorted({1, count, source.randint(1, count)})
            errors = [-4, -5] if MEMORY.fullmatch(function) else [-6]
            # Each of these calls fails once; with the errors in turn, and each error once at least.
            for i in range(max(len(numbers), len(errors))):
                if cold:
                    self.forget()
                self.try_one(expected, function, numbers[i % len(numbers)], errors[i % len(errors)], recovers)

    def try_one(self, expected, function, number, error, recovers):
        self.tried += 1
        code, out, err = self.run(f"{function}:{number}:{error}")
        reached = self.calls.read_text().split().count(function) >= number
        what = None
        if code == 0:
            if out is None or self.answer(out) != expected:
                what = "exit code 0 without the right answer"
            elif reached and function not in recovers | LISTING:
                what = "exit code 0"
        elif code not in (4, 5):
            what = f"exit code {code}"
        elif out is not None:
            what = "failed, but left output"
        elif function not in err and function not in LISTING:
            what = "the message does not name the call"
        if leftovers(self.rhomb.folder):
            what = f"left {leftovers(self.rhomb.folder)}"
        if what:
            self.problems.append(f"{function}, call {number}, error {error}: {what}\n{err[:500]}")

    def check(self):
        assert self.tried > 0
        assert not self.problems, f"{len(self.problems)} of {self.tried} faults:\n" + "\n".join(self.problems)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("cache", ["empty", "full"])
def test_faults(rhomb, layer, inputs, sanitized, case, cache):
    """With an empty cache of programs, which compiles; with a full one, which loads."""
    if sanitized:
        pytest.skip("a sanitizer takes the allocations of a failed driver call for the program's")
    if cache == "empty" and case not in ("strips", "wavefront", "search", "lcs"):
        pytest.skip("how programs are made does not depend on the variant")
    faults = Faults(rhomb, layer, CASES[case], True)
    expected, _ = faults.good()
    recovers = set(ALWAYS)
    if case.startswith("lcs"):
        recovers.add("clFinish")  # at the end, when events have told that all answers are there
    if cache == "empty":
        faults.forget()
        _, counts = faults.good()
        # The runs with a full cache make all other calls.
        counts = {name: n for name, n in counts.items() if "Program" in name or "Kernel" in name}
    else:
        _, counts = faults.good()
        recovers.add("clBuildProgram")  # of a program from the cache; then it is compiled instead
    faults.try_all(expected, counts, recovers, cache == "empty", 2)
    faults.check()


def test_faults_while_listing_devices(rhomb, layer):
    faults = Faults(rhomb, layer, "devices --format json", False)
    expected, counts = faults.good()
    for function, count in counts.items():
        for number in {1, count}:
            faults.tried += 1
            code, out, err = faults.run(f"{function}:{number}:-6")
            if code == 0:
                assert all(isinstance(json.loads(line), dict) for line in out.splitlines())
            elif code != 4 or out:
                faults.problems.append(f"{function}, call {number}: exit code {code}\n{err}")
    faults.check()


TUNE = "tune --length 1k --variant group --runs 1 --progress none --budget"


@pytest.fixture(scope="module")
def ceilings(shared_rhomb):
    """The data directory of somebody who tuned something else: the device is measured."""
    shared_rhomb("tune --length 1k --variant dynamic --runs 1 --progress none --budget 3")
    return Path(shared_rhomb.environment["XDG_DATA_HOME"])


@pytest.mark.parametrize("function", ["clCreateContext", "clBuildProgram", "clCreateBuffer", "clEnqueueNDRangeKernel",
                                      "clEnqueueReadBuffer", "clFinish"])
def test_faults_while_tuning(rhomb, layer, sanitized, ceilings, tmp_path, function):
    """A configuration that fails costs itself, or the sweep ends; what is kept is whole and nothing is wrong."""
    if sanitized:
        pytest.skip("a sanitizer takes the allocations of a failed driver call for the program's")
    data, calls = tmp_path / "data-of-tune", tmp_path / "calls"
    shutil.copytree(ceilings, data)
    env = {"OPENCL_LAYERS": layer, "RHOMB_FAULT": f"{function}:1:-6", "RHOMB_FAULT_LOG": calls, "XDG_DATA_HOME": data}
    child = rhomb.start(TUNE, "2", env=env, stdout=-1, stderr=-1)
    out, err = (text.decode() for text in child.communicate(timeout=120))
    assert function in calls.read_text().split()
    assert child.returncode in (0, 4, 5), err
    if child.returncode:
        assert "rhomb: error: " in err
    for path in data.glob("rhomb/*.jsonl"):
        for line in path.read_text().splitlines():
            assert json.loads(line).get("outcome") != "wrong", line
    if child.returncode == 0:
        assert len(out.splitlines()) == 2
