"""Runs that are ended from outside, at any moment: by signals, by kill -9, by a reader that goes away; and crowds of runs
that start at once. What is printed is right or nothing, no file is half-written, nothing stays in caches and folders for
temporary files that the next run does not take away. Whatever takes a minute counts as hanging.

By default each run is ended once by each signal, and a crowd has twelve processes; `-m slow`: a hundred times, and two hundred
processes, for an hour.
"""
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from conftest import EVERY, leftovers, normal, write_every_input

TEMPORARY = "rhomb-"  # what rhomb itself makes there begins so


def answer_of(text):
    """What is printed, without times."""
    return [line.split("\t")[:9] for line in normal(text).splitlines()]


@pytest.fixture(scope="module")
def every(shared_rhomb):
    """The program in a folder with all inputs, kernels compiled; what it answers and how long it takes."""
    write_every_input(shared_rhomb.folder)
    shared_rhomb.answers, shared_rhomb.seconds = {}, {}
    for name, command in EVERY.items():
        shared_rhomb(command)
        began = time.monotonic()
        shared_rhomb.answers[name] = answer_of(shared_rhomb(command, env={"XDG_CACHE_HOME": shared_rhomb.folder / "none"}).out)
        shared_rhomb.seconds[name] = time.monotonic() - began
        shutil.rmtree(shared_rhomb.folder / "none")
    return shared_rhomb


class Ended:
    """Runs one command in folders of its own, and ends it again and again."""

    def __init__(self, rhomb, name, folder, kernels=None):
        self.rhomb, self.name, self.folder = rhomb, name, folder
        self.cache, self.temporary = folder / "cache", folder / "temporary"
        self.env = {"XDG_CACHE_HOME": self.cache, "TMPDIR": self.temporary}
        if kernels:
            self.env["POCL_CACHE_DIR"] = kernels
        self.temporary.mkdir()
        self.out = folder / "out"
        self.ended = 0

    def start(self):
        return self.rhomb.start(EVERY[self.name], "-o", self.out, env=self.env, stdout=-1, stderr=-1, text=True,
                                under=["env", "--default-signal=INT"])

    def end(self, number, after):
        """Starts it, ends it after this time, and looks at what is left."""
        child = self.start()
        time.sleep(after)
        if child.poll() is None:
            child.send_signal(number)
        try:
            out, err = child.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            pytest.fail(f"{self.name} hangs after signal {number} at {after:.4f} s")
        where = f"{self.name}, signal {number} after {after:.4f} s: exit code {child.returncode}\n{err}"
        assert out == "", where
        if child.returncode != 0:
            assert child.returncode in (-number, 7), where
            self.ended += 1
        # A signal may come when the answer is in its place and the program frees what it has.
        if child.returncode == 0 or self.out.exists():
            assert answer_of(self.out.read_text()) == self.rhomb.answers[self.name], where
            self.out.unlink()
        if number != signal.SIGKILL:
            assert self.unfinished() == [], where

    def unfinished(self):
        return leftovers(self.folder) + [path.name for path in self.temporary.iterdir() if path.name.startswith(TEMPORARY)]

    def orphans(self):
        """With those of the cache, which no signal's handler knows of: the next run takes them away."""
        names = self.unfinished()
        if (self.cache / "rhomb").exists():
            names += [path.name for path in (self.cache / "rhomb").iterdir() if path.suffix not in (".ok", ".bin")]
        return names

    def check(self):
        """What a run does that follows: it answers rightly, and takes away what others left."""
        for _ in range(2):
            child = self.start()
            _, err = child.communicate(timeout=100)
            assert (child.returncode, err) == (0, "")
            assert answer_of(self.out.read_text()) == self.rhomb.answers[self.name]
            # A mark that is made anew is when a cache is looked through.
            for mark in (self.cache / "rhomb").glob("*.ok"):
                mark.unlink()
        assert self.orphans() == []

    def end_often(self, number, times, seed):
        source = random.Random(f"{self.name} {number} {seed}")
        for _ in range(times):
            if source.random() < 0.7:
                shutil.rmtree(self.cache, ignore_errors=True)
            self.end(number, source.uniform(0, 1.1) * self.rhomb.seconds[self.name])
        self.check()


SIGNALS = {"SIGINT": signal.SIGINT, "SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP, "SIGKILL": signal.SIGKILL}


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("name", EVERY)
def test_ended_at_any_moment(every, tmp_path, name, number):
    Ended(every, name, tmp_path).end_often(SIGNALS[number], 1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("name", EVERY)
def test_ended_a_hundred_times(every, tmp_path, name, number):
    ended = Ended(every, name, tmp_path)
    ended.end_often(SIGNALS[number], 100, 2)
    assert ended.ended > 30


@pytest.mark.slow
@pytest.mark.parametrize("name", ["strips", "wavefront"])
def test_ended_while_the_driver_compiles(every, tmp_path, name):
    """PoCL's cache, too, is usable after kill -9."""
    source = random.Random(name)
    ended = Ended(every, name, tmp_path, kernels=tmp_path / "kernels")
    (tmp_path / "kernels").mkdir()
    for i in range(20):
        if i % 3 == 0:
            shutil.rmtree(tmp_path / "kernels")
            (tmp_path / "kernels").mkdir()
        ended.end(signal.SIGKILL, source.uniform(0, 6))
        shutil.rmtree(ended.cache, ignore_errors=True)
    ended.check()


# ---- readers that go away


@pytest.mark.parametrize("lines", [0, 1])
@pytest.mark.parametrize("name", EVERY)
def test_the_reader_goes_away(every, name, lines):
    """... | head -1 is no error, whatever is still to come."""
    child = every.start(EVERY[name], stdout=-1, stderr=-1)
    for _ in range(lines):
        assert child.stdout.readline()
    child.stdout.close()
    try:
        assert child.wait(60) == 0
    finally:
        child.kill()
    assert child.stderr.read() == b""
    child.stderr.close()


# ---- crowds


def crowd(every, folder, names, count, kernels=None, same=False):
    """So many processes, all at once, that share what they keep."""
    env = {"XDG_CACHE_HOME": folder / "cache", "XDG_DATA_HOME": folder / "data", "TMPDIR": folder / "temporary"}
    (folder / "temporary").mkdir()
    if kernels:
        kernels.mkdir()
        env["POCL_CACHE_DIR"] = kernels
    children = []
    for i in range(count):
        name, out = names[i % len(names)], folder / ("out" if same else f"out{i}")
        children.append((name, out, every.start(EVERY[name], "-o", out, env=env, stdout=subprocess.DEVNULL, stderr=-1, text=True)))
    problems = []
    until = time.monotonic() + 60 + 6 * count
    for name, out, child in children:
        try:
            _, err = child.communicate(timeout=max(1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            err = "hangs"
        if child.returncode != 0 or err:
            problems.append(f"{name}: exit code {child.returncode}\n{err[:400]}")
        elif answer_of(out.read_text()) != every.answers[name]:
            problems.append(f"{name}: another answer")
    assert not problems, f"{len(problems)} of {count}:\n" + "\n".join(problems)
    assert leftovers(folder) == []
    assert [path.name for path in (folder / "temporary").iterdir() if path.name.startswith(TEMPORARY)] == []
    kept = list((folder / "cache/rhomb").iterdir())
    assert kept and all(path.suffix in (".ok", ".bin") for path in kept)
    # What the crowd has left is good: nothing is tested or compiled anew.
    before = {path.name: path.read_bytes() for path in kept}
    for name in names:
        assert answer_of(every(EVERY[name], env=env).out) == every.answers[name]
    assert {path.name: path.read_bytes() for path in (folder / "cache/rhomb").iterdir()} == before


def test_a_crowd_with_an_empty_cache(every, tmp_path):
    crowd(every, tmp_path, ["strips", "search", "lcs"], 12)


def test_runs_that_write_one_file(every, write, tmp_path):
    """The last one wins; what one writes is not taken away by another that looks for what dead ones left."""
    write("short.fa", ">s\nACGT\n")
    again = 'for i in $(seq 50); do "$0" distance short.fa short.fa --engine reference -o out || exit; done'
    runs = [subprocess.Popen(["sh", "-c", again, every.path], cwd=tmp_path, env=every.environ(), stderr=-1, text=True) for _ in range(8)]
    said = "".join(run.communicate(timeout=100)[1] for run in runs)
    assert [run.returncode for run in runs] == [0] * 8, said
    assert answer_of((tmp_path / "out").read_text())[1][4] == "0"
    assert leftovers(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("same", [False, True])
def test_two_hundred_processes(every, tmp_path, same):
    crowd(every, tmp_path, ["strips"] if same else ["strips", "search", "lcs", "gaps", "primer", "align-wavefront"], 200, same=same)


@pytest.mark.slow
def test_forty_processes_that_compile(every, tmp_path):
    """The driver's cache is empty, too. (Two hundred compilers take more memory than many machines have.)"""
    crowd(every, tmp_path, ["wavefront", "strips"], 40, kernels=tmp_path / "kernels")
