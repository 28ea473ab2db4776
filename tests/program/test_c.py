"""The shared library: a C11 program calls every function of c.h, nothing else is visible, and the ABI is the one that
was stored. After a change that only adds: tests/data/librhomb.abi anew, as UPDATE=1 does."""
import os
import re
import shutil
import subprocess

import pytest
from conftest import DATA, ROOT

HEADER = (ROOT / "host" / "c.h").read_text()


@pytest.fixture(scope="module")
def library(program, sanitized):
    if sanitized:
        pytest.skip("a program that loads the library would need the sanitizer first")
    path = program.parent / "librhomb.so.0"
    if not path.is_file():
        pytest.skip(f"{path.name} was not built beside the program")
    return path


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **more)


def test_calls_from_c(library, environment, tmp_path, rhomb):
    compiler = shutil.which(os.environ.get("CC", "cc"))
    done = run(compiler, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", ROOT / "tests/support/c_api.c", "-o", "c_api",
               f"-I{library.parent}/include", f"-L{library.parent}", "-lrhomb", f"-Wl,-rpath,{library.parent}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "librhomb.so.0" in run("ldd", tmp_path / "c_api").stdout
    (tmp_path / "guides.fa").write_text(">guide\nGATTACA\n>other\nGGTTAC\n")
    version = rhomb("--version").out.split()[1]
    done = run(tmp_path / "c_api", version, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_nothing_else_is_visible(library):
    declared = set(re.findall(r"^[a-z].*?\b(rhomb_\w+)\(", HEADER, re.M))
    assert len(declared) > 15
    shown = run("nm", "-D", "--defined-only", library).stdout.split("\n")
    assert {line.split()[-1] for line in shown if line} == {f"{name}@@RHOMB_0" for name in declared} | {"RHOMB_0"}


def test_abi(library, program, tmp_path):
    if shutil.which("abidw") is None:
        pytest.skip("abigail-tools are not installed")
    if os.uname().machine != "x86_64":
        pytest.skip("the stored ABI is that of x86-64")
    baseline = DATA / "librhomb.abi"
    headers = tmp_path / "headers"
    headers.mkdir()
    shutil.copy(ROOT / "host" / "c.h", headers)
    if os.environ.get("UPDATE"):
        made = run("abidw", "--exported-interfaces-only", "--headers-dir", headers, "--drop-private-types", "--no-corpus-path", "--no-comp-dir-path",
                   "--no-show-locs", "--out-file", baseline, library)
        assert made.returncode == 0, made.stderr
    done = run("abidiff", "--exported-interfaces-only", "--headers-dir2", headers, "--drop-private-types", baseline, library)
    assert done.returncode == 0, done.stdout + done.stderr
