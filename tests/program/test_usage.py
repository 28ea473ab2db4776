"""Help, version, and command lines that are wrong: exit codes 0 and 2."""
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

VERBS = ["distance", "search", "lcs", "primer", "devices", "tune", "bench"]


@pytest.fixture
def records(write):
    write("abc.fa", ">one\nACGTACGTACGTACGT\n")
    write("xyz.fa", ">one\nACGTACGTACGAACGT\n")


def test_version(rhomb, golden):
    golden("version", rhomb("--version").out.splitlines()[0] + "\n")
    rhomb("--version").prints(r"^build: \w+, (GCC|clang) \d+\.\d+", r"^build: .*, (no )?CUDA",
                              r"^libraries: htslib 1\.\d+.*, ISA-L 2\.[\d.]+, nlohmann-json 3\.[\d.]+, cxxopts \d[\d.]+$")


def test_version_is_the_same_everywhere(rhomb):
    version = rhomb("--version").out.split()[1]
    assert re.search(r"^project\(rhomb VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1] == version
    assert re.search(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(), re.M)[1] == version


def test_every_source_names_its_licence():
    sources = [path for folder in ("host", "cl", "cuda", "tools", "tests") for path in (ROOT / folder).rglob("*")
               if path.suffix in {".c", ".cpp", ".h", ".cl", ".cu"}]
    assert len(sources) > 300
    assert [path for path in sources if "SPDX-License-Identifier: Apache-2.0" not in path.open().readline()] == []


def test_help_of_the_program(rhomb, golden):
    golden("help", rhomb("--help").out)


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb(rhomb, verb):
    run = rhomb(verb, "--help").prints("^usage: rhomb ", "^Examples:")
    assert run.err == ""
    assert rhomb("help", verb).out == run.out


def test_help_of_what_bench_measures(rhomb):
    for what in "strips", "wavefront", "scaling", "peers", "rate":
        assert rhomb("bench", what, "--help").prints("^usage: rhomb ", "^Examples:").err == ""


@pytest.mark.parametrize("arguments, message", [
    ("", "."),
    ("distanse a.fa b.fa", "did you mean 'distance'"),
    ("--hlep", "did you mean '--help'"),
    ("distance", "expected 2 files, got 0"),
    ("distance a.fa b.fa c.fa", "expected 2 files, got 3"),
    ("distance --explian a.fa b.fa", "did you mean '--explain'"),
    ("distance a.fa b.fa --max-distance", "max-distance"),
    ("distance - -", "only one"),
    ("search - -", "only one"),
    ("lcs - -", "only one"),
    ("devices extra", "."),
    ("bench", "."),
    ("bench peer", "did you mean 'peers'"),
    ("bench wavefront abc.fa", "."),
    ("bench wavefront abc.fa xyz.fa --record one --runs 0", "."),
    ("bench peers --divergence 2", "."),
    ("bench peers abc.fa xyz.fa --length 100", "."),
    ("bench peers --max-distance 10", "."),
])
def test_wrong_command_lines(rhomb, records, arguments, message):
    rhomb(arguments, code=2).says(message)


@pytest.mark.parametrize("size", ["-1", "ten", "1.5", "10q", "''", "99999999999999999999", "9999999999G"])
def test_wrong_sizes(rhomb, records, size):
    rhomb("distance abc.fa xyz.fa --max-distance", size, code=2).says("^rhomb: error: --max-distance: ")


@pytest.mark.parametrize("options, message", [
    ("--format csv", "choose one of tsv, json"),
    ("--format table", "."),
    ("--ambiguous maybe", "."),
    ("--progress loud", "."),
    ("--engine strip", "did you mean 'strips'.*; choose one of auto, strips, corridor, wavefront, reference"),
    ("--engine reference --variant fused", "."),
    ("--engine strips --variant fused", "."),
    ("--engine wavefront --variant strips-full", "."),
    ("--variant quick", "unknown variant 'quick'; there are: strips, strips-full, .*fused"),
    ("--config WG=many", "."),
    ("--config WG=64", "needs the engine or variant"),
    ("--explain --config K=2", "."),
    ("--variant fused --config WIDTH=3", "no parameter"),
    ("--engine strips --config DIAGS=8", "no parameter 'DIAGS' here; the parameters are .*SLAB"),
    ("--engine strips --config K=0", "K=0 is not between 1 and 32"),
    ("--variant strips-full --config LANES=8,WG=2", "LANES=8 needs WG=1"),
    ("--variant strips --config LANES=3 --output unfit.tsv", "."),
    ("--variant batched --config WG=0", "."),
    ("--variant batched --config WG=1000000", "work-group|WG"),
    ("--variant tiled-local --config T=0", "T=0"),
    ("--variant diamond --config T=100000", "T=100000"),
    ("--variant group --config WG=64", "there is no parameter 'WG'"),
    ("--variant fused --config WALK=1,WG=1", "WALK=1"),
    ("--all-pairs --concat", "."),
    ("--kernels nowhere", "no directory 'nowhere'"),
])
def test_wrong_options_of_distance(rhomb, records, tmp_path, options, message):
    rhomb("distance abc.fa xyz.fa", options, code=2).says(message)
    assert not (tmp_path / "unfit.tsv").exists()


@pytest.mark.parametrize("text, code", [("pytest.skip('not here', allow_module_level=True)", 77), ("", 5), ("def test(): pass", 0)])
def test_skipped_files(tmp_path, text, code):
    """Exit codes of pytest, as CTest takes them: 77 is skipped, and what tests nothing fails."""
    shutil.copy(ROOT / "tests" / "program" / "conftest.py", tmp_path)
    (tmp_path / "test_it.py").write_text(f"import pytest\n{text}\n")
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60).returncode == code
