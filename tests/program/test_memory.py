"""Makes allocations of the program fail, one at a time: exit code 5, one line that says so, no output; or the right answer
where it could do without. Never a hang, never other output.

The library that does it (tests/support/memory_fault.cpp) is preloaded: RHOMB_MEMORY_FAULT=12 has the twelfth allocation
after main() began throw std::bad_alloc; RHOMB_MEMORY_LOG names a file that then tells how many there were.

The JSON library's destructors allocate, and its constructors clean up what is not there yet (3.11.2), so that a few
allocations end the process by a signal: a tenth of them at most.
"""
import os
import random
import re
from pathlib import Path

import pytest

from conftest import ROOT, fasta, leftovers, mutate, random_text

CASES = {
    "wavefront": "distance a.fa b.fa --engine wavefront",
    "strips": "distance a.fa b.fa --engine strips",
    "pairs": "distance targets.fa targets.fa --variant wavefront-batch",
    "align": "align a.fa b.fa",
    "search": "search reads.fa text.fa -k 4 --both-strands --cigar --variant strips-batch --memory 20k",
    "lcs": "lcs query.fa targets.fa --memory 20k --top 3 --subsequence",
    "gaps": "gaps query.fa targets.fa --all-pairs --max-gaps 2",
    "primer": "primer query.fa targets.fa -k 3 --witness",
}
SIGNALS = (-6, -11)


@pytest.fixture
def library(sanitized):
    if sanitized:
        pytest.skip("a sanitizer has allocations of its own")
    path = Path(os.environ.get("RHOMB_FAULT_LAYER", ROOT / "build/checked/tests/librhomb_fault.so")).with_name("librhomb_memory.so")
    if not path.is_file():
        pytest.fail(f"there is no {path}: build the target rhomb_memory")
    return path


@pytest.fixture
def inputs(write):
    text, a, target = random_text(3000, 11), random_text(3000, 21), random_text(200, 13)
    write("text.fa", fasta([("text", text), ("other", random_text(500, 12))]))
    write("reads.fa", fasta((f"r{i}", mutate(text[97 * i:97 * i + 30 + i], 0.05, i)) for i in range(20)))
    write("query.fa", fasta([("q", target)]))
    write("targets.fa", fasta((f"s{i}", mutate(target, 0.2, i)) for i in range(150)))
    write("a.fa", fasta([("a", a)]))
    write("b.fa", fasta([("b", mutate(a, 0.1, 22))]))


class Memory:
    def __init__(self, rhomb, library, command):
        self.rhomb, self.library, self.command = rhomb, library, command
        self.log, self.out = rhomb.folder / "count", rhomb.folder / "out"

    def run(self, fault=0):
        """Exit code, answer (None if there is none), standard error."""
        self.out.unlink(missing_ok=True)
        env = {"LD_PRELOAD": self.library, "RHOMB_BUILD_OPTIONS": "-cl-opt-disable", "RHOMB_MEMORY_LOG": self.log, "RHOMB_MEMORY_FAULT": fault}
        child = self.rhomb.start(self.command, "--output out", env=env, stdout=-1, stderr=-1)
        _, err = child.communicate(timeout=100)
        out = self.out.read_text() if self.out.exists() else None
        return child.returncode, out and [line.split("\t")[:5] for line in out.splitlines()], err.decode()

    def count(self):
        return int.from_bytes(self.log.read_bytes(), "little")

    def try_some(self, numbers):
        self.run()  # compiles
        code, expected, err = self.run()
        assert code == 0 and expected, err
        total = self.count()
        assert total > 1000, "the library was not loaded"
        problems, ended = [], 0
        numbers = numbers(total)
        for number in numbers:
            code, out, err = self.run(number)
            ended += code in SIGNALS
            what = None
            if code == 0:
                what = None if out == expected else "another answer"
            elif code == 5:
                if not re.fullmatch(r"rhomb: error: (out of memory: [^\n]*|[^\n]* do not fit in the host's memory)\n", err):
                    what = "not the one line"
            elif code not in SIGNALS:
                what = f"exit code {code}"
            if code != 0 and out is not None:
                what = "failed, but left output"
            if what:
                problems.append(f"allocation {number} of {total}: {what}\n{err[:300]}")
        if not ended:  # (what a signal ends has no time to)
            assert not leftovers(self.rhomb.folder)
        assert not problems, f"{len(problems)} of {len(numbers)}:\n" + "\n".join(problems)
        assert ended <= 1 + len(numbers) // 10


@pytest.mark.parametrize("case", CASES)
def test_memory(rhomb, library, inputs, case):
    Memory(rhomb, library, CASES[case]).try_some(
        lambda total: [1, *random.Random(case).sample(range(2, total - 100), 3), total - random.Random(case).randint(20, 90)])


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_memory_of_many(rhomb, library, inputs, case):
    """Two minutes a case."""
    Memory(rhomb, library, CASES[case]).try_some(lambda total: [*range(1, 101), *random.Random(case).sample(range(101, total), 400)])
