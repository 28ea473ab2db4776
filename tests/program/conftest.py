"""What the program tests share: they run rhomb as a user would, from empty caches.

    python3 -m pytest -n 2 --dist loadfile tests/program   all of them, two files at a time
    RHOMB=build/release/rhomb python3 -m pytest tests/program/test_search.py -k pairs
    UPDATE=1 python3 -m pytest tests/program        writes tests/golden anew; look at the difference

Fixtures:

    rhomb(...)         runs the program in a folder of this test's own (tmp_path); see Program
    tmp_path           that folder; `data` in it is tests/data
    data               tests/data
    golden(name, text) compares with tests/golden/NAME.txt, after taking out what differs between machines
    write(name, text)  makes a file in tmp_path, returns its name
"""
import difflib
import json
import os
import random
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
GOLDEN = ROOT / "tests" / "golden"
# Names that the test files use for the genomes most of them run.
WUHAN = "data/sars2_MN908947_WuhanHu1.fa.gz"
BA = "data/sars2_BA.2.86.fa.gz"


def pytest_sessionfinish(session, exitstatus):
    """A file that was skipped as a whole has no tests, which pytest calls a failure; to CTest it is skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and reporter and reporter.stats.get("skipped"):
        session.exitstatus = 77


def program_path():
    named = os.environ.get("RHOMB")
    choices = [Path(named)] if named else [ROOT / "build" / b / "rhomb" for b in ("checked", "release")]
    for path in choices:
        if os.access(path, os.X_OK) and path.is_file():
            return path.resolve()
    pytest.exit(f"there is no program {' or '.join(map(str, choices))}: build it, or name it in RHOMB", 2)


class Run:
    """One run of the program that has ended."""

    def __init__(self, command, code, out, err):
        self.command, self.code, self.out, self.err = command, code, out, err

    def __str__(self):
        def shown(text):
            return "".join(f"    {line[:300]}\n" for line in text.splitlines()[:20])

        return f"{self.command}\n  exit code {self.code}\n  stdout:\n{shown(self.out)}  stderr:\n{shown(self.err)}"

    def fail(self, why):
        pytest.fail(f"{why}\n{self}", pytrace=False)

    def says(self, *patterns):
        """Standard error matches each of these regular expressions (^ and $ are a line's)."""
        for pattern in patterns:
            if not re.search(pattern, self.err, re.M):
                self.fail(f"does not say '{pattern}'")
        return self

    def prints(self, *patterns):
        """Standard output matches each of these regular expressions."""
        for pattern in patterns:
            if not re.search(pattern, self.out, re.M):
                self.fail(f"does not print '{pattern}'")
        return self

    @property
    def lines(self):
        """The lines of standard output that are not headers."""
        return [line for line in self.out.splitlines() if not line.startswith("#")]

    @property
    def fields(self):
        """Those lines with blanks for tabs, easy to write down: "q1 7 t1 5 12 + 0"."""
        return [line.replace("\t", " ") for line in self.lines]

    @property
    def header(self):
        lines = [line for line in self.out.splitlines() if not line.startswith("#rhomb-shard")]
        return lines[0].lstrip("#").split("\t")

    @property
    def table(self):
        """The rows of a TSV table, each a dict of text."""
        header = self.header
        return [dict(zip(header, line.split("\t"), strict=True)) for line in self.lines]

    def column(self, name):
        return [row[name] for row in self.table]

    @property
    def json(self):
        """Each line of standard output as a JSON value."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def events(self):
        """The lines of standard error that are JSON (--progress json)."""
        return [json.loads(line) for line in self.err.splitlines() if line.startswith("{")]


class Program:
    """Calls run rhomb: rhomb("distance a.fa b.fa --engine strips").

    Arguments that are text are split as a shell does; a Path is one argument. Keywords:

    code      the exit code that it must end with. A failure prints nothing on standard output
              (unless partial=True) and exactly one line `rhomb: error: ...` on standard error
    stdin     text or bytes, or the Path of a file; nothing by default
    env       more environment; a value of None takes a variable away
    under     a command that runs the program: under=["env", "--default-signal=INT"]
    timeout   seconds after which the test fails
    """

    def __init__(self, path, environment, folder):
        self.path, self.environment, self.folder = path, environment, folder

    def command(self, arguments):
        words = []
        for argument in arguments:
            words += shlex.split(argument) if isinstance(argument, str) else [str(argument)]
        return [str(self.path), *words]

    def environ(self, env=None):
        merged = {**self.environment, **(env or {})}
        return {name: str(value) for name, value in merged.items() if value is not None}

    def start(self, *arguments, env=None, under=(), **more):
        """The program as a subprocess.Popen, for tests that stop or watch it."""
        return subprocess.Popen([*under, *self.command(arguments)], cwd=self.folder,
                                env=self.environ(env), **{"stdin": subprocess.DEVNULL, **more})

    def __call__(self, *arguments, code=0, stdin=b"", partial=False, env=None, under=(), timeout=300):
        command = [*under, *self.command(arguments)]
        if isinstance(stdin, Path):
            stdin = (self.folder / stdin).read_bytes()
        elif isinstance(stdin, str):
            stdin = stdin.encode()
        done = subprocess.run(command, cwd=self.folder, env=self.environ(env), input=stdin,
                              capture_output=True, timeout=timeout)
        run = Run(shlex.join(["rhomb", *command[1 + len(under):]]), done.returncode,
                  done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
        if run.code != code:
            run.fail(f"exit code {run.code}, not {code}")
        if code != 0:
            if run.out and not partial:
                run.fail("failed, but wrote to standard output")
            if len(re.findall(r"^rhomb: error: ", run.err, re.M)) != 1:
                run.fail("failed without one line 'rhomb: error: ...'")
        return run


@pytest.fixture(scope="session")
def pocl_cache(tmp_path_factory):
    """What PoCL compiled, for all processes of a run of the tests; CTest keeps it, and the C++ tests share it."""
    if "RHOMB_TEST_POCL" in os.environ:  # CTest has a process for each file
        folder = Path(os.environ["RHOMB_TEST_POCL"])
    else:
        base = tmp_path_factory.getbasetemp()
        folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pocl"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def environment(request, tmp_path_factory, pocl_cache):
    """The program's environment: caches and stores of its own, empty at the start of each file. Where a file has UNOPTIMIZED =
    True, PoCL compiles without optimization: that takes half as long, and its kernels compute little."""
    home = tmp_path_factory.mktemp("home")
    names = {"HOME": home, "XDG_CACHE_HOME": home / "cache", "XDG_DATA_HOME": home / "data",
             "POCL_CACHE_DIR": pocl_cache}
    if getattr(request.module, "UNOPTIMIZED", False):
        names["RHOMB_BUILD_OPTIONS"] = "-cl-opt-disable"
    left = {name: value for name, value in os.environ.items()
            if name not in ("RHOMB_DEVICE", "OPENCL_LAYERS", "XDG_CONFIG_HOME")}
    return {**left, **{name: str(value) for name, value in names.items()}}


@pytest.fixture(scope="session")
def program():
    return program_path()


@pytest.fixture(scope="session")
def sanitized(program):
    """Whether the program was built with AddressSanitizer, which needs more memory than any limit."""
    return b"__asan_init" in program.read_bytes()


def work_in(folder):
    link = folder / "data"
    if not link.is_symlink():
        link.symlink_to(DATA)
    return folder


@pytest.fixture
def rhomb(program, environment, tmp_path):
    return Program(program, environment, work_in(tmp_path))


@pytest.fixture(scope="module")
def shared_rhomb(program, environment, tmp_path_factory):
    """rhomb in a folder that the tests of a file share, for what is costly to make."""
    return Program(program, environment, work_in(tmp_path_factory.mktemp("shared")))


@pytest.fixture(scope="session")
def data():
    return DATA


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write


def normal(text):
    """Takes out what differs between machines and runs: times, rates, device, configuration."""
    text = re.sub(r'"(seconds|gcups|read|build|transfer|compute|total|cells|passes)":[-+.0-9e]+', r'"\1":N', text)
    text = re.sub(r'"config":\{[^}]*\}', '"config":{}', text)
    text = re.sub(r'"device":"(?!host")[^"]*"', '"device":"DEVICE"', text)
    text = re.sub(r"^rhomb \d+\.[\d.]+", "rhomb VERSION", text, flags=re.M)
    text = re.sub(r"^(device|driver)(\t)(?!host$).*", r"\1\2DEVICE", text, flags=re.M)
    lines = []
    for line in text.splitlines(keepends=True):
        fields = line.split("\t")
        if len(fields) == 11 and not line.startswith("#"):  # of `distance`
            if fields[8] != "host":
                fields[8] = "DEVICE"
            fields[9:] = "N", "N\n"
        lines.append("\t".join(fields))
    return "".join(lines)


@pytest.fixture
def golden():
    def golden(name, text):
        path, text = GOLDEN / f"{name}.txt", normal(text)
        if os.environ.get("UPDATE"):
            path.write_text(text)
        wanted = path.read_text()
        difference = difflib.unified_diff(wanted.splitlines(), text.splitlines(), f"tests/golden/{name}.txt",
                                          "what was printed", lineterm="")
        if text != wanted:
            pytest.fail("\n".join(["not the golden text", *difference]), pytrace=False)

    return golden


# A run of each verb, and of what is done in another way in it, on the files of every_input; rows enough for some KB.
EVERY = {
    "strips": "distance a.fa b.fa --engine strips",
    "wavefront": "distance a.fa b.fa --engine wavefront",
    "blocks": "distance a.fa b.fa --variant strips-blocks --config BLOCK=1",
    "corridor": "distance a.fa b.fa --engine corridor",
    "pairs": "distance targets.fa reads.fa --all-pairs --variant wavefront-batch",
    "align": "align a.fa b.fa --cs long --engine strips",
    "align-wavefront": "align a.fa b.fa --cs long --engine wavefront",
    "align-many": "align reads.fa targets.fa --all-pairs --variant wavefront-batch",
    "search": "search reads.fa text.fa -k 4 --both-strands --cigar --memory 20k --all-ends",
    "lcs": "lcs query.fa targets.fa --memory 20k --subsequence",
    "gaps": "gaps query.fa targets.fa --all-pairs --max-gaps 2 --cigar --variant gaps-lanes --memory 20k",
    "primer": "primer alpha.fa beta.fa -k 4 --memory 1k --witness --variant cores",
}


def write_every_input(folder):
    def put(name, records):
        (folder / name).write_text(fasta(records))

    text, target, a = random_text(3000, 11), random_text(200, 13), random_text(6000, 21)
    put("text.fa", [("text", text), ("other", random_text(500, 12))])
    put("reads.fa", ((f"r{i}", mutate(text[97 * i:97 * i + 30 + i], 0.05, i)) for i in range(20)))
    put("query.fa", [("q", target)])
    put("targets.fa", ((f"s{i}", mutate(target, 0.2, i)) for i in range(150)))
    put("a.fa", [("a", a)])
    put("b.fa", [("b", mutate(a[:2000] + a[2300:] + random_text(200, 22), 0.06, 23))])
    put("alpha.fa", [("x", random_text(40, 31)), ("y", random_text(60, 32))])
    put("beta.fa", ((f"t{i}", random_text(300, 40 + i)) for i in range(6)))


def leftovers(folder):
    """Files that are written under another name until they are complete."""
    return sorted(path.name for path in Path(folder).iterdir() if ".part-" in path.name)


def random_text(length, seed, letters="ACGT"):
    return "".join(random.Random(seed).choices(letters, k=length))


def mutate(text, rate, seed, letters="ACGT"):
    """Substitutes, inserts and deletes with this probability a symbol."""
    source, result = random.Random(seed), []
    for symbol in text:
        if source.random() >= rate:
            result.append(symbol)
            continue
        kind = source.randrange(3)
        if kind == 0:
            result.append(source.choice([c for c in letters if c != symbol]))
        elif kind == 1:
            result += [symbol, source.choice(letters)]
    return "".join(result)


def fasta(records):
    """Text of a FASTA file; records are pairs of name and sequence."""
    return "".join(f">{name}\n{sequence}\n" for name, sequence in records)
