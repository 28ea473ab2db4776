"""Makes OpenCL calls fail, one at a time, and looks at how the program takes it: exit code 4 (device) or 5
(memory), the call named on standard error, no output file; or the right answer where it could do without.
Never a crash, never a wrong number.

The layer (tests/support/fault_layer.cpp) sits between the OpenCL loader and the driver. RHOMB_FAULT_LOG names
a file where it writes each call; RHOMB_FAULT=clCreateBuffer:2:-4 makes the second clCreateBuffer return -4;
clCreateBuffer:2:-36:on that one and every call behind it, as a device does that is gone. RHOMB_FAULT_GPU=1 has the CPU
say that it is a GPU, which is waited for in another way (status:2:-5: the second time a command's state is asked for it
has failed).

By default a sample of the calls fails, in each case another; `-m slow` has each of the first 300 calls of each function fail,
and the device gone from each tenth of them on: some 15,000 runs, 40 minutes.
"""
import json
import os
import random
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from conftest import BA, ROOT, WUHAN, leftovers, normal, write_every_input

# What a run may do without: then it must still end with the right answer. (Waiting is among it because a
# read that nobody needs any more is settled by clFinish where its wait fails. Unmapping gives memory back.)
ALWAYS = {"clCreateProgramWithBinary", "clGetProgramInfo", "clWaitForEvents", "clGetEventInfo", "status", "clEnqueueUnmapMemObject"}
# What a trace does without: it lacks times then.
TRACE = {"clEnqueueMarkerWithWaitList", "clGetEventProfilingInfo", "clRetainEvent"}
# What another thread gets ready meanwhile, on a queue of its own; if that fails, it is made when it is needed.
MEANWHILE = {"clCreateCommandQueue", "clCreateCommandQueueWithProperties", "clCreateProgramWithSource", "clBuildProgram",
             "clCreateKernel"}
# Asked while listing devices, where a device that does not answer is left out: exit code 4, but the message
# says which devices there are, not which call failed.
LISTING = {"clGetPlatformIDs", "clGetPlatformInfo", "clGetDeviceIDs", "clGetDeviceInfo"}
SANITIZED = "a sanitizer takes the allocations of a failed driver call for the program's"
HANGS = "hangs"
GONE = -36
MEMORY = re.compile("clCreateBuffer|clEnqueue.*")

ERRORS = re.compile(r"^rhomb: error: .*\b(cl[A-Z]\w+|a command)\b.* failed")

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
ALIGN = "align a.fa b.fa --format paf --cs short"
MANY = "distance targets.fa query.fa --all-pairs --format json"
GAPS = "gaps query.fa targets.fa --all-pairs --max-gaps 2 --cigar"
PRIMER = "primer alpha.fa beta.fa -k 4 --memory 1k"
BLOCKS = "distance a.fa b.fa --format json --variant strips-blocks --config BLOCK=1,BATCH=2"
# The same, of which fewer calls fail by default. Those whose names end in -gpu meet a GPU, in -two two devices, one of
# which fails (or both, where they are gone).
MORE = {
    "blocks": BLOCKS,
    "corridor": f"{PAIR} --engine corridor",
    "align-strips": f"{ALIGN} --engine strips",
    "align-wavefront": f"{ALIGN} --engine wavefront",
    "align-corridor": f"align {WUHAN} {BA} --engine corridor",
    "pairs-bands": f"{MANY} --variant band-batch",
    "pairs-strips": f"{MANY} --variant strips-batch",
    "pairs-wavefront": f"{MANY} --variant wavefront-batch",
    "gaps": f"{GAPS} --variant gaps-lanes --memory 20k",
    "gaps-rows": f"{GAPS} --variant multi-b --memory 300k",
    "primer": f"{PRIMER} --witness --variant cores",
    "primer-windows": "primer alpha.fa beta.fa --length 12 --memory 1k --variant dense",
    "primer-starts": f"{PRIMER} --variant conventional",
    "trace": f"{PAIR} --engine strips --config BATCH=2 --trace trace.json",
    "wavefront-gpu": CASES["wavefront"],
    "strips-gpu": CASES["strips"],
    "align-wavefront-gpu": f"{ALIGN} --engine wavefront",
    "corridor-gpu": f"{PAIR} --engine corridor",
    "align-corridor-gpu": f"align {WUHAN} {BA} --engine corridor",
    "pairs-gpu": f"{MANY} --variant strips-batch",
    "search-gpu": "search reads.fa text.fa -k 4 --variant strips-batch --memory 20k",
    "lcs-gpu": "lcs query.fa targets.fa --memory 20k",
    "gaps-gpu": f"{GAPS} --variant gaps-lanes --memory 20k",
    "primer-gpu": f"{PRIMER} --variant cores",
    "blocks-two": f"{BLOCKS} -d 0,1",
    "pairs-two": f"{MANY} --variant strips-batch -d 0,1",
    "search-two": "search reads.fa text.fa -k 4 --variant strips-batch --memory 20k -d 0,1",
    "lcs-two": "lcs query.fa targets.fa --memory 20k -d 0,1",
    "gaps-two": f"{GAPS} --variant gaps-lanes --memory 20k -d 0,1",
    "primer-two": f"{PRIMER} --variant cores -d 0,1",
}


@pytest.fixture
def layer():
    path = Path(os.environ.get("RHOMB_FAULT_LAYER", ROOT / "build/checked/tests/librhomb_fault.so"))
    if not path.is_file():
        pytest.fail(f"there is no layer {path}: build the target rhomb_fault")
    return path


@pytest.fixture
def inputs(tmp_path):
    write_every_input(tmp_path)


class Faults:
    """Runs one command again and again, each time with another fault."""

    def __init__(self, rhomb, layer, command, output, case=""):
        self.rhomb, self.layer, self.command, self.output = rhomb, layer, command, output
        self.machine = {"RHOMB_FAULT_GPU": "1" if case.endswith("-gpu") else None}
        if command.startswith("search"):  # to compile it well takes longer than to run it
            self.machine["RHOMB_BUILD_OPTIONS"] = "-cl-opt-disable"
        if case.endswith("-two"):
            self.machine["POCL_DEVICES"] = "pthread pthread"
        self.others_help = case == "blocks-two"  # the first device computes alone where another has no memory
        # An engine that lacks memory for an alignment gives way to another.
        self.other_ways = command.startswith("align") and "--engine" in command
        self.cache = Path(rhomb.environment["XDG_CACHE_HOME"])
        self.calls = rhomb.folder / "calls"
        self.tried, self.problems = 0, []

    def forget(self):
        shutil.rmtree(self.cache, ignore_errors=True)

    def run(self, fault=None):
        """Exit code, answer (None if there is none) and standard error; calls are in self.calls."""
        for name in "calls", "out", "trace.json":
            (self.rhomb.folder / name).unlink(missing_ok=True)
        env = {"OPENCL_LAYERS": self.layer, "RHOMB_FAULT_LOG": self.calls, "RHOMB_FAULT": fault, **self.machine}
        child = self.rhomb.start(self.command, "--output out" if self.output else "", env=env, stdout=-1, stderr=-1)
        try:
            out, err = (text.decode() for text in child.communicate(timeout=120))
        except subprocess.TimeoutExpired:
            child.kill()
            return HANGS, None, child.communicate()[1].decode()
        if self.output:
            path = self.rhomb.folder / "out"
            assert out == ""
            out = path.read_text() if path.exists() else None
        return child.returncode, out or None, err

    def answer(self, out):
        if self.command.startswith("distance") and "json" in self.command:
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
            numbers = sorted({source.choice([1, count]), source.randint(1, count)})
            errors = [-4, -5] if MEMORY.fullmatch(function) else [-6]
            # Each of these calls fails once; with the errors in turn, and each error once at least.
            for i in range(max(len(numbers), len(errors))):
                if cold:
                    self.forget()
                self.try_one(expected, function, numbers[i % len(numbers)], errors[i % len(errors)], recovers)

    def errors(self, function):
        """Of memory where a call takes some. (Others say so, too, but then another way may be gone.)"""
        return [-4, -5] if MEMORY.fullmatch(function) else [-33] if self.other_ways else [-6]

    def try_some(self, expected, counts, recovers, seed):
        """A sample: five calls fail, and the device is gone from two on."""
        source = random.Random(seed)
        for i in range(7):
            function = source.choice(sorted(counts))
            error = source.choice(self.errors(function)) if i < 5 else GONE
            self.try_one(expected, function, source.randint(1, counts[function]), error, recovers, gone=i >= 5)

    def try_first(self, expected, counts, recovers, most):
        """Each of the first calls of each function, with the errors in turn; the device is gone from some of them on."""
        for function, count in sorted(counts.items()):
            errors = self.errors(function)
            for number in range(1, min(count, most) + 1):
                self.try_one(expected, function, number, errors[number % len(errors)], recovers)
                if number < 3 or number % 10 == 0:
                    self.try_one(expected, function, number, GONE, recovers, gone=True)

    def try_one(self, expected, function, number, error, recovers, gone=False):
        self.tried += 1
        code, out, err = self.run(f"{function}:{number}:{error}" + ":on" * gone)
        reached = self.calls.read_text().split().count(function) >= number
        what = None
        if code == 0:
            if out is None or self.answer(out) != expected:
                what = "exit code 0 without the right answer"
            elif reached and function not in recovers | LISTING and not (
                    self.others_help or (self.other_ways and error in (-4, -5))):
                what = "exit code 0"
        elif code == HANGS:
            what = "hangs"
        elif code not in (4, 5):
            what = f"exit code {code}"
        elif out is not None or (self.rhomb.folder / "trace.json").exists():
            what = "failed, but left output"
        elif function not in LISTING and not (ERRORS.match(err) if gone or function == "status" else function in err):
            what = "the message does not name the call"
        elif function not in LISTING and len(err.splitlines()) != 1:
            what = "not one line"
        if leftovers(self.rhomb.folder):
            what = f"left {leftovers(self.rhomb.folder)}"
        if what:
            self.problems.append(f"{function}, call {number}, error {error}{', gone' * gone}: {what}\n{err[:500]}")

    def check(self):
        assert self.tried > 0
        assert not self.problems, f"{len(self.problems)} of {self.tried} faults:\n" + "\n".join(self.problems)


def recovers_of(case, cached):
    """What this run may do without."""
    recovers = set(ALWAYS)
    if case.startswith("lcs"):
        recovers.add("clFinish")  # at the end, when events have told that all answers are there
    if case.startswith("primer"):
        recovers.add("clCreateCommandQueue")  # at the end a queue is waited for that was not needed
    if case == "trace":
        recovers |= TRACE
    if case.endswith("-gpu"):
        recovers |= {"clFlush", "clEnqueueMarkerWithWaitList"}  # of waiting, see ALWAYS
        recovers |= MEANWHILE
    if cached:
        recovers.add("clBuildProgram")  # of a program from the cache; then it is compiled instead
    return recovers


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("cache", ["empty", "full"])
def test_faults(rhomb, layer, inputs, sanitized, case, cache):
    """With an empty cache of programs, which compiles; with a full one, which loads."""
    if sanitized:
        pytest.skip(SANITIZED)
    if cache == "empty" and case not in ("strips", "wavefront", "search", "lcs"):
        pytest.skip("how programs are made does not depend on the variant")
    faults = Faults(rhomb, layer, CASES[case], True)
    expected, _ = faults.good()
    if cache == "empty":
        faults.forget()
        _, counts = faults.good()
        # The runs with a full cache make all other calls.
        counts = {name: n for name, n in counts.items() if "Program" in name or "Kernel" in name}
    else:
        _, counts = faults.good()
    faults.try_all(expected, counts, recovers_of(case, cache == "full"), cache == "empty", 2)
    faults.check()


@pytest.mark.parametrize("case", MORE)
def test_more_faults(rhomb, layer, inputs, sanitized, case):
    if sanitized:
        pytest.skip(SANITIZED)
    faults = Faults(rhomb, layer, MORE[case], True, case)
    faults.good()
    expected, counts = faults.good()
    faults.try_some(expected, counts, recovers_of(case, True), case)
    faults.check()


def test_copies_end_before_their_memory_goes(rhomb, layer, inputs, sanitized):
    """Several reads are on their way while the next one fails."""
    if sanitized:
        pytest.skip(SANITIZED)
    case = "align-wavefront-gpu"
    faults = Faults(rhomb, layer, MORE[case], True, case)
    faults.good()
    expected, counts = faults.good()
    for number in range(1, counts["clEnqueueReadBuffer"] + 1):
        faults.try_one(expected, "clEnqueueReadBuffer", number, -5, recovers_of(case, True))
    faults.check()


@pytest.mark.slow
@pytest.mark.parametrize("case", [*MORE, *CASES])
def test_each_of_the_first_calls(rhomb, layer, inputs, sanitized, case):
    """Up to ten minutes a case."""
    if sanitized:
        pytest.skip(SANITIZED)
    faults = Faults(rhomb, layer, {**CASES, **MORE}[case], True, case)
    faults.good()
    expected, counts = faults.good()
    faults.try_first(expected, counts, recovers_of(case, True), 300)
    print(f"\n{case}: {faults.tried} faults")
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
        pytest.skip(SANITIZED)
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
