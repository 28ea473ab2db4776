"""The commands of every README: each is run, and what it prints is what the README shows.

A line `$ COMMAND` in a code block is followed by its output, to the next such line or the block's end; `...` there stands for
any further lines. Each line of a block of sh is a command, and so is each code span that has more than names, or stands in a table.
Columns that differ between machines and runs (FREE) are not compared. Commands run in one folder, one after the
other (some need what those before them made), with the files of tests/data and small ones by the names that the READMEs use. What would take
long is run with smaller numbers (SHORTER), what cannot run here is in SKIPPED with the reason, both by the words of the command.
"""
import gzip
import importlib.machinery
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import DATA, ROOT, fasta, mutate, random_text, work_in

FOLDERS = ("cl", "cuda", "host", "tests", "tools")
FREE = {"device", "seconds", "gcups", "config"}
INSTALLS = "installs packages"
SKIPPED = {
    "rhomb distance BA000035.2.fa.gz BX927147.1.fa.gz": "genomes of 3 million bases that are not in tests/data; an H200",
    "tools/demo": "builds rhomb anew",
    "tools/check": "runs all tests, this one too",
    "tools/package deb": "builds rhomb anew",
    "tools/campaign": "builds a program that tests the library",
    "tools/bundle --campaign": "builds rhomb anew",
    "cmake --preset release && cmake --build --preset release": "builds rhomb anew",
    "cmake --install build/release --prefix ~/.local": "test_install.py installs",
    "cmake --install build/release --prefix DIR": "test_install.py installs",
    "pip install .": INSTALLS,
    "pip wheel .": "compiles for minutes",
    "pip install '.[cpu]'": INSTALLS,
    "tools/setup build python": INSTALLS,
    "tools/setup build check": INSTALLS,
    "python3 -m venv v && v/bin/pip install .": INSTALLS,
    "python3 -m venv v && v/bin/pip install intel-opencl-rt intel-cmplr-lib-rt": INSTALLS,
    "apt-get update && apt-get install ./dist/rhomb_*.deb": INSTALLS,
    "v/bin/python": "the environment was not made; test_python.py has more",
    "cmake --preset checked && cmake --build --preset checked": "builds the tests that run now",
    "ctest": "runs the tests that run now",
    "build/checked/tests/rhomb_tests": "runs the tests that run now",
    "python3 -m pytest": "runs the tests that run now",
    "UPDATE=1 python3 -m pytest": "runs the tests that run now",
    "tools/profile": "needs an NVIDIA GPU and Nsight Compute; test_profile.py reads what these wrote",
    "SHARDS=32 SBATCH_ARGS=": "needs Slurm; test_shards.py has the script with a sbatch of its own",
    "snakemake": "needs snakemake; test_shards.py runs it where it is installed",
    "mpirun -n 8 --map-by ppr:4:node": "needs two hosts; test_mpi.py runs rhomb-mpi on one",
    "kill -USR1 PID": "has no process to tell; test_checkpoint.py does it",
    "RHOMB_DRIVERS=$PWD/v/lib/libintelocl.so rhomb ...": "needs a driver from pip",
    "rhomb-papers": "minutes; test_papers.py runs each for seconds",
    "rhomb tune lcs --list -d cpu": "needs trials of lcs; rhomb tune --list is run",
    "rhomb distance --format json": "names what is printed",
    "rhomb VERB --help": "test_usage.py goes through the verbs",
    "rhomb bench WHAT --help": "test_usage.py goes through them",
    "rhomb help --format man|bash|zsh|fish": "test_help.py reads them",
    "rhomb bench rate": "measures for a minute; test_bench.py runs it small",
    "rhomb devices --measure": "measures the device for seconds; test_devices.py has it",
}
SHORTER = {
    "rhomb bench --length 10k,1M --divergence 0.01,unrelated --engine auto,strips,wavefront":
        "rhomb bench --length 1k --divergence 0.01,unrelated --engine auto,strips,wavefront --runs 1",
    "rhomb bench grid A.fa B.fa --prefix 10k,100k,1M --variant fused,diamond --limit 5":
        "rhomb bench grid A.fa B.fa --prefix 1k,10k --variant fused,diamond --limit 5 --runs 1",
    "rhomb bench grid A.fa --divergence 0.001,0.01,0.1": "rhomb bench grid A.fa --divergence 0.01 --prefix 1k --runs 1",
    "rhomb bench strips A.fa B.fa": "rhomb bench strips A.fa B.fa --runs 1",
    "rhomb bench wavefront A.fa B.fa": "rhomb bench wavefront A.fa B.fa --variant fused --runs 1",
    "rhomb bench scaling --format json | rhomb-plot bench -o scaling.svg":
        "rhomb bench scaling --length 1k,2k --structural 0 --limit 1 --runs 1 --format json | rhomb-plot bench -o scaling.svg",
    "rhomb bench scaling --length 100k,1M,10M,100M --divergence 0.001,0.01,0.05,0.1,0.2 --structural 0,20 --limit 2 --runs 3":
        "rhomb bench scaling --length 1k --divergence 0.01 --structural 0 --limit 1 --runs 1",
    "rhomb bench scaling --length 100k,1M,10M --limit 10 --runs 3":
        "rhomb bench scaling --length 1k --structural 0 --limit 1 --runs 1",
    "rhomb bench grid --engine auto,strips,wavefront --format json -o grid.json":
        "rhomb bench grid --length 1k --runs 1 --engine auto,strips,wavefront --format json -o grid.json",
    "rhomb bench grid --format json -o before.json": "rhomb bench grid A.fa --prefix 1k --divergence 0.01 --runs 1 --format json -o before.json",
    "rhomb bench regress before.json": "rhomb bench regress before.json --noise 1000",
    "rhomb bench gaps --max-gaps 1,2,3": "rhomb bench gaps --max-gaps 1,2 --queries 4 --targets 4 --case gaps-lanes --runs 1",
    "rhomb bench gaps --max-gaps 1 --queries 200 --targets 1024 --case gaps-lanes --case 'gaps-lanes DIAGONAL=0'":
        "rhomb bench gaps --max-gaps 1 --queries 4 --targets 4 --case gaps-lanes --case 'gaps-lanes DIAGONAL=0' --runs 1",
    "rhomb bench peers --length 10k,100k,1M --divergence 0.01,unrelated --limit 10":
        "rhomb bench peers --length 1k --divergence 0.01,unrelated --limit 10 --runs 1",
    "rhomb bench peers --align --length 100k --divergence 0.05,0.15": "rhomb bench peers --align --length 1k --divergence 0.05 --runs 1",
    "rhomb bench grid --align A.fa B.fa": "rhomb bench grid --align A.fa B.fa --runs 1",
    "rhomb bench pairs --pairs 50000x1k:0.05": "rhomb bench pairs --pairs 50x1k:0.05 --runs 1",
    "rhomb bench search reads.fa.gz genome.fa.gz --length 100,200":
        "rhomb bench search reads.fa.gz genome.fa.gz --length 100 --pairs 1000 --case strips-batch --runs 1",
    "rhomb bench lcs --alphabet 4,20": "rhomb bench lcs --alphabet 4 --targets 100 --length 100 --case strips-lcs --runs 1",
    "rhomb bench primer gene.fa genome.fa -k 50,100": "rhomb bench primer gene.fa genome.fa -k 5 --case cores --runs 1",
}
BEGINS = re.compile(r"(rhomb|rhomb-plot|rhomb-papers|rhomb-mpi|mpirun|python3|pip|cmake|ctest|RHOMB_DRIVERS=\S+ rhomb|tools/(demo|check|package|profile|setup|bundle)) +\S")
NAMES = re.compile(r"(mpirun )?(rhomb|rhomb-mpi|rhomb-papers|rhomb-plot)( [a-zA-Z]+){0,2}( \.\.\.)?$")  # named in a sentence
# PoCL compiles without optimization, several times as fast: what is compared are answers. MPI: as root, more ranks than cores.
MORE = {"RHOMB_BUILD_OPTIONS": "-cl-opt-disable", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
VERBS = re.compile(r"rhomb (distance|align|search|lcs|gaps|primer)( --matrix)?$")  # named in a table


def documents(paths):
    """Those of the repository, not of what was built or of environments of Python."""
    return [path for path in sorted(paths) if path.relative_to(ROOT).parts[0] in FOLDERS or path.parent == ROOT]


def commands():
    """(README, line, command, the output shown or None) in the order of the files."""
    found = []
    for path in documents(ROOT.rglob("README.md")):
        name = path.relative_to(ROOT)
        language = shown = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            fence = re.match(r"```(\w*)", line)
            if fence:
                language, shown = (None if language is not None else fence[1]), None
            elif language == "sh" or (language is None and re.match(r"    (?=\S)", line)):
                found.append([name, number, re.sub(r"\s+# .*", "", line).strip(), None])
            elif language == "" and line.startswith("$ "):
                shown = []
                found.append([name, number, line[2:], shown])
            elif language == "" and shown is not None:
                shown.append(line)
            elif language is None:
                for span in re.findall(r"`([^`]+)`", line):
                    span = span.replace("\\|", "|")
                    if BEGINS.match(span) and not (VERBS if line.startswith("|") else NAMES).match(span):
                        found.append([name, number, span, None])
    once = {}  # the same words in two places: the one that shows its output
    for name, number, command, shown in found:
        if command not in once or (shown and not once[command][3]):
            once[command] = (name, number, command, shown)
    return list(once.values())


COMMANDS = commands()


def rule(rules, command):
    """The entry of SKIPPED whose words the command begins with; of several the longest."""
    fitting = [words for words in rules if command == words or command.startswith(words + " ") or (words.endswith("=") and command.startswith(words))]
    return max(fitting, key=len, default=None)


@pytest.fixture(scope="module")
def folder(program, environment, tmp_path_factory):
    """Where the commands run, and the programs on their PATH."""
    folder = tmp_path_factory.mktemp("documents")
    for path in DATA.iterdir():
        (folder / path.name).symlink_to(path)
    wuhan = gzip.open(DATA / "sars2_MN908947_WuhanHu1.fa.gz", "rt").read().split("\n", 1)[1].replace("\n", "")
    a = random_text(20000, 1)
    made = {"A.fa": [("a", a)], "B.fa": [("b", mutate(a, 0.02, 2))], "genome.fa": [("wuhan", wuhan)], "gene.fa": [("gene", wuhan[21562:21962])],
            "reads.fa": [(f"read{i}", mutate(wuhan[i * 900:i * 900 + 120], 0.02, i)) for i in range(30)]}
    for name, records in made.items():
        (folder / name).write_text(fasta(records))
        with gzip.open(folder / f"{name}.gz", "wt") as file:
            file.write(fasta(records))
    programs = folder / "bin"
    programs.mkdir()
    for path in [program, program.parent / "rhomb-mpi", ROOT / "tools/python/rhomb-plot", ROOT / "tools/python/rhomb-papers"]:
        if path.exists():
            (programs / path.name).symlink_to(path)
    python = programs / "python3"  # this one, which has what the tests need
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    subprocess.run([program, *"distance A.fa B.fa --engine strips --trace run.json".split()], cwd=folder, env=environment, check=True,
                   capture_output=True, timeout=300)  # a picture of it is drawn before the README says how it is made
    return folder


def rows(text):
    """The fields of each line of a table: between tabs, or between two blanks and more where columns are lined up."""
    return [re.split(r"\t" if "\t" in line else r" {2,}", line.strip("\n")) for line in text]


def compare(shown, printed):
    shown = [line for line in shown if line.strip()]
    assert printed, "nothing was printed"
    more = shown[-1] == "..."
    shown = shown[:-1] if more else shown
    assert len(printed) >= len(shown) if more else len(printed) == len(shown), "\n".join(printed)
    header = rows(shown)[0]
    for wanted, got in zip(rows(shown), rows(printed)):
        names = [name.lstrip("#") for name in header] if len(header) == len(wanted) else [""] * len(wanted)
        assert len(wanted) == len(got), got
        assert [x for x, name in zip(wanted, names) if name not in FREE] == [x for x, name in zip(got, names) if name not in FREE]


@pytest.mark.parametrize("name, number, command, shown", COMMANDS, ids=[f"{name}:{number}" for name, number, _, _ in COMMANDS])
def test_command(folder, program, environment, name, number, command, shown):
    if rule(SKIPPED, command):
        pytest.skip(f"{command}: {SKIPPED[rule(SKIPPED, command)]}")
    run = SHORTER.get(command, command)
    for word in ("mpirun", "rhomb-mpi", "rhomb-plot"):
        if word in run and not shutil.which(word, path=f"{folder / 'bin'}:{os.environ['PATH']}"):
            pytest.skip(f"needs {word}")
    if "rhomb-plot" in run:
        pytest.importorskip("matplotlib")
    environment = {**environment, **MORE, "RHOMB": program, "PATH": f"{folder / 'bin'}:{environment['PATH']}"}
    done = subprocess.run(["bash", "-c", f"set -euo pipefail; {run}"], cwd=folder, env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode == 0, done.stderr
    if shown:
        compare(shown, done.stdout.splitlines())


def test_cpp(program, tmp_path):
    """The program of the README compiles; test_install.py runs such a one."""
    [block] = re.findall(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    include, body = block.replace("{ ... }", "{}").split("\n", 1)
    (tmp_path / "main.cpp").write_text(f"{include}\nint main() {{ {body} }}\n")
    done = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", f"-I{program.parent}/include", "main.cpp"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_the_picture_is_of_the_table():
    loader = importlib.machinery.SourceFileLoader("speed", str(ROOT / "tools/speed"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("speed", loader))
    loader.exec_module(script)
    rows = script.table((ROOT / "README.md").read_text())
    assert len(rows) > 5
    assert [ratio for _, published, rhomb, ratio in rows] == [f"{round(published / rhomb)}x" for _, published, rhomb, _ in rows]
    if os.environ.get("UPDATE"):
        (ROOT / "tools/speed.svg").write_text("\n".join(script.draw(rows)) + "\n")
    assert (ROOT / "tools/speed.svg").read_text() == "\n".join(script.draw(rows)) + "\n"


def test_links_lead_somewhere():
    """Between files of the repository: the file is there, and the heading."""
    def anchors(path):
        headings = re.findall(r"^#+ (.*)", path.read_text(), re.M)
        return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}

    links = 0
    for path in documents(ROOT.rglob("*.md")):
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
            if "://" in target:
                continue
            file, _, heading = target.partition("#")
            to = path.parent / file if file else path
            assert to.exists(), f"{path}: {target}"
            assert not heading or heading in anchors(to), f"{path}: {target}"
            links += 1
    assert links > 20


def test_rules_are_of_commands_that_there_are():
    there = [command for _, _, command, _ in COMMANDS]
    assert [words for words in SHORTER if words not in there] == []
    assert [words for words in SKIPPED if not any(rule(SKIPPED, command) == words for command in there)] == []
    for long, short in SHORTER.items():  # only the numbers are smaller
        assert set(re.findall(r" (-\w|--[\w-]+)", long)) <= set(re.findall(r" (-\w|--[\w-]+)", short)), short
